#!/usr/bin/python3
"""The standard body of `marey solve` for AMASS files: lengths between the joints of roles in one frame of every clip, scaled to
a height of 170 cm; the median of each subject's clips, then of all subjects.

usage: standard_body.py PROGRAM FILE..."""

import json
import math
import os
import statistics
import struct
import subprocess
import sys
import tempfile

PAIRS = {
    "hips apart": ("left_hip", "right_hip"),
    "thigh": ("left_hip", "left_knee"),
    "shank": ("left_knee", "left_ankle"),
    "foot": ("left_ankle", "left_toe"),
    "shoulders apart": ("left_shoulder", "right_shoulder"),
    "upper arm": ("left_shoulder", "left_elbow"),
    "forearm": ("left_elbow", "left_wrist"),
    "chest to neck": ("chest", "neck"),
    "neck to head": ("neck", "head"),
    "hips to chest": ("hips", "chest"),
    "hips to neck": ("hips", "neck"),
}


def middle(a, b):
    return [(x + y) / 2 for x, y in zip(a, b)]


def measure(program, path, folder):
    info = json.loads(subprocess.run([program, "info", path, "--json"], capture_output=True, check=True).stdout)["clips"][0]
    array = os.path.join(folder, "p.npy")
    where = json.loads(subprocess.run([program, "positions", f"{path}#{info['frames'] // 2}", "-o", array, "--json"],
                                      capture_output=True, check=True).stdout)
    data = open(array, "rb").read()
    numbers = struct.unpack(f"<{3 * len(where['joints'])}f", data[-12 * len(where["joints"]):])
    at = {role: numbers[3 * where["joints"].index(joint):][:3] for role, joint in info["roles"].items() if joint}
    scale = 170 / info["height_cm"]
    found = {name: scale * math.dist(at[a], at[b]) for name, (a, b) in PAIRS.items()}
    found["hips above the hip joints"] = scale * math.dist(at["hips"], middle(at["left_hip"], at["right_hip"]))
    found["shoulders from the neck"] = scale * math.dist(at["neck"], middle(at["left_shoulder"], at["right_shoulder"]))
    return found


subjects = {}
with tempfile.TemporaryDirectory() as work:
    for file in sys.argv[2:]:
        stem = os.path.basename(file).split("_")
        subjects.setdefault("_".join(stem[:-1][:2]) if stem[0] == "HDM" else stem[0], []).append(measure(sys.argv[1], file, work))
print(len(subjects), "subjects")
for key in list(PAIRS) + ["hips above the hip joints", "shoulders from the neck"]:
    of = sorted(statistics.median(clip[key] for clip in clips) for clips in subjects.values())
    print(f"{key:28} {statistics.median(of):6.1f}   {of[0]:6.1f} .. {of[-1]:.1f}")
