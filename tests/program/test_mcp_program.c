/* test_mcp_program.c - `marey mcp` as a client sees it, line by line: what it answers, what it
   refuses, and what is left of it when lines are hostile, memory is refused or the client goes.
   tests/mcp asks it by the protocol's own client. */
#include "owned.h"
#include "program_lines.h"

#include <jansson.h>
#include <stdarg.h>

enum { MOST_LINES = 64 };

/* A run and its answers. */
typedef struct talk {
    test_run run;
    char *said; /* the lines, cut into texts */
    json_t *lines[MOST_LINES];
    int count;
} talk;

/* The caller frees it. */
__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) fail_msg("out of memory");
    return text;
}

static void fill(void)
{
    write_person("walk.bvh", 60);
    test_run_well("marey add moves.marey walk.bvh --quiet");
    test_run_well("marey cut moves.marey walk#0-20 part --quiet");
    test_run_well("marey label moves.marey walk --add gait --quiet");
}

static int enter(void **state)
{
    return test_enter_copy(state, fill);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

static const char hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

/* Every line that it says must be JSON by itself. */
static talk talk_in(talk of, const char *line, const char *bytes, size_t count, size_t piece,
                    int status)
{
    of.run.in = (test_source){ .bytes = bytes, .count = count, .piece = piece };
    test_run_line(&of.run, line);
    if (of.run.status != status)
        fail_msg("status %d: %s%s", of.run.status, of.run.out.bytes, of.run.err.bytes);
    for (char *at = of.run.out.bytes; *at;) {
        json_error_t wrong;
        char *end = strchr(at, '\n');
        if (!end || of.count == MOST_LINES) fail_msg("not a line: %s", at);
        of.lines[of.count] = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, &wrong);
        if (!of.lines[of.count]) fail_msg("%s in %s", wrong.text, at);
        of.count++;
        at = end + 1;
    }
    return of;
}

static talk talk_bytes(const char *line, const char *bytes, size_t count, size_t piece, int status)
{
    return talk_in((talk){ .run = test_run_make() }, line, bytes, count, piece, status);
}

static talk talk_to(const char *line, const char *text)
{
    return talk_bytes(line, text, strlen(text), 0, 0);
}

static void talk_free(talk *of)
{
    for (int i = 0; i < of->count; i++) json_decref(of->lines[i]);
    test_run_free(&of->run);
}

/* "result.tools.0.name" of a line. */
static const json_t *at(const talk *of, int line, const char *path)
{
    char words[200], *rest = words;
    if (line >= of->count) fail_msg("there is no line %d in %s", line, of->run.out.bytes);
    const json_t *value = of->lines[line];
    snprintf(words, sizeof words, "%s", path);
    for (char *word; value && (word = strsep(&rest, ".")) && *word;)
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word))
                                     : json_object_get(value, word);
    return value;
}

static const char *text_at(const talk *of, int line, const char *path)
{
    const char *text = json_string_value(at(of, line, path));
    if (!text) fail_msg("there is no text %s in line %d of %s", path, line, of->run.out.bytes);
    return text;
}

static json_int_t number_at(const talk *of, int line, const char *path)
{
    const json_t *value = at(of, line, path);
    if (!json_is_number(value)) fail_msg("no number %s: %s", path, of->run.out.bytes);
    return (json_int_t)json_number_value(value);
}

/* A conversation that begins with hello: the answer to that is line 0. */
static talk ask(const char *line, const char *text)
{
    char *all = print("%s%s", hello, text);
    talk of = talk_to(line, all);
    free(all);
    return of;
}

static char *call_text(const char *tool, const char *arguments)
{
    return print("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"%s\",\"arguments\":%s}}\n",
                 tool, arguments);
}

/* One call and its answer, line 1. */
static talk call(const char *line, const char *tool, const char *arguments)
{
    char *text = call_text(tool, arguments);
    talk of = ask(line, text);
    free(text);
    assert_int_equal(of.count, 2);
    return of;
}

