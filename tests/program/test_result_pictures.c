/* test_result_pictures.c - pictures of what operations answer: every operation that lists some draws
   each of them, in every format, the same ones every time; refused memory and failing disks leave
   nothing behind; what has nothing to draw says so. */
#include "program_lines.h"

#include "families.h"
#include "operation.h"
#include "operations.h"

#include <jansson.h>
#include <unistd.h>

static void make_library(void)
{
    test_run_well("marey demo . --take walk_straight --take walk_left --take reach_right "
                  "--take kicks --quiet");
    test_run_well("marey cluster build demo.marey moves walk_straight walk_left --quiet");
    test_run_well("marey graph build demo.marey walks walk_straight walk_left --quiet");
    test_run_well("marey puppet train --clips walk_straight.bvh walk_left.bvh -o demo.marey:pal "
                  "--quiet");
}

static int enter(void **state)
{
    return test_enter_copy(state, make_library);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

#define PAIR                                                                                       \
    "\"a\":{\"clip\":\"walk_straight\",\"start\":100,\"end\":160},"                                \
    "\"b\":{\"clip\":\"walk_left\",\"start\":100,\"end\":150}"
#define REACHES                                                                                    \
    "[{\"clip\":\"reach_right\",\"start\":131,\"end\":276},"                                       \
    "{\"clip\":\"reach_right\",\"start\":379,\"end\":520},"                                        \
    "{\"clip\":\"reach_right\",\"start\":655,\"end\":787}]"

typedef struct order {
    const char *operation, *body;
    bool no_clip;
} order;

static const order orders[] = {
    { "grid", "{" PAIR "}", false },
    { "similar", "{" PAIR "}", false },
    { "align",
      "{\"clips\":[{\"clip\":\"walk_straight\",\"start\":100,\"end\":160},"
      "{\"clip\":\"walk_left\",\"start\":100,\"end\":150}]}",
      false },
    { "transition",
      "{\"a\":{\"clip\":\"walk_straight\"},\"b\":{\"clip\":\"walk_left\"},"
      "\"count\":2}",
      false },
    { "search", "{\"query\":{\"clip\":\"kicks\",\"start\":120,\"end\":240}}", false },
    { "example", "{\"query\":{\"clip\":\"kicks\",\"start\":120,\"end\":240},\"others\":true}",
      false },
    { "motifs", "{\"in\":[\"kicks\"]}", false },
    { "param build",
      "{\"name\":\"new\",\"feature\":[\"height(right_wrist)\"],"
      "\"clips\":" REACHES "}",
      false },
    { "param show", "{\"name\":\"reach\"}", false },
    { "param prune", "{\"name\":\"reach\",\"tolerance\":20,\"as\":\"few\"}", false },
    { "graph build", "{\"name\":\"new\",\"clips\":[\"walk_left\"]}", false },
    { "graph stats", "{\"name\":\"walks\"}", false },
    { "cluster build", "{\"name\":\"new\",\"clips\":[\"walk_left\",\"walk_straight\"]}", false },
    { "cluster show", "{\"name\":\"moves\"}", false },
    { "cluster stitch",
      "{\"cluster\":\"moves\",\"a\":{\"clip\":\"walk_straight\",\"start\":100},"
      "\"b\":{\"clip\":\"walk_left\",\"start\":300}}",
      false },
    { "puppet run", "{\"puppet\":\"pal\",\"main\":[[0,0,0,0],[1,50,0,0],[3,150,40,0]]}", false },
    { "puppet show", "{\"name\":\"pal\"}", false },
};
enum { ORDERS = sizeof orders / sizeof *orders };

/* An operation that was run. */
typedef struct ran {
    marey_ctx_def memory;
    marey_ctx *ctx;
    marey_library *library;
    app_call call;
    app_env env;
} ran;

/* In place: the call refers to its memory. A clip is made where that need not be asked for. `files`
   may be NULL. */
static void run(const order *what, test_memory *held, test_files *files, ran *out)
{
    *out = (ran){ .memory = { .resize = test_memory_resize,
                              .resize_user = held,
                              .threads = 1,
                              .io = files ? test_files_io(files) : NULL } };
    test_ok(marey_ctx_open(&out->memory, &out->ctx));
    test_ok(marey_library_open(out->ctx, "demo.marey", MAREY_LIBRARY_WRITE, &out->library,
                               &test_error));
    json_t *body = json_loads(what->body, 0, NULL);
    assert_non_null(body);
    const app_operation *operation = app_operation_find(what->operation);
    assert_non_null(operation);
    out->env = (app_env){ .ctx = out->ctx,
                          .library = out->library,
                          .wants_clip = !operation->clip_option && !what->no_clip };
    test_ok(app_call_open(&out->call, operation, &out->memory, &test_error));
    test_ok(
        app_params_json(&out->call.scope, operation->params, body, out->call.params, &test_error));
    json_decref(body);
    test_ok(app_call_check(&out->call, APP_BODY, &test_error));
    test_ok(app_call_run(&out->call, out->env, &test_error));
}

static void ran_end(ran *of)
{
    app_call_close(&of->call);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}
OWNED_VALUE(ran, ran_end)

static marey_status draw(const ran *of, const char *kind, const char *path)
{
    return app_call_draw(&of->call, of->env, kind, NULL, path, &test_error);
}

CASE(every_operation_with_pictures_is_drawn_here)
{
    const app_operation *one;
    for (int i = 0; (one = app_operation_at(i)); i++) {
        int here = 0;
        for (int k = 0; k < ORDERS; k++) here += strcmp(orders[k].operation, one->name) == 0;
        if (here != (one->pictures != NULL)) fail_msg("%s", one->name);
        for (const app_drawing *row = one->pictures; row && row->name; row++) {
            assert_non_null(row->draw);
            assert_true(strlen(row->summary) > 10 && row->summary[strlen(row->summary) - 1] != '.');
        }
    }
}

CASE(each_picture_is_drawn_in_every_format_the_same_every_time)
{
    for (int k = 0; k < ORDERS; k++) {
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(ran) of = { 0 };
        run(&orders[k], &held, NULL, &of);
        for (const app_drawing *row = of.call.operation->pictures; row->name; row++) {
            test_ok(draw(&of, row->name, "x.png"));
            test_ok(draw(&of, row == of.call.operation->pictures ? NULL : row->name, "y.png"));
            test_same_file("x.png", "y.png");
            FREED char *png = test_file_read("x.png", NULL);
            assert_memory_equal(png, "\x89PNG", 4);
            test_ok(draw(&of, row->name, "x.svg"));
            FREED char *svg = test_file_read("x.svg", NULL);
            assert_non_null(strstr(svg, "<svg"));
            assert_null(strstr(svg, "\"nan"));
            assert_null(strstr(svg, " nan"));
            test_ok(draw(&of, row->name, "x.pdf"));
            FREED char *pdf = test_file_read("x.pdf", NULL);
            assert_memory_equal(pdf, "%PDF-", 5);
        }
    }
}

CASE(pictures_that_do_not_exist_are_refused_by_name)
{
    OWNED(test_memory) held = { .refuse = -1 };
    OWNED(ran) of = { 0 };
    run(&(order){ "graph stats", "{\"name\":\"walks\"}", false }, &held, NULL, &of);
    test_refused(draw(&of, "grid", "x.png"), MAREY_ERR_REQUEST,
                 "graph stats has no picture \"grid\"; it has matrix, closure");
    test_refused_about(draw(&of, "matrix", "x.gif"), MAREY_ERR_REQUEST, ".png");
    test_refused_about(draw(&of, "matrix", "no/x.png"), MAREY_ERR_INPUT, "");
    OWNED(test_memory) held_too = { .refuse = -1 };
    OWNED(ran) list = { 0 };
    run(&(order){ "graph ls", "{}", false }, &held_too, NULL, &list);
    test_refused(draw(&list, NULL, "x.png"), MAREY_ERR_REQUEST, "graph ls has no pictures");
    assert_int_not_equal(access("x.png", F_OK), 0);
}

CASE(what_has_nothing_to_draw_says_so)
{
    static const struct {
        order what;
        const char *words;
    } all[] = {
        { { "align",
            "{\"clips\":[{\"clip\":\"walk_straight\"},{\"clip\":\"walk_left\"}],"
            "\"registration\":true}",
            true },
          "only the path of two clips" },
        { { "cluster stitch",
            "{\"cluster\":\"moves\",\"a\":{\"clip\":\"walk_straight\"},"
            "\"b\":{\"clip\":\"walk_left\"}}",
            true },
          "the clip was not made" },
        { { "transition",
            "{\"a\":{\"clip\":\"walk_straight\",\"start\":0,\"end\":4},"
            "\"b\":{\"clip\":\"walk_left\",\"start\":0,\"end\":4}}",
            true },
          "no cut to draw" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(ran) of = { 0 };
        run(&all[i].what, &held, NULL, &of);
        test_refused_about(draw(&of, NULL, "x.png"), MAREY_ERR_REQUEST, all[i].words);
        assert_int_not_equal(access("x.png", F_OK), 0);
    }
}

CASE(families_of_few_and_many_numbers_are_drawn)
{
    static const char *const features[] = {
        "\"duration()\"", "\"duration()\",\"height(right_wrist)\"",
        "\"position(right_wrist)\",\"position(left_wrist)\",\"duration()\""
    };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        char body[1024];
        snprintf(body, sizeof body, "{\"name\":\"new\",\"feature\":[%s],\"clips\":" REACHES "}",
                 features[i]);
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(ran) of = { 0 };
        run(&(order){ "param build", body, false }, &held, NULL, &of);
        test_ok(draw(&of, "space", "x.svg"));
        FREED char *svg = test_file_read("x.svg", NULL);
        assert_null(strstr(svg, "\"nan"));
        assert_null(strstr(svg, " nan"));
        const marey_family *family = ((const app_family_built *)of.call.result)->made.family;
        marey_family_picture_def def = { .panel_px = 120 };
        test_ok(marey_family_picture_save(of.ctx, family, &def, "y.png", &test_error));
        test_ok(marey_family_picture_save(of.ctx, family, NULL, "y.png", &test_error));
        def.panel_px = 119;
        test_refused(marey_family_picture_save(of.ctx, family, &def, "z.png", &test_error),
                     MAREY_ERR_REQUEST, "a panel must be 120 to 2048 pixels wide, got 119");
    }
}

CASE(strips_need_the_library_and_the_others_do_not)
{
    for (int k = 0; k < ORDERS; k++) {
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(ran) of = { 0 };
        run(&orders[k], &held, NULL, &of);
        of.env.library = NULL;
        bool strips = strcmp(orders[k].operation, "search") == 0 ||
                      strcmp(orders[k].operation, "example") == 0 ||
                      strcmp(orders[k].operation, "motifs") == 0;
        if (strips)
            test_refused_about(draw(&of, NULL, "x.png"), MAREY_ERR_REQUEST, "it is closed");
        else
            test_ok(draw(&of, NULL, "x.png"));
    }
}

CASE(refused_memory_leaves_nothing_behind)
{
    for (int k = 0; k < ORDERS; k++) {
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(ran) of = { 0 };
        run(&orders[k], &held, NULL, &of);
        test_ok(draw(&of, NULL, "m.png")); /* a grid that is wanted for it alone is kept */
        unlink("m.png");
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &held, .few = true }; test_refuse(&sweep, status);) {
            status = draw(&of, NULL, "m.png");
            if ((access("m.png", F_OK) == 0) == (status != MAREY_OK))
                fail_msg("%s, allocation %ld", orders[k].operation, sweep.at);
        }
        unlink("m.png");
    }
}

CASE(a_failing_disk_leaves_the_file_that_was_there)
{
    for (int k = 0; k < ORDERS; k++) {
        test_files files = { .kinds = TEST_IO_WRITE | TEST_IO_SYNC | TEST_IO_RENAME, .fail = -1 };
        OWNED(test_memory) held = { .refuse = -1 };
        OWNED(ran) of = { 0 };
        run(&orders[k], &held, &files, &of);
        test_file_write("d.png", "old", 3);
        int before = test_folder_count(".");
        for (long at = 0; at < 3; at++) {
            files.calls = 0;
            files.fail = at;
            if (draw(&of, NULL, "d.png") != MAREY_ERR_IO)
                fail_msg("%s, file access %ld", orders[k].operation, at);
            files.fail = -1;
            FREED char *bytes = test_file_read("d.png", NULL);
            assert_string_equal(bytes, "old");
            assert_int_equal(test_folder_count("."), before);
        }
        test_ok(draw(&of, NULL, "d.png"));
        unlink("d.png");
    }
}

TEST_GROUP_OF_CASES(test_result_pictures, NULL, NULL)
