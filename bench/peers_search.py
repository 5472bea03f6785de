#!/usr/bin/env python3
"""Searching beside packages that search time series: dtaidistance's subsequence alignment and stumpy.

The set of experiments/webs, its kinds of movement, the first occurrence of each in truth.json as the query. `marey
search` has nothing set; its time is that of a library that is open, beside it that of a process of its own. The others
have poses of the same clips in memory (places and velocities of all joints at 60 rows a second, every row turned so that
the hips lie along x, for they do not turn by themselves; marey weighs roles of bodies of one size), and get the number
of right ones that there are: they give so many nearest. All run in turn for every query. A match is right if it overlaps
an occurrence of the same kind and side by half of the shorter one, each counted once; the query itself is left out.

usage: peers_search.py [BUILD]     the folder of marey and libmarey.so; default: $MAREY_BUILD, else build
Needs numpy, and prints "skipped" for what is not installed (pip install numpy dtaidistance stumpy). Exit status 77:
there are no real clips, or no numpy.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOCAP = Path(os.environ.get("MAREY_MOCAP") or ROOT.parent / "shared" / "mocap")
BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MAREY_BUILD") or ROOT / "build")
FPS, WAY_S, SPAN = 60, 0.2, 4  # of poses; velocities are ways in so many seconds, over so many rows before and behind
KINDS = [("walk", ""), ("run", ""), ("jump", ""), ("hop", "left"), ("hop", "right"), ("punch", "left"),
         ("punch", "right"), ("cartwheel", "left"), ("cartwheel", "right"), ("sit down", ""), ("stand up", ""),
         ("step up", "left"), ("step up", "right"), ("kick", "left"), ("kick", "right"), ("reach", "left"),
         ("reach", "right")]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


try:
    import numpy as np
except ImportError:
    skip("numpy is not installed")
try:
    from dtaidistance.subsequence.dtw import subsequence_alignment
except ImportError:
    subsequence_alignment = None
try:
    import stumpy
except ImportError:
    stumpy = None


def marey(*arguments):
    return subprocess.run([BUILD / "marey", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def poses(library, path, folder):
    """Rows of a clip: places about their mean and velocities, turned to face one way, in cm."""
    marey("positions", path.stem, "-L", library, "--fps", FPS, "-o", folder / "clip.npy", "--quiet")
    places = np.load(folder / "clip.npy").astype(float)
    names = re.findall(r"(?:ROOT|JOINT)\s+(\S+)", path.read_text())
    rows = np.arange(len(places))
    before, behind = np.maximum(rows - SPAN, 0), np.minimum(rows + SPAN, len(places) - 1)
    seconds = np.maximum(behind - before, 1)[:, None, None] / FPS
    ways = (places[behind] - places[before]) / seconds * WAY_S
    places = places - places.mean(axis=1, keepdims=True)
    hips = places[:, names.index("LeftUpLeg")] - places[:, names.index("RightUpLeg")]
    turn = np.hypot(hips[:, 0], hips[:, 2])
    cosine, sine = (hips[:, 0] / turn)[:, None], (hips[:, 2] / turn)[:, None]
    out = []
    for part in (places, ways):
        x, y, z = part[..., 0], part[..., 1], part[..., 2]
        out += [cosine * x + sine * z, y, cosine * z - sine * x]
    return np.ascontiguousarray(np.concatenate(out, axis=1))


def shared(a, b):
    return min(a[1], b[1]) - max(a[0], b[0]) >= 0.5 * min(a[1] - a[0], b[1] - b[0])


def nearest(found, query, count):
    """The nearest (distance, clip, start, end) that are apart from each other and from the query."""
    kept = [(0, *query)]
    for one in sorted(found):
        if len(kept) > count:
            break
        if not any(k[1] == one[1] and shared(k[2:], one[2:]) for k in kept):
            kept.append(one)
    return [k[1:] for k in kept[1:]]


class Opened:
    """A library that is open for searches."""

    class Query(ctypes.Structure):
        _fields_ = [("clip", ctypes.c_char_p), ("outside", ctypes.c_void_p), ("start", ctypes.c_int),
                    ("end", ctypes.c_int)]

    def __init__(self, path):
        self.api = ctypes.CDLL(str((BUILD / "libmarey.so").resolve()))
        self.context, self.library, self.searcher = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.must(self.api.marey_ctx_open(None, ctypes.byref(self.context)))
        self.must(self.api.marey_library_open(self.context, str(path).encode(), 0, ctypes.byref(self.library), None))
        self.must(self.api.marey_searcher_open(self.library, ctypes.byref(self.searcher), None))

    @staticmethod
    def must(status):
        if status:
            sys.exit(f"marey failed with status {status}")

    def find(self, query):
        name, start, end = query
        found = ctypes.c_void_p()
        of = self.Query(name.encode(), None, 2 * start, 2 * end)
        self.must(self.api.marey_searcher_find(self.searcher, ctypes.byref(of), None, ctypes.byref(found), None))
        self.api.marey_finding_free(found)


def by_marey(library, clips, query, count):
    del clips, count
    name, start, end = query
    answer = json.loads(marey("search", library, f"{name}#{2 * start}-{2 * end}", "--json"))
    return [(m["clip"], m["start"] / 2, m["end"] / 2) for m in answer["matches"][1:]]


def by_dtaidistance(library, clips, query, count):
    del library
    name, start, end = query
    found = []
    for clip, rows in clips.items():
        aligned = subsequence_alignment(clips[name][start:end], rows, use_c=True)
        found += [(m.value, clip, m.segment[0], m.segment[1] + 1) for m in aligned.kbest_matches(k=count + 1)]
    return nearest(found, query, count)


def by_stumpy(library, clips, query, count):
    del library
    name, start, end = query
    length, found = end - start, []
    wanted = clips[name][start:end]
    for clip, rows in clips.items():
        if len(rows) < length:
            continue
        squares = sum(stumpy.core.mass_absolute(wanted[:, d], rows[:, d]) ** 2 for d in range(rows.shape[1]))
        for _ in range(count + 1):
            at = int(np.argmin(squares))
            if not np.isfinite(squares[at]):
                break
            found.append((squares[at], clip, at, at + length))
            squares[max(0, at - length // 2):at + length // 2 + 1] = np.inf
    return nearest(found, query, count)


def right_ones(found, truth):
    left = list(truth)
    for clip, start, end in found:
        at = next((t for t in left if t[0] == clip and shared(t[1:], (start, end))), None)
        if at:
            left.remove(at)
    return len(truth) - len(left)


def main():
    sets = MOCAP / "sets" / "cmu_sets.txt"
    if not sets.exists():
        skip(f"there is no real motion in {MOCAP}")
    part = sets.read_text().split("[a_kovar]")[1].split("TOTAL")[0]
    files = [MOCAP / name for name in re.findall(r"^  (cmu/\S+)", part, re.M)]
    takes = json.loads((ROOT / "experiments" / "webs" / "truth.json").read_text())["takes"]
    ways = {"marey": by_marey, "dtaidistance": by_dtaidistance, "stumpy": by_stumpy}
    for name, there in (("dtaidistance", subsequence_alignment), ("stumpy", stumpy)):
        if not there:
            print(f"{name}: skipped, it is not installed")
            del ways[name]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        library = folder / "set.marey"
        marey("add", library, *files, "--quiet")
        clips = {path.stem: poses(library, path, folder) for path in files}
        print(f"{len(clips)} clips, {sum(map(len, clips.values()))} poses\n")
        opened, opened_s = Opened(library), 0.0
        print("| query | there are | marey, open: ms | " + " | ".join(f"{w}: right of found, ms" for w in ways) + " |")
        print("|---|---|---|" + "---|" * len(ways))
        sums = {w: [0, 0, 0.0] for w in ways}  # right, found, seconds
        everything = 0
        for label, side in KINDS:
            truth = [(t["clip"], s["start"] // 2, s["end"] // 2) for t in takes for s in t["segments"]
                     if s["label"] == label and s.get("side", "") == side]
            query, others = truth[0], truth[1:]
            everything += len(others)
            opened.find(query)  # which reads what it needs
            opened.find((query[0], query[1], query[2] - 10))  # so that it remembers nothing
            start = time.perf_counter()
            opened.find(query)
            took = time.perf_counter() - start
            opened_s += took
            line = [f"{label} {side}".strip(), str(len(others)), f"{1e3 * took:.0f}"]
            for name, way in ways.items():
                if label == KINDS[0][0]:
                    way(library, clips, query, 1)  # what is made once: compiled code, files in memory
                start = time.perf_counter()
                found = way(library, clips, query, len(others))
                took, right = time.perf_counter() - start, right_ones(found, others)
                for i, one in enumerate((right, len(found), took)):
                    sums[name][i] += one
                line.append(f"{right} of {len(found)}, {1e3 * took:.0f}")
            print("| " + " | ".join(line) + " |", flush=True)
    each = 1e3 / len(KINDS)
    print(f"\n{everything} right ones in all; marey, open: {each * opened_s:.1f} ms a query")
    for name, (right, found, took) in sums.items():
        print(f"{name}: {right} right, {found - right} wrong, {each * took:.0f} ms a query, "
              f"{took / opened_s:.1f} x the time of marey with the library open")


main()
