/* test_studio_api.c - reading through the studio's addresses: what is listed, frames, curves,
   strips. */
#include "api_bench.h"

/* ---- what is there --------------------------------------------------------------------------- */

TEST_OF(api_bench *b, about_names_library_formats_contacts_and_roles)
{
    const json_t *about = ask(b, api_about, "/");
    expect(about,
           "{'version': '%s', 'library': {'name': 'lib.marey', 'path': 'lib.marey', 'clips': 3, "
           "'removed': 0, 'writable': true}}",
           marey_version());
    const marey_format *first = marey_format_find(0);
    expect(item(about, "formats", 0), "{'name': '%s', 'ending': '%s'}", first->name, first->ending);
    assert_int_equal(size_of(about, "contact_joints"), MAREY_CONTACT_JOINT_COUNT);
    assert_int_equal(size_of(about, "roles"), MAREY_ROLE_COUNT);
}

static size_t count_listed(api_bench *b, const char *query)
{
    return size_of(ask(b, api_clips, "?%s", query), "clips");
}

TEST_OF(api_bench *b, clips_are_listed_by_text_label_and_whether_removed)
{
    const json_t *list = ask(b, api_clips, "?label=walking");
    assert_true(whole(list, "version") > 0);
    expect(item(list, "clips", 0),
           "{'id': %" PRId64 ", 'name': 'walk', 'frames': 60, 'licence': 'CC BY 4.0', "
           "'source': 'walk.bvh', 'made': false, 'removed': false}",
           bench_id(b, "walk"));
    test_near(number(item(list, "clips", 0), "seconds"), 1.0, 1e-3);
    assert_int_equal(count_listed(b, ""), 3);
    assert_int_equal(count_listed(b, "text=&label="), 3);
    assert_int_equal(count_listed(b, "text=ru"), 1);
    assert_int_equal(count_listed(b, "removed=1"), 0);
    refused(b, 400, "request", "removed", api_clips, "?removed=yes");
}

TEST_OF(api_bench *b, a_clip_says_everything_about_itself)
{
    const json_t *one = ask(b, api_clip, "/$walk");
    expect(one,
           "{'name': 'walk', 'roles': {'hips': 0}, 'report': {'format': 'bvh', 'units': 'cm'}, "
           "'contacts_set': false, 'provenance': null, 'has_channels': true, "
           "'quality': {'from': 'found'}}");
    assert_int_equal(size_of(one, "joints"), 21);
    assert_int_equal(whole(item(one, "joints", 0), "parent"), -1);
    assert_int_equal(size_of(item(one, "joints", 0), "channels"), 6);
    assert_true(json_is_array(json_object_get(one, "marks")));
    assert_true(json_is_array(json_object_get(one, "contacts")));
}

/* The numbers of `marey quality --json` and of the address are the same. */
TEST_OF(api_bench *b, quality_is_what_the_program_says)
{
    same_values(
        json_object_get(ask(b, api_clip, "/$walk"), "quality"),
        program_json("marey quality -L lib.marey walk --json"),
        "plants slide_cm slide_max_cm slide_cm_per_s penetration_cm jump_ratio jerk_ratio from");
}

TEST_BENCH(a_clip_that_is_not_there_is_not_found)
{
    static const api_run runs[] = { api_clip, api_frames, api_curves, api_strip };
    bench_program("marey rm lib.marey run");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        refused(b, 404, "input", "no clip number 999", runs[i], "/999?of=Hips.x");
        if (runs[i] == api_strip) continue;
        refused(b, 404, "input", "removed", runs[i], "/$run?of=Hips.x");
    }
    OWNED(studio_response) strip = api_ask(b, api_strip, "/$run");
    assert_int_equal(strip.status, 204); /* a page may show removed clips without complaint */
    assert_int_equal(strip.body.count, 0);
}

/* ---- frames ---------------------------------------------------------------------------------- */

typedef struct frames_read {
    uint32_t version, frames, joints, start, step, places, zero;
    double fps;
    const float *place, *turn;
} frames_read;

