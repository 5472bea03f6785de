# SPDX-License-Identifier: GPL-3.0-or-later
"""rig.py - between armatures and motion.

A joint is a bone's head. Its axes at rest are marey's world axes (y up), unless the bone says otherwise by a property of its
own, which armatures made here have where their rest pose is not that of the clip's skeleton. With

    A, k, t   from armature space to marey's: p = k A q + t, a rotation, a scale and a shift
    B         a bone's rest rotation in armature space, h its head there
    G0        its joint's rest rotation in marey's world

a pose in which the bone has the rotation R in armature space is the joint's rotation G = A R B' A' G0 in marey's world.
"""
import json

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from .motion import Body, Motion, matrices_of, quaternions_of

__all__ = ["Rig", "RigError", "action_range", "assign", "from_world", "make_armature", "to_world"]

REST = "marey_rest"  # a bone's property: its joint's rest rotation, where that is not the identity
ROLES = "marey_roles"  # an armature's property: {role: bone}, of the clip that it was made of

# Blender's x, y, z from marey's: y up becomes z up.
UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


class RigError(Exception):
    """An armature that motion cannot be put on, or taken from, and why."""


def centimetres(scene):
    """How many centimetres a unit of the scene has."""
    return 100.0 * (scene.unit_settings.scale_length or 1.0)


def to_world(scene, points):
    """Blender's world coordinates of marey's."""
    return np.asarray(points) @ UP.T / centimetres(scene)


def from_world(scene, points):
    """marey's coordinates of Blender's world."""
    return np.asarray(points) @ UP * centimetres(scene)