static void expect_error(const char *line, const char *tool, const char *arguments,
                         const char *message)
{
    talk of = call(line, tool, arguments);
    if (!json_is_true(at(&of, 1, "result.isError")) ||
        !strstr(text_at(&of, 1, "result.content.0.text"), message))
        fail_msg("%s %s should say %s: %s", tool, arguments, message, of.run.out.bytes);
    assert_null(at(&of, 1, "result.structuredContent"));
    talk_free(&of);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* What a conversation says whose first call is over its limit, and the next one is not. */
CASE(a_call_that_takes_too_long_is_an_error_and_the_next_one_has_its_own_time)
{
    FREED char *slow = call_text("similar", "{\"a\":\"walk\",\"b\":\"walk\"}");
    FREED char *text = print("%s%s%s", hello, slow, slow);
    talk of = { .run = test_run_make() };
    of.run.timed = true;
    of.run.late_at = 1; /* the first look finds when the call began */
    of = talk_in(of, "marey mcp moves.marey --max-seconds 5", text, strlen(text), 0, 0);
    assert_int_equal(of.count, 3);
    assert_true(json_is_true(at(&of, 1, "result.isError")));
    assert_non_null(strstr(text_at(&of, 1, "result.content.0.text"),
                           "not done within 5 s, the most that it may take"));
    assert_true(json_is_false(at(&of, 2, "result.isError")));
    talk_free(&of);
}

CASE(tools_keep_to_the_memory_that_they_may_use)
{
    FREED char *hungry = call_text("similar", "{\"a\":\"long\",\"b\":\"long\"}");
    FREED char *ls = call_text("ls", "{}");
    FREED char *text = print("%s%s", hungry, ls);
    write_person("long.bvh", 2500);
    test_run_well("marey add moves.marey long.bvh --quiet");
    talk of = ask("marey mcp moves.marey --max-memory 1M", text);
    assert_int_equal(of.count, 3);
    assert_string_equal(text_at(&of, 1, "error.message"), "out of memory");
    assert_true(json_is_false(at(&of, 2, "result.isError")));
    talk_free(&of);
    of = ask("marey mcp moves.marey", text);
    assert_true(json_is_false(at(&of, 1, "result.isError")));
    talk_free(&of);
}

/* ---- the protocol ---------------------------------------------------------------------------- */

CASE(the_version_is_the_clients_or_else_the_newest)
{
    static const char *const rows[][2] = { { "2024-11-05", "2024-11-05" },
                                           { "2025-03-26", "2025-03-26" },
                                           { "2025-06-18", "2025-06-18" },
                                           { "2025-11-25", "2025-11-25" },
                                           { "1999-01-01", "2025-11-25" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FREED char *text = print("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\","
                                 "\"params\":{\"protocolVersion\":\"%s\"}}\n",
                                 rows[i][0]);
        talk of = talk_to("marey mcp moves.marey", text);
        assert_int_equal(of.count, 1);
        assert_string_equal(text_at(&of, 0, "id"), "a");
        assert_string_equal(text_at(&of, 0, "result.protocolVersion"), rows[i][1]);
        assert_string_equal(text_at(&of, 0, "result.serverInfo.name"), "marey");
        assert_non_null(at(&of, 0, "result.capabilities.tools"));
        talk_free(&of);
    }
}

CASE(only_newer_versions_have_answers_that_are_values)
{
    FREED char *ls = call_text("ls", "{}");
    FREED char *old = print("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                            "\"protocolVersion\":\"2024-11-05\"}}\n%s",
                            ls);
    talk of = talk_to("marey mcp moves.marey", old);
    assert_null(at(&of, 1, "result.structuredContent"));
    assert_non_null(strstr(text_at(&of, 1, "result.content.0.text"), "\"walk\""));
    talk_free(&of);
    of = call("marey mcp moves.marey", "ls", "{}");
    assert_string_equal(text_at(&of, 1, "result.structuredContent.clips.1.name"), "walk");
    assert_true(json_is_false(at(&of, 1, "result.isError")));
    talk_free(&of);
}

/* The bytes may come one by one, and the last line need not end. */
CASE(lines_may_come_in_any_pieces)
{
    FREED char *text = print("%s\n\r\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r\n"
                             "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}",
                             hello);
    for (size_t piece = 0; piece < 4; piece++) {
        talk of = talk_bytes("marey mcp moves.marey", text, strlen(text), piece, 0);
        assert_int_equal(of.count, 3);
        assert_int_equal(number_at(&of, 1, "id"), 7);
        assert_int_equal(number_at(&of, 2, "id"), 8);
        assert_int_equal(json_object_size(at(&of, 2, "result")), 0);
        talk_free(&of);
    }
}

CASE(nothing_but_ping_is_answered_before_initialize)
{
    talk of = talk_to("marey mcp moves.marey",
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
                      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
    assert_int_equal(of.count, 2);
    assert_non_null(at(&of, 0, "result"));
    assert_int_equal(number_at(&of, 1, "error.code"), -32600);
    talk_free(&of);
}

CASE(notifications_and_answers_of_the_client_are_not_answered)
{
    talk of = ask("marey mcp moves.marey",
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":1,\"message\":\"x\"}}\n"
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n");
    assert_int_equal(of.count, 1);
    talk_free(&of);
}

CASE(a_batch_is_answered_by_one_line)
{
    talk of =
        ask("marey mcp moves.marey",
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":"
            "\"x\"},7,{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"nothing\"}]\n"
            "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]\n");
    assert_int_equal(of.count, 2);
    assert_int_equal(json_array_size(of.lines[1]), 3);
    assert_int_equal(number_at(&of, 1, "0.id"), 1);
    assert_int_equal(number_at(&of, 1, "1.error.code"), -32600);
    assert_int_equal(number_at(&of, 1, "2.error.code"), -32601);
    talk_free(&of);
}

/* ---- hostile lines --------------------------------------------------------------------------- */

/* Each is answered with its code, and the next line as if nothing had been. */
CASE(a_wrong_line_gets_its_error_and_the_next_one_its_answer)
{
    static const struct {
        const char *line;
        int code;
    } rows[] = {
        { "garbage", -32700 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1", -32700 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32700 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32700 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\\u0000\"}", -32700 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"ping\"}", -32700 },
        { "\"ping\"", -32700 },
        { "17", -32700 },
        { "[]", -32600 },
        { "{}", -32600 },
        { "{\"id\":1,\"method\":\"ping\"}", -32600 },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600 },
        { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", -32600 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", -32600 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600 },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600 },
        { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/delete\"}", -32601 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", -32601 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
          "1}}",
          -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
          -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":7}}",
          -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\"}}",
          -32602 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ls\","
          "\"arguments\":[]}}",
          -32602 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FREED char *text =
            print("%s\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", rows[i].line);
        talk of = ask("marey mcp moves.marey", text);
        if (of.count != 3 || number_at(&of, 1, "error.code") != rows[i].code)
            fail_msg("%s: %s", rows[i].line, of.run.out.bytes);
        assert_int_equal(number_at(&of, 2, "id"), 2);
        talk_free(&of);
    }
}

static void expect_large(const char *before, const char *piece, size_t times, const char *behind)
{
    static const char ping[] = "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    size_t each = strlen(piece), room = strlen(hello) + strlen(before) + each * times;
    room += strlen(behind) + sizeof ping;
    FREED char *text = malloc(room);
    assert_non_null(text);
    char *end = stpcpy(stpcpy(text, hello), before);
    for (size_t i = 0; i < times; i++, end += each) memcpy(end, piece, each);
    stpcpy(stpcpy(end, behind), ping);
    talk of = talk_to("marey mcp moves.marey", text);
    assert_int_equal(of.count, 3);
    assert_int_equal(number_at(&of, 1, "error.code"), -32600);
    assert_int_equal(number_at(&of, 2, "id"), 2);
    assert_true(of.run.memory.most < 64 << 20);
    talk_free(&of);
}

CASE(what_is_too_long_too_deep_or_too_much_is_refused_before_it_is_parsed)
{
    expect_large("{\"x\":\"", "0123456789abcdef", (5 << 20) / 16, "\"}");
    expect_large("", "[", 65, "");
    expect_large("", "{\"a\":", 1000000 / 5, "");
    expect_large("[", "1,", 250000, "1]");
    expect_large("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"", "x", 300, "\"}");
}

/* ---- tools ----------------------------------------------------------------------------------- */

/* Names of tools, each with blanks around it. */
static char *tool_names(const char *line)
{
    size_t i;
    json_t *one;
    talk of = ask(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n");
    char *names = print(" ");
    json_array_foreach((json_t *)(uintptr_t)at(&of, 1, "result.tools"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        const json_t *schema = json_object_get(one, "inputSchema");
        assert_non_null(name);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_non_null(json_string_value(json_object_get(one, "description")));
        assert_string_equal(json_string_value(json_object_get(schema, "type")), "object");
        assert_true(json_is_object(json_object_get(schema, "properties")));
        assert_null(json_object_get(json_object_get(schema, "properties"), "skeleton"));
        assert_true(json_is_array(json_object_get(schema, "required")));
        char *longer = print("%s%s ", names, name);
        free(names);
        names = longer;
    }
    talk_free(&of);
    return names;
}

CASE(tools_that_change_a_library_are_listed_with_write_only)
{
    static const char *const reading[] = { " ls ",    " info ",       " search ",  " render ",
                                           " blend ", " graph_walk ", " contacts " };
    static const char *const writing[] = { " label ", " rm ", " cut ", " undo ", " graph_build " };
    static const char *const never[] = { " add ", " positions ", " solve ", " export " };
    FREED char *read = tool_names("marey mcp moves.marey");
    FREED char *write = tool_names("marey mcp moves.marey --write");
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
        assert_non_null(strstr(read, reading[i]));
        assert_non_null(strstr(write, reading[i]));
    }
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
        assert_null(strstr(read, writing[i]));
        assert_non_null(strstr(write, writing[i]));
    }
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        assert_null(strstr(read, never[i]));
        assert_null(strstr(write, never[i]));
    }
    FREED char *two = tool_names("marey mcp moves.marey --tool ls --tool search");
    assert_string_equal(two, " ls search ");
    test_fails("marey mcp moves.marey --tool walk", 2, "--tool must be the name of a tool");
}

static const char *const no_writes[][2] = {
    { "label", "{\"clips\":[\"walk\"],\"add\":[\"x\"]}" },
    { "rm", "{\"clips\":[\"walk\"]}" },
    { "contacts", "{\"clip\":\"walk\",\"forget\":true}" },
    { "loop", "{\"clip\":\"walk\",\"save_as\":\"x\"}" },
    { "doctor", "{\"fix\":[\"all\"]}" },
};

CASE(without_write_nothing_in_the_library_changes)
{
    size_t count, after;
    FREED char *before = test_file_read("moves.marey", &count);
    for (size_t i = 0; i < sizeof no_writes / sizeof *no_writes; i++)
        expect_error("marey mcp moves.marey", no_writes[i][0], no_writes[i][1], "--write");
    FREED char *now = test_file_read("moves.marey", &after);
    assert_int_equal(after, count);
    assert_memory_equal(now, before, count);
}

CASE(a_change_says_its_step_and_can_be_undone)
{
    talk of = call("marey mcp moves.marey --write", "label",
                   "{\"clips\":[{\"clip\":\"walk\",\"start\":3,\"end\":9}],\"add\":[\"kick\"]}");
    assert_true(json_is_false(at(&of, 1, "result.isError")));
    assert_true(number_at(&of, 1, "result.structuredContent.step") > 0);
    talk_free(&of);
    assert_non_null(strstr(test_reply("marey ls moves.marey --json"), "\"kick\""));
    of = call("marey mcp moves.marey --write", "undo", "{}");
    assert_int_equal(number_at(&of, 1, "result.structuredContent.count"), 1);
    talk_free(&of);
    assert_null(strstr(test_reply("marey ls moves.marey --json"), "\"kick\""));
}

CASE(a_made_clip_is_shown_and_saved_under_a_name_that_is_free)
{
    static const char made[] =
        "{\"clips\":[\"walk\"],\"mirror\":true,\"picture\":true,\"save_as\":\"part\"}";
    talk of = call("marey mcp moves.marey --write", "convert", made);
    assert_string_equal(text_at(&of, 1, "result.structuredContent.saved_as"), "part-2");
    assert_int_equal(number_at(&of, 1, "result.structuredContent.frames"), 60);
    int last = (int)json_array_size(at(&of, 1, "result.content")) - 1;
    FREED char *kind = print("result.content.%d.mimeType", last);
    FREED char *data = print("result.content.%d.data", last);
    assert_string_equal(text_at(&of, 1, kind), "image/png");
    assert_int_equal(strncmp(text_at(&of, 1, data), "iVBORw0KGgo", 11), 0);
    assert_int_equal(strlen(text_at(&of, 1, data)) % 4, 0);
    talk_free(&of);
    assert_non_null(strstr(test_reply("marey ls moves.marey --json"), "\"part-2\""));
    assert_int_equal(test_folder_count("."), 2); /* the clip's file and the library */
}

CASE(wrong_arguments_are_results_that_say_what_is_right)
{
    static const char *const rows[][3] = {
        { "ls", "{\"word\":[\"x\"]}", "unknown field word" },
        { "ls", "{\"words\":\"x\"}", "words must be" },
        { "ls", "{\"library\":\"other.marey\"}", "library must be one of: moves" },
        { "info", "{}", "clip" },
        { "info", "{\"clip\":\"wlak\"}", "is it walk?" },
        { "info", "{\"clip\":\"../walk.bvh\"}", "no clip is called ../walk.bvh" },
        { "quality", "{\"clip\":\"walk.bvh\"}", "no clip is called walk.bvh" },
        { "quality", "{\"clip\":\"walk\",\"skeleton\":\"walk.asf\"}", "unknown field skeleton" },
        { "retarget", "{\"clips\":[\"walk\"],\"onto\":\"walk.bvh\"}", "walk.bvh" },
        { "retarget", "{\"clips\":[\"walk.bvh\"],\"onto\":\"walk\"}", "walk.bvh" },
        { "puppet_show", "{\"name\":\"walk.bvh\"}", "walk.bvh" },
        { "render", "{\"clips\":[\"walk\"],\"output\":\"here.png\"}", "unknown field output" },
        { "convert", "{\"clips\":[\"walk\"],\"to\":\"bvh\"}", "unknown field to" },
        { "convert", "{\"clips\":[\"walk\"],\"picture\":1}", "picture must be true or false" },
        { "convert", "{\"clips\":[\"walk\"],\"save_as\":\"\"}", "save_as must be a clip's name" },
        { "blend", "{\"clips\":[{\"clip\":\"walk\",\"start\":50,\"end\":400}],\"weights\":[1]}",
          "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_error("marey mcp moves.marey --write", rows[i][0], rows[i][1], rows[i][2]);
    assert_int_equal(test_folder_count("."), 2);
}

CASE(of_several_libraries_one_is_named)
{
    write_person("run.bvh", 30);
    test_run_well("marey add other.marey run.bvh --quiet");
    expect_error("marey mcp moves.marey other.marey", "ls", "{}",
                 "library must be one of: moves, other");
    talk of = call("marey mcp moves.marey other.marey", "ls", "{\"library\":\"other\"}");
    assert_string_equal(text_at(&of, 1, "result.structuredContent.clips.0.name"), "run");
    talk_free(&of);
    test_fails("marey mcp moves.marey moves.marey", 1, "named twice");
    test_fails("marey mcp nowhere.marey", 1, "cannot open");
    test_fails("marey mcp", 2, "missing argument");
}

CASE(several_libraries_are_searched_as_one)
{
    static const char both[] = "marey mcp moves.marey other.marey";
    write_person("run.bvh", 90);
    test_run_well("marey add other.marey run.bvh --quiet");
    talk of = call(both, "search",
                   "{\"library\":\"moves\",\"also\":[\"other\"],\"nearest\":3,"
                   "\"query\":{\"clip\":\"other:run\",\"start\":10,\"end\":40}}");
    assert_string_equal(text_at(&of, 1, "result.structuredContent.matches.0.library"), "other");
    assert_string_equal(text_at(&of, 1, "result.structuredContent.matches.1.library"), "moves");
    talk_free(&of);
    expect_error(both, "search",
                 "{\"library\":\"moves\",\"also\":[\"other.marey\"],\"query\":{\"clip\":\"walk\"}}",
                 "no library is called other.marey");
    expect_error(both, "search",
                 "{\"library\":\"moves\",\"also\":[\"moves\"],\"query\":{\"clip\":\"walk\"}}",
                 "given twice");
}

enum { CUTS = 600 };

/* Clips of which the list has more than an answer holds. */
static void add_cuts(void)
{
    FREED char *cuts = malloc(CUTS * 80);
    assert_non_null(cuts);
    char *end = stpcpy(cuts, "{\"cuts\":[");
    for (int i = 0; i < CUTS; i++)
        end += sprintf(end, "%s{\"clip\":\"walk\",\"start\":%d,\"end\":%d,\"name\":\"cut %d\"}",
                       i ? "," : "", i % 50, i % 50 + 5, i);
    stpcpy(end, "]}");
    talk of = call("marey mcp moves.marey --write", "cut", cuts);
    assert_true(json_is_false(at(&of, 1, "result.isError")));
    talk_free(&of);
}

CASE(a_long_answer_is_cut_and_says_how_much_is_left_out)
{
    add_cuts();
    talk of = call("marey mcp moves.marey", "ls", "{}");
    size_t shown = json_array_size(at(&of, 1, "result.structuredContent.clips"));
    assert_true(shown > 100);
    assert_int_equal(shown + (size_t)number_at(&of, 1, "result.structuredContent.left_out.clips"),
                     CUTS + 2);
    assert_true(strlen(text_at(&of, 1, "result.content.0.text")) <= 128 << 10);
    FREED char *words =
        print("%d of clips are left out; the same call with offset {\"clips\": %zu} goes on",
              CUTS + 2 - (int)shown, shown);
    assert_string_equal(text_at(&of, 1, "result.content.1.text"), words);
    talk_free(&of);
}

/* What `ls` answers in pages is what the program lists at once. */
CASE(a_list_that_is_cut_is_read_on_with_the_offset_that_its_answer_names)
{
    add_cuts();
    test_run all = test_run_make();
    test_run_line(&all, "marey ls moves.marey --json");
    json_t *whole = json_loads(all.out.bytes, 0, NULL), *listed = json_object_get(whole, "clips");
    test_run_free(&all);
    FREED char *offset = print("{}");
    size_t seen = 0;
    for (int page = 0; offset; page++) {
        assert_true(page < 10);
        FREED char *arguments = print("{\"offset\":%s}", offset);
        talk of = call("marey mcp moves.marey", "ls", arguments);
        const json_t *clips = at(&of, 1, "result.structuredContent.clips");
        assert_true(json_array_size(clips) > 0);
        for (size_t i = 0; i < json_array_size(clips); i++, seen++)
            assert_true(json_equal(json_array_get(clips, i), json_array_get(listed, seen)));
        const json_t *next = json_object_get(at(&of, 1, "result.structuredContent"), "next_offset");
        free(offset);
        offset = next ? json_dumps(next, 0) : NULL;
        talk_free(&of);
    }
    assert_int_equal(seen, CUTS + 2);
    json_decref(whole);
}

static const char *const bad_offsets[][3] = {
    { "ls", "{\"offset\":3}", "offset must be an object" },
    { "ls", "{\"offset\":{\"clips\":-1}}", "offset of clips must be a whole number, at least 0" },
    { "ls", "{\"offset\":{\"clips\":1.5}}", "offset of clips must be a whole number" },
    { "ls", "{\"offset\":{\"clip\":1}}", "offset names clip, which is no list of this answer" },
    { "label", "{\"clips\":[\"walk\"],\"add\":[\"x\"],\"offset\":{}}", "unknown field offset" },
    { "loop", "{\"clip\":\"walk\",\"save_as\":\"x\",\"offset\":{}}", "offset is for answers" },
};

CASE(an_offset_that_leads_nowhere_is_refused)
{
    for (size_t i = 0; i < sizeof bad_offsets / sizeof *bad_offsets; i++) {
        talk of = call("marey mcp moves.marey --write", bad_offsets[i][0], bad_offsets[i][1]);
        assert_true(json_is_true(at(&of, 1, "result.isError")));
        assert_non_null(strstr(text_at(&of, 1, "result.content.0.text"), bad_offsets[i][2]));
        talk_free(&of);
    }
    talk of = call("marey mcp moves.marey", "ls", "{\"offset\":{\"clips\":9000}}");
    assert_int_equal(json_array_size(at(&of, 1, "result.structuredContent.clips")), 0);
    assert_null(json_object_get(at(&of, 1, "result.structuredContent"), "left_out"));
    talk_free(&of);
}

/* ---- cancelling, and ends -------------------------------------------------------------------- */

/* Whether it had begun or not when the word came. */
CASE(a_cancelled_call_is_not_answered_and_the_next_one_is)
{
    FREED char *call_line = call_text("motifs", "{}");
    FREED char *text = print("%s{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                             "\"params\":{\"requestId\":1,\"reason\":\"x\"}}\n"
                             "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                             "\"name\":\"ls\"}}\n",
                             call_line);
    for (int i = 0; i < test_trials(10, 100); i++) {
        talk of = ask("marey mcp moves.marey", text);
        /* It may have ended before the word was read. */
        assert_true(of.count == 2 || of.count == 3);
        assert_int_equal(number_at(&of, of.count - 1, "id"), 2);
        assert_non_null(at(&of, of.count - 1, "result.structuredContent"));
        talk_free(&of);
    }
}

CASE(a_word_that_comes_before_the_request_cancels_it)
{
    talk of =
        ask("marey mcp moves.marey",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
            "\"one\"}}\n{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"method\":\"ping\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"ping\"}\n");
    assert_int_equal(of.count, 2);
    assert_string_equal(text_at(&of, 1, "id"), "two");
    talk_free(&of);
}

CASE(a_signal_ends_it)
{
    test_run run = test_run_make();
    run.cancel = true;
    assert_int_equal(test_run_line(&run, "marey mcp moves.marey"), 130);
    test_run_free(&run);
}

CASE(a_client_that_has_gone_ends_it)
{
    test_run run = test_run_make();
    run.in = (test_source){ .bytes = hello, .count = strlen(hello) };
    run.out.room = 100;
    assert_int_equal(test_run_line(&run, "marey mcp moves.marey"), 3);
    test_run_free(&run);
}

/* What was answered is whole lines, whatever was refused. */
CASE(refused_memory_is_an_answer_or_the_end)
{
    FREED char *label = call_text("label", "{\"clips\":[\"walk\"],\"add\":[\"gait\"]}");
    FREED char *loop = call_text("loop", "{\"clip\":\"walk\",\"picture\":true}");
    FREED char *text = print("%s{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}\n%s%s",
                             hello, label, loop);
    bool is_refused = true;
    for (long refuse = 0; is_refused; refuse = test_next(refuse)) {
        test_run run = test_run_make();
        run.memory.refuse = refuse;
        run.in = (test_source){ .bytes = text, .count = strlen(text) };
        int status = test_run_line(&run, "marey mcp moves.marey --write");
        is_refused = run.memory.calls > refuse;
        if (status != 0 && (!is_refused || status != 3))
            fail_msg("allocation %ld: status %d: %s", refuse, status, run.err.bytes);
        for (char *line = run.out.bytes, *end; *line; line = end + 1) {
            end = strchr(line, '\n');
            json_t *one = end ? json_loadb(line, (size_t)(end - line), 0, NULL) : NULL;
            if (!one) fail_msg("allocation %ld: not a message: %s", refuse, line);
            json_decref(one);
        }
        test_run_free(&run);
    }
}

TEST_GROUP_OF_CASES(test_mcp_program, NULL, NULL)
