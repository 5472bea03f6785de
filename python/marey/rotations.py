"""rotations.py - unit quaternions (w, x, y, z) as matrices and as angles, for whole arrays."""
import numpy as np

__all__ = ["euler_of", "matrices_of", "quaternions_of_6d", "quaternions_of_euler", "quaternions_of_matrices"]


def matrices_of(quaternions):
    """... x 3 x 3 of ... x 4; columns are where the axes go."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    out = np.empty((*quaternions.shape[:-1], 3, 3), dtype=quaternions.dtype)
    out[..., 0, 0] = 1 - 2 * (y * y + z * z)
    out[..., 0, 1] = 2 * (x * y - w * z)
    out[..., 0, 2] = 2 * (x * z + w * y)
    out[..., 1, 0] = 2 * (x * y + w * z)
    out[..., 1, 1] = 1 - 2 * (x * x + z * z)
    out[..., 1, 2] = 2 * (y * z - w * x)
    out[..., 2, 0] = 2 * (x * z - w * y)
    out[..., 2, 1] = 2 * (y * z + w * x)
    out[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return out


def quaternions_of_matrices(matrices):
    """... x 4 of ... x 3 x 3, with w >= 0. The largest of the four squares is the one that is divided by."""
    m = np.asarray(matrices)
    dtype = m.dtype if m.dtype.kind == "f" else np.float64
    trace = np.stack(
        [
            m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2],
            m[..., 0, 0] - m[..., 1, 1] - m[..., 2, 2],
            m[..., 1, 1] - m[..., 0, 0] - m[..., 2, 2],
            m[..., 2, 2] - m[..., 0, 0] - m[..., 1, 1],
        ],
        axis=-1,
    )
    best = np.argmax(trace, axis=-1)
    x, y, z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = np.stack(
        [
            np.stack([1 + trace[..., 0], x, y, z], axis=-1),
            np.stack([x, 1 + trace[..., 1], xy, xz], axis=-1),
            np.stack([y, xy, 1 + trace[..., 2], yz], axis=-1),
            np.stack([z, xz, yz, 1 + trace[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    out = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    out = out / np.linalg.norm(out, axis=-1, keepdims=True)
    return np.where(out[..., :1] < 0, -out, out).astype(dtype)


def quaternions_of_6d(six):
    """... x 4 of ... x 6: the first two columns of a matrix, made square by Gram and Schmidt."""
    six = np.asarray(six)
    a, b = six[..., :3], six[..., 3:]
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b - np.sum(a * b, axis=-1, keepdims=True) * a
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return quaternions_of_matrices(np.stack([a, b, np.cross(a, b)], axis=-1))


def _axes_of(order):
    axes = ["XYZ".find(letter) for letter in str(order).upper()]
    if sorted(axes) != [0, 1, 2]:
        raise ValueError(f'order must be three different axes such as "ZYX", got {order!r}')
    return axes


def euler_of(quaternions, order="ZYX", degrees=True):
    """... x 3 angles: R = R_first(a0) R_second(a1) R_third(a2). Where the middle one is a right angle the last one
    is 0."""
    i, j, k = _axes_of(order)
    m = matrices_of(np.asarray(quaternions, dtype=np.float64))
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    middle = np.arcsin(np.clip(sign * m[..., i, k], -1, 1))
    locked = np.abs(m[..., i, k]) > 1 - 1e-12
    first = np.where(
        locked,
        np.arctan2(sign * m[..., k, j], m[..., j, j]),
        np.arctan2(-sign * m[..., j, k], m[..., k, k]),
    )
    last = np.where(locked, 0.0, np.arctan2(-sign * m[..., i, j], m[..., i, i]))
    out = np.stack([first, middle, last], axis=-1)
    return np.degrees(out) if degrees else out


def quaternions_of_euler(angles, order="ZYX", degrees=True):
    """... x 4 of ... x 3 angles about the axes of `order`, the first one applied last."""
    angles = np.asarray(angles, dtype=np.float64)
    half = (np.radians(angles) if degrees else angles) / 2
    out = None
    for column, axis in enumerate(_axes_of(order)):
        turn = np.zeros((*half.shape[:-1], 4))
        turn[..., 0] = np.cos(half[..., column])
        turn[..., 1 + axis] = np.sin(half[..., column])
        out = turn if out is None else _product(out, turn)
    return out


def _product(a, b):
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )
