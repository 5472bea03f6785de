"""library.py - a library: one file that holds a whole collection of motion."""
import os
import shutil
import tempfile
import weakref

from ._context import context, locked
from ._native import ffi, lib
from .clip import Clip, Skeleton, _Facts, contacts_to_c
from .errors import NotFoundError, RequestError, bytes_of, text_of
from .operations import LibraryOperations
from .results import Result

__all__ = ["Library", "open"]

_modes = {
    "read": lib.MAREY_LIBRARY_READ,
    "write": lib.MAREY_LIBRARY_WRITE,
    "create": lib.MAREY_LIBRARY_CREATE,
}


class Library(LibraryOperations):
    """A library of clips. `library["walk"]` is a clip, `library["walk#120-300"]` some of its frames, `len(library)`
    how many clips there are; operations are its methods.

    Threads may share it: their calls wait for each other. It is closed by `close()`, by the end of a `with`, or with
    its last reference.
    """

    _folder = None  # what removes the folder of a temporary one

    def __init__(self, path, mode=None):
        self.path = os.path.abspath(os.fspath(path))
        self._c_path = ffi.new("char[]", os.fsencode(self.path))
        if mode is None:
            mode = "write" if os.access(self.path, os.W_OK) else "read"
        if mode not in _modes:
            raise ValueError(f"mode must be read, write or create, got {mode!r}")
        self.mode = mode
        self._features = {}
        self._context = context()
        self._process = os.getpid()
        out = ffi.new("marey_library **")
        self._context.call(lib.marey_library_open, self._context.ctx, self._c_path, _modes[mode], out)
        self._handle = self._context.own(out[0], lib.marey_library_close)

    def _open(self):
        if self._handle is None:
            raise ValueError(f"{self.path} is closed")
        if self._process != os.getpid():  # after a fork, as by multiprocessing: one of its own
            features = self._features
            self.__init__(self.path, "write" if self.mode == "create" else self.mode)
            self._features = features
        return self._context, self._handle

    def close(self):
        """Closes the file. Clips that were taken out stay."""
        with self._context.lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                ffi.release(handle)
        if self._folder is not None:
            self._folder()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        return Library, (self.path, "write" if self.mode == "create" else self.mode)

    @property
    def version(self):
        """Another number whenever any program changed the library."""
        own, handle = self._open()
        version = ffi.new("int64_t *")
        own.call(lib.marey_library_version, handle, version)
        return version[0]

    def _sum(self):
        """What its clips are, as a number."""
        own, handle = self._open()
        total = ffi.new("uint64_t *")
        own.call(lib.marey_library_sum, handle, total)
        return total[0]

    # ---- clips ----

    @property
    def clips(self):
        """What is in it: name, number, frames, labels and so on of every clip."""
        return self.ls().clips

    @property
    def names(self):
        return [clip["name"] for clip in self.ls()._data["clips"]]

    def __len__(self):
        own, handle = self._open()
        count = ffi.new("int *")
        own.call(lib.marey_library_count, handle, False, count)
        return count[0]

    def __iter__(self):
        """Its clips, one after the other."""
        for name in self.names:
            yield self[name]

    def __contains__(self, name):
        try:
            self[name]
        except NotFoundError:
            return False
        return True

    def __getitem__(self, what):
        """A clip by its name or number, or some of its frames: "walk", 34, "walk#120-300", ("walk", 120, 300), or
        what a search found."""
        from ._operate import _Lending, _segment, _settle_times

        body = {"clip": _segment(what, _Lending(self))}
        place = body["clip"]
        if "times" in place:
            _settle_times(body, self)
        name = place["clip"]
        clip = self._take(f"#{name}" if isinstance(name, int) else name)
        if "start" in place:
            start, end = place["start"], place.get("end", place["start"] + 1)
            if not 0 <= start < end <= len(clip):
                raise RequestError(f"{clip.name}: frames {start}-{end} are outside the clip, which has {len(clip)}")
            clip = clip[start:end]
        return clip

    def _take(self, name):
        own, handle = self._open()
        clip, number = ffi.new("marey_clip **"), ffi.new("int64_t *")
        facts, entry = ffi.new("bridge_facts *"), ffi.new("bridge_entry **")
        with own.lock:
            own.call(lib.bridge_take, own.handle, handle, bytes_of(name), clip, number, facts, entry)
            try:
                known = _Facts.of(facts)
            finally:
                lib.bridge_entry_close(entry[0])
        taken = Clip._adopt(own, clip[0], known)
        taken._from = (self, number[0], 0, len(taken))
        return taken

    def put(self, clip, name=None, *, labels=None, description=None, licence=None):
        """Puts a clip that is in memory into the library, with its labels, plants and how it was made. Returns the
        name that it got: the next free one, where `name` is taken."""
        own, handle = self._open()
        known, keep = clip._facts, []

        def text(value):
            keep.append(ffi.new("char[]", bytes_of(value)))
            return keep[-1]

        facts = ffi.new("bridge_facts *")
        contacts, facts.contact_count = contacts_to_c(known.contacts)
        facts.contacts = contacts
        facts.description = text(known.description if description is None else description)
        facts.licence = text(known.licence if licence is None else licence)
        facts.provenance, facts.origin = text(known.provenance), text(known.origin)
        words = list(known.labels if labels is None else [labels] if isinstance(labels, str) else labels)
        array = ffi.new("char *[]", [text(word) for word in words] or [ffi.NULL])
        facts.labels, facts.label_count = array, len(words)
        got = ffi.new("char[]", 256)
        with locked([own, *clip._contexts()]):
            own.call(lib.bridge_put, handle, clip._handle, bytes_of(name or clip.name), facts, got, 256)
        return text_of(got)

    def lend(self, *features):
        """Lends features of your own (`marey.Feature`) to the families in it, for as long as it is open here."""
        for feature in features:
            self._features[feature.name] = feature

    def dataset(self, *args, **options):
        """Windows of frames as arrays, for learning: see `marey.dataset`."""
        from .dataset import dataset

        return dataset(self, *args, **options)

    def _repr_html_(self):
        from .pictures import html_of_library

        return html_of_library(self)

    def __repr__(self):
        state = "closed" if self._handle is None else f"{len(self)} clips"
        return f"<marey.Library {self.path}: {state}>"


def _remove(folder, process):
    """A process that was forked leaves the folder to its parent."""
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def open(path=None, mode=None):
    """Opens a library. mode: "read", "write", or "create", which makes it where there is none; by default "write"
    where the file may be written. Without a path it is a new one in a temporary file, which ends with it."""
    if path is None:
        folder = tempfile.mkdtemp(prefix="marey-")
        try:
            library = Library(os.path.join(folder, "library.marey"), "create")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        library._folder = weakref.finalize(library, _remove, folder, os.getpid())
        return library
    return Library(path, mode)
