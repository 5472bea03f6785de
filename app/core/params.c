/* params.c - values by their rows. Text and JSON meet in the same checks, so that a range holds wherever a value comes from. */
#include "params.h"

#include "address.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPELLED_ROOM = 72, RULE_ROOM = 256, NUMBER_ROOM = 40 };

/* ---- rows ---------------------------------------------------------------------------------------- */

static const app_param *find_row(const app_param *rows, const char *name, size_t length)
{
    for (const app_param *row = rows; row->name; row++) {
        bool same = strlen(row->name) == length;
        for (size_t i = 0; i < length && same; i++)
            same = row->name[i] == (name[i] == '_' ? '-' : name[i]);
        if (same) return row;
    }
    return NULL;
}

static bool is_given(const app_param *rows, const app_param *row, const app_params *params)
{
    return params->given >> (row - rows) & 1;
}

bool app_given(const app_param *rows, const app_params *params, const char *name)
{
    const app_param *row = find_row(rows, name, strlen(name));
    return row && is_given(rows, row, params);
}

static const char *spell(const app_param *row, app_dialect dialect, char text[SPELLED_ROOM])
{
    bool option = dialect == APP_COMMAND_LINE && row->place == APP_OPTION;
    snprintf(text, SPELLED_ROOM, "%s%.60s", option ? "--" : "", row->name);
    for (char *c = text; *c && dialect == APP_BODY; c++)
        if (*c == '-') *c = '_';
    return text;
}

const char *app_param_value(const app_param *row, char room[32])
{
    if (row->value) return row->value;
    snprintf(room, 32, "%s", row->name);
    for (char *c = room; *c; c++) *c = (char)toupper((unsigned char)*c);
    return room;
}

const char *app_param_rule(const app_param *row, char *text, size_t room)
{
    buffer out = buffer_fixed(text, room - 1);
    bool ranged = row->least != 0 || row->most != 0;
    const char *word;
    switch (row->type) {
    case APP_SWITCH: buffer_text(&out, "true or false"); break;
    case APP_WHOLE: buffer_text(&out, "a whole number"); break;
    case APP_NUMBER: buffer_text(&out, "a number"); break;
    case APP_NUMBERS:
        buffer_print(&out, "%s%snumbers", row->rising ? "rising " : "", row->whole ? "whole " : "");
        break;
    case APP_TEXT: buffer_text(&out, "a text"); break;
    case APP_NAME:
        buffer_print(&out, "a name of at most %d bytes without '/', '#' and control characters",
                     MAREY_NAME_ROOM - 1);
        break;
    case APP_TEXTS: buffer_text(&out, "a list of texts"); break;
    case APP_CLIP: buffer_text(&out, "a clip"); break;
    case APP_CLIPS: buffer_text(&out, "a list of clips"); break;
    case APP_CUTS: buffer_text(&out, "frames of clips with names, as in walk#120-300 kick"); break;
    case APP_DOCUMENT: buffer_text(&out, "a JSON object"); break;
    case APP_PAIR:
        buffer_text(&out, row->partial ? "two frames, as in 12,30, or one of them, as in 12, or ,30"
                                       : "two frames, as in 12,30");
        break;
    case APP_SEGMENT: buffer_text(&out, "frames of a clip"); break;
    case APP_SEGMENTS: buffer_text(&out, "a list of frames of clips"); break;
    case APP_FRAME: buffer_text(&out, "one frame, as in 120 or 1.5s"); break;
    case APP_FILE: buffer_text(&out, "a table or a list of rows"); break;
    case APP_FILES: buffer_text(&out, "a list of objects"); break;
    case APP_TABLE:
        if (row->table->least_rows) buffer_print(&out, "at least %d ", row->table->least_rows);
        buffer_text(&out, "rows of ");
        if (row->table->least_columns) buffer_print(&out, "%d to ", row->table->least_columns);
        buffer_print(&out, "%d numbers", row->table->columns);
        if (row->table->in_place) buffer_text(&out, ", as in '0,0 300,0', or a .csv file");
        break;
    case APP_WORD:
        for (int i = 0; (word = row->word(i)); i++) {
            buffer_text(&out, i ? ", " : "one of ");
            buffer_text(&out, word);
        }
    }
    bool texts = row->type == APP_TEXT || row->type == APP_TEXTS;
    if (texts && row->most != 0) {
        buffer_print(&out, " of at most %.10g bytes%s", row->most,
                     row->type == APP_TEXTS ? " each" : "");
    } else if (ranged && row->type != APP_WORD) {
        buffer_print(&out, " from %.10g to %.10g", row->least, row->most);
    }
    if (row->most_count) buffer_print(&out, ", at most %d of them", row->most_count);
    text[out.used] = 0;
    return text;
}

