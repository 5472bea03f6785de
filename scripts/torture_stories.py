"""torture_stories.py - what users of the studio do, as requests that check_torture sends to a real `marey studio` while calls
fail. Standard library only."""

import base64
import hashlib
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import time

from torture import UNNOTICED, Server
from torture_commands import Workplace

# Each step is METHOD PATH BODY. `job` waits for the job that a POST began, `file` fetches what it made, `live` sends messages
# through the live socket until as many of each kind of message came as it says.
STORIES = {
    "page": ["GET /", "GET /app.js", "GET /api/about", "GET /api/operations"],
    "clips": ["GET /api/clips", "GET /api/clips/1", "GET /api/clips?text=walk", 'POST /api/do/ls {"words": ["kick"]}'],
    "frames": ["GET /api/clips/1/frames?start=0&end=30&step=1", "GET /api/clips/1/curves?of=Hips.Xposition,LeftFoot.speed",
               "GET /api/clips/1/strip"],
    "label": ['POST /api/do/label {"clips": [1], "add": ["mine"]}', "POST /api/do/history {}", "POST /api/do/undo {}",
              "POST /api/do/redo {}"],
    "cut": ['POST /api/do/cut {"cuts": [{"clip": 1, "start": 5, "end": 30, "name": "step"}]}', 'POST /api/do/rm {"clips": [1]}',
            'POST /api/do/restore {"clips": [1]}', 'POST /api/do/rename {"clip": 1, "to": "path"}'],
    "import": ["UPLOAD /api/import?label=new more.bvh", "job", "GET /api/clips"],
    "upload of rubbish": ["UPLOAD /api/import broken.bvh", "job"],
    "search": ['POST /api/do/search {"query": {"clip": 3, "start": 0, "end": 40}, "tiers": 2}', "GET /api/index"],
    "index": ['POST /api/do/index {"web": true}', "job", 'POST /api/do/search {"query": {"clip": 3, "start": 0, "end": 40}, "web": true, "threshold": 500}'],
    "compare": ['POST /api/do/similar?list=1 {"a": 1, "b": 2, "count": 3}', 'POST /api/grid {"a": 1, "b": 2}', "GET /api/metrics"],
    "align": ['POST /api/do/align {"clips": [1, 2], "save": "pair"}', 'POST /api/do/blend {"curve": "pair", "weights": [1, 1]}'],
    "transition": ['POST /api/do/transition {"a": 1, "b": 2, "name": "both"}', 'POST /api/do/loop?list=1 {"clip": 1}'],
    "example": ["GET /api/dofs", 'POST /api/do/example?list=1 {"query": {"clip": 1, "start": 5, "end": 40}}'],
    "family": ["POST /api/do/param-ls {}", 'POST /api/do/param-show {"name": "kick"}',
               'POST /api/do/param-make {"family": "kick", "at": [80]}'],
    "graph": ["POST /api/do/graph-ls {}", 'POST /api/do/graph-stats {"name": "g"}', "GET /api/graph/arcs?name=g",
              'POST /api/do/graph-walk {"graph": "g", "length": "2s"}'],
    "graph build": ['POST /api/do/graph-build {"name": "g2", "clips": [1, 2], "fps": 15}', "job", 'POST /api/do/graph-rm {"name": "g2"}'],
    "clusters": ["POST /api/do/cluster-ls {}", "GET /api/cluster?name=c", 'POST /api/do/cluster-stitch {"cluster": "c", "a": 1, "b": 2}'],
    "puppets": ["POST /api/do/puppet-ls {}", "GET /api/puppet/file?name=shy",
                'POST /api/do/puppet-run {"puppet": "shy", "main": [[0, 0, 0, 0], [1, 50, 0, 0]]}', "job"],
    "export": ['POST /api/do/convert {"clips": [1, 2], "to": "glb", "output": "two"}', "job", "file",
               'POST /api/do/render {"clips": [1], "output": "one.png"}', "job", "file"],
    "cancel": ['POST /api/do/cluster-build {"name": "c2", "clips": [1, 2], "fps": 10}', "cancel"],
    "doctor": ['POST /api/do/doctor {"clips": [6], "fix": ["all"]}', "job?", "GET /api/clips/6", "POST /api/do/undo {}"],
    "play": ['live {"type": "play", "stream": 0, "clip": 1, "start": 0, "end": 30, "rate": 60, "speed": 4} until stream-end', "GET /api/clips"],
    "react": ['live {"type": "react", "react": 0, "puppet": "shy", "main": [0, 0, 0]} until react '
              '{"type": "main", "at": [[0.5, 10, 0, 0]]} until binary {"type": "dismiss", "react": 0} until react-end'],
}
PATIENCE_S = 60


class Lost(Exception):
    """The server closed the connection, or did not answer."""


