# SPDX-License-Identifier: GPL-3.0-or-later
"""backend.py - what the add-on asks of marey: by its Python package in Blender's own Python, or where that does not load
by a marey program. Both are one class with the same few calls; they differ in how an operation is run.

Nothing here knows of Blender. Calls may be made in any thread.
"""
import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings

import numpy as np

from .bvh import read_bvh, write_bvh
from .motion import Body, Motion

__all__ = ["Cancelled", "Failed", "close_libraries", "kind", "library"]

VENDOR = os.path.join(os.path.dirname(__file__), "vendor")


class Failed(Exception):
    """What marey says is wrong with a request."""


class Cancelled(Exception):
    """The work was cancelled."""


_here = threading.local()


@contextlib.contextmanager
def working(job):
    """What is asked of marey in this thread belongs to `job`: it hears of progress, and may cancel."""
    _here.job = job
    try:
        yield
    finally:
        _here.job = None


def _hear(text, done, total):
    job = getattr(_here, "job", None)
    if job is not None:
        job.hear(text, done / total if total else 0.0)
        if job.cancelled:
            raise Cancelled


# ---- which of the two ---------------------------------------------------------------------------

_state = {"package": None, "why": "", "program": None, "libraries": {}}


def load(program="", process=False):
    """Looks for the package, and for the program where there is no package or `process` says so. Returns what there is:
    "package", "process", or "" with the reason in `why()`."""
    _state["package"] = None if process else _package()
    _state["program"] = None
    if _state["package"] is None:
        _state["program"] = shutil.which(program or "marey")
        if _state["program"] is None:
            _state["why"] = (_state["why"] + "; " if _state["why"] else "") + f"no program {program or 'marey'} was found"
    close_libraries()
    return kind()


def kind():
    return "package" if _state["package"] else "process" if _state["program"] else ""


def why():
    return _state["why"]


def _package():
    """The package that came with the add-on, else an installed one."""
    _state["why"] = ""
    bundled = os.path.isdir(VENDOR)
    if bundled and "marey" not in sys.modules:
        sys.path.insert(0, VENDOR)
    try:
        package = importlib.import_module("marey")
    except (ImportError, OSError) as error:
        _state["why"] = f"the Python package does not load: {error}"
        return None
    finally:
        if bundled and VENDOR in sys.path:
            sys.path.remove(VENDOR)
    package.configure(progress=_hear)
    return package


def library(path):
    """The library at a path, or with no path none: operations on motion alone."""
    path = os.path.abspath(path) if path else None
    if path is not None and not os.path.isfile(path):
        raise Failed(f"there is no library {path}")
    if path not in _state["libraries"]:
        if not kind():
            raise Failed(why())
        _state["libraries"][path] = (Package if _state["package"] else Process)(path)
    return _state["libraries"][path]


def close_libraries():
    for one in _state["libraries"].values():
        one.close()
    _state["libraries"].clear()


# ---- the calls ----------------------------------------------------------------------------------


class Marey:
    """Operations on a library, or without one on motion alone. What makes motion returns (Motion, answer): the answer is
    what `marey --json` says."""

    def __init__(self, path):
        self.path = path

    def clips(self):
        return [clip for clip in self._ask("ls")["clips"] if not clip["removed"]]

    def graphs(self):
        return [graph["name"] for graph in self._ask("graph ls")["graphs"]]

    def families(self):
        """[{"name": ..., "features": [...]}]"""
        return self._ask("param ls")["spaces"]

    def family(self, name):
        return self._ask("param show", name)

    def search(self, motion, count):
        """Matches of a motion, the best first. The motion itself, which marey lists first, is left out."""
        return [match for match in self._ask("search", motion, nearest=count)["matches"] if match["id"] is not None]

    def transition(self, a, b):
        return self._make("transition", a, b)

    def blend(self, motions, weights):
        return self._make("blend", list(motions), weights=list(weights))

    def loop(self, motion, in_place):
        return self._make("loop", motion, in_place=in_place)

    def clean(self, motion):
        return self._make("clean", motion)

    def retarget(self, motion, onto, pairs, keep=()):
        """`pairs` is a map as `pairs()` answers, or None: as found."""
        document = None if pairs is None else {"pairs": pairs}
        return self._make("retarget", [motion], onto=onto, map=document, keep=list(keep) or None)

    def pairs(self, motion, onto):
        """Which joints belong together: [{"role": ..., "from": ..., "to": ...}]."""
        return self._ask("map", motion.first(), onto)["pairs"]

    def walk(self, graph, points, style=()):
        return self._make("graph walk", graph, path=np.asarray(points).tolist(), style=list(style) or None)

    def reach(self, family, at):
        return self._make("param make", family, at=[float(number) for number in at])

    def look(self, motion):
        """What the doctor finds: [{"kind", "joint", "start", "end", "size", "unit", "certainty", "fix"}]."""
        return self._doctor(motion, False)[1]

    def mend(self, motion):
        """(the mended motion, what was mended)"""
        return self._doctor(motion, True)


