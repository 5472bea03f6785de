/* mcp_tools.c - operations as tools: which there are, and what clients see of them, a JSON schema
   that is written from the rows of their parameters. */
#include "mcp_inside.h"

#include "operations.h"
#include "param_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* They take or leave files by names: the disk is not the client's. */
static const app_operation *const of_files[] = { &app_add, &app_positions, &app_solve, &app_formats,
                                                 &app_merge };

/* These take away what there was. They can be undone, but for a purge. */
static const app_operation *const removing[] = { &app_rm,         &app_param_rm,  &app_graph_rm,
                                                 &app_cluster_rm, &app_puppet_rm, &app_undo };

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_in(const app_operation *const *list, size_t count, const app_operation *operation)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == operation) return true;
    return false;
}

const app_operation *mcp_tool_at(int index)
{
    if (index == 0) return &mcp_info;
    const app_operation *operation;
    for (int i = 0; (operation = app_operation_at(i)); i++)
        if (!is_in(of_files, COUNT(of_files), operation) && --index == 0) return operation;
    return NULL;
}

/* "graph walk" is graph_walk. */
static void spell(const app_operation *operation, char name[64])
{
    size_t i = 0;
    for (; operation->name[i] && i < 63; i++)
        name[i] = operation->name[i] == ' ' ? '_' : operation->name[i];
    name[i] = 0;
}

const app_operation *mcp_tool_find(const char *name)
{
    char own[64];
    const app_operation *operation;
    for (int i = 0; (operation = mcp_tool_at(i)); i++) {
        spell(operation, own);
        if (strcmp(own, name) == 0) return operation;
    }
    return NULL;
}

bool mcp_tool_writes(const app_operation *operation)
{
    return !operation->writes &&
           (operation->library == APP_WRITES || operation->library == APP_CREATES);
}

bool mcp_tool_offered(const mcp *of, const app_operation *operation)
{
    return of->only_count == 0 || is_in(of->only, (size_t)of->only_count, operation);
}

const char *mcp_tool_given(const app_operation *operation, const char **value)
{
    if (operation != &app_render) return NULL;
    *value = MCP_PICTURE_NAME;
    return "output";
}

bool mcp_row_hidden(const app_operation *operation, const app_param *row)
{
    const char *value, *given = mcp_tool_given(operation, &value);
    bool of_video = operation == &app_render && strcmp(row->name, "fps") == 0;
    return row->lent || row->of_file || of_video || (given && strcmp(row->name, given) == 0);
}

/* ---- types ----------------------------------------------------------------------------------- */

static void put_types(json *out, const char *first, const char *second, const char *third)
{
    const char *const types[] = { first, second, third };
    json_put_texts(out, "type", types, third ? 3 : 2);
}

static void put_type(json *out, const char *type)
{
    json_put_string(out, "type", type);
}

static void put_range(json *out, const app_param *row)
{
    if (row->least == 0 && row->most == 0) return;
    json_put_number(out, "minimum", row->least);
    if (row->most > row->least && !isinf(row->most)) json_put_number(out, "maximum", row->most);
}

static void put_counts(json *out, int least, int most)
{
    if (least) json_put_integer(out, "minItems", least);
    if (most) json_put_integer(out, "maxItems", most);
}

static void open_items(json *out, const app_param *row)
{
    put_type(out, "array");
    put_counts(out, row->needed ? 1 : 0, row->most_count);
    json_open(out, "items", '{');
}

static void put_frame(json *out, const char *key)
{
    json_open(out, key, '{');
    put_type(out, "integer");
    json_put_integer(out, "minimum", 0);
    json_close(out, '}');
}

/* Some frames of a clip, or with `named` those that become a clip of their own. */
static void put_segment(json *out, bool named)
{
    static const char *const needed[] = { "clip", "start", "end", "name" };
    if (named)
        put_type(out, "object");
    else
        put_types(out, "string", "integer", "object");
    json_open(out, "properties", '{');
    json_open(out, "clip", '{');
    put_types(out, "string", "integer", NULL);
    json_close(out, '}');
    put_frame(out, "start");
    put_frame(out, "end");
    if (named) {
        json_open(out, "name", '{');
        put_type(out, "string");
        json_close(out, '}');
    }
    json_close(out, '}');
    json_put_texts(out, "required", needed, named ? 4 : 1);
    json_put_boolean(out, "additionalProperties", false);
}

static void put_list(json *out, const app_param *row)
{
    open_items(out, row);
    if (row->type == APP_NUMBERS) {
        put_type(out, row->whole ? "integer" : "number");
        put_range(out, row);
    } else if (row->type == APP_TEXTS) {
        put_type(out, "string");
    } else if (row->type == APP_CLIPS) {
        put_types(out, "string", "integer", NULL);
    } else if (row->type == APP_FILES) {
        put_type(out, "object");
    } else {
        put_segment(out, row->type == APP_CUTS);
    }
    json_close(out, '}');
}

