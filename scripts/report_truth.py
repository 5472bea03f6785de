#!/usr/bin/python3
"""How often the import report is right about the rate, as a table in Markdown.

Runs `marey info` on every CMU file of $MAREY_MOCAP (default ../shared/mocap), as the files are and
read at wrong rates, and compares with the capture rates noted in sets/cmu_sets.txt; then on every
Bandai and ACCAD file, whose claims are true.
usage: report_truth.py [PROGRAM]     default: $MAREY_BUILD/marey, else build/marey
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOCAP = Path(os.environ.get("MAREY_MOCAP") or ROOT.parent / "shared" / "mocap")
PROGRAM = (sys.argv[1] if len(sys.argv) > 1
           else str(Path(os.environ.get("MAREY_BUILD") or ROOT / "build") / "marey"))


def clips(folder, *options):
    files = sorted(str(path) for path in (MOCAP / folder).glob("*.bvh"))
    if not files:
        sys.exit(f"report_truth: no files in {folder} of the motion data; set MAREY_MOCAP")
    run = subprocess.run([PROGRAM, "info", "--json", *options, *files], capture_output=True,
                         check=True)
    return json.loads(run.stdout)["clips"]


def true_rates():
    """File name without ending -> (Hz, what it shows)."""
    rates = {}
    for line in (MOCAP / "sets" / "cmu_sets.txt").read_text().splitlines():
        row = re.match(r"\s*cmu/(\S+)\.bvh\t\d+\t(\d+)Hz\t(.*)", line)
        if row:
            rates[row[1]] = int(row[2]), row[3]
    return rates


def warned(clip):
    for text in clip["warnings"]:
        found = re.search(r"free flight .* fits ([\d.]+) Hz", text)
        if found:
            return float(found[1])
    return None


def table(rates):
    print("| file | shows | claimed | true | flights | free flight fits | warning |")
    print("|---|---|---|---|---|---|---|")
    for clip in clips("cmu"):
        rate, shows = rates[clip["name"]]
        fits = f"{clip['flight_fps']:.1f}" if clip["flights"] else "–"
        said = warned(clip)
        print(f"| {clip['name']} | {shows} | {clip['claimed_fps']:.0f} | {rate} "
              f"| {clip['flights'] or '–'} | {fits} | {f'{said:g} Hz' if said else '–'} |")


def summary(rates):
    print("| read as | wrong | warned | rightly | true rate named | false alarms |")
    print("|---|---|---|---|---|---|")
    for read_at in (None, 30, 60, 240):
        told = ["--source-fps", str(read_at)] if read_at else []
        wrong = right = named = false = 0
        for clip in clips("cmu", *told):
            rate, said = rates[clip["name"]][0], warned(clip)
            is_wrong = abs(rate - clip["fps"]) > 1
            wrong += is_wrong
            right += bool(said) and is_wrong
            named += said == rate and is_wrong
            false += bool(said) and not is_wrong
        print(f"| {f'{read_at} Hz' if read_at else 'claimed (120 Hz)'} | {wrong} | {right + false} "
              f"| {right} | {named} | {false} |")


def others():
    for folder in ("bandai", "accad"):
        all_of = clips(folder)
        print(f"{folder}: {len(all_of)} files, {sum(c['flights'] > 0 for c in all_of)} with free "
              f"flight, {sum(warned(c) is not None for c in all_of)} false alarms")


if __name__ == "__main__":
    RATES = true_rates()
    table(RATES)
    print()
    summary(RATES)
    print()
    others()
