/* test_own_program.c - operations with what only a program can lend: a metric of its own, in bodies
   such as the studio's; what they answer is what the library finds, and without a lender they say
   so. */
#include "own_clips.h"
#include "program_lines.h"
#include "reach_demo.h"

#include "operation.h"
#include "operations.h"

#include <jansson.h>
#include <marey/grid.h>
#include <math.h>

static void make_library(void)
{
    test_run_well("marey demo . --take walk_straight --take walk_left --take jog_straight --quiet");
    test_run_well("marey add moves.marey walk_straight.bvh walk_left.bvh jog_straight.bvh --quiet");
}

static int enter(void **state)
{
    return test_enter_copy(state, make_library);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

typedef struct asked {
    marey_status status;
    marey_error error;
    char *text; /* free() */
} asked;

/* With features lent to the context, if there are some; what it changes is committed. */
static asked ask_with(const marey_own_feature *feature, const app_own_metrics *lent,
                      const char *path, const char *operation, const char *body)
{
    OWNED(test_memory) held = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx();
    if (feature) marey_param_lend(ctx, feature, 1);
    marey_ctx_def memory = { .resize = test_memory_resize, .resize_user = &held };
    marey_library *library = NULL;
    asked out = { 0 };
    app_call call;
    test_ok(marey_library_open(ctx, path, MAREY_LIBRARY_WRITE, &library, &test_error));
    app_env env = { .ctx = ctx, .library = library, .own_metrics = lent };
    json_t *root = json_loads(body, 0, NULL);
    assert_non_null(root);
    out.status = app_call_open(&call, app_operation_find(operation), &memory, &out.error);
    if (!out.status)
        out.status =
            app_params_json(&call.scope, call.operation->params, root, call.params, &out.error);
    if (!out.status) out.status = app_call_check(&call, APP_BODY, &out.error);
    if (!out.status) out.status = app_call_run(&call, env, &out.error);
    if (!out.status) out.status = app_call_commit(&call, env, &out.error);
    if (!out.status) {
        buffer text = buffer_make(&memory);
        app_call_write(&call, &text);
        buffer_byte(&text, 0);
        out.text = strdup(text.bytes);
        buffer_free(&text);
    }
    app_call_close(&call);
    json_decref(root);
    marey_library_close(library);
    return out;
}

static asked ask(const app_own_metrics *lent, const char *operation, const char *body)
{
    return ask_with(NULL, lent, "moves.marey", operation, body);
}

#define CLIPS "\"a\":{\"clip\":\"walk_straight\"},\"b\":{\"clip\":\"walk_left\"}"

CASE(a_grid_by_an_own_metric_is_the_librarys)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    const app_own_metrics lent = { &own, 1 };
    asked answer = ask(&lent, "grid", "{" CLIPS ",\"own_metric\":\"hand\",\"window\":3}");
    assert_string_equal(answer.error.message, "");
    assert_int_equal(answer.status, MAREY_OK);
    assert_non_null(strstr(answer.text, "\"metric\":\"hand\""));
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *a = test_clip_load(ctx, "walk_straight.bvh");
    OWNED(marey_clip) *b = test_clip_load(ctx, "walk_left.bvh");
    const marey_clip *clips[] = { a, b };
    OWNED(marey_layout) *layout = NULL;
    OWNED(marey_features) *f = NULL, *g = NULL;
    OWNED(marey_grid) *grid = NULL;
    marey_metric_def def = { .own = &own, .window = 3 };
    test_ok(marey_layout_build(ctx, clips, 2, &def, &layout, NULL));
    test_ok(marey_features_build(layout, a, &f, NULL));
    test_ok(marey_features_build(layout, b, &g, NULL));
    test_ok(marey_grid_build(ctx, f, g, &grid, NULL));
    marey_rows rows = marey_grid_cost(grid);
    double least = INFINITY, greatest = 0;
    for (int i = 0; i < rows.rows; i++) {
        for (int j = 0; j < rows.cols; j++) {
            double cell = (double)rows.values[(size_t)i * rows.stride + (size_t)j];
            least = fmin(least, cell);
            greatest = fmax(greatest, cell);
        }
    }
    assert_true(fabs(test_number(answer.text, "least") - least) <= 1e-5 * (1 + least));
    free(answer.text);
}

