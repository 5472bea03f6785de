"""own.py - metrics and features of a user's own: Python functions that the C library asks of clips."""
import numpy as np

from ._native import ffi, lib
from .clip import Clip
from .errors import OutOfMemoryError, RequestError, bytes_of

__all__ = ["Feature", "Metric"]


def _name_of(function, name, kind):
    if not callable(function):
        raise TypeError(f"a {kind} is made of a function of a clip, got {function!r}")
    given = name or getattr(function, "__name__", "own")
    return "own" if given == "<lambda>" else given


class Metric:
    """How far two frames are apart, by numbers of your own: the sum of the weighted squared differences of their rows.

    function(clip): a row of numbers for every frame, frames x numbers; more axes are laid flat, so
        `lambda clip: clip.positions[:, [3, 7]]` will do. It is called once for each clip, not for each pair of
        frames. It may be given parts of clips, at other rates, and on other bodies, so it should go by roles
        rather than by the numbers of joints. The same clip must give the same numbers.
    name: what answers and messages call it; by default the function's.
    unit: of a distance; "cm2" says that its root is a length, which transitions and loops need.
    weights: how much each number of a row counts; by default 1 each.
    window: frames around each frame that are compared, 1 to 31.
    threshold: what counts as alike for searches, cuts and graphs that are not told.

    Operations take one, or the function alone, as `metric=`. So they do a dictionary of weights of joints, which is
    `Metric.of_joints`.
    """

    __slots__ = ("function", "name", "unit", "weights", "window", "threshold", "columns", "__weakref__")

    def __init__(self, function, *, name=None, unit="", weights=None, window=1, threshold=None):
        self.function = function
        self.name = _name_of(function, name, "metric")
        self.unit = unit
        self.weights = None if weights is None else np.array(weights, dtype=np.float64).ravel()
        self.window = int(window)
        self.threshold = threshold
        self.columns = None if self.weights is None else len(self.weights)  # else known when it was first asked

    @classmethod
    def of(cls, value):
        """What an operation was given as its metric: one of ours, a function, or weights of joints."""
        if isinstance(value, Metric):
            return value
        return cls(value) if callable(value) else cls.of_joints(value)

    @classmethod
    def of_joints(cls, weights, *, name="joints", window=1, threshold=None):
        """Places of some joints as seen from the body: from the floor under the hips, along where they face, in cm.

        weights: {"left_wrist": 1, "knee": 0.5}: roles; "knee" is both knees.
        """
        found = {}
        for role, weight in dict(weights).items():
            sides = [role] if role in _all_roles else [side + role for side in ("left_", "right_") if side + role in _all_roles]
            if not sides:
                raise ValueError(f"there is no role {role}; there are {', '.join(_all_roles)}")
            for side in sides:
                found[side] = float(weight)
        return cls(
            _Places(tuple(found)), name=name, unit="cm2", weights=np.repeat(list(found.values()), 3), window=window, threshold=threshold
        )

    def rows(self, clip):
        """The numbers of a clip, frames x columns, checked."""
        rows = np.asarray(self.function(clip))
        frames = len(clip)
        if rows.ndim < 1 or len(rows) != frames or not rows.size:
            raise ValueError(
                f"the metric {self.name} must give a row for each of {frames} frames, got an array of shape {rows.shape}"
            )
        rows = rows.reshape(frames, -1)
        if self.columns is None:
            self.columns = rows.shape[1]
        if rows.shape[1] != self.columns:
            raise ValueError(f"a row of the metric {self.name} has {self.columns} numbers, got {rows.shape[1]} of {clip.name}")
        return rows

    def __repr__(self):
        return f"<marey.Metric {self.name}>"


class Feature:
    """What the motions of a family differ in, measured by a function of your own.

    function(clip): one number of a whole motion; NaN for what has none. It is asked of examples, of blends that are
        tried, and of what was made, so it should go by roles. The same motion must give the same number.
    name: what answers and messages call it, as own(NAME); by default the function's.
    unit: of the number.

    `library.param_build(..., feature=feature)` builds a family with it. A family keeps the name alone: where it is
    opened again, `library.lend(feature)` comes first.
    """

    __slots__ = ("function", "name", "unit", "__weakref__")

    def __init__(self, function, *, name=None, unit=""):
        self.function = function
        self.name = _name_of(function, name, "feature")
        self.unit = unit
        if set(self.name) & set("(),"):
            raise ValueError(f"the name of a feature has no brackets and no commas, got {self.name}")

    def __str__(self):
        return f"own({self.name})"

    def __repr__(self):
        return f"<marey.Feature {self.name}>"


