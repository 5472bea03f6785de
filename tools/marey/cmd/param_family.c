/* param_family.c - what the commands of families share. */
#include "param_family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

marey_status fail_for_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- opening --------------------------------------------------------------------------------------- */

marey_status kept_family_open(session *run, const request *asked, marey_library_mode mode,
                              kept_family *out, marey_error *error)
{
    kept_family of = { .name = asked->operands[1] };
    marey_status status = shelf_open(run, asked->operands[0], mode, &of.at, error);
    if (status != MAREY_OK) return status;
    status = marey_library_family(of.at.library, of.name, &of.parts, &of.family, error);
    if (status != MAREY_OK) {
        shelf_close(&of.at, true);
        return status;
    }
    *out = of;
    return MAREY_OK;
}

void kept_family_close(kept_family *of)
{
    marey_family_free(of->family);
    marey_parts_free(of->parts);
    of->family = NULL;
    of->parts = NULL;
    if (of->at.library) shelf_close(&of->at, true);
}

int kept_family_end(kept_family *of, marey_status status, marey_error *error)
{
    session *run = of->at.run;
    kept_family_close(of);
    if (status == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, error);
}

/* ---- what it is ------------------------------------------------------------------------------------ */

int family_examples(const marey_family *family)
{
    return marey_registration_count(marey_family_registration(family));
}

const char *family_unit(const marey_family *family)
{
    const char *first, *unit;
    marey_family_dim(family, 0, &first);
    for (int d = 1; d < marey_family_dims(family); d++) {
        marey_family_dim(family, d, &unit);
        if (strcmp(unit, first) != 0) return "% of the box";
    }
    return first;
}

bool family_is_cm(const marey_family *family)
{
    return strcmp(family_unit(family), "cm") == 0;
}

void family_examples_box(const marey_family *family, double *low, double *high)
{
    int count, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &count);
    for (int d = 0; d < dims; d++) {
        low[d] = high[d] = values[d];
        for (int i = 1; i < family_examples(family); i++) {
            low[d] = fmin(low[d], values[i * dims + d]);
            high[d] = fmax(high[d], values[i * dims + d]);
        }
    }
}

/* ---- as JSON --------------------------------------------------------------------------------------- */

void json_put_cm(json *to, const char *key, const marey_family *family, double value)
{
    if (family_is_cm(family)) {
        json_put_number(to, key, value);
    } else {
        json_put_null(to, key);
    }
}

void json_numbers(json *to, const char *key, const double *values, int count)
{
    json_open(to, key, '[');
    for (int i = 0; i < count; i++) json_put_number(to, NULL, values[i]);
    json_close(to, ']');
}

void json_features(json *to, const marey_family *family)
{
    int count;
    const marey_param *params = marey_family_params(family, &count);
    json_open(to, "features", '[');
    for (int i = 0; i < count; i++) {
        char text[PARAM_TEXT_ROOM];
        marey_param_text(&params[i], text, sizeof text);
        json_put_string(to, NULL, text);
    }
    json_close(to, ']');
}

void json_axes(json *to, const marey_family *family)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    family_examples_box(family, low, high);
    json_open(to, "axes", '[');
    for (int d = 0; d < marey_family_dims(family); d++) {
        const char *unit;
        json_open(to, NULL, '{');
        json_put_string(to, "name", marey_family_dim(family, d, &unit));
        json_put_string(to, "unit", unit);
        json_put_number(to, "low", low[d]);
        json_put_number(to, "high", high[d]);
        json_close(to, '}');
    }
    json_close(to, ']');
}

void json_part(json *to, const char *name, const marey_part *part)
{
    json_put_string(to, "clip", name);
    json_put_integer(to, "id", part->clip);
    json_put_integer(to, "start", part->start);
    json_put_integer(to, "end", part->end);
}

/* ---- for people ------------------------------------------------------------------------------------ */

void buffer_numbers(buffer *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) buffer_print(out, i ? ", %.4g" : "%.4g", values[i]);
}

void buffer_part(buffer *out, const char *name, const marey_part *part)
{
    buffer_shown(out, name);
    buffer_print(out, "#%d-%d", part->start, part->end);
}

bool numbers_parse(const char *text, int count, double *out)
{
    const char *at = text;
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        /* strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
        size_t length = strspn(at, "+-.0123456789eE");
        out[i] = strtod(at, &end);
        if (length == 0 || end != at + length || !(fabs(out[i]) <= 1e12)) return false;
        if (*end != (i + 1 < count ? ',' : 0)) return false;
        at = end + 1;
    }
    return true;
}