static frames_read read_frames(const studio_response *from)
{
    frames_read out = { 0 };
    const uint8_t *data = from->body.data;
    assert_int_equal(from->status, 200);
    assert_string_equal(from->type, "application/octet-stream");
    assert_memory_equal(data, "MRYF", 4);
    memcpy(&out.version, data + 4, 7 * sizeof(uint32_t));
    memcpy(&out.fps, data + 32, sizeof out.fps);
    assert_true(out.version == 1 && out.zero == 0);
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

static void compare_frames(api_bench *b, const char *name, const char *query, uint32_t frames,
                           uint32_t places)
{
    enum { MOST = 64 };
    double mine[3 * MOST], theirs[3 * MOST];
    OWNED(marey_clip) *clip = bench_load(b, name);
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    OWNED(studio_response) to = api_ask(b, api_frames, "/$%s%s", name, query);
    frames_read of = read_frames(&to);
    assert_int_equal(of.joints, skeleton->joint_count);
    assert_true(of.fps == marey_clip_fps(clip));
    assert_int_equal(of.frames, frames);
    assert_int_equal(of.places, places);
    for (uint32_t i = 0; i < of.frames; i++) {
        pose(&of, skeleton, i, mine);
        marey_clip_positions(clip, (int)(of.start + i * of.step), 1, theirs);
        for (uint32_t k = 0; k < 3 * of.joints; k++) test_near(mine[k], theirs[k], 1e-3);
    }
}

TEST_OF(api_bench *b, frames_give_the_places_that_the_library_computes)
{
    compare_frames(b, "walk", "", 60, 1);
    compare_frames(b, "walk", "?start=7&end=31&step=5", 5, 1);
    compare_frames(b, "slide", "", 4, 3);
    compare_frames(b, "slide", "?start=3", 1, 3);
    OWNED(studio_response) to = api_ask(b, api_frames, "/$walk?start=7&end=31&step=5");
    frames_read of = read_frames(&to);
    assert_true(of.start == 7 && of.step == 5);
}

TEST_OF(api_bench *b, frames_outside_the_clip_are_refused)
{
    static const char *const queries[] = {
        "start=60",      "end=61",  "start=5&end=5", "start=-1",
        "start=9&end=8", "start=x", "end=",          "step=0",
        "step=61",       "step=-1", "start=1.5",     "end=99999999999999999999"
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        refused(b, 400, "request", "", api_frames, "/$walk?%s", queries[i]);
}

/* ---- curves ---------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, curves_are_channels_places_and_speeds)
{
    double at[3][3 * 21];
    OWNED(marey_clip) *clip = bench_load(b, "walk");
    OWNED(studio_response) to =
        api_ask(b, api_curves, "/$walk?of=Hips.Zposition,Head.y,Head.speed&start=3&end=60");
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
        assert_true(rows[f - 3] == (float)marey_clip_channels(clip, f)[2]);
        assert_true(rows[57 + f - 3] == (float)at[1][3 * head + 1]);
        test_near(rows[2 * 57 + f - 3], way * marey_clip_fps(clip) / (behind - before), 1e-3);
    }
}

TEST_OF(api_bench *b, curves_that_are_not_there_are_refused)
{
    static const char *const queries[] = {
        "",           "of=",         "of=Hips",           "of=.x",
        "of=Hips.",   "of=Hips.w",   "of=Head.Xposition", "of=Hips.x,",
        "of=,Hips.x", "of=Nobody.x", "of=Hips.x&start=60"
    };
    char many[17 * 7 + 4] = "of=";
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        refused(b, 400, "request", "", api_curves, "/$walk?%s", queries[i]);
    for (int i = 0; i < 17; i++) strcat(many, i ? ",Hips.x" : "Hips.x");
    refused(b, 400, "request", "at most 16", api_curves, "/$walk?%s", many);
    *strrchr(many, ',') = 0;
    OWNED(studio_response) to = api_ask(b, api_curves, "/$walk?%s", many);
    assert_int_equal(to.status, 200);
}

/* ---- strips ---------------------------------------------------------------------------------- */

static size_t kept_bytes(api_bench *b)
{
    size_t count = 0;
    assert_int_equal(marey_library_picture(b->by.library, bench_id(b, "walk"), "strip-480x96-1",
                                           NULL, 0, &count, NULL),
                     MAREY_OK);
    return count;
}

TEST_BENCH(a_strip_is_drawn_once_and_then_kept)
{
    assert_int_equal(kept_bytes(b), 0);
    OWNED(studio_response) first = api_ask(b, api_strip, "/$walk");
    assert_int_equal(first.status, 200);
    assert_string_equal(first.type, "image/png");
    assert_memory_equal(first.body.data, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(first.body.data + 16, "\0\0\1\xe0\0\0\0\x60", 8); /* 480 x 96 */
    assert_int_equal(kept_bytes(b), first.body.count);
    OWNED(studio_response) second = api_ask(b, api_strip, "/$walk");
    assert_int_equal(second.body.count, first.body.count);
    assert_memory_equal(second.body.data, first.body.data, first.body.count);
    assert_string_equal(second.tag_text, first.tag_text);
    assert_int_equal(b->by.count, 1); /* the clip was needed once */
    /* What is kept is served, whatever it is. */
    assert_int_equal(marey_library_keep_picture(b->by.library, bench_id(b, "walk"),
                                                "strip-480x96-1", 0, "x", 1, NULL),
                     MAREY_OK);
    OWNED(studio_response) third = api_ask(b, api_strip, "/$walk");
    assert_int_equal(third.body.count, 1);
    assert_string_not_equal(third.tag_text, first.tag_text);
}

TEST_BENCH(a_strip_shows_the_contacts_that_are_kept)
{
    OWNED(studio_response) before = api_ask(b, api_strip, "/$walk");
    ask(b, do_contacts,
        "{'clip': $walk, 'set': {'contacts': [{'joint': 'left_toe', 'start': 1, 'end': 55}]}}");
    OWNED(studio_response) after = api_ask(b, api_strip, "/$walk");
    assert_int_equal(after.status, 200);
    assert_string_not_equal(after.tag_text, before.tag_text);
    assert_int_equal(kept_bytes(b), after.body.count);
}

TEST_BENCH(a_strip_of_a_library_for_reading_only_is_served_and_not_kept)
{
    api_bench_stop(b);
    api_bench_start(b, false);
    OWNED(studio_response) to = api_ask(b, api_strip, "/$walk");
    assert_int_equal(to.status, 200);
    assert_int_equal(kept_bytes(b), 0);
}

/* ---- refused memory -------------------------------------------------------------------------- */

TEST_BENCH(reading_with_too_little_memory_says_so)
{
    static const api_request rows[] = {
        { api_about, "" },       { api_clips, "" },
        { api_clip, "/$walk" },  { api_frames, "/$slide" },
        { api_frames, "/$run" }, { api_curves, "/$run?of=Hips.x,Head.speed" },
        { api_strip, "/$run" }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        STARVE(b, rows[i].run, "%s", rows[i].text);
        assert_int_equal(memory_files_count(b->by.files), 0);
    }
}

TEST_GROUP_OF_CASES(test_studio_api, api_bench_open, api_bench_close)
