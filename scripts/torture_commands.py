"""torture_commands.py - the commands that check_torture runs while calls fail, the small files and the library that they work on,
and what a run may leave behind. Standard library only."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from csource import ROOT
from torture import LONGEST_S, PROGRAM, SHORT, UNNOTICED, Server, errno

# Run in a folder with copies of what make_files makes. Marked are those that write to small.marey, by !, those that do so in more
# than one transaction, by !+ (docs/results/reliability.md says which), and those whose work goes on with the other files where one
# fails, by ~.
COMMANDS = """
info walk.bvh --json~
info walk.bvh
info takes --json~
convert walk.bvh out.glb
convert kick1.glb out.bvh --mirror --json
convert walk.bvh out.amc
convert walk.amc out.fbx --json
convert walk.fbx out.bvh
convert walk.bvh kick1.glb broken.bvh --to glb -o out~
positions walk.bvh -o out.npy
solve walk.npz -o out.bvh --json
solve walk.npy --source-fps 30 -o out.glb
render walk.bvh -o out.png
render walk.bvh kick1.glb -o out.pdf --json~
render walk.bvh -o out.svg
contacts walk.bvh --json
quality walk.bvh
grid walk.bvh turn.bvh -o out.png
similar walk.bvh turn.bvh --count 3 --json
align walk.bvh turn.bvh
transition walk.bvh turn.bvh -o out.bvh --provenance
blend -L small.marey kick1 kick2 --weights 1,1 -o small.marey:middle!
clean walk.bvh -o out.bvh
retarget walk.bvh --onto other.bvh -o out.glb
loop walk.bvh --json
index small.marey --web!+
index small.marey --fps 20 --json!+
search small.marey kick1 --limit 3 --json
search small.marey kick1 --sheet out.svg --cut found!
motifs small.marey -o out.svg
example small.marey walk#5-40 -o out.bvh --json
param build small.marey kick2 --clips kick1,kick2,kick3 --feature height(right_ankle,highest)!
param make small.marey kick --at 80 -o out.bvh --json
cluster build small.marey c2 walk turn --fps 10 --json!
cluster stitch small.marey c walk turn -o out.bvh
graph build small.marey g2 walk turn --fps 15!
graph walk small.marey g --length 2s -o out.bvh --json
graph stats small.marey g --matrix out.png
graph train small.marey g --json!
puppet train shy.csv -o small.marey:guard!
puppet run -L small.marey shy main.csv -o out.csv --picture out.svg
add small.marey more.bvh broken.bvh --label new!~
add new.marey more.bvh kick1.glb --json~
add old.marey more.bvh
doctor small.marey bad --fix all --json!
doctor bad.bvh --fix all -o out.bvh
ls small.marey --long
label small.marey walk#5-20 --add stride --json!
set small.marey walk --source-fps 25!
rename small.marey turn bend!
rm small.marey kick3 --json!
cut small.marey walk#5-30 step turn#1-20 arc!
export small.marey --all -o out --json~
convert -L small.marey walk small.marey:half --fps 15!
history small.marey
undo small.marey --json!
verify small.marey --hash --json
index small.marey --web --shard 1/2 --out out.part
merge small.marey part1 part2!+
mcp small.marey --write!
demo out --take hops
formats
""".strip().splitlines()

BESIDE = ("-wal", "-shm", "-migrating")  # what lies beside a library in use, or that is brought up to date
AGENT = [
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "torture", "version": "1"}}),
    ("tools/list", {}), ("tools/call", {"name": "ls", "arguments": {}}),
    ("tools/call", {"name": "render", "arguments": {"clips": ["walk"]}}),
    ("tools/call", {"name": "label", "arguments": {"clips": ["walk"], "add": ["agent"]}}),
]


def marey(folder, *words):
    """What a command prints, which must end well."""
    run = subprocess.run([str(PROGRAM), *words], cwd=folder, capture_output=True, text=True, timeout=LONGEST_S)
    if run.returncode:
        raise RuntimeError(f"marey {' '.join(words)}: {run.returncode}: {run.stderr}")
    return run.stdout


def make_files(folder):
    """Clips of two seconds and less from the demo, and a library that has everything made of them."""
    takes = ("walk_left", "walk_straight", "kicks", "small_walk")
    marey(folder, "demo", "takes", *[word for take in takes for word in ("--take", take)], "--quiet")
    for name, source in (("walk.bvh", "walk_straight.bvh#120-240"), ("turn.bvh", "walk_left.bvh#120-240"),
                         ("more.bvh", "walk_left.bvh#300-380"), ("other.bvh", "small_walk.bvh#100-160"),
                         ("kick1.glb", "kicks.bvh#122-252"), ("kick2.bvh", "kicks.bvh#372-502"), ("kick3.bvh", "kicks.bvh#622-750")):
        marey(folder, "convert", f"takes/{source}", name, "--fps", "30", "--quiet")
    for name in ("walk.amc", "walk.fbx", "walk.npz"):
        marey(folder, "convert", "walk.bvh", name, "--quiet")
    marey(folder, "positions", "walk.bvh", "-o", "walk.npy", "--quiet")
    lines = (folder / "walk.bvh").read_text().splitlines()
    (folder / "broken.bvh").write_text("\n".join(lines[:-3]) + "\n1 2 x\n")
    words = lines[-9].split()
    words[1] = str(float(words[1]) + 60)  # a spike
    (folder / "bad.bvh").write_text("\n".join([*lines[:-9], " ".join(words), *lines[-8:]]) + "\n")
    library = "small.marey"
    marey(folder, "add", library, "walk.bvh", "turn.bvh", "kick1.glb", "kick2.bvh", "kick3.bvh", "bad.bvh", "--quiet")
    for part in ("1", "2"):
        marey(folder, "index", library, "--web", "--shard", f"{part}/2", "--out", f"part{part}", "--quiet")
    for line in ("graph build small.marey g walk turn --fps 15", "cluster build small.marey c walk turn --fps 10",
                 "param build small.marey kick --clips kick1,kick2,kick3 --feature height(right_ankle,highest)",
                 "puppet train --clips walk.bvh turn.bvh -o small.marey:shy", "puppet show -L small.marey shy --csv shy.csv",
                 "label small.marey kick2 --add kick"):
        marey(folder, *line.split(), "--quiet")
    for line in ("add none.marey more.bvh", "rm none.marey more", "rm none.marey --purge"):
        marey(folder, *line.split(), "--quiet")
    said = json.loads(marey(folder, "verify", "none.marey", "--hash", "--json"))
    (folder.parent / "empty").write_text(said["hash"])
    (folder / "none.marey").unlink()
    rows = [line.split(",")[:4] for line in (folder / "shy.csv").read_text().splitlines()]
    (folder / "main.csv").write_text("\n".join(",".join(row) for row in rows) + "\n")
    shutil.rmtree(folder / "takes")
    (folder / "takes/deeper").mkdir(parents=True)
    shutil.copyfile(folder / "more.bvh", folder / "takes/one.bvh")
    shutil.copyfile(folder / "kick1.glb", folder / "takes/deeper/two.glb")
    shutil.copyfile(ROOT / "tests/data/libraries/schema-5.marey", folder / "old.marey")
    asked = [{"jsonrpc": "2.0", "id": number, "method": method, "params": params} for number, (method, params) in enumerate(AGENT)]
    (folder / "agent").write_text("".join(json.dumps(line) + "\n" for line in asked))


class Workplace:
    """A folder with copies of the same files for every run. What a run did not touch is neither read again nor copied again: its
    copy is as old as the file that it was made from, and any change makes it younger."""

    def __init__(self, source, folder, judge):
        self.source, self.folder, self.judge = source, folder, judge
        self.given, self.folders = {}, set()  # the hash of each file's content, by name
        for path in sorted(source.rglob("*")):
            name = path.relative_to(source).as_posix()
            if path.is_dir():
                self.folders.add(name)
            else:
                self.given[name] = hashlib.blake2b(path.read_bytes()).hexdigest()
        self.marks = {}  # of each file as it was copied
        self.said = {}  # what verify says of a library, by its content
        folder.mkdir()
        self.fill()

    def scan(self, under="", files=None, folders=None):
        """Marks of all files, and the names of all folders."""
        files, folders = ({}, set()) if files is None else (files, folders)
        with os.scandir(self.folder / under) as entries:
            for entry in entries:
                name = under + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.add(name)
                    self.scan(name + "/", files, folders)
                else:
                    about = entry.stat(follow_symlinks=False)
                    files[name] = (about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        return files, folders

    def fill(self):
        """All is as it was given, whatever was done here."""
        files, folders = self.scan()
        for name in files.keys() - self.given.keys():
            os.unlink(self.folder / name)
        for name in folders - self.folders:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for name in sorted(self.folders - folders):
            (self.folder / name).mkdir()
        for name in self.given:
            if name not in files or files[name] != self.marks.get(name):
                path = self.folder / name
                path.unlink(missing_ok=True)
                shutil.copy2(self.source / name, path)
                about = path.lstat()
                self.marks[name] = (about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns)

    def content(self, name):
        with open(self.folder / name, "rb") as file:
            return hashlib.blake2b(file.read()).hexdigest()

    def all(self):
        """The hash of each file's content, by name."""
        return {name: self.given[name] if mark == self.marks.get(name) else self.content(name)
                for name, mark in sorted(self.scan()[0].items())}

    def library(self, name):
        """The hash that verify gives, or None where the library is not sound."""
        path = self.folder / name
        if not path.exists():
            return "none"
        alone = not any(os.path.exists(f"{path}{beside}") for beside in BESIDE)
        content = self.content(name)
        if alone and content in self.said:
            return self.said[content]
        status = self.judge.run(["verify", name, "--hash", "--json"], self.folder)
        said = json.loads(self.judge.out.read_text() or "{}")
        found = said.get("hash") if status == 0 and said.get("ok") else None
        if alone:
            self.said[content] = found
        return found


