/* test_studio_api.c - reading through the studio's addresses: what is listed, frames, curves, strips. */
#include "api_bench.h"

#include <math.h>

static int64_t whole(const json_t *of, const char *key)
{
    const json_t *value = json_object_get(of, key);
    if (!json_is_integer(value)) fail_msg("%s is no whole number", key);
    return json_integer_value(value);
}

static const char *text(const json_t *of, const char *key)
{
    const json_t *value = json_object_get(of, key);
    if (!json_is_string(value)) fail_msg("%s is no text", key);
    return json_string_value(value);
}

/* ---- what is there ------------------------------------------------------------------------------ */

TEST(about_names_library_formats_contacts_and_roles)
{
    api_bench b;
    api_bench_open(&b);
    json_t *about = api_json(&b, api_about, 0, NULL, NULL, 200);
    const json_t *library = json_object_get(about, "library");
    assert_string_equal(text(about, "version"), marey_version());
    assert_string_equal(text(library, "name"), "lib.marey");
    assert_string_equal(text(library, "path"), "lib.marey");
    assert_int_equal(whole(library, "clips"), 3);
    assert_int_equal(whole(library, "removed"), 0);
    assert_true(json_is_true(json_object_get(library, "writable")));
    const json_t *first = json_array_get(json_object_get(about, "formats"), 0);
    assert_string_equal(text(first, "name"), marey_format_find(0)->name);
    assert_string_equal(text(first, "ending"), marey_format_find(0)->ending);
    assert_int_equal(json_array_size(json_object_get(about, "contact_joints")),
                     MAREY_CONTACT_JOINT_COUNT);
    assert_int_equal(json_array_size(json_object_get(about, "roles")), MAREY_ROLE_COUNT);
    json_decref(about);
    api_bench_close(&b);
}

static size_t count_listed(api_bench *b, const char *query)
{
    json_t *all = api_json(b, api_clips, 0, query, NULL, 200);
    size_t count = json_array_size(json_object_get(all, "clips"));
    json_decref(all);
    return count;
}

TEST(clips_are_listed_by_text_label_and_whether_removed)
{
    api_bench b;
    api_bench_open(&b);
    json_t *all = api_json(&b, api_clips, 0, "label=walking", NULL, 200);
    const json_t *one = json_array_get(json_object_get(all, "clips"), 0);
    assert_true(whole(all, "version") > 0);
    assert_int_equal(whole(one, "id"), b.walk);
    assert_string_equal(text(one, "name"), "walk");
    assert_int_equal(whole(one, "frames"), 60);
    assert_float_equal(json_number_value(json_object_get(one, "seconds")), 1.0, 1e-3);
    assert_string_equal(text(one, "licence"), "CC BY 4.0");
    assert_string_equal(text(one, "source"), "walk.bvh");
    assert_true(json_is_false(json_object_get(one, "made")));
    assert_true(json_is_false(json_object_get(one, "removed")));
    json_decref(all);
    assert_int_equal(count_listed(&b, NULL), 3);
    assert_int_equal(count_listed(&b, "text=&label="), 3);
    assert_int_equal(count_listed(&b, "text=ru"), 1);
    assert_int_equal(count_listed(&b, "removed=1"), 0);
    api_refused(&b, api_clips, 0, "removed=yes", NULL, 400, "request", "removed");
    api_bench_close(&b);
}

TEST(a_clip_says_everything_about_itself)
{
    api_bench b;
    api_bench_open(&b);
    json_t *one = api_json(&b, api_clip, b.walk, NULL, NULL, 200);
    const json_t *joints = json_object_get(one, "joints");
    assert_string_equal(text(one, "name"), "walk");
    assert_int_equal(json_array_size(joints), 21);
    assert_int_equal(whole(json_array_get(joints, 0), "parent"), -1);
    assert_int_equal(json_array_size(json_object_get(json_array_get(joints, 0), "channels")), 6);
    assert_int_equal(whole(json_object_get(one, "roles"), "hips"), 0);
    assert_string_equal(text(json_object_get(one, "report"), "format"), "bvh");
    assert_string_equal(text(json_object_get(one, "report"), "units"), "cm");
    assert_true(json_is_array(json_object_get(one, "marks")));
    assert_true(json_is_array(json_object_get(one, "contacts")));
    assert_true(json_is_false(json_object_get(one, "contacts_set")));
    assert_true(json_is_null(json_object_get(one, "provenance")));
    assert_true(json_is_true(json_object_get(one, "has_channels")));
    assert_string_equal(text(json_object_get(one, "quality"), "from"), "found");
    json_decref(one);
    api_bench_close(&b);
}

