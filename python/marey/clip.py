"""clip.py - clips: motion on numpy arrays.

A clip never changes. Its arrays are views of the C library's memory, or are worked out once; they may not be
written to, and keep what they show alive. `array.copy()` is an array of your own.
"""
import os
import tempfile
from collections import namedtuple

import numpy as np

from ._context import Context, context, locked
from ._native import ffi, lib
from .errors import bytes_of, error_of, text_of

__all__ = ["Clip", "Contact", "Made", "Mark", "Skeleton", "load"]

Contact = namedtuple("Contact", "point start end")
Contact.__doc__ = "A plant: a point of a foot or hand stays where it is in frames start to end, end not included."
Mark = namedtuple("Mark", "kind start end")
Mark.__doc__ = "Frames start to end, end not included, that are no captured motion."

_roles = [text_of(lib.marey_role_name(role)) for role in range(lib.MAREY_ROLE_COUNT)]
_points = [text_of(lib.marey_contact_name(point)) for point in range(lib.MAREY_CONTACT_JOINT_COUNT)]


class _Memory:
    """Numbers of the C library, for numpy: whoever shows them keeps their owner."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, owner, pointer, shape, kind, strides=None):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (int(ffi.cast("uintptr_t", pointer)), True),
            "shape": shape,
            "typestr": kind,
            "strides": strides,
        }


def view(owner, pointer, shape, kind="<f4", strides=None):
    return np.asarray(_Memory(owner, pointer, shape, kind, strides))


def _frozen(array):
    array.setflags(write=False)
    return array


class Skeleton:
    """The joints of a body: a tree, and what its joints are to the body.

    names: of the joints, in the order of the arrays' second axis.
    parents: of each joint, -1 for the first one.
    offsets: joints x 3, from the parent, in cm.
    ends: {joint: where the tip of its bone is}, for joints that have one.
    roles: {"left_knee": joint}.
    """

    __slots__ = ("names", "parents", "offsets", "ends", "roles", "roles_from", "_index")

    def __init__(self, names, parents, offsets, ends=None, roles=None):
        self.names = tuple(names)
        self.parents = tuple(int(parent) for parent in parents)
        self.offsets = _frozen(np.array(offsets, dtype=np.float64).reshape(-1, 3))
        self.ends = {int(joint): _frozen(np.array(end, dtype=np.float64)) for joint, end in (ends or {}).items()}
        self.roles = {role: int(joint) for role, joint in (roles or {}).items()}
        self.roles_from = ""
        self._index = None
        if not len(self.names) == len(self.parents) == len(self.offsets):
            raise ValueError(
                f"a skeleton has as many names as parents and offsets, got {len(self.names)}, {len(self.parents)} "
                f"and {len(self.offsets)}"
            )

    @classmethod
    def _of(cls, pointer):
        joints = [pointer.joints[i] for i in range(pointer.joint_count)]
        own = cls(
            [text_of(joint.name) for joint in joints],
            [joint.parent for joint in joints],
            [list(joint.offset_cm) for joint in joints],
            {i: list(joint.end_cm) for i, joint in enumerate(joints) if joint.has_end},
            {_roles[i]: joint for i, joint in enumerate(pointer.roles) if joint >= 0},
        )
        own.roles_from = text_of(pointer.roles_from)
        return own

    def __len__(self):
        return len(self.names)

    def index(self, joint):
        """The number of a joint: a number, a name, or a role."""
        if not isinstance(joint, str):
            if not -len(self) <= joint < len(self):
                raise IndexError(f"there is no joint {joint} of {len(self)}")
            return joint % len(self)
        if self._index is None:
            self._index = {**self.roles, **{name: i for i, name in reversed(list(enumerate(self.names)))}}
        if joint not in self._index:
            raise KeyError(f"there is no joint {joint}; there are {', '.join(self.names)}")
        return self._index[joint]

    def children(self, joint):
        """The numbers of the joints that hang on this one."""
        of = self.index(joint)
        return [i for i, parent in enumerate(self.parents) if parent == of]

    def __eq__(self, other):
        if not isinstance(other, Skeleton):
            return NotImplemented
        return (self.names, self.parents) == (other.names, other.parents) and np.array_equal(self.offsets, other.offsets)

    def __hash__(self):
        return hash((self.names, self.parents))

    def __repr__(self):
        return f"<marey.Skeleton: {len(self)} joints, {', '.join(self.names[:4])}{', ...' if len(self) > 4 else ''}>"


class _Facts:
    """What a library says of a clip, or is to say."""

    __slots__ = ("contacts", "description", "licence", "provenance", "origin", "labels", "_c_contacts")

    def __init__(self):
        self.contacts = self._c_contacts = None
        self.description = self.licence = self.provenance = self.origin = ""
        self.labels = ()

    @classmethod
    def of(cls, facts):
        own = cls()
        if facts.contact_count >= 0:
            own.contacts = [
                Contact(_points[one.joint], one.start, one.end)
                for one in (facts.contacts[i] for i in range(facts.contact_count))
            ]
        own.description = text_of(facts.description)
        own.licence = text_of(facts.licence)
        own.provenance = text_of(facts.provenance)
        own.origin = text_of(facts.origin)
        own.labels = tuple(text_of(facts.labels[i]) for i in range(facts.label_count))
        return own

    def c_contacts(self):
        """As contacts_to_c has them, made once."""
        if self._c_contacts is None:
            self._c_contacts = contacts_to_c(self.contacts)
        return self._c_contacts


def contacts_to_c(contacts):
    """(array, count) of marey_contact; count -1 for None."""
    if contacts is None:
        return ffi.NULL, -1
    array = ffi.new("marey_contact[]", max(1, len(contacts)))
    for to, one in zip(array, contacts):
        to.joint, to.start, to.end = _points.index(one.point), one.start, one.end
    return array, len(contacts)


class Clip:
    """A skeleton and its motion: centimetres, y up, frames counted from 0.

    `marey.load("walk.bvh")` reads one, `library["walk"]` takes one out of a library, operations make some, and
    `marey.Clip(rotations=..., skeleton=...)` is made of arrays. `clip[120:240]` are some of its frames.
    """

    __slots__ = ("_handle", "_context", "_facts", "_from", "_name", "_skeleton", "_positions", "_rotations", "_root",
                 "_contacts", "_kept", "_lent", "__weakref__")

    def __init__(self, *, rotations, skeleton, root=None, places=None, fps=30.0, name="clip"):
        """A clip of arrays.

        rotations: frames x joints x 4 quaternions (w, x, y, z), x 6 (two columns of a matrix), or x 3 x 3 matrices;
            local. `marey.rotations.quaternions_of_euler` makes quaternions of angles.
        skeleton: a Skeleton, or a clip whose skeleton it is.
        root: frames x 3, where the first joint is, in cm; by default its offset.
        places: {joint: frames x 3}: local positions of joints that move against their parents, the first one among
            them if `root` is not given.
        fps: frames a second.
        """
        from .arrays import make_clip

        own = context()
        if isinstance(skeleton, Clip):
            skeleton = skeleton.skeleton
        self._set(own, make_clip(own, rotations, skeleton, root, places, fps, name))

    def _set(self, own, pointer, facts=None, origin=None, kept=()):
        self._context = own
        self._handle = own.own(pointer, lib.marey_clip_free, kept)
        self._facts = facts or _Facts()
        self._from = origin  # (library, number, first frame, end) of what is a clip of a library, or a part of it
        self._name = self._skeleton = self._positions = self._rotations = self._root = self._contacts = None
        self._lent = None  # what an operation is told of it
        self._kept = kept  # contexts of what it was made of
        return self

    @classmethod
    def _adopt(cls, own, pointer, facts=None, origin=None, kept=()):
        return cls.__new__(cls)._set(own, pointer, facts, origin, kept)

    def _contexts(self):
        return (self._context, *self._kept)

    def __reduce__(self):
        """By its arrays and what is known of it, so that it may go to other processes; of which frames of a library it
        is stays here."""
        about = {name: getattr(self._facts, name) for name in _Facts.__slots__ if not name.startswith("_")}
        units, up = int(lib.marey_clip_units(self._handle)), int(lib.marey_clip_up(self._handle))
        parts = (self.rotations, self.skeleton, self.places, self.fps, self.name, self.marks, units, up)
        return _restored, (type(self), parts, about, getattr(self, "result", None))

    # ---- what it is ----

    @property
    def name(self):
        if self._name is None:
            self._name = text_of(lib.marey_clip_name(self._handle))
        return self._name

    @property
    def skeleton(self):
        if self._skeleton is None:
            self._skeleton = Skeleton._of(lib.marey_clip_skeleton(self._handle))
        return self._skeleton

    @property
    def joints(self):
        """The names of the joints, in the order of the arrays."""
        return self.skeleton.names

    @property
    def parents(self):
        return self.skeleton.parents

    @property
    def roles(self):
        """{"left_knee": joint}: what the joints are to the body."""
        return self.skeleton.roles

    @property
    def frames(self):
        return lib.marey_clip_frames(self._handle)

    def __len__(self):
        return lib.marey_clip_frames(self._handle)

    @property
    def fps(self):
        """Frames a second."""
        return lib.marey_clip_fps(self._handle)

    @property
    def seconds(self):
        return self.frames / self.fps

    @property
    def units(self):
        """The unit of length of the file that it came from; here lengths are centimetres."""
        return text_of(lib.marey_units_name(lib.marey_clip_units(self._handle)))

    @property
    def height_cm(self):
        """Of the standing body."""
        return lib.marey_clip_report(self._handle).height_cm

    @property
    def warnings(self):
        """What was noticed when it was read."""
        report = lib.marey_clip_report(self._handle)
        return [text_of(report.warnings[i]) for i in range(report.warning_count)]

    @property
    def marks(self):
        """Frames that are no captured motion."""
        count = ffi.new("int *")
        marks = lib.marey_clip_marks(self._handle, count)
        return [
            Mark(text_of(lib.marey_mark_name(marks[i].kind)), marks[i].start, marks[i].end) for i in range(count[0])
        ]

    @property
    def labels(self):
        return self._facts.labels

    @property
    def description(self):
        return self._facts.description

    @property
    def licence(self):
        return self._facts.licence

    @property
    def provenance(self):
        """What it was made of and how, a dictionary; None if it was not made."""
        import json

        return json.loads(self._facts.provenance) if self._facts.provenance else None

    # ---- arrays ----

    @property
    def positions(self):
        """frames x joints x 3: where every joint is, in cm. float32; worked out once."""
        if self._positions is None:
            shape = (len(self), len(self.skeleton), 3)
            array = np.empty(shape, dtype=np.float32)
            lib.marey_clip_positions_float(self._handle, 0, shape[0], ffi.from_buffer("float[]", array))
            self._positions = _frozen(array).view()  # which cannot be made writable again
        return self._positions

    @property
    def rotations(self):
        """frames x joints x 4: local rotations, unit quaternions w x y z. float32; a view."""
        if self._rotations is None:
            shape = (len(self), len(self.skeleton), 4)
            self._rotations = view(self._handle, lib.marey_clip_rotations(self._handle, 0), shape)
        return self._rotations

    @property
    def rotations_6d(self):
        """frames x joints x 6: the first two columns of each local rotation's matrix."""
        from .rotations import matrices_of

        return matrices_of(self.rotations)[..., :2].swapaxes(-1, -2).reshape(len(self), -1, 6)

    @property
    def matrices(self):
        """frames x joints x 3 x 3: local rotations."""
        from .rotations import matrices_of

        return matrices_of(self.rotations)

    def euler(self, order="ZYX", degrees=True):
        """frames x joints x 3: local rotations as angles about the axes of `order`, the first one applied last, as
        the channels of a BVH file have them."""
        from .rotations import euler_of

        return euler_of(self.rotations, order, degrees)

    @property
    def root(self):
        """frames x 3: where the first joint is, in cm. float64; a view."""
        if self._root is None:
            self._root = self._places()[1][:, 0]
        return self._root

    def _places(self):
        count = ffi.new("int *")
        movers = lib.marey_clip_movers(self._handle, count)
        shape = (len(self), count[0], 3)
        return [movers[i] for i in range(count[0])], view(self._handle, lib.marey_clip_places(self._handle, 0), shape, "<f8")

    @property
    def places(self):
        """{joint: frames x 3}: local positions of the joints that move against their parents, in cm; the first joint
        is one. float64; views."""
        movers, places = self._places()
        return {joint: places[:, i] for i, joint in enumerate(movers)}

    @property
    def path(self):
        """frames x 2: where the hips are on the floor, x and z in cm."""
        return self.positions[:, self.skeleton.roles.get("hips", 0), ::2]

    @property
    def velocities(self):
        """frames x joints x 3: how fast every joint moves, in cm/s; 0 where no motion was captured."""
        array = np.empty((len(self), len(self.skeleton), 3), dtype=np.float32)
        with self._context.lock:
            status = lib.marey_clip_velocities(self._handle, 0, len(array), ffi.from_buffer("float[]", array))
        if status:
            raise error_of(status, None)
        return array

    @property
    def times(self):
        """When each frame is, in seconds."""
        return np.arange(len(self)) / self.fps

    @property
    def contacts(self):
        """When heels, toes and hands are planted on the floor: those that a library keeps, else they are found."""
        if self._contacts is None:
            self._contacts = self._facts.contacts if self._facts.contacts is not None else self._find_contacts()
        return self._contacts

    def _find_contacts(self):
        found = ffi.new("marey_contacts *")
        with self._context.lock:
            status = lib.marey_contacts_find(self._handle, ffi.NULL, found)
            if status:
                raise error_of(status, None)
            contacts = [
                Contact(_points[one.joint], one.start, one.end) for one in (found.items[i] for i in range(found.count))
            ]
            lib.marey_contacts_free(found)
        return contacts

    @property
    def contact_flags(self):
        """frames x 6, True where a point is planted: left heel and toe, right heel and toe, left and right hand."""
        flags = np.zeros((len(self), len(_points)), dtype=bool)
        for point, start, end in self.contacts:
            flags[start:end, _points.index(point)] = True
        return flags

    # ---- other clips of it ----

    def _edited(self, function, *args, contacts=None, origin=None):
        out = ffi.new("marey_clip **")
        with locked(self._contexts()):
            self._context.call(function, self._handle, *args, out)
        facts = _Facts()
        facts.contacts = contacts
        facts.licence, facts.labels = self._facts.licence, self._facts.labels
        return Clip._adopt(self._context, out[0], facts, origin, self._kept)

    def __getitem__(self, frames):
        if isinstance(frames, slice):
            start, end, step = frames.indices(len(self))
            if step != 1:
                raise ValueError("frames of a clip follow each other; resample() takes every so many")
        else:
            start = range(len(self))[frames]
            end = start + 1
        if start >= end:
            raise IndexError(f"a clip has at least one frame; there are none from {start} to {end}")
        contacts = None
        if self._facts.contacts is not None:
            contacts = [
                Contact(point, max(a, start) - start, min(b, end) - start)
                for point, a, b in self._facts.contacts
                if a < end and b > start
            ]
        origin = None
        if self._from:
            library, number, first, _ = self._from
            origin = (library, number, first + start, first + end)
        return self._edited(lib.marey_clip_trim, start, end, contacts=contacts, origin=origin)

    def resample(self, fps):
        """The same motion at another rate."""
        return self._edited(lib.marey_clip_resample, float(fps))

    def mirror(self):
        """Left and right exchanged."""
        return self._edited(lib.marey_clip_mirror)

    def in_place(self):
        """The body is held where it stands first."""
        return self._edited(lib.marey_clip_in_place)

    def scale(self, factor):
        """Body and path scaled."""
        return self._edited(lib.marey_clip_scale, float(factor))

    def save(self, path):
        """Writes it in the format of the path's ending: .bvh, .glb, .fbx, .amc; with its provenance where the format
        has a place for it."""
        origin = bytes_of(self._facts.origin) if self._facts.origin else ffi.NULL
        self._context.call(lib.marey_clip_save_with, self._handle, os.fsencode(path), origin)

    def to_pandas(self, what="positions"):
        """A pandas DataFrame with a row for each frame, by time in seconds, and columns (joint, axis)."""
        import pandas

        array = {"positions": self.positions, "rotations": self.rotations, "velocities": self.velocities}.get(what)
        if array is None:
            raise ValueError(f'what must be "positions", "rotations" or "velocities", got {what!r}')
        axes = "wxyz" if what == "rotations" else "xyz"
        columns = pandas.MultiIndex.from_product([self.joints, list(axes)], names=["joint", "axis"])
        index = pandas.Index(self.times, name="seconds")
        return pandas.DataFrame(array.reshape(len(self), -1), index=index, columns=columns)

    # ---- to look at ----

    def strip(self, width=1000, height=200, poses=None):
        """A film strip: poses along the time axis."""
        from .pictures import strip_of

        return strip_of(self, width, height, poses)

    def player(self, *others, theme="system", arrangement="overlaid", play=True, speed=1.0):
        """A small 3D player in one HTML text, with other clips beside; it works offline and when it is shared.

        theme: "dark", "light" or "system"; arrangement of several: "overlaid", "side", "aligned" or "tiles".
        """
        from .pictures import player_of

        return player_of([self, *others], theme=theme, arrangement=arrangement, play=play, speed=speed)

    def _repr_html_(self):
        from .pictures import html_of_clip

        return html_of_clip(self)

    def __repr__(self):
        return f"<marey.{type(self).__name__} {self.name}: {len(self)} frames at {self.fps:g} a second, {len(self.skeleton)} joints>"


