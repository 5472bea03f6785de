"""markdown.py - the Markdown of this repository's pages as HTML: headings, paragraphs, lists, tables, code, links,
pictures, emphasis. What it does not know is an error that names the page and the line, so that nothing falls through unseen.
"""
import html
import re

FENCE = re.compile(r"^(`{3,})(\w*)$")
ITEM = re.compile(r"^( *)(?:[-*]|(\d+)\.) +(.*)$")
UNKNOWN = re.compile(r"^(?:>|\[[^\]]+\]:|<(?!!--)[a-zA-Z/!]|(?:\*\*\*|---|___)$|[=]+$|~~~)")
SPAN = re.compile(r"(?P<code>(`+)(?P<inside>.+?)\2(?!`))"
                  r"|(?P<image>!\[(?P<alt>[^\]]*)\]\((?P<src>[^)\s]+)\))"
                  r"|\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|`[^`]*`|[^\]`])*)\]\((?P<target>[^)\s]+)\)"
                  r"|(?P<escaped>\\[\\`*_{}\[\]()#+\-.!|<>])"
                  r"|\*\*(?P<strong>(?:`[^`]*`|[^`])+?)\*\*(?!\*)"
                  r"|(?<![\w*])\*(?P<em>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])")


class Unknown(Exception):
    """Markdown that this program does not read."""


