/* param_texts.c - parameters as the texts of a command line, for a machine that is to ask for the very
   same: every value that was given but where results go, and of documents also what was in them. */
#include "params.h"

#include "param_rows.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static void put_value(json *out, const app_param *row, const char *text, const char *content)
{
    json_open(out, NULL, '{');
    json_put_string(out, "name", row->name);
    json_put_string(out, "text", text);
    if (content) json_put_string(out, "content", content);
    json_close(out, '}');
}

static void put_number(buffer *text, double value)
{
    if (isinf(value))
        buffer_text(text, "inf");
    else
        buffer_print(text, "%.17g", value);
}

static void put_texts(json *out, const app_param *row, const app_texts *list)
{
    for (int i = 0; i < list->count; i++) put_value(out, row, list->values[i], NULL);
}

static void put_row(json *out, const app_param *row, const void *value)
{
    char room[1024] = "";
    buffer text = buffer_fixed(room, sizeof room - 1);
    switch (row->type) {
    case APP_SWITCH:
        if (*(const bool *)value) put_value(out, row, "", NULL);
        return;
    case APP_WHOLE: buffer_print(&text, "%d", *(const int *)value); break;
    case APP_NUMBER: put_number(&text, *(const double *)value); break;
    case APP_WORD: buffer_text(&text, row->word(*(const int *)value)); break;
    case APP_TEXT:
    case APP_NAME:
    case APP_CLIP: put_value(out, row, *(const char *const *)value, NULL); return;
    case APP_NUMBERS: {
        const app_numbers *list = value;
        for (int i = 0; i < list->count; i++) {
            if (i > 0) buffer_byte(&text, ',');
            put_number(&text, list->values[i]);
        }
        break;
    }
    case APP_CLIPS: put_texts(out, row, value); return;
    case APP_TEXTS:
        if (row->repeats) {
            put_texts(out, row, value);
            return;
        }
        for (int i = 0; i < ((const app_texts *)value)->count; i++) {
            if (i > 0) buffer_byte(&text, ',');
            buffer_text(&text, ((const app_texts *)value)->values[i]);
        }
        break;
    case APP_SEGMENT: app_segment_put(value, &text); break;
    case APP_SEGMENTS: {
        const app_segments *list = value;
        for (int i = 0; i < list->count; i++) {
            text.used = 0;
            app_segment_put(&list->values[i], &text);
            room[text.used] = 0;
            put_value(out, row, room, NULL);
        }
        return;
    }
    case APP_DOCUMENT: {
        const app_document *document = value;
        put_value(out, row, document->name, document->text);
        return;
    }
    default:
        out->out->failed = true; /* no operation that is shared has one */
        return;
    }
    room[text.used] = 0;
    if (text.failed) out->out->failed = true;
    put_value(out, row, room, NULL);
}

void app_params_texts(json *out, const char *key, const app_param *rows, const app_params *params)
{
    json_open(out, key, '[');
    for (const app_param *row = rows; row->name; row++) {
        if (!app_param_given(rows, row, params) || row->note) continue;
        put_row(out, row, app_param_place(row, params));
    }
    json_close(out, ']');
}

marey_status app_params_texts_read(app_scope *scope, const app_param *rows,
                                   const struct json_t *values, app_params *params,
                                   marey_error *error)
{
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)(uintptr_t)values, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        const char *text = json_string_value(json_object_get(one, "text"));
        const char *content = json_string_value(json_object_get(one, "content"));
        const app_param *row = name ? app_param_find(rows, name, strlen(name)) : NULL;
        if (!row || !text || row->note)
            return app_fail(error, MAREY_ERR_INPUT, NULL, "the shards ask for something unknown");
        marey_status status =
            app_params_text(scope, rows, row, content ? content : text, text, params, error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}
