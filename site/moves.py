"""moves.py - the moving pictures of the front page: clips that the program makes of its demo, drawn by `marey render`, in
loops of a few seconds that need no script, with a still picture for readers who asked for less motion. Read by make.py.

They are made anew when the program is newer than they are: that takes a few seconds each.
"""
import csv
import html
import math
import shutil
import subprocess
from pathlib import Path

RATE = 15  # frames a second of a loop
HEIGHT = 300

# name: (its words for those who do not see it, width, [commands that make it],
#        [(clip, width of its part)], seconds)
MOVES = {
    "find": (
        "A kick, and beside it the four kicks that a search for it found, one of them by a smaller body", 960, [],
        [(clip, 192) for clip in ("kicks.bvh#122-252", "mixed_fight.bvh#957-1082", "kicks.bvh#1137-1263",
                                  "small_fight.bvh#153-272", "kicks.bvh#618-750")], 2.2),
    "blend": (
        "A low kick on the left, a high one on the right, and between them one that is halfway", 480,
        ["blend kicks.bvh#622-750 kicks.bvh#1132-1264 --weights 1,1 -o middle.bvh"],
        [("kicks.bvh#622-750", 160), ("middle.bvh", 160), ("kicks.bvh#1132-1264", 160)], 2.1),
    "reach": (
        "Three reaches that were never captured: to the hips, to the breast, and over the head", 480,
        [f"param make demo.marey reach --at {at} -o reach{i}.bvh"
         for i, at in enumerate(("-20,95,40", "-15,125,48", "-25,165,35"))],
        [(f"reach{i}.bvh", 160) for i in range(3)], 2.4),
    "walk": (
        "A body walks along a path that was drawn on the floor", 480,
        ["graph walk demo.marey standard --path '0,0 400,0 600,200' -o curve.bvh"], [("curve.bvh", 480)], 3.4),
}
PUPPET = ("Seen from above: a gray dot wanders, and a blue one keeps away from it and looks at it", 480)
PART_S, STRIDE, FASTER = (2, 16), 5, 3  # of the puppet: which seconds, every how many rows, how many times as fast


def picture(name, up=""):
    """The HTML of a move, for a page from which `up` leads to the front."""
    alt, width = PUPPET if name == "puppet" else MOVES[name][:2]
    shown = f'alt="{html.escape(alt)}" width="{width}" height="{HEIGHT}"'
    at = f"{up}moves/{name}"
    calm = '<source media="(prefers-reduced-motion: reduce)"'
    if name == "puppet":
        return f'<picture>{calm} srcset="{at}-still.svg"><img src="{at}.svg" {shown}></picture>'
    return f'<picture>{calm} srcset="{at}-still.webp">' \
           f'<source type="image/avif" srcset="{at}.avif"><img src="{at}.webp" {shown}></picture>'


def write(build, folder):
    """Into `folder`; kept beside the build between runs, as drawing takes longer than all pages."""
    kept, part = build / "site-moves", build / "site-moves.part"
    newest = max((build / "marey").stat().st_mtime, Path(__file__).stat().st_mtime)
    if not kept.exists() or kept.stat().st_mtime < newest:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        draw_all(build, part)
        shutil.rmtree(kept, ignore_errors=True)
        part.rename(kept)
    shutil.copytree(kept, folder)


def draw_all(build, kept):
    work = kept / "work"
    shutil.copytree(demo_of(build), work)

    def marey(line):
        subprocess.run(["sh", "-c", f'marey() {{ "{build}/marey" "$@"; }}; marey {line} --quiet'], cwd=work, check=True,
                       capture_output=True, text=True)

    for name, (_, width, commands, parts, seconds) in MOVES.items():
        for command in commands:
            marey(command)
        for i, (clip, part) in enumerate(parts):
            # Wider than is shown: the camera goes away until a floor as wide as high fits, and more.
            marey(f"render '{clip}' -o {name}{i}.mp4 --width {max(part, 400)} --height {HEIGHT} --fps {RATE}")
        loop(work, kept, name, width, parts, seconds)
    marey("puppet run -L demo.marey shy puppets/main.csv -o shy.csv")
    paths(work, kept)
    shutil.rmtree(work)


def demo_of(build):
    """The whole demo, which the tests share."""
    folder = build / "tests/whole-demo"
    subprocess.run([Path(__file__).parent.parent / "tests/demo/make_demo.sh", build / "marey", folder], check=True)
    return folder


