"""manual.py - a page for each command, out of the manual that the program writes and the rows of the operations, and one
for each public header. Read by make.py.
"""
import html
import json
import re
import struct
import subprocess
import tempfile
from pathlib import Path

import generate  # python/generate.py, which knows the rows and how Python spells them

HEADING = re.compile(r"^/\* -{3,} (.*?) -{3,} \*/$")
LABEL = re.compile(r"^(Errors|Ownership|Cost|Lifetime|Threads): *")
NAME = re.compile(r"\b(marey_\w+)\s*\(|\b(marey_\w+)\s*;\s*\Z|#define (MAREY_\w+)|\b(marey_\w+)\s*\{|\b(MAREY_\w+)\s*=")

# What a value looks like in a body of HTTP, by the type of its row.
BODIES = {
    "switch": True, "whole": 1, "number": 1.0, "text": "text", "name": "name", "word": "", "clip": "walk_slow",
    "numbers": [1, 1], "texts": ["text"], "clips": ["walk_slow", "walk_fast"],
    "cuts": [{"clip": "walk_slow", "start": 0, "end": 60}],
    "pair": [300, 250], "document": {}, "segment": {"clip": "kicks", "start": 122, "end": 252},
    "segments": [{"clip": "kicks", "start": 122, "end": 252}], "frame": 300, "range": [180, 420],
    "table": [[0, 0], [100, 0]],
    "file": {}, "files": [{}],
}
WHAT = {
    "switch": "yes or no", "whole": "whole number", "number": "number", "text": "text", "name": "name",
    "word": "one of",
    "clip": "clip", "numbers": "numbers", "texts": "texts", "clips": "clips", "cuts": "cuts", "pair": "two frames",
    "document": "JSON", "segment": "frames of a clip", "segments": "frames of clips", "frame": "frame",
    "range": "frames",
    "table": "table", "file": "file", "files": "files",
}


def size_of_png(path):
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(24)[16:24])


def escape(text):
    return html.escape(text, quote=False)


# ---- operations ---------------------------------------------------------------------------------