class Rig:
    """An armature object as marey sees it: the tree of bones that the body hangs on. Other trees are left alone."""

    def __init__(self, scene, armature):
        self.scene = scene
        self.object = armature
        bones = _largest_tree(armature.data.bones)
        self.names = [bone.name for bone in bones]
        number = {name: i for i, name in enumerate(self.names)}
        self.parents = [number[bone.parent.name] if bone.parent else -1 for bone in bones]
        self.rest = np.array([np.array(bone.matrix_local.to_3x3()) for bone in bones])
        self.heads = np.array([bone.head_local for bone in bones], dtype=np.float64)
        tails = np.array([bone.tail_local for bone in bones], dtype=np.float64)
        self.plain = [bone.use_inherit_rotation and bone.use_local_location for bone in bones]
        self.moves = [not bone.use_connect for bone in bones]
        self.turn, self.scale, self.shift = self._placed()
        self.joint_rest = matrices_of([bone.get(REST, (1.0, 0.0, 0.0, 0.0)) for bone in bones])
        world = self._to_marey(self.heads)
        offsets, ends = world.copy(), {}
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                offsets[joint] = self.joint_rest[parent].T @ (world[joint] - world[parent])
        for joint in set(range(len(bones))) - set(self.parents):
            ends[joint] = self.joint_rest[joint].T @ (self._to_marey(tails[joint]) - world[joint])
        roles = {role: number[name] for role, name in json.loads(armature.data.get(ROLES, "{}")).items() if name in number}
        self.body = Body(self.names, self.parents, offsets, ends, roles)

    def _placed(self):
        """A, k and t, of the object's place in the world."""
        where = np.array(self.object.matrix_world)
        sizes = np.linalg.norm(where[:3, :3], axis=0)
        if sizes.min() <= 0 or sizes.max() > 1.0001 * sizes.min():
            raise RigError(f"{self.object.name} is scaled differently along its axes: apply its scale first")
        turn = where[:3, :3] / sizes
        if np.linalg.det(turn) < 0:
            raise RigError(f"{self.object.name} is mirrored by its scale: apply its scale first")
        unit = centimetres(self.scene)
        return UP.T @ turn, sizes[0] * unit, UP.T @ where[:3, 3] * unit

    def _to_marey(self, points):
        return self.scale * (np.asarray(points) @ self.turn.T) + self.shift

    # ---- poses ----

    def rest_motion(self):
        """One frame: the rest pose."""
        rotations = self.joint_rest.copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                rotations[joint] = self.joint_rest[parent].T @ self.joint_rest[joint]
        return Motion(self.body, quaternions_of(rotations)[None], {0: self.body.offsets[:1]}, 30.0, self.object.name)

    def motion(self, first, last, name=None):
        """What the armature does in the scene's frames first to last, with constraints and whatever else moves it."""
        scene, now = self.scene, (self.scene.frame_current, self.scene.frame_subframe)
        frames = range(int(first), int(last) + 1)
        places = {bone.name: i for i, bone in enumerate(self.object.pose.bones)}
        order = [places[name] for name in self.names]
        poses = np.empty((len(frames), len(order), 4, 4))
        numbers = np.empty(16 * len(places), dtype=np.float32)
        graph = bpy.context.evaluated_depsgraph_get()
        try:
            for i, frame in enumerate(frames):
                scene.frame_set(frame)
                self.object.evaluated_get(graph).pose.bones.foreach_get("matrix", numbers)
                poses[i] = numbers.reshape(-1, 4, 4)[order].swapaxes(1, 2)  # Blender stores columns
        finally:
            scene.frame_set(now[0], subframe=now[1])
        fps = scene.render.fps / scene.render.fps_base
        return self._motion_of(poses, fps, name or self.object.name)

    def _motion_of(self, poses, fps, name):
        turns = poses[..., :3, :3] / np.linalg.norm(poses[..., :3, :3], axis=-2, keepdims=True)
        world = self.turn @ turns @ (self.rest.swapaxes(1, 2) @ self.turn.T @ self.joint_rest)
        positions = self._to_marey(poses[..., :3, 3])
        rotations, places = world.copy(), {0: positions[:, 0]}
        for joint, parent in enumerate(self.parents):
            if parent < 0:
                continue
            rotations[:, joint] = world[:, parent].swapaxes(1, 2) @ world[:, joint]
            place = np.einsum("fji,fj->fi", world[:, parent], positions[:, joint] - positions[:, parent])
            if np.abs(place - self.body.offsets[joint]).max() > 0.01:  # cm
                places[joint] = place
        return Motion(self.body, quaternions_of(rotations), places, fps, name)

    # ---- keys ----

    def write(self, motion, action, start):
        """Writes a motion of this body as keys on frames from `start`, one a frame: the motion has the scene's rate. Bones
        that do not move have one key."""
        if motion.body.names != self.names:
            raise RigError(f"{motion.name} has other joints than {self.object.name}")
        assign(self.object, action)
        while hasattr(action, "fcurves") and action.fcurves:
            action.fcurves.remove(action.fcurves[0])
        local = matrices_of(motion.rotations)
        turns = np.empty_like(local)  # the joints' rotations in marey's world
        for joint, parent in enumerate(self.parents):
            turns[:, joint] = local[:, joint] if parent < 0 else turns[:, parent] @ local[:, joint]
        poses = self.turn.T @ turns @ self.joint_rest.swapaxes(1, 2) @ self.turn @ self.rest
        for joint, name in enumerate(self.names):
            bone = self.object.pose.bones[name]
            rotation, location = self._basis(joint, poses, motion)
            if not self.plain[joint]:
                rotation, location = self._basis_of_odd(joint, poses, rotation, location)
            if location is not None and self.moves[joint]:
                _write_channels(self.object, action, bone, "location", location, start)
            _write_channels(self.object, action, bone, *_rotation_keys(bone, rotation), start)
        assign(self.object, action)
        return action

    def _basis(self, joint, poses, motion):
        """A pose bone's own rotation (frames x 3 x 3) and location (frames x 3, or None) of the pose."""
        parent, rest = self.parents[joint], self.rest[joint]
        place = motion.places.get(joint)
        if parent < 0:
            location = ((place - self.shift) @ self.turn / self.scale - self.heads[joint]) @ rest
            return rest.T @ poses[:, joint], location
        rotation = (rest.T @ self.rest[parent]) @ poses[:, parent].swapaxes(1, 2) @ poses[:, joint]
        if place is None:
            return rotation, None
        seen = place @ self.joint_rest[parent].T @ self.turn / self.scale
        return rotation, (seen - (self.heads[joint] - self.heads[parent])) @ rest

    def _basis_of_odd(self, joint, poses, rotation, location):
        """For bones that do not take their parent's rotation over, or move along other axes: Blender says how."""
        bone, parent = self.object.data.bones[self.names[joint]], self.parents[joint]
        above = bone.parent
        for i in range(len(rotation)):
            pose = Matrix(rotation[i].tolist()).to_4x4()
            pose.translation = (0, 0, 0) if location is None else location[i]
            if parent >= 0:
                over = Matrix(poses[i, parent].tolist()).to_4x4()
                plain = over @ Matrix(self.rest[parent].tolist()).inverted().to_4x4() @ Matrix(self.rest[joint].tolist()).to_4x4() @ pose
                basis = bone.convert_local_to_pose(
                    plain, bone.matrix_local.to_3x3().to_4x4(), parent_matrix=over,
                    parent_matrix_local=above.matrix_local.to_3x3().to_4x4(), invert=True,
                )
            else:
                plain = Matrix(self.rest[joint].tolist()).to_4x4() @ pose
                basis = bone.convert_local_to_pose(plain, bone.matrix_local.to_3x3().to_4x4(), invert=True)
            rotation[i] = np.array(basis.to_3x3())
            if location is not None:
                location[i] = basis.translation
        return rotation, location


def _largest_tree(bones):
    """The bones of the largest tree, parents first."""
    best = []
    for root in bones:
        if root.parent is None:
            tree, waiting = [], [root]
            while waiting:
                bone = waiting.pop()
                tree.append(bone)
                waiting.extend(reversed(bone.children))
            best = tree if len(tree) > len(best) else best
    if not best:
        raise RigError("the armature has no bones")
    return best


# ---- keys --------------------------------------------------------------------------------------


def _rotation_keys(bone, matrices):
    """(property, frames x numbers) in the bone's own rotation mode, without jumps from one turn to the next."""
    quaternions = quaternions_of(matrices)
    flips = np.sign(np.einsum("fi,fi->f", quaternions[1:], quaternions[:-1]))
    flips[flips == 0] = 1
    quaternions[1:] *= np.cumprod(flips)[:, None]
    if bone.rotation_mode == "QUATERNION":
        return "rotation_quaternion", quaternions
    if bone.rotation_mode == "AXIS_ANGLE":
        angles = 2 * np.arctan2(np.linalg.norm(quaternions[:, 1:], axis=1), quaternions[:, 0])
        axes = quaternions[:, 1:] / np.maximum(np.linalg.norm(quaternions[:, 1:], axis=1, keepdims=True), 1e-12)
        axes[np.abs(axes).sum(axis=1) < 0.5] = (0, 1, 0)
        return "rotation_axis_angle", np.column_stack([angles, axes])
    out, before = np.empty((len(quaternions), 3)), Euler((0, 0, 0), bone.rotation_mode)
    for i, numbers in enumerate(quaternions.tolist()):
        before = Quaternion(numbers).to_euler(bone.rotation_mode, before)
        out[i] = before
    return "rotation_euler", out


def _write_channels(armature, action, bone, what, values, start):
    path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].{what}'
    if np.abs(values - values[:1]).max() < 1e-7:
        values = values[:1]
    for index in range(values.shape[1]):
        curve = _curve(armature, action, path, index, bone.name)
        points = curve.keyframe_points
        points.add(len(values))
        keys = np.empty((len(values), 2), dtype=np.float32)
        keys[:, 0] = start + np.arange(len(values))
        keys[:, 1] = values[:, index]
        points.foreach_set("co", keys.ravel())
        points.foreach_set("interpolation", np.ones(len(values), dtype=np.intc))  # linear: rotations are kept exactly
        curve.update()


def _curve(armature, action, path, index, group):
    """An F-curve without keys. From Blender 5 on an action has several slots, and the armature's is the one that is meant."""
    if hasattr(action, "fcurves"):
        return action.fcurves.new(path, index=index, action_group=group)
    curve = action.fcurve_ensure_for_datablock(armature, path, index=index, group_name=group)
    curve.keyframe_points.clear()
    return curve


def assign(armature, action):
    """Makes an action the armature's: from Blender 4.4 on, that of its slots that Blender takes, else the first."""
    data = armature.animation_data or armature.animation_data_create()
    data.action = action
    if getattr(data, "action_slot", data) is None and len(action.slots):
        data.action_slot = action.slots[0]


