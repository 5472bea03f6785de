/* test_asfamc_hostile.c - ASF and AMC texts that are odd or wrong, each with its outcome; what must
   not be taken for either; and skeletons too large to keep. The texts are here and not in files,
   because the tree holds no .asf or .amc. Cuts, changed bytes and failing machines:
   test_sweep.c. */
#include "reader_bench.h"

/* ---- the texts ------------------------------------------------------------------------------- */

/* Lines: HEAD 1-6, ROOT 7-11, :bonedata 12, HIP 13-22, FOOT 23-29, TREE 30-34. */

static const reader_row skeletons[] = {
    { "plain", GOOD, ACCEPTED, 0, 0, "" },
    { "mark", "\xef\xbb\xbf" GOOD, ACCEPTED, 0, 0, "" },
    { "comments", "# f\xfcr\n" HEAD "#\n" ROOT " # x\n" BONES TREE "# end", ACCEPTED, 0, 0, "" },
    { "no units", ":version 1\n" ROOT BONES TREE, ACCEPTED, 0, 0, "" },
    { "sections turned round", BONES ROOT TREE HEAD, ACCEPTED, 0, 0, "" },
    { "documentation", HEAD ":documentation\n begin\n end\n" ROOT BONES TREE, ACCEPTED, 0, 0, "" },
    { "capitals", HEAD ":ROOT\n ORDER tx ry\n Axis xyz\n:BoneData\n" HIP FOOT TREE, ACCEPTED, 0, 0,
      "" },
    { "empty dof",
      HEAD ROOT ":bonedata\n" HIP
                " begin\n name foot\n direction 0 0 1\n length 2\n axis 0 0 0 XYZ\n"
                " dof\n end\n" TREE,
      ACCEPTED, 0, 0, "" },
    { "limits before dof",
      HEAD ROOT ":bonedata\n begin\n name hip\n limits (-inf inf)\n (1 2)\n"
                " dof rx rz\n direction 0 -1 0\n axis 0 0 0 XYZ\n length 1\n"
                " end\n" FOOT TREE,
      ACCEPTED, 0, 0, "" },
    { "masses",
      HEAD ROOT ":bonedata\n begin\n bodymass 1\n cofmass 2\n name hip\n dof rx rz\n"
                " direction 0 -1 0\n axis 0 0 0 XYZ\n length 1\n end\n" FOOT TREE,
      ACCEPTED, 0, 0, "" },
    { "a parent on two lines",
      HEAD ROOT ":bonedata\n" HIP FOOT ":hierarchy\nbegin\nroot hip\nroot foot\nend\n", ACCEPTED, 0,
      0, "" },
    { "unknown statement",
      HEAD ROOT ":bonedata\n begin\n colour red\n name hip\n dof rx rz\n"
                " direction 0 -1 0\n axis 0 0 0 XYZ\n length 1\n end\n" FOOT TREE,
      WARNING, 0, 0, "not known" },
    { "angle in short", ":units\n angle degrees\n" ROOT BONES TREE, ACCEPTED, 0, 0, "" },
    { "angle of a circle", ":units\n angle rad\n" ROOT BONES TREE, ACCEPTED, 0, 0, "" },
    { "angle of a circle, in full", ":units\n angle radians\n" ROOT BONES TREE, ACCEPTED, 0, 0,
      "" },
    { "unknown section", HEAD ":skin\n a.skin\n" ROOT BONES TREE, WARNING, 0, 0, "not known" },
    { "slanted",
      HEAD ROOT ":bonedata\n begin\n name hip\n direction 0 -2 0\n dof rx rz\n"
                " axis 0 0 0 XYZ\n length 1\n end\n" FOOT TREE,
      WARNING, 0, 0, "length one" },
    { "decimal comma",
      HEAD ROOT ":bonedata\n begin\n name hip\n direction 0 -1 0\n dof rx rz\n"
                " axis 0 0 0 XYZ\n length 1,5\n end\n" FOOT TREE,
      WARNING, 0, 0, "decimal comma" },

    { "empty", "", REFUSED, 0, 0, "" },
    { "only a comment", "# nothing", REFUSED, 0, 0, ":root" },
    { "wide", "\xff\xfe:\0v\0", REFUSED, 1, 1, "UTF-16" },
    { "no root", HEAD BONES TREE, REFUSED, 0, 0, ":root" },
    { "no bones", HEAD ROOT, REFUSED, 0, 0, ":bonedata" },
    { "no hierarchy", HEAD ROOT BONES, REFUSED, 0, 0, ":hierarchy" },
    { "hierarchy first", HEAD ROOT TREE BONES, REFUSED, 12, 0, ":bonedata" },
    { "second root", HEAD ROOT ROOT BONES TREE, REFUSED, 12, 1, "a second :root" },
    { "second bones", HEAD ROOT BONES BONES TREE, REFUSED, 30, 1, "a second :bonedata" },
    { "second hierarchy", GOOD TREE, REFUSED, 35, 1, "a second :hierarchy" },
    { "angle", ":units\n angle gon\n" ROOT BONES TREE, REFUSED, 2, 8, "deg or rad" },
    { "no order", HEAD ":root\n axis XYZ\n" BONES TREE, REFUSED, 0, 0, "order of the root" },
    { "order twice", HEAD ":root\n order TX TX\n" BONES TREE, REFUSED, 8, 11, "Xposition twice" },
    { "order of length", HEAD ":root\n order TX L\n" BONES TREE, REFUSED, 8, 11, "found \"L\"" },
    { "root axis", HEAD ":root\n order TX\n axis XYX\n" BONES TREE, REFUSED, 9, 7, "such as XYZ" },
    { "root axis long", HEAD ":root\n order TX\n axis XYZX\n" BONES TREE, REFUSED, 9, 7, "XYZX" },
    { "position", HEAD ":root\n order TX\n position 1 2\n" BONES TREE, REFUSED, 9, 14,
      "a number for the position" },
    { "position nan", HEAD ":root\n order TX\n position 1 nan 2\n" BONES TREE, REFUSED, 9, 13,
      "nan" },
    { "no begin", HEAD ROOT ":bonedata\n name hip\n", REFUSED, 13, 2, "begin" },
    { "no end", HEAD ROOT ":bonedata\n begin\n name hip\n", REFUSED, 0, 0, "end of this bone" },
    { "begin in a bone", HEAD ROOT ":bonedata\n begin\n name hip\n" HIP, REFUSED, 17, 2,
      "a second name" },
    { "no name", HEAD ROOT ":bonedata\n begin\n end\n" TREE, REFUSED, 14, 2, "name of this bone" },
    { "empty name", HEAD ROOT ":bonedata\n begin\n name\n end\n" TREE, REFUSED, 14, 6, "a name" },
    { "name with blanks", HEAD ROOT ":bonedata\n begin\n name left hip\n", REFUSED, 14, 12,
      "the end of the line" },
    { "name of a number", HEAD ROOT ":bonedata\n begin\n name 12\n", REFUSED, 14, 7, "number" },
    { "name with a brace", HEAD ROOT ":bonedata\n begin\n name a{b\n", REFUSED, 14, 7, "a{b" },
    { "name of a comment", HEAD ROOT ":bonedata\n begin\n name #a\n", REFUSED, 14, 7, "#a" },
    { "no direction", HEAD ROOT ":bonedata\n begin\n name a\n length 1\n axis 0 0 0 XYZ\n end\n",
      REFUSED, 17, 2, "direction of this bone" },
    { "no length", HEAD ROOT ":bonedata\n begin\n name a\n direction 1 0 0\n end\n", REFUSED, 16, 2,
      "length of this bone" },
    { "no axis", HEAD ROOT ":bonedata\n begin\n name a\n direction 1 0 0\n length 1\n end\n",
      REFUSED, 17, 2, "axis of this bone" },
    { "length twice", HEAD ROOT ":bonedata\n begin\n length 1\n length 1\n", REFUSED, 15, 2,
      "a second length" },
    { "length of a word", HEAD ROOT ":bonedata\n begin\n length long\n", REFUSED, 14, 9, "long" },
    { "length 1e400", HEAD ROOT ":bonedata\n begin\n length 1e400\n", REFUSED, 14, 9, "1e400" },
    { "too long",
      HEAD ROOT ":bonedata\n begin\n name a\n direction 9e8 0 0\n length 9e8\n"
                " axis 0 0 0 XYZ\n end\n" TREE,
      REFUSED, 18, 2, "too long" },
    { "axis without letters", HEAD ROOT ":bonedata\n begin\n axis 1 2 3\n", REFUSED, 14, 12,
      "such as XYZ" },
    { "axis of four", HEAD ROOT ":bonedata\n begin\n axis 1 2 3 4 XYZ\n", REFUSED, 14, 13,
      "\"4\"" },
    { "dof of length", HEAD ROOT ":bonedata\n begin\n dof rx l\n", REFUSED, 14, 9,
      "rotations only" },
    { "dof that moves", HEAD ROOT ":bonedata\n begin\n dof tx\n", REFUSED, 14, 6, "tx" },
    { "dof twice", HEAD ROOT ":bonedata\n begin\n dof rx rx\n", REFUSED, 14, 9, "Xrotation twice" },
    { "two of a name", HEAD ROOT ":bonedata\n" HIP HIP FOOT TREE, REFUSED, 25, 0,
      "hip is the name" },
    { "bone called root",
      HEAD ROOT ":bonedata\n begin\n name root\n direction 1 0 0\n length 1\n"
                " axis 0 0 0 XYZ\n end\n" TREE,
      REFUSED, 14, 0, "root is the name" },
    { "hierarchy without begin", HEAD ROOT BONES ":hierarchy\n root hip\n end\n", REFUSED, 31, 2,
      "begin" },
    { "hierarchy without end", HEAD ROOT BONES ":hierarchy\n begin\n root hip\n hip foot\n",
      REFUSED, 0, 0, "end of the hierarchy" },
    { "unknown parent", HEAD ROOT BONES ":hierarchy\n begin\n knee hip\n end\n", REFUSED, 32, 2,
      "knee" },
    { "unknown child", HEAD ROOT BONES ":hierarchy\n begin\n root hip\n hip toe\n end\n", REFUSED,
      33, 6, "toe" },
    { "root as a child", HEAD ROOT BONES ":hierarchy\n begin\n root hip\n hip root\n end\n",
      REFUSED, 33, 6, "root hangs on no bone" },
    { "hung twice", HEAD ROOT BONES ":hierarchy\n begin\n root hip foot\n hip foot\n end\n",
      REFUSED, 33, 6, "foot hangs on root already" },
    { "bone left out", HEAD ROOT BONES ":hierarchy\n begin\n root hip\n end\n", REFUSED, 25, 0,
      "foot is not in the hierarchy" },
    { "circle", HEAD ROOT BONES ":hierarchy\n begin\n root\n hip foot\n foot hip\n end\n", REFUSED,
      34, 0, "hip does not hang on the root" },
    { "circle of one", HEAD ROOT BONES ":hierarchy\n begin\n root foot\n hip hip\n end\n", REFUSED,
      33, 0, "hip does not hang on the root" },
    { "text behind", GOOD "more\n", REFUSED, 35, 1, "a section" },
};

