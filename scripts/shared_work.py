"""shared_work.py - what check_shards and check_engines share: libraries to work on, and the works, each of which is done alone
once, so that what is shared can be held against it. Standard library only."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

from csource import ROOT, skip

BUILD = Path(os.environ.get("MAREY_BUILD") or ROOT / "build").resolve()
MOCAP = Path(os.environ.get("MAREY_MOCAP") or ROOT / "../shared/mocap")
PROGRAM = BUILD / "marey"
LONG = bool(os.environ.get("MAREY_LONG"))
DEMO_TAKES = ("walk_left", "idles", "sits", "hops")

if not PROGRAM.is_file():
    skip(f"{PROGRAM.name} is not built")


def marey(*words, check=True):
    """What a command prints; with check it must end well."""
    run = subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True, timeout=3600)
    if check and run.returncode:
        raise RuntimeError(f"marey {' '.join(map(str, words))}: {run.returncode}: {run.stderr}")
    return run.stdout


def content(library):
    return json.loads(marey("verify", library, "--hash", "--json"))["hash"]


def copy_library(source, target):
    for beside in ("-wal", "-shm"):
        Path(f"{target}{beside}").unlink(missing_ok=True)
    shutil.copyfile(source, target)


def small_library(folder):
    """Four takes of the demo."""
    marey("demo", folder / "takes", *[word for take in DEMO_TAKES for word in ("--take", take)], "--quiet")
    path = folder / "base.marey"
    marey("add", path, *[folder / "takes" / f"{take}.bvh" for take in DEMO_TAKES], "--quiet")
    return path


def demo_library(folder):
    marey("demo", folder / "demo", "--quiet")
    path = folder / "demo/demo.marey"
    marey("index", path, "--drop", "--quiet")
    return path


def real_library(folder, count):
    """Real clips, the same ones every time; None where there are none."""
    files = sorted((MOCAP / "cmu").glob("*.bvh"))
    if len(files) < count:
        return None
    path = folder / "real.marey"
    marey("add", path, *random.Random(29).sample(files, count), "--quiet")
    return path


class Work:
    """A command that can be shared, as words around the library, and the hash of the library that it alone leaves."""

    def __init__(self, before, after, base, folder):
        self.before, self.after, self.base = before, after, base
        self.one_by_one = before[0] in ("index", "doctor")
        self.name = " ".join(before + after)
        alone = folder / "alone.marey"
        copy_library(base, alone)
        marey(*self.words(alone), "--quiet")
        self.hash = content(alone)

    def words(self, library):
        return [*self.before, str(library), *self.after]


def works(base, folder):
    kinds = ((["index"], ["--web", "--fps", "20"]), (["motifs"], []), (["doctor"], []),
             (["graph", "build"], ["g", "--fps", "15"]), (["cluster", "build"], ["c", "--fps", "10"]))
    return [Work(before, after, base, folder) for before, after in kinds]