/* "--mu must be a number from 1 to 1000, got 0". */
static marey_status refuse(const app_param *row, app_dialect dialect, const char *got,
                           marey_error *error)
{
    char name[SPELLED_ROOM], rule[RULE_ROOM];
    spell(row, dialect, name);
    app_param_rule(row, rule, sizeof rule);
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s must be %s, got %.100s", name, rule,
                    *got ? got : "nothing");
}

/* ---- values: the one place where each kind is checked and put down ------------------------------- */

static void *place_of(const app_param *row, app_params *params)
{
    return (char *)params + row->at;
}

static const void *value_of(const app_param *row, const app_params *params)
{
    return (const char *)params + row->at;
}

static bool fits(const app_param *row, double value)
{
    bool ranged = row->least != 0 || row->most != 0;
    return isfinite(value) && (!ranged || (value >= row->least && value <= row->most));
}

/* Where there is no upper limit, inf is a number too. */
static bool put_number(const app_param *row, double value, app_params *params)
{
    if (!fits(row, value) && !(isinf(value) && value > 0 && isinf(row->most))) return false;
    if (row->type == APP_NUMBER) {
        *(double *)place_of(row, params) = value;
        return true;
    }
    if (value != floor(value) || fabs(value) > INT32_MAX) return false;
    *(int *)place_of(row, params) = (int)value;
    return true;
}

static bool put_word(const app_param *row, const char *text, app_params *params)
{
    const char *word;
    for (int i = 0; (word = row->word(i)); i++) {
        if (strcmp(word, text) != 0) continue;
        *(int *)place_of(row, params) = i;
        return true;
    }
    return false;
}

static bool fits_text(const app_param *row, const char *text)
{
    return text && (*text || row->blank) && (row->most == 0 || strlen(text) <= (size_t)row->most);
}

/* A text, a clip or a name; false: the parameter has another type. *refused: out of memory. */
static bool put_text(app_scope *scope, const app_param *row, const char *text, app_params *params,
                     bool *refused)
{
    bool right = fits_text(row, text);
    for (const char *c = text; right && row->type == APP_NAME && *c; c++)
        right = (unsigned char)*c >= 0x20 && *c != 0x7f && *c != '/' && *c != '#';
    if (right && row->type == APP_NAME) right = strlen(text) < MAREY_NAME_ROOM;
    if (!right) return false;
    const char *copy = app_copy(scope, text);
    *refused = !copy;
    *(const char **)place_of(row, params) = copy;
    return true;
}

/* Takes the array over. */
static bool put_numbers(const app_param *row, const double *values, int count, app_params *params)
{
    bool right = count > 0 && (row->most_count == 0 || count <= row->most_count);
    for (int i = 0; i < count && right; i++) {
        right = fits(row, values[i]) && (!row->rising || i == 0 || values[i] > values[i - 1]) &&
                (!row->whole || values[i] == floor(values[i]));
    }
    if (right) *(app_numbers *)place_of(row, params) = (app_numbers){ values, count };
    return right;
}

/* Behind what is there; a clip that is there already is not added again. */
static marey_status add_text(app_scope *scope, const app_param *row, const char *text,
                             app_params *params, marey_error *error)
{
    app_texts *list = place_of(row, params);
    for (int i = 0; i < list->count && row->type == APP_CLIPS && !row->repeats; i++)
        if (strcmp(list->values[i], text) == 0) return MAREY_OK;
    /* Room grows at powers of two; the array before stays in the scope. */
    const char **values = (const char **)(uintptr_t)list->values;
    if ((list->count & (list->count - 1)) == 0) {
        values = APP_NEW(scope, const char *, list->count ? 2 * list->count : 1);
        if (!values) return app_fail_memory(error);
        for (int i = 0; i < list->count; i++) values[i] = list->values[i];
    }
    values[list->count] = app_copy(scope, text);
    if (!values[list->count]) return app_fail_memory(error);
    *list = (app_texts){ values, list->count + 1 };
    return MAREY_OK;
}

static bool has_room(const app_param *row, const app_params *params)
{
    const void *list = value_of(row, params);
    int count = row->type == APP_SEGMENTS ? ((const app_segments *)list)->count
                                          : ((const app_texts *)list)->count;
    return row->most_count == 0 || count < row->most_count;
}

/* In its place, or behind those that are there. */
static marey_status put_segment(app_scope *scope, const app_param *row, const char *clip,
                                const frame_range *range, app_params *params, marey_error *error)
{
    app_segment one = { app_copy(scope, clip), *range };
    if (!one.clip) return app_fail_memory(error);
    if (row->type == APP_SEGMENT) {
        *(app_segment *)place_of(row, params) = one;
        return MAREY_OK;
    }
    app_segments *list = place_of(row, params);
    app_segment *values = (app_segment *)(uintptr_t)list->values;
    if ((list->count & (list->count - 1)) == 0) {
        values = APP_NEW(scope, app_segment, list->count ? 2 * list->count : 1);
        if (!values) return app_fail_memory(error);
        for (int i = 0; i < list->count; i++) values[i] = list->values[i];
    }
    values[list->count] = one;
    *list = (app_segments){ values, list->count + 1 };
    return MAREY_OK;
}

