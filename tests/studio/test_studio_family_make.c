/* test_studio_family_make.c - asking families for motion through the studio's addresses: what is
   sent is what the library makes, what is kept and exported is what the program makes, and every
   figure is judged by the library's own. Building families is in test_studio_families.c. */
#include "family_bench.h"

#include "families.h"
#include "frames_binary.h"

#define AT "'family': 'reach', 'at': [-20, 130, 45]"

static const double wanted[3] = { -20, 130, 45 };

/* ---- what the library makes ------------------------------------------------------------------ */

typedef struct judge {
    marey_parts *parts;
    marey_family *family;
    marey_made made;
    marey_answer answer;
} judge;

static judge judge_make(api_bench *b, const char *name, const double *at,
                        const marey_family_make_def *def)
{
    judge of = { .parts = NULL };
    marey_error error;
    if (marey_library_family(b->by.library, name, &of.parts, &of.family, &error) != MAREY_OK ||
        marey_family_make(b->by.ctx, of.family, at, def, &of.made, &of.answer, &error) !=
            MAREY_OK) {
        fail_msg("%s", error.message);
    }
    return of;
}

static void judge_free(judge *of)
{
    marey_made_free(&of->made);
    marey_family_free(of->family);
    marey_parts_free(of->parts);
}
OWNED_VALUE(judge, judge_free)

static void check_weights(const json_t *got, const judge *of)
{
    double sum = 0;
    assert_int_equal(size_of(got, "weights"), of->parts->count);
    for (int i = 0; i < of->parts->count; i++) {
        double weight = json_number_value(item(got, "weights", (size_t)i)), expected = 0;
        for (int k = 0; k < of->answer.count; k++)
            if (of->answer.motions[k] == i) expected = of->answer.weights[k];
        assert_true(weight == expected);
        sum += weight;
    }
    assert_float_equal(sum, 1, 1e-9);
}

static void check_frames(api_bench *b, const made_read *got, const judge *of)
{
    studio_bytes frames = { .memory = &b->of.memory };
    int count = marey_clip_frames(of->made.clip);
    frame_set set = frame_set_make(of->made.clip, 0, count, 1);
    assert_true(frame_set_write(&set, &frames));
    assert_int_equal(frames.count, got->frame_bytes);
    assert_memory_equal(frames.data, got->frames, frames.count);
    assert_int_equal(number(got->said, "frames"), count);
    assert_int_equal(size_of(got->said, "contacts"), of->made.contacts.count);
    bytes_free(&frames);
}

static void check_member(api_bench *b, const char *body, const double *at,
                         const marey_family_make_def *def)
{
    OWNED(judge) of = judge_make(b, "reach", at, def);
    int dims = marey_family_dims(of.family);
    for (int again = 0; again < 2; again++) { /* opened, then kept open */
        OWNED(made_read) got = read_made(b, do_param_make, "%s", body);
        same_numbers(json_object_get(got.said, "target"), at, dims);
        same_numbers(json_object_get(got.said, "reached"), of.answer.values, dims);
        expect(got.said, "{'error': %.17g, 'table_error': %.17g, 'outside': %s, 'cleaned': %s}",
               of.answer.error, of.answer.table_error, of.answer.outside ? "true" : "false",
               def->leave_feet ? "false" : "true");
        check_weights(got.said, &of);
        check_frames(b, &got, &of);
    }
}

TEST_OF(api_bench *b, what_is_sent_is_what_the_library_makes)
{
    const double far[3] = { 300, 500, -200 };
    check_member(b, "{" AT "}", wanted, &(marey_family_make_def){ .fps = 0 });
    check_member(b, "{" AT ", 'no_clean': true}", wanted,
                 &(marey_family_make_def){ .leave_feet = true });
    check_member(b, "{" AT ", 'table': true}", wanted,
                 &(marey_family_make_def){ .ask = &(marey_ask_def){ .table = true } });
    check_member(b, "{'family': 'reach', 'at': [300, 500, -200]}", far,
                 &(marey_family_make_def){ .fps = 0 });
    OWNED(made_read) got =
        read_made(b, do_param_make, "{'family': 'reach', 'at': [300, 500, -200]}");
    assert_true(is_true(got.said, "outside") && number(got.said, "error") > 100);
}

