"""scale_bench.py BUILD [model [WORK...] | engines [EVERY]] - how long work on large libraries takes, and how well it is
shared, as the tables of docs/results/scale.md.

model: webs, motifs and graphs of parts of a real library of 247,000 frames at 30 a second; a curve is fitted to what the small
parts take of a processor, which other work on the machine changes least, and held against the largest. engines: the webs of a
part by one process, and by two at once, of processes on this machine, Open MPI and Slurm; of every 4th clip, or every so many-th.
The library is cmu_large.marey of $MAREY_MOCAP (default:
../shared/mocap).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
os.environ["MAREY_BUILD"] = str(BUILD)

from shared_work import MOCAP, PROGRAM, content, copy_library, marey  # noqa: E402
from slurm_here import Slurm, slurm_is_there  # noqa: E402

LIBRARY = MOCAP / "cmu_large.marey"
ENVIRONMENT = {**os.environ, "MAREY_PROGRAM": str(PROGRAM), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
FPS = 30
SHARDS, ROUNDS = 32, 3  # of engines


def part_of(folder, name, every):
    """Every so many-th clip of the library, and how many frames that are at 30 a second."""
    path = folder / f"{name}.marey"
    copy_library(LIBRARY, path)
    path.chmod(0o644)
    clips = json.loads(marey("ls", path, "--json"))["clips"]
    kept, left = clips[every // 2::every], []
    names = {clip["name"] for clip in kept}
    left = [clip["name"] for clip in clips if clip["name"] not in names]
    if left:
        marey("rm", path, "--purge", *left, "--quiet")
    return path, sum(clip["seconds"] * FPS for clip in kept)


class Took:
    """What a command took: by the clock, of processors with all processes that it waited for, and its peak of memory in MB."""

    def __init__(self, *words):
        with tempfile.NamedTemporaryFile("r") as said:
            begun = time.monotonic()
            run = subprocess.run(["/usr/bin/time", "-o", said.name, "-f", "%M %U %S", *map(str, words)], capture_output=True,
                                 text=True, env=ENVIRONMENT)
            self.seconds = time.monotonic() - begun
            if run.returncode:
                sys.exit(f"{' '.join(map(str, words))}: {run.returncode}: {run.stderr[-500:]}")
            kib, user, system = said.read().split()[-3:]
        self.megabytes = int(kib) / 1024
        self.processor = float(user) + float(system)


# ---- a model ------------------------------------------------------------------------------------

def fit(points):
    """a frames + b frames^2 that is nearest to the times, each by its share of it; neither is negative."""
    def best(terms):
        # Normal equations of one or two terms, weighted by 1 / seconds.
        rows = [([frames ** power / seconds for power in terms], 1) for frames, seconds in points]
        if len(terms) == 1:
            one = sum(row[0] for row, _ in rows) / sum(row[0] ** 2 for row, _ in rows)
            return {terms[0]: one}
        aa, ab, bb = (sum(row[i] * row[j] for row, _ in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
        a, b = (sum(row[i] for row, _ in rows) for i in (0, 1))
        determinant = aa * bb - ab * ab
        return {terms[0]: (a * bb - b * ab) / determinant, terms[1]: (b * aa - a * ab) / determinant}

    found = best((1, 2))
    if min(found.values()) < 0:
        found = best((2,)) if found[1] < 0 else best((1,))
    return {1: found.get(1, 0.0), 2: found.get(2, 0.0)}


def at(model, frames):
    return model[1] * frames + model[2] * frames ** 2


def span(seconds):
    for size, word in ((86400, "days"), (3600, "hours"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {word}"
    return f"{seconds:.0f} s"


# Words around the library; every so many-th clip of it, small parts first; of the part that is held back.
WORKS = {
    "webs": (["index"], ["--web", "--fps", FPS], (16, 8, 4), 1),
    "webs below 100 cm2": (["index"], ["--web", "--fps", FPS, "--ceiling", 100], (16, 8, 4), 1),
    "motifs": (["motifs"], [], (16, 8, 4), 1),
    "graph": (["graph", "build"], ["g", "--fps", FPS, "--threshold", "30"], (64, 32, 16), 8),
    "cluster graph": (["cluster", "build"], ["c", "--fps", "10"], (16, 8, 4), 2),
}


def model(folder, which):
    print("| work | frames | processor | clock | memory |\n|---|--:|--:|--:|--:|")
    models = {}
    for name, (before, after, small, large) in WORKS.items():
        if which and name not in which:
            continue
        points = []
        for every in (*small, large):
            path, frames = part_of(folder, f"part{every}", every)
            took = Took(PROGRAM, *before, path, *after, "--quiet")
            size = path.stat().st_size / 1e6
            print(f"| {name} | {frames:,.0f} | {took.processor:.1f} s | {took.seconds:.1f} s | {took.megabytes:.0f} MB; the library "
                  f"{size:.0f} MB |", flush=True)
            points.append((frames, took.processor))
            path.unlink()
        found = fit(points[:-1])
        told = at(found, points[-1][0])
        print(f"{name}: {found[1] * 1e6:.2f} s a million frames + {found[2] * 1e12 / 1e3:.3f} s a thousand million pairs; "
              f"the largest is {100 * (told / points[-1][1] - 1):+.0f} % off", file=sys.stderr)
        models[name] = (found, told / points[-1][1] - 1, fit(points))
    print("\n| work, of one processor | the model's error at the size held back | 1 million | 10 million | 100 million frames |\n"
          "|---|--:|--:|--:|--:|")
    for name, (_, off, all_of) in models.items():
        print(f"| {name} | {100 * off:+.0f} % | " + " | ".join(span(at(all_of, frames)) for frames in (1e6, 1e7, 1e8)) + " |")


# ---- engines ------------------------------------------------------------------------------------

def engines(folder, every):
    """Alone and by each engine in turn, several times over: machines that others share are a fifth faster or slower from one minute
    to the next, so what counts is what each took in all of the rounds."""
    base, frames = part_of(folder, "base", every)
    marey("index", base, "--quiet")  # the poses that libraries of today have from the start
    own = folder / "own.marey"
    engines_there = ["here"] + ["mpi"] * bool(shutil.which("mpirun") and (BUILD / "marey-mpi").is_file())
    slurm = None
    if slurm_is_there():
        (folder / "slurm").mkdir()
        slurm = Slurm(folder / "slurm", ENVIRONMENT)
        engines_there += ["slurm"] * slurm.is_up()
    took = {engine: [] for engine in engines_there}
    alone, merging, hashes = [], {engine: [] for engine in engines_there}, {engine: set() for engine in engines_there}
    wanted = set()
    print(f"\n{frames:,.0f} frames at {FPS} a second; two processes at once, {SHARDS} shards, {ROUNDS} rounds\n", flush=True)
    try:
        for _ in range(ROUNDS):
            copy_library(base, own)
            alone.append(Took(PROGRAM, "index", own, "--web", "--fps", FPS, "--threads", 1, "--quiet"))
            wanted.add(content(own))
            for engine in engines_there:
                copy_library(base, own)
                took[engine].append(Took(BUILD / "marey-batch", "--engine", engine, "--jobs", 2, "--shards", SHARDS, "--keep",
                                         "index", own, "--web", "--fps", FPS))
                hashes[engine].add(content(own))
                copy_library(base, own)
                parts = sorted(Path(f"{own}.parts").glob("part-*"))
                merging[engine].append(Took(PROGRAM, "merge", own, *parts, "--quiet"))
                shutil.rmtree(f"{own}.parts")
    finally:
        if slurm:
            slurm.stop()
    print("| engine | alone, one thread | shared | of it merging | of linear | in each round | the same, by the processor | the same hash |\n"
          "|---|--:|--:|--:|--:|--:|--:|---|")
    for engine in engines_there:
        # Slurm's tasks are no processes of marey-batch.
        of_processor = "-" if engine == "slurm" else f"{sum_of(alone, 'processor') / sum_of(took[engine], 'processor'):.2f}"
        rounds = ", ".join(f"{one.seconds / two.seconds / 2:.2f}" for one, two in zip(alone, took[engine]))
        print(f"| {engine} | {sum_of(alone) / ROUNDS:.1f} s | {sum_of(took[engine]) / ROUNDS:.1f} s | "
              f"{sum_of(merging[engine]) / ROUNDS:.1f} s | {sum_of(alone) / sum_of(took[engine]) / 2:.2f} | {rounds} | {of_processor} | "
              f"{'yes' if hashes[engine] == wanted and len(wanted) == 1 else 'NO'} |")


def sum_of(took, what="seconds"):
    return sum(getattr(one, what) for one in took)


if not LIBRARY.is_file():
    sys.exit("skipped: there is no cmu_large.marey; set MAREY_MOCAP to a folder laid out as docs/data.md says")
asked = sys.argv[2] if len(sys.argv) > 2 else None
with tempfile.TemporaryDirectory(prefix="marey-scale-") as folder:
    if asked in (None, "model"):
        model(Path(folder), sys.argv[3:])
    if asked in (None, "engines"):
        engines(Path(folder), int(sys.argv[3]) if asked and len(sys.argv) > 3 else 4)
