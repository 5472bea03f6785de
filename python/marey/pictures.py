"""pictures.py - clips and answers to look at: film strips, players, and what a notebook shows of an object."""
import base64
import html
import json
import os
import struct
import tempfile
import zlib

import numpy as np

from ._context import locked
from ._native import ffi, lib
from .errors import RequestError, bytes_of

__all__ = ["Html", "Picture", "sheet"]

FORMATS = ("png", "svg", "pdf")


class Picture:
    """A picture: bytes of a PNG, SVG or PDF file. A notebook shows it; `save(path)` writes it."""

    __slots__ = ("data", "format")

    def __init__(self, data, format="png"):
        self.data = data
        self.format = format

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.data)

    def _repr_png_(self):
        return self.data if self.format == "png" else None

    def _repr_svg_(self):
        return self.data.decode() if self.format == "svg" else None

    def to_html(self, alt=""):
        kind = "svg+xml" if self.format == "svg" else self.format
        code = base64.b64encode(self.data).decode()
        return f'<img alt="{html.escape(alt)}" src="data:image/{kind};base64,{code}" style="max-width:100%">'

    def __repr__(self):
        return f"<marey.Picture: {self.format}, {len(self.data)} bytes>"


class Html:
    """A text of HTML that stands for itself. A notebook shows it in a frame; `save(path)` writes it."""

    __slots__ = ("text", "height")

    def __init__(self, text, height=420):
        self.text = text
        self.height = height

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self):
        return (
            f'<iframe title="marey player" sandbox="allow-scripts" allowfullscreen style="width:100%;height:{self.height}px;border:0" '
            f'srcdoc="{html.escape(self.text, quote=True)}"></iframe>'
        )

    def __repr__(self):
        return f"<marey.Html: {len(self.text)} characters>"


def drawn(draw, format="png"):
    """A picture of what `draw(path)` writes."""
    with tempfile.TemporaryDirectory(prefix="marey-") as folder:
        path = os.path.join(folder, f"picture.{format}")
        draw(path)
        with open(path, "rb") as file:
            return Picture(file.read(), format)


# ---- clips ------------------------------------------------------------------------------------


def strip_of(clip, width=1000, height=200, poses=None, format="png"):
    from .clip import contacts_to_c

    how, title = ffi.new("marey_strip_def *"), ffi.new("char[]", bytes_of(clip.name))
    contacts, count = contacts_to_c(clip.contacts)
    how.width_px, how.height_px, how.poses, how.title = int(width), int(height), int(poses or 0), title
    how.contacts, how.contact_count = contacts, max(0, count)

    def draw(path):
        with locked(clip._contexts()):
            clip._context.call(lib.marey_strip_save, clip._handle, how, os.fsencode(path))

    return drawn(draw, format)


def sheet(clips, titles, format="png"):
    """Film strips of several clips on one sheet, each with its title, to be compared: a Picture."""
    handles = ffi.new("marey_clip *[]", [clip._handle for clip in clips])
    texts = [ffi.new("char[]", bytes_of(title)) for title in titles]
    labels = ffi.new("char *[]", texts)
    contexts = [own for clip in clips for own in clip._contexts()]

    def draw(path):
        with locked(contexts):
            handle = ffi.cast("const marey_clip *const *", handles)
            clips[0]._context.call(lib.marey_sheet_save, handle, labels, len(clips), os.fsencode(path))

    return drawn(draw, format)


def player_of(clips, **options):
    path = os.path.join(os.path.dirname(__file__), "player.html")
    if not os.path.exists(path):
        raise RequestError("this build of the package has no player: it was made without the studio's page")
    with open(path, encoding="utf-8") as file:
        template = file.read()
    data = json.dumps({"clips": [_clip_data(clip) for clip in clips], "options": options}, separators=(",", ":"))
    # Nothing in a name may look like the end of the element that the text stands in.
    return Html(template.replace("<!-- marey:clips -->", data.replace("<", "\\u003c"), 1))


def _clip_data(clip):
    """As studio/web/src/share/shared_clips.ts says."""
    skeleton, tracks = clip.skeleton, clip.places
    frames, joints, count = len(clip), len(skeleton), 1 if len(tracks) == 1 else len(skeleton)
    places = np.empty((frames, count, 3), dtype="<f4")
    for joint in range(count):
        places[:, joint] = tracks.get(joint, skeleton.offsets[joint])
    header = struct.pack("<4s7Id", b"MRYF", 1, frames, joints, 0, 1, count, 0, clip.fps)
    frames_data = header + places.tobytes() + clip.rotations.astype("<f4", copy=False).tobytes()
    return {
        "name": clip.name, "fps": clip.fps, "frames": frames, "description": clip.description,
        "joints": [
            {"name": name, "parent": parent, "offset_cm": list(skeleton.offsets[i]),
             **({"end_cm": list(skeleton.ends[i])} if i in skeleton.ends else {})}
            for i, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents))
        ],
        "roles": skeleton.roles,
        "contacts": [{"joint": point, "start": start, "end": end} for point, start, end in clip.contacts],
        "marks": [{"kind": kind, "start": start, "end": end} for kind, start, end in clip.marks],
        "data": base64.b64encode(frames_data).decode(),
    }