def anchor_of(words, taken):
    """What a heading is called in addresses, as scripts/check_words and code hosts have it."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words).lower()
    slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
    name = slug if slug not in taken else f"{slug}-{taken.count(slug)}"
    taken.append(slug)
    return name


class Writer:
    """One page. `link(target)`, `picture(target, alt)` and `code(text)` say how these are written from here."""

    def __init__(self, name, link, picture, code):
        self.name, self.link, self.picture, self.code = name, link, picture, code
        self.taken = []
        self.headings = []  # (level, anchor, words)

    def page(self, text):
        lines = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL).split("\n")
        return "\n".join(self.blocks(lines))

    # ---- blocks ---------------------------------------------------------------------------------

    def blocks(self, lines):
        out, i = [], 0
        while i < len(lines):
            line = lines[i]
            if not line.strip():
                i += 1
            elif fence := FENCE.match(line.strip()):
                end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == fence[1]), None)
                if end is None:
                    raise Unknown(f"{self.name}: a block of code has no end: {line}")
                out.append(self.program(lines[i + 1 : end], fence[2]))
                i = end + 1
            elif heading := re.match(r"^(#{1,6}) +(.*?) *#*$", line):
                out.append(self.heading(len(heading[1]), heading[2]))
                i += 1
            elif line.lstrip().startswith("|"):
                end = next((j for j in range(i, len(lines)) if not lines[j].lstrip().startswith("|")), len(lines))
                out.append(self.table(lines[i:end]))
                i = end
            elif ITEM.match(line):
                end = self.end_of_list(lines, i)
                out.append(self.list(lines[i:end]))
                i = end
            elif line.startswith("    "):
                beyond = (j for j in range(i, len(lines)) if lines[j].strip() and not lines[j].startswith("    "))
                end = next(beyond, len(lines))
                out.append(self.program([each[4:] for each in "\n".join(lines[i:end]).rstrip().split("\n")], ""))
                i = end
            elif UNKNOWN.match(line):
                raise Unknown(f"{self.name}: this line is no Markdown that the site reads: {line}")
            else:
                end = next((j for j in range(i + 1, len(lines)) if self.ends_paragraph(lines[j])), len(lines))
                out.append(self.paragraph(" ".join(each.strip() for each in lines[i:end])))
                i = end
        return out

    def ends_paragraph(self, line):
        item = bool(ITEM.match(line)) and not line.startswith(" ")
        return not line.strip() or line.lstrip().startswith(("|", "#", "```")) or item

    def end_of_list(self, lines, i):
        """A list goes on over its indented lines, and over an empty line if another item follows."""
        j = i + 1
        while j < len(lines):
            after = next((each for each in lines[j:] if each.strip()), "")
            if not lines[j].strip():
                if not (ITEM.match(after) or after.startswith("  ")):
                    return j
            elif not (ITEM.match(lines[j]) or lines[j].startswith(" ")) and not lines[j - 1].strip():
                return j
            elif self.ends_paragraph(lines[j]) and not ITEM.match(lines[j]) and not lines[j].startswith(" "):
                return j
            j += 1
        return j

    def list(self, lines):
        """Each item's lines without their indentation; an item may hold a list of its own."""
        depth = len(ITEM.match(lines[0])[1])
        ordered = ITEM.match(lines[0])[2]
        items = []
        for line in lines:
            item = ITEM.match(line)
            if item and len(item[1]) <= depth:
                items.append([item[3]])
            else:
                items[-1].append(line)
        out = []
        for item in items:
            rest = item[1:]
            blocks = (j for j, each in enumerate(rest) if ITEM.match(each) or not each.strip() or FENCE.match(each.strip()))
            inner = next(blocks, len(rest))
            words = " ".join([item[0], *(each.strip() for each in rest[:inner])])
            below = [each[min(len(each) - len(each.lstrip()), depth + 2) :] for each in rest[inner:]]
            out.append("<li>" + self.spans(words) + "".join(self.blocks(below)) + "</li>")
        start = f' start="{ordered}"' if ordered and ordered != "1" else ""
        return f"<ol{start}>{''.join(out)}</ol>" if ordered else f"<ul>{''.join(out)}</ul>"

    def heading(self, level, words):
        anchor = anchor_of(words, self.taken)
        self.headings.append((level, anchor, re.sub(r"<[^>]+>", "", self.spans(words))))
        return f'<h{level} id="{anchor}">{self.spans(words)}</h{level}>'

    def paragraph(self, words):
        """Pictures alone stand beside each other where there is room."""
        if re.fullmatch(r"(?:!\[[^\]]*\]\([^)]*\)\s*)+", words):
            return f'<div class="pictures">{self.spans(words)}</div>'
        return f"<p>{self.spans(words)}</p>"

    def program(self, lines, language):
        text = html.escape("\n".join(lines), quote=False)
        if any(line.startswith("$ ") for line in lines):  # what is typed stands out from what is answered
            text = "\n".join(f"<b>{line}</b>" if line.startswith("$ ") else line for line in text.split("\n"))
        kind = f' class="{language}"' if language else ""
        return f'<pre tabindex="0"><code{kind}>{text}</code></pre>'

    def table(self, lines):
        rows = [self.cells(line) for line in lines]
        if len(rows) < 2 or not all(re.fullmatch(r":?-+:?", cell) for cell in rows[1]):
            raise Unknown(f"{self.name}: a table without a line below its heads: {lines[0]}")
        head, body = rows[0], rows[2:]
        if any(len(row) != len(head) for row in rows):
            odd = next(row for row in rows if len(row) != len(head))
            raise Unknown(f"{self.name}: a row of {len(odd)} cells in a table of {len(head)}: {' | '.join(odd)[:100]}")
        top = "".join(f'<th scope="col">{self.spans(cell)}</th>' if cell else "<td></td>" for cell in head)
        top = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
        rest = "".join("<tr>" + "".join(f"<td>{self.spans(cell)}</td>" for cell in row) + "</tr>" for row in body)
        return f'<div class="table" tabindex="0"><table>{top}<tbody>{rest}</tbody></table></div>'

    def cells(self, line):
        """The cells between the bars; a bar in code or behind a backslash is none."""
        text = re.sub(r"`[^`]*`", lambda code: code[0].replace("|", "\0"), line.strip().replace("\\|", "\0"))
        return [cell.strip().replace("\0", "|") for cell in text.removeprefix("|").removesuffix("|").split("|")]

    # ---- inside a line --------------------------------------------------------------------------

    def spans(self, text):
        out, at = [], 0
        for span in SPAN.finditer(text):
            out.append(html.escape(text[at : span.start()], quote=False))
            out.append(self.span(span))
            at = span.end()
        return "".join(out) + html.escape(text[at:], quote=False)

    def span(self, span):
        if span["code"]:
            return self.code(span["inside"].strip() if span["inside"].strip() else span["inside"])
        if span["image"]:
            return self.picture(span["src"], span["alt"])
        if span["target"]:
            return f'<a href="{html.escape(self.link(span["target"]))}">{self.without_links(span["text"])}</a>'
        if span["escaped"]:
            return html.escape(span["escaped"][1], quote=False)
        kind = "strong" if span["strong"] else "em"
        return f"<{kind}>{self.spans(span[kind])}</{kind}>"

    def without_links(self, text):
        """The words of a link; code in them must not lead elsewhere."""
        code, self.code = self.code, lambda inside: f"<code>{html.escape(inside, quote=False)}</code>"
        try:
            return self.spans(text)
        finally:
            self.code = code