static void put_form(json *out, const app_param *row)
{
    const char *word;
    switch (row->type) {
    case APP_SWITCH: put_type(out, "boolean"); return;
    case APP_WHOLE:
        put_type(out, "integer");
        put_range(out, row);
        return;
    case APP_NUMBER:
        if (row->side_cm || isinf(row->most))
            put_types(out, "number", "string", NULL);
        else
            put_type(out, "number");
        put_range(out, row);
        return;
    case APP_WORD:
        put_type(out, "string");
        json_open(out, "enum", '[');
        for (int i = 0; (word = row->word(i)); i++) json_put_string(out, NULL, word);
        json_close(out, ']');
        return;
    case APP_TEXT:
    case APP_NAME:
        put_type(out, "string");
        if (!row->blank) json_put_integer(out, "minLength", 1);
        return;
    case APP_DOCUMENT: put_type(out, "object"); return;
    case APP_CLIP: put_types(out, "string", "integer", NULL); return;
    case APP_NUMBERS:
    case APP_TEXTS:
    case APP_CLIPS:
    case APP_SEGMENTS:
    case APP_CUTS:
    case APP_FILES: put_list(out, row); return;
    case APP_SEGMENT: put_segment(out, false); return;
    case APP_PAIR:
        put_type(out, "array");
        put_counts(out, 2, 2);
        json_open(out, "items", '{');
        if (row->partial)
            put_types(out, "integer", "null", NULL);
        else
            put_type(out, "integer");
        json_close(out, '}');
        return;
    case APP_FRAME: put_types(out, "integer", "string", NULL); return;
    case APP_RANGE:
        put_types(out, "array", "string", NULL);
        json_open(out, "items", '{');
        put_type(out, "integer");
        json_close(out, '}');
        return;
    case APP_TABLE:
        put_type(out, "array");
        json_open(out, "items", '{');
        put_type(out, "array");
        json_open(out, "items", '{');
        put_type(out, "number");
        json_close(out, '}');
        json_close(out, '}');
        return;
    case APP_FILE: put_types(out, "string", "array", NULL); return;
    }
}

/* How a value is written that its type alone does not say. */
static const char *form_of(const app_param *row)
{
    switch (row->type) {
    case APP_SEGMENT: return "a clip, or {\"clip\", \"start\", \"end\"} for some of its frames";
    case APP_SEGMENTS:
        return "each a clip, or {\"clip\", \"start\", \"end\"} for some of its frames";
    case APP_FRAME: return "a frame, or a time such as \"1.5s\"";
    case APP_RANGE: return "[start, end], or times such as \"2s-4s\"";
    case APP_TABLE: return "rows of numbers";
    case APP_DOCUMENT: return "what such a file holds, as an object";
    case APP_FILE: return "what such a file holds, as a text or rows";
    case APP_FILES: return "what such files hold, as objects";
    case APP_NUMBER:
        if (isinf(row->most)) return "\"inf\" for no limit";
        return row->side_cm ? "cm2, or the side of that square, \"8cm\"" : NULL;
    default: return NULL;
    }
}

/* ---- tools ----------------------------------------------------------------------------------- */

/* The operation whose name stands here, the longest; NULL: none. */
static const app_operation *named_at(const char *text)
{
    const app_operation *operation, *longest = NULL;
    for (int i = 0; (operation = mcp_tool_at(i)); i++) {
        size_t length = strlen(operation->name);
        bool whole =
            !strncmp(text, operation->name, length) && !isalnum((unsigned char)text[length]);
        if (whole && (!longest || length > strlen(longest->name))) longest = operation;
    }
    return longest;
}

/* Texts are those of the command line: --only-smooth is `only_smooth` here, and marey graph walk is
   `graph_walk`. */
static void put_words(buffer *words, const char *text)
{
    for (bool begins = true; *text;) {
        const app_operation *operation =
            begins && strncmp(text, "marey ", 6) == 0 ? named_at(text + 6) : NULL;
        if (operation) {
            char name[64];
            spell(operation, name);
            buffer_print(words, "`%s`", name);
            text += 6 + strlen(operation->name);
        } else if (begins && text[0] == '-' && text[1] == '-' && islower((unsigned char)text[2])) {
            buffer_byte(words, '`');
            for (text += 2; islower((unsigned char)*text) || *text == '-'; text++)
                buffer_byte(words, *text == '-' ? '_' : *text);
            buffer_byte(words, '`');
        } else {
            begins = *text == ' ' || *text == '(';
            buffer_byte(words, *text++);
            continue;
        }
        begins = false;
    }
}

