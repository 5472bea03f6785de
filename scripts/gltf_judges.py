"""gltf_judges.py - what check_gltf_* and check_opened share: sample clips as .glb with the truth about their joints.

Each check asks one other program. The samples are small clips made here, the example, the demo clips, and
real ones where there are any ($MAREY_MOCAP, default ../shared/mocap). The truth is `marey positions`, in
centimetres. Programs from npm go into the build folder, in the versions that tests/gltf/package.json names.
"""

import array
import ast
import fcntl
import json
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from csource import ROOT, finish, skip

BUILD = Path(os.environ.get("MAREY_BUILD") or ROOT / "build").resolve()
MOCAP = Path(os.environ.get("MAREY_MOCAP") or ROOT / "../shared/mocap")
PROGRAM = BUILD / "marey"
REAL = ("cmu/02_02.bvh", "bandai/dataset-1_kick_normal_001.bvh", "accad/Male1_B3_Walk.bvh",
        "cmu_asfamc/02_02.amc", "hdm05/kickLFront1Reps/HDM_bd_kickLFront1Reps_001_120.amc",
        "format_zoo/three.js__pirouette.bvh", "format_zoo/bvhviewer__debug_axes.bvh")
DEMO_CLIPS = ("cartwheels", "hops", "idles", "jog_curve")
SIX = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
MADE = {  # two joints of one name, quotes and letters of other languages, a joint that stretches
    "odd": f"""HIERARCHY
ROOT my "rig": H\u00fcfte
{{
OFFSET 0 0 0
{SIX}
JOINT leg
{{
OFFSET 9 -40 0
{SIX}
JOINT leg
{{
OFFSET 0 -40 3
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{{
OFFSET 0 -5 12
}}
}}
}}
}}
MOTION
Frames: 3
Frame Time: 0.04
0 90 0 0 0 0 9 -40 0 10 20 30 5 0 0
3 91 1 40 5 0 9 -41 0 10 60 30 5 0 0
6 92 2 80 9 170 9 -43 0 10 99 30 5 0 0
""",
    "still": f"""HIERARCHY
ROOT point
{{
OFFSET 0 0 0
{SIX}
}}
MOTION
Frames: 1
Frame Time: 0.04
1 2 3 40 50 60
""",
}


class Sample:
    """A clip as .glb, and where its joints are: truth[frame] is x, y, z of each, in cm."""

    def __init__(self, clip, glb):
        run(PROGRAM, "convert", clip, glb, "--quiet")
        positions = glb.with_suffix(".npy")
        run(PROGRAM, "positions", clip, "-o", positions, "--quiet")
        self.name, self.clip, self.path = clip.name, clip, glb
        self.truth = read_npy(positions)
        self.text = read_json(glb)
        self.joints = [self.text["nodes"][j]["name"] for j in self.text["skins"][0]["joints"]]

    def worst(self, seen):
        """The farthest any number of `seen`, in metres, is from the truth, in cm."""
        if [len(row) for row in seen] != [len(row) for row in self.truth]:
            return float("inf")
        return max(abs(100 * a - b) for x, y in zip(seen, self.truth) for a, b in zip(x, y))


def run(*command, **more):
    """The output of a program, which must not fail."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          encoding="utf-8", errors="replace", timeout=120, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]} {command[1]} failed: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout


def read_npy(path):
    """frames x joints x 3 float32 as one array of numbers a frame."""
    data = path.read_bytes()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    frames, joints, _ = ast.literal_eval(data[10:start].decode())["shape"]
    numbers = array.array("f", data[start:])
    return [numbers[f * joints * 3:(f + 1) * joints * 3] for f in range(frames)]


def read_json(path):
    data = path.read_bytes()
    return json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])


def demo_clips(folder):
    run(PROGRAM, "demo", folder, *[word for name in DEMO_CLIPS for word in ("--take", name)])
    return [folder / f"{name}.bvh" for name in DEMO_CLIPS]


def make_samples(folder):
    clips = []
    for name, text in MADE.items():
        clips.append(folder / f"{name}.bvh")
        clips[-1].write_text(text, encoding="utf-8")
    clips.append(ROOT / "examples/wave.bvh")
    clips += demo_clips(folder / "demo")
    clips += [MOCAP / name for name in REAL if (MOCAP / name).is_file()]
    if os.environ.get("MAREY_LONG"):
        for real in ("cmu/*.bvh", "bandai/*.bvh", "hdm05/*/*.amc"):
            clips += sorted(MOCAP.glob(real))[::4]
    return [Sample(clip, folder / f"{i}.glb") for i, clip in enumerate(clips)]


def npm_folder():
    """Where the programs from npm are, with the scripts of tests/gltf beside them; skips if they cannot
    be had. Checks may run at the same time, and one of them installs."""
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    folder = BUILD / "gltf-judges"
    folder.mkdir(exist_ok=True)
    wanted = json.loads((ROOT / "tests/gltf/package.json").read_text())["dependencies"]

    def has(name):
        about = folder / "node_modules" / name / "package.json"
        return about.is_file() and json.loads(about.read_text())["version"] == wanted[name]

    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in (ROOT / "tests/gltf").iterdir():
            shutil.copyfile(path, folder / path.name)
        if not all(has(name) for name in wanted):
            try:
                run("npm", "install", "--ignore-scripts", "--no-package-lock", "--no-audit",
                    "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000", cwd=folder)
            except (RuntimeError, subprocess.TimeoutExpired):
                skip("npm cannot install " + " and ".join(wanted))
    return folder


def judge(name, find):
    """find(samples) says what is wrong with the samples: a list of texts."""
    if not PROGRAM.is_file():
        skip(f"{PROGRAM.name} is not built")
    with tempfile.TemporaryDirectory(prefix="marey-gltf-") as folder:
        samples = make_samples(Path(folder))
        problems = find(samples)
    finish(f"gltf {name}", problems, f"nothing wrong with {len(samples)} files")


def judge_positions(name, tolerance_cm, see):
    """see(samples) is, for each sample, where the program shows its joints: frames of numbers in metres."""
    def find(samples):
        problems, worst = [], 0
        for sample, seen in zip(samples, see(samples)):
            off = sample.worst(seen)
            worst = max(worst, off)
            if not off <= tolerance_cm:
                problems.append(f"{sample.name}:1: {name} shows joints {off:.3g} cm from their place")
        print(f"largest difference: {worst:.2g} cm; {tolerance_cm} cm are allowed")
        return problems

    judge(name, find)
