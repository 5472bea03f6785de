"""dataset.py - a library as windows of frames, for learning."""
import contextlib
import hashlib
import os
import warnings
import zipfile
from collections import namedtuple
from collections.abc import Mapping

import numpy as np

from ._frames import FEATURES, Table, features_of, make_table, nearest
from ._native import ffi, lib
from ._operate import MareyWarning
from .errors import MachineError, ShapeError, StaleError, bytes_of, text_of
from .library import Library, open as _open_library

__all__ = ["Dataset", "Window", "dataset"]

Window = namedtuple("Window", "clip start end address subject labels description")
Window.__doc__ = "Where a window is from, as Dataset.info says it."

_BATCH = 256  # windows that are written to a file at once


def dataset(library, window=64, *, stride=1, fps=None, features="positions|rot6d|contacts", split_by="subject",
            joints=None, clips=None, rebuild=False, verify=True):
    """Windows of frames of a library as float32 arrays, for learning: a marey.Dataset.

        data = marey.dataset("moves.marey", window=64, fps=30, features="positions|rot6d|contacts")
        train, validation, test = data.split(seed=0)
        test, train = test.normalize(train), train.normalize()
        for batch in train.batches(256, shuffle=True, seed=1):
            ...                                             # 256 x 64 x columns

    library: a path, or an open Library. Clips are taken by their names, so the order in which they were added does
        not matter.
    window: frames of a window. Windows lie within one clip and hold no marked frames.
    stride: frames from the beginning of one window to that of the next.
    fps: frames a second; clips of another rate are resampled. By default that of most frames.
    features: what a row of a window holds, one after the other: names of those below with | between, or a list of
        names and of functions. A function gets a clip at the rate `fps` and returns a row of numbers for each frame;
        ("speed", function) gives it another name. It is called anew where its own code changed; where what it
        calls did, say rebuild=True.
    split_by: what stays together in split(): "subject", "clip", "label" (clips that share one), a function of what
        info() says of a whole clip, or a dictionary {name of a clip: name of its group}.
    joints: by default all of the skeleton that most frames have; clips of other skeletons are left out, with a
        MareyWarning and in `left_out`. A list of names or roles is some of its joints. "roles" takes all bodies: the
        joints are the roles that all of them have ("left_knee"), each body in its own size, and there are no rotations.
    clips: names of those that are taken; by default all.
    rebuild: make the cache anew.
    verify: hold an old cache against its sums, every byte, before it is used.

    Features; J is the number of joints:

{features}

    The character's ground is seen from frame to frame: its origin is the floor (y = 0) below the hips, or the first
    joint of a body without; y is up, z is where the body faces, x to its left. A body faces at right angles to the
    line from its right hip and shoulder to the left ones, seen from above; where that line stands upright or there
    are no such joints, along the z axis of its first joint. So where a body is and which way it faces leave no trace
    in positions, velocities and rotations on the ground. Only the first joint's rotation is turned; all others are
    local anyway. root_velocity of a frame is the way from the frame before it in that frame's ground, times fps, so
    that path and heading are its sums; in a clip's first frame it is that of the second, and marked frames begin a clip
    anew. World is the world of the clip. Contacts are those that the library keeps or, where it keeps none, that are
    found in the clip at its own rate; each frame has those of the nearest one of these.

    Rows are made once and lie in one file beside the library, moves.marey.frames-..., or in $XDG_CACHE_HOME/marey
    (~/.cache/marey) where that cannot be written. It is mapped, not read, and found again for the same settings. Once
    clips, labels or contacts of the library change a new one takes its place, as where its bytes are damaged. It may be
    deleted at any time; open data sets keep what they show.
    """
    if not isinstance(library, (str, os.PathLike, Library)):
        raise TypeError(f"library must be a path or a marey.Library, got {library!r}")
    for name, value in (("window", window), ("stride", stride)):
        if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 1:
            raise ValueError(f"{name} must be a number of frames, 1 or more, got {value!r}")
    if fps is not None and not 0.1 <= fps <= 10000:
        raise ValueError(f"fps must be 0.1 to 10000, got {fps!r}")
    if split_by not in ("subject", "clip", "label") and not callable(split_by) and not isinstance(split_by, Mapping):
        raise ValueError(f'split_by must be "subject", "clip", "label", a function or a dictionary, got {split_by!r}')
    if isinstance(joints, str) and joints != "roles":
        raise ValueError(f'joints must be "roles" or a list of joints, got {joints!r}')
    if joints is not None and not isinstance(joints, str):
        joints = [each if isinstance(each, str) else int(each) for each in joints]
    if clips is not None:
        clips = sorted({clips} if isinstance(clips, str) else {str(clip) for clip in clips})
    with contextlib.ExitStack() as stack:
        if not isinstance(library, Library):
            library = stack.enter_context(_open_library(library, "read"))
        fps = None if fps is None else float(fps)
        table = make_table(library, features_of(features), fps, joints, clips, rebuild, verify)
    own = Dataset.__new__(Dataset)
    own._set(table, int(window))
    own._starts = _starts_of(own._runs, int(window), int(stride))
    whole = [own._info(number, 0, clip["frames"]) for number, clip in enumerate(table.about["clips"])]
    own._groups = _groups_of(whole, split_by)
    own.left_out = [tuple(each) for each in table.about["left_out"]]
    others = len(own.left_out)
    own.left_out += [
        (clip["name"], f"it has no {window} frames in a row at {own.fps:g} a second")
        for clip, windows in zip(table.about["clips"], own._per_clip()) if windows == 0
    ]
    if own.left_out:
        (name, why), total = own.left_out[0], len(table.about["clips"]) + others
        message = f"{len(own.left_out)} of {total} clips are left out, {name} as {why}; see left_out"
        warnings.warn(message, MareyWarning, stacklevel=2)
    return own