#define FRAME1 "1\nroot 1 2 3 4 5 6\nhip 7 8\n"
#define FRAME2 "2\nroot 1 2 3 4 5 6\nhip 7 8\n"

static const reader_row motions[] = {
    { "plain", ":FULLY-SPECIFIED\n:DEGREES\n" FRAME1 FRAME2, ACCEPTED, 0, 0, "" },
    { "comment that is no text", "#!OML:ASF X:\\f\xfcr\x01\n:DEGREES\n" FRAME1, ACCEPTED, 0, 0,
      "" },
    { "mark", "\xef\xbb\xbf:DEGREES\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "no head", FRAME1 FRAME2, ACCEPTED, 0, 0, "" },
    { "lower case head", ":fully-specified\n:degrees\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "line ends mixed", "1\r\nroot 1 2 3 4 5 6\rhip 7 8\n\n2\rhip 7 8\r\nroot 1 2 3 4 5 6",
      ACCEPTED, 0, 0, "" },
    { "tabs", "1 \t\n\troot\t1 2\t3 4 5 6 \n hip\t7 8\t\n", ACCEPTED, 0, 0, "" },
    { "numbers odd", "1\nroot +1 .5 -5. 1e2 1E-3 -0\nhip 1.0000000000000000001 00007\n", ACCEPTED,
      0, 0, "" },
    { "a still bone is named", "1\nroot 1 2 3 4 5 6\nfoot\nhip 7 8\n", ACCEPTED, 0, 0, "" },
    { "order of bones changes", FRAME1 "2\nhip 7 8\nroot 1 2 3 4 5 6\n", ACCEPTED, 0, 0, "" },
    { "numbers from 0", "0\nroot 1 2 3 4 5 6\nhip 7 8\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "numbers from -5", "-5\nroot 1 2 3 4 5 6\nhip 7 8\n", ACCEPTED, 0, 0, "" },
    { "numbers from a million", "1000000\nroot 1 2 3 4 5 6\nhip 7 8\n", ACCEPTED, 0, 0, "" },
    { "gap", FRAME1 "5\nroot 1 2 3 4 5 6\nhip 7 8\n", WARNING, 0, 0, "left out in 1 places" },
    { "unknown head", ":SAMPLES 3\n" FRAME1, WARNING, 0, 0, "header lines" },
    { "radians", ":RADIANS\n" FRAME1, WARNING, 0, 0, "radians" },
    { "decimal comma", "1\nroot 1,5 2 3 4 5 6\nhip 7 8\n", WARNING, 0, 0, "decimal comma" },
    { "cut behind a number", FRAME1 "2\n", WARNING, 0, 0, "incomplete" },
    { "cut behind a bone", FRAME1 "2\nroot 1 2 3 4 5 6\n", WARNING, 0, 0, "incomplete" },
    { "cut in a bone", FRAME1 "2\nroot 1 2 3", WARNING, 0, 0, "incomplete" },
    { "cut behind a name", FRAME1 "2\nroot 1 2 3 4 5 6\nhip", WARNING, 0, 0, "incomplete" },

    { "empty", "", REFUSED, 0, 0, "" },
    { "head only", ":FULLY-SPECIFIED\n:DEGREES\n", REFUSED, 0, 0, "a whole frame" },
    { "wide", "\xff\xfe:\0D\0", REFUSED, 1, 1, "UTF-16" },
    { "first frame cut", ":DEGREES\n1\nroot 1 2 3 4 5 6\n", REFUSED, 0, 0, "a whole frame" },
    { "no frame number", ":DEGREES\nroot 1 2 3 4 5 6\n", REFUSED, 2, 1, "number of a frame" },
    { "frame of a fraction", ":DEGREES\n1.5\nroot 1 2 3 4 5 6\n", REFUSED, 2, 1, "1.5" },
    { "frame of 1e300", ":DEGREES\n1e300\nroot 1 2 3 4 5 6\n", REFUSED, 2, 1, "1e300" },
    { "frame of -1e300", ":DEGREES\n-1e300\nroot 1 2 3 4 5 6\n", REFUSED, 2, 1, "-1e300" },
    { "frame with a sign", FRAME1 "+2\nroot 1 2 3 4 5 6\nhip 7 8\n", ACCEPTED, 0, 0, "" },
    { "a rate of marey", "# written by marey: 50\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "a rate that is none", "# written by marey: fast\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "a rate too small", "# written by marey: 0.01\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "a rate too large", "# written by marey: 1e9\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "a rate of another", "# written by another: 50, with care\n" FRAME1, ACCEPTED, 0, 0, "" },
    { "frame of nan", ":DEGREES\nnan\nroot 1 2 3 4 5 6\n", REFUSED, 2, 1, "nan" },
    { "frame with company", ":DEGREES\n1 2\nroot 1 2 3 4 5 6\n", REFUSED, 2, 3, "end of the line" },
    { "frame twice", ":DEGREES\n" FRAME1 FRAME1, REFUSED, 5, 1, "frame 1 follows frame 1" },
    { "frames backwards", ":DEGREES\n" FRAME2 FRAME1, REFUSED, 5, 1, "frame 1 follows frame 2" },
    { "unknown bone", ":DEGREES\n1\nroot 1 2 3 4 5 6\nknee 1\nhip 7 8\n", REFUSED, 4, 1, "knee" },
    { "bone in another case", ":DEGREES\n1\nROOT 1 2 3 4 5 6\nhip 7 8\n", REFUSED, 3, 1, "ROOT" },
    { "bone twice", ":DEGREES\n1\nhip 7 8\nhip 7 8\nroot 1 2 3 4 5 6\n", REFUSED, 4, 1,
      "hip twice" },
    { "still bone twice", ":DEGREES\n1\nfoot\nfoot\nhip 7 8\nroot 1 2 3 4 5 6\n", REFUSED, 4, 1,
      "foot twice" },
    { "bone missing", ":DEGREES\n1\nroot 1 2 3 4 5 6\n" FRAME2, REFUSED, 4, 1,
      "frame 1 says nothing about hip" },
    { "root missing", ":DEGREES\n1\nhip 7 8\n" FRAME2, REFUSED, 4, 1,
      "frame 1 says nothing about root" },
    { "too few", ":DEGREES\n1\nroot 1 2 3 4 5 6\nhip 7\n" FRAME2, REFUSED, 4, 6,
      "expected 2 numbers for hip, found 1" },
    { "none", ":DEGREES\n1\nroot 1 2 3 4 5 6\nhip\n" FRAME2, REFUSED, 4, 4,
      "expected 2 numbers for hip, found 0" },
    { "too many", ":DEGREES\n1\nroot 1 2 3 4 5 6\nhip 7 8 9\n", REFUSED, 4, 9,
      "after 2 numbers for hip" },
    { "numbers for a still bone", ":DEGREES\n1\nfoot 1\nhip 7 8\n", REFUSED, 3, 6, "foot" },
    { "a word", ":DEGREES\n1\nroot 1 2 3 4 5 6\nhip 7 abc\n", REFUSED, 4, 7,
      "a number for hip Zrotation, found \"abc\"" },
    { "nan", ":DEGREES\n1\nroot 1 nan 3 4 5 6\n", REFUSED, 3, 8, "root Yposition" },
    { "qnan", ":DEGREES\n1\nroot 1 -1.#IND 3 4 5 6\n", REFUSED, 3, 8, "root Yposition" },
    { "inf", ":DEGREES\n1\nroot 1 2 inf 4 5 6\n", REFUSED, 3, 10, "root Zposition" },
    { "hexadecimal", ":DEGREES\n1\nroot 1 2 0x10 4 5 6\n", REFUSED, 3, 10, "0x10" },
    { "1e400", ":DEGREES\n1\nroot 1 2 3 4 5 1e400\n", REFUSED, 3, 16, "too large" },
    { "1e10", ":DEGREES\n1\nroot 1 2 3 4 5 1e10\n", REFUSED, 3, 16, "too large" },
    { "a byte that is no letter", ":DEGREES\n1\nroot 1 2 3 4 5 6\n\xff 1\n", REFUSED, 4, 1,
      "a bone" },
    { "head behind", ":DEGREES\n" FRAME1 ":DEGREES\n", REFUSED, 5, 1, "a bone of the skeleton" },
};

/* ---- loading --------------------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(reader_bench_make_asf, reader_bench_free, reader_bench *b, name)

/* A motion of one frame says so too; that is the only difference a plain one may have. */
CASE(every_text_has_the_outcome_of_its_row)
{
    static const struct {
        const char *ending;
        const reader_row *rows;
        size_t count;
    } sets[] = { { ".asf", skeletons, sizeof skeletons / sizeof *skeletons },
                 { ".amc", motions, sizeof motions / sizeof *motions } };
    for (int s = 0; s < 2; s++) {
        int quiet = 0;
        for (size_t i = 0; i < sets[s].count; i++) {
            const reader_row *row = &sets[s].rows[i];
            size_t count = strlen(row->bytes);
            marey_clip *clip = reader_load(b, sets[s].ending, row->bytes, count, 0);
            if (i == 0) quiet = marey_clip_report(clip)->warning_count;
            bool alone = s == 1 && clip && marey_clip_frames(clip) == 1;
            marey_clip_free(clip);
            reader_check(b, sets[s].ending, row->bytes, count, row, quiet + alone);
        }
    }
}

CASE(a_name_has_at_most_255_bytes)
{
    char text[2000], name[300];
    for (int length = 254; length <= 257; length++) {
        memset(name, 'a', sizeof name);
        name[length] = 0;
        snprintf(text, sizeof text,
                 HEAD ROOT ":bonedata\n begin\n name %s\n direction 0 1 0\n length 1\n dof rx\n"
                           " axis 0 0 0 XYZ\n end\n:hierarchy\n begin\n root %s\n end\n",
                 name, name);
        OWNED(marey_clip) *clip = reader_load(b, ".asf", text, strlen(text), 0);
        assert_int_equal(clip != NULL, length <= 255);
        if (!clip) assert_int_equal(test_error.status, MAREY_ERR_LIMIT);
    }
}

/* Where the root stands by one axis alone; and nothing that moves. */
CASE(the_skeleton_of_a_motion_may_stand_elsewhere_and_must_move)
{
    static const char *const places[] = { "1 0 0", "0 1 0", "0 0 1" };
    char text[1000];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 HEAD ":root\n order TX TY TZ RX RY RZ\n axis XYZ\n position %s\n" BONES TREE,
                 places[i]);
        test_text_write(b->asf, text);
        OWNED(marey_clip) *clip = reader_load(b, ".amc", FRAME1, strlen(FRAME1), 0);
        assert_int_equal(test_warnings_with(clip, "the skeleton stands at"), 1);
    }
    static const char still[] = HEAD ":root\n order\n"
                                     ":bonedata\n" FOOT ":hierarchy\n begin\n root foot\n end\n";
    test_text_write(b->asf, still);
    assert_null(reader_load(b, ".amc", "1\nroot\n", 7, 0));
    assert_string_equal(test_error.message, "no bone of the skeleton can move");
    /* What is still is not missed. */
    static const char last[] =
        HEAD ROOT ":bonedata\n" FOOT HIP ":hierarchy\n begin\n root foot hip\n end\n";
    test_text_write(b->asf, last);
    assert_null(reader_load(b, ".amc", ":DEGREES\n1\nroot 1 2 3 4 5 6\n" FRAME2,
                            strlen(":DEGREES\n1\nroot 1 2 3 4 5 6\n" FRAME2), 0));
    assert_string_equal(test_error.message, "frame 1 says nothing about hip");
}

/* ---- what is no ASF and no AMC --------------------------------------------------------------- */

CASE(other_texts_are_not_taken_for_either)
{
    static const char *const texts[] = { ":root {\n  --main: red;\n}\n:name {\n}\n",
                                         ":version: 1.0\n:name: a manual\n",
                                         "# a list\n1\n2\n3\n",
                                         "1\nroot and branch\n",
                                         "1\n",
                                         "1\nhip 1 2 3 4 5 6\n",
                                         "1 1\nroot 1 2 3 4 5 6\n",
                                         "1.5\nroot 1 2 3 4 5 6\n",
                                         "1 2 3\n4 5 6\n",
                                         ":name of the rose\nis a novel\n",
                                         "frame\tlabel\n1\twalk\n",
                                         ":FULLY\n:DEGREES-OF-FREEDOM\n",
                                         "12\nwalk 1 20\nrun 21 30\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_null(reader_load(b, ".txt", texts[i], strlen(texts[i]), 0));
        assert_non_null(strstr(test_error.message, "no known format"));
    }
    OWNED(marey_clip) *asf = reader_load(b, ".txt", GOOD, strlen(GOOD), 0);
    OWNED(marey_clip) *amc = reader_load(b, ".txt", FRAME1, strlen(FRAME1), 0);
    assert_string_equal(marey_clip_report(asf)->format, "asf");
    assert_string_equal(marey_clip_report(amc)->format, "amc");
}

/* ---- what is too large to keep --------------------------------------------------------------- */

/* `count` bones under the root, each on the one before it or all beside each other. */
static char *write_crowd(int count, bool chained, const char *dof, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    fputs(":version 1\n" ROOT ":bonedata\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "begin\nname b%d\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\n%s\nend\n", i,
                dof);
    }
    fputs(":hierarchy\nbegin\n", out);
    for (int i = 0; i < count; i++) {
        if (chained && i) fprintf(out, "b%d b%d\n", i - 1, i);
        if (!chained || !i) fprintf(out, "root b%d\n", i);
    }
    fputs("end\n", out);
    fclose(out);
    return text;
}