def action_range(action):
    """Its first and last frame, as it says."""
    first, last = action.frame_range
    return int(np.floor(first)), int(np.ceil(last))


# ---- new armatures -----------------------------------------------------------------------------


def make_armature(context, motion, name):
    """A new armature object with the motion's body, in its rest pose where that stands, else as in the first frame. It is
    linked to the scene and selected alone."""
    scene, body = context.scene, motion.body
    unit = centimetres(scene)
    rest = _rest_of(motion)
    turns, heads = rest.world()
    heads = heads[0] @ UP.T / unit
    tails = _tails(body, heads, turns[0], unit)
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    context.collection.objects.link(armature)
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.selected_objects:
        other.select_set(False)
    context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    made = []
    for joint, title in enumerate(body.names):
        bone = data.edit_bones.new(title)
        bone.head, bone.tail = heads[joint], tails[joint]
        if body.parents[joint] >= 0:
            bone.parent = made[body.parents[joint]]
        made.append(bone)
    names = [bone.name for bone in made]
    bpy.ops.object.mode_set(mode="OBJECT")
    if names != body.names:
        raise RigError(f"joints of {motion.name} have names that bones may not have")
    for joint, turn in enumerate(quaternions_of(turns[0])):
        if abs(abs(turn[0]) - 1) > 1e-9:
            data.bones[names[joint]][REST] = turn.tolist()
    data[ROLES] = json.dumps({role: names[joint] for role, joint in body.roles.items()})
    return armature


def _rest_of(motion):
    """One frame that bones are laid out by: without rotations, or the first one where the body does not stand then; its feet
    as high as they mostly are."""
    rest, roles = _standing(motion), motion.body.roles
    feet = [roles[role] for role in ("left_ankle", "left_toe", "right_ankle", "right_toe") if role in roles]
    feet = feet or list(range(len(motion.body)))
    usual = np.median(motion.positions()[:, feet, 1].min(axis=1))
    return rest.shifted((0, usual - rest.positions()[0, feet, 1].min(), 0))


def _standing(motion):
    body = motion.body
    still = np.zeros((1, len(body), 4))
    still[..., 0] = 1
    rest = Motion(body, still, {0: body.offsets[:1]}, motion.fps, motion.name)
    roles, positions = body.roles, rest.positions()[0]
    heights = [positions[roles[role]][1] for role in ("left_knee", "right_knee", "hips") if role in roles]
    if len(heights) == 3 and max(heights[:2]) < heights[2] and _is_upright(positions, roles):
        return rest
    first = motion.first()
    return first.shifted(-first.places[0][0])


def _is_upright(positions, roles):
    top = roles.get("head", roles.get("neck"))
    return top is None or positions[top][1] > positions[roles["hips"]][1]


def _tails(body, heads, turns, unit):
    """Where bones point: to the one joint that hangs on it, the one that goes straight on, or their tip."""
    tails = heads.copy()
    children = {}
    for joint, parent in enumerate(body.parents):
        children.setdefault(parent, []).append(joint)
    least = 0.5 / unit  # shorter ones Blender removes at some scales, and none could see them
    for joint, parent in enumerate(body.parents):
        below = children.get(joint, [])
        longest = max(below, key=lambda child: np.linalg.norm(heads[child] - heads[joint]), default=None)
        if len(below) > 1:
            middle = [child for child in below if abs(heads[child][0] - heads[joint][0]) < least]
            longest = middle[0] if middle else longest
        if longest is not None:
            along = heads[longest] - heads[joint]
        elif joint in body.ends:
            along = UP @ turns[joint] @ body.ends[joint] / unit
        else:
            along = np.zeros(3)
        if np.linalg.norm(along) < least:
            before = heads[joint] - heads[parent] if parent >= 0 else np.array([0, 0, 1.0])
            length = max(np.linalg.norm(before), 1e-9)
            along = before / length * max(5 * least, 0.3 * length) if length > 1e-6 else np.array([0, 0, 10 * least])
        tails[joint] = heads[joint] + along
    return tails

