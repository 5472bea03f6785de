"""_operate.py - running an operation of marey by its name: Python's values become its parameters by their rows, and
its answer an object. The functions that users call are written by generate.py from the same rows.
"""
import json
import os
import warnings
from collections.abc import Mapping

import numpy as np

from ._context import _reporter, context, is_limited, locked
from ._native import ffi, lib
from .clip import Clip, Made, _Facts, _Memory, load
from .errors import NotFoundError, RequestError, bytes_of, text_of
from .own import Asked, Feature, Metric
from .results import Result

__all__ = ["Operation", "operate"]


class Operation:
    """An operation by its rows: (name in JSON, type, default) for each parameter, in the order of the table."""

    __slots__ = (
        "name", "c_name", "rows", "makes_clip", "clip_is_asked_for", "has_arrays", "takes_own_metric", "pictures", "frames_of"
    )

    def __init__(
        self, name, rows, makes_clip=False, clip_is_asked_for=False, has_arrays=False, takes_own_metric=False, pictures=(),
        frames_of=None,
    ):
        self.name = name
        self.c_name = ffi.new("char[]", name.encode())
        self.rows = [(key, _encoders.get(kind), default) for key, kind, default in rows]
        self.makes_clip = makes_clip
        self.clip_is_asked_for = clip_is_asked_for
        self.has_arrays = has_arrays
        self.takes_own_metric = takes_own_metric
        self.pictures = pictures  # names of what can be drawn of its answer
        self.frames_of = frames_of  # which parameter frames=(start, end) belongs to


# Made once: json.dumps looks at its options in every call.
_encode = json.JSONEncoder(separators=(",", ":")).encode
if json.encoder.c_make_encoder is not None:
    _pieces = json.encoder.c_make_encoder(
        None, json.JSONEncoder().default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
    )

    def _encode(value):
        return "".join(_pieces(value, 0))


_order_type, _out_type, _size_type = ffi.typeof("bridge_order *"), ffi.typeof("bridge_call **"), ffi.typeof("size_t *")


class MareyWarning(UserWarning):
    """What marey says beside an answer, such as a doubtful rate."""


# ---- from Python's values to a JSON body --------------------------------------------------------


class _Lending:
    """Clips in memory that the parameters name, each under a name of its own, and what else is lent."""

    __slots__ = ("library", "names", "clips", "texts", "timed", "metric", "features")

    def __init__(self, library):
        self.library = library
        self.timed = False
        self.metric = None
        self.features = dict(library._features) if library is not None else {}
        self.names = {}
        self.clips = []
        self.texts = set()

    def name_of(self, clip):
        if id(clip) in self.names:
            return self.names[id(clip)]
        name = clip.name
        number = 1
        while name in self.texts:
            number += 1
            name = f"{clip.name}-{number}"
        self.texts.add(name)
        self.names[id(clip)] = name
        self.clips.append((name, clip))
        return name

    def clip_of(self, name):
        for lent, clip in self.clips:
            if lent == name:
                return clip
        if self.library is not None:
            try:
                return self.library[name]
            except NotFoundError:
                pass
        return load(name)

    def lend(self, feature):
        self.features[feature.name] = feature
        if self.library is not None:
            self.library.lend(feature)


def _number(value, lending):
    if isinstance(value, float) and value == float("inf"):
        return "inf"
    return value if type(value) in (int, float) else value.item() if hasattr(value, "item") else float(value)


def _numbers(value, lending):
    return [_number(each, lending) for each in np.asarray(value).ravel().tolist()]


def _texts(value, lending):
    values = [value] if isinstance(value, (str, os.PathLike, Feature)) else value
    for feature in values:
        if isinstance(feature, Feature):
            lending.lend(feature)
    return [_path(each, lending) for each in values]


def _path(value, lending):
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _found(value, lending):
    """The number of a clip that was found; of a library beside the one that is asked, with its library."""
    number = value["id"] if "id" in value else value["clip"]
    of = value["library"] if "library" in value else None
    if of is None or lending.library is None or os.path.abspath(of) == lending.library.path:
        return number
    return f"{of}:#{number}"


def _clip(value, lending):
    """A clip's name or number, for operations on what a library keeps."""
    if isinstance(value, Clip):
        if value._from and value._from[0] is lending.library:
            return value._from[1]
        raise ValueError(f"{value!r} is no clip of this library: library.put(clip) makes it one")
    if isinstance(value, Result):
        return _found(value, lending)
    return value if isinstance(value, int) else _path(value, lending)


