"""Pictures of answers: the same bytes as the program writes for the same order, in every format, for as long as the
answer lives."""
import copy
import gc
import os
import pickle
import shutil
import struct
import subprocess
import tempfile
import threading
import unittest
import xml.etree.ElementTree
import zlib
from pathlib import Path

import marey
from marey import operations
from marey._operate import Operation
from marey.pictures import html_of_result

from support import DemoCase, demo, sanitized
from test_operations import program


def pixels(data):
    """(width, height, the colours of some rows) of a PNG file."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, header = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]
        header = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    width, height, depth, colour = header[:4]
    assert depth == 8 and colour in (2, 6)
    return width, height, set(zlib.decompress(packed))


REACHES = [("reach_right", 131, 276), ("reach_right", 379, 520), ("reach_right", 655, 787)]

# What each operation with pictures is asked for, here and on a command line; {f} is the picture's file, {o} another.
ORDERS = {
    "grid": (
        lambda it: it.grid("walk_straight#100-220", "walk_left#100-200"),
        {
            "grid": "grid -L {l} walk_straight#100-220 walk_left#100-200 -o {f}",
            "minima": "grid -L {l} walk_straight#100-220 walk_left#100-200 -o {f} --minima",
        },
    ),
    "similar": (
        lambda it: it.similar("walk_straight#100-220", "walk_left#100-200", minima=True),
        {"pairs": "similar -L {l} walk_straight#100-220 walk_left#100-200 --minima -o {f}"},
    ),
    "align": (
        lambda it: it.align(["walk_slow#100-220", "walk_fast#100-200"]),
        {"path": "align -L {l} walk_slow#100-220 walk_fast#100-200 -o {f}"},
    ),
    "transition": (
        lambda it: it.transition("walk_straight", "jog_straight", count=3).result,
        {"sheet": "transition -L {l} walk_straight jog_straight --count 3 --sheet {f} -o {o}.bvh"},
    ),
    "search": (lambda it: it.search("kicks#120-240"), {"sheet": "search {l} kicks#120-240 --sheet {f}"}),
    "example": (
        lambda it: it.example("kicks#120-240", others=True).result,
        {"sheet": None},  # the program draws none
    ),
    "motifs": (lambda it: it.motifs(in_=["kicks"]), {"sheet": "motifs {l} --in kicks -o {f}"}),
    "param build": (
        lambda it: it.param_build("high", feature=["height(right_wrist)", "duration()"], clips=REACHES),
        {"space": None},  # the program draws no families
    ),
    "param show": (lambda it: it.param_show("reach"), {"space": None}),
    "param prune": (lambda it: it.param_prune("reach", tolerance=10, as_="few"), {"space": None}),
    "graph build": (
        lambda it: it.graph_build("built", ["turns", "walk_left"]),
        {
            "matrix": "graph stats {l} built --matrix {f}",
            "closure": "graph stats {l} built --closure {f}",
        },
    ),
    "graph stats": (
        lambda it: it.graph_stats("connected"),
        {
            "matrix": "graph stats {l} connected --matrix {f}",
            "closure": "graph stats {l} connected --closure {f}",
        },
    ),
    "cluster build": (
        lambda it: it.cluster_build("built", ["walk_left", "walk_straight"]),
        {"nodes": "cluster show {l} built -o {f}"},
    ),
    "cluster show": (lambda it: it.cluster_show("moves"), {"nodes": "cluster show {l} moves -o {f}"}),
    "cluster stitch": (
        lambda it: it.cluster_stitch("moves", "walk_straight#100", "idles#500").result,
        {"curves": "cluster stitch {l} moves walk_straight#100 idles#500 --plot {f} -o {o}.bvh"},
    ),
    "puppet run": (
        lambda it: it.puppet_run("follower", Path("puppets/main.csv")),
        {"paths": None},  # a table has no name here, which is in the program's title
    ),
    "puppet show": (
        lambda it: it.puppet_show("follower"),
        {"paths": "puppet show -L {l} follower --picture {f}"},
    ),
}


def drawn_operations():
    """{name: its pictures} of all that have some."""
    found = (value for value in vars(operations).values() if isinstance(value, Operation))
    return {one.name: one.pictures for one in found if one.pictures}


class Drawn(DemoCase):
    """Each picture of each operation."""

    def setUp(self):
        super().setUp()
        shutil.copytree(demo / "puppets", self.folder / "puppets")

    def order(self, name):
        if name == "puppet run":
            return self.library.puppet_run("follower", self.folder / "puppets/main.csv")
        return ORDERS[name][0](self.library)

    def written(self, line, ending):
        """What the program writes."""
        words = line.format(l=self.path, f=self.folder / f"picture.{ending}", o=self.folder / "other").split()
        subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return (self.folder / f"picture.{ending}").read_bytes()

    def test_every_operation_with_pictures_is_tried_here(self):
        wanted = {name: tuple(lines) for name, (_, lines) in ORDERS.items()}
        self.assertEqual(drawn_operations(), wanted)

    def test_pictures_are_those_that_the_program_writes(self):
        for name, (_, lines) in ORDERS.items():
            answer = self.order(name)
            for kind, line in lines.items():
                with self.subTest(operation=name, kind=kind):
                    self.assertIn(kind, answer.pictures)
                    data = answer.picture(kind).data
                    width, height, colours = pixels(data)
                    self.assertGreater(width, 200)
                    self.assertGreater(height, 150)
                    self.assertGreater(len(colours), 20)
                    self.assertEqual(data, answer.picture(kind).data, "the same answer, the same bytes")
                    if line is not None and not sanitized:
                        self.assertEqual(data, self.written(line, "png"))

    def test_svg_is_xml_and_pdf_is_pdf(self):
        for name, (_, lines) in ORDERS.items():
            answer, kind = self.order(name), next(iter(lines))
            with self.subTest(operation=name, kind=kind):
                picture = answer.picture(format="svg")
                self.assertEqual(xml.etree.ElementTree.fromstring(picture.data).tag, "{http://www.w3.org/2000/svg}svg")
                self.assertTrue(picture._repr_svg_().lstrip().startswith("<"))
                self.assertIsNone(picture._repr_png_())
                self.assertEqual(answer.picture(format="pdf").data[:5], b"%PDF-")
        line = ORDERS["cluster show"][1]["nodes"]
        self.assertEqual(self.order("cluster show").picture("nodes", "svg").data, self.written(line, "svg"))

    def test_docstrings_name_the_pictures(self):
        for name, kinds in drawn_operations().items():
            function = getattr(marey.Library, name.replace(" ", "_"))
            lines = [line.strip() for line in function.__doc__.splitlines()]
            for kind in kinds:
                self.assertTrue(any(line.startswith(f"{kind}: ") for line in lines), f"{name}: {kind}")


class Answers(DemoCase):
    """What an answer says of its pictures, and how long it has them."""

    def grid(self):
        return self.library.grid("walk_straight#100-160", "walk_left#100-150")

    def test_an_answer_without_pictures_says_so(self):
        answer = self.library.ls()
        self.assertEqual(answer.pictures, ())
        with self.assertRaisesRegex(marey.RequestError, "ls has no picture"):
            answer.picture()
        with self.assertRaisesRegex(marey.RequestError, "a part of an answer has no picture"):
            self.library.search("kicks#120-240").matches[0].picture()

    def test_a_picture_that_does_not_exist_names_those_that_do(self):
        with self.assertRaisesRegex(marey.RequestError, 'grid has no picture "matrix"; it has grid, minima'):
            self.grid().picture("matrix")
        with self.assertRaisesRegex(marey.RequestError, "png, svg, pdf, not gif"):
            self.grid().picture(format="gif")

    def test_an_answer_with_nothing_to_draw_says_what(self):
        answer = self.library.align(["walk_slow#100-160", "walk_fast#100-150"], registration=True)
        with self.assertRaisesRegex(marey.RequestError, "only the path of two clips"):
            answer.picture()
        self.assertIn("only the path of two clips", answer._repr_html_())

    def test_a_made_clip_has_the_pictures_of_its_answer(self):
        made = self.library.transition("walk_straight", "jog_straight", count=2)
        self.assertEqual(made.pictures, ("sheet",))
        self.assertEqual(made.picture().data, made.result.picture("sheet").data)

    def test_notebooks_show_the_usual_picture(self):
        text = self.grid()._repr_html_()
        self.assertIn('src="data:image/png;base64,', text)
        self.assertIn('alt="grid of grid"', text)
        self.assertIn('alt="matrix of graph stats"', self.library.graph_stats("connected")._repr_html_())
        self.assertNotIn("<img", self.library.ls()._repr_html_())

    def test_a_graph_that_takes_long_to_draw_is_not_drawn_unasked(self):
        answer = self.library.graph_stats("connected")
        answer._data["frames"] = 100000
        self.assertIn("result.picture('matrix')", html_of_result(answer))
        self.assertNotIn("<img", html_of_result(answer))

    def test_pictures_can_be_drawn_when_the_library_is_closed(self):
        answer = self.library.graph_stats("connected")
        before = answer.picture().data
        self.library.close()
        self.assertEqual(answer.picture().data, before)

    def test_strips_of_a_closed_library_are_refused(self):
        answer = self.library.search("kicks#120-240")
        before = answer.picture().data
        self.library.close()
        with self.assertRaisesRegex(marey.RequestError, "it is closed"):
            answer.picture()
        with marey.open(self.path) as again:
            self.assertEqual(again.search("kicks#120-240").picture().data, before)

    def test_clips_in_memory_stay_for_the_picture(self):
        expected = self.grid().picture().data
        answer = marey.grid(self.library["walk_straight"][100:160], self.library["walk_left"][100:150])
        gc.collect()
        first = answer.picture().data
        for _ in range(50):
            self.library["walk_slow"][10:70].mirror()
        self.assertEqual(answer.picture().data, first)
        self.assertEqual(pixels(first)[:2], pixels(expected)[:2])

    def test_a_query_of_a_file_is_on_its_sheet(self):
        answer = self.library.search(marey.load(demo / "kicks.bvh")[120:240])
        self.assertGreater(pixels(answer.picture().data)[0], 200)

    def test_another_thread_draws_the_same(self):
        answers = [self.grid(), self.library.search("kicks#120-240")]
        expected = [answer.picture().data for answer in answers]
        drawn = []

        def draw():
            drawn.append([answer.picture().data for answer in answers])

        threads = [threading.Thread(target=draw) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(drawn, [expected] * 4)

    def test_an_answer_of_a_thread_that_ended_is_drawn(self):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.grid()))
        thread.start()
        thread.join()
        self.assertEqual(answers[0].picture().data, self.grid().picture().data)

    def test_a_forked_process_says_that_it_cannot(self):
        answer = self.grid()
        child = os.fork()
        if child == 0:
            try:
                answer.picture()
            except marey.RequestError as error:
                os._exit(0 if "forked" in error.message else 2)
            finally:
                os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_copies_have_the_answer_and_no_pictures(self):
        answer = self.library.search("kicks#120-240")
        for other in (copy.copy(answer), copy.deepcopy(answer.to_dict()), pickle.loads(pickle.dumps(answer))):
            self.assertEqual(answer, other)
        other = pickle.loads(pickle.dumps(answer))
        self.assertEqual(other.pictures, ())
        with self.assertRaisesRegex(marey.RequestError, "search has no picture"):
            other.picture()
        grid = self.grid()
        self.assertTrue((pickle.loads(pickle.dumps(grid)).distances == grid.distances).all())

    def test_what_it_is_drawn_from_goes_with_the_answer(self):
        from marey._context import ctx_bytes

        self.grid().picture()  # the library keeps what it has read once
        gc.collect()
        before = ctx_bytes()
        answers = [self.grid() for _ in range(5)]
        for answer in answers:
            answer.picture()
        self.assertGreater(ctx_bytes(), before)
        del answers, answer
        gc.collect()
        self.assertEqual(ctx_bytes(), before)

    def test_refused_memory_is_an_error_and_not_the_end(self):
        from marey._native import lib

        answer = self.grid()
        expected = answer.picture().data
        refused = 0
        for after in range(200):
            lib.bridge_refuse(after)
            try:
                self.assertEqual(answer.picture().data, expected)
                break
            except MemoryError:
                refused += 1
            finally:
                lib.bridge_refuse(-1)
        else:
            self.fail("it never had enough memory")
        self.assertGreater(refused, 2)
        self.assertEqual(answer.picture().data, expected)


class Saved(unittest.TestCase):
    def test_a_picture_is_written_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            files = demo / "walk_straight.bvh", demo / "walk_left.bvh"
            picture = marey.grid(*(f"{file}#100-160" for file in files)).picture()
            picture.save(Path(folder) / "grid.png")
            self.assertEqual((Path(folder) / "grid.png").read_bytes(), picture.data)


if __name__ == "__main__":
    unittest.main()
