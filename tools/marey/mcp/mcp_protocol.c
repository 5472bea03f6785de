/* mcp_protocol.c - the Model Context Protocol over lines: JSON-RPC 2.0, one message a line, and the
   methods of a server that has tools. https://modelcontextprotocol.io/specification */
#include "mcp_inside.h"

#include "json_bounds.h"

#include <jansson.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_VALUES = 200000, ERROR_ROOM = 2048 };

/* The codes of JSON-RPC. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    INTERNAL_ERROR = -32603
};

const mcp_version mcp_versions[] = { { "2025-11-25", true, true },
                                     { "2025-06-18", true, true },
                                     { "2025-03-26", false, true },
                                     { "2024-11-05", false, false },
                                     { NULL, false, false } };

static const char instructions[] =
    "marey works on libraries of motion capture. A clip is a body's motion, frame by frame. Frames "
    "count from 0 and ends are exclusive; lengths are centimetres, y is up. Begin with ls (words "
    "or "
    "a label narrow it), look at motion with render, find more like it with search, and make new "
    "motion with blend, transition, loop, param_make and graph_walk; picture shows what was made, "
    "and save_as keeps it. Texts about tools are those of a program with a command line: "
    "CLIP#120-300 is {\"clip\": \"CLIP\", \"start\": 120, \"end\": 300} here, -o OUT is save_as or "
    "picture, -L is the library that is always there, and what is said of other files and of the "
    "exit status is not for tools. Long lists are cut: left_out counts what is missing, and the "
    "same call with next_offset as its offset goes on; a narrower one is shorter.";

/* ---- answers --------------------------------------------------------------------------------- */

/* An answer begins: its id is JSON. */
static json begin(mcp *of, const char *id)
{
    json out = json_make(&of->run->out);
    json_open(&out, NULL, '{');
    json_put_string(&out, "jsonrpc", "2.0");
    json_put_value(&out, "id", id);
    return out;
}

/* In place of what was put since `start`. What was refused memory before may have it now. */
static void refuse(mcp *of, size_t start, const char *id, int code, const char *message)
{
    of->run->out.used = start;
    of->run->out.failed = false;
    json out = begin(of, id);
    json_open(&out, "error", '{');
    json_put_integer(&out, "code", code);
    json_put_string(&out, "message", message);
    json_close(&out, '}');
    json_close(&out, '}');
}

/* ---- methods --------------------------------------------------------------------------------- */

static marey_status initialize(mcp *of, const json_t *params, json *out, marey_error *error)
{
    const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
    if (!asked) return app_fail(error, MAREY_ERR_REQUEST, NULL, "protocolVersion must be a text");
    of->version =
        0; /* of an unknown one: the newest there is; the client says whether it goes on */
    for (int i = 0; mcp_versions[i].name; i++)
        if (strcmp(mcp_versions[i].name, asked) == 0) of->version = i;
    json_open(out, "result", '{');
    json_put_string(out, "protocolVersion", mcp_versions[of->version].name);
    json_open(out, "capabilities", '{');
    json_open(out, "tools", '{');
    json_close(out, '}');
    json_close(out, '}');
    json_open(out, "serverInfo", '{');
    json_put_string(out, "name", "marey");
    json_put_string(out, "version", marey_version());
    json_close(out, '}');
    json_put_string(out, "instructions", instructions);
    json_close(out, '}');
    return MAREY_OK;
}

static marey_status ping(mcp *of, const json_t *params, json *out, marey_error *error)
{
    (void)of, (void)params, (void)error;
    json_open(out, "result", '{');
    json_close(out, '}');
    return MAREY_OK;
}

/* All at once: there is no next page. */
static marey_status list_tools(mcp *of, const json_t *params, json *out, marey_error *error)
{
    if (json_object_get(params, "cursor"))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "cursor must be left out: all tools are on one page");
    json_open(out, "result", '{');
    mcp_tools_write(of, out);
    json_close(out, '}');
    return MAREY_OK;
}

static const struct {
    const char *name;
    bool early; /* also before `initialize` */
    marey_status (*answer)(mcp *of, const json_t *params, json *out, marey_error *error);
} methods[] = { { "initialize", true, initialize },
                { "ping", true, ping },
                { "tools/list", false, list_tools },
                { "tools/call", false, mcp_call } };
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- messages -------------------------------------------------------------------------------- */

