"""python_bench.py BUILD - the Python package's figures beside what is asked: BVH files into arrays against C, pybvh and a
plain loop, which take turns; what a call costs beside its work; and data sets (python_dataset_bench.py).
"""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import marey
from marey._native import ffi, lib

build = Path(sys.argv[1])
root = Path(__file__).resolve().parents[1]


def cpu(function, count=1):
    start = time.process_time()
    for _ in range(count):
        function()
    return (time.process_time() - start) / count


def wall_us(function, count):
    """The least of several rounds: what the call itself takes, not what others do meanwhile."""
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(count):
            function()
        best = min(best, (time.perf_counter() - start) / count)
    return best * 1e6


def row(what, asked, found):
    print(f"| {what} | {asked} | {found} |")


# ---- reading ----------------------------------------------------------------------------------


def plain(path):
    """A BVH file's numbers as who knows Python reads them."""
    with open(path) as file:
        text = file.read()
    lines = text[text.index("Frame Time:") :].splitlines()[1:]
    return np.array([[float(number) for number in line.split()] for line in lines if line.strip()], dtype=np.float32)


def read_files(folder):
    files = sorted(folder.rglob("*.bvh"), key=lambda path: -path.stat().st_size)[:6]
    size = sum(path.stat().st_size for path in files)
    marey.configure(threads=1, progress=False)

    def ours():
        for path in files:
            marey.load(path).positions

    def rotations():
        for path in files:
            marey.load(path).rotations

    def by_c():
        return sum(
            float(subprocess.run([build / "bench/bench_array", path, "1"], check=True, capture_output=True, text=True).stdout)
            for path in files
        )

    try:
        import pybvh
    except ImportError:
        pybvh = None
    times = {"marey": [], "C": [], "plain": [], "pybvh": [], "turns": []}
    ours()
    for turn in range(5):
        times["marey"].append(cpu(ours))
        times["C"].append(by_c())
        times["turns"].append(cpu(rotations))
        if turn < 2:
            times["plain"].append(cpu(lambda: [plain(path) for path in files]))
        if pybvh and turn < 3:
            times["pybvh"].append(cpu(lambda: [pybvh.read_bvh_file(str(path)) for path in files]))
    mb = {name: size / 1e6 / min(each) for name, each in times.items() if each}
    row(f"BVH to an array of positions, {len(files)} files, {size / 1e6:.0f} MB", "", f"{mb['marey']:.0f} MB/s")
    ratio = statistics.median(ours / c for ours, c in zip(times["marey"], times["C"]))
    row("its time against C, medians of turns", "1.05", f"{ratio:.3f}")
    row("against a plain Python loop, which has only the numbers", "20 times", f"{mb['marey'] / mb['plain']:.0f} times")
    if pybvh:
        row(f"against pybvh {pybvh.__version__}: both to rotations", "3 times", f"{mb['turns'] / mb['pybvh']:.1f} times ({mb['pybvh']:.0f} MB/s)")
    else:
        row("against pybvh", "3 times", "skipped: pybvh is not installed")


# ---- calls ------------------------------------------------------------------------------------


def calls(library):
    clip = library["walk_slow"]
    worst, name = 0, ""
    for each in ("frames", "fps", "seconds", "name", "joints", "positions", "rotations", "root", "units", "height_cm"):
        took = wall_us(lambda: getattr(clip, each), 3000)
        if took > worst:
            worst, name = took, each
    row("an attribute of a clip, the slowest of ten", "3 us", f"{worst:.2f} us ({name})")

    # What is left of a call when the operation itself has been done before.
    cases = {
        "contacts of frames of a clip": lambda: library.contacts("walk_slow", frames=(0, 100)),
        "graph_ls": lambda: library.graph_ls(),
        "quality of a clip in memory": lambda: marey.quality(clip),
        "search, with its matches": lambda: library.search("kicks", frames=(120, 240)),
    }
    for name, function in cases.items():
        row(f"an operation beside its work: {name}", "10 us", f"{beside_work(function):.1f} us")


class Done:
    """The library's functions, but that an operation was run already."""

    def __init__(self):
        self.last = None

    def bridge_run(self, handle, order, out, error):
        if self.last is None:
            status = lib.bridge_run(handle, order, out, error)
            self.last = out[0]
            return status
        out[0] = self.last
        return 0

    def bridge_call_close(self, call):
        pass

    def __getattr__(self, name):
        return getattr(lib, name)


def beside_work(function):
    from marey import _operate

    done = Done()
    _operate.lib = done
    try:
        function()
        return wall_us(function, 500)
    finally:
        _operate.lib = lib
        lib.bridge_call_close(done.last)


def main():
    print("| what | asked | found |\n|---|---|---|")
    folder = Path(os.environ.get("MAREY_MOCAP", root / "../shared/mocap")) / "cmu"
    read_files(folder if folder.is_dir() else build / "tests/whole-demo")
    demo = build / "tests/whole-demo/demo.marey"
    if demo.exists():
        calls(marey.open(demo, "read"))


if __name__ == "__main__":
    main()
