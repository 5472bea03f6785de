"""_demo.py - a library to try everything with, and the truth about its clips. They are generated, not captured, so it
is known what is done when."""
from ._context import context
from ._native import ffi, lib
from .clip import _points
from .errors import text_of
from .library import Library, open
from .results import Result

__all__ = ["demo", "demo_truth"]

_SEED = 1  # as Library.add(demo=True) and `marey demo` have it


def demo(path=None):
    """A library of thirty generated takes, 12 minutes of walks, kicks, reaches and more, with labels, descriptions
    and foot plants.

    path: the file that it is in, which is made if it is not there; takes that are in it already are not put in
    twice. Without a path the library is in a temporary file, which ends with it.
    """
    library = open() if path is None else Library(path, "create")
    library.add(demo=True)
    return library


def demo_truth():
    """What is done in the takes of `marey.demo()`, and when: `truth.takes[0].segments[1].label`.

    takes: each with `clip` (its name), `fps`, `segments` and `contacts`. A segment has `label`, `side` ("left",
    "right" or ""), `start`, `end` (not included) and `params`, the numbers that it was made with, such as
    `height_cm` of a kick. A contact has `joint`, `start` and `end`. It is what `marey demo` writes as truth.json,
    and what `library.graph_build(behaviours=...)` takes.
    """
    own = context()
    with own.lock:
        return Result({"takes": [_truth_of(own, take) for take in range(lib.marey_demo_count())]}, None, "demo_truth")


def _truth_of(own, number):
    take, count = ffi.new("marey_demo_take **"), ffi.new("int *")
    own.call(lib.marey_demo_build, own.ctx, number, _SEED, take)
    try:
        segments = lib.marey_demo_segments(take[0], count)
        actions = [_action(segments[i]) for i in range(count[0])]
        contacts = lib.marey_demo_contacts(take[0], count)
        plants = [
            {"joint": _points[one.joint], "start": one.start, "end": one.end}
            for one in (contacts[i] for i in range(count[0]))
        ]
        fps = lib.marey_clip_fps(lib.marey_demo_clip(take[0]))
    finally:
        lib.marey_demo_free(take[0])
    return {"clip": text_of(lib.marey_demo_name(number)), "fps": fps, "segments": actions, "contacts": plants}


def _action(one):
    return {
        "label": text_of(one.label), "side": text_of(one.side), "start": one.start, "end": one.end,
        "params": {text_of(one.param_names[i]): one.param_values[i] for i in range(one.param_count)},
    }