/* ---- figures --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, figures_are_those_of_the_motion)
{
    OWNED(judge) of = judge_make(b, "reach", wanted, NULL);
    OWNED(made_read) got = read_made(b, do_param_make, "{" AT "}");
    marey_quality quality;
    int nearest = 0, count;
    const double *values = marey_family_samples(of.family, &count);
    double least = INFINITY;
    for (int i = 0; i < of.parts->count; i++) {
        double apart = 0;
        for (int d = 0; d < 3; d++) apart += pow(values[3 * i + d] - wanted[d], 2);
        if (apart < least) nearest = i;
        least = fmin(least, apart);
    }
    expect(got.said, "{'nearest': %d, 'slide_before_cm': %.17g}", nearest,
           of.made.clean.slide_before_cm);
    assert_int_equal(
        marey_clip_quality(of.made.clip, of.made.contacts.items, of.made.contacts.count, &quality),
        MAREY_OK);
    test_near(number(got.said, "slide_after_cm"), quality.slide_max_cm, 1e-9);
    assert_true(size_of(got.said, "slides") > 0);
    assert_true(is_null(item(got.said, "slides", 0), "before_cm"));
    assert_true(number(got.said, "jump_ratio") > 0.2 && number(got.said, "jump_ratio") < 1.5);
    assert_null(json_object_get(got.said, "refitted"));
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Where a joint is at a moment between frames. */
static void joint_at(const marey_clip *clip, int joint, double moment, double *out)
{
    int joints = marey_clip_skeleton(clip)->joint_count, frame = (int)moment;
    FREED double *rows = malloc(6 * (size_t)joints * sizeof *rows);
    double share = moment - frame;
    marey_clip_positions(clip, frame, 1, rows);
    if (share > 0) marey_clip_positions(clip, frame + 1, 1, rows + 3 * joints);
    for (int k = 0; k < 3; k++) {
        double a = rows[3 * joint + k], b = share > 0 ? rows[3 * (joints + joint) + k] : a;
        out[k] = a + share * (b - a);
    }
}

/* What is reached, put into the world by the answer's own place, is where the wrist is. */
static void check_place(api_bench *b, const char *feature, bool sure)
{
    const json_t *family = build_family(
        b, "{'name': 'placed', 'feature': ['%s'], 'samples': 30, " FIVE_PARTS "}", feature);
    double at[3], p[3], v[3];
    for (size_t d = 0; d < 3; d++) at[d] = number_at(item(family, "sample_values", 3), d);
    OWNED(made_read) got = read_made(
        b, do_param_make, "{'family': 'placed', 'at': [%.17g, %.17g, %.17g]}", at[0], at[1], at[2]);
    OWNED(judge) of = judge_make(b, "placed", at, NULL);
    const json_t *place = item(got.said, "places", 0);
    double moment = number_at(json_object_get(got.said, "moments"), 0);
    double angle = number(place, "angle_rad");
    for (size_t d = 0; d < 3; d++) v[d] = number_at(json_object_get(got.said, "reached"), d);
    joint_at(of.made.clip, (int)number(item(family, "params", 0), "number"), moment, p);
    double near = sure ? 1e-6 : 0.05; /* a body that turns between two frames is not in between */
    test_near(number(place, "x_cm") + v[0] * cos(angle) + v[2] * sin(angle), p[0], near);
    test_near(number(place, "y_cm") + v[1], p[1], near);
    test_near(number(place, "z_cm") - v[0] * sin(angle) + v[2] * cos(angle), p[2], near);
    assert_true(moment > 10 && moment < number(got.said, "frames") - 10);
}

TEST_OF(api_bench *b, places_can_be_shown_in_the_world)
{
    check_place(b, "position(right_wrist, apex, start)", true);
    check_place(b, "position(right_wrist, apex, root)", false);
    check_place(b, "position(right_wrist, apex, world)", true);
    build_family(b, "{'name': 'plain', 'feature': ['duration()', 'place(start)', "
                    "'height(right_wrist)'], 'samples': 0, " FIVE_PARTS "}");
    OWNED(made_read) got =
        read_made(b, do_param_make, "{'family': 'plain', 'at': [2.3, 0, 0, 120]}");
    expect(got.said, "{'places': [null, {}, null]}");
    assert_true(json_is_null(item(got.said, "moments", 0)));
    assert_true(number_at(json_object_get(got.said, "moments"), 1) ==
                number(got.said, "frames") - 1);
    assert_true(json_is_number(item(got.said, "moments", 2)));
}

/* ---- keeping it ------------------------------------------------------------------------------ */

static void check_kept(api_bench *b, const char *options, const char *line)
{
    const json_t *got = ask(b, do_param_make, "{" AT ", 'name': 'ours'%s}", options);
    expect(got, "{'name': 'ours', 'id': %" PRId64 ", 'target': [-20, 130, 45]}",
           bench_id(b, "ours"));
    bench_program("marey param make lib.marey reach --at -20,130,45 %s -o lib.marey:theirs --quiet",
                  line);
    assert_true(json_equal(said_of(b, "ours"), said_of(b, "theirs")));
    same_frames(b, "ours", "theirs");
    made_removed(b, "ours");
    made_removed(b, "theirs");
}

