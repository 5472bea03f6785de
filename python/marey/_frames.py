"""_frames.py - frames of a library's clips as one table of float32 in a file of their own, which is mapped.

    0     header: magic, sizes, sums
    4096  rows, one behind the other: those of a clip together, clips by their names
    ...   what the rows are, as JSON: columns, joints, clips, which rows are whose and their sums

The file is written under no name, or under another one, and named when it is whole.
"""
import difflib
import errno
import json
import mmap
import os
import struct
import threading
from collections import namedtuple

import numpy as np

from ._context import _reporter, _settings
from ._native import ffi, lib
from .clip import _points, _roles
from .errors import BusyError, DamagedError, MachineError, OutOfMemoryError, text_of

__all__ = ["FEATURES", "Table", "features_of", "make_table"]

_MAGIC = b"marey frames 1\0\0"
_HEADER = struct.Struct("<16s7Q")  # magic; bytes of the file, rows, columns, where JSON begins, its bytes, its sum; sum
_ROWS_AT = 4096
_BLOCK = 128  # rows that are made, written and summed up at once, while they are in the processor's cache

_Kind = namedtuple("_Kind", "kind per_joint shape turns about")
FEATURES = {
    "positions": _Kind(lib.BRIDGE_POSITIONS, True, (3,), False, "where each joint is on the character's ground, in cm"),
    "world_positions": _Kind(lib.BRIDGE_WORLD_POSITIONS, True, (3,), False, "where each joint is in the world, in cm"),
    "velocities": _Kind(lib.BRIDGE_VELOCITIES, True, (3,), False,
                        "how fast each joint moves in the world, in the axes of the ground, in cm/s"),
    "world_velocities": _Kind(lib.BRIDGE_WORLD_VELOCITIES, True, (3,), False,
                              "the same in the axes of the world: clip.velocities"),
    "rot6d": _Kind(lib.BRIDGE_ROT6D, True, (6,), True,
                   "local rotations, the first two columns of each matrix; that of the first joint on the ground"),
    "quaternions": _Kind(lib.BRIDGE_QUATERNIONS, True, (4,), True,
                         "local rotations as w x y z, w not negative; that of the first joint on the ground"),
    "root_velocity": _Kind(lib.BRIDGE_ROOT_VELOCITY, False, (3,), False,
                           "how the ground goes, to its left and ahead in cm/s, and turns, in rad/s"),
    "root_height": _Kind(lib.BRIDGE_ROOT_HEIGHT, False, (1,), False, "how high the hips are, in cm"),
    "path": _Kind(lib.BRIDGE_PATH, False, (2,), False, "where the ground is in the world, x and z in cm"),
    "heading": _Kind(lib.BRIDGE_HEADING, False, (2,), False, "where the ground's z axis points in the world, x and z"),
    "contacts": _Kind(lib.BRIDGE_GIVEN, False, (len(_points),), False,
                      "1 where " + ", ".join(_points).replace("_", " ") + " are planted, else 0"),
}