TEST(the_bone_limit_is_16383_and_a_million_is_refused_at_once)
{
    static const int counts[] = { 16383, 16384, 1000000 };
    for (int i = 0; i < 6; i++) {
        size_t bytes;
        FREED char *text = write_crowd(counts[i % 3], i >= 3, "dof rx", &bytes);
        marey_status status =
            reader_load_large("crowd.asf", NULL, text, bytes, ((size_t)64 << 20) + 3 * bytes, NULL);
        assert_int_equal(status, i % 3 ? MAREY_ERR_LIMIT : MAREY_OK);
    }
}

/* Frames that hold next to nothing must not take the memory of a crowd that never moves. */
CASE(memory_follows_the_file_and_not_the_skeleton)
{
    size_t bytes, count;
    FREED char *text = NULL, *crowd = write_crowd(16383, true, "", &bytes);
    test_file_write(b->asf, crowd, bytes);
    FILE *out = open_memstream(&text, &count);
    for (int f = 0; f < 10000; f++) fprintf(out, "%d\nroot 0 0 0 0 0 0\n", f);
    fclose(out);
    assert_int_equal(reader_load_large("still.amc", b->asf, text, count, (size_t)64 << 20, NULL),
                     MAREY_ERR_LIMIT);
}

/* The order of the lines turns round in every frame, so no name is where it was. */
CASE(many_bones_in_any_order_take_linear_time)
{
    enum { CROWD = 16383, FRAMES = 9 };
    size_t bytes, count;
    FREED char *text = NULL, *crowd = write_crowd(CROWD, false, "dof rx", &bytes);
    test_file_write(b->asf, crowd, bytes);
    FILE *out = open_memstream(&text, &count);
    for (int f = 0; f < FRAMES; f++) {
        fprintf(out, "%d\nroot 0 0 0 0 0 0\n", f);
        for (int i = 0; i < CROWD; i++) fprintf(out, "b%d 1\n", f % 2 ? CROWD - 1 - i : i);
    }
    fclose(out);
    test_ok(reader_load_large("turn.amc", b->asf, text, count, (size_t)128 << 20, NULL));
}

TEST_GROUP_OF_CASES(test_asfamc_hostile, NULL, NULL)
