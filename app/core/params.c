/* params.c - values by their rows. Text and JSON meet in the same checks, so that a range holds
   wherever a value comes from. */
#include "param_rows.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOT_ROOM = 256, NUMBER_ROOM = 40 };

/* ---- values: the one place where each kind is checked and put down --------------------------- */

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
        *(double *)app_param_place(row, params) = value;
        return true;
    }
    if (value != floor(value) || fabs(value) > INT32_MAX) return false;
    *(int *)app_param_place(row, params) = (int)value;
    return true;
}

static bool put_word(const app_param *row, const char *text, app_params *params)
{
    const char *word;
    for (int i = 0; (word = row->word(i)); i++) {
        if (strcmp(word, text) != 0) continue;
        *(int *)app_param_place(row, params) = i;
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
    *(const char **)app_param_place(row, params) = copy;
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
    if (right) *(app_numbers *)app_param_place(row, params) = (app_numbers){ values, count };
    return right;
}

/* Behind what is there; a clip that is there already is not added again. */
static marey_status add_text(app_scope *scope, const app_param *row, const char *text,
                             app_params *params, marey_error *error)
{
    app_texts *list = app_param_place(row, params);
    for (int i = 0; i < list->count && row->type == APP_CLIPS && !row->repeats; i++)
        if (strcmp(list->values[i], text) == 0) return MAREY_OK;
    const char *copy = app_copy(scope, text);
    const char **values = app_grow(scope, list->values, list->count, sizeof *values);
    if (!values || !copy) return app_fail_memory(error);
    values[list->count] = copy;
    *list = (app_texts){ values, list->count + 1 };
    return MAREY_OK;
}

static bool has_room(const app_param *row, const app_params *params)
{
    const void *list = app_param_place(row, params);
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
        *(app_segment *)app_param_place(row, params) = one;
        return MAREY_OK;
    }
    app_segments *list = app_param_place(row, params);
    app_segment *values = app_grow(scope, list->values, list->count, sizeof *values);
    if (!values) return app_fail_memory(error);
    values[list->count] = one;
    *list = (app_segments){ values, list->count + 1 };
    return MAREY_OK;
}

/* In its place, or behind those that are there. Takes the texts over, of which NULL means that
   there is no memory. */
static marey_status put_file(app_scope *scope, const app_param *row, app_document one,
                             app_params *params, marey_error *error)
{
    if (row->type == APP_FILE) {
        *(app_document *)app_param_place(row, params) = one;
        return MAREY_OK;
    }
    app_documents *list = app_param_place(row, params);
    app_document *values = app_grow(scope, list->values, list->count, sizeof *values);
    if (!values) return app_fail_memory(error);
    values[list->count] = one;
    *list = (app_documents){ values, list->count + 1 };
    return MAREY_OK;
}

/* Behind what is there, as add_text. */
static app_cut *add_cut(app_scope *scope, app_cuts *list)
{
    app_cut *values = app_grow(scope, list->values, list->count, sizeof *values);
    if (!values) return NULL;
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
        char room[256], name[APP_SPELLED_ROOM];
        const double *at = values + i * (size_t)columns;
        const char *why =
            row->table->check(at, columns, i > 0 ? at - columns : NULL, room, sizeof room);
        if (!why) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s: row %d: %s",
                        app_param_spell(row, APP_BODY, name), (int)i + 1, why);
    }
    if (*right) *(app_table *)app_param_place(row, params) = one;
    return MAREY_OK;
}

/* ---- from text ------------------------------------------------------------------------------- */

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

static bool text_number(const app_param *row, const char *text, app_params *params)
{
    double value = 0;
    const char *end = read_number(text, &value);
    if (end && row->side_cm && strcmp(end, "cm") == 0 && value > 0) {
        value *= value;
        end += 2;
    }
    return end && !*end && put_number(row, value, params);
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
    if (enough) *(app_pair *)app_param_place(row, params) = pair;
    return enough;
}

static bool text_frame(const app_param *row, const char *text, app_params *params)
{
    frame_range range;
    bool right = range_parse(text, &range) && range.one_frame;
    if (right) *(frame_range *)app_param_place(row, params) = range;
    return right;
}

static bool text_range(const app_param *row, const char *text, app_params *params)
{
    frame_range range;
    bool right = range_parse(text, &range) && !range.one_frame;
    if (right) *(frame_range *)app_param_place(row, params) = range;
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
            return app_param_refuse(row, APP_COMMAND_LINE, text, error);
        status = add_text(scope, row, one, params, error);
    }
    return status;
}