_Runs = namedtuple("_Runs", "row count clip start")  # first row, rows, which clip, its first frame


class Dataset:
    """Windows of frames, as marey.dataset makes them.

    data[3]: window x columns, a view that is not written to; of a normalized data set a new array.
    data[[3, 5]], data[10:20]: a new array of several windows.
    len(data), data.columns, data.fps, data.window, data.joints, data.left_out: [(clip, why)].
    """

    def __init__(self):
        raise TypeError("a data set is made by marey.dataset(library)")

    def _set(self, table, window):
        about = table.about
        self._table = table
        self.window = window
        self.fps = about["fps"]
        self.joints = tuple(about["joints"])  #: names of joints, or roles, in the order of the columns
        self.parents = tuple(about["parents"]) if about["parents"] is not None else None
        self.columns = {name: slice(start, end) for name, (start, end, _) in about["columns"].items()}
        self._shapes = {name: tuple(shape) for name, (_, _, shape) in about["columns"].items()}
        clips = about["clips"]
        runs = [(row, count, number, start) for number, clip in enumerate(clips) for start, row, count in clip["runs"]]
        self._runs = _Runs(*np.array(runs, dtype=np.int64).reshape(-1, 4).T)
        self._frames = np.array([clip["frames"] for clip in clips], dtype=np.int64)
        rates = np.array([clip["fps"] for clip in clips], dtype=np.float64) / (self.fps or 1)
        self._rates = np.where(abs(rates - 1) < 1e-6, 1, rates)
        self.mean = self.std = None  #: of each column, of a normalized data set
        rows = table.rows
        shape = (max(0, len(rows) - window + 1), window, rows.shape[1])
        # Windows overlap, so that data[3] needs no arithmetic here.
        self._windows = np.lib.stride_tricks.as_strided(rows, shape, (rows.strides[0], *rows.strides), writeable=False)

    # ---- windows ----

    def __len__(self):
        return len(self._starts)

    def __getitem__(self, which):
        if self.mean is None and type(which) is int:
            return self._windows[self._starts[which]]
        if isinstance(which, (bool, tuple)):
            raise TypeError("an index is a number, a slice or a list of windows; data[3][:, 5] takes a column of one")
        starts = self._starts[np.array(which, dtype=None if which else int) if isinstance(which, list) else which]
        if starts.ndim == 0:
            return self._windows[starts] if self.mean is None else self._copy(starts[None])[0]
        return self._copy(starts)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitems__(self, which):
        """Several windows as a list, copied at once: what torch's DataLoader asks for."""
        return list(self[list(which)])

    def _copy(self, starts):
        if starts.ndim != 1:
            raise TypeError(f"windows are taken by one list of numbers, got one with {starts.ndim} axes")
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        columns = self._table.rows.shape[1]
        out = np.empty((len(starts), self.window, columns), dtype=np.float32)
        if out.size:
            table = ffi.new("bridge_table *")
            rows = ffi.from_buffer("float[]", self._table.rows)
            keep = [rows] + [ffi.from_buffer("float[]", each) for each in (self.mean, self.std) if each is not None]
            table.rows, table.columns, table.window = rows, columns, self.window
            if self.mean is not None:
                table.mean, table.deviation = keep[1:]
            where = ffi.from_buffer("int64_t[]", starts)
            lib.bridge_windows(table, where, len(starts), ffi.from_buffer("float[]", out))
        return out

    def batches(self, size, *, shuffle=False, seed=0, drop_last=False, as_dict=False):
        """Arrays of `size` windows, the last one of what is left. With `shuffle` the order is that of `seed`, the same
        on every machine; another one for each epoch is another order. as_dict: as as_dict() has them."""
        if isinstance(size, bool) or not hasattr(size, "__index__") or size.__index__() < 1:
            raise ValueError(f"a batch must have 1 window or more, got {size!r}")
        return self._batches(size.__index__(), shuffle, seed, drop_last, as_dict)

    def _batches(self, size, shuffle, seed, drop_last, as_dict):
        starts = self._starts[_shuffled(len(self), seed)] if shuffle else self._starts
        for first in range(0, len(starts) - (size - 1 if drop_last else 0), size):
            batch = self._copy(starts[first : first + size])
            yield self.as_dict(batch) if as_dict else batch

    def as_dict(self, array):
        """{feature: its numbers} of an array, or a tensor, whose last axis is the columns: positions are
        ... x joints x 3. They show the array's own memory."""
        if array.shape[-1] != self._table.rows.shape[1]:
            raise ValueError(f"the last axis must be the {self._table.rows.shape[1]} columns, got {array.shape[-1]}")
        axes = tuple(array.shape[:-1])
        return {name: array[..., part].reshape(axes + self._shapes[name]) for name, part in self.columns.items()}

    # ---- where they are from ----

    def _run_of(self, rows):
        return np.searchsorted(self._runs.row, rows, side="right") - 1

    def _place_of(self, rows):
        """Clips, and the frames of theirs, as they are in the library, that windows from these rows on show."""
        run = self._run_of(rows)
        clip, first = self._runs.clip[run], self._runs.start[run] + rows - self._runs.row[run]
        rates, frames = self._rates[clip], self._frames[clip]
        start = np.minimum(np.rint(first * rates), frames - 1)
        end = np.minimum(np.rint((first + self.window - 1) * rates) + 1, frames)
        return clip, start.astype(np.int64), end.astype(np.int64)

    def _info(self, number, start, end):
        clip = self._table.about["clips"][number]
        name, subject = clip["name"], bytes_of(clip["name"])
        subject = text_of(ffi.new("char[]", subject[: lib.bridge_subject_length(subject)]))
        shown = {each["label"] for each in clip["stretches"] if each["start"] < end and start < each["end"]}
        labels = (*clip["labels"], *sorted(shown - set(clip["labels"])))
        return Window(name, start, end, f"{name}#{start}-{end}", subject, labels, clip["description"])

    def info(self, which):
        """Where a window is from: clip, start, end, address, subject, labels, description. Frames are those of the
        clip as the library has it, end not included; library[info.address] gives that part. subject: who moves, "143"
        of "143_05", or all of a name without such a part. labels: of the clip, and of any of these frames."""
        number, start, end = self._place_of(self._starts[which.__index__()])
        return self._info(int(number), int(start), int(end))

    @property
    def groups(self):
        """{name: windows} of what stays together in split()."""
        counts = {}
        for number, windows in enumerate(self._per_clip()):
            if windows:
                counts[self._groups[number]] = counts.get(self._groups[number], 0) + int(windows)
        return dict(sorted(counts.items()))

    def _per_clip(self):
        """How many windows each clip of the table has here."""
        return np.bincount(self._runs.clip[self._run_of(self._starts)], minlength=len(self._groups))

    # ---- parts ----

    def split(self, fractions=None, *, seed=0, **fixed):
        """Parts that have no group in common, of about these shares of the windows.

        fractions: {"train": 0.8, "validation": 0.1, "test": 0.1}, its default, or numbers: three of these, or two of
            train and test.
        test=["143"]: the groups of a part by their names; the others share what is left. `groups` lists them.
        The same seed gives the same parts, on every machine, in whatever order clips were added.
        """
        shares = _shares_of(fractions)
        groups = self.groups
        parts = _named(fixed, shares, groups)
        left = [name for name in groups if name not in parts]
        free = {name: share for name, share in shares.items() if name not in fixed and share > 0}
        if left and not free:
            raise ValueError(f"all parts are fixed, and {left[0]} is in none of them")
        if left and len(left) < len(free):
            are = f"{len(left)} groups are too few for {' and '.join(free)}: {', '.join(left)}"
            raise ValueError(f"{are}; split_by says what a group is")
        parts.update(_dealt({name: groups[name] for name in left}, free, seed))
        number = {part: number for number, part in enumerate(shares)}
        # A clip without windows is in no group, and in no part.
        clip_parts = np.array([number[parts[name]] if name in parts else -1 for name in self._groups], dtype=np.int64)
        of = clip_parts[self._runs.clip[self._run_of(self._starts)]]
        return tuple(self._part(self._starts[of == each]) for each in number.values())

    def _part(self, starts):
        own = Dataset.__new__(Dataset)
        own.__dict__.update(self.__dict__)
        own._starts = starts
        return own

    def normalize(self, like=None):
        """The same windows, each column less its mean and divided by its standard deviation, of all frames that are
        in windows, each counted once; a column that does not change is divided by 1. like: the data set whose mean
        and deviation are taken, such as the one that is learned from."""
        like = self if like is None else like
        if like.columns != self.columns or like._shapes != self._shapes:
            raise ShapeError("two data sets must have the same columns to be normalized alike")
        own = self._part(self._starts)
        own.mean, own.std = (like.mean, like.std) if like.mean is not None else like._moments()
        return own

    def restore(self, array):
        """Numbers of a normalized data set in their own units again; the last axis is the columns."""
        return array if self.mean is None else array * self.std + self.mean

    def _spans(self, starts):
        """The rows that windows hold, as stretches [begin, end); starts: of the windows, rising."""
        if not len(starts):
            return starts, starts
        breaks = np.flatnonzero(starts[1:] > starts[:-1] + self.window) + 1
        return starts[np.r_[0, breaks]], starts[np.r_[breaks, len(starts)] - 1] + self.window

    def _moments(self):
        rows, columns = self._table.rows, self._table.rows.shape[1]
        if not len(self):
            raise ValueError("there are no windows to take a mean of")
        begins, ends = self._spans(np.sort(self._starts))
        table = ffi.from_buffer("float[]", rows)

        def sums(mean):
            out = np.zeros(columns)
            to, of = ffi.from_buffer("double[]", out), ffi.NULL if mean is None else ffi.from_buffer("double[]", mean)
            for begin, end in zip(begins.tolist(), ends.tolist()):
                lib.bridge_moments(table + begin * columns, columns, end - begin, of, to)
            return out / (ends - begins).sum()

        mean = sums(None)
        std = np.sqrt(sums(mean))
        std[std <= 1e-6 * np.maximum(1, abs(mean))] = 1
        return _frozen(mean), _frozen(std)

    # ---- files ----

    def check(self):
        """Holds all rows against their sums; raises DamagedError where bytes are not those that were written."""
        self._table.check()

    def export_npz(self, path):
        """Writes a file for numpy.load, without marey: `frames`, rows x columns, each frame once; window i is
        frames[starts[i] : starts[i] + window], of clips[clip[i]] from frame first[i] of the library on. With it
        `window`, `fps`, `names` of the columns and, of a normalized data set, whose frames are normalized too, `mean`
        and `std`."""
        begins, ends = self._spans(np.sort(self._starts))
        # Stretches that are apart in the table lie one behind the other in the file.
        moved = begins - np.r_[0, np.cumsum(ends - begins)[:-1]].astype(np.int64)[: len(begins)]
        starts = self._starts - moved[np.searchsorted(begins, self._starts, side="right") - 1]
        clip, first, _ = self._place_of(self._starts)
        names, numbers = np.unique(clip, return_inverse=True)
        arrays = {
            "starts": starts, "window": np.int64(self.window), "fps": np.float64(self.fps),
            "clip": numbers.astype(np.int64),
            "clips": np.array([self._table.about["clips"][number]["name"] for number in names], dtype=np.str_),
            "first": first,
            "names": np.array(self.names, dtype=np.str_),
        }
        if self.mean is not None:
            arrays["mean"], arrays["std"] = self.mean, self.std
        path = os.fspath(path)
        part = f"{path}.{os.getpid()}.part"
        try:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as file:
                with file.open(zipfile.ZipInfo("frames.npy"), "w", force_zip64=True) as to:
                    self._write_frames(to, zip(begins.tolist(), ends.tolist()), int((ends - begins).sum()))
                for name, array in arrays.items():
                    with file.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as to:
                        np.lib.format.write_array(to, np.asanyarray(array), allow_pickle=False)
            os.replace(part, path)
        except OSError as error:
            raise MachineError(os.strerror(error.errno) if error.errno else str(error), path) from error
        finally:
            if os.path.exists(part):
                os.unlink(part)

    def _write_frames(self, to, spans, count):
        table, columns = self._table.rows, self._table.rows.shape[1]
        header = {"descr": "<f4", "fortran_order": False, "shape": (count, columns)}
        np.lib.format.write_array_header_1_0(to, header)
        for begin, end in spans:
            for first in range(begin, end, _BATCH):
                rows = table[first : min(first + _BATCH, end)]
                to.write(np.ascontiguousarray(rows if self.mean is None else (rows - self.mean) / self.std))

    @property
    def names(self):
        """A name for each column: "positions.LeftHand.x"."""
        out = []
        for name, part in self.columns.items():
            kind = FEATURES.get(name)
            axes = {3: "xyz", 4: "wxyz"}.get(self._shapes[name][-1], None) if kind and kind.per_joint else None
            for place in np.ndindex(*self._shapes[name]):
                words = [name]
                if kind and kind.per_joint:
                    words.append(self.joints[place[0]])
                words.append(axes[place[-1]] if axes else str(place[-1]))
                out.append(".".join(words))
        return out

    # ---- to other processes ----

    def __getstate__(self):
        kept = {name: getattr(self, name) for name in ("window", "mean", "std", "left_out", "_starts", "_groups")}
        return {"path": self._table.path, "stamp": self._table.stamp, **kept}

    def __setstate__(self, state):
        path, stamp = state.pop("path"), state.pop("stamp")
        try:
            table = Table(path)
        except OSError as error:
            raise StaleError("the file of this data set is gone; marey.dataset makes it again", path) from error
        if table.stamp != stamp:
            raise StaleError("the library was changed since this data set was made; marey.dataset makes another", path)
        self._set(table, state["window"])
        self.__dict__.update(state)

    def __repr__(self):
        size = f"{len(self)} windows of {self.window} frames x {self._table.rows.shape[1]} columns"
        return f"<marey.Dataset: {size} at {self.fps or 0:g} a second{', normalized' if self.mean is not None else ''}>"


