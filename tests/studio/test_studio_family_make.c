/* test_studio_family_make.c - asking families for motion through the studio's addresses: what is sent is what the library
   makes, what is kept and exported is what the program makes, and every figure is judged by the library's own. Building
   families is in test_studio_families.c. */
#include "family_bench.h"

#include "families.h"
#include "frames_binary.h"

#define AT "'family': 'reach', 'at': [-20, 130, 45]"

static const double wanted[3] = { -20, 130, 45 };

/* ---- what the library makes --------------------------------------------------------------------- */

typedef struct judge {
    marey_parts *parts;
    marey_family *family;
    marey_made made;
    marey_answer answer;
} judge;

static judge judge_make(family_bench *all, const char *name, const double *at,
                        const marey_family_make_def *def)
{
    judge of = { .parts = NULL };
    marey_error error;
    if (marey_library_family(all->b.by.library, name, &of.parts, &of.family, &error) != MAREY_OK ||
        marey_family_make(all->b.by.ctx, of.family, at, def, &of.made, &of.answer, &error) !=
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

static void check_frames(family_bench *all, const made_read *got, const judge *of)
{
    studio_bytes frames = { .memory = &all->b.of.memory };
    int count = marey_clip_frames(of->made.clip);
    frame_set set = frame_set_make(of->made.clip, 0, count, 1);
    assert_true(frame_set_write(&set, &frames));
    assert_int_equal(frames.count, got->frame_bytes);
    assert_memory_equal(frames.data, got->frames, frames.count);
    assert_int_equal(number(got->said, "frames"), count);
    assert_int_equal(size_of(got->said, "contacts"), of->made.contacts.count);
    bytes_free(&frames);
}

static void check_member(family_bench *all, const char *body, const char *name, const double *at,
                         const marey_family_make_def *def)
{
    judge of = judge_make(all, name, at, def);
    int dims = marey_family_dims(of.family);
    for (int again = 0; again < 2; again++) { /* opened, then kept open */
        made_read got = read_member(all, body);
        same_numbers(json_object_get(got.said, "target"), at, dims);
        same_numbers(json_object_get(got.said, "reached"), of.answer.values, dims);
        assert_true(number(got.said, "error") == of.answer.error);
        assert_true(number(got.said, "table_error") == of.answer.table_error);
        assert_int_equal(json_is_true(json_object_get(got.said, "outside")), of.answer.outside);
        check_weights(got.said, &of);
        check_frames(all, &got, &of);
        assert_int_equal(json_is_true(json_object_get(got.said, "cleaned")), !def->leave_feet);
        made_free(&got);
    }
    judge_free(&of);
}

#define CASE(name) TEST_IN(family_bench_open, family_bench_close, name)

CASE(what_is_sent_is_what_the_library_makes)
{
    family_bench *all = *state;
    double far[3] = { 300, 500, -200 };
    check_member(all, "{" AT "}", "reach", wanted, &(marey_family_make_def){ .fps = 0 });
    check_member(all, "{" AT ", 'no_clean': true}", "reach", wanted,
                 &(marey_family_make_def){ .leave_feet = true });
    check_member(all, "{" AT ", 'table': true}", "reach", wanted,
                 &(marey_family_make_def){ .ask = &(marey_ask_def){ .table = true } });
    check_member(all, "{'family': 'reach', 'at': [300, 500, -200]}", "reach", far,
                 &(marey_family_make_def){ .fps = 0 });
    made_read got = read_member(all, "{'family': 'reach', 'at': [300, 500, -200]}");
    assert_true(json_is_true(json_object_get(got.said, "outside")));
    assert_true(number(got.said, "error") > 100);
    made_free(&got);
}

/* ---- figures ------------------------------------------------------------------------------------ */

CASE(figures_are_those_of_the_motion)
{
    family_bench *all = *state;
    judge of = judge_make(all, "reach", wanted, NULL);
    made_read got = read_member(all, "{" AT "}");
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
    assert_int_equal(number(got.said, "nearest"), nearest);
    assert_int_equal(
        marey_clip_quality(of.made.clip, of.made.contacts.items, of.made.contacts.count, &quality),
        MAREY_OK);
    assert_float_equal(number(got.said, "slide_after_cm"), quality.slide_max_cm, 1e-9);
    assert_true(number(got.said, "slide_before_cm") == of.made.clean.slide_before_cm);
    assert_true(size_of(got.said, "slides") > 0);
    assert_true(json_is_null(json_object_get(item(got.said, "slides", 0), "before_cm")));
    double ratio = number(got.said, "jump_ratio");
    assert_true(ratio > 0.2 && ratio < 1.5);
    assert_null(json_object_get(got.said, "refitted"));
    made_free(&got);
    judge_free(&of);
}

/* ---- places ------------------------------------------------------------------------------------- */

/* Where a joint is at a moment between frames. */
static void joint_at(const marey_clip *clip, int joint, double moment, double *out)
{
    int joints = marey_clip_skeleton(clip)->joint_count, frame = (int)moment;
    double *rows = malloc(6 * (size_t)joints * sizeof *rows), share = moment - frame;
    marey_clip_positions(clip, frame, 1, rows);
    if (share > 0) marey_clip_positions(clip, frame + 1, 1, rows + 3 * joints);
    for (int k = 0; k < 3; k++) {
        double a = rows[3 * joint + k], b = share > 0 ? rows[3 * (joints + joint) + k] : a;
        out[k] = a + share * (b - a);
    }
    free(rows);
}

/* What is reached, put into the world by the answer's own place, is where the wrist is. */
static void check_place(family_bench *all, const char *feature, bool sure)
{
    char body[2048];
    snprintf(body, sizeof body,
             "{'name': 'placed', 'feature': ['%s'], 'samples': 30, " FIVE_PARTS "}", feature);
    json_t *family = build_family(all, body);
    double at[3], p[3];
    for (size_t d = 0; d < 3; d++) {
        at[d] = json_number_value(json_array_get(item(family, "sample_values", 3), d));
    }
    snprintf(body, sizeof body, "{'family': 'placed', 'at': [%.17g, %.17g, %.17g]}", at[0], at[1],
             at[2]);
    made_read got = read_member(all, body);
    judge of = judge_make(all, "placed", at, NULL);
    const json_t *place = item(got.said, "places", 0);
    double moment = json_number_value(item(got.said, "moments", 0));
    double angle = number(place, "angle_rad"), v[3];
    for (size_t d = 0; d < 3; d++) v[d] = json_number_value(item(got.said, "reached", d));
    joint_at(of.made.clip, (int)number(item(family, "params", 0), "number"), moment, p);
    double x = number(place, "x_cm") + v[0] * cos(angle) + v[2] * sin(angle);
    double y = number(place, "y_cm") + v[1];
    double z = number(place, "z_cm") - v[0] * sin(angle) + v[2] * cos(angle);
    double near = sure ? 1e-6 : 0.05; /* a body that turns between two frames is not in between */
    assert_float_equal(x, p[0], near);
    assert_float_equal(y, p[1], near);
    assert_float_equal(z, p[2], near);
    assert_true(moment > 10 && moment < number(got.said, "frames") - 10);
    made_free(&got);
    judge_free(&of);
    json_decref(family);
}

CASE(places_can_be_shown_in_the_world)
{
    family_bench *all = *state;
    check_place(all, "position(right_wrist, apex, start)", true);
    check_place(all, "position(right_wrist, apex, root)", false);
    check_place(all, "position(right_wrist, apex, world)", true);
    json_decref(build_family(all, "{'name': 'plain', 'feature': ['duration()', 'place(start)', "
                                  "'height(right_wrist)'], 'samples': 0, " FIVE_PARTS "}"));
    made_read got = read_member(all, "{'family': 'plain', 'at': [2.3, 0, 0, 120]}");
    assert_true(json_is_null(item(got.said, "places", 0)));
    assert_true(json_is_object(item(got.said, "places", 1)));
    assert_true(json_is_null(item(got.said, "places", 2)));
    assert_true(json_is_null(item(got.said, "moments", 0)));
    assert_true(json_number_value(item(got.said, "moments", 1)) == number(got.said, "frames") - 1);
    assert_true(json_is_number(item(got.said, "moments", 2)));
    made_free(&got);
}

/* ---- keeping it --------------------------------------------------------------------------------- */

/* What the library says of a clip, without its name and number. */
static json_t *said_of(family_bench *all, const char *name)
{
    json_t *one = api_json(&all->b, api_clip, bench_id(&all->b, name), NULL, NULL, 200);
    json_object_del(one, "name");
    json_object_del(one, "id");
    json_object_del(json_object_get(one, "report"), "name");
    return one;
}

static void check_kept(family_bench *all, const char *options, const char *line)
{
    char text[256];
    snprintf(text, sizeof text, "{" AT ", 'name': 'ours'%s}", options);
    json_t *got = ask_json(all, do_param_make, text, 200);
    assert_int_equal(number(got, "id"), bench_id(&all->b, word(got, "name")));
    same_numbers(json_object_get(got, "target"), wanted, 3);
    snprintf(text, sizeof text,
             "marey param make lib.marey reach --at -20,130,45 %s -o "
             "lib.marey:theirs --quiet",
             line);
    bench_program(text);
    json_t *ours = said_of(all, word(got, "name")), *theirs = said_of(all, "theirs");
    if (!json_equal(ours, theirs)) {
        fail_msg("%s\nis not\n%s", json_dumps(ours, JSON_SORT_KEYS),
                 json_dumps(theirs, JSON_SORT_KEYS));
    }
    studio_response x =
        api_ask(&all->b, api_frames, bench_id(&all->b, word(got, "name")), NULL, NULL);
    studio_response y = api_ask(&all->b, api_frames, bench_id(&all->b, "theirs"), NULL, NULL);
    assert_int_equal(x.body.count, y.body.count);
    assert_memory_equal(x.body.data, y.body.data, x.body.count);
    bytes_free(&x.body);
    bytes_free(&y.body);
    json_decref(ours);
    json_decref(theirs);
    json_decref(got);
}

CASE(what_is_kept_is_what_the_program_makes)
{
    family_bench *all = *state;
    check_kept(all, "", "");
}

CASE(the_settings_are_noted_as_the_program_does)
{
    family_bench *all = *state;
    check_kept(all, ", 'table': true, 'no_clean': true", "--table --no-clean");
}

CASE(an_export_is_the_file_of_the_program)
{
    family_bench *all = *state;
    static const char *const formats[] = { "bvh", "glb" };
    for (int i = 0; i < 2; i++) {
        char body[256], line[256], name[16];
        snprintf(body, sizeof body, "{" AT ", 'output': 'reach.%s'}", formats[i]);
        snprintf(name, sizeof name, "reach.%s", formats[i]);
        json_t *result = api_job_done(&all->b, ask_json(all, do_param_make, body, 202));
        assert_string_equal(word(result, "name"), name);
        studio_response to =
            api_ask(&all->b, api_job_file, (int64_t)number(result, "job"), NULL, NULL);
        assert_int_equal(to.status, 200);
        assert_string_equal(to.file_name, name);
        snprintf(line, sizeof line,
                 "marey param make lib.marey reach --at -20,130,45 -o %s --quiet", name);
        bench_program(line);
        size_t count;
        char *theirs = test_file_read(name, &count);
        assert_int_equal(to.lent->content.count, count);
        assert_memory_equal(to.lent->content.data, theirs, count);
        free(theirs);
        answer_clear(&to);
        json_decref(result);
    }
    assert_int_equal(bench_id(&all->b, "reach"), 0); /* it is not in the library */
}

/* ---- what is refused ---------------------------------------------------------------------------- */

CASE(bodies_that_cannot_be_are_refused)
{
    family_bench *all = *state;
    static const struct {
        const char *body;
        int status;
        const char *kind, *says;
    } rows[] = {
        { "{'at': [1, 2, 3]}", 400, "request", "family is missing" },
        { "{'family': 'reach'}", 400, "request", "at is missing" },
        { "{'family': 3, 'at': [1, 2, 3]}", 400, "request", "family must be a text" },
        { "{'family': 'reach', 'at': 3}", 400, "request", "at must be numbers" },
        { "{'family': 'reach', 'at': []}", 400, "request", "at must be numbers" },
        { "{'family': 'reach', 'at': [1, 2, 'a']}", 400, "request", "at must be numbers" },
        { "{'family': 'reach', 'at': [1, 2, 1e10]}", 400, "request", "at must be numbers" },
        { "{'family': 'reach', 'at': [1, 2]}", 400, "request", "at must be 3 numbers" },
        { "{'family': 'reac', 'at': [1, 2, 3]}", 404, "input", "is it reach" },
        { "{'family': 'reach', 'grid': '2x2x2'}", 400, "request", "command line" },
        { "{" AT ", 'no_clean': 1}", 400, "request", "no_clean" },
        { "{" AT ", 'wish': 1}", 400, "request", "unknown field wish" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[256];
        api_refused(&all->b, do_param_make, 0, NULL, text_of(all, rows[i].body), rows[i].status,
                    rows[i].kind, rows[i].says);
        /* of a file before there is a job, or by that */
        snprintf(body, sizeof body, "{'output': 'a.bvh', %s", rows[i].body + 1);
        studio_response to = api_ask(&all->b, do_param_make, 0, NULL, text_of(all, body));
        json_t *got = answer_take_json(&to, to.status);
        if (to.status == 202) {
            json_t *over = api_wait(&all->b, (int64_t)number(got, "job"));
            assert_string_equal(word(over, "state"), "failed");
            json_decref(got);
            got = over;
        }
        const json_t *error = json_object_get(got, "error");
        assert_string_equal(word(error, "status"), rows[i].kind);
        assert_non_null(strstr(word(error, "message"), rows[i].says));
        json_decref(got);
    }
    api_refused(&all->b, do_param_make, 0, NULL, text_of(all, "{" AT ", 'output': 'a.mp4'}"), 400,
                "request", "output must be a file's name that ends in .bvh or .glb");
    char name[1000], text[1200];
    memset(name, 'x', sizeof name);
    snprintf(text, sizeof text, "{\"family\": \"%.*s\", \"at\": [1]}", 900, name);
    api_refused(&all->b, do_param_make, 0, NULL, text, 404, "input", "xxx");
}

/* ---- changes ------------------------------------------------------------------------------------ */

CASE(a_family_whose_clip_is_gone_is_there_and_says_so)
{
    family_bench *all = *state;
    made_read got = read_member(all, "{" AT "}");
    made_free(&got);
    bench_program("marey rm lib.marey reach_right");
    for (int purged = 0; purged < 2; purged++) {
        const char *says = purged ? "not there any more" : "is removed";
        api_refused(&all->b, do_param_make, 0, NULL, text_of(all, "{" AT "}"), 409, "input", says);
        api_refused(&all->b, do_param_make, 0, NULL, text_of(all, "{" AT "}"), 409, "input",
                    purged ? "the clip #" : "reach_right");
        api_refused(&all->b, do_param_show, 0, NULL, "{\"name\": \"reach\"}", 409, "input", says);
        json_t *list = ask_json(all, do_param_ls, "{}", 200);
        const json_t *clip = item(item(list, "spaces", 0), "examples", 0);
        assert_true(json_is_true(json_object_get(clip, "removed")));
        if (!purged) assert_string_equal(word(clip, "clip"), "reach_right");
        if (purged) assert_int_equal(word(clip, "clip")[0], '#');
        json_decref(list);
        if (purged) break;
        bench_program("marey restore lib.marey reach_right");
        got = read_member(all, "{" AT "}");
        made_free(&got);
        bench_program("marey rm lib.marey reach_right");
        bench_program("marey rm lib.marey --purge reach_right");
    }
    json_decref(ask_json(all, do_param_rm, "{'name': 'reach'}", 200));
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
    studio_request what = { .body = (const uint8_t *)me->body, .body_count = strlen(me->body) };
    studio_response to = { .tag = "", .body = { .memory = &me->by.of->memory } };
    do_param_make(&me->by, &what, &to);
    return to;
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

static void two_clients_open(family_bench *all, client clients[2])
{
    for (int i = 0; i < 2; i++) {
        clients[i] = (client){ .wrong = 0 };
        snprintf(clients[i].body, sizeof clients[i].body, "%.120s",
                 text_of(all, i ? "{'family': 'five', 'at': [-20, 130, 45]}" : "{" AT "}"));
        assert_int_equal(worker_open(&clients[i].by, &all->b.of, 1, NULL, NULL), MAREY_OK);
    }
}

CASE(two_clients_ask_at_once)
{
    family_bench *all = *state;
    client clients[2];
    json_decref(build_family(all, "{'name': 'five', 'samples': 30, " WRIST ", " FIVE_PARTS "}"));
    two_clients_open(all, clients);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask_often, &clients[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].wrong, 0);
        /* each as if it were alone */
        studio_response to = api_ask(&all->b, do_param_make, 0, NULL, clients[i].body);
        assert_int_equal(to.body.count, clients[i].first.count);
        assert_memory_equal(to.body.data, clients[i].first.data, to.body.count);
        bytes_free(&to.body);
        bytes_free(&clients[i].first);
        worker_close(&clients[i].by);
    }
}

/* The family that a worker has open, and its weight there. */
static app_saved_family *open_family(const studio_worker *worker, int64_t *weight)
{
    for (int i = 0; i < APP_CACHE_MOST; i++) {
        const app_cached *entry = &worker->saved.entries[i];
        if (!entry->object) continue;
        *weight = entry->weight;
        return entry->object;
    }
    return NULL;
}

/* Who has a family open sees what somebody else makes of it. */
CASE(what_one_changes_the_other_sees)
{
    family_bench *all = *state;
    client clients[2];
    json_decref(build_family(all, "{'name': 'five', 'samples': 30, " WRIST ", " FIVE_PARTS "}"));
    two_clients_open(all, clients);
    studio_response to = ask_as(&clients[1]);
    assert_int_equal(to.status, 200);
    int64_t weight;
    const app_saved_family *open = open_family(&clients[1].by, &weight);
    const marey_family *before = open->family;
    bytes_free(&to.body);
    to = ask_as(&clients[1]);
    /* it stays open */
    assert_true(open == open_family(&clients[1].by, &weight) && open->family == before);
    bytes_free(&to.body);
    json_decref(build_family(all, "{'name': 'five', 'feature': ['duration()'], " FIVE_PARTS "}"));
    to = ask_as(&clients[1]);
    json_t *error = answer_take_json(&to, 400);
    assert_non_null(
        strstr(word(json_object_get(error, "error"), "message"), "1 number for this family"));
    json_decref(error);
    json_decref(ask_json(all, do_param_rm, "{'name': 'five'}", 200));
    to = ask_as(&clients[1]);
    json_decref(answer_take_json(&to, 404));
    for (int i = 0; i < 2; i++) worker_close(&clients[i].by);
}

CASE(what_is_too_large_is_not_kept_open)
{
    family_bench *all = *state;
    made_read got = read_member(all, "{" AT "}");
    made_free(&got);
    int64_t weight = 0;
    const app_saved_family *open = open_family(&all->b.by, &weight);
    int frames = 0;
    for (int i = 0; i < open->parts->count; i++) frames += marey_clip_frames(open->parts->clips[i]);
    assert_int_equal(weight, frames);
    all->b.by.saved.most_weight = frames;
    got = read_member(all, "{" AT "}");
    made_free(&got);
    assert_ptr_equal(open_family(&all->b.by, &weight), open);
    all->b.by.saved.most_weight = frames - 1;
    got = read_member(all, "{" AT "}");
    made_free(&got);
    assert_null(open_family(&all->b.by, &weight));
}

/* ---- memory ------------------------------------------------------------------------------------- */

CASE(refused_memory_is_told_and_the_next_answer_is_whole)
{
    family_bench *all = *state;
    made_read good = read_member(all, "{" AT "}");
    worker_forget_saved(&all->b.by);
    made_read got =
        made_of_answer(api_starve(&all->b, do_param_make, 0, NULL, text_of(all, "{" AT "}")));
    assert_true(json_equal(good.said, got.said));
    assert_memory_equal(good.frames, got.frames, good.frame_bytes);
    made_free(&got);
    studio_response to =
        api_starve(&all->b, do_param_make, 0, NULL, text_of(all, "{" AT ", 'name': 'kept'}"));
    json_decref(answer_take_json(&to, 200));
    made_free(&good);
    to = api_starve(&all->b, do_param_make, 0, NULL, text_of(all, "{" AT ", 'output': 'a.bvh'}"));
    json_t *begun = answer_take_json(&to, 202);
    json_decref(api_wait(&all->b, (int64_t)number(begun, "job"))); /* it may have had too little */
    json_decref(begun);
    begun = ask_json(all, do_param_make, "{" AT ", 'output': 'a.bvh'}", 202);
    json_decref(api_job_done(&all->b, begun));
}

TEST_GROUP_OF_CASES(test_studio_family_make, NULL, NULL)
