"""results.py - what an operation answers: an object with attributes, as its JSON has them."""
import json
from collections.abc import Sequence

import numpy as np

__all__ = ["Result"]


class Result:
    """An answer, or a part of one. `result.matches[0].distance_cm`; `result["clip"]`; `result.to_dict()`.

    What has a start and an end also has `frames`, both as a pair. Where the answer is one list, the result can be
    gone through: `for match in library.search(...)`.
    """

    __slots__ = ("_text", "_parsed", "_library", "_operation", "_arrays", "_call", "_pictures")

    def __init__(self, data, library=None, operation=None):
        self._text = None
        self._parsed = data
        self._library = library
        self._operation = operation
        self._arrays = None
        self._call = None
        self._pictures = ()

    @classmethod
    def _of_text(cls, text, library, operation):
        """The bytes of a JSON text, which is read when it is asked for the first time."""
        own = cls(None, library, operation)
        own._text = text
        return own

    @property
    def _data(self):
        if self._text is not None:
            self._parsed = json.loads(self._text)
            self._text = None
        return self._parsed

    def _wrap(self, value):
        return Result(value, self._library, None) if isinstance(value, (dict, list)) and _has_parts(value) else value

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        data = self._data
        if isinstance(data, dict):
            if name in data:
                return self._wrap(data[name])
            if self._arrays and name in self._arrays:
                return self._arrays[name]
            if name == "frames" and "start" in data and "end" in data:
                return data["start"], data["end"]
        raise AttributeError(f"this answer has no {name}; it has {', '.join(self.__dir__())}")

    def __dir__(self):
        own = list(self._data) if isinstance(self._data, dict) else []
        if "start" in own and "end" in own and "frames" not in own:
            own.append("frames")
        return own + list(self._arrays or ())

    def _items(self):
        """The list that a loop over the answer is about: its first one of things with parts."""
        data = self._data
        if isinstance(data, list):
            return data
        for value in data.values():
            if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
                return value
        return next((value for value in data.values() if isinstance(value, list)), None)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._wrap(self._data[key])
        items = self._items()
        if items is None:
            raise TypeError("this answer is no list")
        if isinstance(key, slice):
            return [self._wrap(each) for each in items[key]]
        return self._wrap(items[key])

    def __iter__(self):
        items = self._items()
        if items is None:
            raise TypeError("this answer is no list")
        return (self._wrap(each) for each in items)

    def __len__(self):
        items = self._items()
        return len(items) if items is not None else len(self._data)

    def __bool__(self):
        return True

    def __contains__(self, key):
        return key in self._data

    def __eq__(self, other):
        return self._data == (other._data if isinstance(other, Result) else other)

    __hash__ = None

    def to_dict(self):
        """The answer as JSON has it."""
        return self._data

    def to_pandas(self):
        """The answer's list as a pandas DataFrame, a row for each."""
        import pandas

        items = self._items()
        return pandas.DataFrame(items if items is not None else [self._data])

    def __array__(self, dtype=None, copy=None):
        if self._arrays and len(self._arrays) == 1:
            array = next(iter(self._arrays.values()))
        elif isinstance(self._data, list):
            array = np.array(self._data)
        else:
            raise TypeError("this answer is no array")
        return array if dtype is None else array.astype(dtype)

    @property
    def pictures(self):
        """Names of what can be drawn of this answer, the usual one first: for `picture`."""
        return tuple(self._pictures)

    def picture(self, kind=None, format="png"):
        """A picture of the answer, as the program draws it: a `Picture`, which a notebook shows.

        kind: which one of `pictures`; the first by default.
        format: "png", "svg" or "pdf".

        The answer keeps what it is drawn from for as long as it lives. Strips of what was found are drawn from the
        library, which must be open.
        """
        from .pictures import picture_of_result

        return picture_of_result(self, kind, format)

    def __reduce__(self):
        # A copy has the answer, not what it came from: it cannot be drawn.
        return _copied, (self._data, self._library, self._operation, self._arrays)

    def _repr_html_(self):
        from .pictures import html_of_result

        return html_of_result(self)

    def __repr__(self):
        if isinstance(self._data, list):
            return f"[{', '.join(repr(each) for each in self)}]" if len(self._data) < 20 else f"<{len(self._data)} of {self[0]!r}>"
        parts = []
        for key, value in self._data.items():
            if isinstance(value, (list, dict)) and len(value) > 4:
                parts.append(f"{key}=<{len(value)}>")
            else:
                parts.append(f"{key}={value!r}" if not isinstance(value, float) else f"{key}={value:.6g}")
        return f"<{self._operation or 'marey'}: {', '.join(parts)}>"


def _copied(data, library, operation, arrays):
    copy = Result(data, library, operation)
    copy._arrays = arrays
    return copy


def _has_parts(value):
    if isinstance(value, dict):
        return True
    return bool(value) and isinstance(value[0], (dict, list))


Sequence.register(Result)