class Live:
    """The live socket: RFC 6455, as a client."""

    def __init__(self, port, token, until_answered):
        self.wire = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self.until_answered = until_answered
        key = base64.b64encode(os.urandom(16)).decode()
        self.wire.sendall(f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nUpgrade: websocket\r\n"
                          f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
        self.held = b""
        while b"\r\n\r\n" not in self.held:
            self.more()
        head, self.held = self.held.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def more(self):
        self.until_answered(self.wire)
        got = self.wire.recv(65536)
        if not got:
            raise Lost("the live socket was closed")
        self.held += got

    def take(self, count):
        while len(self.held) < count:
            self.more()
        taken, self.held = self.held[:count], self.held[count:]
        return taken

    def say(self, text):
        data = text.encode()
        mask = b"\1\2\3\4"
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.wire.sendall(b"\x81" + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def hear(self):
        """The type of the next message; of one that is no JSON, binary."""
        while True:
            first, second = self.take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            data = self.take(size)
            if first & 15 == 8:
                raise Lost("the live socket was closed")
            if first & 15 == 2:
                return "binary"
            if first & 15 == 1:
                return json.loads(data)["type"]

    def until(self, wanted):
        while (kind := self.hear()) != wanted:
            if kind == "error":
                return 500
        return 200


class Studio:
    """A studio on a library, and the requests of one story after the other."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        server.begin(["studio", "small.marey", "--no-browser", "--json", "--threads", "1"], folder)
        until = time.monotonic() + PATIENCE_S
        while not (said := server.out.read_text() if server.out.exists() else "").endswith("\n"):
            if time.monotonic() > until:
                raise RuntimeError("the studio does not start")
            time.sleep(0.002)
        self.port, self.token = json.loads(said)["port"], json.loads(said)["token"]
        self.job = 0
        self.patience_s = PATIENCE_S

    def until_answered(self, wire):
        """There is something to read. Where calls fail for good the studio may answer nothing any more: then not for long."""
        begun = time.monotonic()
        while not select.select([wire], [], [], 0.1)[0]:
            if time.monotonic() - begun > (self.patience_s if self.server.page.get("failed") else PATIENCE_S):
                raise TimeoutError("no answer")

    def ask(self, method, path, body=None, kind="application/json"):
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = kind
        try:
            wire.request(method, path, body, headers)
            self.until_answered(wire.sock)
            answer = wire.getresponse()
            return answer.status, answer.read()
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise Lost(repr(error)) from error
        finally:
            wire.close()

    def step(self, words):
        """Status and body of a step's answer."""
        verb, _, rest = words.partition(" ")
        if verb == "job" or verb == "job?":
            return self.wait(self.job) if self.job else (200, b"")
        if verb == "file":
            return self.ask("GET", f"/api/jobs/{self.job}/file")
        if verb == "cancel":
            self.ask("POST", f"/api/jobs/{self.job}/cancel", "{}")
            return 200, self.wait(self.job)[1] and b""
        if verb == "live":
            return self.talk(rest), b""
        if verb == "UPLOAD":
            path, name = rest.split()
            content = (self.folder / name).read_bytes()
            status, body = self.ask("POST", path, b'--torture\r\nContent-Disposition: form-data; name="f"; filename="%s"\r\n\r\n%s\r\n--torture--\r\n'
                                    % (name.encode(), content), "multipart/form-data; boundary=torture")
        else:
            path, _, text = rest.partition(" ")
            status, body = self.ask(verb, path, text or None)
        if status == 202:
            self.job = json.loads(body)["job"]
        elif verb != "GET":
            self.job = 0
        return status, body

    def wait(self, job):
        until = time.monotonic() + PATIENCE_S
        while True:
            status, body = self.ask("GET", f"/api/jobs/{job}")
            said = json.loads(body) if status == 200 else {}
            if status != 200 or said["state"] not in ("waiting", "running"):
                failed = said.get("state") == "failed"
                return (500 if failed and said["error"]["status"] in ("memory", "io") else 400 if failed else status,
                        json.dumps(said.get("result") if not failed else {"error": said["error"]}).encode())
            if time.monotonic() > until:
                raise TimeoutError(f"job {job} does not end")
            time.sleep(0.005)

    def talk(self, text):
        live = Live(self.port, self.token, self.until_answered)
        try:
            if live.status != 101:
                return live.status
            status = 200
            for message, kind in re.findall(r"(\{.*?\}) until (\S+)", text):
                live.say(message)
                status = live.until(kind)
                if status != 200:
                    break
            return status
        finally:
            live.wire.close()

    def end(self):
        self.server.stop(signal.SIGTERM)
        return self.server.end()


def essence(body):
    """What of an answer is the same every time."""
    return hashlib.blake2b(re.sub(rb'"(?:[a-z]*seconds|[a-z_]*_s|when|time|version|bytes|search|job|step|pairs_built)": ?[-0-9.e+]+', b"", body)).hexdigest()


def names_failures(body):
    """A job that is done lists what the machine had fail, while the rest went on."""
    result = json.loads(body or b"null") or {}
    return any(one["status"] in ("memory", "io") and one["message"] for key in ("failed", "errors") for one in result.get(key, []))


class Story:
    """One of them, and how it goes where nothing fails."""

    def __init__(self, name, source, place, judge):
        self.name, self.steps = name, STORIES[name]
        self.state = Workplace(source, place / "work", judge)
        self.folder, self.fill = self.state.folder, self.state.fill
        self.subject = Server("subject")
        self.hashes = set()
        self.lost = 0
        self.run_well(0)
        self.run_well(1)
        self.places = self.subject.page.places()

    def run_well(self, noting):
        self.fill()
        self.hashes.add(self.state.library("small.marey"))
        studio = Studio(self.subject, self.folder)
        self.subject.page.set(noting=noting)
        self.answers = []
        for words in self.steps:
            status, body = studio.step(words)
            if status not in (200, 202, 204):
                raise RuntimeError(f"story {self.name}: {words}: {status}: {body[:300]}")
            self.answers.append((status, essence(body)))
            self.hashes.add(self.state.library("small.marey"))
        self.subject.page.set(noting=0)
        self.ended = studio.end()
        self.err = self.subject.err.read_text()
        self.blocks, self.handles = self.subject.page.get("blocks"), self.subject.page.get("handles")
        if None in self.hashes:
            raise RuntimeError(f"story {self.name}: the library is not sound")

    def try_point(self, point):
        """Tells the story with a call that fails. How often one failed, and what is wrong."""
        kind, number, fault, lasting, place = point
        page = self.subject.page
        self.fill()
        studio = Studio(self.subject, self.folder)
        page.set(kind=self.subject.kind(kind), fault=fault, lasting=lasting, target=place)
        page.set(number=number)
        wrong, lost = [], 0
        if lasting: # a server that can do nothing at all answers nothing; it must go on when it can again
            studio.patience_s = 3
        try:
            told = False  # a job has named what it could not do, and goes on: its file has the rest
            for words, (well, same) in zip(self.steps, self.answers):
                try:
                    status, body = studio.step(words)
                except (Lost, OSError) as error:
                    if isinstance(error, TimeoutError) and not lasting:
                        raise
                    lost += 1
                    break
                if words != "file":
                    told = words == "job" and fault not in UNNOTICED and names_failures(body)
                if status != well:
                    wrong += [] if told and status == 404 else self.judge_error(words, status, body)
                    break
                if essence(body) != same and words.split()[0] != "live" and not told:
                    wrong.append(f"{words}: another answer")
            page.set(number=0)
            studio.patience_s = PATIENCE_S
            wrong += self.judge_after(studio)
        except TimeoutError:
            wrong.append("hangs")
        page.set(number=0)
        failed = page.get("failed")
        if not failed and lost:
            wrong.append("loses a connection by itself")
        wrong += self.judge_end(studio)
        self.lost += lost
        return failed, wrong

    def judge_error(self, words, status, body):
        if status not in (500, 503):
            return [f"{words}: {status} {body[:200]!r}"]
        try:
            return [] if not body or json.loads(body)["error"]["message"] else ["no message"]
        except (ValueError, KeyError, TypeError):
            return [f"{words}: {status} without an error"]

    def judge_after(self, studio):
        """With nothing failing any more all is as it was."""
        wrong = []
        try:
            for path in ("/api/about", "/api/clips", "/api/clips/2", "/"):
                status, _ = studio.ask("GET", path)
                if status != 200:
                    wrong.append(f"afterwards {path}: {status}")
        except Lost as error:
            wrong.append(f"afterwards {error}")
        return wrong

    def judge_end(self, studio):
        status = studio.end()
        page = self.subject.page
        if status is None:
            return ["does not stop"]
        wrong = []
        if status != self.ended:
            wrong.append(f"ends by {'signal' if status < 0 else 'status'} {abs(status)}: {self.subject.err.read_text()[-300:]!r}")
        elif page.get("blocks") > self.blocks:
            wrong.append(f"leaks {page.get('blocks') - self.blocks} blocks of memory")
        elif page.get("handles") > self.handles:
            wrong.append(f"leaks {page.get('handles') - self.handles} handles")
        if self.state.library("small.marey") not in self.hashes:
            wrong.append("the library is none of those on the way")
        left = self.state.scan()[0].keys() - self.state.given.keys()
        if left:
            wrong.append(f"left behind: {sorted(left)}")
        return wrong

    def close(self):
        self.subject.close()