/* As values, where JSON has the type; the rest is said in words. */
static bool put_default(json *out, const app_param *row)
{
    char *end;
    if (!row->standard) return true;
    double number = strtod(row->standard, &end);
    bool is_number = (row->type == APP_WHOLE || row->type == APP_NUMBER) && !*end;
    if (is_number)
        json_put_number(out, "default", number);
    else if (row->type == APP_WORD || row->type == APP_TEXT)
        json_put_string(out, "default", row->standard);
    return is_number || row->type == APP_WORD || row->type == APP_TEXT;
}

static void put_param(json *out, const app_param *row, buffer *words)
{
    char name[APP_SPELLED_ROOM];
    const char *form = form_of(row);
    json_open(out, app_param_spell(row, APP_BODY, name), '{');
    put_form(out, row);
    bool said = put_default(out, row);
    words->used = 0;
    put_words(words, row->help);
    if (form) buffer_print(words, "; %s", form);
    if (row->unit) buffer_print(words, "; in %s", row->unit);
    if (row->rising) buffer_text(words, "; rising");
    if (row->only_if) buffer_print(words, "; only with %s", row->only_if);
    if (!said) buffer_print(words, "; default: %s", row->standard);
    buffer_byte(words, 0);
    out->out->failed |= words->failed;
    if (!words->failed) json_put_string(out, "description", words->bytes);
    json_close(out, '}');
}

static void put_schema(const mcp *of, const app_operation *operation, json *out, buffer *words)
{
    char name[APP_SPELLED_ROOM];
    bool asks = of->library_count > 1;
    json_open(out, "inputSchema", '{');
    put_type(out, "object");
    json_open(out, "properties", '{');
    if (asks) {
        json_open(out, "library", '{');
        put_type(out, "string");
        json_open(out, "enum", '[');
        for (int i = 0; i < of->library_count; i++)
            json_put_string(out, NULL, of->libraries[i].name);
        json_close(out, ']');
        json_put_string(out, "description", "which library");
        json_close(out, '}');
    }
    for (const app_param *row = operation->params; row->name; row++)
        if (!mcp_row_hidden(operation, row)) put_param(out, row, words);
    if (operation->made && of->writes) {
        json_open(out, "save_as", '{');
        put_type(out, "string");
        json_put_string(out, "description",
                        "save the generated clip in the library under this name; one that is taken "
                        "gets a number, and the answer says which name it is");
        json_close(out, '}');
    }
    if (operation->made) {
        json_open(out, "picture", '{');
        put_type(out, "boolean");
        json_put_string(out, "description", "also show the generated clip as a film strip");
        json_close(out, '}');
    }
    if (!mcp_tool_writes(operation)) {
        json_open(out, "offset", '{');
        put_type(out, "object");
        json_put_string(out, "description", "next_offset of an answer that was cut, to go on");
        json_close(out, '}');
    }
    json_close(out, '}');
    json_open(out, "required", '[');
    if (asks) json_put_string(out, NULL, "library");
    for (const app_param *row = operation->params; row->name; row++)
        if (row->needed && !mcp_row_hidden(operation, row))
            json_put_string(out, NULL, app_param_spell(row, APP_BODY, name));
    json_close(out, ']');
    json_put_boolean(out, "additionalProperties", false);
    json_close(out, '}');
}

static void put_tool(const mcp *of, const app_operation *operation, json *out, buffer *words)
{
    char name[64];
    int paragraphs = (int)COUNT(operation->description);
    /* With --write some change the library only if they are asked to. */
    bool writes =
        of->writes && (mcp_tool_writes(operation) || operation->writes || operation->made);
    spell(operation, name);
    json_open(out, NULL, '{');
    json_put_string(out, "name", name);
    words->used = 0;
    buffer_print(words, "%c%s.", toupper((unsigned char)operation->summary[0]),
                 operation->summary + 1);
    for (int i = 0; i < paragraphs && operation->description[i]; i++) {
        buffer_text(words, "\n\n");
        put_words(words, operation->description[i]);
    }
    buffer_byte(words, 0);
    out->out->failed |= words->failed;
    if (!words->failed) json_put_string(out, "description", words->bytes);
    put_schema(of, operation, out, words);
    json_open(out, "annotations", '{');
    json_put_boolean(out, "readOnlyHint", !writes);
    if (writes)
        json_put_boolean(out, "destructiveHint", is_in(removing, COUNT(removing), operation));
    json_put_boolean(out, "openWorldHint", false);
    json_close(out, '}');
    json_close(out, '}');
}

void mcp_tools_write(const mcp *of, json *out)
{
    const app_operation *operation;
    buffer words = buffer_make(&of->def);
    json_open(out, "tools", '[');
    for (int i = 0; (operation = mcp_tool_at(i)); i++)
        if (mcp_tool_offered(of, operation) && (of->writes || !mcp_tool_writes(operation)))
            put_tool(of, operation, out, &words);
    json_close(out, ']');
    buffer_free(&words);
}
