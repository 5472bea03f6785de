"""walk_paths.py - walks along the paths of a file through the demo's graph, as a table in Markdown.

usage: walk_paths.py MAREY LIBRARY PATHS FOLDER
A line of PATHS is a name, a colon and points x,z in centimetres. Every walk is made by the program,
as a user would, and kept in FOLDER.
"""
import json
import pathlib
import subprocess
import sys

MEAN_CM = 10  # asked for


def ask(marey, *words):
    done = subprocess.run([marey, *words, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    marey, library, paths, folder = sys.argv[1:]
    names, faults, missed, rounded, worst, jump = 0, 0, 0, 0, 0.0, 0.0
    print("| path | drawn m | rounded at | off what was drawn, cm: mean, most | end reached "
          "| off the path, cm: mean, most | s | jump | faults |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line in pathlib.Path(paths).read_text().splitlines():
        name, _, points = line.partition(":")
        points = points.strip()
        before = ask(marey, "graph", "path", library, "standard", "--path", points)
        out = str(pathlib.Path(folder) / (name.replace(" ", "_") + ".bvh"))
        walk = ask(marey, "graph", "walk", library, "standard", "--path", points, "-o", out)
        print(f"| {name} | {before['drawn_cm'] / 100:.1f} | {len(before['rounded'])} "
              f"| {before['mean_off_cm']:.0f}, {before['rounded_cm']:.0f} "
              f"| {'yes' if walk['arrived'] else '**no**'} "
              f"| {walk['path_cm']:.1f}, {walk['path_worst_cm']:.1f} | {walk['seconds']:.1f} "
              f"| {walk['jump_ratio']:.2f} | {len(walk['faults'])} |", flush=True)
        names += 1
        faults += len(walk["faults"]) > 0
        missed += not walk["arrived"] or walk["path_cm"] > MEAN_CM
        rounded += len(before["rounded"]) > 0
        worst = max(worst, walk["path_cm"])
        jump = max(jump, walk["jump_ratio"])
    print(f"\n{names} paths: {names - missed} walked to their end at {MEAN_CM} cm or less off what is "
          f"followed, {worst:.1f} cm at worst; {rounded} were rounded at a place or more. Joints "
          f"jump by {jump:.2f} at most; {faults} have faults.")
    return 1 if missed else 0


sys.exit(main())
