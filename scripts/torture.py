"""torture.py - the shipped program with calls to the C library that fail on purpose. tests/torture/torture.c lies under it by
LD_PRELOAD, and a page of shared memory says which call fails; a Server is one such program, which waits where main would
begin and makes a copy of itself for every run. Standard library only."""

import array
import collections
import ctypes
import errno
import mmap
import os
import signal
import socket
import struct
import subprocess
from pathlib import Path

from csource import ROOT, skip

BUILD = Path(os.environ.get("MAREY_BUILD") or ROOT / "build").resolve()
PROGRAM = BUILD / "marey"
BELOW = BUILD / "tests/libmarey_torture.so"
LONGEST_S = 120  # that a run may take before it counts as hanging

SHORT = 10000  # a fault that is no errno: fewer bytes than were asked for
# What calls of a kind fail with. An interrupted call and a short one must change nothing at all.
FAULTS = {
    "memory": (errno.ENOMEM,), "map": (errno.ENOMEM,), "open": (errno.EMFILE, errno.EIO), "read": (errno.EIO, errno.EINTR, SHORT),
    "write": (errno.ENOSPC, errno.EIO, errno.EINTR, SHORT), "sync": (errno.EIO,), "truncate": (errno.EIO,),
    "rename": (errno.EIO,), "link": (errno.EIO,), "unlink": (errno.EIO,), "close": (errno.EIO,), "status": (errno.EIO,),
    "seek": (errno.EIO,), "folder": (errno.ENOSPC,), "list": (errno.EIO,), "lock": (errno.EIO,), "mode": (errno.EPERM,),
    "resolve": (errno.EIO,), "access": (errno.EIO,), "wait": (errno.EINTR,), "channel": (errno.EMFILE,),
    "accept": (errno.EMFILE, errno.ECONNABORTED, errno.EINTR), "receive": (errno.ECONNRESET, errno.EINTR, SHORT),
    "send": (errno.ENOBUFS, errno.EINTR, SHORT), "spawn": (errno.EAGAIN,), "thread": (errno.EAGAIN,), "random": (errno.EINTR,),
}
UNNOTICED = (errno.EINTR, SHORT)
CALLS, STACK, NAMES, PLACES = 32, 40, 512, 1 << 21
FIELDS = ("kind", "number", "fault", "lasting", "noting", "target", "failed", "handle", "blocks", "handles", "returned", "process", "hits", "places")
CALLS_AT = 8 * len(FIELDS)
STACK_AT = CALLS_AT + 8 * CALLS
NAMES_AT = STACK_AT + 8 * STACK
PLACES_AT = NAMES_AT + NAMES
PAGE_SIZE = PLACES_AT + 8 * PLACES

for needed in (PROGRAM, BELOW):
    if not needed.is_file():
        skip(f"{needed.name} is not built")


class Page:
    """What a server and its driver both see; the fields are those of torture_page."""

    def __init__(self):
        self.handle = os.memfd_create("torture")
        os.ftruncate(self.handle, PAGE_SIZE)
        self.bytes = mmap.mmap(self.handle, PAGE_SIZE)

    def get(self, field):
        return struct.unpack_from("q", self.bytes, 8 * FIELDS.index(field))[0]

    def set(self, **values):
        for field, value in values.items():
            struct.pack_into("q", self.bytes, 8 * FIELDS.index(field), value)

    def reset(self, **values):
        self.bytes[:NAMES_AT] = bytes(NAMES_AT)
        self.set(handle=-1, **values)

    def names(self):
        return self.bytes[NAMES_AT:PLACES_AT].rstrip(b"\0").decode().split()

    def calls(self):
        return dict(zip(self.names(), struct.unpack_from(f"{CALLS}q", self.bytes, CALLS_AT)))

    def stack(self):
        return [at for at in struct.unpack_from(f"{STACK}Q", self.bytes, STACK_AT) if at]

    def places(self):
        """Of each kind, the places of its calls in their order."""
        found = array.array("Q", self.bytes[PLACES_AT:PLACES_AT + 8 * min(self.get("places"), PLACES)])
        names = self.names()
        by_kind = {name: [] for name in names}
        for place in found:
            by_kind[names[place & 255]].append(place)
        return by_kind


