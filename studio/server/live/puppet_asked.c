/* puppet_asked.c - see puppet_asked.h. */
#include "puppet_asked.h"

#include "json_rows.h"
#include "puppet_gather.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { ENTITY_NUMBERS = 3, PLACE_NUMBERS = 4 };

static const double farthest_cm = 1e6, most_rad = 1e4, least_balance = 1e-6;

marey_status puppet_read_entity(const json_t *value, const char *name, marey_entity *out,
                                marey_error *error)
{
    double at[ENTITY_NUMBERS];
    bool fits = json_is_array(value) && json_array_size(value) == ENTITY_NUMBERS;
    for (size_t i = 0; i < ENTITY_NUMBERS && fits; i++) {
        const json_t *one = json_array_get(value, i);
        at[i] = json_number_value(one);
        fits = json_is_number(one) && fabs(at[i]) <= (i == 2 ? most_rad : farthest_cm);
    }
    if (!fits)
        return json_refuse(error, "%s is a list [x, y, direction], in cm and radians, within 10 km",
                           name);
    *out = (marey_entity){ at[0], at[1], at[2] };
    return MAREY_OK;
}

marey_entity puppet_between(const marey_entity *a, const marey_entity *b, double share)
{
    double turn = remainder(b->direction_rad - a->direction_rad, 2 * PI);
    share = fmin(fmax(share, 0), 1);
    return (marey_entity){ a->x_cm + share * (b->x_cm - a->x_cm),
                           a->y_cm + share * (b->y_cm - a->y_cm), a->direction_rad + share * turn };
}

/* ---- who reacts ----------------------------------------------------------------------------------- */

static marey_status read_share(const json_t *value, const char *name, double least, double most,
                               double *out, marey_error *error)
{
    double got = json_number_value(value);
    if (!value || json_is_null(value)) return MAREY_OK;
    if (!json_is_number(value) || !(got >= least && got <= most))
        return json_refuse(error, "%s must be a number from %g to %g", name, least, most);
    *out = got;
    return MAREY_OK;
}

marey_status puppet_read_manner(const json_t *object, marey_reactor_def *out, marey_error *error)
{
    const json_t *rough = json_object_get(object, "rough"),
                 *start = json_object_get(object, "start");
    double balance = 0.5;
    marey_status status =
        read_share(json_object_get(object, "balance"), "balance", 0, 1, &balance, error);
    if (status == MAREY_OK)
        status =
            read_share(json_object_get(object, "weight"), "weight", 1e-6, 1e6, &out->weight, error);
    if (status == MAREY_OK && rough && !json_is_null(rough))
        status = json_switch(rough, "rough", &out->rough, error);
    if (status == MAREY_OK && start && !json_is_null(start)) {
        status = puppet_read_entity(start, "start", &out->start, error);
        out->start_given = status == MAREY_OK;
    }
    out->balance = fmax(balance, least_balance);
    return status;
}

/* ---- the body ------------------------------------------------------------------------------------- */

typedef struct run_fields {
    const char *puppet, *graph, *name;
    json_t *main, *other; /* what puppet_read_manner reads */
} run_fields;

static marey_status take_main(void *to, json_t *value, marey_error *error)
{
    (void)error;
    ((run_fields *)to)->main = value;
    return MAREY_OK;
}

static marey_status pass(void *to, json_t *value, marey_error *error)
{
    (void)error;
    ((run_fields *)to)->other = value;
    return MAREY_OK;
}

static marey_status read_fields(json_t *root, run_fields *out, marey_error *error)
{
#define AT(name) offsetof(run_fields, name)
    static const json_row rows[] = {
        { "puppet", "puppet", ROW_TEXT, true, AT(puppet), 0, 0, 0 },
        { "graph", "graph", ROW_TEXT, false, AT(graph), 0, 0, 0 },
        { "name", "name", ROW_TEXT, false, AT(name), 0, 0, 0 },
        { "main", "main", ROW_OWN, true, 0, 0, 0, take_main },
        { "start", "start", ROW_OWN, false, 0, 0, 0, pass },
        { "balance", "balance", ROW_OWN, false, 0, 0, 0, pass },
        { "weight", "weight", ROW_OWN, false, 0, 0, 0, pass },
        { "rough", "rough", ROW_OWN, false, 0, 0, 0, pass },
    };
#undef AT
    marey_status status = json_rows(root, JSON_ROWS(rows), out, error);
    if (status != MAREY_OK) return status;
    if (!out->graph != !out->name)
        return json_refuse(error,
                           "graph and name go together: a body of this graph becomes a clip of "
                           "this name; leave both for a path");
    return MAREY_OK;
}

static marey_status read_main(puppet_asked *to, const json_t *rows, marey_error *error)
{
    size_t count = json_array_size(rows);
    if (!json_is_array(rows) || count < 2)
        return json_refuse(error, "main is a list of at least two rows [t, x, y, direction]");
    uint8_t *room = bytes_extend(&to->samples, count * sizeof(marey_puppet_sample));
    marey_puppet_sample *out = (marey_puppet_sample *)(void *)room;
    if (!out) return json_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        double at[PLACE_NUMBERS];
        marey_status status = puppet_read_row(json_array_get(rows, i), PLACE_NUMBERS, "sample",
                                              (int)i, i > 0 ? out[i - 1].time_s : 0, at, error);
        if (status != MAREY_OK) return status;
        out[i] = (marey_puppet_sample){ .time_s = at[0], .main = { at[1], at[2], at[3] } };
    }
    return MAREY_OK;
}

/* A name is cut to its room; one that is longer is none that the library could keep. */
static marey_status copy_name(char *to, const char *name, const char *called, marey_error *error)
{
    if (name && strlen(name) >= MAREY_NAME_ROOM)
        return json_refuse(error, "%s has at most %d bytes", called, MAREY_NAME_ROOM - 1);
    if (name) snprintf(to, MAREY_NAME_ROOM, "%s", name);
    return MAREY_OK;
}

static marey_status read_all(puppet_asked *out, json_t *root, marey_error *error)
{
    run_fields fields = { 0 };
    marey_status status = read_fields(root, &fields, error);
    if (status == MAREY_OK) status = copy_name(out->puppet, fields.puppet, "puppet", error);
    if (status == MAREY_OK) status = copy_name(out->graph, fields.graph, "graph", error);
    if (status == MAREY_OK && fields.name)
        status = json_kept_name(fields.name, "a clip's name", error);
    if (status == MAREY_OK) status = copy_name(out->name, fields.name, "name", error);
    if (status == MAREY_OK) status = puppet_read_manner(root, &out->def, error);
    return status == MAREY_OK ? read_main(out, fields.main, error) : status;
}

marey_status puppet_asked_read(puppet_asked *out, heap *memory, const uint8_t *data, size_t count,
                               marey_error *error)
{
    json_t *root = NULL;
    *out = (puppet_asked){ .memory = memory, .samples = { .memory = memory } };
    marey_status status = json_parse(data, count, &root, error);
    if (status == MAREY_OK) status = read_all(out, root, error);
    json_decref(root);
    if (status != MAREY_OK) puppet_asked_free(out);
    return status;
}

void puppet_asked_free(puppet_asked *of)
{
    bytes_free(&of->samples);
}

marey_puppet_sample *puppet_asked_samples(const puppet_asked *of, int *count)
{
    *count = (int)(of->samples.count / sizeof(marey_puppet_sample));
    return (marey_puppet_sample *)(void *)of->samples.data;
}
