#!/usr/bin/python3
"""make.py - the site: make.py BUILD [FOLDER]. Writes static pages into FOLDER (BUILD/site) from the Markdown of
docs/, the rows of the operations, the public headers, and clips that the program in BUILD makes and draws. Read markdown.py
for what Markdown is read, moves.py for the moving pictures, manual.py for operations and headers.

A page is called as its source is, with .html for .md, and every link is relative: the folder works wherever it is put.
"""
import html
import json
import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "site"), str(ROOT / "python")]

import manual
import moves
from markdown import Writer

# The sections of the site: name, the page that opens it, and its other pages in order; "*" stands for all of a folder.
SECTIONS = [
    ("Start", "site/start.md", ["docs/demo.md", "docs/data.md"]),
    ("Tasks", "site/tasks.md", [
        "docs/search.md", "docs/blending.md", "docs/parameters.md", "docs/graphs.md", "docs/puppets.md",
        "docs/clusters.md", "docs/doctor.md", "docs/retarget.md", "docs/solve.md", "docs/blender.md", "docs/library.md",
        "docs/history.md", "docs/studio.md", "docs/formats.md"]),
    ("Operations", "operations", ["operations/*"]),
    ("Programming", "site/programming.md", [
        "docs/python.md", "headers", "include/marey/*", "examples/README.md", "docs/metrics.md",
        "docs/studio-api.md", "docs/mcp.md", "docs/format.md", "docs/bvh.md",
        "docs/asfamc.md", "docs/c3d.md", "docs/points.md", "docs/fbx.md", "docs/gltf.md", "docs/scale.md", "docs/card.md", "docs/safety.md"]),
    ("Results", "site/papers.md", ["docs/results/*", "experiments/results/*"]),
    ("Gallery", "gallery", []),
]
# In no section, but with pages: what others link to.
OTHERS = ["CHANGELOG.md", "CONTRIBUTING.md", "docs/decisions/*"]
SHORT = {"docs/search.md": "Find", "docs/blending.md": "Blend, cut, loop",
         "docs/parameters.md": "Reach: ask for a motion", "docs/graphs.md": "Walk and steer",
         "docs/puppets.md": "React", "docs/clusters.md": "Sketch and switch",
         "docs/doctor.md": "Clean", "docs/retarget.md": "Retarget", "docs/solve.md": "Solve points", "docs/blender.md": "In Blender",
         "docs/library.md": "Keep clips", "docs/history.md": "Undo", "docs/studio.md": "The studio",
         "docs/formats.md": "Import and export", "docs/demo.md": "Demo clips", "docs/data.md": "Captured clips",
         "examples/README.md": "Examples in C", "docs/python.md": "Python"}
MOVE_OF = {"docs/search.md": "find", "docs/blending.md": "blend", "docs/parameters.md": "reach",
           "docs/graphs.md": "walk", "docs/puppets.md": "puppet"}
CMU = ("The data used in this project was obtained from mocap.cs.cmu.edu. "
       "The database was created with funding from NSF EIA-0196217.")
TABLE_OF = re.compile(r'^\{table of (\S+) with "([^"]+)" under "([^"]+)"\}$', re.MULTILINE)
WIDTH_OF_SEARCH_TEXT = 1500  # characters of a part of a page that the search goes through


class Page:
    def __init__(self, source, path, title, body, headings=(), kind=""):
        self.source, self.path, self.title, self.body, self.kind = source, path, title, body, kind
        self.headings = list(headings)


