# SPDX-License-Identifier: GPL-3.0-or-later
"""bvh.py - motion as a BVH file, in centimetres and y up: what goes to a marey process and comes from one."""
import re

import numpy as np

from .motion import Body, Motion, matrices_of, quaternions_of

__all__ = ["read_bvh", "write_bvh"]

AXES = {"X": 0, "Y": 1, "Z": 2}


def write_bvh(motion, path):
    """Places and angles of every joint that moves against its parent, angles of the others."""
    body, lines, columns = motion.body, ["HIERARCHY"], []
    children = {}
    for joint, parent in enumerate(body.parents):
        children.setdefault(parent, []).append(joint)

    def numbers(values):
        return " ".join(f"{value:.6f}" for value in values)

    def tell(joint, depth):
        space = "\t" * depth
        lines.append(f"{space}{'JOINT' if depth else 'ROOT'} {re.sub(r'[^!-~]', '_', body.names[joint])}")
        lines.append(f"{space}{{")
        lines.append(f"{space}\tOFFSET {numbers(body.offsets[joint])}")
        moves = joint in motion.places
        lines.append(f"{space}\tCHANNELS {'6 Xposition Yposition Zposition' if moves else '3'} Zrotation Yrotation Xrotation")
        if moves:
            columns.append(motion.places[joint])
        columns.append(_angles_of(motion.rotations[:, joint]))
        for child in children.get(joint, []):
            tell(child, depth + 1)
        if joint not in children:
            lines.extend([f"{space}\tEnd Site", f"{space}\t{{", f"{space}\t\tOFFSET {numbers(body.ends.get(joint, (0, 0, 0)))}", f"{space}\t}}"])
        lines.append(f"{space}}}")

    tell(0, 0)
    lines += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {1 / motion.fps:.10f}"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        np.savetxt(file, np.hstack(columns), fmt="%.6f")


def _angles_of(quaternions):
    """Degrees about z, y and x; the last is applied first."""
    m = matrices_of(quaternions)
    middle = np.arcsin(np.clip(-m[..., 2, 0], -1, 1))
    locked = np.abs(m[..., 2, 0]) > 1 - 1e-12
    first = np.where(locked, np.arctan2(-m[..., 0, 1], m[..., 1, 1]), np.arctan2(m[..., 1, 0], m[..., 0, 0]))
    last = np.where(locked, 0.0, np.arctan2(m[..., 2, 1], m[..., 2, 2]))
    return np.degrees(np.stack([first, middle, last], axis=-1))


def read_bvh(path, name):
    """A motion of what marey wrote."""
    with open(path, encoding="utf-8") as file:
        head, _, rest = file.read().partition("MOTION")
    names, parents, offsets, ends, channels, open_joints, tip = [], [], [], {}, [], [], False
    for words in map(str.split, head.splitlines()):
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            parents.append(open_joints[-1] if open_joints else -1)
            names.append(" ".join(words[1:]))
            offsets.append((0.0, 0.0, 0.0))
            open_joints.append(len(names) - 1)
        elif words[0] == "End":
            tip = True
        elif words[0] == "OFFSET":
            place = tuple(map(float, words[1:4]))
            if tip:
                ends[open_joints[-1]] = np.array(place)
            else:
                offsets[-1] = place
        elif words[0] == "CHANNELS":
            channels.append((open_joints[-1], words[2:]))
        elif words[0] == "}":
            if not tip:
                open_joints.pop()
            tip = False
    lines = rest.split("\n", 3)
    numbers = np.array(lines[3].split(), dtype=np.float64).reshape(int(lines[1].split()[-1]), -1)
    rotations = np.zeros((len(numbers), len(names), 4))
    rotations[..., 0] = 1
    places, column = {}, 0
    for joint, kinds in channels:
        turn = np.broadcast_to(np.eye(3), (len(numbers), 3, 3))
        for kind in kinds:
            axis, values = AXES[kind[0]], numbers[:, column]
            column += 1
            if kind.endswith("position"):
                track = places.setdefault(joint, np.tile(offsets[joint], (len(numbers), 1)))
                track[:, axis] = values
            else:
                turn = turn @ _turns(axis, np.radians(values))
        rotations[:, joint] = quaternions_of(turn)
    body = Body(names, parents, offsets, ends)
    places.setdefault(0, np.tile(body.offsets[0], (len(numbers), 1)))
    return Motion(body, rotations, places, 1 / float(lines[2].split()[-1]), name)


def _turns(axis, angles):
    q = np.zeros((len(angles), 4))
    q[:, 0], q[:, 1 + axis] = np.cos(angles / 2), np.sin(angles / 2)
    return matrices_of(q)
