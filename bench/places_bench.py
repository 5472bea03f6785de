"""places_bench.py BUILD - what is asked where people already are (Blender, Debian, the site, agents) beside what their checks
measure, as the table of docs/results/places.md. The checks run one after the other; what one of them cannot try on this machine
is left out, and said below.
"""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

build = Path(sys.argv[1]).resolve()
root = Path(__file__).resolve().parents[1]
environment = {**os.environ, "MAREY_BUILD": str(build), "MAREY_LONG": "1", "MAREY_PYTHON_INSTALLED": "1"}
skipped, failed = [], []


def said(check):
    """All that a check prints; "" if it is skipped."""
    begun = time.monotonic()
    run = subprocess.run([root / "scripts" / check], cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, errors="replace")
    text = run.stdout + run.stderr
    print(f"{check}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    skipped.extend(f"{check}: {line[len('skipped: '):]}" for line in re.findall(r"^skipped: .*$", text, re.MULTILINE))
    if run.returncode not in (0, 77):
        failed.append(f"{check}: {' | '.join(text.strip().splitlines()[-6:])}")
    return text if run.returncode == 0 else ""


def row(what, asked, found):
    """One row, unless nothing was found."""
    if found:
        print(f"| {what} | {asked} | {found} |", flush=True)


def of(text, form, shown="{}"):
    """What a pattern finds, in words; None: it finds nothing."""
    match = re.search(form, text, re.MULTILINE)
    return shown.format(*match.groups() or [match[0]]) if match else None


def figures(text):
    """{name: number} of the add-on's tests."""
    return {name: float(number) for name, number in re.findall(r"^(\S.*): (\d+\.\d{4})$", text, re.MULTILINE)}


def span(found, ending, rigs=("metarig", "mixamo", "cmu")):
    """The worst on each rig of the figures whose names end so."""
    worst = [(rig, [number for name, number in found.items() if name.endswith(f", {rig}: {ending}")]) for rig in rigs]
    return ", ".join(f"{rig} {max(numbers):.4f}" for rig, numbers in worst if numbers)


def blender():
    text = said("check_blender")
    found = figures(text)

    def one(name, shown):
        return shown.format(found[name]) if name in found else None

    row("Blender, ten buttons on three rigs: bones' heads from marey's joints", "0.05 cm", span(found, "off by cm"))
    row("the same on a generated Rigify rig, bones that bend skins", "0.05 cm", one("generated rig: off by cm", "{:.4f}"))
    row("on new armatures, real clips among them", "0.05 cm", one("new armature: off by cm", "{:.4f}"))
    row("feet slide", "0.3 cm", span(found, "foot slide cm"))
    row("the hand from the empty", "1 cm", span(found, "cm from the empty"))
    row("a walk from its curve, on average", "–", span(found, "cm from the curve on average"))
    row("1,000 clips in the panel", "2 s", one("1,000 clips are listed after s", "{:.3f} s"))
    row("previews", "on demand", one("two strips are drawn after s", "none drawn before it is seen; two take {:.2f} s"))
    row("enabled and disabled, a console without a word, no handler left", "50 times",
        one("enabled and disabled without a trace, times", "{:.0f} times"))
    row("in a window", "cancel, undo in one step", of(text, r"^in a window: (.*)$"))
    row("the program instead of the package: apart", "–", one("program and package: apart by cm", "{:.4f} cm"))


def debian():
    text = said("check_deb")
    sizes = ", ".join(f"{name} {size}" for name, size in re.findall(r"^(\S+): ([\d.]+ MB)$", text, re.MULTILINE))
    row("Debian packages, built from the tree alone", "five", sizes)
    row("lintian; installed, used without rights, upgraded and purged in a clean Debian", "no error, no warning",
        of(text, r"^deb: (built.*)$"))


def site():
    text = said("check_site")
    row("site: links", "0 broken", of(text, r"([\d,]+) pages, ([\d,]+) links, none broken", "none of {1}, on {0} pages"))
    row("first view", "300 kB", of(text, r"front page loads (\d+ kB)"))
    row("commands typed by the test", "every one", of(text, r"(\d+) lines typed", "{}, of README.md, the site's own pages and operations"))
    row("lines of README.md", "120", str((root / "README.md").read_text(encoding="utf-8").count("\n")))
    row("commands of docs/ typed", "–", of(said("check_pages"), r"(\d+) lines of (\d+) pages", "{}, on {} pages"))


def others():
    row("a reader by docs/format.md alone", "100 lines", of(said("check_reader"), r"^reader: (.*)$"))
    row("marey mcp by the protocol's own client", "node 18", of(said("check_mcp"), r"^mcp: (.*)$"))


print("| what | asked | measured |\n|---|---|---|")
for place in (blender, site, others, debian):
    place()
for line in [f"\nnot tried here: {line}" for line in skipped] + [f"\nfailed: {line}" for line in failed]:
    print(line)
sys.exit(1 if failed else 0)
