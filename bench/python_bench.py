"""python_bench.py BUILD - the Python package's figures beside what is asked: BVH files into arrays against C, pybvh and a
plain loop, which take turns; what a call costs beside its work; and data sets (python_dataset_bench.py).
"""
import math
import os
import statistics
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np

import marey
from marey._native import lib

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


def turned(about, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if about == "X":
        return ((1, 0, 0), (0, c, -s), (0, s, c))
    return ((c, 0, s), (0, 1, 0), (-s, 0, c)) if about == "Y" else ((c, -s, 0), (s, c, 0), (0, 0, 1))


def times(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def plain_positions(path):
    """The same array as ours, but for the unit, by loops over frames and joints."""
    joints, open_joints = [], []  # (parent, offset, channels)
    with open(path) as file:
        for line in file:
            words = line.split()
            if not words or words[0] in ("HIERARCHY", "{", "MOTION", "Frames:"):
                continue
            if words[0] in ("ROOT", "JOINT", "End"):
                joints.append([next((at for at in reversed(open_joints)), -1), None, [], words[0] == "End"])
                open_joints.append(len(joints) - 1)
            elif words[0] == "OFFSET":
                joints[-1][1] = [float(word) for word in words[1:]]
            elif words[0] == "CHANNELS":
                joints[-1][2] = words[2:]
            elif words[0] == "}":
                open_joints.pop()
            elif words[0] == "Frame":
                break
        out = []
        for line in file:
            numbers = iter([float(word) for word in line.split()])
            frame, turns = [], []
            for parent, offset, channels, _ in joints:
                place, turn = list(offset), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
                for channel in channels:
                    if channel.endswith("position"):
                        place["XYZ".index(channel[0])] = next(numbers)
                    else:
                        turn = times(turn, turned(channel[0], next(numbers)))
                if parent >= 0:
                    at, of = frame[parent], turns[parent]
                    place = [at[i] + sum(of[i][k] * place[k] for k in range(3)) for i in range(3)]
                    turn = times(of, turn)
                frame.append(place)
                turns.append(turn)
            out.append([place for place, joint in zip(frame, joints) if not joint[3]])
    return np.array(out, dtype=np.float32)


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
    row("against a plain Python loop that makes the same array", "20 times", f"{against_loops(files[-1]):.0f} times")
    row("against one that stops at the numbers, before the skeleton moves", "", f"{mb['marey'] / mb['plain']:.1f} times")
    if pybvh:
        row(f"against pybvh {pybvh.__version__}: both to rotations", "3 times", f"{mb['turns'] / mb['pybvh']:.1f} times ({mb['pybvh']:.0f} MB/s)")
    else:
        row("against pybvh", "3 times", "skipped: pybvh is not installed")


def against_loops(path):
    """Loops take long, so of one file; what they come to is ours, but for the unit."""
    start = time.process_time()
    theirs = plain_positions(path)
    took = time.process_time() - start
    clip = marey.load(path, units="raw")
    theirs = theirs[len(theirs) - len(clip) :]
    far = np.abs(clip.positions - theirs).max() / np.abs(theirs).max()
    if far > 1e-4:
        sys.exit(f"the loop's positions are not ours: {far:.2g} of the largest number apart")
    return took / cpu(lambda: marey.load(path).positions, 3)


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


def beside_work(function):
    """What a call takes when its operation was run already, by a C library that answers at once."""
    from marey import _operate

    last = []

    def bridge_run(handle, order, out, error):
        status = 0
        if not last:
            status = lib.bridge_run(handle, order, out, error)
            last.append(out[0])
        out[0] = last[0]
        return status

    done = types.SimpleNamespace(**{name: getattr(lib, name) for name in dir(lib)})
    done.bridge_run, done.bridge_call_close = bridge_run, lambda call: None
    _operate.lib = done
    try:
        function()
        return wall_us(function, 500)
    finally:
        _operate.lib = lib
        lib.bridge_call_close(last[0])


def main():
    print("| what | asked | found |\n|---|---|---|")
    folder = Path(os.environ.get("MAREY_MOCAP", root / "../shared/mocap")) / "cmu"
    read_files(folder if folder.is_dir() else build / "tests/whole-demo")
    demo = build / "tests/whole-demo/demo.marey"
    if demo.exists():
        calls(marey.open(demo, "read"))
    sys.stdout.flush()
    # In a process of its own, as its memory is measured.
    subprocess.run([sys.executable, Path(__file__).with_name("python_dataset_bench.py"), build], check=True)


if __name__ == "__main__":
    main()
