"""generate.py - writes marey/operations.py and its stub from the rows of the C library: generate.py LIBRARY FOLDER.

Names, defaults, units, ranges and words are those of the rows that the command line and the studio read.
"""
import ctypes
import functools
import json
import keyword
import sys
import textwrap
from pathlib import Path

TYPES = {
    "switch": "bool", "whole": "int", "number": "float", "text": "str", "name": "str", "word": "str",
    "clip": "ClipName", "numbers": "Sequence[float]", "texts": "Union[str, Sequence[str]]",
    "clips": "Union[ClipName, Sequence[ClipName]]", "cuts": "Any", "pair": "Sequence[Optional[int]]",
    "document": "Document", "segment": "Frames", "segments": "Union[Frames, Sequence[Frames]]",
    "frame": "Union[int, str]", "range": "Union[str, Sequence[int]]", "table": "Any", "file": "Document",
    "files": "Union[Document, Sequence[Document]]",
}
# As in params.h: an operand behind all others takes the rest of them.
REST, OPTION, FIELD = -1, 0, -2

HEADER = '''"""{name} - every operation of marey as a function. Written by generate.py from the operations' own rows."""
'''

IMPORTS = '''from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from ._operate import Operation as _Operation, operate as _operate

if TYPE_CHECKING:
    from .clip import Clip, Made
    from .own import Feature, Metric
    from .results import Result

    ClipName = Union[str, int, Clip, Result]
    OwnMetric = Union[str, Metric, Callable[[Clip], Any], Mapping[str, float]]
    Frames = Union[str, int, Clip, Result, tuple, os.PathLike]
    Document = Union[str, os.PathLike, Mapping[str, Any], Sequence[Any]]
'''

STUB = '''import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from .clip import Clip, Made
from .own import Feature, Metric
from .results import Result

ClipName = Union[str, int, Clip, Result]
OwnMetric = Union[str, Metric, Callable[[Clip], Any], Mapping[str, float]]
Frames = Union[str, int, Clip, Result, tuple, os.PathLike[str]]
Document = Union[str, os.PathLike[str], Mapping[str, Any], Sequence[Any]]
'''


def rows_of(library):
    bridge = ctypes.CDLL(str(library))
    bridge.bridge_operations.restype = ctypes.c_void_p
    bridge.bridge_free.argtypes = [ctypes.c_void_p]
    text = bridge.bridge_operations()
    rows = json.loads(ctypes.string_at(text))
    bridge.bridge_free(text)
    return rows


def python_name(name):
    name = name.replace(" ", "_").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def default_of(row):
    """The row's default as Python's value; None where it has none."""
    text, kind = row.get("default"), row["type"]
    if kind == "switch":
        return False
    if text is None:
        return None
    if kind == "whole":
        return int(text)
    if kind == "number":
        return float(text)
    if kind == "numbers":
        return tuple(float(part) for part in text.split(","))
    if kind == "texts":
        return tuple(text.split(","))
    return text


def is_operand(row):
    return row["place"] > 0 or row["place"] == REST


def frames_of(operation):
    """The parameter whose frames `frames=` may say: the one operand that is a segment."""
    segments = [row for row in operation["params"] if row["type"] == "segment" and is_operand(row)]
    taken = any(python_name(row["name"]) == "frames" for row in operation["params"])
    return segments[0]["name"] if len(segments) == 1 and not taken else None


def has_extra_metric(operation):
    """Does it take a metric of one's own, though it has no row for those of the table?"""
    return operation["takes_own_metric"] and all(row["name"] != "metric" for row in operation["params"])


def python_type(operation, row):
    if row["name"] == "metric" and operation["takes_own_metric"]:
        return "OwnMetric"
    if row["name"] == "feature" and row["type"] == "texts":
        return "Union[str, Feature, Sequence[Union[str, Feature]]]"
    return TYPES[row["type"]]


def signature(operation, bound):
    """The parameters as Python writes them, operands first."""
    type_of = functools.partial(python_type, operation)
    positional = [row for row in operation["params"] if is_operand(row)]
    positional.sort(key=lambda row: row["place"] if row["place"] > 0 else 1000)
    named = [row for row in operation["params"] if not is_operand(row)]
    parts = ["self"] if bound else []
    optional = False
    for row in positional:
        kind = type_of(row)
        optional = optional or not row["needed"]
        parts.append(f"{python_name(row['name'])}: {kind if not optional else f'Optional[{kind}] = None'}")
    parts.append("*")
    for row in named:
        name, kind, default = python_name(row["name"]), type_of(row), default_of(row)
        if row["needed"]:
            parts.append(f"{name}: {kind}")
        elif default is None:
            parts.append(f"{name}: Optional[{kind}] = None")
        else:
            parts.append(f"{name}: {kind} = {default!r}")
    if has_extra_metric(operation):
        parts.append("metric: Optional[OwnMetric] = None")
    if frames_of(operation):
        parts.append("frames: Optional[Sequence[int]] = None")
    if operation["makes_clip"]:
        parts.append("make_clip: bool = " + str(not operation["clip_is_asked_for"]))
        if bound:
            parts.append("save_as: Optional[str] = None")
    if parts[-1] == "*":
        parts.pop()
    return parts