class Operations:
    """The commands of the program, and of those that are operations the rows."""

    def __init__(self, build):
        self.rows = {row["name"]: row for row in generate.rows_of(build / "python/libmarey-python.so")}
        with tempfile.TemporaryDirectory(prefix="marey-site-") as folder:
            subprocess.run([build / "marey", "--write-manual", folder], check=True, capture_output=True)
            manual = Path(folder, "commands.md").read_text(encoding="utf-8")
        parts = re.split(r"^## marey (.*)$", manual, flags=re.MULTILINE)
        self.common = parts[0].split("\n", 2)[2].strip()
        self.sections = dict(zip(parts[1::2], parts[2::2]))
        self.in_c = {}  # of docs/python.md's table: command -> functions
        page = (Path(__file__).parent.parent / "docs/python.md").read_text(encoding="utf-8")
        table = page.split("| C | command | Python |")[1]
        for line in table.split("\n\n")[0].strip().split("\n")[1:]:
            functions, commands, _ = (cell.strip() for cell in line.strip().strip("|").split("|"))
            for command in re.findall(r"`([^`]*)`", commands):
                words = command.removeprefix("marey ").split()
                names = [" ".join(words[:n]) for n in (2, 1) if " ".join(words[:n]) in self.sections]
                self.in_c.setdefault(names[0], []).extend(re.findall(r"`(\w+)`", functions))

    def slugs(self):
        return [name.replace(" ", "-") for name in self.sections]

    def page_of(self, code):
        """`marey graph walk` and `graph walk` are commands; a line with operands is not."""
        name = code.removeprefix("marey ")
        if name in self.sections and (code != name or " " in name):
            return f"operations/{name.replace(' ', '-')}.html"
        return None

    def pages(self, site):
        yield self.index(site)
        for name in self.sections:
            yield self.page(site, name)

    def index(self, site):
        writer = site.writer("operations")
        writer.taken.append("operations")
        lines = ["What marey does, each thing once: the same parameters, defaults and messages on the command line, in the "
                 "studio, from Python and over HTTP. Each page is written from the operation's own rows.",
                 "", "| | |", "|---|---|"]
        lines += [f"| `marey {name}` | {self.summary(name)} |" for name in self.sections]
        body = '<h1 id="operations">Operations</h1>\n' + writer.page("\n".join(lines)) + \
            writer.page("## What all commands have\n\n" + self.common)
        return "operations", "operations.html", "Operations", body, [(1, "operations", "Operations"), *writer.headings]

    def summary(self, name):
        first = self.sections[name].strip().split("\n")[0]
        summary = first.partition(" – ")[2].rstrip(".")
        return summary[0].upper() + summary[1:]

    def page(self, site, name):
        source = "operations/" + name.replace(" ", "-")
        writer = site.writer(source)
        text = self.sections[name].strip()
        usage = re.match(r"`([^`]*)`", text)[1]
        after = text.split("\n", 1)[1] if "\n" in text else ""
        words, _, rest = after.partition("\n| option | what it does |")
        examples = re.search(r"^```\n(.*?)^```", rest or after, re.MULTILINE | re.DOTALL)
        words = re.sub(r"^```\n.*?^```", "", words, flags=re.MULTILINE | re.DOTALL)
        out = [f'<h1 id="top">{escape(name)}</h1>', f'<p class="lead">{writer.spans(self.summary(name))}.</p>',
               f'<pre tabindex="0"><code>{escape(usage)}</code></pre>', writer.page(words)]
        headings = [(1, "top", f"marey {name}")]

        def part(anchor, title, body):
            headings.append((2, anchor, title))
            out.append(f'<h2 id="{anchor}">{title}</h2>\n{body}')

        row = self.rows.get(name)
        if row and row["params"]:
            part("parameters", "Parameters", self.parameters(writer, row))
        elif rest:
            table = "| option | what it does |" + rest.split("\n\n")[0]
            part("options", "Options", writer.page(table))
        if examples:
            part("command-line", "On a command line", writer.program(examples[1].rstrip().split("\n"), ""))
        if row:
            part("python", "In Python", self.python(row))
            part("http", "Over HTTP", self.http(writer, row))
        if name in self.in_c:
            body = "<p>" + ", ".join(writer.code(function) for function in dict.fromkeys(self.in_c[name])) + "</p>"
            part("c", "In C", body)
        if tasks := site.tasks_with(name):
            links = ", ".join(f"[{site.title_of(task)}](../{task})" for task in tasks)
            part("tasks", "What it is used for", writer.page(links))
        return source, source + ".html", name, "\n".join(out), headings

    def parameters(self, writer, row):
        lines = []
        for each in row["params"]:
            kind = WHAT[each["type"]]
            if each["type"] == "word":
                kind = ", ".join(f"`{word}`" for word in each["words"])
            span = ""
            if "least" in each and each["type"] in ("whole", "number", "numbers"):
                least, most = each["least"], each["most"]
                span = f"{least:g} to {most:g}" if most is not None and most > least else f"from {least:g} on"
            unit = each.get("unit") or ""
            default = "needed" if each["needed"] else f"`{each['default']}`" if each.get("default") else ""
            only = f" Only with `{each['only_if']}`." if each.get("only_if") else ""
            words = escape(each["help"][0].upper() + each["help"][1:])
            cells = [writer.spans(kind), writer.spans(default), unit, span, f"{words}.{writer.spans(only)}"]
            lines.append(f'<tr><th scope="row" id="p-{each["name"]}"><code>{escape(each["name"])}</code></th>'
                         + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        heads = ("name", "type", "default", "unit", "range", "what it does")
        heads = "".join(f'<th scope="col">{head}</th>' for head in heads)
        return f'<div class="table params" tabindex="0"><table><thead><tr>{heads}</tr></thead>' \
               f"<tbody>{''.join(lines)}</tbody></table></div>"

    def python(self, row):
        """A method of a library where it may be one; then what it is without a library, which takes the same."""
        name, answer = generate.python_name(row["name"]), "Made" if row["makes_clip"] else "Result"
        free, bound = row["library"] in ("none", "may-read", "or-files"), row["library"] != "none"
        arguments = [each for each in generate.signature(row, bound) if each != "self"]
        owner = "library" if bound else "marey"
        one = f"{owner}.{name}({', '.join(arguments)}) -> {answer}"
        if len(one) > 96:
            one = f"{owner}.{name}(\n    " + ",\n    ".join(arguments) + f",\n) -> {answer}"
        more = f"<p>On files and on clips in memory it is <code>marey.{name}</code>, with the same arguments" \
               f"{' but <code>save_as</code>' * row['makes_clip']}.</p>" if free and bound else ""
        return f'<pre tabindex="0"><code>{escape(one)}</code></pre>{more}'

    def http(self, writer, row):
        body = {each["name"]: BODIES[each["type"]] if each["type"] != "word" else each["words"][0]
                for each in row["params"] if each["needed"] or generate.is_operand(each)}
        slug = row["name"].replace(" ", "-")
        more = " A job: the answer has its number, and events say how far it is." if row["takes_long"] else ""
        request = f"POST /api/do/{slug}\nContent-Type: application/json\n\n{escape(json.dumps(body))}"
        rest = writer.spans("What a clip or frames of it look like, and who may ask: "
                            "[the studio’s interface](../docs/studio-api.md).")
        return f'<pre tabindex="0"><code>{request}</code></pre>\n' \
               f"<p>The other parameters go into the body by their names.{more} {rest}</p>"


# ---- headers ------------------------------------------------------------------------------------


class Headers:
    """The public headers as pages: comments above what they are about, names that lead to where they are declared."""

    def __init__(self, folder):
        self.texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.h"))}
        self.places = {}  # name -> page#anchor
        for name, text in self.texts.items():
            for _, code in self.chunks(text):
                for one in self.names(code):
                    self.places.setdefault(one, f"include/marey/{name[:-2]}.html#{one}")

    @staticmethod
    def chunks(text):
        """(comment, declaration) or (heading, None), in order, without guards and the lines for C++."""
        text = re.sub(r"^#ifndef \w+_H\n#define \w+_H\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"\n#endif\s*\Z", "\n", text)
        for chunk in re.split(r"\n\n(?![ \t])", text.strip()):
            chunk = chunk.strip("\n")
            if heading := HEADING.match(chunk.split("\n")[0]):
                yield heading[1], None
                chunk = chunk.split("\n", 1)[1] if "\n" in chunk else ""
            while chunk.strip():
                comment = re.match(r"/\*(.*?)\*/[ \t]*(?:\n|\Z)", chunk, re.DOTALL)
                if not comment:
                    yield "", chunk
                    break
                rest = chunk[comment.end() :]
                again = rest.lstrip().startswith("/*")
                later = re.match(r"\s*", rest) if again else re.search(r"^/\*", rest, re.MULTILINE)
                code, chunk = (rest[: later.start()], rest[later.start() :]) if later else (rest, "")
                yield comment[1], code.strip("\n")

    @staticmethod
    def names(code):
        if not code:
            return []
        bare = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
        found = [next(filter(None, match.groups())) for match in NAME.finditer(bare)]
        opened = re.match(r"\s*typedef (?:struct|enum|union) (marey_\w+)", bare)
        if opened:
            found.insert(0, opened[1])
        if pointer := re.search(r"\(\*(marey_\w+)\)\(", bare):
            found.insert(0, pointer[1])
        return list(dict.fromkeys(found))

    def page_of(self, code):
        return self.places.get(code.removesuffix("()"))

    def title(self, name):
        return f"marey/{name}"

    def pages(self, site):
        writer = site.writer("headers")
        rows = "\n".join(f"| [{name}](include/marey/{name}) | {self.about(name)} |" for name in self.reading_order())
        body = '<h1 id="headers">C headers</h1>\n' + writer.page(
            "The headers are the manual of the C library: every function with its errors, ownership and cost. Include "
            "`marey/marey.h`, which includes all others. [The Python page](docs/python.md#operations) lists C, command and "
            "Python side by side.\n\n"
            f"| | |\n|---|---|\n{rows}")
        yield "headers", "headers.html", "C headers", body, [(1, "headers", "C headers")]
        for name, text in self.texts.items():
            yield self.page(site, name, text)

    def reading_order(self):
        included = re.findall(r"#include <marey/(\w+\.h)>", self.texts["marey.h"])
        return list(dict.fromkeys(["marey.h", *included, *self.texts]))

    def about(self, name):
        words = next(comment for comment, _ in self.chunks(self.texts[name]))
        words = re.sub(r"\s+", " ", words).strip().partition(" - ")[2].replace("|", "\\|")
        return words.partition(". ")[0].rstrip(".")

    def page(self, site, name, text):
        source = f"include/marey/{name}"
        writer = site.writer(source)
        out, headings, taken = [f'<h1 id="top">{self.title(name)}</h1>'], [(1, "top", self.title(name))], set()
        for comment, code in self.chunks(text):
            if code is None:
                anchor = re.sub(r"\W+", "-", comment)
                headings.append((2, anchor, comment))
                out.append(f'<h2 id="{anchor}">{escape(comment[0].upper() + comment[1:])}</h2>')
                continue
            here = f"include/marey/{name[:-2]}.html#"
            fresh = [one for one in self.names(code) if self.places[one].startswith(here) and one not in taken]
            taken.update(fresh)
            if fresh:
                headings.append((3, fresh[0], fresh[0]))
                out.append(f'<h3 id="{fresh[0]}"><code>{fresh[0]}</code></h3>')
            out.append("".join(f'<a id="{one}"></a>' for one in fresh[1:]) + self.comment(writer, comment, name))
            if code.strip():
                out.append(f'<pre tabindex="0"><code>{self.code(code, source)}</code></pre>')
        return source, f"include/marey/{name[:-2]}.html", self.title(name), "\n".join(out), headings

    def comment(self, writer, comment, name):
        comment = re.sub(rf"^\s*{re.escape(name)} - ", "", comment)
        if re.search(r"^\s*[A-Z]\w+ {2,}\S", comment, re.MULTILINE):  # rules in columns
            lines = [re.sub(r"^ {3}", "", line) for line in comment.strip().split("\n")]
            return f'<pre tabindex="0"><code>{escape(chr(10).join(lines))}</code></pre>'
        paragraphs, out = [], []
        for line in comment.strip().split("\n"):
            line = line.strip().removeprefix("* ").strip()
            if not line:
                paragraphs.append([])
            elif LABEL.match(line) or not paragraphs:
                paragraphs.append([line])
            else:
                paragraphs[-1].append(line)
        for words in (" ".join(lines) for lines in paragraphs if lines):
            label = LABEL.match(words)
            words = words[label.end() :] if label else words[0].upper() + words[1:]
            parts = re.split(r"(`[^`]+`|\bmarey_\w+)", words)
            text = "".join(writer.code(part.strip("`")) if i % 2 else escape(part) for i, part in enumerate(parts))
            out.append(f'<p class="note"><b>{label[1]}</b> {text}</p>' if label else f"<p>{text}</p>")
        return "".join(out)

    def code(self, code, source):
        """Names lead to where they are declared; comments are quiet."""
        def word(match):
            place = self.places.get(match[0])
            if not place:
                return match[0]
            page, _, anchor = place.partition("#")
            page = "" if page == source[:-2] + ".html" else page.rpartition("/")[2]
            return f'<a href="{page}#{anchor}">{match[0]}</a>'

        linked = re.sub(r"\b(?:marey|MAREY)_\w+", word, escape(code))
        return re.sub(r"/\*.*?\*/", lambda comment: f"<i>{comment[0]}</i>", linked, flags=re.DOTALL)
