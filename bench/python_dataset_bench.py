"""python_dataset_bench.py BUILD - data sets of a million frames beside what is asked: how fast rows are made and windows
are read, in processor time of one thread, and the memory that this takes beside the mapped file.

The CMU library of the shared motion where there is one; and clips of the demo, as often as makes a million.
"""
import glob
import os
import shutil
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import marey

build = Path(sys.argv[1])
root = Path(__file__).resolve().parents[1]
FEATURES = "positions|rot6d|contacts"


def row(what, asked, found):
    print(f"| {what} | {asked} | {found} |", flush=True)


class Memory:
    """The most that the process held at once, but for files that it mapped."""

    def __init__(self):
        self.most_mb, self.ends = 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.ends.wait(0.005):
            with open("/proc/self/status") as file:
                held = next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
            self.most_mb = max(self.most_mb, held / 1024)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()


def fastest(function, rounds=3, before=lambda: None):
    """Processor seconds of the fastest round: the others waited for caches that other programs filled."""
    times = []
    for _ in range(rounds):
        before()
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def measure(name, path):
    with Memory() as memory:
        data = marey.dataset(path, features=FEATURES)
    frames, windows = len(data._table.rows), len(data)
    row(f"{name}: memory while {frames:,} rows are made", "300 MB", f"{memory.most_mb:.0f} MB")
    took = fastest(lambda: marey.dataset(path, features=FEATURES), 3, lambda: remove(path))
    row(f"{name}: rows of {data._table.rows.shape[1]} numbers made a second", "200,000", f"{frames / took:,.0f}")
    took = fastest(lambda: marey.dataset(path, features=FEATURES), 2)
    row(f"{name}: the same file opened again, every byte looked at", "", f"{took:.2f} s")

    def views():
        for i in range(windows):
            data[i]

    def copies():
        for _ in data.batches(256, shuffle=True, seed=1):
            pass

    row(f"{name}: windows of {data.window} frames a second, as views", "200,000", f"{windows / fastest(views):,.0f}")
    part = data._part(data._starts[::10])
    row("the same as copies, shuffled, 256 at once", "20,000", f"{len(part) / fastest(lambda: drain(part)):,.0f}")
    normal = part.normalize()
    row("the same normalized", "", f"{len(part) / fastest(lambda: drain(normal)):,.0f}")
    with Memory() as memory:
        for view in data:
            view[0, 0]
        copies()
    row(f"{name}: memory while they are read", "300 MB", f"{memory.most_mb:.0f} MB")


def remove(path):
    """The cache, so that it is made."""
    for each in glob.glob(f"{glob.escape(str(path))}.frames-*"):
        os.unlink(each)


def drain(data):
    for _ in data.batches(256, shuffle=True, seed=1):
        pass


def million_of_demo(folder):
    """Clips of the demo under many names."""
    library = marey.open(folder / "demo.marey", "create")
    with marey.open(build / "tests/whole-demo/demo.marey", "read") as demo:
        clips = list(demo)
    frames = 0
    for number in range(1000):
        for clip in clips:
            if frames < 1_000_000:
                library.put(clip, f"{number}_{clip.name}")
                frames += len(clip)
    library.close()
    return library.path


def main():
    warnings.simplefilter("ignore")
    marey.configure(threads=1, progress=False)
    with tempfile.TemporaryDirectory(prefix="marey-bench-") as folder:
        folder = Path(folder)
        shared = Path(os.environ.get("MAREY_MOCAP", root / "../shared/mocap")) / "cmu_large.marey"
        if shared.exists():
            path = shutil.copy(shared, folder / "cmu.marey")
            marey.open(path, "write").close()  # of an earlier schema, it is held in memory while it is only read
            measure("CMU", path)
        if (build / "tests/whole-demo/demo.marey").exists():
            measure("demo", million_of_demo(folder))


if __name__ == "__main__":
    main()
