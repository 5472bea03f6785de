"""defaults_table.py - transitions and loops of real clips with nothing set, as tables in Markdown.

usage: defaults_table.py MAREY MOCAP FOLDER
40 pairs and 30 clips of one capture each, drawn by lot with a fixed seed; no pair twice, in either order, and
each capture with as many as its clips are of all. What is made and a strip of each is kept in FOLDER, to be
looked at.
"""
import itertools
import json
import pathlib
import random
import subprocess
import sys

PAIRS, LOOPS = 40, 30
JUMP = 1.1


def ask(marey, *words):
    done = subprocess.run([marey, *map(str, words), "--json"], capture_output=True, text=True)
    try:
        return json.loads(done.stdout) | {"captured": "it jumps where they do" in done.stderr}
    except json.JSONDecodeError:
        return {"error": {"message": done.stderr.strip()}}


def strip(marey, clip):
    subprocess.run([marey, "render", str(clip), "-o", str(clip.with_suffix(".png")), "--width", "1000",
                    "--height", "200", "--quiet"], capture_output=True, check=False)


def clips_of(mocap):
    """Lists of clips that have one skeleton."""
    groups = [sorted((mocap / "cmu").glob("*.bvh")), sorted((mocap / "bandai").glob("*.bvh")),
              sorted((mocap / "accad").glob("*.bvh"))]
    return [group for group in groups if len(group) > 1]


def pairs_of(groups, draw):
    """PAIRS pairs in all; the shares are rounded so that they add up, the largest rests first."""
    total = sum(map(len, groups))
    shares = [PAIRS * len(group) / total for group in groups]
    counts = [int(share) for share in shares]
    rests = sorted(range(len(groups)), key=lambda i: counts[i] - shares[i])
    for i in rests[: PAIRS - sum(counts)]:
        counts[i] += 1
    for group, count in zip(groups, counts):
        for pair in draw.sample(list(itertools.combinations(group, 2)), count):
            yield draw.sample(pair, 2)


def transitions(marey, groups, folder, draw):
    refused = skips = jumps = captured = 0
    print("| from | to | leaves at s | enters at s | distance, cm RMS | over the usual limit | jump | "
          "leaves out |\n|---|---|---|---|---|---|---|---|")
    for n, (a, b) in enumerate(pairs_of(groups, draw)):
        out = folder / f"transition_{n:02}.bvh"
        made = ask(marey, "transition", a, b, "-o", out)
        if "error" in made:
            refused += 1
            print(f"| {a.stem} | {b.stem} | refused: {made['error']['message']} | | | | | |")
            continue
        strip(marey, out)
        skips += made["skips"]
        captured += made["captured"]
        jumps += made["jump_ratio"] > JUMP and not made["captured"]
        cut = made["cuts"][0]
        print(f"| {a.stem} | {b.stem} | {cut['a'] / made['fps']:.2f} | {cut['b'] / made['fps']:.2f} "
              f"| {cut['cost'] ** 0.5:.1f} | {'yes' if made['over_limit'] else ''} "
              f"| {made['jump_ratio']:.2f}{' captured' if made['captured'] else ''} "
              f"| {'yes' if made['skips'] else ''} |", flush=True)
    print(f"\n{PAIRS} transitions: {refused} refused, {skips} leave out what a clip is about, {jumps} with "
          f"a joint faster than {JUMP} times those of its clips, besides {captured} with a leap that was "
          "captured.")


def loops(marey, groups, folder, draw):
    refused = stands = jumps = 0
    print("\n| clip | s | stands, s | distance at the seam, cm RMS | jump |\n|---|---|---|---|---|")
    every = [clip for group in groups for clip in group]
    for n, clip in enumerate(draw.sample(every, LOOPS)):
        out = folder / f"loop_{n:02}.bvh"
        made = ask(marey, "loop", clip, "-o", out)
        if "error" in made:
            refused += 1
            print(f"| {clip.stem} | refused: {made['error']['message']} | | | |")
            continue
        strip(marey, out)
        best = made["loops"][0]
        stands += best["still_s"] > 0
        jumps += made["jump_ratio"] > JUMP
        print(f"| {clip.stem} | {made['seconds']:.2f} | {best['still_s']:.2f} | {best['cost'] ** 0.5:.1f} "
              f"| {made['jump_ratio']:.2f} |", flush=True)
    print(f"\n{LOOPS} loops: {refused} refused, {stands} with still frames, {jumps} with a joint faster than "
          f"{JUMP} times those of its clip.")


def main():
    marey, mocap, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    groups, draw = clips_of(mocap), random.Random(26)
    transitions(marey, groups, folder, draw)
    loops(marey, groups, folder, draw)


main()