static void run_method(mcp *of, int method, const json_t *params, const char *id)
{
    size_t start = of->run->out.used;
    marey_error error;
    if (of->input && !mcp_input_begin(of->input, id)) return; /* cancelled while it waited */
    json out = begin(of, id);
    marey_status status = methods[method].answer(of, params, &out, &error);
    json_close(&out, '}');
    bool cancelled = of->input && mcp_input_end(of->input);
    if (status == MAREY_OK && of->run->out.failed)
        status = app_fail(&error, MAREY_ERR_MEMORY, NULL, "out of memory");
    if (cancelled) { /* a client that cancels waits for no answer */
        of->run->out.used = start;
        of->run->out.failed = false;
    } else if (status != MAREY_OK) {
        bool asked = marey_status_group(status) == MAREY_ERR_REQUEST;
        refuse(of, start, id, asked ? INVALID_PARAMS : INTERNAL_ERROR, error.message);
    }
}

/* A request, a notification or a response; the first alone is answered. */
static void answer_message(mcp *of, const json_t *message)
{
    char id[MCP_ID_ROOM] = "null";
    size_t start = of->run->out.used;
    const json_t *id_value = json_object_get(message, "id");
    const json_t *params = json_object_get(message, "params");
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    const char *name = json_string_value(json_object_get(message, "method"));
    bool response = !json_object_get(message, "method") &&
                    (json_object_get(message, "result") || json_object_get(message, "error"));
    if (response) return; /* nothing was asked of the client */
    bool named = id_value && mcp_id_text(id_value, id);
    if (!named) strcpy(id, "null");
    int method = METHODS;
    for (int i = 0; i < METHODS && name; i++)
        if (strcmp(name, methods[i].name) == 0) method = i;
    if (!version || strcmp(version, "2.0") != 0 || !name) {
        refuse(of, start, id, INVALID_REQUEST, "a message must be JSON-RPC 2.0 with a method");
    } else if (!id_value) {
        return; /* a notification */
    } else if (!named) {
        refuse(of, start, id, INVALID_REQUEST, "an id must be a whole number or a short text");
    } else if (params && !json_is_object(params)) {
        refuse(of, start, id, INVALID_PARAMS, "params must be an object");
    } else if (method == METHODS) {
        refuse(of, start, id, METHOD_NOT_FOUND, "there is no such method");
    } else if (of->version < 0 && !methods[method].early) {
        refuse(of, start, id, INVALID_REQUEST, "initialize must come first");
    } else {
        run_method(of, method, params, id);
    }
}

/* Several messages as an array, of which the answers are one, as well. */
static void answer_batch(mcp *of, const json_t *batch)
{
    buffer *out = &of->run->out;
    size_t start = out->used;
    buffer_byte(out, '[');
    for (size_t i = 0; i < json_array_size(batch) && !of->broken; i++) {
        size_t before = out->used;
        if (before > start + 1) buffer_byte(out, ',');
        size_t begun = out->used;
        answer_message(of, json_array_get(batch, i));
        if (out->used == begun) out->used = before;
    }
    if (out->used == start + 1)
        out->used = start;
    else
        buffer_byte(out, ']');
}

void mcp_answer(mcp *of, const mcp_line *line)
{
    buffer *out = &of->run->out;
    size_t count = line->count, start = out->used;
    while (count > 0 && strchr(" \t\r", line->bytes[count - 1])) count--;
    if (count == 0 && !line->too_long) return; /* an empty line is none */
    json_error_t at;
    json_t *root = NULL;
    if (line->too_long) {
        refuse(of, start, "null", INVALID_REQUEST, "a message must have at most 4 MiB");
    } else if (!json_is_shallow(line->bytes, count, MOST_DEPTH) ||
               json_values(line->bytes, count, MOST_VALUES) > MOST_VALUES) {
        refuse(of, start, "null", INVALID_REQUEST,
               "a message must be nested at most 64 deep and have at most 200000 values");
    } else if (!(root = json_loadb(line->bytes, count, JSON_REJECT_DUPLICATES, &at))) {
        bool memory = json_error_code(&at) == json_error_out_of_memory;
        refuse(of, start, "null", memory ? INTERNAL_ERROR : PARSE_ERROR,
               memory ? "out of memory" : "a line must be one message, JSON in UTF-8");
    } else if (json_array_size(root) > 0) {
        answer_batch(of, root);
    } else if (json_is_object(root)) {
        answer_message(of, root);
    } else {
        refuse(of, start, "null", INVALID_REQUEST, "a message must be an object");
    }
    json_decref(root);
    if (out->used > start) buffer_byte(out, '\n');
}