/* The numbers of `marey quality --json` and of the address are the same. */
TEST(quality_is_what_the_program_says)
{
    static const char *const keys[] = { "plants",         "slide_cm",
                                        "slide_max_cm",   "slide_cm_per_s",
                                        "penetration_cm", "jump_ratio",
                                        "jerk_ratio",     "from" };
    api_bench b;
    test_run run = test_run_make();
    api_bench_open(&b);
    test_run_line(&run, "marey quality -L lib.marey walk --json");
    json_t *said = json_loads(run.out.bytes, 0, NULL);
    json_t *one = api_json(&b, api_clip, b.walk, NULL, NULL, 200);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *a = json_object_get(said, keys[i]);
        const json_t *c = json_object_get(json_object_get(one, "quality"), keys[i]);
        assert_non_null(a);
        assert_non_null(c);
        if (json_is_number(a)) {
            assert_true(json_number_value(a) == json_number_value(c));
        } else {
            assert_true(json_equal(a, c));
        }
    }
    json_decref(said);
    json_decref(one);
    test_run_free(&run);
    api_bench_close(&b);
}

TEST(a_clip_that_is_not_there_is_not_found)
{
    static const api_run runs[] = { api_clip, api_frames, api_curves, api_strip };
    api_bench b;
    api_bench_open(&b);
    bench_program("marey rm lib.marey run");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        api_refused(&b, runs[i], 999, "of=Hips.x", NULL, 404, "input", "no clip number 999");
        if (runs[i] == api_strip) continue;
        api_refused(&b, runs[i], b.run, "of=Hips.x", NULL, 404, "input", "removed");
    }
    studio_response strip = api_ask(&b, api_strip, b.run, NULL, NULL);
    assert_int_equal(strip.status, 204); /* a page may show removed clips without complaint */
    assert_int_equal(strip.body.count, 0);
    api_bench_close(&b);
}

/* ---- frames ------------------------------------------------------------------------------------- */

typedef struct frames_read {
    uint32_t frames, joints, start, step, places;
    double fps;
    const float *place, *turn;
} frames_read;

static frames_read read_frames(const studio_response *from)
{
    frames_read out = { 0 };
    const uint8_t *data = from->body.data;
    uint32_t numbers[7];
    assert_int_equal(from->status, 200);
    assert_string_equal(from->type, "application/octet-stream");
    assert_memory_equal(data, "MRYF", 4);
    memcpy(numbers, data + 4, sizeof numbers);
    memcpy(&out.fps, data + 32, sizeof out.fps);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[6], 0);
    out.frames = numbers[1];
    out.joints = numbers[2];
    out.start = numbers[3];
    out.step = numbers[4];
    out.places = numbers[5];
    out.place = (const float *)(data + 40);
    out.turn = out.place + (size_t)out.frames * out.places * 3;
    assert_int_equal(from->body.count,
                     40 + 4 * (size_t)out.frames * (3 * out.places + 4 * out.joints));
    return out;
}

/* v turned by q = (w, x, y, z), the long way: q v q*. */
static void turn_by(const double *q, const double *v, double *out)
{
    double w = -q[1] * v[0] - q[2] * v[1] - q[3] * v[2];
    double x = q[0] * v[0] + q[2] * v[2] - q[3] * v[1];
    double y = q[0] * v[1] + q[3] * v[0] - q[1] * v[2];
    double z = q[0] * v[2] + q[1] * v[1] - q[2] * v[0];
    out[0] = -w * q[1] + x * q[0] - y * q[3] + z * q[2];
    out[1] = -w * q[2] + y * q[0] - z * q[1] + x * q[3];
    out[2] = -w * q[3] + z * q[0] - x * q[2] + y * q[1];
}

static void multiply(const double *a, const float *b, double *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Global places of one frame from what came over the wire and the offsets of the skeleton alone. */
static void pose(const frames_read *of, const marey_skeleton *skeleton, uint32_t i, double *out)
{
    enum { MOST = 64 };
    double world[4 * MOST];
    const double one[4] = { 1, 0, 0, 0 };
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        const float *turn = of->turn + 4 * ((size_t)i * of->joints + (size_t)j);
        const float *place = of->place + 3 * (size_t)i * of->places;
        double local[3];
        bool own = of->places > 1 || j == 0;
        for (int k = 0; k < 3; k++) {
            local[k] = own ? place[(of->places > 1 ? 3 * j : 0) + k] : joint->offset_cm[k];
        }
        const double *above = j == 0 ? one : world + 4 * joint->parent;
        multiply(above, turn, world + 4 * j);
        turn_by(above, local, out + 3 * j);
        for (int k = 0; k < 3 && j > 0; k++) out[3 * j + k] += out[3 * joint->parent + k];
    }
}