class Server:
    """The program, and what runs of it saw. One run at a time."""

    def __init__(self, name):
        self.name = name
        self.page = Page()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        around = {key: value for key, value in os.environ.items() if not key.startswith("MAREY_")}
        around.update(LD_PRELOAD=str(BELOW), MAREY_TORTURE=f"{theirs.fileno()},{self.page.handle}", MALLOC_PERTURB_="165",
                      SOURCE_DATE_EPOCH="1700000000")  # the same work gives the same bytes, which need no verify then
        self.process = subprocess.Popen([str(PROGRAM), "marey"], env=around, pass_fds=(theirs.fileno(), self.page.handle),
                                        preexec_fn=before_main)
        theirs.close()

    def begin(self, words, folder, given="/dev/null", **fault):
        """Starts a run in a folder. What it prints goes to files beside the folder."""
        self.page.reset(**fault)
        self.out, self.err = (Path(f"{folder}.{self.name}-{stream}") for stream in ("out", "err"))
        self.out.unlink(missing_ok=True)
        parts = (folder, given, self.out, self.err, "marey", *words)
        self.control.send(b"\0".join(str(part).encode() for part in parts))

    def stop(self, by):
        """Sends a signal to the process of the run, if it is still there."""
        process = self.page.get("process")
        if process:
            try:
                os.kill(process, by)
            except ProcessLookupError:
                pass  # it ended by itself

    def end(self, longest=LONGEST_S):
        """How the run ended: an exit status, -SIGNAL, or None if it had to be killed."""
        self.control.settimeout(longest)
        hangs = False
        try:
            reply = self.control.recv(4)
        except TimeoutError:
            hangs = True
            self.stop(signal.SIGKILL)
            self.control.settimeout(None)
            reply = self.control.recv(4)
        status = os.waitstatus_to_exitcode(struct.unpack("i", reply)[0])
        return None if hangs else status

    def run(self, words, folder, given="/dev/null", **fault):
        self.begin(words, folder, given=given, **fault)
        return self.end()

    def kind(self, name):
        return self.page.names().index(name)

    def where(self):
        """The stack of the call that failed, as MODULE+OFFSET, innermost first."""
        modules = []
        for line in Path(f"/proc/{self.process.pid}/maps").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) > 5 and words[5].startswith("/"):
                start, end = (int(word, 16) for word in words[0].split("-"))
                modules.append((start, end, int(words[2], 16), words[5]))
        found = []
        for at in self.page.stack():
            hit = next((module for module in modules if module[0] <= at < module[1]), None)
            found.append(f"{hit[3]}+{at - hit[0] + hit[2]:#x}" if hit else f"{at:#x}")
        return found

    def close(self):
        self.control.close()
        self.process.wait()


def before_main():
    """The server ends with its driver, and lies at the same addresses as every other one, so that places can be compared."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    ctypes.CDLL(None).personality(0x0040000)


def choose(places):
    """The calls of a run to be failed: from every place the first one alone, and the last one with all that follow. Each is a
    tuple of kind, number, fault, lasting, place."""
    points = []
    for kind, found in places.items():
        first, last = {}, {}
        for number, place in enumerate(found, 1):
            first.setdefault(place, number)
            last[place] = number
        for place in first:
            for fault in FAULTS[kind]:
                points.append((kind, first[place], fault, 0, place))
                if fault not in UNNOTICED:
                    points.append((kind, last[place], fault, 1, place))
    return points


def choose_places(places):
    """The same for threads that share the numbers: the number counts the calls from the place."""
    points = []
    for kind, found in places.items():
        counts = collections.Counter(found)
        for place in counts:
            for fault in FAULTS[kind]:
                points.append((kind, 1, fault, 0, place))
                if fault not in UNNOTICED:
                    points.append((kind, counts[place], fault, 1, place))
    return points