TEST_OF(api_bench *b, what_is_saved_is_what_the_program_makes)
{
    check_kept(b, "", "");
    check_kept(b, ", 'table': true, 'no_clean': true", "--table --no-clean");
}

TEST_OF(api_bench *b, an_export_is_the_file_of_the_program)
{
    static const char *const names[] = { "reach.bvh", "reach.glb" };
    for (int i = 0; i < 2; i++) {
        const json_t *result = ask_job(b, do_param_make, "{" AT ", 'output': '%s'}", names[i]);
        assert_string_equal(word(result, "name"), names[i]);
        bench_program("marey param make lib.marey reach --at -20,130,45 -o %s --quiet", names[i]);
        same_export(b, result, names[i]);
    }
    assert_int_equal(bench_id(b, "reach"), 0); /* it is not in the library */
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const struct {
        const char *fields;
        int status;
        const char *kind, *says;
    } rows[] = {
        { "'at': [1, 2, 3]", 400, "request", "family is missing" },
        { "'family': 'reach'", 400, "request", "at is missing" },
        { "'family': 3, 'at': [1, 2, 3]", 400, "request", "family must be a text" },
        { "'family': 'reach', 'at': 3", 400, "request", "at must be numbers" },
        { "'family': 'reach', 'at': []", 400, "request", "at must be numbers" },
        { "'family': 'reach', 'at': [1, 2, 'a']", 400, "request", "at must be numbers" },
        { "'family': 'reach', 'at': [1, 2, 1e10]", 400, "request", "at must be numbers" },
        { "'family': 'reach', 'at': [1, 2]", 400, "request", "at must be 3 numbers" },
        { "'family': 'reac', 'at': [1, 2, 3]", 404, "input", "is it reach" },
        { "'family': 'reach', 'grid': '2x2x2'", 400, "request", "command line" },
        { AT ", 'no_clean': 1", 400, "request", "no_clean" },
        { AT ", 'wish': 1", 400, "request", "unknown field wish" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        refused(b, rows[i].status, rows[i].kind, rows[i].says, do_param_make, "{%s}",
                rows[i].fields);
        /* of a file before there is a job, or by that */
        family_refused(b, do_param_make, rows[i].kind, rows[i].says, "{'output': 'a.bvh', %s}",
                       rows[i].fields);
    }
    refused(b, 400, "request", "output must be a file's name that ends in .bvh, .glb or .fbx",
            do_param_make, "{" AT ", 'output': 'a.mp4'}");
    char name[901] = "";
    memset(name, 'x', 900);
    refused(b, 404, "input", "xxx", do_param_make, "{'family': '%s', 'at': [1]}", name);
}

/* ---- changes --------------------------------------------------------------------------------- */

TEST_OF_IN(family_bench_open, api_bench_close, api_bench *b,
           a_family_whose_clip_is_gone_is_there_and_says_so)
{
    OWNED(made_read) before = read_made(b, do_param_make, "{" AT "}");
    bench_program("marey rm lib.marey reach_right");
    for (int purged = 0; purged < 2; purged++) {
        const char *says = purged ? "not there any more" : "is removed";
        refused(b, 409, "input", says, do_param_make, "{" AT "}");
        refused(b, 409, "input", purged ? "the clip #" : "reach_right", do_param_make, "{" AT "}");
        refused(b, 409, "input", says, do_param_show, "{'name': 'reach'}");
        const json_t *clip = item(item(ask(b, do_param_ls, "{}"), "spaces", 0), "examples", 0);
        assert_true(is_true(clip, "removed"));
        if (!purged) assert_string_equal(word(clip, "clip"), "reach_right");
        if (purged) assert_int_equal(word(clip, "clip")[0], '#');
        if (purged) break;
        bench_program("marey restore lib.marey reach_right");
        OWNED(made_read) again = read_made(b, do_param_make, "{" AT "}");
        bench_program("marey rm lib.marey reach_right");
        bench_program("marey rm lib.marey --purge reach_right");
    }
    ask(b, do_param_rm, "{'name': 'reach'}");
}

typedef struct client {
    studio_worker by;
    pthread_t thread;
    char body[128];
    int wrong;
    studio_bytes first; /* what it was answered first */
} client;

static studio_response ask_as(client *me)
{
    return api_ask_text(&me->by, do_param_make, me->body);
}

static void *ask_often(void *user)
{
    client *me = user;
    for (int i = 0; i < 12; i++) {
        studio_response to = ask_as(me);
        if (i == 0) me->first = to.body;
        me->wrong += to.status != 200 || to.body.count != me->first.count ||
                     memcmp(to.body.data, me->first.data, to.body.count) != 0;
        if (i > 0) bytes_free(&to.body);
    }
    return NULL;
}

static void two_clients_open(api_bench *b, client clients[2])
{
    build_family(b, "{'name': 'five', 'samples': 30, " WRIST ", " FIVE_PARTS "}");
    for (int i = 0; i < 2; i++) {
        clients[i] = (client){ .wrong = 0 };
        snprintf(clients[i].body, sizeof clients[i].body, "%s",
                 i ? "{'family': 'five', 'at': [-20, 130, 45]}" : "{" AT "}");
        json_quote(clients[i].body);
        assert_int_equal(worker_open(&clients[i].by, &b->of, 1, NULL, NULL), MAREY_OK);
    }
}

TEST_OF(api_bench *b, two_clients_ask_at_once)
{
    client clients[2];
    two_clients_open(b, clients);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask_often, &clients[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].wrong, 0);
        /* each as if it were alone */
        OWNED(studio_response) to = api_ask(b, do_param_make, "%s", clients[i].body);
        assert_int_equal(to.body.count, clients[i].first.count);
        assert_memory_equal(to.body.data, clients[i].first.data, to.body.count);
        bytes_free(&clients[i].first);
        worker_close(&clients[i].by);
    }
}