def _clips(value, lending):
    if isinstance(value, (str, int, Clip, os.PathLike, Result)) and not _is_list(value):
        value = [value]
    return [_clip(each, lending) for each in value]


def _is_list(value):
    """An answer about several things, such as what a search found."""
    return isinstance(value, Result) and not (isinstance(value._data, dict) and ("clip" in value or "id" in value))


def _segment(value, lending):
    """Frames of a clip: a Clip, "walk#120-300", ("walk", 120, 300), or a match."""
    if type(value) is str:
        return _address(value, lending)
    if isinstance(value, Clip):
        if value._from and value._from[0] is lending.library and lending.library is not None:
            _, number, start, end = value._from
            return {"clip": number, "start": start, "end": end}
        return {"clip": lending.name_of(value)}
    if isinstance(value, Result):
        return {"clip": _found(value, lending), "start": value["start"], "end": value["end"]}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        if len(value) == 2:
            value = (value[0], *value[1]) if not isinstance(value[1], (int, np.integer)) else (*value, value[1] + 1)
        return {**_segment(value[0], lending), "start": int(value[1]), "end": int(value[2])}
    if isinstance(value, int):
        return {"clip": value}
    return _address(_path(value, lending), lending)


def _address(text, lending):
    """"walk#120-300" and "walk#120" are frames; "#34" is number 34, and times are for the C side."""
    if "#" not in text:
        return {"clip": text}
    name, _, frames = text.rpartition("#")
    if not name:
        return {"clip": text}
    start, dash, end = frames.partition("-")
    if start.isdigit() and (end.isdigit() if dash else True):
        return {"clip": name, "start": int(start), **({"end": int(end)} if dash else {})}
    if dash and start.endswith("s") and end.endswith("s"):
        lending.timed = True
        return {"clip": name, "times": (float(start[:-1]), float(end[:-1]))}
    return {"clip": text}


def _segments(value, lending):
    single = isinstance(value, (str, int, Clip, os.PathLike, Mapping)) or (isinstance(value, Result) and not _is_list(value))
    if single or (isinstance(value, tuple) and len(value) in (2, 3) and all(isinstance(v, (int, np.integer)) for v in value[1:])):
        value = [value]
    return [_segment(each, lending) for each in value]


def _range(value, lending):
    if isinstance(value, str):
        return value
    if isinstance(value, (slice, range)):
        return [int(value.start or 0), int(value.stop)]
    start, end = value
    return [int(start), int(end)]


def _frame(value, lending):
    return value if isinstance(value, str) else int(value)


def _pair(value, lending):
    return [None if each is None else int(each) for each in value]


def _table(value, lending):
    if isinstance(value, os.PathLike):
        with open(value, encoding="utf-8") as file:
            value = file.read()
    if isinstance(value, str):
        # A row in each line; or all of them in one, as on a command line: "0,0 300,0".
        rows = value.splitlines() if "\n" in value or not all("," in row for row in value.split()) else value.split()
        lines = [row.replace(",", " ").split() for row in rows]
        return [[float(number) for number in line] for line in lines if line]
    return np.asarray(value, dtype=np.float64).tolist()


def _document(value, lending):
    """A JSON object as it is; a path is a file that holds one."""
    if isinstance(value, os.PathLike) or (isinstance(value, str) and not value.lstrip().startswith(("{", "["))):
        with open(value, encoding="utf-8") as file:
            return json.load(file)
    return json.loads(value) if isinstance(value, str) else _plain(value)


def _file(value, lending):
    if isinstance(value, os.PathLike):
        with open(value, encoding="utf-8") as file:
            return file.read()
    return value if isinstance(value, str) else _plain(value)


def _files(value, lending):
    single = isinstance(value, (str, os.PathLike, Mapping))
    return [_document(each, lending) for each in ([value] if single else value)]


def _cuts(value, lending):
    """{"kick": ("kicks", 120, 300)}, or [("kicks", 120, 300, "kick")]."""
    if isinstance(value, Mapping):
        value = [(*_flat(frames), name) for name, frames in value.items()]
    out = []
    for each in value:
        if isinstance(each, Mapping):
            out.append(dict(each))
            continue
        *frames, name = _flat(each)
        place = _segment(frames[0] if len(frames) == 1 else tuple(frames), lending)
        out.append({**place, "name": name})
    return out


