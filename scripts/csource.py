"""csource.py - what the check_* scripts share: the files of the tree, and C without its comments.

Standard library only, so that a bare machine can run the checks. Every problem is printed as
"file:line: what", which editors can jump to.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a check leaves nothing behind in the tree

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77  # what CTest and automake take as "skipped"
NOT_OURS = re.compile(r"^(\.git|build|build-.*|cmake-build-.*|demo|__pycache__|node_modules)$")

# Looks into the message of an error, which is for people: strstr(error->message, ...) and the like.
BY_TEXT = re.compile(r"\bstr(?:str|chr|n?cmp|n?casecmp)\([^;]*?(?:\.|->)message\b")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def finish(name, problems, fine):
    """Prints the problems in order, or the one line that says all is well; exits."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{name}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
        sys.exit(1)
    print(f"{name}: {fine}")
    sys.exit(0)


def walk_files():
    """For a tree that was unpacked from an archive and is no git repository."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not NOT_OURS.match(f)]
        found += [Path(folder, name).relative_to(ROOT).as_posix() for name in names]
    return found


def tree_files():
    """Paths from the root, sorted: tracked, or new and not ignored, as a commit would hold them."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        run = subprocess.run(git, capture_output=True, check=True)
        names = [name for name in run.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = walk_files()
    return sorted({name for name in names if (ROOT / name).is_file()})


def c_files(*folders):
    """The .c and .h files below the folders; all of them without an argument."""
    starts = tuple(folder.rstrip("/") + "/" for folder in folders)
    return [path for path in tree_files()
            if path.endswith((".c", ".h")) and path.startswith(starts or "")]


def whole_demo():
    """A folder with the whole demo of the program in $MAREY_BUILD (default: build), not to be changed."""
    build = Path(os.environ.get("MAREY_BUILD") or ROOT / "build").resolve()
    folder = build / "tests" / "whole-demo"
    subprocess.run([ROOT / "tests/demo/make_demo.sh", build / "marey", folder], check=True)
    return folder


def read(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


# One alternative per thing that can hide another: a "/*" in a string is no comment, and so on.
TOKEN = re.compile(
    r"""(?P<comment>/\*.*?(?:\*/|\Z)|//(?:\\\n|[^\n])*)"""
    r"""|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.DOTALL,
)


def without_comments(source):
    """The same text, each byte of a comment a blank, lines where they were."""
    return TOKEN.sub(lambda m: blank(m[0]) if m["comment"] else m[0], source)


def without_comments_and_text(source):
    """The same with the inside of strings and characters blanked too; the quotes stay."""

    def replace(match):
        if match["comment"]:
            return blank(match[0])
        return match[0][0] + blank(match[0][1:-1]) + match[0][-1]

    return TOKEN.sub(replace, source)


def blank(text):
    return re.sub(r"[^\n]", " ", text)
