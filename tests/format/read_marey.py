#!/usr/bin/python3
"""read_marey.py LIBRARY - its clips as lines of JSON. Written from docs/format.md, with SQLite and zstd alone."""
import json
import math
import sqlite3
import struct
import subprocess
import sys
from io import BytesIO
from itertools import accumulate
from os.path import exists

CM = [None, 0.1, 1, 100, 2.54, 30.48, 2.54 / 0.45, 1]
TABLES = {"label": "label", "stretch": "label, start, stop", "contact": "joint, start, stop",
          "layer": "place, kind, joint, start, stop, hex(numbers)"}


class Record(BytesIO):
    def integer(self):
        byte, value, shift = 128, 0, 0
        while byte > 127:
            byte = self.read(1)[0]
            value, shift = value | (byte & 127) << shift, shift + 7
        return value >> 1 ^ -(value & 1)

    def integers(self, count):
        return [self.integer() for _ in range(count)]

    def numbers(self, count):
        return struct.unpack(f"<{count}d", self.read(8 * count))


def read_skeleton(record):
    (version, count), joints = record.integers(2), []
    assert version == 1, "a skeleton of another version"
    for _ in range(count):
        joints.append({"name": record.read(record.integer()).decode(), "parent": record.integer()})
        has_end, joints[-1]["channels"] = record.integer(), record.integers(record.integer())
        joints[-1] |= {"offset": record.numbers(3), "end": record.numbers(3 * has_end)}
    axes = [record.numbers(4) for _ in joints] if record.integer() else [None] * len(joints)
    orders = [record.integers(3) for _ in joints] if record.integer() else [None] * len(joints)
    return [dict(joint, axes=a, order=o) for joint, a, o in zip(joints, axes, orders)]


def read_motion(data):
    (letters, rows, cols), columns = struct.unpack_from("<4sII", data), []
    at = 12 + 20 * cols
    assert letters == b"COL1", "motion of another version"
    for c in range(cols):
        decimals, order, width, first, second = struct.unpack_from("<BBBxqq", data, 12 + 20 * c)
        planes = [data[at + k * rows:at + (k + 1) * rows] for k in range(width)] + [bytes(rows)] * (8 - width)
        words, at = b"".join(map(bytes, zip(*planes))), at + width * rows
        n = [u >> 1 ^ -(u & 1) for u in struct.unpack(f"<{rows}Q", words)]
        n[1:] = accumulate([second - first] + n[2:]) if order == 2 and rows > 1 else n[1:]
        n = accumulate([first] + n[1:]) if order else n
        columns.append(struct.unpack(f"<{rows}d", words) if decimals == 255 else [i / 10 ** decimals for i in n])
    return list(zip(*columns))


def times(a, b):
    (w, x, y, z), (p, i, j, k) = a, b
    return (w*p - x*i - y*j - z*k, w*i + x*p + y*k - z*j, w*j - x*k + y*p + z*i, w*k + x*j - y*i + z*p)


def pose(clip, frame):  # of each joint: its place below its parent, cm, y up, and its rotation (w, x, y, z)
    row, poses = iter(clip["numbers"][frame]), []
    for joint in clip["joints"]:
        said, turn = {c: next(row) for c in joint["channels"]}, (1, 0, 0, 0)
        for axis in joint["order"] or [c - 3 for c in joint["channels"] if 3 <= c <= 5]:
            half = math.radians(said.get(3 + axis, 0)) / 2
            turn = times(turn, [math.cos(half)] + [math.sin(half) * (i == axis) for i in range(3)])
        if joint["axes"]:
            turn = times(times(joint["axes"], turn), [n * s for n, s in zip(joint["axes"], (1, -1, -1, -1))])
        (x, y, z), (w, i, j, k) = [said.get(i, joint["offset"][i]) * clip["cm"] for i in range(3)], turn
        poses.append([(x, y, z), turn] if clip["up"] == "y" else [(x, z, -y), (w, i, k, -j)])
    return poses


def clips(path, where="true"):
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable={int(not exists(f'{path}-wal'))}", uri=True)
    db.row_factory = sqlite3.Row
    there = {name for name, in db.execute("SELECT name FROM sqlite_master")}
    for row in db.execute("SELECT clip.*, pack, bytes FROM clip JOIN skeleton ON skeleton.id = skeleton"
                          f" JOIN blob ON blob.id = motion WHERE removed = 0 AND {where} ORDER BY clip.id"):
        clip, about = {key: row[key] for key in row.keys() if not isinstance(row[key], bytes)}, Record(row["about"])
        assert about.integer() == 1, "a clip of another version"
        (clip["captured_fps"], _), (_, units, up, marks) = about.numbers(2), about.integers(4)
        motion = subprocess.run(["zstd", "-dcq"], input=row["bytes"], capture_output=True, check=True).stdout
        clip |= {"cm": CM[units], "up": " yz"[up], "marks": [about.integers(3) for _ in range(marks)],
                 "joints": read_skeleton(Record(row["pack"])), "numbers": read_motion(motion)}
        for table, what in TABLES.items():
            sql = f"SELECT {what} FROM {table} WHERE clip = ? ORDER BY 1"
            clip[table] = [*map(list, db.execute(sql, [row["id"]]))] if table in there else []
        yield clip


if __name__ == "__main__":
    for clip in clips(sys.argv[1]):
        print(json.dumps(clip | {"poses": [pose(clip, frame) for frame in range(clip["frames"])]}))