# A body must have these to be put beside others by its roles.
_CORE = ("hips", *(f"{side}_{part}" for side in ("left", "right")
                   for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")))


def nearest(name, names):
    """What is behind "there is no x": the name that is most like it, or nothing."""
    found = difflib.get_close_matches(str(name), [str(each) for each in names], 1)
    return f"; the nearest is {found[0]}" if found else ""


# ---- features ---------------------------------------------------------------------------------


class Feature:
    """One of FEATURES, or a function of a clip that returns a row for each frame."""

    __slots__ = ("name", "kind", "function")

    def __init__(self, name, function=None):
        self.name = name
        self.function = function
        self.kind = None if function else FEATURES[name]

    def identity(self):
        """What says, in the cache's name, which feature it is."""
        return [self.name] if self.function is None else [self.name, _code_of(self.function)]


def _code_of(value, outer=()):
    """A function by its name, what it is compiled to, and the numbers and texts that it was made with: a change of
    these makes a new cache. What it calls is not seen."""
    if hasattr(value, "co_code"):
        return [value.co_code.hex(), list(value.co_names), [_code_of(each, outer) for each in value.co_consts]]
    if isinstance(value, (tuple, list)):
        return [_code_of(each, outer) for each in value]
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    own = [str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", type(value).__qualname__))]
    if hasattr(value, "__code__") and not any(value is each for each in outer):  # which may call itself
        outer = (*outer, value)
        inside = [cell.cell_contents for cell in value.__closure__ or ()]
        own += [_code_of(each, outer) for each in (value.__code__, value.__defaults__ or (), inside)]
    return own


def features_of(given):
    """Features of "positions|rot6d", a list of names and functions, or of pairs (name, function)."""
    if isinstance(given, str):
        given = given.split("|")
    elif callable(given):
        given = [given]
    out = []
    for each in given:
        if isinstance(each, str):
            name = each.strip()
            if name not in FEATURES:
                all_names = ", ".join(FEATURES)
                raise ValueError(f"there is no feature {name!r}{nearest(name, FEATURES)}; there are {all_names}")
            out.append(Feature(name))
            continue
        name, function = each if isinstance(each, tuple) and len(each) == 2 else (getattr(each, "__name__", None), each)
        if not callable(function) or not isinstance(name, str):
            raise TypeError(f"a feature is a name, a function, or a pair (name, function), got {each!r}")
        if not name.isidentifier():
            raise ValueError(f"a feature's name is a word, got {name!r}; a lambda gets one in a pair")
        if name in FEATURES:
            raise ValueError(f"{name} is one of marey's features; a function needs another name")
        out.append(Feature(name, function))
    names = [feature.name for feature in out]
    if not names:
        raise ValueError(f"features must name at least one; there are {', '.join(FEATURES)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the feature {name} is named twice")
    return out


# ---- a finished table -------------------------------------------------------------------------


class Table:
    """A cache file that is mapped: `rows`, rows x columns, and what it says of itself, `about`."""

    def __init__(self, path):
        """Raises DamagedError for a file that is not whole, OSError where there is none."""
        self.path = path
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size or not header.startswith(_MAGIC):
                raise DamagedError("this is no table of frames", path)
            _, whole, rows, columns, at, count, self.stamp, own = _HEADER.unpack(header)
            if own != sum_of(header[:-8]) or whole != size or at != _ROWS_AT + 4 * rows * columns or at + count != size:
                raise DamagedError(f"the table of frames has {size} bytes, which are not those that were written", path)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        text = mapped[at:]
        if sum_of(text) != self.stamp:
            raise DamagedError("what the table of frames says of itself is damaged", path)
        self.about = json.loads(text)
        self.rows = np.frombuffer(mapped, dtype="<f4", count=rows * columns, offset=_ROWS_AT).reshape(rows, columns)

    def check(self):
        """Holds every row against its sum."""
        for clip in self.about["clips"]:
            total = 0
            for _, row, count in clip["runs"]:
                for first in range(row, row + count, _BLOCK):
                    total = sum_of(self.rows[first : min(first + _BLOCK, row + count)], total)
            if total != int(clip["sum"], 16):
                raise DamagedError(f"frames of {clip['name']} are not those that were written", self.path)


def sum_of(data, seed=0):
    data = ffi.from_buffer(data)
    return lib.bridge_sum(data, len(data), seed)


def make_table(library, features, fps, joints, clips, rebuild, verify):
    """The table of a library: that of its cache, or a new one."""
    for _ in range(5):
        total = library._sum()
        settings = {
            "marey": text_of(lib.marey_version()), "fps": fps, "joints": joints, "clips": clips,
            "features": [feature.identity() for feature in features],
        }
        places = list(_places(library.path, settings))
        for path in places if not rebuild else ():
            table = _open(path, settings, total, verify)
            if table is not None:
                return table
        table = _build(library, _Plan(library, features, fps, joints, clips), settings, total, places)
        if table is not None:
            return table
    raise BusyError("the library was changed again and again while its frames were read", library.path)


def _places(path, settings):
    """Where the cache is looked for and may be written: beside the library, and in the user's own folder."""
    def key(*parts):
        return format(sum_of(json.dumps(parts, sort_keys=True).encode()), "016x")

    yield f"{path}.frames-{key(settings)}"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    yield os.path.join(home, "marey", f"{os.path.basename(path)}.frames-{key(settings, path)}")


def _open(path, settings, total, verify):
    """The table in a file; None where it is none, damaged, or of other clips."""
    try:
        table = Table(path)
        if table.about["settings"] != settings or table.about["library"] != format(total, "016x"):
            return None
        if verify:
            table.check()
        return table
    except (DamagedError, OSError):
        return None


# ---- what is to be done -----------------------------------------------------------------------


class _Plan:
    """Which clips, at which rate, and what a row has: all that does not need the motion."""

    def __init__(self, library, features, fps, joints, clips):
        listed = library.ls()._data["clips"]
        self.entries = sorted(_chosen(listed, clips), key=lambda entry: entry["name"])
        self.left_out = []
        self.roles = joints == "roles"
        self.parents = None
        if self.roles:
            for feature in features:
                if feature.kind is not None and feature.kind.turns:
                    raise ValueError(f'{feature.name} needs one skeleton; joints="roles" takes those without rotations')
            self._take_roles(library)
        else:
            self._take_skeleton(library, joints)
        self.fps = float(fps) if fps is not None else _most((entry["fps"], entry["frames"]) for entry in self.entries)
        self.features = features
        self.widths = {}  # numbers of a feature in a row; of a function, as its first clip has them
        for feature in features:
            if feature.kind is not None:
                self.widths[feature.name] = int(np.prod(self.shape(feature)))

    def shape(self, feature):
        if feature.kind is None:
            return (self.widths.get(feature.name, 0),)
        if feature.kind.per_joint:
            return (len(self.joints), *feature.kind.shape)
        return feature.kind.shape

    def _take_skeleton(self, library, joints):
        """Clips with the joints of most frames; the others stay out."""
        most = _most((entry["skeleton"], entry["frames"]) for entry in self.entries)
        others = [entry for entry in self.entries if entry["skeleton"] != most]
        self.entries = [entry for entry in self.entries if entry["skeleton"] == most]
        self.left_out += [
            [entry["name"], f"its joints are {entry['skeleton']}, not {most} as in most frames"] for entry in others
        ]
        self.joints, self.numbers = (), ()
        if not self.entries:
            return
        skeleton = library[f"#{self.entries[0]['id']}"].skeleton
        try:
            self.numbers = tuple(skeleton.index(each) for each in (range(len(skeleton)) if joints is None else joints))
        except (KeyError, IndexError) as error:
            raise ValueError(error.args[0]) from None
        self.joints = tuple(skeleton.names[number] for number in self.numbers)
        self.parents = list(skeleton.parents) if joints is None else None
        self.joint_count = len(skeleton)

    def _take_roles(self, library):
        """The roles that all bodies have; who lacks an arm or a leg stays out."""
        known = {}
        for entry in self.entries:
            if entry["skeleton"] not in known:
                known[entry["skeleton"]] = set(library[f"#{entry['id']}"].roles)
        lacks = {name: next((role for role in _CORE if role not in roles), None) for name, roles in known.items()}
        for entry in self.entries:
            if lacks[entry["skeleton"]]:
                self.left_out.append([entry["name"], f"its body has no {lacks[entry['skeleton']]}"])
        self.entries = [entry for entry in self.entries if not lacks[entry["skeleton"]]]
        bodies = [known[entry["skeleton"]] for entry in self.entries]
        self.joints = tuple(role for role in _roles if bodies and all(role in body for body in bodies))

    def numbers_of(self, skeleton):
        """The joints of a clip that its rows have, or why there are none."""
        if not self.roles:
            return (self.numbers, None) if skeleton.joint_count == self.joint_count else ((), "it has other joints")
        numbers = [skeleton.roles[_roles.index(role)] for role in self.joints]
        lacking = [role for role, number in zip(self.joints, numbers) if number < 0]
        return ((), f"its body has no {lacking[0]}") if lacking else (numbers, None)


def _chosen(listed, clips):
    if clips is None:
        return listed
    by_name = {entry["name"]: entry for entry in listed}
    for name in clips:
        if name not in by_name:
            raise ValueError(f"the library has no clip {name}{nearest(name, by_name)}")
    return [by_name[name] for name in clips]


def _most(pairs):
    """What most frames have; of several the first by its own order. None where there is nothing."""
    totals = {}
    for value, frames in pairs:
        totals[value] = totals.get(value, 0) + frames
    return min(totals, key=lambda value: (-totals[value], value)) if totals else None


# ---- building ---------------------------------------------------------------------------------


class _File:
    """A file that has no name until it is whole, or one of its own where the file system wants one."""

    def __init__(self, path):
        self.path = path
        folder, name = os.path.split(path)
        self.spare = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.part")
        self.named = None
        try:
            self.fd = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT):
                raise
            self.fd = os.open(self.spare, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o666)
            self.named = self.spare

    def write(self, data, at):
        left = memoryview(data).cast("B")
        while len(left):
            done = os.pwrite(self.fd, left, at)
            left, at = left[done:], at + done

    def finish(self):
        """Gives it its name, in place of another file that has it. The disk is not waited for, as sums show what is
        lost."""
        if self.named is None:
            # With a folder that is not needed, as Python follows the link to the file only then.
            os.link(f"/proc/self/fd/{self.fd}", self.spare, src_dir_fd=self.fd)
            self.named = self.spare
        os.replace(self.named, self.path)
        self.named = None

    def close(self):
        """Where it was not finished nothing is left."""
        os.close(self.fd)
        if self.named is not None:
            os.unlink(self.named)


def _create(places):
    """A file in the first of these places that can be written to."""
    for path in places:
        try:
            if path != places[0]:
                os.makedirs(os.path.dirname(path), exist_ok=True)
            return _File(path)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise MachineError(os.strerror(error.errno), path) from error
    raise MachineError("the frames can be written neither beside the library nor to the user's cache", places[-1])


def _build(library, plan, settings, total, places):
    """Writes the table; None: the library was changed meanwhile."""
    file = _create(places)
    try:
        work = _Work(library, plan, file)
        try:
            work.run()
        except LookupError:
            if library._sum() == total:
                raise
        if library._sum() != total:
            return None
        work.finish(settings, total)
        file.finish()
    except OSError as error:
        if isinstance(error, MachineError) or error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        frames = sum(entry["frames"] for entry in plan.entries)
        size = frames * max(work.columns, 1) * 4 / 1e6
        raise MachineError(f"the disk is full: {frames} frames as captured take {size:.0f} MB", file.path) from error
    finally:
        file.close()
    return Table(file.path)


class _Work:
    """Clips to rows, on several threads: each takes the next clip, waits until all before it know their place, and
    writes its own rows. So the file is the same for any number of threads."""

    def __init__(self, library, plan, file):
        self.library, self.plan, self.file = library, plan, file
        self.turn = threading.Condition()
        self.taken = self.placed = self.rows = 0
        self.failed = None
        self.done = [None] * len(plan.entries)
        self.columns = sum(plan.widths.values())
        self.report = _reporter("data set")

    def run(self):
        count = min(_settings["threads"] or len(os.sched_getaffinity(0)), 8, len(self.plan.entries))
        if any(feature.function for feature in self.plan.features):
            count = 1  # the user's functions are called one at a time
        try:
            if count < 2:
                self.work(self.library)
            else:
                self.run_threads(count)
        finally:
            if self.report:
                self.report.close()
        if self.failed is not None:
            raise self.failed

    def run_threads(self, count):
        threads = [threading.Thread(target=self.work_alone, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            self.tell(0)  # also of work that is done before anything else could be told of it
            while any(thread.is_alive() for thread in threads):
                with self.turn:
                    self.turn.wait(0.1)
                    done = self.placed
                self.tell(done)
        except BaseException as error:  # Ctrl-C, or what the user's report raised
            self.fail(error)
        for thread in threads:
            thread.join()

    def tell(self, done):
        if self.report and done < len(self.done):
            self.report("", done, len(self.done))

    def fail(self, error):
        with self.turn:
            if self.failed is None:
                self.failed = error
            self.turn.notify_all()

    def work_alone(self):
        try:
            with type(self.library)(self.library.path, "read") as own:
                self.work(own)
        except BaseException as error:
            self.fail(error)

    def work(self, library):
        block = None
        while True:
            with self.turn:
                number = self.taken
                if self.failed is not None or number == len(self.done):
                    return
                self.taken += 1
            if library is self.library:
                self.tell(number)
            clip = _Taken(library, self.plan, self.plan.entries[number])
            with self.turn:
                self.turn.wait_for(lambda: self.placed == number or self.failed is not None)
                if self.failed is not None:
                    return
                self.columns = sum(self.plan.widths.values())
                clip.row, self.rows = self.rows, self.rows + clip.rows
                self.placed += 1
                self.turn.notify_all()
            if block is None or block.shape[1] != self.columns:
                block = np.empty((_BLOCK, self.columns), dtype=np.float32)
            self.done[number] = clip.write(self.file, block)

    def finish(self, settings, total):
        """What the rows are, behind them, and the header."""
        plan, at, columns = self.plan, 0, {}
        for feature in plan.features:
            width = plan.widths.get(feature.name, 0)
            columns[feature.name] = [at, at + width, list(plan.shape(feature))]
            at += width
        about = {
            "settings": settings, "library": format(total, "016x"), "fps": plan.fps, "joints": list(plan.joints),
            "parents": plan.parents, "columns": columns, "clips": [clip for clip in self.done if clip["runs"]],
            "left_out": sorted(plan.left_out + [
                [clip["name"], clip["why"] or "all of its frames are marked"] for clip in self.done if not clip["runs"]
            ]),
        }
        text = json.dumps(about, ensure_ascii=True).encode()
        end = _ROWS_AT + 4 * self.rows * at
        header = _HEADER.pack(_MAGIC, end + len(text), self.rows, at, end, len(text), sum_of(text), 0)[:-8]
        self.file.write(text, end)
        self.file.write((header + struct.pack("<Q", sum_of(header))).ljust(_ROWS_AT, b"\0"), 0)


class _Taken:
    """A clip at its rate, and its frames that are captured motion."""

    def __init__(self, library, plan, entry):
        self.plan, self.entry = plan, entry
        clip = library._take(f"#{entry['id']}")
        self.fps = clip.fps
        self.numbers, self.why = plan.numbers_of(lib.marey_clip_skeleton(clip._handle))
        self.clip = clip if abs(clip.fps - plan.fps) < 1e-6 * plan.fps else clip.resample(plan.fps)
        self.runs = [] if self.why else _unmarked(self.clip)
        self.rows = sum(end - start for start, end in self.runs)
        self.arrays = {}
        if self.runs:
            for feature in plan.features:
                if feature.name == "contacts":
                    self.arrays[feature.name] = self.contacts(clip)
                elif feature.function is not None:
                    self.arrays[feature.name] = self.given(feature)

    def contacts(self, clip):
        """Those of the clip as it was captured, at the times of the frames: they are found best at the full rate."""
        at = np.rint(np.arange(len(self.clip)) * (clip.fps / self.clip.fps)).astype(np.int64)
        return clip.contact_flags[np.minimum(at, len(clip) - 1)].astype(np.float32)

    def given(self, feature):
        """What a function of the user's says of the clip."""
        name, frames = self.entry["name"], len(self.clip)
        array = np.asarray(feature.function(self.clip))
        if array.ndim not in (1, 2) or len(array) != frames or array.size == 0:
            raise ValueError(
                f"{feature.name}({name}) must return {frames} rows, one for each frame, got "
                f"{' x '.join(map(str, array.shape)) or 'one number'}"
            )
        array = np.ascontiguousarray(array.reshape(frames, -1), dtype=np.float32)
        width = self.plan.widths.setdefault(feature.name, array.shape[1])
        if array.shape[1] != width:
            raise ValueError(
                f"{feature.name}({name}) must have {width} numbers a frame as other clips have, got {array.shape[1]}"
            )
        off = ~np.isfinite(array).all(axis=1)
        if off.any():
            frame = int(np.argmax(off))
            raise ValueError(f"{feature.name}({name}) must return finite numbers; those of frame {frame} are not")
        return array

    def write(self, file, block):
        """Its rows into the file, and what is to be said of it."""
        plan, at, total = self.plan, self.row, 0
        keep = list(self.arrays.values())
        features = ffi.new("bridge_feature[]", len(plan.features))
        column = 0
        for to, feature in zip(features, plan.features):
            to.kind = feature.kind.kind if feature.kind is not None else lib.BRIDGE_GIVEN
            to.column = column
            if feature.name in self.arrays:
                keep.append(ffi.from_buffer("float[]", self.arrays[feature.name]))
                to.values, to.width = keep[-1], self.arrays[feature.name].shape[1]
            column += plan.widths[feature.name] if self.runs else 0
        numbers = ffi.new("int[]", list(self.numbers) or [0])
        definition = ffi.new("bridge_rows_def *")
        definition.clip, definition.joints, definition.joint_count = self.clip._handle, numbers, len(self.numbers)
        definition.features, definition.feature_count, definition.columns = features, len(plan.features), block.shape[1]
        out, runs = ffi.from_buffer("float[]", block), []
        for start, end in self.runs:
            definition.first, definition.end = start, end
            runs.append([start, at, end - start])
            for first in range(start, end, _BLOCK):
                count = min(_BLOCK, end - first)
                if lib.bridge_rows(definition, first, count, out):
                    raise OutOfMemoryError("no memory for rows of frames")
                total = sum_of(block[:count], total)
                file.write(block[:count], _ROWS_AT + at * 4 * block.shape[1])
                at += count
        entry = self.entry
        return {
            "name": entry["name"], "frames": entry["frames"], "fps": self.fps, "labels": entry["labels"],
            "stretches": entry["stretches"], "description": entry["description"], "runs": runs,
            "sum": format(total, "016x"), "why": self.why,
        }


def _unmarked(clip):
    """Frames [start, end) between the marked ones."""
    runs, at = [], 0
    for mark in clip.marks:
        if mark.start > at:
            runs.append((at, mark.start))
        at = max(at, mark.end)
    return runs + ([(at, len(clip))] if at < len(clip) else [])
