"""arrays.py - a clip of numpy arrays."""
import numpy as np

from ._native import ffi, lib
from .errors import RequestError, bytes_of, text_of
from .rotations import quaternions_of_6d, quaternions_of_matrices

__all__ = ["make_clip"]

_mark_kinds = [text_of(lib.marey_mark_name(kind)) for kind in range(lib.MAREY_MARK_COUNT)]


def _quaternions(rotations, joints):
    """frames x joints x 4 float32 of whatever kind of rotation it is; the last axes say which."""
    array = np.asarray(rotations)
    if array.ndim == 4 and array.shape[2:] == (3, 3):
        array = quaternions_of_matrices(array)
    elif array.ndim == 3 and array.shape[2] == 6:
        array = quaternions_of_6d(array)
    if array.ndim != 3 or array.shape[1:] != (joints, 4):
        raise ValueError(
            f"rotations must be frames x {joints} x 4, x 6 or x 3 x 3, as the skeleton has {joints} joints; got "
            f"{' x '.join(map(str, np.shape(rotations)))}"
        )
    return np.ascontiguousarray(array, dtype=np.float32)


def _depth_first(parents):
    """The order in which every joint follows its parent or what hangs on it, or None for a tree that is none."""
    children = {}
    for joint, parent in enumerate(parents):
        children.setdefault(parent, []).append(joint)
    order, waiting = [], list(reversed(children.get(-1, [])))
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(children.get(joint, [])))
    return order if len(order) == len(parents) else None


def make_clip(own, rotations, skeleton, root, places, fps, name, marks=(), units=None, up=None):
    """A pointer to a new clip in the context `own`. Joints may stand in any order; the clip has them depth first."""
    joints = len(skeleton)
    turns = _quaternions(rotations, joints)
    frames = len(turns)
    order = _depth_first(skeleton.parents)
    if order is None:
        raise RequestError("the parents of a skeleton lead to its first joint, -1, in no circle")
    number = {old: new for new, old in enumerate(order)}
    moved = {} if places is None else {skeleton.index(joint): track for joint, track in places.items()}
    if root is not None:
        moved[order[0]] = root
    if order[0] not in moved:
        moved[order[0]] = np.broadcast_to(skeleton.offsets[order[0]], (frames, 3))
    movers = sorted(moved, key=number.get)
    tracks = np.empty((frames, len(movers), 3), dtype=np.float64)
    for i, joint in enumerate(movers):
        track = np.asarray(moved[joint], dtype=np.float64)
        if track.shape != (frames, 3):
            raise ValueError(f"positions of a joint must be {frames} x 3, got {' x '.join(map(str, track.shape))}")
        tracks[:, i] = track
    if order != list(range(joints)):
        turns = np.ascontiguousarray(turns[:, order])

    texts = [ffi.new("char[]", bytes_of(skeleton.names[joint])) for joint in order]
    names = ffi.new("char *[]", texts)
    parents = ffi.new("int[]", [number.get(skeleton.parents[joint], -1) for joint in order])
    offsets = np.ascontiguousarray(skeleton.offsets[order])
    ends, has_end = np.zeros((joints, 3)), ffi.new("bool[]", joints)
    for joint, end in skeleton.ends.items():
        ends[number[joint]], has_end[number[joint]] = end, True
    mover_numbers = ffi.new("int[]", [number[joint] for joint in movers])
    clip_name = ffi.new("char[]", bytes_of(name))

    definition = ffi.new("marey_clip_make_def *")
    definition.name, definition.joint_count, definition.names, definition.parents = clip_name, joints, names, parents
    # They are kept: a pointer alone keeps nothing.
    keep = [ffi.from_buffer("double[]", offsets), ffi.from_buffer("double[]", ends), ffi.from_buffer("float[]", turns),
            ffi.from_buffer("double[]", tracks)]
    definition.offsets_cm, definition.ends_cm, definition.rotations, definition.places_cm = keep
    definition.has_end, definition.frames, definition.fps = has_end, frames, float(fps)
    definition.mover_count, definition.movers = len(movers), mover_numbers
    if skeleton.roles and skeleton.roles_from in ("", "given"):
        roles = [text_of(lib.marey_role_name(role)) for role in range(lib.MAREY_ROLE_COUNT)]
        given = ffi.new("int[]", [number.get(skeleton.roles.get(role, -1), -1) for role in roles])
        definition.roles = given
    if marks:
        given_marks = ffi.new("marey_mark[]", len(marks))
        for to, (kind, start, end) in zip(given_marks, marks):
            to.kind, to.start, to.end = _mark_kinds.index(kind), start, end
        definition.marks, definition.mark_count = given_marks, len(marks)
    if units is not None:
        definition.units, definition.up = units, up
    out = ffi.new("marey_clip **")
    own.call(lib.marey_clip_make, own.ctx, definition, out)
    return out[0]
