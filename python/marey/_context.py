"""_context.py - contexts: whose memory and threads a call takes, who may call, and who is told of it.

Every Python thread has a context of its own, so that threads work at the same time. What was made in a context
belongs to it: a call that concerns things of several contexts has all of them for itself.
"""
import contextlib
import importlib.util
import os
import sys
import threading

from ._native import ffi, lib
from .errors import LimitError, error_of, text_of

__all__ = ["Context", "configure", "context", "ctx_bytes"]

_settings = {"threads": 0, "memory_limit": 0, "max_seconds": 0, "progress": None, "generation": 0}
_local = threading.local()
_bridge = ffi.typeof("bridge *")
_has_tqdm = importlib.util.find_spec("tqdm") is not None


class Context:
    """Whose memory and threads calls take. What was made in it may outlive it in Python."""

    __slots__ = ("handle", "ctx", "lock", "error", "generation", "process", "reporter", "failure", "is_timed", "_self", "__weakref__")

    def __init__(self, threads, memory_limit, generation):
        handle = lib.bridge_open(threads, memory_limit)
        if not handle:
            raise MemoryError
        self.handle = ffi.gc(handle, lib.bridge_close)
        self.ctx = lib.bridge_ctx(handle)
        self.lock = threading.RLock()
        self.error = ffi.new("marey_error *")
        self.generation = generation
        self.process = os.getpid()
        self.reporter = None
        self.failure = None
        self.is_timed = False
        self._self = None

    def call(self, function, *args):
        """Calls a function whose last parameter is an error; raises it."""
        with self.lock:
            error = self.error
            error.message[0] = b"\0"
            status = function(*args, error)
            if status:
                raise self.failure_of(status)

    def failure_of(self, status):
        """The exception for what `error` says, while it is still known whether time is over."""
        if status == lib.MAREY_ERR_CANCELLED and lib.marey_ctx_timed_out(self.ctx):
            return LimitError(f"not done within {_settings['max_seconds']:g} s, the most that it may take")
        return error_of(status, self.error)

    @contextlib.contextmanager
    def timed(self):
        """What is called in it may take `max_seconds` together."""
        with self.lock:
            seconds = 0 if self.is_timed else _settings["max_seconds"]
            if not seconds:
                yield
                return
            self.is_timed = True
            lib.marey_ctx_limit_time(self.ctx, seconds)
            try:
                yield
            finally:
                lib.marey_ctx_limit_time(self.ctx, 0)
                self.is_timed = False

    def own(self, pointer, release, kept=()):
        """A pointer that is released when nothing refers to it any more; the C side's context waits for it, and so do those
        of `kept`, whose memory it may be in."""
        bridges = [one.handle for one in (self, *kept)]
        for bridge in bridges:
            lib.bridge_keep(bridge)
        return ffi.gc(pointer, _Release((release, lib.bridge_close, *(ffi.cast(_bridge, bridge) for bridge in bridges))))

    @contextlib.contextmanager
    def working(self, what, shown=True):
        """Ctrl-C cancels what is called in it, it may take so long and no longer, and its progress is shown."""
        with self.timed():
            reporter = _reporter(what) if shown else None
            if reporter:
                self.reporter = reporter
                self._self = ffi.new_handle(self)
                lib.bridge_report(self.handle, lib.marey_python_progress, self._self, reporter.apart_s)
            lib.bridge_listen(self.handle)
            try:
                yield
            finally:
                lib.bridge_unlisten(self.handle)
                self.reporter = None
                if reporter:
                    lib.bridge_report(self.handle, ffi.NULL, ffi.NULL, 0)
                    reporter.close()
                failure, self.failure = self.failure, None
                if failure is not None:
                    lib.marey_ctx_resume(self.ctx)
                    raise failure


class _Release(tuple):
    """What it takes to release a pointer. A tuple: objects that refer to each other in circles are emptied in any order
    before they are freed, but for tuples, so this can be called whenever it comes to that."""

    __slots__ = ()

    def __call__(self, pointer):
        release, close, *bridges = self
        release(pointer)
        for bridge in bridges:
            close(bridge)


def context():
    """The context of this thread. A process that was forked takes none over from its parent."""
    own = getattr(_local, "context", None)
    if own is None or own.generation != _settings["generation"] or own.process != os.getpid():
        own = Context(_settings["threads"], _settings["memory_limit"], _settings["generation"])
        _local.context = own
    return own


@contextlib.contextmanager
def locked(contexts):
    """Several at once, in one order, so that no two threads wait for each other."""
    with contextlib.ExitStack() as stack:
        for one in sorted(set(contexts), key=id):
            stack.enter_context(one.lock)
        yield


def configure(*, threads=None, memory_limit=None, max_seconds=None, progress=None):
    """Settings of what is loaded, opened and made from now on.

    threads: how many threads a call may use (0: one for each processor; results are the same for any number).
    memory_limit: bytes that each Python thread's clips and work may take at once (0: no limit).
    max_seconds: how long an operation, a picture or the reading of a file may take (0: any time); what takes longer raises
    `LimitError` and leaves nothing half done.
    progress: True, False, or a function(text, done, total); by default bars are shown where `tqdm` is installed
    and somebody is watching.
    """
    if threads is not None:
        if not 0 <= threads <= 256:
            raise ValueError(f"threads must be 0 to 256, got {threads}")
        _settings["threads"] = int(threads)
    if memory_limit is not None:
        if memory_limit < 0:
            raise ValueError(f"memory_limit must be 0 or more, got {memory_limit}")
        _settings["memory_limit"] = int(memory_limit)
    if max_seconds is not None:
        if not 0 <= max_seconds <= 1e9:
            raise ValueError(f"max_seconds must be 0 to 1e9, got {max_seconds}")
        _settings["max_seconds"] = float(max_seconds)
    if progress is not None:
        _settings["progress"] = progress
    _settings["generation"] += 1


def is_limited():
    return _settings["max_seconds"] > 0


def ctx_bytes():
    """Bytes that this thread's clips and results hold now."""
    return lib.marey_ctx_bytes(context().ctx)


# ---- progress ---------------------------------------------------------------------------------


class _Bar:
    """A tqdm bar that is seen once the work takes a while."""

    apart_s = 0.1

    def __init__(self, tqdm, what):
        self.make = lambda text, total: tqdm(desc=f"{what}: {text}" if text else what, total=total or None, leave=False)
        self.bar = None
        self.text = None

    def __call__(self, text, done, total):
        if self.bar is None or text != self.text:
            self.close()
            self.bar, self.text = self.make(text, total), text
        self.bar.n = done
        self.bar.refresh()

    def close(self):
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class _Told:
    """A function of the user's: it hears everything."""

    apart_s = 0.0

    def __init__(self, function):
        self.function = function

    def __call__(self, text, done, total):
        self.function(text, done, total)

    def close(self):
        pass


def _is_watched():
    return sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules


def _reporter(what):
    wanted = _settings["progress"]
    if callable(wanted):
        return _Told(wanted)
    if wanted is False or not _has_tqdm or (wanted is None and not _is_watched()):
        return None
    from tqdm.auto import tqdm

    return _Bar(tqdm, what)


def _stop(kind, error, trace):
    """What goes wrong while progress is told ends the work, and is raised when it has ended."""
    own = getattr(_local, "telling", None)
    if own is not None:
        own.failure = error if error is not None else kind()
        lib.marey_ctx_cancel(own.ctx)


@ffi.def_extern(onerror=_stop)
def marey_python_progress(user, text, done, total):
    own = ffi.from_handle(user)
    _local.telling = own
    if own.reporter is not None:
        own.reporter(text_of(text), done, total)
