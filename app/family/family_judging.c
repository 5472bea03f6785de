/* family_judging.c - `param check`: how near a family's answers are, tried on what blends with
   fresh random weights do; `param examine`: which examples do not blend with their neighbours
   (webs, 6.4.2). */
#include "families.h"
#include "operations.h"

#include <stddef.h>

/* ---- check ----------------------------------------------------------------------------------- */

static const app_param check_params[] = {
    APP_FAMILY_PARAM(app_family_check_params),
    { .name = "count",
      .type = APP_WHOLE,
      .at = offsetof(app_family_check_params, count),
      .least = 1,
      .most = 1000000,
      .value = "N",
      .standard = "1000",
      .help = "how many requests are tried" },
    { .name = "seed",
      .type = APP_WHOLE,
      .at = offsetof(app_family_check_params, seed),
      .least = 1,
      .most = INT32_MAX,
      .value = "N",
      .standard = "1",
      .help = "tries others" },
    { 0 },
};

static marey_status run_check(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_family_check_params *request = params;
    app_family_checked *out = result;
    app_saved_family *from = NULL;
    marey_status status = app_family_open(env, request->name, &from, error);
    if (status != MAREY_OK) return status;
    out->family = from->family;
    return marey_family_try(env->ctx, from->family, request->count, (uint64_t)request->seed, NULL,
                            &out->check, error);
}

static void write_checked(const void *params, const void *result, json *out)
{
    const app_family_check_params *request = params;
    const app_family_checked *of = result;
    const marey_family_check *got = &of->check;
    json_put_string(out, "name", request->name);
    json_put_integer(out, "count", got->count);
    json_put_integer(out, "seed", request->seed);
    app_family_write_cm(out, "median_error_cm", of->family, got->median);
    app_family_write_cm(out, "p95_error_cm", of->family, got->p95);
    app_family_write_cm(out, "worst_error_cm", of->family, got->worst);
    app_family_write_cm(out, "table_median_error_cm", of->family, got->table_median);
    app_family_write_cm(out, "table_p95_error_cm", of->family, got->table_p95);
    app_family_write_cm(out, "table_worst_error_cm", of->family, got->table_worst);
    json_put_number(out, "median_error", got->median);
    json_put_number(out, "p95_error", got->p95);
    json_put_number(out, "worst_error", got->worst);
    json_put_number(out, "table_median_error", got->table_median);
    json_put_number(out, "table_p95_error", got->table_p95);
    json_put_number(out, "table_worst_error", got->table_worst);
    json_put_string(out, "error_unit", app_family_unit(of->family));
    json_put_integer(out, "invalid", got->invalid);
}

const app_operation app_param_check = {
    .name = "param check",
    .summary = "measure how near a family's motions come to what is asked for",
    .description = { "Asks for what blends with fresh random weights do, which can be met, and "
                     "tells how far off the answers are, with refinement and from the table of "
                     "samples alone. Errors are in the unit of the features; where these differ, "
                     "in per cent of the diagonal of the examples' box." },
    .params = check_params,
    .params_size = sizeof(app_family_check_params),
    .result_size = sizeof(app_family_checked),
    .library = APP_READS,
    .takes_long = true,
    .run = run_check,
    .write = write_checked,
};

/* ---- examine --------------------------------------------------------------------------------- */

static const app_param examine_params[] = {
    APP_FAMILY_PARAM(app_saved_name),
    { 0 },
};

marey_status app_family_examine(const app_env *env, const marey_family *family,
                                const marey_parts *parts, app_examination *out, marey_error *error)
{
    /* How many faults there can be: some of each kind for each example with its few neighbours. */
    int room = parts->count * (marey_family_dims(family) + 2) * MAREY_FAULT_COUNT;
    out->faults = APP_NEW(env->scope, marey_fault, room);
    out->blamed = APP_NEW(env->scope, double, parts->count);
    if (!out->faults || !out->blamed) return app_fail_memory(error);
    marey_status status = marey_family_examine(env->ctx, family, parts->contacts, out->faults, room,
                                               &out->count, out->blamed, error);
    if (out->count > room) out->count = room;
    return status;
}

static marey_status run_examine(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_saved_name *request = params;
    app_family_examined *out = result;
    app_saved_family *from = NULL;
    marey_status status = app_family_open(env, request->name, &from, error);
    out->from = from;
    if (status != MAREY_OK) return status;
    return app_family_examine(env, from->family, from->parts, &out->examination, error);
}

static void write_examined(const void *params, const void *result, json *out)
{
    const app_saved_name *request = params;
    const app_family_examined *of = result;
    const marey_parts *parts = of->from->parts;
    json_put_string(out, "name", request->name);
    json_open(out, "examples", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(out, NULL, '{');
        app_part_write(out, parts->names[i].name, &parts->parts[i]);
        json_put_number(out, "blamed", of->examination.blamed[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
    app_faults_write(out, "faults", &of->examination, parts);
}

const app_operation app_param_examine = {
    .name = "param examine",
    .summary = "say which examples of a family do not fit the others",
    .description = { "Blends every example half and half with its neighbours and looks at the "
                     "results: one that stands on a foot while the other swings it, feet that "
                     "slide far or go through the floor, joints that jump. param build "
                     "--drop-faulty leaves such examples out." },
    .params = examine_params,
    .params_size = sizeof(app_saved_name),
    .result_size = sizeof(app_family_examined),
    .library = APP_READS,
    .takes_long = true,
    .run = run_examine,
    .write = write_examined,
};

/* ---- faults ---------------------------------------------------------------------------------- */

void app_fault_text(const marey_fault *fault, const marey_parts *parts, buffer *out)
{
    int sides[2] = { fault->example, fault->with };
    const char *about = NULL;
    marey_fault_name(fault->kind, &about);
    for (int side = 0; side < 2; side++) {
        const marey_part *part = &parts->parts[sides[side]];
        if (side) buffer_text(out, " with ");
        buffer_shown(out, parts->names[sides[side]].name);
        buffer_print(out, "#%d-%d", part->start, part->end);
    }
    buffer_print(out, ": %s: ", about);
    switch (fault->kind) {
    case MAREY_FAULT_FOOT:
        buffer_print(out, "%.0f %% of the time (%.0f %% is too much)", 100 * fault->value,
                     100 * fault->limit);
        break;
    case MAREY_FAULT_SLIDE:
    case MAREY_FAULT_SINK:
        buffer_print(out, "%.1f cm (%.1f is too much)", fault->value, fault->limit);
        break;
    case MAREY_FAULT_JUMP:
    case MAREY_FAULT_COUNT:
        buffer_print(out, "%.1f times its examples' largest step (%.1f is too much)", fault->value,
                     fault->limit);
    }
}

void app_faults_write(json *out, const char *key, const app_examination *examination,
                      const marey_parts *parts)
{
    json_open(out, key, '[');
    for (int i = 0; i < examination->count; i++) {
        const marey_fault *fault = &examination->faults[i];
        char room[2 * MAREY_NAME_ROOM + 512];
        buffer text = buffer_fixed(room, sizeof room - 1);
        const char *about = NULL, *kind = marey_fault_name(fault->kind, &about);
        app_fault_text(fault, parts, &text);
        room[text.used] = 0;
        json_open(out, NULL, '{');
        json_put_integer(out, "example", fault->example);
        json_put_integer(out, "with", fault->with);
        json_put_string(out, "kind", kind);
        json_put_string(out, "about", about);
        json_put_number(out, "value", fault->value);
        json_put_number(out, "limit", fault->limit);
        json_put_string(out, "text", room);
        json_close(out, '}');
    }
    json_close(out, ']');
}