class Package(Marey):
    def __init__(self, path):
        super().__init__(path)
        self.marey = _state["package"]
        with _said_again(self.marey):
            self.library = self.marey.open(path) if path else None

    def close(self):
        if self.library is not None:
            self.library.close()

    def _function(self, operation):
        name = operation.replace(" ", "_")
        return getattr(self.library, name, None) or getattr(self.marey, name)

    def _run(self, operation, things, options):
        given = {key: self._clip_of(value) for key, value in options.items() if value is not None}
        with _said_again(self.marey):
            return self._function(operation)(*map(self._clip_of, things), **given)

    def _ask(self, operation, *things, **options):
        return self._run(operation, things, options).to_dict()

    def _make(self, operation, *things, **options):
        made = self._run(operation, things, options)
        if not isinstance(made, self.marey.Clip):
            raise Failed(f"{operation} made no motion")
        return _motion_of(made), made.result.to_dict()

    def _clip_of(self, value):
        if isinstance(value, list):
            return [self._clip_of(each) for each in value]
        if not isinstance(value, Motion):
            return value
        body = value.body
        skeleton = self.marey.Skeleton(body.names, body.parents, body.offsets, body.ends, body.roles)
        rotations = value.rotations.astype(np.float32)
        return self.marey.Clip(rotations=rotations, skeleton=skeleton, places=value.places, fps=value.fps, name=value.name)

    def clip(self, name, start=None, end=None, fps=None):
        """A clip of the library, or frames of it, at another rate."""
        with _said_again(self.marey):
            clip = self.library[name]
            if start is not None:
                clip = clip[start:end]
            return _motion_of(clip if fps is None or abs(clip.fps - fps) < 1e-6 else clip.resample(fps))

    def resampled(self, motion, fps):
        if abs(motion.fps - fps) < 1e-6:
            return motion
        with _said_again(self.marey):
            return _motion_of(self._clip_of(motion).resample(fps))

    def put(self, motion, name, labels):
        """Adds a motion to the library; returns the name that it got."""
        with _said_again(self.marey):
            return self.library.put(self._clip_of(motion), name, labels=labels)

    def strip(self, name, start, end, path, width, height):
        """Draws a film strip of a clip, or of frames of it."""
        with _said_again(self.marey):
            clip = self.library[name]
            (clip if start is None else clip[start:end]).strip(width=width, height=height, poses=4).save(path)

    def _doctor(self, motion, mends):
        with _said_again(self.marey), self.marey.open() as own:
            name = own.put(self._clip_of(motion), "motion")
            answer = own.doctor(name, fix="all" if mends else None).to_dict()
            clip = answer["clips"][0]
            mended = _motion_of(own[name])
        mended.name = motion.name
        return mended, clip["repairs" if mends else "findings"]


def _motion_of(clip):
    skeleton = clip.skeleton
    body = Body(skeleton.names, skeleton.parents, skeleton.offsets, skeleton.ends, skeleton.roles)
    return Motion(body, clip.rotations, clip.places, clip.fps, clip.name)