/* In its place, or behind those that are there. Takes the texts over, of which NULL means that there is no memory. */
static marey_status put_file(app_scope *scope, const app_param *row, app_document one,
                             app_params *params, marey_error *error)
{
    if (row->type == APP_FILE) {
        *(app_document *)place_of(row, params) = one;
        return MAREY_OK;
    }
    app_documents *list = place_of(row, params);
    app_document *values = (app_document *)(uintptr_t)list->values;
    if ((list->count & (list->count - 1)) == 0) {
        values = APP_NEW(scope, app_document, list->count ? 2 * list->count : 1);
        if (!values) return app_fail_memory(error);
        for (int i = 0; i < list->count; i++) values[i] = list->values[i];
    }
    values[list->count] = one;
    *list = (app_documents){ values, list->count + 1 };
    return MAREY_OK;
}

/* Behind what is there, as add_text. */
static app_cut *add_cut(app_scope *scope, app_cuts *list)
{
    app_cut *values = (app_cut *)(uintptr_t)list->values;
    if ((list->count & (list->count - 1)) == 0) {
        values = APP_NEW(scope, app_cut, list->count ? 2 * list->count : 1);
        if (!values) return NULL;
        for (int i = 0; i < list->count; i++) values[i] = list->values[i];
    }
    *list = (app_cuts){ values, list->count + 1 };
    return &values[list->count - 1];
}

bool app_param_is_file(const app_param *row, const char *text)
{
    if (row->type == APP_TABLE) return !row->table->in_place || path_ends_in(text, ".csv");
    return row->type == APP_DOCUMENT;
}

/* `text` is as on a command line. *right: it has enough rows, and not too many. */
static marey_status put_table(app_scope *scope, const app_param *row, const char *text,
                              const buffer *rows, int columns, app_params *params, bool *right,
                              marey_error *error)
{
    size_t size = (size_t)columns * sizeof(double), count = rows->used / size;
    double *values = APP_NEW(scope, double, rows->used / sizeof(double));
    app_table one = { app_copy(scope, text), values, (int)count, columns };
    if (!values || !one.text) return app_fail_memory(error);
    *right = count > 0 && count >= (size_t)row->table->least_rows &&
             (row->most_count == 0 || count <= (size_t)row->most_count);
    if (rows->used > 0) memcpy(values, rows->bytes, rows->used);
    for (size_t i = 0; i < count * (size_t)columns && *right; i++) *right = fits(row, values[i]);
    for (size_t i = 0; i < count && *right && row->table->check; i++) {
        char room[256], name[SPELLED_ROOM];
        const double *at = values + i * (size_t)columns;
        const char *why =
            row->table->check(at, columns, i > 0 ? at - columns : NULL, room, sizeof room);
        if (!why) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s: row %d: %s",
                        spell(row, APP_BODY, name), (int)i + 1, why);
    }
    if (*right) *(app_table *)place_of(row, params) = one;
    return MAREY_OK;
}

/* ---- from text ----------------------------------------------------------------------------------- */

/* strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
static const char *read_number(const char *text, double *out)
{
    char *end;
    if (strcmp(text, "none") == 0) {
        *out = INFINITY;
        return text + 4;
    }
    size_t length = strcmp(text, "inf") == 0 ? 3 : strspn(text, "+-.0123456789eE");
    *out = strtod(text, &end);
    return end > text && (size_t)(end - text) <= length ? end : NULL;
}

static bool text_numbers(app_scope *scope, const app_param *row, const char *text,
                         app_params *params, bool *refused)
{
    int count = 1;
    for (const char *c = text; *c; c++) count += *c == ',';
    double *values = APP_NEW(scope, double, count);
    *refused = !values;
    const char *at = text;
    for (int i = 0; i < count && values; i++) {
        at = read_number(at, &values[i]);
        if (!at || *at != (i + 1 < count ? ',' : 0)) return false;
        at++;
    }
    return values && put_numbers(row, values, count, params);
}

static bool text_pair(const app_param *row, const char *text, app_params *params)
{
    app_pair pair = { 0 };
    const char *at = text;
    for (int side = 0; side < 2; side++) {
        char *end = NULL;
        long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (value > INT32_MAX) return false;
        pair.given[side] = value >= 0;
        pair.values[side] = value >= 0 ? (int)value : 0;
        if (value >= 0) at = end;
        if (*at != (side == 0 ? ',' : 0)) return false;
        at++;
    }
    bool enough = row->partial ? pair.given[0] || pair.given[1] : pair.given[0] && pair.given[1];
    if (enough) *(app_pair *)place_of(row, params) = pair;
    return enough;
}

static bool text_frame(const app_param *row, const char *text, app_params *params)
{
    frame_range range;
    bool right = range_parse(text, &range) && range.one_frame;
    if (right) *(frame_range *)place_of(row, params) = range;
    return right;
}

static marey_status text_list(app_scope *scope, const app_param *row, const char *text,
                              app_params *params, marey_error *error)
{
    char *rest = (char *)(uintptr_t)app_copy(scope, text);
    marey_status status = rest ? MAREY_OK : app_fail_memory(error);
    while (status == MAREY_OK && rest) {
        char *one = rest;
        rest = row->repeats ? NULL : strchr(one, ',');
        if (rest) *rest++ = 0;
        if (!fits_text(row, one) || !has_room(row, params))
            return refuse(row, APP_COMMAND_LINE, text, error);
        status = add_text(scope, row, one, params, error);
    }
    return status;
}

/* Frames and names take turns. */
static marey_status text_cut(app_scope *scope, const app_param *row, const char *text,
                             app_params *params, marey_error *error)
{
    app_cuts *list = place_of(row, params);
    app_cut *last = list->count ? (app_cut *)(uintptr_t)&list->values[list->count - 1] : NULL;
    address from;
    if (last && !last->name) {
        last->name = app_copy(scope, text);
        return app_check(!last->name, error);
    }
    bool full = row->most_count && list->count == row->most_count;
    if (full || !address_parse(text, &from) || !from.range.given)
        return refuse(row, APP_COMMAND_LINE, text, error);
    app_cut *fresh = add_cut(scope, list);
    if (fresh) *fresh = (app_cut){ .frames = app_copy(scope, text) };
    return app_check(!fresh || !fresh->frames, error);
}

/* "0,0 300,0", semicolons for the blanks; or the content of the file `name`. */
static marey_status text_table(app_scope *scope, const app_param *row, const char *text,
                               const char *name, app_params *params, bool *right,
                               marey_error *error)
{
    const app_table_def *def = row->table;
    buffer rows = buffer_make(scope->memory);
    int columns = def->columns;
    marey_status status = MAREY_OK;
    if (app_param_is_file(row, name)) {
        status = def->least_columns ? app_table_read_any(name, text, def, def->least_columns,
                                                         &columns, NULL, &rows, error)
                                    : app_table_read(name, text, def, &rows, error);
    } else {
        for (const char *at = text + strspn(text, " ;"); *at && *right; at += strspn(at, " ;")) {
            for (int i = 0; i < columns && *right; i++) {
                double value;
                const char *end = number_read(at, &value);
                *right = end && (i + 1 < columns ? *end == ',' : !*end || strchr(" ;", *end));
                buffer_bytes(&rows, (const char *)&value, sizeof value);
                if (*right) at = end + (i + 1 < columns);
            }
        }
        status = app_check(rows.failed, error);
    }
    if (status == MAREY_OK && *right)
        status = put_table(scope, row, name, &rows, columns, params, right, error);
    buffer_free(&rows);
    return status;
}

marey_status app_params_text(app_scope *scope, const app_param *rows, const app_param *row,
                             const char *text, const char *name, app_params *params,
                             marey_error *error)
{
    double value = 0;
    bool right = true, refused = false;
    const char *end;
    switch (row->type) {
    case APP_SWITCH: *(bool *)place_of(row, params) = true; break;
    case APP_WHOLE:
    case APP_NUMBER:
        end = read_number(text, &value);
        right = end && !*end && put_number(row, value, params);
        break;
    case APP_WORD: right = put_word(row, text, params); break;
    case APP_NUMBERS: right = text_numbers(scope, row, text, params, &refused); break;
    case APP_PAIR: right = text_pair(row, text, params); break;
    case APP_FRAME: right = text_frame(row, text, params); break;
    case APP_TEXT:
    case APP_NAME:
    case APP_CLIP: right = put_text(scope, row, text, params, &refused); break;
    case APP_CLIPS: {
        right = fits_text(row, text) && has_room(row, params);
        marey_status status = right ? add_text(scope, row, text, params, error) : MAREY_OK;
        if (status != MAREY_OK) return status;
        break;
    }
    case APP_TEXTS: {
        right = !row->repeats || (*text && has_room(row, params));
        if (!right) break;
        marey_status status = row->repeats ? add_text(scope, row, text, params, error)
                                           : text_list(scope, row, text, params, error);
        if (status != MAREY_OK) return status;
        break;
    }
    case APP_SEGMENT:
    case APP_SEGMENTS: {
        address at;
        right = *text && (row->type == APP_SEGMENT || has_room(row, params)) &&
                address_parse(text, &at);
        if (!right) break;
        marey_status status = put_segment(scope, row, at.path, &at.range, params, error);
        if (status != MAREY_OK) return status;
        break;
    }
    case APP_CUTS: {
        marey_status status = text_cut(scope, row, text, params, error);
        if (status != MAREY_OK) return status;
        break;
    }
    case APP_FILE:
    case APP_FILES: {
        const app_documents *list = value_of(row, params);
        app_document one = { .name = app_copy(scope, text) };
        right =
            *text && (row->type == APP_FILE || !row->most_count || list->count < row->most_count);
        refused = !one.name;
        if (!right || refused) break;
        marey_status status = put_file(scope, row, one, params, error);
        if (status != MAREY_OK) return status;
        break;
    }
    case APP_DOCUMENT: {
        app_document one = { app_copy(scope, name), app_copy(scope, text ? text : "") };
        refused = !one.name || !one.text;
        *(app_document *)place_of(row, params) = one;
        break;
    }
    case APP_TABLE: {
        marey_status status =
            text ? text_table(scope, row, text, name, params, &right, error) : MAREY_OK;
        if (status != MAREY_OK) return status;
        text = name;
    }
    }
    if (refused) return app_fail_memory(error);
    if (!right) return refuse(row, APP_COMMAND_LINE, text, error);
    params->given |= (uint64_t)1 << (row - rows);
    return MAREY_OK;
}