def html_of_clip(clip):
    facts = f"{len(clip)} frames at {clip.fps:g} a second, {clip.seconds:.2f} s, {len(clip.skeleton)} joints"
    more = [text for text in (", ".join(clip.labels), clip.description, clip.licence) if text]
    rows = "".join(f"<div>{html.escape(text)}</div>" for text in [facts, *more])
    faults = "".join(
        f"<div>{html.escape(fault.about)}: {fault.value:.3g} {html.escape(fault.unit)}</div>"
        for fault in (clip.result.faults if hasattr(clip, "result") and "faults" in clip.result else [])
    )
    picture = strip_of(clip).to_html(f"film strip of {clip.name}")
    return f"<div><b>{html.escape(clip.name)}</b>{rows}{faults}{picture}</div>"


def picture_of_result(result, kind=None, format="png"):
    if result._call is None:
        raise RequestError(f"{result._operation or 'a part of an answer'} has no picture")
    if format not in FORMATS:
        raise RequestError(f"a picture is one of {', '.join(FORMATS)}, not {format}")
    return drawn(lambda path: result._call.draw(result._library, kind, path), format)


# ---- answers ----------------------------------------------------------------------------------

# The time of a graph's matrix goes with the square of its frames: so many take a second.
MOST_ROWS, MOST_STRIPS, MOST_FRAMES = 30, 24, 8000


def _cell(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return f"{len(value)} values"
    if isinstance(value, list):
        return ", ".join(_cell(each) for each in value) if len(value) <= 4 and not any(isinstance(v, (dict, list)) for v in value) else f"{len(value)} of them"
    return "" if value is None else str(value)


def table_of(rows):
    """An HTML table of dictionaries, the first ones."""
    keys = list(dict.fromkeys(key for row in rows[:MOST_ROWS] for key in row))
    head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_cell(row.get(key)))}</td>" for key in keys) + "</tr>" for row in rows[:MOST_ROWS]
    )
    left = f"<div>and {len(rows) - MOST_ROWS} more</div>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"


def _are_frames(items, library):
    return library is not None and items and all(isinstance(each, dict) and {"clip", "start", "end"} <= set(each) for each in items)


def _title(item):
    parts = [f"{item['start']}-{item['end']}"]
    if item.get("distance_cm") is not None:
        parts.append(f"{item['distance_cm']:.3g} cm" if item["distance_cm"] else "the query")
    return ", ".join(parts)


def usual_picture(result):
    """As HTML; where there is nothing to draw it says so."""
    kind = result.pictures[0]
    if kind == "matrix" and result._data.get("frames", 0) > MOST_FRAMES:
        return f"<div>a graph of this size is drawn by result.picture({kind!r})</div>"
    try:
        return result.picture(kind).to_html(f"{kind} of {result._operation}")
    except RequestError as error:
        return f"<div>{html.escape(str(error))}</div>"


def html_of_result(result):
    data = result._data
    figures = {} if isinstance(data, list) else {
        key: value for key, value in data.items() if not isinstance(value, (list, dict)) and value is not None
    }
    parts = []
    if figures:
        parts.append("<div>" + ", ".join(f"{html.escape(key)} <b>{html.escape(_cell(value))}</b>" for key, value in figures.items()) + "</div>")
    items = result._items()
    # Of several libraries only the first is at hand here; the answer itself has them all open.
    if _are_frames(items, result._library) and "library" not in items[0]:
        # The query may be a clip in memory or a file, which has no number.
        shown = [each for each in items if each.get("id", each["clip"]) is not None][:MOST_STRIPS]
        clips = [result._library[result._wrap(each)] for each in shown]
        parts.append(sheet(clips, [_title(each) for each in shown]).to_html("film strips of what was found"))
    elif result.pictures:
        parts.append(usual_picture(result))
    elif result._arrays:
        parts.extend(array_picture(array).to_html(name) for name, array in result._arrays.items())
    if items and isinstance(items[0], dict):
        parts.append(table_of(items))
    return f"<div>{''.join(parts)}</div>"


def array_picture(array, side=480):
    """An array of distances as a gray picture, dark where they are small."""
    rows, columns = array.shape
    step = max(1, -(-max(rows, columns) // side))
    small = np.asarray(array[: rows // step * step or 1 : step, : columns // step * step or 1 : step], dtype=np.float64)
    finite = small[np.isfinite(small)]
    top = np.percentile(finite, 99) if finite.size else 1.0
    gray = np.clip(np.sqrt(np.clip(small, 0, None) / (top or 1.0)) * 255, 0, 255).astype(np.uint8)
    return Picture(_png(gray), "png")


def _png(gray):
    """A gray picture as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in gray)
    header = struct.pack(">IIBBBBB", gray.shape[1], gray.shape[0], 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def html_of_library(library):
    clips = library.ls()._data["clips"]
    keys = ("name", "frames", "fps", "seconds", "labels", "description")
    rows = [{key: ", ".join(clip[key]) if key == "labels" else clip[key] for key in keys} for clip in clips]
    seconds = sum(clip["seconds"] for clip in clips)
    head = f"<div><b>{html.escape(os.path.basename(library.path))}</b>: {len(clips)} clips, {seconds / 60:.1f} min</div>"
    return f"<div>{head}{table_of(rows)}</div>"