/* A worker that has a family open sees what another makes of it. */
TEST_OF(api_bench *b, what_one_changes_the_other_sees)
{
    client clients[2];
    two_clients_open(b, clients);
    OWNED(studio_response) first = ask_as(&clients[1]);
    assert_int_equal(first.status, 200);
    const app_saved_family *open = cached(&clients[1].by, MAREY_KEPT_FAMILY, NULL)->object;
    const marey_family *before = open->family;
    OWNED(studio_response) second = ask_as(&clients[1]);
    /* it stays open */
    assert_ptr_equal(cached(&clients[1].by, MAREY_KEPT_FAMILY, NULL)->object, open);
    assert_ptr_equal(open->family, before);
    build_family(b, "{'name': 'five', 'feature': ['duration()'], " FIVE_PARTS "}");
    studio_response other = ask_as(&clients[1]);
    error_says(answer_take_json(&other, 400), "request", "1 number for this family");
    ask(b, do_param_rm, "{'name': 'five'}");
    studio_response none = ask_as(&clients[1]);
    answer_take_json(&none, 404);
    for (int i = 0; i < 2; i++) worker_close(&clients[i].by);
}

TEST_OF_IN(family_bench_open, api_bench_close, api_bench *b, what_is_too_large_is_not_kept_open)
{
    OWNED(made_read) first = read_made(b, do_param_make, "{" AT "}");
    const app_cached *entry = cached(&b->by, MAREY_KEPT_FAMILY, NULL);
    const app_saved_family *open = entry->object;
    int frames = 0;
    for (int i = 0; i < open->parts->count; i++) frames += marey_clip_frames(open->parts->clips[i]);
    assert_int_equal(entry->weight, frames);
    b->by.saved.most_weight = frames;
    OWNED(made_read) second = read_made(b, do_param_make, "{" AT "}");
    assert_ptr_equal(cached(&b->by, MAREY_KEPT_FAMILY, NULL)->object, open);
    b->by.saved.most_weight = frames - 1;
    OWNED(made_read) third = read_made(b, do_param_make, "{" AT "}");
    assert_null(cached(&b->by, MAREY_KEPT_FAMILY, NULL));
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, refused_memory_is_reported_and_the_next_answer_is_whole)
{
    OWNED(made_read) good = read_made(b, do_param_make, "{" AT "}");
    worker_forget_saved(&b->by);
    OWNED(made_read) got = made_of_answer(api_starve(b, do_param_make, "{" AT "}"));
    assert_true(json_equal(good.said, got.said));
    assert_memory_equal(good.frames, got.frames, good.frame_bytes);
    STARVE(b, do_param_make, "{" AT ", 'name': 'kept'}");
    studio_response begun = api_starve(b, do_param_make, "{" AT ", 'output': 'a.bvh'}");
    api_wait(b, whole(answer_take_json(&begun, 202), "job")); /* it may have had too little */
    ask_job(b, do_param_make, "{" AT ", 'output': 'a.bvh'}");
}

TEST_GROUP_OF_CASES(test_studio_family_make, family_bench_open, api_bench_close)