static void compare_frames(api_bench *b, int64_t id, const char *name, const char *query)
{
    enum { MOST = 64 };
    double mine[3 * MOST], theirs[3 * MOST];
    marey_clip *clip = NULL;
    assert_int_equal(marey_library_load(b->by.library, name, &clip, NULL), MAREY_OK);
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    studio_response to = api_ask(b, api_frames, id, query, NULL);
    frames_read of = read_frames(&to);
    assert_int_equal(of.joints, skeleton->joint_count);
    assert_true(of.fps == marey_clip_fps(clip));
    for (uint32_t i = 0; i < of.frames; i++) {
        pose(&of, skeleton, i, mine);
        marey_clip_positions(clip, (int)(of.start + i * of.step), 1, theirs);
        for (uint32_t k = 0; k < 3 * of.joints; k++) {
            if (fabs(mine[k] - theirs[k]) > 1e-3) fail_msg("%g, not %g", mine[k], theirs[k]);
        }
    }
    bytes_free(&to.body);
    marey_clip_free(clip);
}

TEST(frames_give_the_places_that_the_library_computes)
{
    api_bench b;
    api_bench_open(&b);
    compare_frames(&b, b.walk, "walk", NULL);
    compare_frames(&b, b.walk, "walk", "start=7&end=31&step=5");
    compare_frames(&b, b.slide, "slide", NULL);
    compare_frames(&b, b.slide, "slide", "start=3");
    studio_response to = api_ask(&b, api_frames, b.walk, "start=7&end=31&step=5", NULL);
    frames_read of = read_frames(&to);
    assert_int_equal(of.frames, 5);
    assert_int_equal(of.start, 7);
    assert_int_equal(of.step, 5);
    assert_int_equal(of.places, 1);
    bytes_free(&to.body);
    to = api_ask(&b, api_frames, b.slide, NULL, NULL);
    assert_int_equal(read_frames(&to).places, 3);
    bytes_free(&to.body);
    api_bench_close(&b);
}

TEST(frames_outside_the_clip_are_refused)
{
    static const char *const queries[] = {
        "start=60",      "end=61",  "start=5&end=5", "start=-1",
        "start=9&end=8", "start=x", "end=",          "step=0",
        "step=61",       "step=-1", "start=1.5",     "end=99999999999999999999"
    };
    api_bench b;
    api_bench_open(&b);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        api_refused(&b, api_frames, b.walk, queries[i], NULL, 400, "request", "");
    }
    api_bench_close(&b);
}

/* ---- curves ------------------------------------------------------------------------------------- */

TEST(curves_are_channels_places_and_speeds)
{
    api_bench b;
    marey_clip *clip = NULL;
    double at[3][3 * 21];
    api_bench_open(&b);
    assert_int_equal(marey_library_load(b.by.library, "walk", &clip, NULL), MAREY_OK);
    studio_response to =
        api_ask(&b, api_curves, b.walk, "of=Hips.Zposition,Head.y,Head.speed&start=3&end=60", NULL);
    int head = marey_clip_skeleton(clip)->roles[MAREY_ROLE_HEAD];
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, 3 * 57 * sizeof(float));
    const float *rows = (const float *)to.body.data;
    for (int f = 3; f < 60; f++) {
        int before = f - 1, behind = f < 59 ? f + 1 : f;
        marey_clip_positions(clip, before, 1, at[0]);
        marey_clip_positions(clip, f, 1, at[1]);
        marey_clip_positions(clip, behind, 1, at[2]);
        const double *p = at[0] + 3 * head, *q = at[2] + 3 * head;
        double way = hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]);
        double speed = way * marey_clip_fps(clip) / (behind - before);
        assert_true(rows[f - 3] == (float)marey_clip_channels(clip, f)[2]);
        assert_true(rows[57 + f - 3] == (float)at[1][3 * head + 1]);
        assert_true(fabs(rows[2 * 57 + f - 3] - speed) < 1e-3);
    }
    bytes_free(&to.body);
    marey_clip_free(clip);
    api_bench_close(&b);
}