def loop(work, kept, name, width, parts, seconds):
    """The clips beside each other, the shorter ones held at their end: AVIF, WebP for browsers without it, and a still."""
    inputs = [word for i in range(len(parts)) for word in ("-i", f"{name}{i}.mp4")]
    gap = 3 if len(parts) > 1 else 0
    crops = [f"[{i}]crop={part - gap}:{HEIGHT},pad={part}:{HEIGHT}:0:0:white,tpad=stop_mode=clone:stop_duration=9,"
             f"trim=duration={seconds}[p{i}]" for i, (_, part) in enumerate(parts)]
    joined = "".join(f"[p{i}]" for i in range(len(parts))) + (f"hstack={len(parts)}" if len(parts) > 1 else "copy")
    filters = ";".join([*crops, joined + f",fps={RATE}[out]"])

    def encode(path, *how):
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *inputs, "-filter_complex", filters, "-map", "[out]",
                        *how, "-fflags", "+bitexact", "-flags:v", "+bitexact", str(path)], cwd=work, check=True)

    encode(kept / f"{name}.avif", "-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "6", "-crf", "41",
           "-threads", "1", "-loop", "0")  # one thread: the same bytes on every machine
    encode(kept / f"{name}.webp", "-r", "10", "-c:v", "libwebp_anim", "-q:v", "30", "-loop", "0")
    encode(kept / f"{name}-still.webp", "-ss", str(round(seconds * 0.45, 2)), "-frames:v", "1", "-c:v", "libwebp",
           "-q:v", "70")


def paths(work, kept):
    """Main character and puppet from above: a part of the table that the program wrote, as an SVG that moves by itself."""
    with open(work / "shy.csv", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    rows = [row for row in rows if PART_S[0] <= row["time"] <= PART_S[1]][::STRIDE]
    most = [max(row[f"{who}_{axis}"] for row in rows for who in ("main", "react")) for axis in "xy"]
    least = [min(row[f"{who}_{axis}"] for row in rows for who in ("main", "react")) for axis in "xy"]
    width = PUPPET[1]
    scale = min((width - 60) / (most[0] - least[0]), (HEIGHT - 60) / (most[1] - least[1]))
    middle = [(most[k] + least[k]) / 2 for k in range(2)]

    def place(row, who):
        return (width / 2 + (row[f"{who}_x"] - middle[0]) * scale, HEIGHT / 2 - (row[f"{who}_y"] - middle[1]) * scale)

    lasts = f'dur="{(PART_S[1] - PART_S[0]) / FASTER:g}s" repeatCount="indefinite"'
    floor = "".join(f"M{x:g} 0V{HEIGHT}" for x in steps(width, middle[0], scale)) + \
        "".join(f"M0 {y:g}H{width}" for y in steps(HEIGHT, -middle[1], scale))

    def walker(who, colour, moving):
        points = [place(row, who) for row in rows]
        line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        x, y = points[-1]
        nose = [f"{-math.degrees(angle):.0f}" for angle in unwrapped([row[f"{who}_dir"] for row in rows])]
        trail = f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="2" opacity=".45" pathLength="1"'
        body = f'<circle r="9" fill="{colour}"/><path d="M7 -6L17 0L7 6Z" fill="{colour}"/>'
        if not moving:
            return f'{trail}/><g transform="translate({x:.1f} {y:.1f}) rotate({nose[-1]})">{body}</g>'
        # The trail grows as the way was gone, which is not even: as much of its length as was gone by then.
        gone = [0.0]
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            gone.append(gone[-1] + math.hypot(x1 - x0, y1 - y0))
        left = ";".join(f"{1 - each / gone[-1]:.3f}" for each in gone)
        places = ";".join(f"{x:.1f} {y:.1f}" for x, y in points)
        moves = '<animateTransform attributeName="transform" type'
        return f'{trail} stroke-dasharray="1"><animate attributeName="stroke-dashoffset" values="{left}" {lasts}/></path>' \
               f'<g>{moves}="translate" values="{places}" {lasts}/>' \
               f'<g>{moves}="rotate" values="{";".join(nose)}" {lasts}/>{body}</g></g>'

    for name, moving in (("puppet", True), ("puppet-still", False)):
        (kept / f"{name}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}">'
            f'<rect width="{width}" height="{HEIGHT}" fill="#ececef"/><path d="{floor}" stroke="#d6d6da" fill="none"/>'
            + walker("main", "#55555c", moving) + walker("react", "#1560b8", moving) + "</svg>\n")


def steps(size, middle, scale):
    """Where the floor's lines are, a metre apart."""
    first = math.ceil((middle - size / 2 / scale) / 100) * 100
    return [size / 2 + (at - middle) * scale for at in range(first, int(middle + size / 2 / scale) + 1, 100)]


def unwrapped(angles):
    """Without leaps from half a turn to the other side."""
    out = angles[:1]
    for angle in angles[1:]:
        out.append(angle + 2 * math.pi * round((out[-1] - angle) / (2 * math.pi)))
    return out