CASE(operations_that_take_a_metric_take_an_own_one)
{
    static const struct {
        const char *operation, *body;
    } all[] = {
        { "similar", "{" CLIPS ",\"own_metric\":\"hand\"}" },
        { "compare", "{" CLIPS ",\"own_metric\":\"hand\"}" },
        { "align", "{\"clips\":[{\"clip\":\"walk_straight\"},{\"clip\":\"walk_left\"}],"
                   "\"own_metric\":\"hand\"}" },
        { "align", "{\"clips\":[{\"clip\":\"walk_straight\"},{\"clip\":\"walk_left\"},"
                   "{\"clip\":\"jog_straight\"}],\"own_metric\":\"hand\"}" },
        { "transition", "{" CLIPS ",\"own_metric\":\"hand\"}" },
        { "loop", "{\"clip\":{\"clip\":\"walk_straight\"},\"own_metric\":\"hand\"}" },
        { "blend", "{\"clips\":[{\"clip\":\"walk_straight\"},{\"clip\":\"walk_left\"}],"
                   "\"weights\":[0.5,0.5],\"own_metric\":\"hand\"}" },
        { "search", "{\"query\":{\"clip\":\"walk_straight\",\"start\":100,\"end\":160},"
                    "\"nearest\":5,\"own_metric\":\"hand\"}" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        test_own user = { 0 };
        marey_own_metric own = test_own_metric(&user, NULL);
        const app_own_metrics lent = { &own, 1 };
        asked answer = ask(&lent, all[i].operation, all[i].body);
        if (answer.status) fail_msg("%s: %s", all[i].operation, answer.error.message);
        assert_true(user.asked >= 1);
        if (strcmp(all[i].operation, "blend") != 0)
            assert_non_null(strstr(answer.text, "\"hand\""));
        free(answer.text);
        /* Without a lender, or with another name. */
        answer = ask(i % 2 ? NULL : &(app_own_metrics){ 0 }, all[i].operation, all[i].body);
        assert_int_equal(answer.status, MAREY_ERR_REQUEST);
        assert_non_null(strstr(answer.error.message, "own_metric hand"));
        free(answer.text);
    }
}

CASE(what_does_not_go_with_it_is_refused)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    const app_own_metrics lent = { &own, 1 };
    static const char *const bodies[][2] = {
        { "grid", "{" CLIPS ",\"own_metric\":\"hand\",\"metric\":\"angles\"}" },
        { "grid", "{" CLIPS ",\"own_metric\":\"hand\",\"attributes\":[1,2]}" },
        { "search", "{\"query\":{\"clip\":\"walk_straight\"},\"own_metric\":\"hand\"}" },
        { "search", "{\"query\":{\"clip\":\"walk_straight\"},\"own_metric\":\"hand\","
                    "\"nearest\":2,\"mirror\":true}" },
        { "graph build", "{\"name\":\"g\",\"own_metric\":\"hand\"}" },
        { "index", "{\"own_metric\":\"hand\"}" },
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        asked answer = ask(&lent, bodies[i][0], bodies[i][1]);
        assert_int_equal(answer.status, MAREY_ERR_REQUEST);
        assert_true(strlen(answer.error.message) > 10);
        free(answer.text);
    }
}

CASE(command_lines_do_not_know_it)
{
    OWNED(test_memory) held = { .refuse = -1 };
    marey_ctx_def memory = { .resize = test_memory_resize, .resize_user = &held };
    for (int i = 0; app_operation_at(i); i++) {
        const app_operation *operation = app_operation_at(i);
        buffer text = buffer_make(&memory);
        json out = json_make(&text);
        app_params_describe(&out, "params", operation->params);
        buffer_byte(&text, 0);
        assert_null(strstr(text.bytes, "own_metric"));
        buffer_free(&text);
    }
}

/* ---- features -------------------------------------------------------------------------------- */

static marey_status measure(void *user, const marey_clip *clip, double *value, marey_error *error)
{
    marey_param param;
    (void)user;
    test_ok(marey_param_parse("speed(right_wrist, mean)", &param, NULL));
    return marey_param_measure(&param, clip, -1, value, error);
}

TEST_IN(test_reach_demo_make, test_leave_place,
        a_family_by_an_own_feature_is_asked_where_it_is_lent)
{
    const marey_own_feature feature = { "swing", "cm/s", measure, NULL };
    char names[512], body[1024] = "{\"name\":\"mine\",\"feature\":[\"own(swing)\"],\"samples\":30,"
                                  "\"clips\":[";
    static const char make[] = "{\"family\":\"mine\",\"at\":[100]}";
    test_reach_names(5, "right", names, sizeof names);
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        size_t used = strlen(body);
        char *range = strchr(name, '#');
        int start = 0, end = 0;
        assert_true(range && sscanf(range, "#%d-%d", &start, &end) == 2);
        *range = 0;
        snprintf(body + used, sizeof body - used, "%s{\"clip\":\"%s\",\"start\":%d,\"end\":%d}",
                 body[used - 1] == '[' ? "" : ",", name, start, end);
    }
    strcat(body, "]}");
    asked answer = ask_with(NULL, NULL, "demo.marey", "param build", body);
    assert_int_equal(answer.status, MAREY_ERR_REQUEST);
    assert_non_null(strstr(answer.error.message, "own(swing)"));
    free(answer.text);
    answer = ask_with(&feature, NULL, "demo.marey", "param build", body);
    assert_string_equal(answer.error.message, "");
    assert_non_null(strstr(answer.text, "\"own(swing)\""));
    free(answer.text);
    answer = ask_with(&feature, NULL, "demo.marey", "param make", make);
    assert_string_equal(answer.error.message, "");
    free(answer.text);
    answer = ask_with(NULL, NULL, "demo.marey", "param make", make);
    assert_int_equal(answer.status, MAREY_ERR_REQUEST);
    assert_non_null(strstr(answer.error.message, "own(swing)"));
    free(answer.text);
    /* Programs that lend nothing list it, and find no fault in the file. */
    assert_non_null(strstr(test_reply("marey param ls demo.marey --json"), "own(swing)"));
    test_run_well("marey verify demo.marey --quiet");
}

TEST_GROUP_OF_CASES(test_own_program, NULL, NULL)