TEST(curves_that_are_not_there_are_refused)
{
    static const char *const queries[] = {
        NULL,         "of=",         "of=Hips",           "of=.x",
        "of=Hips.",   "of=Hips.w",   "of=Head.Xposition", "of=Hips.x,",
        "of=,Hips.x", "of=Nobody.x", "of=Hips.x&start=60"
    };
    char many[17 * 7 + 4] = "of=";
    api_bench b;
    api_bench_open(&b);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        api_refused(&b, api_curves, b.walk, queries[i], NULL, 400, "request", "");
    }
    for (int i = 0; i < 17; i++) strcat(many, i ? ",Hips.x" : "Hips.x");
    api_refused(&b, api_curves, b.walk, many, NULL, 400, "request", "at most 16");
    *strrchr(many, ',') = 0;
    studio_response to = api_ask(&b, api_curves, b.walk, many, NULL);
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    api_bench_close(&b);
}

/* ---- strips ------------------------------------------------------------------------------------- */

static size_t kept_bytes(api_bench *b, int64_t id)
{
    size_t count = 0;
    assert_int_equal(
        marey_library_picture(b->by.library, id, "strip-480x96-1", NULL, 0, &count, NULL),
        MAREY_OK);
    return count;
}

TEST(a_strip_is_drawn_once_and_then_kept)
{
    api_bench b;
    api_bench_open(&b);
    assert_int_equal(kept_bytes(&b, b.walk), 0);
    studio_response first = api_ask(&b, api_strip, b.walk, NULL, NULL);
    assert_int_equal(first.status, 200);
    assert_string_equal(first.type, "image/png");
    assert_memory_equal(first.body.data, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(first.body.data + 16, "\0\0\1\xe0\0\0\0\x60", 8); /* 480 x 96 */
    assert_int_equal(kept_bytes(&b, b.walk), first.body.count);
    studio_response second = api_ask(&b, api_strip, b.walk, NULL, NULL);
    assert_int_equal(second.body.count, first.body.count);
    assert_memory_equal(second.body.data, first.body.data, first.body.count);
    assert_string_equal(second.tag_text, first.tag_text);
    assert_int_equal(b.by.count, 1); /* the clip was needed once */
    bytes_free(&second.body);
    /* What is kept is served, whatever it is. */
    assert_int_equal(
        marey_library_keep_picture(b.by.library, b.walk, "strip-480x96-1", 0, "x", 1, NULL),
        MAREY_OK);
    second = api_ask(&b, api_strip, b.walk, NULL, NULL);
    assert_int_equal(second.body.count, 1);
    assert_string_not_equal(second.tag_text, first.tag_text);
    bytes_free(&second.body);
    bytes_free(&first.body);
    api_bench_close(&b);
}

TEST(a_strip_shows_the_contacts_that_are_kept)
{
    api_bench b;
    api_bench_open(&b);
    studio_response before = api_ask(&b, api_strip, b.walk, NULL, NULL);
    json_decref(api_json(
        &b, do_contacts, b.walk, NULL,
        "{\"set\": {\"contacts\": [{\"joint\": \"left_toe\", \"start\": 1, \"end\": 55}]}}", 200));
    studio_response after = api_ask(&b, api_strip, b.walk, NULL, NULL);
    assert_int_equal(after.status, 200);
    assert_string_not_equal(after.tag_text, before.tag_text);
    assert_int_equal(kept_bytes(&b, b.walk), after.body.count);
    bytes_free(&before.body);
    bytes_free(&after.body);
    api_bench_close(&b);
}

TEST(a_strip_of_a_library_for_reading_only_is_served_and_not_kept)
{
    api_bench b;
    api_bench_open(&b);
    api_bench_stop(&b);
    api_bench_start(&b, false);
    studio_response to = api_ask(&b, api_strip, b.walk, NULL, NULL);
    assert_int_equal(to.status, 200);
    assert_int_equal(kept_bytes(&b, b.walk), 0);
    bytes_free(&to.body);
    api_bench_close(&b);
}

/* ---- refused memory ----------------------------------------------------------------------------- */

TEST(reading_with_too_little_memory_says_so)
{
    api_bench b;
    api_bench_open(&b);
    struct {
        api_run run;
        int64_t id;
        const char *query;
    } all[] = { { api_about, 0, NULL },      { api_clips, 0, NULL },
                { api_clip, b.walk, NULL },  { api_frames, b.slide, NULL },
                { api_frames, b.run, NULL }, { api_curves, b.run, "of=Hips.x,Head.speed" },
                { api_strip, b.run, NULL } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        studio_response to = api_starve(&b, all[i].run, all[i].id, all[i].query, NULL);
        assert_int_equal(to.status, 200);
        bytes_free(&to.body);
        assert_int_equal(memory_files_count(b.by.files), 0);
    }
    api_bench_close(&b);
}

TEST_GROUP_OF_CASES(test_studio_api, NULL, NULL)