marey_status app_params_defaults(app_scope *scope, const app_param *rows, app_params *params,
                                 marey_error *error)
{
    for (const app_param *row = rows; row->name; row++) {
        if (!row->standard) continue;
        marey_status status =
            app_params_text(scope, rows, row, row->standard, row->name, params, error);
        if (status != MAREY_OK) return status;
    }
    params->given = 0;
    return MAREY_OK;
}

/* ---- from JSON ----------------------------------------------------------------------------------- */

/* A clip's name, or its number as "#34"; NULL: neither. */
static const char *clip_text(const json_t *value, char room[NUMBER_ROOM])
{
    if (json_is_string(value) && json_string_length(value) > 0) return json_string_value(value);
    if (!json_is_integer(value) || json_integer_value(value) < 1) return NULL;
    snprintf(room, NUMBER_ROOM, "#%lld", (long long)json_integer_value(value));
    return room;
}

static bool json_pair(const app_param *row, const json_t *value, app_params *params)
{
    app_pair pair = { 0 };
    for (size_t side = 0; side < 2; side++) {
        const json_t *one = json_array_get(value, side);
        json_int_t frame = json_integer_value(one);
        if (json_is_null(one)) continue;
        if (!json_is_integer(one) || frame < 0 || frame > INT32_MAX) return false;
        pair.given[side] = true;
        pair.values[side] = (int)frame;
    }
    bool enough = row->partial ? pair.given[0] || pair.given[1] : pair.given[0] && pair.given[1];
    if (!enough || json_array_size(value) != 2) return false;
    *(app_pair *)place_of(row, params) = pair;
    return true;
}

/* {"clip": 34, "start": 120, "end": 300} and nothing else in it; or the clip alone, for all of it. */
static marey_status json_segment(app_scope *scope, const app_param *row, const json_t *value,
                                 app_params *params, bool *right, marey_error *error)
{
    char room[NUMBER_ROOM];
    bool whole = !json_is_object(value);
    const json_t *start = json_object_get(value, "start"), *end = json_object_get(value, "end");
    const char *clip = clip_text(whole ? value : json_object_get(value, "clip"), room);
    frame_range range = { .given = start != NULL, .one_frame = !end };
    size_t fields = (size_t)(clip != NULL) + (start != NULL) + (end != NULL);
    *right = clip && (whole || json_object_size(value) == fields) && (start || !end) &&
             (!start || (json_is_integer(start) && json_integer_value(start) >= 0)) &&
             (!end || (json_is_integer(end) && json_integer_value(end) >= 0)) &&
             (row->type == APP_SEGMENT || has_room(row, params));
    if (!*right) return MAREY_OK;
    range.start = json_number_value(start);
    range.end = json_number_value(end);
    return put_segment(scope, row, clip, &range, params, error);
}

static marey_status json_list(app_scope *scope, const app_param *row, const json_t *value,
                              app_params *params, bool *right, marey_error *error)
{
    marey_status status = MAREY_OK;
    *right = json_is_array(value) &&
             ((row->type != APP_CLIPS && !row->needed) || json_array_size(value) > 0);
    *(app_texts *)place_of(row, params) = (app_texts){ 0 };
    for (size_t i = 0; i < json_array_size(value) && *right && status == MAREY_OK; i++) {
        char room[NUMBER_ROOM];
        const json_t *one = json_array_get(value, i);
        const char *text = row->type == APP_CLIPS ? clip_text(one, room) : json_string_value(one);
        *right = fits_text(row, text) && has_room(row, params);
        if (*right) status = add_text(scope, row, text, params, error);
    }
    return status;
}

