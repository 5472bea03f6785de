"""run_notebooks.py FOLDER NOTEBOOK... - runs the cells of notebooks in order, as Jupyter would, and writes what they
show as FOLDER/NAME.html. A cell that fails is named, with its traceback. Two run at once, each in a process and a
folder of its own.
"""
import ast
import base64
import concurrent.futures
import contextlib
import html
import io
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
pre{background:#f5f5f5;border-left:3px solid #bbb;padding:.6rem .8rem;overflow-x:auto;font-size:13px;line-height:1.4}
img{max-width:100%}.shown{margin:.5rem 0 1.5rem;overflow-x:auto}.shown pre{background:none;border-color:#7a9}
table{border-collapse:collapse;font-size:13px}td,th{padding:.15rem .6rem;text-align:left;border-bottom:1px solid #ddd}
code{background:#f5f5f5}.failed{border-color:#c00}
"""


# ---- prose: as much of Markdown as the notebooks use -------------------------------------------------


def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def prose(text):
    parts = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        heading = re.match(r"(#{1,4}) (.*)", lines[0])
        if heading:
            level = len(heading[1])
            parts.append(f"<h{level}>{inline(heading[2])}</h{level}>")
            lines = lines[1:]
        if lines and all(re.match(r"[-*] |  ", line) for line in lines):
            items = re.split(r"^[-*] ", "\n".join(lines), flags=re.MULTILINE)[1:]
            parts.append("<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>")
        elif lines:
            parts.append(f"<p>{inline(' '.join(lines))}</p>")
    return "\n".join(parts)


# ---- cells ------------------------------------------------------------------------------------


def shown(value):
    """A value as a notebook shows it."""
    for name, kind in (("_repr_html_", None), ("_repr_svg_", None), ("_repr_png_", "png")):
        text = getattr(value, name, lambda: None)()
        if text is not None:
            return text if kind is None else f'<img src="data:image/{kind};base64,{base64.b64encode(text).decode()}">'
    return f"<pre>{html.escape(repr(value))}</pre>"


def run_cell(source, name, namespace):
    """Runs a cell and returns what it shows as HTML: what it prints, then the value of its last expression."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    tree = ast.parse(source, name)
    last = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, kind, *_: said.write(f"{kind.__name__}: {message}\n")
        exec(compile(tree, name, "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last), name, "eval"), namespace)
    text = f"<pre>{html.escape(said.getvalue())}</pre>" if said.getvalue() else ""
    return text + (shown(value) if value is not None else "")


def check_form(path, notebook):
    """Outputs are not kept: what they would be is made here, and a change of a notebook is what changed in it."""
    if notebook["nbformat"] != 4:
        sys.exit(f"{path}: a notebook of format 4 is expected, got {notebook['nbformat']}")
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code" and (cell["outputs"] or cell["execution_count"] is not None):
            sys.exit(f"{path}: cell {number}: clear the outputs before a commit")


def run_notebook(path, page):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    check_form(path, notebook)
    namespace, parts, failure = {"__name__": "__main__"}, [], None
    for number, cell in enumerate(notebook["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(prose(source))
            continue
        parts.append(f"<pre>{html.escape(source)}</pre>")
        try:
            parts.append(f'<div class="shown">{run_cell(source, f"{path.name}, cell {number}", namespace)}</div>')
        except Exception as error:
            within = [each for each in traceback.extract_tb(error.__traceback__) if each.filename != __file__]
            text = "".join([*traceback.format_list(within), *traceback.format_exception_only(type(error), error)])
            parts.append(f'<pre class="failed">{html.escape(text)}</pre>')
            failure = f"{path}: cell {number}:\n{text}"
            break
    title = html.escape(path.stem.replace("_", " "))
    page.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
                    + "\n".join(parts) + "</html>\n", encoding="utf-8")
    if failure:
        sys.exit(failure)


# ---- all of them --------------------------------------------------------------------------------


def run_apart(path, folder):
    """In a process of its own, and an empty folder; what goes with the notebooks is found, as beside them."""
    page = folder / f"{path.stem}.html"
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-B", __file__, "--one", str(path), str(page)]
        run = subprocess.run(command, cwd=place, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(path.parent)})
    return run.returncode, run.stdout + run.stderr


def main():
    if sys.argv[1] == "--one":
        return run_notebook(Path(sys.argv[2]), Path(sys.argv[3]))
    folder, paths = Path(sys.argv[1]).resolve(), [Path(each).resolve() for each in sys.argv[2:]]
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = 0
        for path, (status, said) in zip(paths, pool.map(lambda each: run_apart(each, folder), paths)):
            failed += status != 0
            print(said or f"{path.stem}: {folder / path.stem}.html", end="" if said.endswith("\n") else "\n")
    sys.exit(1 if failed else 0)


main()