def _flat(value):
    return value if isinstance(value, tuple) else (value,)


def _plain(value):
    """Numpy's numbers and results as JSON has them."""
    if isinstance(value, Result):
        return value._data
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _switch(value, lending):
    return bool(value)


_encoders = {
    "switch": _switch, "whole": _number, "number": _number, "text": _path, "name": _path, "word": None, "clip": _clip,
    "numbers": _numbers, "texts": _texts, "clips": _clips, "cuts": _cuts, "pair": _pair, "document": _document,
    "segment": _segment, "segments": _segments, "frame": _frame, "range": _range, "table": _table, "file": _file,
    "files": _files,
}


def _body_of(operation, values, frames, lending):
    body = {}
    for row, value in zip(operation.rows, values):
        if value is None:  # as most are
            continue
        key, encode, default = row
        if value is default:
            continue
        if type(value) is type(default) and value == default:
            continue
        if key == "metric" and not isinstance(value, str) and operation.takes_own_metric:
            lending.metric = Metric.of(value)
            continue
        body[key] = encode(value, lending) if encode is not None else value
    if frames is not None:
        place = body.get(operation.frames_of)
        if not isinstance(place, dict):
            raise ValueError(f"frames are those of {operation.frames_of}, which is missing")
        first = place.get("start", 0)
        start, end = _range(frames, lending)
        place["start"], place["end"] = first + start, first + end
    return body


def _settle_times(body, library):
    """Times of a clip need its rate, which only the C side knows: there they are a text."""
    for key, value in body.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and "times" in each:
                start, end = each.pop("times")
                clip = library[each["clip"]] if library is not None else None
                if clip is None:
                    clip = load(each["clip"])
                each["start"], each["end"] = round(start * clip.fps), round(end * clip.fps)


def _know_columns(body, lending):
    """How many numbers a row of a metric has, the library asks before it reads a clip: the first one is asked here."""
    metric = lending.metric
    body["own_metric"] = metric.name
    if metric.columns is not None:
        return
    for value in body.values():
        place = value[0] if isinstance(value, list) and value else value
        if isinstance(place, dict) and "clip" in place:
            metric.rows(lending.clip_of(place["clip"]))
            return
    raise ValueError(f"the metric {metric.name} must have weights= here, as no clip is given to count its numbers by")


# ---- running ------------------------------------------------------------------------------------


class _Call:
    """An operation that was run, and what it borrows; its arrays show its memory, and pictures are drawn of it."""

    __slots__ = ("handle", "contexts", "lent")

    def __init__(self, own, pointer, contexts, lent):
        # It keeps its own context in C, which takes less of a short call than to do it here.
        close = lib.bridge_call_close
        self.handle = ffi.gc(pointer, close) if len(contexts) == 1 else own.own(pointer, close, contexts[1:])
        self.contexts = contexts  # the first is its own
        self.lent = lent

    def draw(self, library, kind, path):
        own, contexts = self.contexts[0], self.contexts
        if own.process != os.getpid():
            raise RequestError("this answer was made before the process was forked: run it again to draw it")
        kind = bytes_of(kind) if kind is not None else ffi.NULL
        if library is not None:
            contexts = [*contexts, library._context]
        with locked(contexts), own.working("picture"):
            # Another thread may close it until here.
            handle = ffi.NULL if library is None or library._handle is None else library._handle
            own.call(lib.bridge_draw, self.handle, handle, kind, os.fsencode(path))


def _made_of(own, call, result, kept):
    clip, facts = ffi.new("marey_clip **"), ffi.new("bridge_facts *")
    if not lib.bridge_made(call.handle, clip, facts):
        return None
    if not clip[0]:
        raise MemoryError
    made = Made._adopt(own, clip[0], _Facts.of(facts), None, kept)
    made.result = result
    return made


def _arrays_of(call):
    array, arrays, index = ffi.new("bridge_array *"), {}, 0
    while lib.bridge_array_at(call.handle, index, array):
        shape, strides = (array.rows, array.columns), (4 * array.stride, 4)
        memory = _Memory(call, array.values, shape, "<f4", strides)
        arrays[text_of(array.name)] = np.asarray(memory)
        index += 1
    return arrays