static marey_status json_cuts(app_scope *scope, const app_param *row, const json_t *value,
                              app_params *params, bool *right, marey_error *error)
{
    app_cuts *list = place_of(row, params);
    size_t count = json_array_size(value); /* 0 if it is no array */
    *right = count > 0 && (row->most_count == 0 || count <= (size_t)row->most_count);
    *list = (app_cuts){ 0 };
    for (size_t i = 0; i < count && *right; i++) {
        char room[NUMBER_ROOM];
        const json_t *one = json_array_get(value, i), *start = json_object_get(one, "start"),
                     *end = json_object_get(one, "end");
        const char *clip = clip_text(json_object_get(one, "clip"), room);
        const char *name = json_string_value(json_object_get(one, "name"));
        *right = clip && name && *name && json_is_integer(start) && json_is_integer(end) &&
                 json_integer_value(start) >= 0 && json_integer_value(end) >= 0 &&
                 json_object_size(one) == 4;
        if (!*right) break;
        app_cut *cut = add_cut(scope, list);
        char *frames = APP_NEW(scope, char, strlen(clip) + 2 * NUMBER_ROOM);
        if (!cut || !frames) return app_fail_memory(error);
        sprintf(frames, "%s#%lld-%lld", clip, (long long)json_integer_value(start),
                (long long)json_integer_value(end));
        *cut = (app_cut){ frames, app_copy(scope, name) };
        if (!cut->name) return app_fail_memory(error);
    }
    return MAREY_OK;
}

/* As compact JSON; NULL: there is no memory for it. */
static const char *dump(app_scope *scope, const json_t *value)
{
    size_t size = json_dumpb(value, NULL, 0, JSON_COMPACT);
    char *text = size ? APP_NEW(scope, char, size + 1) : NULL;
    return text && json_dumpb(value, text, size, JSON_COMPACT) == size ? text : NULL;
}

static marey_status json_files(app_scope *scope, const app_param *row, const json_t *value,
                               app_params *params, bool *right, marey_error *error)
{
    size_t count = row->type == APP_FILE ? 1 : json_array_size(value);
    marey_status status = MAREY_OK;
    *right = row->type == APP_FILE
                 ? json_is_string(value) || json_is_array(value)
                 : count > 0 && (!row->most_count || count <= (size_t)row->most_count);
    memset(place_of(row, params), 0,
           row->type == APP_FILE ? sizeof(app_document) : sizeof(app_documents));
    for (size_t i = 0; i < count && *right && status == MAREY_OK; i++) {
        const json_t *one = row->type == APP_FILE ? value : json_array_get(value, i);
        *right = row->type == APP_FILE || json_is_object(one);
        if (!*right) break;
        app_document file = { .text = json_is_string(one) ? app_copy(scope, json_string_value(one))
                                                          : dump(scope, one) };
        status = file.text ? put_file(scope, row, file, params, error) : app_fail_memory(error);
    }
    return status;
}

/* [[0, 0], [300, 0]]; noted as "0,0 300,0". */
static marey_status json_table(app_scope *scope, const app_param *row, const json_t *value,
                               app_params *params, bool *right, marey_error *error)
{
    buffer rows = buffer_make(scope->memory), text = buffer_make(scope->memory);
    int most = row->table->columns, least = row->table->least_columns;
    size_t columns = json_array_size(json_array_get(value, 0));
    *right = columns <= (size_t)most && columns >= (size_t)(least ? least : most);
    for (size_t i = 0; i < json_array_size(value) && *right; i++) {
        const json_t *one = json_array_get(value, i);
        *right = json_array_size(one) == columns;
        if (i > 0) buffer_byte(&text, ' ');
        for (size_t k = 0; k < columns && *right; k++) {
            double number = json_number_value(json_array_get(one, k));
            json digits = { .out = &text, .comma = k > 0 };
            *right = json_is_number(json_array_get(one, k));
            json_put_number(&digits, NULL, number);
            buffer_bytes(&rows, (const char *)&number, sizeof number);
        }
    }
    buffer_byte(&text, 0);
    marey_status status = app_check(rows.failed || text.failed, error);
    if (status == MAREY_OK && *right)
        status = put_table(scope, row, text.bytes, &rows, (int)columns, params, right, error);
    buffer_free(&rows);
    buffer_free(&text);
    return status;
}