@contextlib.contextmanager
def _said_again(package):
    """marey's errors and warnings as the add-on has them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", package.MareyWarning)
        try:
            yield
        except package.CancelledError as error:
            raise Cancelled from error
        except package.Error as error:
            raise Failed(str(error)) from error
    job = getattr(_here, "job", None)
    for warning in said:
        if job is not None and issubclass(warning.category, package.MareyWarning):
            job.warnings.append(str(warning.message).removeprefix("warning: "))


class Process(Marey):
    """By a marey program: motion goes and comes as BVH files in a temporary folder."""

    def close(self):
        pass

    def _call(self, words, folder):
        run = subprocess.Popen([_state["program"], *words, "--json"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        job = getattr(_here, "job", None)
        while True:
            try:
                out, said = run.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                if job is not None and job.cancelled:
                    run.kill()
                    run.communicate()
                    raise Cancelled from None
        if job is not None:
            job.warnings += [line.removeprefix("warning: ") for line in said.splitlines() if line.startswith("warning: ")]
        answer = json.loads(out) if out.strip() else {}
        if run.returncode:
            error = answer.get("error")
            message = error["message"] if isinstance(error, dict) else said.strip()
            raise Failed(message or f"marey ended with {run.returncode}")
        return answer

    def _words(self, operation, things, options, folder):
        words, on_library = operation.split(), operation in ("ls", "graph ls", "graph walk", "param ls", "param show", "param make", "search")
        if on_library:
            words.append(self.path)
        count = 0

        def word(value):
            nonlocal count
            if not isinstance(value, Motion):
                return str(value)
            count += 1
            path = os.path.join(folder, str(count), _file_name(value.name))  # messages name files
            os.mkdir(os.path.dirname(path))
            write_bvh(value, path)
            return path

        for thing in things:
            words += [word(each) for each in (thing if isinstance(thing, list) else [thing])]
        for key, value in options.items():
            if value is None or value is False:
                continue
            words.append("--" + key.replace("_", "-"))
            if key == "map":
                words.append(os.path.join(folder, "map.json"))
                with open(words[-1], "w", encoding="utf-8") as file:
                    json.dump(value, file)
            elif key == "path":
                words.append(os.path.join(folder, "path.csv"))
                np.savetxt(words[-1], np.asarray(value), fmt="%.4f", delimiter=",")
            elif isinstance(value, list):
                words.append(",".join(map(str, value)))
            elif value is not True:
                words.append(word(value))
        return words + (["--units", "cm", "--up", "y"] if count and operation != "map" else [])

    def _ask(self, operation, *things, **options):
        with tempfile.TemporaryDirectory(prefix="marey-") as folder:
            return self._call(self._words(operation, things, options, folder), folder)

    def _make(self, operation, *things, **options):
        with tempfile.TemporaryDirectory(prefix="marey-") as folder:
            made = os.path.join(folder, "made.bvh")
            answer = self._call([*self._words(operation, things, options, folder), "-o", made], folder)
            first = things[0][0] if isinstance(things[0], list) else things[0]
            motion = read_bvh(made, first.name if isinstance(first, Motion) else str(first))
            body = options["onto"].body if "onto" in options else first.body if isinstance(first, Motion) else None
        return self._with_roles(motion) if body is None else _named_as(motion, body), answer

    def clip(self, name, start=None, end=None, fps=None):
        with tempfile.TemporaryDirectory(prefix="marey-") as folder:
            out = os.path.join(folder, "clip.bvh")
            frames = name if start is None else f"{name}#{start}-{end}"
            self._call(["convert", frames, out, "-L", self.path, *(["--fps", f"{fps:.6f}"] if fps else [])], folder)
            return self._with_roles(read_bvh(out, name))

    def resampled(self, motion, fps):
        if abs(motion.fps - fps) < 1e-6:
            return motion
        with tempfile.TemporaryDirectory(prefix="marey-") as folder:
            there, back = os.path.join(folder, "1.bvh"), os.path.join(folder, "2.bvh")
            write_bvh(motion, there)
            self._call(["convert", there, back, "--fps", f"{fps:.6f}", "--units", "cm", "--up", "y"], folder)
            return _named_as(read_bvh(back, motion.name), motion.body)

    def _with_roles(self, motion):
        """A file says no roles: the map of a body onto itself does."""
        index = {name: joint for joint, name in enumerate(motion.body.names)}
        pairs = self.pairs(motion, motion.first())
        motion.body.roles = {pair["role"]: index[pair["from"]] for pair in pairs if pair.get("role") and pair["from"] in index}
        return motion

    def put(self, motion, name, labels):
        with tempfile.TemporaryDirectory(prefix="marey-") as folder:
            path = os.path.join(folder, _file_name(name))
            write_bvh(motion, path)
            labelled = [word for label in labels for word in ("--label", label)]
            answer = self._call(["add", self.path, path, "--units", "cm", "--up", "y", *labelled], folder)
            if not answer["added"]:
                raise Failed(f"{self.path} has this motion already")
            return answer["added"][0]["name"]

    def strip(self, name, start, end, path, width, height):
        frames = name if start is None else f"{name}#{start}-{end}"
        self._call(["render", frames, "-L", self.path, "-o", path, "--width", str(width), "--height", str(height), "--poses", "4"], os.path.dirname(path))

    def _doctor(self, motion, mends):
        with tempfile.TemporaryDirectory(prefix="marey-") as folder:
            there, mended = os.path.join(folder, "1.bvh"), os.path.join(folder, "2.bvh")
            write_bvh(motion, there)
            options = ["--fix", "all", "-o", mended] if mends else []
            clip = self._call(["doctor", there, "--units", "cm", "--up", "y", *options], folder)["clips"][0]
            if not os.path.exists(mended):
                return motion, clip["repairs" if mends else "findings"]
            return _named_as(read_bvh(mended, motion.name), motion.body), clip["repairs" if mends else "findings"]


def _file_name(name):
    return (name.replace(os.sep, "_").lstrip(".") or "motion") + ".bvh"


def _named_as(motion, body):
    """With the names and roles of a body that went into a file, where names may have to be other ones."""
    if body is not None and len(body) == len(motion.body):
        motion.body = Body(body.names, body.parents, motion.body.offsets, motion.body.ends, body.roles)
    return motion