# ---- places of joints, as seen from the body ----------------------------------------------------

_all_roles = [ffi.string(lib.marey_role_name(role)).decode() for role in range(lib.MAREY_ROLE_COUNT)]


class _Places:
    """The function of Metric.of_joints."""

    def __init__(self, roles):
        self.roles = roles

    def __call__(self, clip):
        of = clip.skeleton.roles
        missing = [role for role in (*self.roles, "hips", "left_hip", "right_hip") if role not in of]
        if missing:
            raise RequestError(f"{clip.name} has no {' and no '.join(missing)}")
        places = clip.positions.astype(np.float64)
        hips = places[:, of["hips"]] * (1, 0, 1)
        left = (places[:, of["left_hip"]] - places[:, of["right_hip"]])[:, [0, 2]]
        length = np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 1e-9)
        left /= length
        seen = places[:, [of[role] for role in self.roles]] - hips[:, None]
        x, z = seen[..., 0].copy(), seen[..., 2].copy()
        seen[..., 0] = x * left[:, :1] + z * left[:, 1:]
        seen[..., 2] = z * left[:, :1] - x * left[:, 1:]
        return seen


# ---- being asked by the library -----------------------------------------------------------------


class Asked:
    """What is lent in one call: the structures that the library reads, and the first thing that went wrong while it
    asked."""

    __slots__ = ("context", "failure", "_keep", "_handles")

    def __init__(self, context):
        self.context = context
        self.failure = None
        self._keep = []
        self._handles = []

    def _user(self, of):
        self._handles.append(ffi.new_handle((self, of)))
        return self._handles[-1]

    def _text(self, text):
        self._keep.append(ffi.new("char[]", bytes_of(text)))
        return self._keep[-1]

    def metric(self, metric):
        own = ffi.new("marey_own_metric *")
        row = own.metric
        row.name, row.description, row.unit = self._text(metric.name), self._text("a function's"), self._text(metric.unit)
        row.window, row.squared = metric.window, metric.unit == "cm2"
        if metric.threshold is not None:
            row.thresholds.cut = row.thresholds.find = row.thresholds.graph = row.thresholds.cluster = metric.threshold
        own.columns, own.rows, own.user = metric.columns, lib.marey_python_rows, self._user(metric)
        if metric.weights is not None:
            weights = ffi.new("double[]", metric.weights.tolist())
            own.weights = weights
            self._keep.append(weights)
        self._keep.append(own)
        return own

    def features(self, features):
        own = ffi.new("marey_own_feature[]", len(features))
        for to, feature in zip(own, features):
            to.name, to.unit = self._text(feature.name), self._text(feature.unit)
            to.measure, to.user = lib.marey_python_measure, self._user(feature)
        self._keep.append(own)
        return own

    def clip(self, pointer):
        """A clip that the function may keep: the library's own is gone when it has answered."""
        out = ffi.new("marey_clip **")
        if lib.marey_clip_trim(pointer, 0, lib.marey_clip_frames(pointer), out, ffi.NULL):
            raise OutOfMemoryError("there is no memory for the clip that a function is asked about")
        return Clip._adopt(self.context, out[0])

    def fail(self, error):
        """Work ends, and the user's own exception is raised then: no sample is left out for a slip of the pen."""
        if self.failure is None:
            self.failure = error
        lib.marey_ctx_cancel(self.context.ctx)
        return lib.MAREY_ERR_CANCELLED

    def settle(self):
        if self.failure is None:
            return
        lib.marey_ctx_resume(self.context.ctx)
        failure, self.failure = self.failure, None
        raise failure


@ffi.def_extern(error=lib.MAREY_ERR_CANCELLED)
def marey_python_rows(user, clip, out, error):
    asked, metric = ffi.from_handle(user)
    try:
        rows = metric.rows(asked.clip(clip))
        to = np.frombuffer(ffi.buffer(out, 4 * rows.size), dtype=np.float32).reshape(rows.shape)
        to[...] = rows
    except BaseException as failure:  # Ctrl-C, too
        return asked.fail(failure)
    return lib.MAREY_OK


@ffi.def_extern(error=lib.MAREY_ERR_CANCELLED)
def marey_python_measure(user, clip, value, error):
    asked, feature = ffi.from_handle(user)
    try:
        value[0] = float(feature.function(asked.clip(clip)))
    except BaseException as failure:
        return asked.fail(failure)
    return lib.MAREY_OK
