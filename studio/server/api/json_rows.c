/* json_rows.c - fields by their rows. */
#include "json_rows.h"

#include <string.h>

static marey_status read_number(const json_t *value, const json_row *row, double *out,
                                marey_error *error)
{
    double got = json_number_value(value);
    if (!json_is_number(value) || !(got >= row->least && got <= row->most)) {
        return json_refuse(error, "%s must be a number from %g to %g", row->called, row->least,
                           row->most);
    }
    *out = got;
    return MAREY_OK;
}

static marey_status read_whole(const json_t *value, const json_row *row, int *out,
                               marey_error *error)
{
    json_int_t got = 0;
    marey_status status =
        json_whole(value, row->called, (json_int_t)row->least, (json_int_t)row->most, &got, error);
    if (status == MAREY_OK) *out = (int)got;
    return status;
}

static marey_status read_row(json_t *value, const json_row *row, void *to, marey_error *error)
{
    void *at = (char *)to + row->at;
    switch (row->kind) {
    case ROW_WHOLE: return read_whole(value, row, at, error);
    case ROW_NUMBER: return read_number(value, row, at, error);
    case ROW_FRAME: return json_frame(value, row->called, at, error);
    case ROW_CLIP: return json_clip(value, row->called, at, error);
    case ROW_TEXT: return json_text(value, row->called, at, error);
    case ROW_SWITCH: return json_switch(value, row->called, at, error);
    case ROW_OWN: break;
    }
    return row->read(to, value, error);
}

marey_status json_rows(json_t *object, const json_row *rows, int count, void *to,
                       marey_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        int i = 0;
        while (i < count && strcmp(rows[i].name, name) != 0) i++;
        if (i == count) return json_refuse_field(name, error);
        marey_status status = read_row(value, &rows[i], to, error);
        if (status != MAREY_OK) return status;
    }
    for (int i = 0; i < count; i++) {
        if (!rows[i].needed || json_object_get(object, rows[i].name)) continue;
        return json_refuse(error, "%s is missing", rows[i].called);
    }
    return MAREY_OK;
}