def _frozen(array):
    array = array.astype(np.float32)
    array.setflags(write=False)
    return array


def _starts_of(runs, window, stride):
    """The first row of every window."""
    ends = runs.row + runs.count - window + 1
    parts = [np.arange(row, end, stride, dtype=np.int64) for row, end in zip(runs.row, ends)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _shuffled(count, seed):
    """A permutation: numbers in the order of a 64-bit mix of their own (Steele, Lea and Flood 2014, SplitMix64). It is
    whole arithmetic, so it stays as it is; numpy does not promise that of its generators' shuffle."""
    key = int.from_bytes(_hash(str(seed)), "little")
    mix = np.arange(1, count + 1, dtype=np.uint64)
    mix *= np.uint64(0x9E3779B97F4A7C15)
    mix += np.uint64(key)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mix ^= mix >> np.uint64(shift)
        mix *= np.uint64(factor)
    mix ^= mix >> np.uint64(31)
    return np.argsort(mix, kind="stable")


def _groups_of(clips, split_by):
    """The name of each clip's group."""
    if isinstance(split_by, str):
        if split_by == "label":
            return _sharing(clips)
        return [clip.subject if split_by == "subject" else clip.clip for clip in clips]
    if callable(split_by):
        return [str(split_by(clip)) for clip in clips]
    lacking = [clip.clip for clip in clips if clip.clip not in split_by]
    if lacking:
        more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
        raise ValueError(f"split_by names no group for {lacking[0]}{more}")
    return [str(split_by[clip.clip]) for clip in clips]


def _sharing(clips):
    """Clips that share a label, directly or by others, are one group, of all their labels; one without is alone."""
    group = {}  # of each label: a list of labels that is one for all of them
    for clip in clips:
        joined = []
        for label in clip.labels:
            if group.get(label) is not joined:
                for each in group.get(label, [label]):
                    joined.append(each)
                    group[each] = joined
    return [", ".join(sorted(group[clip.labels[0]])) if clip.labels else clip.clip for clip in clips]


def _shares_of(fractions):
    if fractions is None:
        return {"train": 0.8, "validation": 0.1, "test": 0.1}
    if not hasattr(fractions, "items"):
        numbers = [float(each) for each in fractions]
        if len(numbers) not in (2, 3):
            raise ValueError(f"fractions are two or three numbers, or a dictionary, got {len(numbers)}")
        fractions = dict(zip(("train", "validation", "test") if len(numbers) == 3 else ("train", "test"), numbers))
    shares = {str(name): float(share) for name, share in fractions.items()}
    if not shares or not all(0 <= share < float("inf") for share in shares.values()) or not sum(shares.values()) > 0:
        raise ValueError(f"fractions must be 0 or more, and one of them above, got {fractions!r}")
    return shares


def _dealt(groups, shares, seed):
    """{group: part}: groups, in an order by the seed, each go to the part that lacks most. Large groups can end in a
    small part, so of some orders the one that comes closest to the shares is taken, or the first within a hundredth."""
    total, whole = sum(groups.values()), sum(shares.values())
    best, least = {}, float("inf")
    for turn in range(32):
        order = sorted(groups, key=lambda name: _hash(f"{seed}\0{turn}\0{name}"))
        lacks = {part: share / whole * total for part, share in shares.items()}
        dealt, empty = {}, set(shares)
        for number, name in enumerate(order):
            # At the end those that have nothing yet.
            among = shares if len(order) - number > len(empty) else [part for part in shares if part in empty]
            part = dealt[name] = max(among, key=lacks.get)
            lacks[part] -= groups[name]
            empty.discard(part)
        off = sum(map(abs, lacks.values()))
        if off < least:
            best, least = dealt, off
        if least <= 0.01 * total:
            break
    return best


def _hash(text):
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest()


def _named(fixed, shares, groups):
    """{group: part} of those that are fixed."""
    parts = {}
    for part, names in fixed.items():
        if part not in shares:
            raise TypeError(f"there is no part {part}{nearest(part, shares)}; there are {', '.join(shares)}")
        for name in [names] if isinstance(names, str) else names:
            name = str(name)
            if name not in groups:
                raise ValueError(f"there is no group {name}{nearest(name, groups)}; groups lists them")
            if parts.get(name, part) != part:
                raise ValueError(f"{name} is to be in {parts[name]} and in {part}")
            parts[name] = part
    return parts


if dataset.__doc__:
    _lines = []
    for _name, _kind in FEATURES.items():
        _shape = " x ".join((["J"] if _kind.per_joint else []) + [str(each) for each in _kind.shape])
        _lines.append(f"        {_name}: {_shape}: {_kind.about}")
    dataset.__doc__ = dataset.__doc__.replace("{features}", "\n".join(_lines))
