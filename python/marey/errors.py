"""errors.py - what can go wrong, as exceptions with the C library's message, file and line."""
from ._native import ffi, lib

__all__ = [
    "Error", "InputError", "UnknownFormatError", "NotFoundError", "StaleError", "DamagedError", "RequestError",
    "ShapeError", "LimitError", "OutOfMemoryError", "MachineError", "BusyError", "CancelledError",
]


class Error(Exception):
    """Why a call failed: `message`, and where: `path`, `line` and `column` (None where there is no such place)."""

    def __init__(self, message, path=None, line=None, column=None):
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        place = ":".join(str(part) for part in (path, line, column) if part)
        super().__init__(f"{place}: {message}" if place else message)

    def __reduce__(self):
        return type(self), (self.message, self.path, self.line, self.column)


class InputError(Error, ValueError):
    """A file is damaged, missing, or not understood."""


class UnknownFormatError(InputError):
    """A file of no format that marey reads."""


class NotFoundError(InputError, LookupError):
    """A library has no clip, or nothing saved, of that name."""


class StaleError(InputError):
    """What it was made of is gone from the library."""


class DamagedError(InputError):
    """Stored bytes are not those that were written."""


class RequestError(Error, ValueError):
    """An invalid request: frames outside the clip, no such joint."""


class ShapeError(Error, ValueError):
    """Two things that must fit together do not."""


class LimitError(Error, ValueError):
    """Larger than marey accepts, or longer than `marey.configure(max_seconds=...)` allows; the message names the limit."""


class OutOfMemoryError(Error, MemoryError):
    """No memory, or the limit of `marey.configure(memory_limit=...)` is reached."""


class MachineError(Error, OSError):
    """The machine failed: disk full, write or read error."""

    def __str__(self):
        return Exception.__str__(self)


class BusyError(MachineError):
    """Another program is writing; trying again may help."""


class CancelledError(Error):
    """The work was cancelled; nothing was changed."""


_kinds = {
    lib.MAREY_ERR_INPUT: InputError,
    lib.MAREY_ERR_REQUEST: RequestError,
    lib.MAREY_ERR_SHAPE: ShapeError,
    lib.MAREY_ERR_LIMIT: LimitError,
    lib.MAREY_ERR_MEMORY: OutOfMemoryError,
    lib.MAREY_ERR_IO: MachineError,
    lib.MAREY_ERR_CANCELLED: CancelledError,
    lib.MAREY_ERR_UNKNOWN_FORMAT: UnknownFormatError,
    lib.MAREY_ERR_NOT_FOUND: NotFoundError,
    lib.MAREY_ERR_STALE: StaleError,
    lib.MAREY_ERR_DAMAGED: DamagedError,
    lib.MAREY_ERR_BUSY: BusyError,
}


def text_of(pointer):
    """A C text; names come from files, so bytes that are no UTF-8 are kept as surrogates."""
    return ffi.string(pointer).decode("utf-8", "surrogateescape") if pointer else ""


def bytes_of(text):
    return str(text).encode("utf-8", "surrogateescape")


def error_of(status, error):
    """The exception of a status and the C error that goes with it."""
    kind = _kinds.get(status, Error)
    if not error or not error.message[0]:
        return kind(text_of(lib.marey_status_name(status)))
    return kind(text_of(error.message), text_of(error.path) or None, error.line or None, error.column or None)