static marey_status json_one(app_scope *scope, const app_param *row, const json_t *value,
                             app_params *params, bool *right, marey_error *error)
{
    char room[NUMBER_ROOM];
    switch (row->type) {
    case APP_PAIR: *right = json_pair(row, value, params); return MAREY_OK;
    case APP_FRAME:
        snprintf(room, sizeof room, "%lld", (long long)json_integer_value(value));
        *right = (json_is_integer(value) && text_frame(row, room, params)) ||
                 (json_is_string(value) && text_frame(row, json_string_value(value), params));
        return MAREY_OK;
    case APP_SWITCH:
        *right = json_is_boolean(value);
        *(bool *)place_of(row, params) = json_is_true(value);
        return MAREY_OK;
    case APP_WHOLE:
    case APP_NUMBER:
        if (json_is_string(value) && (strcmp(json_string_value(value), "inf") == 0 ||
                                      strcmp(json_string_value(value), "none") == 0))
            *right = put_number(row, INFINITY, params);
        else
            *right = json_is_number(value) && put_number(row, json_number_value(value), params);
        return MAREY_OK;
    case APP_WORD:
        *right = json_is_string(value) && put_word(row, json_string_value(value), params);
        return MAREY_OK;
    case APP_TEXT:
    case APP_NAME:
    case APP_CLIP: {
        bool refused = false;
        const char *text =
            row->type == APP_CLIP ? clip_text(value, room) : json_string_value(value);
        *right = put_text(scope, row, text, params, &refused);
        return app_check(refused, error);
    }
    case APP_NUMBERS: {
        size_t count = json_array_size(value);
        double *values = APP_NEW(scope, double, count);
        *right = true;
        for (size_t i = 0; i < count && values; i++) {
            values[i] = json_number_value(json_array_get(value, i));
            *right = *right && json_is_number(json_array_get(value, i));
        }
        *right =
            *right && values && count < INT32_MAX && put_numbers(row, values, (int)count, params);
        return app_check(!values, error);
    }
    case APP_TEXTS:
    case APP_CLIPS: return json_list(scope, row, value, params, right, error);
    case APP_SEGMENT: return json_segment(scope, row, value, params, right, error);
    case APP_SEGMENTS: {
        marey_status status = MAREY_OK;
        *right = json_is_array(value);
        *(app_segments *)place_of(row, params) = (app_segments){ 0 };
        for (size_t i = 0; i < json_array_size(value) && *right && status == MAREY_OK; i++)
            status = json_segment(scope, row, json_array_get(value, i), params, right, error);
        return status;
    }
    case APP_CUTS: return json_cuts(scope, row, value, params, right, error);
    case APP_FILE:
    case APP_FILES: return json_files(scope, row, value, params, right, error);
    case APP_TABLE: return json_table(scope, row, value, params, right, error);
    case APP_DOCUMENT: break;
    }
    *right = json_is_object(value);
    const char *text = *right ? dump(scope, value) : "";
    *(app_document *)place_of(row, params) = (app_document){ row->name, text };
    return app_check(!text, error);
}

marey_status app_params_json(app_scope *scope, const app_param *rows, const struct json_t *body,
                             app_params *params, marey_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)body, name, value)
    {
        const app_param *row = strchr(name, '-') ? NULL : find_row(rows, name, strlen(name));
        bool right = true;
        if (!row) return app_fail(error, MAREY_ERR_REQUEST, NULL, "unknown field %.60s", name);
        marey_status status = json_one(scope, row, value, params, &right, error);
        if (status != MAREY_OK) return status;
        if (!right) {
            char got[RULE_ROOM];
            size_t size = json_dumpb(value, got, sizeof got - 1, JSON_COMPACT | JSON_ENCODE_ANY);
            got[size < sizeof got ? size : sizeof got - 1] = 0;
            return refuse(row, APP_BODY, size && size < sizeof got ? got : "something else", error);
        }
        params->given |= (uint64_t)1 << (row - rows);
    }
    return MAREY_OK;
}

/* ---- all of them --------------------------------------------------------------------------------- */

marey_status app_params_check(const app_param *rows, const app_params *params, app_dialect dialect,
                              marey_error *error)
{
    char name[SPELLED_ROOM], other[SPELLED_ROOM];
    for (const app_param *row = rows; row->name; row++) {
        bool given = is_given(rows, row, params);
        spell(row, dialect, name);
        if (row->needed && !given)
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s is missing", name);
        if (!given || !row->only_if) continue;
        size_t length = strcspn(row->only_if, "=");
        const char *wanted = row->only_if[length] ? row->only_if + length + 1 : "";
        const app_param *by = find_row(rows, row->only_if, length);
        if (!by) continue; /* an operation that goes through all words has no choice of one */
        if (*wanted ? strcmp(by->word(*(const int *)value_of(by, params)), wanted) == 0
                    : is_given(rows, by, params))
            continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s is only for %s%s%s", name,
                        spell(by, dialect, other), *wanted ? " " : "", wanted);
    }
    return MAREY_OK;
}

void app_segment_put(const app_segment *segment, buffer *out)
{
    const frame_range *range = &segment->range;
    const char *unit = range->in_seconds ? "s" : "";
    buffer_text(out, segment->clip);
    if (range->given) buffer_print(out, "#%.10g%s", range->start, unit);
    if (range->given && !range->one_frame) buffer_print(out, "-%.10g%s", range->end, unit);
}

