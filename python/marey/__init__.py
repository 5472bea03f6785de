"""marey: motion capture, used again.

    import marey
    library = marey.open("moves.marey")
    for match in library.search("kicks", frames=(120, 240)):
        print(match.clip, match.frames, match.distance_cm)
    walk = marey.load("walk.bvh")
    p = walk.positions                      # frames x joints x 3, float32, cm, y up
    half = marey.blend([walk, run], weights=[.5, .5])
    half.save("half.glb")

Lengths are centimetres, y is up, quaternions are (w, x, y, z), times are seconds, frames count from 0 and the end of
a range is not included.
"""
import os as _os

# FBX files are read by a program of its own, which the library looks for beside the program that it is in: here that is
# Python's.
_reader = _os.path.join(_os.path.dirname(__file__), "marey-fbx")
if _os.path.exists(_reader):
    _os.environ.setdefault("MAREY_FBX_READER", _reader)

from . import errors, operations, rotations
from ._context import configure
from ._demo import demo, demo_truth
from ._native import ffi as _ffi, lib as _lib
from ._operate import MareyWarning
from ._version import version as __version__
from .clip import Clip, Contact, Made, Mark, Skeleton, load
from .dataset import Dataset, dataset
from .errors import *  # noqa: F403
from .library import Library, open
from .operations import *  # noqa: F403
from .own import Feature, Metric
from .pictures import sheet
from .results import Result

__all__ = [
    "Clip", "Contact", "Dataset", "Feature", "Library", "Made", "MareyWarning", "Mark", "Metric", "Result", "Skeleton",
    "configure", "dataset", "demo", "demo_truth", "load", "open", "sheet",
    *errors.__all__, *operations.__all__,
]
