/* param_rows.c - what the rows of parameters say themselves: names, rules, the settings that were
   given. */
#include "param_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { RULE_ROOM = 256, NUMBER_ROOM = 40 };

const app_param *app_param_find(const app_param *rows, const char *name, size_t length)
{
    for (const app_param *row = rows; row->name; row++) {
        bool same = strlen(row->name) == length;
        for (size_t i = 0; i < length && same; i++)
            same = row->name[i] == (name[i] == '_' ? '-' : name[i]);
        if (same) return row;
    }
    return NULL;
}

bool app_given(const app_param *rows, const app_params *params, const char *name)
{
    const app_param *row = app_param_find(rows, name, strlen(name));
    return row && app_param_given(rows, row, params);
}

uint64_t app_given_settings(const app_param *rows, const app_params *params)
{
    uint64_t given = params->given;
    for (const app_param *row = rows; row->name; row++)
        if (row->note) given &= ~((uint64_t)1 << (row - rows));
    return given;
}

const char *app_param_spell(const app_param *row, app_dialect dialect, char text[APP_SPELLED_ROOM])
{
    bool option = dialect == APP_COMMAND_LINE && row->place == APP_OPTION;
    snprintf(text, APP_SPELLED_ROOM, "%s%.60s", option ? "--" : "", row->name);
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
    case APP_RANGE: buffer_text(&out, "frames from .. to, as in 120-300 or 2s-4s"); break;
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
marey_status app_param_refuse(const app_param *row, app_dialect dialect, const char *got,
                              marey_error *error)
{
    char name[APP_SPELLED_ROOM], rule[RULE_ROOM];
    app_param_spell(row, dialect, name);
    app_param_rule(row, rule, sizeof rule);
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s must be %s, got %.100s", name, rule,
                    *got ? got : "nothing");
}

marey_status app_params_check(const app_param *rows, const app_params *params, app_dialect dialect,
                              marey_error *error)
{
    char name[APP_SPELLED_ROOM], other[APP_SPELLED_ROOM];
    for (const app_param *row = rows; row->name; row++) {
        bool given = app_param_given(rows, row, params);
        app_param_spell(row, dialect, name);
        if (row->needed && !given)
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s is missing", name);
        if (!given || !row->only_if) continue;
        size_t length = strcspn(row->only_if, "=");
        const char *wanted = row->only_if[length] ? row->only_if + length + 1 : "";
        const app_param *by = app_param_find(rows, row->only_if, length);
        if (!by) continue; /* an operation that goes through all words has no choice of one */
        if (*wanted ? strcmp(by->word(*(const int *)app_param_place(by, params)), wanted) == 0
                    : app_param_given(rows, by, params))
            continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s is only for %s%s%s", name,
                        app_param_spell(by, dialect, other), *wanted ? " " : "", wanted);
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
        const app_numbers *list = app_param_place(row, params);
        for (int i = 0; i < list->count; i++) {
            json digits = { .out = &text, .comma = i > 0 };
            json_put_number(&digits, NULL, list->values[i]);
        }
    } else if (row->type == APP_SEGMENT) {
        app_segment_put(app_param_place(row, params), &text);
    } else if (row->type == APP_SEGMENTS) {
        const app_segments *list = app_param_place(row, params);
        for (int i = 0; i < list->count; i++) {
            buffer_text(&text, i ? "," : "");
            app_segment_put(&list->values[i], &text);
        }
    } else {
        const app_texts *list = app_param_place(row, params);
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
        const void *value = app_param_place(row, params);
        if (!app_param_given(rows, row, params) || row->note) continue;
        if (row->place != APP_OPTION && !row->lent) continue;
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
        case APP_RANGE: {
            const frame_range *range = value;
            const char *unit = range->in_seconds ? "s" : "";
            buffer_print(&text, "%.10g%s-%.10g%s", range->start, unit, range->end, unit);
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
                                         "frame",  "range", "table",    "file",    "files" };
    json_open(out, key, '[');
    for (const app_param *row = rows; row->name; row++) {
        char name[APP_SPELLED_ROOM];
        const char *word;
        if (row->lent) continue;
        json_open(out, NULL, '{');
        json_put_string(out, "name", app_param_spell(row, APP_BODY, name));
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
