#!/usr/bin/env python3
"""walk_table.py FOLDER - what a graph of several captures is worth, of the answers that run.sh left in FOLDER."""
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])


def read(name):
    return json.loads((folder / f"{name}.json").read_text())


source = {clip["name"]: clip["labels"][0] for clip in read("clips")["clips"]}
graph = read("mixed")
body = next(part["name"] for part in graph["parts"] if part["id"] == graph["skeleton"]["id"])
fits = {fit["clip"]: fit for fit in graph["retargeted"]}
print(f"{graph['clips']} clips, {graph['frames']} frames at {graph['fps']:g} a second, on the body of {body}; {graph['left_out']} left out\n")
print("| source | clips | frames | in the component | reach, % at worst | slide, cm |")
print("|---|---|---|---|---|---|")
for name in dict.fromkeys(source.values()):
    parts = [part for part in graph["parts"] if source[part["name"]] == name]
    own = [fits[clip] for clip in {part["name"] for part in parts} if clip in fits]
    frames, core = (sum(part[key] for part in parts) for key in ("nodes", "core"))
    reach, slide = (f"{max(fit[key] for fit in own):.2f}" if own else "-" for key in ("reach_percent", "slide_cm"))
    print(f"| {name} | {len({part['name'] for part in parts})} | {frames} | {core} ({100 * core / frames:.1f} %) | {reach} | {slide} |")

print("\n| walk of 60 s | transitions | from source to source | sources | jump | slide, cm | slide as `quality` finds it, cm | in CMU's own graph: jump, slide |")
print("|---|---|---|---|---|---|---|---|")
for seed in range(1, 11):
    walk, found = read(f"mixed-{seed}"), read(f"mixed-{seed}-quality")
    other, judged = read(f"cmu-{seed}"), read(f"cmu-{seed}-quality")
    way = [source[piece["clip"]] for piece in walk["pieces"]]
    crossed = sum(a != b for a, b in zip(way, way[1:]))
    print(f"| {seed} | {walk['transitions']} | {crossed} | {len(set(way))} | {walk['jump_ratio']:.2f} | {walk['slide_after_cm']:.3f} | "
          f"{found['slide_cm']:.2f} | {other['jump_ratio']:.2f}, {judged['slide_cm']:.2f} |")