class Made(Clip):
    """A clip that an operation made. What the operation says of it are attributes: `made.faults`, and all of it is
    `made.result`."""

    __slots__ = ("result",)

    def __getattr__(self, name):
        if name.startswith("_") or name == "result":
            raise AttributeError(name)
        return getattr(self.result, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *self.result._data})


def _restored(kind, parts, about, result):
    """A clip out of a pickle."""
    from .arrays import make_clip

    rotations, skeleton, places, fps, name, marks, units, up = parts
    own, facts = context(), _Facts()
    for key, value in about.items():
        setattr(facts, key, value)
    clip = kind._adopt(own, make_clip(own, rotations, skeleton, None, places, fps, name, marks, units, up), facts)
    if result is not None:
        clip.result = result
    return clip


_up = {"guess": lib.MAREY_UP_GUESS, "y": lib.MAREY_UP_Y, "z": lib.MAREY_UP_Z}


def load(path, *, units="guess", up="guess", source_fps=0.0, skip_first=False, take=None, skeleton=None):
    """Reads a clip from a file: BVH, ASF/AMC, glTF/GLB, FBX; points (C3D, TRC, NumPy) are put on a body.

    units, up: where what is guessed from the body is wrong ("mm", "cm", "m", "inch", "foot", "cmu"; "y", "z").
    source_fps: frames a second, whatever the file claims.
    skip_first: drop the first frame, which many converters invent.
    take: which take of a glTF or FBX file, by its name or its number from 1.
    skeleton: the ASF file of an AMC.
    """
    names = {text_of(lib.marey_units_name(unit)) or "guess": unit for unit in range(lib.MAREY_UNITS_COUNT)}
    if units not in names or up not in _up:
        raise ValueError(f"units must be one of {', '.join(names)}, up guess, y or z; got {units!r} and {up!r}")
    take_text = bytes_of(take) if take is not None else ffi.NULL
    skeleton_path = os.fsencode(skeleton) if skeleton is not None else ffi.NULL
    keep = [ffi.from_buffer(text) if text else ffi.NULL for text in (take_text, skeleton_path)]
    definition = ffi.new("marey_load_def *")
    definition.units, definition.up, definition.source_fps, definition.skip_first = names[units], _up[up], source_fps, skip_first
    for field, text, kept in (("take", take_text, keep), ("skeleton_path", skeleton_path, keep)):
        if text:
            chars = ffi.new("char[]", text)
            kept.append(chars)
            setattr(definition, field, chars)
    out = ffi.new("marey_clip **")
    own = context()
    with own.working("load", shown=False):
        own.call(lib.marey_motion_load, own.ctx, os.fsencode(path), definition, out)
    return Clip._adopt(own, out[0])