DISK_FAILED = re.compile(r'"problems":.*(the disk failed|cannot read this library)')

# What a clock says differs from run to run.
CLOCK = re.compile(r'("(?:seconds|\w*_s|when|time)": ?)[-0-9.e+]+|\b\d[\d.e+-]* (?:s|ms|seconds)\b|\bseconds +[0-9.e-]+')


def timeless(text):
    return CLOCK.sub(r"\1*", text)


def same(a, b):
    """But for what a clock says. Only what differs is looked at, since pictures are long."""
    a, b = a.split('"'), b.split('"')
    return len(a) == len(b) and all(one == other or timeless(f'"{key}"{one}') == timeless(f'"{key}"{other}')
                                    for key, one, other in zip([a[0], *b], a, b))


def is_error(said, number):
    """An agent's request is answered by an error. What could not be read has no number."""
    return said["id"] in (number, None) and ("error" in said or said["result"].get("isError"))


class Case:
    """A command, and what it does where nothing fails."""

    def __init__(self, line, source, place, judge):
        self.line = line.rstrip("!+~")
        marks = line[len(self.line):]
        self.writes, self.in_steps, self.goes_on = ("!" in marks), ("+" in marks), ("~" in marks)
        self.words = [*self.line.split(), "--threads", "1"]
        self.given = place / "agent" if self.words[0] == "mcp" else "/dev/null"
        self.subject = Server("subject")
        self.place, self.judge = place, judge
        if self.given != "/dev/null":
            shutil.copyfile(source / "agent", self.given)
        self.state = Workplace(source, place / "work", judge)
        self.folder, self.fill = self.state.folder, self.state.fill
        self.empty = (source.parent / "empty").read_text()
        self.finished = {}  # whether the command, given again, comes to its end, by the content of the library
        self.before = self.state.all()
        self.libraries = {name: {self.state.library(name)} for name in self.before if name.endswith(".marey")}
        self.run_well(noting=0)
        self.run_well(noting=1)
        self.places = self.subject.page.places()

    def run_well(self, noting):
        self.fill()
        self.status = self.subject.run(self.words, self.folder, self.given, noting=noting)
        self.out, self.err = self.printed()
        page = self.subject.page
        self.blocks, self.handles = page.get("blocks"), page.get("handles")
        self.after = self.state.all()
        if self.status not in ((0, 1) if self.goes_on else (0,)) or not page.get("returned"):
            raise RuntimeError(f"marey {self.line}: {self.status}: {self.err}")
        for name in self.after:
            if name.endswith(".marey"):
                hashes = self.libraries.setdefault(name, {"none"})
                hashes.add(self.state.library(name))
        if any(None in hashes for hashes in self.libraries.values()):
            raise RuntimeError(f"marey {self.line}: a library is not sound")
        changed = self.after.get("small.marey") != self.before["small.marey"]
        if changed != self.writes:
            raise RuntimeError(f"marey {self.line}: small.marey {'changed' if changed else 'did not change'}")
        self.fill()

    def printed(self):
        return tuple(path.read_bytes().decode(errors="replace") for path in (self.subject.out, self.subject.err))

    def try_point(self, point):
        """Runs the command with a call that fails. What is wrong with how it ended, a line each."""
        kind, number, fault, lasting, _ = point
        status = self.subject.run(self.words, self.folder, self.given, kind=self.subject.kind(kind), number=number, fault=fault,
                                  lasting=lasting)
        page = self.subject.page
        failed = page.get("failed")
        out, err = self.printed()
        wrong = self.judge_end(status, fault if failed else 0, out, err)
        if status is not None and status >= 0 and page.get("returned"):
            wrong += self.judge_leaks()
        wrong += self.judge_files(status, kind)
        if wrong:
            wrong.append(f"status {status}, out {out[:200]!r}, err {err[:400]!r}")
        return failed, wrong

    def judge_end(self, status, fault, out, err):
        if status is None:
            return ["hangs"]
        if status < 0 or status not in (0, 1, 3):
            return [f"ends by {'signal' if status < 0 else 'status'} {abs(status)}"]
        wrong = []
        if fault in (*UNNOTICED, 0) or status == self.status:
            if status != self.status:
                wrong.append("an interruption or a short count is noticed")
            elif out != self.out and not same(out, self.out) and not (self.status and fault) and not self.is_answered(out):
                wrong.append("ends well with another answer")
            return wrong
        if status == 0:
            wrong.append("ends well where it did not before")
        if status == 1 and self.words[0] == "verify" and DISK_FAILED.search(out):
            return wrong  # a disk that fails is what it looks for
        if status == 1:
            wrong.append("a failure of the machine counts as one of the input")
        lines = err.splitlines()
        if self.subject.page.get("handle") != 2 and not (lines and lines[-1].startswith("marey")):
            wrong.append("there is no message")
        if any(not line.startswith("marey") and line not in self.err for line in lines) or "(null)" in err:
            wrong.append("there is more than messages")
        if "--json" in self.words and "standard output" not in err:
            wrong += self.judge_json(out)
        return wrong

    def is_answered(self, out):
        """An agent gets an answer to every line, some of them errors."""
        if self.given == "/dev/null":
            return False
        lines, before = out.splitlines(), self.out.splitlines()
        return len(lines) == len(before) and all(line == well or same(line, well) or is_error(json.loads(line), json.loads(well)["id"])
                                                 for line, well in zip(lines, before))

    def judge_json(self, out):
        try:
            said = json.loads(out)
            failed = [said["error"]] if "error" in said else said.get("errors") or said.get("failed") if self.goes_on else []
            if not failed:
                return ["the JSON has no error"]
            return [] if all(one.get("status", "io") in ("memory", "io") for one in failed) else ["the JSON has another status"]
        except (ValueError, KeyError, TypeError):
            return ["the JSON has no error"]

    def judge_leaks(self):
        page, wrong = self.subject.page, []
        if page.get("blocks") > self.blocks:
            wrong.append(f"leaks {page.get('blocks') - self.blocks} blocks of memory")
        if page.get("handles") > self.handles:
            wrong.append(f"leaks {page.get('handles') - self.handles} handles")
        return wrong

    def judge_files(self, status, kind):
        """Each file must be as it was or as the whole command makes it; afterwards the folder is as before."""
        wrong = []
        now = self.state.all()
        if any(name.endswith(BESIDE) for name in now):
            now = self.put_away(now, wrong)
        for name in sorted({*now, *self.before}):
            if now.get(name) == self.before.get(name):
                continue
            if name.endswith(".marey") and name in self.libraries:
                found = self.state.library(name)
                empty = name not in self.before and status != self.status and found == self.empty
                partly = self.goes_on and found is not None
                if found not in self.libraries[name] and not (empty or partly) and not (self.in_steps and self.is_finished(name)):
                    wrong.append(f"{name} is neither as before nor as after")
            elif name not in now:
                wrong.append(f"{name} is gone")
            elif now[name] != self.after.get(name) and (kind != "unlink" or name in self.before) and not (
                    self.goes_on and name in self.after):
                wrong.append(f"{name} is left behind")
        self.fill()
        return wrong

    def is_finished(self, name):
        """A library that is sound, and in which the command, given again, comes to the same end."""
        if not self.state.library(name):
            return False
        content = self.state.content(name)
        if content not in self.finished:
            status = self.judge.run(self.words, self.folder, self.given)
            self.finished[content] = status == self.status and self.state.library(name) in self.libraries[name]
        return self.finished[content]

    def put_away(self, now, wrong):
        """A log that the command could not put away is part of its library, until the next one that writes puts it away."""
        for name in sorted(now):
            if name.endswith(BESIDE):
                library = name.rpartition("-")[0]
                if self.state.library(library) is None:
                    wrong.append(f"{library} with its log is not sound")
                self.judge.run(["index", library], self.folder)
        return self.state.all()

    def close(self):
        self.subject.close()