/* Frames and names take turns. */
static marey_status text_cut(app_scope *scope, const app_param *row, const char *text,
                             app_params *params, marey_error *error)
{
    app_cuts *list = app_param_place(row, params);
    app_cut *last = list->count ? (app_cut *)(uintptr_t)&list->values[list->count - 1] : NULL;
    address from;
    if (last && !last->name) {
        last->name = app_copy(scope, text);
        return app_check(!last->name, error);
    }
    bool full = row->most_count && list->count == row->most_count;
    if (full || !address_parse(text, &from) || !from.range.given)
        return app_param_refuse(row, APP_COMMAND_LINE, text, error);
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
    bool right = true, refused = false;
    switch (row->type) {
    case APP_SWITCH: *(bool *)app_param_place(row, params) = true; break;
    case APP_WHOLE:
    case APP_NUMBER: right = text_number(row, text, params); break;
    case APP_WORD: right = put_word(row, text, params); break;
    case APP_NUMBERS: right = text_numbers(scope, row, text, params, &refused); break;
    case APP_PAIR: right = text_pair(row, text, params); break;
    case APP_FRAME: right = text_frame(row, text, params); break;
    case APP_RANGE: right = text_range(row, text, params); break;
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
        const app_documents *list = app_param_place(row, params);
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
        *(app_document *)app_param_place(row, params) = one;
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
    if (!right) return app_param_refuse(row, APP_COMMAND_LINE, text, error);
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

/* ---- from JSON ------------------------------------------------------------------------------- */

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
    *(app_pair *)app_param_place(row, params) = pair;
    return true;
}

/* {"clip": 34, "start": 120, "end": 300} and nothing else in it; or the clip alone, for all of
   it. */
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
    *(app_texts *)app_param_place(row, params) = (app_texts){ 0 };
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
    app_cuts *list = app_param_place(row, params);
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
    memset(app_param_place(row, params), 0,
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
    case APP_RANGE: {
        const json_t *from = json_array_get(value, 0), *to = json_array_get(value, 1);
        snprintf(room, sizeof room, "%lld-%lld", (long long)json_integer_value(from),
                 (long long)json_integer_value(to));
        *right = (json_array_size(value) == 2 && json_is_integer(from) && json_is_integer(to) &&
                  text_range(row, room, params)) ||
                 (json_is_string(value) && text_range(row, json_string_value(value), params));
        return MAREY_OK;
    }
    case APP_SWITCH:
        *right = json_is_boolean(value);
        *(bool *)app_param_place(row, params) = json_is_true(value);
        return MAREY_OK;
    case APP_WHOLE:
    case APP_NUMBER:
        if (json_is_string(value) && (strcmp(json_string_value(value), "inf") == 0 ||
                                      strcmp(json_string_value(value), "none") == 0))
            *right = put_number(row, INFINITY, params);
        else if (row->side_cm && json_is_string(value) && strchr(json_string_value(value), 'c'))
            *right = text_number(row, json_string_value(value), params);
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
        *right = json_is_array(value) && (!row->needed || json_array_size(value) > 0);
        *(app_segments *)app_param_place(row, params) = (app_segments){ 0 };
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
    *(app_document *)app_param_place(row, params) = (app_document){ row->name, text };
    return app_check(!text, error);
}

marey_status app_params_json(app_scope *scope, const app_param *rows, const struct json_t *body,
                             app_params *params, marey_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)body, name, value)
    {
        const app_param *row = strchr(name, '-') ? NULL : app_param_find(rows, name, strlen(name));
        bool right = true;
        if (!row) return app_fail(error, MAREY_ERR_REQUEST, NULL, "unknown field %.60s", name);
        marey_status status = json_one(scope, row, value, params, &right, error);
        if (status != MAREY_OK) return status;
        if (!right) {
            char got[GOT_ROOM];
            size_t size = json_dumpb(value, got, sizeof got - 1, JSON_COMPACT | JSON_ENCODE_ANY);
            got[size < sizeof got ? size : sizeof got - 1] = 0;
            return app_param_refuse(row, APP_BODY,
                                    size && size < sizeof got ? got : "something else", error);
        }
        params->given |= (uint64_t)1 << (row - rows);
    }
    return MAREY_OK;
}