static void put_joined(json *out, const app_param *row, const app_params *params)
{
    char room[1024];
    buffer text = buffer_fixed(room, sizeof room - 1);
    if (row->type == APP_NUMBERS) {
        const app_numbers *list = value_of(row, params);
        for (int i = 0; i < list->count; i++) {
            json digits = { .out = &text, .comma = i > 0 };
            json_put_number(&digits, NULL, list->values[i]);
        }
    } else if (row->type == APP_SEGMENT) {
        app_segment_put(value_of(row, params), &text);
    } else if (row->type == APP_SEGMENTS) {
        const app_segments *list = value_of(row, params);
        for (int i = 0; i < list->count; i++) {
            buffer_text(&text, i ? "," : "");
            app_segment_put(&list->values[i], &text);
        }
    } else {
        const app_texts *list = value_of(row, params);
        for (int i = 0; i < list->count; i++) {
            buffer_text(&text, i ? "," : "");
            buffer_text(&text, list->values[i]);
        }
    }
    room[text.used] = 0;
    json_put_string(out, row->name, room);
}

void app_params_settings(json *out, const app_param *rows, const app_params *params)
{
    json_open(out, "settings", '{');
    for (const app_param *row = rows; row->name; row++) {
        char digits[NUMBER_ROOM];
        buffer text = buffer_fixed(digits, sizeof digits - 1);
        json number = json_make(&text);
        const void *value = value_of(row, params);
        if (!is_given(rows, row, params) || row->note || row->place != APP_OPTION) continue;
        switch (row->type) {
        case APP_SWITCH: /* a command line cannot give a false one */
            if (*(const bool *)value) json_put_boolean(out, row->name, true);
            break;
        case APP_WHOLE:
        case APP_NUMBER:
            json_put_number(&number, NULL,
                            row->type == APP_WHOLE ? *(const int *)value : *(const double *)value);
            digits[text.used] = 0;
            json_put_string(out, row->name, digits);
            break;
        case APP_WORD: json_put_string(out, row->name, row->word(*(const int *)value)); break;
        case APP_TEXT:
        case APP_NAME:
        case APP_CLIP: json_put_string(out, row->name, *(const char *const *)value); break;
        case APP_NUMBERS:
        case APP_TEXTS:
        case APP_CLIPS:
        case APP_SEGMENT:
        case APP_SEGMENTS: put_joined(out, row, params); break;
        case APP_CUTS:
        case APP_FILE:
        case APP_FILES: break; /* operands */
        case APP_PAIR: {
            const app_pair *pair = value;
            for (int side = 0; side < 2; side++) {
                if (pair->given[side]) buffer_print(&text, "%d", pair->values[side]);
                if (side == 0) buffer_byte(&text, ',');
            }
            digits[text.used] = 0;
            json_put_string(out, row->name, digits);
            break;
        }
        case APP_FRAME: {
            const frame_range *at = value;
            buffer_print(&text, "%.10g%s", at->start, at->in_seconds ? "s" : "");
            digits[text.used] = 0;
            json_put_string(out, row->name, digits);
            break;
        }
        case APP_TABLE: json_put_string(out, row->name, ((const app_table *)value)->text); break;
        case APP_DOCUMENT: json_put_string(out, row->name, ((const app_document *)value)->name);
        }
    }
    json_close(out, '}');
}

void app_params_describe(json *out, const char *key, const app_param *rows)
{
    static const char *const types[] = { "switch", "whole", "number",   "text",    "name",
                                         "word",   "clip",  "numbers",  "texts",   "clips",
                                         "cuts",   "pair",  "document", "segment", "segments",
                                         "frame",  "table", "file",     "files" };
    json_open(out, key, '[');
    for (const app_param *row = rows; row->name; row++) {
        char name[SPELLED_ROOM];
        const char *word;
        json_open(out, NULL, '{');
        json_put_string(out, "name", spell(row, APP_BODY, name));
        json_put_string(out, "type", types[row->type]);
        json_put_integer(out, "place", row->place);
        json_put_boolean(out, "needed", row->needed);
        if (row->least != 0 || row->most != 0) {
            json_put_number(out, "least", row->least);
            json_put_number(out, "most", row->most);
        }
        if (row->most_count) json_put_integer(out, "most_count", row->most_count);
        if (row->table) {
            json_put_integer(out, "columns", row->table->columns);
            json_put_boolean(out, "in_place", row->table->in_place);
        }
        if (row->repeats) json_put_boolean(out, "repeats", true);
        if (row->unit) json_put_string(out, "unit", row->unit);
        if (row->standard) json_put_string(out, "default", row->standard);
        if (row->only_if) json_put_string(out, "only_if", row->only_if);
        if (row->type == APP_WORD) {
            json_open(out, "words", '[');
            for (int i = 0; (word = row->word(i)); i++) json_put_string(out, NULL, word);
            json_close(out, ']');
        }
        json_put_string(out, "help", row->help);
        json_close(out, '}');
    }
    json_close(out, ']');
}
