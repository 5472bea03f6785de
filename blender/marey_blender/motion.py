# SPDX-License-Identifier: GPL-3.0-or-later
"""motion.py - a clip as the add-on holds it: numpy arrays, apart from Blender and from the library.

As in marey lengths are centimetres, y is up, quaternions are (w, x, y, z), and a joint's rotation and place are relative to
its parent.
"""
import numpy as np

__all__ = ["Body", "Motion", "matrices_of", "quaternions_of"]


class Body:
    """Joints: names, parents (-1 for the first, which comes before what hangs on it), offsets from the parents, the tips
    {joint: place} of bones at the end of a chain, and roles {"left_knee": joint}."""

    def __init__(self, names, parents, offsets, ends=None, roles=None):
        self.names = list(names)
        self.parents = list(parents)
        self.offsets = np.array(offsets, dtype=np.float64).reshape(-1, 3)
        self.ends = dict(ends or {})
        self.roles = dict(roles or {})

    def __len__(self):
        return len(self.names)

    def is_like(self, other):
        """The same joints and bones, wherever the first joint is at rest."""
        return self.names == other.names and self.parents == other.parents and np.allclose(self.offsets[1:], other.offsets[1:], atol=1e-3)

    @property
    def key(self):
        """What maps between bodies are kept by: names and tree, whatever the lengths of bones."""
        return ";".join(f"{name}<{parent}" for name, parent in zip(self.names, self.parents))


class Motion:
    """A body's motion: rotations (frames x joints x 4) and places {joint: frames x 3} of the joints that move against
    their parents, the first one always among them."""

    def __init__(self, body, rotations, places, fps, name="clip"):
        self.body = body
        self.rotations = np.array(rotations, dtype=np.float64)
        self.places = {joint: np.array(track, dtype=np.float64) for joint, track in places.items()}
        self.fps = float(fps)
        self.name = name

    def __len__(self):
        return len(self.rotations)

    def world(self):
        """(rotations, frames x joints x 3 x 3; positions, frames x joints x 3) of all joints in the world."""
        local = matrices_of(self.rotations)
        turns = np.empty_like(local)
        positions = np.empty((*self.rotations.shape[:2], 3))
        for joint, parent in enumerate(self.body.parents):
            place = self.places.get(joint, self.body.offsets[joint])
            if parent < 0:
                turns[:, joint], positions[:, joint] = local[:, joint], place
            else:
                turns[:, joint] = turns[:, parent] @ local[:, joint]
                positions[:, joint] = positions[:, parent] + np.einsum("fij,fj->fi", turns[:, parent], np.broadcast_to(place, (len(self), 3)))
        return turns, positions

    def positions(self):
        return self.world()[1]

    def part(self, start, end):
        """Its frames from start to end, the end not included."""
        places = {joint: track[start:end] for joint, track in self.places.items()}
        return Motion(self.body, self.rotations[start:end], places, self.fps, self.name)

    def first(self):
        """Its first frame."""
        return self.part(0, 1)

    def shifted(self, by):
        """The same, elsewhere."""
        places = {**self.places, 0: self.places[0] + np.asarray(by)}
        return Motion(self.body, self.rotations, places, self.fps, self.name)

    def turned(self, angle, about=(0.0, 0.0)):
        """The same, turned by an angle (radians, from z to x) about a point (x, z) of the floor."""
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        point = np.array([about[0], 0, about[1]])
        rotations = self.rotations.copy()
        rotations[:, 0] = quaternions_of(turn @ matrices_of(self.rotations[:, 0]))
        places = {**self.places, 0: (self.places[0] - point) @ turn.T + point}
        return Motion(self.body, rotations, places, self.fps, self.name)

    def start(self):
        """((x, z), angle): the floor under the hips in the first frame, and where the body faces: angle 0 is along z."""
        roles, positions = self.body.roles, self.first().positions()[0]
        hips = positions[roles.get("hips", 0)]
        across = np.zeros(3)
        for part in ("hip", "shoulder"):
            if f"left_{part}" in roles and f"right_{part}" in roles:
                across += positions[roles[f"left_{part}"]] - positions[roles[f"right_{part}"]]
        return hips[[0, 2]], float(np.arctan2(-across[2], across[0]))


def matrices_of(quaternions):
    """... x 3 x 3 of ... x 4."""
    q = np.asarray(quaternions, dtype=np.float64)
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternions_of(matrices):
    """... x 4 of ... x 3 x 3. The largest of the four squares is the one that is divided by."""
    m = np.asarray(matrices, dtype=np.float64)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 + yy - zz - xx, 1 + zz - xx - yy], axis=-1)
    x, y, z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    w0, x0, y0, z0 = np.moveaxis(squares, -1, 0)
    rows = [[w0, x, y, z], [x, x0, xy, xz], [y, xy, y0, yz], [z, xz, yz, z0]]
    rows = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    best = np.argmax(squares, axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)