def operate(operation, library, values, frames=None, clip=None, save_as=None, metric=None):
    """Runs an operation on a library (None: on files and clips in memory)."""
    if library is not None:
        own, handle = library._open()
    else:
        own, handle = context(), ffi.NULL
    lending = _Lending(library)
    body = _body_of(operation, values, frames, lending)
    if lending.timed:
        _settle_times(body, library)
    if metric is not None:
        lending.metric = Metric.of(metric)
    if lending.metric is not None:
        _know_columns(body, lending)
    text = _encode(body).encode()
    order = ffi.new(_order_type)
    order.operation, order.body_bytes, order.library = operation.c_name, len(text), handle
    keep = ffi.from_buffer(text)
    order.body = ffi.cast("const char *", keep)
    if library is not None:
        order.library_path = library._c_path
    contexts = [own]
    if lending.clips:
        keep = [keep, _lend(order, lending.clips)]
        for _, lent in lending.clips:
            if lent._context is not own:
                contexts.append(lent._context)
            contexts += lent._kept
    asked = None
    if lending.metric is not None or lending.features:
        asked = Asked(own)
        if lending.metric is not None:
            order.metric = asked.metric(lending.metric)
        order.features, order.feature_count = asked.features(list(lending.features.values())), len(lending.features)
    wants_clip = operation.has_arrays or (operation.makes_clip and (clip if clip is not None else not operation.clip_is_asked_for))
    order.wants_clip = wants_clip
    if save_as is not None:
        name = ffi.new("char[]", bytes_of(save_as))
        order.save_as = name
    out = ffi.new(_out_type)
    reporter = _reporter(operation.name)
    if reporter is not None:
        with locked(contexts), own.working(operation.name):
            _run(own, order, out, contexts, asked)
    else:
        _run(own, order, out, contexts, asked)
    pointer, size = out[0], ffi.new(_size_type)
    answer = lib.bridge_answer(pointer, size)
    result = Result._of_text(ffi.buffer(answer, size[0])[:], library, operation.name)
    said = ffi.string(lib.bridge_said(pointer))
    if not wants_clip and not operation.pictures:
        lib.bridge_call_close(pointer)
    else:
        call = _Call(own, pointer, contexts, (keep, lending.clips, asked))
    if said:
        for line in said.decode("utf-8", "surrogateescape").splitlines():
            warnings.warn(line.removeprefix("warning: "), MareyWarning, stacklevel=3)
    if operation.pictures:
        result._call, result._pictures = call, operation.pictures
    if operation.has_arrays:
        result._arrays = _arrays_of(call)
    if wants_clip and operation.makes_clip:
        made = _made_of(own, call, result, tuple(contexts[1:]))
        if made is not None:
            return made
    return result


def _run(own, order, out, contexts, asked):
    with own.lock if len(contexts) == 1 else locked(contexts):
        if is_limited():
            with own.timed():
                status = lib.bridge_run(own.handle, order, out, own.error)
                failure = own.failure_of(status) if status else None
        else:  # the usual way takes no longer for it
            status = lib.bridge_run(own.handle, order, out, own.error)
            failure = own.failure_of(status) if status else None
    if asked is not None and asked.failure is not None:
        lib.bridge_call_close(out[0])
        asked.settle()
    if failure is not None:
        raise failure


_lent_type, _lents_type = ffi.typeof("bridge_lent *"), ffi.typeof("bridge_lent[]")


def _lend(order, clips):
    lents = ffi.new(_lents_type, len(clips))
    keep = [lents]
    for i, (name, clip) in enumerate(clips):
        if clip._lent is None:
            clip._lent = _lent_of(clip)
        lents[i] = clip._lent[0][0]
        if name is not clip.name:
            keep.append(ffi.new("char[]", bytes_of(name)))
            lents[i].name = keep[-1]
    order.lent, order.lent_count = lents, len(clips)
    return keep


def _lent_of(clip):
    """(what the library is told of a clip, what that points to): made once, for a call to cost little."""
    lent, keep = ffi.new(_lent_type), []

    def text(value):
        keep.append(ffi.new("char[]", value))
        return keep[-1]

    lent.name, lent.licence, lent.clip = text(bytes_of(clip.name)), text(bytes_of(clip.licence)), clip._handle
    lent.contacts, lent.contact_count = clip._facts.c_contacts()
    if clip._from:
        library, _, first, _ = clip._from
        lent.library, lent.origin, lent.first = library._c_path, lent.name, first
        keep.append(library._c_path)
    return lent, keep