class Site:
    def __init__(self, build, out):
        self.build, self.out = build, out
        self.pages = {}      # by source
        self.wanted = []     # files of the repository that pages link to and that have none yet
        self.drawn = {}      # pictures that are used: source -> alternative text and page
        self.of_cmu = set()  # pages with pictures of CMU's clips, which asks for a line
        lines = (ROOT / "site/pictures.txt").read_text(encoding="utf-8").splitlines()
        self.pictures = dict(line.split(None, 1) for line in lines if line[:1] != "#")
        self.operations = manual.Operations(build)
        self.headers = manual.Headers(ROOT / "include/marey")

    # ---- where things are -----------------------------------------------------------------------

    def path_of(self, source):
        """The page of a file of the repository; one that has none yet gets one that shows it as it is."""
        source = posixpath.normpath(source)
        if source.startswith("site/") and source.endswith(".md"):
            return source[5:-3] + ".html"
        if source in ("README.md", "."):
            return "index.html"
        if (ROOT / source).is_dir():
            return "headers.html" if source == "include/marey" else self.path_of(source + "/README.md")
        if source.startswith("include/marey/") and source.endswith(".h"):
            return source[:-2] + ".html"
        if (ROOT / source).is_file() and source not in self.wanted:
            self.wanted.append(source)
        return source[:-3] + ".html" if source.endswith(".md") else source + ".html"

    def link_from(self, source):
        here, folder = posixpath.dirname(self.path_of(source)), posixpath.dirname(source)

        def link(target):
            if re.match(r"[a-z]+:", target):
                return target
            name, _, anchor = target.partition("#")
            if not name:
                return "#" + anchor
            there = posixpath.normpath(posixpath.join(folder, name))
            if there in self.pictures:
                return posixpath.relpath(there, here or ".")
            return posixpath.relpath(self.path_of(there), here or ".") + ("#" + anchor if anchor else "")

        return link

    def picture_from(self, source):
        """A picture, if site/pictures.txt says that it shows demo takes or CMU's clips; else only its words."""
        here, folder = posixpath.dirname(self.path_of(source)), posixpath.dirname(source)

        def picture(target, alt):
            there = posixpath.normpath(posixpath.join(folder, target))
            origin = self.pictures.get(there)
            if origin is None:
                raise SystemExit(f"{source}: site/pictures.txt does not say what {there} was made from")
            if origin.startswith("left out"):
                why = html.escape(origin.removeprefix("left out: "))
                return f'<em class="left-out">Picture left out here, {why}: {html.escape(alt)}</em>'
            self.drawn.setdefault(there, (alt, source))
            if "CMU" in origin:
                self.of_cmu.add(source)
            return self.image(there, alt, here or ".")

        return picture

    @staticmethod
    def image(picture, alt, here):
        width, height = manual.size_of_png(ROOT / picture)
        return (f'<img src="{posixpath.relpath(picture, here)}" alt="{html.escape(alt)}" width="{width}" '
                f'height="{height}" loading="lazy">')

    def code_from(self, source):
        """`marey search` leads to the command's page and `marey_clip_load` to its header."""
        here = posixpath.dirname(self.path_of(source)) or "."

        def code(text):
            there = self.operations.page_of(text) or self.headers.page_of(text)
            shown = f"<code>{html.escape(text, quote=False)}</code>"
            return f'<a href="{posixpath.relpath(there, here)}">{shown}</a>' if there else shown

        return code

    def writer(self, source):
        return Writer(source, self.link_from(source), self.picture_from(source), self.code_from(source))

    # ---- pages ----------------------------------------------------------------------------------

    def tasks_with(self, command):
        """The tasks' pages that show a command, those that show it most first."""
        words = re.compile(rf"\bmarey {command}(?![\w-]| (?:build|make|walk|run|train|stitch|show|loop)\b)")
        counts = {source: len(words.findall(text_of(source))) for source in SECTIONS[1][2]}
        return sorted((source for source in counts if counts[source]), key=lambda source: -counts[source])[:3]

    def title_of(self, source):
        return SHORT.get(source) or text_of(source).partition("\n")[0].removeprefix("# ")

    def add(self, page):
        self.pages[page.source] = page

    def add_markdown(self, source):
        text = TABLE_OF.sub(lambda m: self.table_of(source, *m.groups()), text_of(source))
        writer = self.writer(source)
        body = writer.page(text)
        if source in MOVE_OF:
            up = "../" * self.path_of(source).count("/")
            figure = f'<figure class="move beside">{moves.picture(MOVE_OF[source], up)}</figure>'
            body = body.replace("</h1>", f"</h1>\n{figure}", 1)
        self.add(Page(source, self.path_of(source), writer.headings[0][2], body, writer.headings))

    def table_of(self, source, page, head, under):
        """A table of another page, found by its first line and a heading above it, with links that lead from here."""
        lines = text_of(page).split("\n")
        above = next((i for i, line in enumerate(lines) if line.startswith(under)), len(lines))
        start = next((i for i in range(above, len(lines)) if lines[i].startswith("|") and head in lines[i]), None)
        if start is None:
            raise SystemExit(f"{source}: {page} has no table with {head} under {under}")
        end = next(i for i in range(start, len(lines) + 1) if i == len(lines) or not lines[i].startswith("|"))
        folder, here = posixpath.dirname(page), posixpath.dirname(source)

        def moved(match):
            if re.match(r"[a-z]+:", match[1]):
                return match[0]
            there = posixpath.join(folder, match[1]) if match[1][0] != "#" else page + match[1]
            return f"]({posixpath.relpath(there, here)})"

        return re.sub(r"\]\(([^)\s]+)\)", moved, "\n".join(lines[start:end]))

    def add_source(self, source):
        """A file of the repository that some page links to, as it is; a notebook as its cells."""
        if source.endswith(".ipynb"):
            writer = self.writer(source)
            cells = [("".join(cell["source"]), cell["cell_type"]) for cell in json.loads(text_of(source))["cells"]]
            parts = [text if kind == "markdown" else f"```python\n{text}\n```" for text, kind in cells]
            body = writer.page("\n\n".join(parts))
            self.add(Page(source, self.path_of(source), writer.headings[0][2], body, writer.headings))
            return
        text = html.escape(text_of(source), quote=False)
        body = f'<h1 id="top">{source}</h1>\n<pre tabindex="0"><code>{text}</code></pre>'
        self.add(Page(source, self.path_of(source), source, body, [(1, "top", source)], "source"))

    def sources_of(self, section):
        """All of a section, the page that opens it first."""
        first, rest = next((first, rest) for name, first, rest in SECTIONS if name == section)
        return [first, *(source for name in rest for source in self.expand(name))]

    def expand(self, name):
        if not name.endswith("/*"):
            return [name]
        folder = name[:-2]
        if folder == "operations":
            return [f"operations/{one}" for one in self.operations.slugs()]
        return sorted(f"{folder}/{path.name}" for path in (ROOT / folder).iterdir() if path.suffix in (".md", ".h"))

    def collect(self):
        for page in self.operations.pages(self):
            self.add(Page(*page))
        for page in self.headers.pages(self):
            self.add(Page(*page))
        for source in (each for name, _, _ in SECTIONS for each in self.sources_of(name)):
            if source.endswith(".md"):
                self.add_markdown(source)
        for source in (each for name in OTHERS for each in self.expand(name)):
            self.add_markdown(source)
        while left := [source for source in self.wanted if source not in self.pages and not source.endswith(".h")]:
            for source in left:
                if source.endswith(".md"):
                    self.add_markdown(source)
                else:
                    self.add_source(source)
        self.add(self.gallery())
        self.add(self.front())
        self.add(self.everything())

    def gallery(self):
        out = ['<h1 id="gallery">Gallery</h1>',
               "<p>Pictures and panels as marey draws them, of its own demo takes and of clips of the CMU Graphics Lab "
               "Motion Capture Database. Each leads to the page that it is from.</p>"]
        headings = [(1, "gallery", "Gallery")]
        for anchor, origin in (("demo", "demo takes"), ("cmu", "clips of the CMU database")):
            headings.append((2, anchor, f"Of {origin}"))
            out.append(f'<h2 id="{anchor}">Of {origin}</h2>\n<div class="gallery">')
            for picture, (alt, source) in sorted(self.drawn.items()):
                if self.pictures[picture] == origin:
                    page = self.pages[source]
                    out.append(f'<figure><a href="{page.path}">{self.image(picture, alt, ".")}</a>'
                               f"<figcaption>{html.escape(self.short(page))}</figcaption></figure>")
            out.append("</div>")
        return Page("gallery", "gallery.html", "Gallery", "\n".join(out), headings)

    def front(self):
        body = (ROOT / "site/front.html").read_text(encoding="utf-8")
        body = re.sub(r"<!-- move (\w+) -->", lambda m: moves.picture(m[1]), body)
        return Page("front", "index.html", "marey: motion capture, used again", body, [(1, "marey", "marey")], "front")

    def everything(self):
        """All pages in one list: what the search field leads to where there is no script."""
        out, parts = ['<h1 id="all">All pages</h1>'], {name: self.sources_of(name) for name, _, _ in SECTIONS}
        shown = {"front", "everything", *(source for sources in parts.values() for source in sources)}
        parts["Decisions, sources, the rest"] = sorted(source for source in self.pages if source not in shown)
        for name, sources in parts.items():
            entries = "".join(f"<li>{self.entry('.', each)}</li>" for each in sources)
            out.append(f"<h2>{name}</h2><ul>{entries}</ul>")
        return Page("everything", "all.html", "All pages", "\n".join(out), [(1, "all", "All pages")])

    def entry(self, here, source, current=None):
        page = self.pages[source]
        mark = ' aria-current="page"' if source == current else ""
        return f'<a href="{posixpath.relpath(page.path, here)}"{mark}>{html.escape(self.short(page))}</a>'

    def short(self, page):
        """A page's name in lists: results without what they all begin or end with."""
        if page.source.startswith("experiments/results/"):
            return f"Numbers: {Path(page.source).stem.replace('-', ' ')}"
        if page.source.startswith("docs/results/"):
            return page.title.partition(": ")[0]
        return SHORT.get(page.source) or page.title

    # ---- files ----------------------------------------------------------------------------------

    def section_of(self, source):
        return next((name for name, _, _ in SECTIONS if source in self.sources_of(name)), None)

    def write(self, page):
        here = posixpath.dirname(page.path) or "."
        name = self.section_of(page.source)
        beside = self.sources_of(name) if name else []
        menu = ""
        for each, first, _ in SECTIONS:
            mark = " aria-current=true" if each == name else ""
            menu += f'<a href="{posixpath.relpath(self.pages[first].path, here)}"{mark}>{each}</a>'
        side = ""
        if len(beside) > 1:
            side = f'<nav class="side" aria-label="{name}"><details open><summary>{name}</summary><ul>' + "".join(
                f"<li>{self.entry(here, each, page.source)}</li>" for each in beside) + "</ul></details></nav>"
        up = "../" * page.path.count("/")
        body = page.body
        if (page.source in self.of_cmu or page.source == "gallery") and CMU not in body:
            body += f"\n<p>{CMU}</p>"
        front = page.kind == "front"
        text = TEMPLATE.format(title=html.escape(page.title + " – marey" * (not front)), up=up, menu=menu, side=side,
                               body=body, kind=page.kind or "page", home=" aria-current=page" * front)
        path = self.out / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def search_index(self):
        """Each heading with the words under it: [address, page, heading, words]; of two that are as good the first is shown
        first, so tasks come before the rest."""
        rows, order = [], [source for name, _, _ in SECTIONS for source in self.sources_of(name)]
        for page in [*(self.pages[source] for source in order), *(self.pages[s] for s in self.pages if s not in order)]:
            if page.source in ("everything", "gallery") or page.kind == "source":
                continue
            parts = re.split(r'<h[1-6] id="([^"]+)">', page.body)
            titles = {anchor: words for _, anchor, words in page.headings}
            for anchor, part in zip(parts[1::2], parts[2::2]):
                below = re.sub(r"<[^>]+>", " ", part.partition("</h")[2].partition(">")[2])
                words = re.sub(r"\s+", " ", html.unescape(below)).strip()[:WIDTH_OF_SEARCH_TEXT]
                rows.append([f"{page.path}#{anchor}", page.title, html.unescape(titles.get(anchor, anchor)), words])
        return "window.mareyIndex=" + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n"

    def make(self):
        self.collect()
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        for page in self.pages.values():
            self.write(page)
        for picture in (each for each, origin in self.pictures.items() if not origin.startswith("left out")):
            (self.out / picture).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / picture, self.out / picture)
        for name in ("site.css", "site.js"):
            shutil.copyfile(ROOT / "site" / name, self.out / name)
        (self.out / "search-index.js").write_text(self.search_index(), encoding="utf-8")
        moves.write(self.build, self.out / "moves")


TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{up}site.css">
<script src="{up}site.js" defer></script>
</head>
<body class="{kind}" data-up="{up}">
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="name" href="{up}index.html"{home}>marey</a>
<nav aria-label="Sections">{menu}</nav>
<form class="search" role="search" action="{up}all.html"><input type="search" name="q" placeholder="Search"
aria-label="Search the site" autocomplete="off"><div class="found" role="status" hidden></div></form>
</header>
<div class="columns">
{side}
<main id="main">
{body}
</main>
</div>
<footer><p>marey, MIT licence. Named after Étienne-Jules Marey, who recorded motion before there was film.
<a href="{up}all.html">All pages</a> · <a href="{up}CHANGELOG.html">Changes</a> ·
<a href="{up}docs/decisions/README.html">Decisions</a> · <a href="{up}CONTRIBUTING.html">Contributing</a></p></footer>
</body>
</html>
"""


def text_of(source):
    return (ROOT / source).read_text(encoding="utf-8")


def main():
    build = Path(sys.argv[1]).resolve()
    out = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else build / "site"
    os.chdir(ROOT)
    site = Site(build, out)
    site.make()
    print(f"{len(site.pages)} pages")


if __name__ == "__main__":
    main()