def rule(row):
    """What may be given, in words."""
    said = []
    if row["type"] == "word":
        said.append("one of " + ", ".join(row["words"]))
    if "least" in row and row["type"] in ("whole", "number", "numbers"):
        least, most = row["least"], row["most"]
        said.append(f"{least:g} to {most:g}" if most is not None and most > least else f"from {least:g} on")
    if row.get("unit"):
        said.append(f"in {row['unit']}")
    if row.get("only_if"):
        said.append(f"only with {row['only_if'].replace('-', '_')}")
    return "; ".join(said)


def docstring(operation, bound):
    out = [operation["summary"][0].upper() + operation["summary"][1:] + "."]
    for paragraph in operation["description"]:
        out += ["", *textwrap.wrap(paragraph, 100, break_long_words=False, break_on_hyphens=False)]
    params = [row for row in operation["params"]]
    if params:
        out += ["", "Parameters", "----------"]
    for row in params:
        out.append(f"{python_name(row['name'])} : {python_type(operation, row)}")
        text = row["help"][0].upper() + row["help"][1:] + "."
        more = rule(row)
        if row["name"] == "metric" and operation["takes_own_metric"]:
            text += " Or one of your own: marey.Metric, its function, or weights of joints."
        out += [f"    {line}" for line in textwrap.wrap(text + (f" ({more})" if more else ""), 96, break_on_hyphens=False)]
    if has_extra_metric(operation):
        out += ["metric : OwnMetric", "    A metric of your own: marey.Metric, its function, or weights of joints."]
    if frames_of(operation):
        out += ["frames : (start, end)", f"    Frames of {frames_of(operation)}, the end not included."]
    if operation["makes_clip"]:
        out += ["make_clip : bool", "    Make the clip; otherwise only what can be made is answered."]
        if bound:
            out += ["save_as : str", "    Also save the clip in the library under this name."]
    if operation["pictures"]:
        out += ["", f"Pictures, for `{'result.' if operation['makes_clip'] else ''}picture(kind)` of the answer:"]
        for one in operation["pictures"]:
            out += textwrap.wrap(f"{one['name']}: {one['summary']}.", 96, initial_indent="    ", subsequent_indent="        ")
    out += ["", "The same as `marey " + operation["name"] + "` on a command line."]
    return "\n".join(out).replace("\\", "\\\\").replace('"""', "'''")


def function(operation, bound, stub):
    name = python_name(operation["name"])
    indent = "    " if bound else ""
    answer = "Made" if operation["makes_clip"] else "Result"
    arguments = ", ".join(signature(operation, bound))
    head = f"{indent}def {name}({arguments}) -> {answer}:"
    if stub:
        return f"{head} ...\n"
    body = textwrap.indent(f'"""{docstring(operation, bound)}\n"""', indent + "    ", lambda line: bool(line.strip()))
    values = ", ".join(python_name(row["name"]) for row in operation["params"])
    values = f"({values},)" if values else "()"
    more = ""
    if frames_of(operation):
        more += ", frames=frames"
    if has_extra_metric(operation):
        more += ", metric=metric"
    if operation["makes_clip"]:
        more += ", clip=make_clip" + (", save_as=save_as" if bound else "")
    target = "self" if bound else "None"
    return f"{head}\n{body}\n{indent}    return _operate(_{name}, {target}, {values}{more})\n"


def table(operation):
    rows = ", ".join(f"({row['name']!r}, {row['type']!r}, {default_of(row)!r})" for row in operation["params"])
    rows = f"[{rows}]"
    flags = ("makes_clip", "clip_is_asked_for", "has_arrays", "takes_own_metric")
    more = "".join(f", {flag}=True" for flag in flags if operation[flag])
    if operation["pictures"]:
        more += f", pictures={tuple(one['name'] for one in operation['pictures'])!r}"
    if frames_of(operation):
        more += f", frames_of={frames_of(operation)!r}"
    return f"_{python_name(operation['name'])} = _Operation({operation['name']!r}, {rows}{more})\n"


def module(operations, stub):
    free = [one for one in operations if one["library"] in ("none", "may-read", "or-files")]
    bound = [one for one in operations if one["library"] != "none"]
    parts = [HEADER.format(name="operations.pyi" if stub else "operations.py"), STUB if stub else IMPORTS, "\n"]
    parts.append(f"__all__ = {[python_name(one['name']) for one in free]!r}\n\n")
    if not stub:
        parts += [table(one) for one in operations]
        parts.append("\n\n")
    parts.append("class LibraryOperations:\n")
    if not stub:
        parts.append('    """The operations of a library, which `marey.Library` is."""\n\n')
    parts.append("\n".join(function(one, True, stub) for one in bound))
    parts.append("\n\n")
    parts.append("\n\n".join(function(one, False, stub) for one in free))
    return "".join(parts)


def main():
    library, folder = Path(sys.argv[1]), Path(sys.argv[2])
    operations = rows_of(library)
    (folder / "operations.py").write_text(module(operations, False))
    (folder / "operations.pyi").write_text(module(operations, True))


if __name__ == "__main__":
    main()
