/* param_assemble.c - from parts to families. */
#include "param_assemble.h"

#include <string.h>

/* From which share of faulty blends on it is the example's own fault, not its neighbour's. */
#define MOST_BLAME 0.5
/* Without the worst ones their neighbours look better or worse, so those that stay are looked at again. */
enum { ROUNDS = 3 };

void assembled_free(assembled *of)
{
    marey_family_free(of->family);
    marey_parts_free(of->parts);
    of->family = NULL;
    of->parts = NULL;
}

marey_status assemble(assembled *out, const marey_part *parts, int count, const int *parents,
                      const marey_family_def *def, marey_error *error)
{
    marey_parts *opened = NULL;
    marey_family *family = NULL;
    marey_family_def whole = *def;
    marey_registration_def tree = { .parents = parents };
    whole.registration = &tree;
    marey_status status = marey_library_parts(out->library, parts, count, &opened, error);
    if (status == MAREY_OK) {
        status = marey_family_build(out->run->ctx, opened->clips, count, opened->contacts, &whole,
                                    &family, error);
    }
    if (status != MAREY_OK) {
        marey_parts_free(opened);
        return status;
    }
    assembled_free(out);
    out->parts = opened;
    out->family = family;
    return MAREY_OK;
}

/* ---- fewer examples -------------------------------------------------------------------------------- */

/* What stands for "none" among settings is 0 once they are resolved, and 0 stands for the default before. */
static marey_family_def settings_again(const marey_family *family)
{
    marey_family_def def = *marey_family_settings(family);
    if (def.samples == 0) def.samples = -1;
    if (def.delta == 0) def.delta = -1;
    if (def.apart == 0) def.apart = -1;
    return def;
}

static int label_count(const marey_family *family)
{
    int count, labels = 0;
    const marey_param *params = marey_family_params(family, &count);
    for (int i = 0; i < count; i++) labels += *params[i].label != 0;
    return labels;
}

typedef struct fewer {
    int count;
    int numbers[MOST_EXAMPLES]; /* that they will have; -1: they go */
    marey_part parts[MOST_EXAMPLES];
    int parents[MOST_EXAMPLES];
} fewer;

static void choose(fewer *out, const assembled *of, const uint8_t *keep)
{
    const marey_registration *tree = marey_family_registration(of->family);
    out->count = 0;
    for (int i = 0; i < of->parts->count; i++) {
        out->numbers[i] = keep[i] ? out->count : -1;
        if (keep[i]) out->parts[out->count++] = of->parts->parts[i];
    }
    for (int i = 0; i < of->parts->count; i++) {
        int parent = marey_registration_parent(tree, i);
        while (parent >= 0 && !keep[parent]) parent = marey_registration_parent(tree, parent);
        if (keep[i]) out->parents[out->numbers[i]] = parent >= 0 ? out->numbers[parent] : -1;
    }
}

/* The ways up lead to the first: its own is turned around, and those that lead nowhere now lead to it. */
static void root_at_first(fewer *of)
{
    for (int i = 0, parent = -1; i >= 0;) {
        int next = of->parents[i];
        of->parents[i] = parent;
        parent = i;
        i = next;
    }
    for (int i = 1; i < of->count; i++) {
        if (of->parents[i] < 0) of->parents[i] = 0;
    }
}

marey_status assembled_reduce(assembled *of, const uint8_t *keep, marey_error *error)
{
    fewer chosen;
    marey_family_def def = settings_again(of->family);
    size_t labels = (size_t)label_count(of->family);
    buffer values = buffer_make(&of->run->host->def);
    choose(&chosen, of, keep);
    root_at_first(&chosen);
    for (size_t i = 0; i < (size_t)of->parts->count && labels; i++) {
        if (!keep[i]) continue;
        buffer_bytes(&values, (const char *)(def.label_values + i * labels),
                     labels * sizeof(double));
    }
    /* The parameters live in the family that goes: they are copied before it does. */
    marey_param params[MAREY_MOST_PARAMS];
    memcpy(params, def.params, (size_t)def.param_count * sizeof *params);
    def.params = params;
    def.label_values = (const double *)(const void *)values.bytes;
    marey_status status =
        values.failed ? fail_for_memory(error)
                      : assemble(of, chosen.parts, chosen.count, chosen.parents, &def, error);
    buffer_free(&values);
    return status;
}

marey_status assembled_prune(assembled *of, double tolerance, int *gone, marey_error *error)
{
    uint8_t keep[MOST_EXAMPLES];
    int kept = 0, before = of->parts->count;
    marey_status status =
        marey_family_prune(of->run->ctx, of->family, tolerance, keep, &kept, error);
    /* Two are the fewest that can be mixed. */
    for (int i = 1; status == MAREY_OK && kept < 2 && i < before; i++) {
        kept += !keep[i];
        keep[i] = 1;
    }
    if (status == MAREY_OK && kept < before) status = assembled_reduce(of, keep, error);
    if (status == MAREY_OK) *gone = before - kept;
    return status;
}

/* ---- faults ---------------------------------------------------------------------------------------- */

static marey_status drop_worst(assembled *of, buffer *gone, int *count, marey_error *error)
{
    double blamed[MOST_EXAMPLES];
    uint8_t keep[MOST_EXAMPLES];
    int faults, kept = 1, count_before = of->parts->count;
    marey_status status = marey_family_examine(of->run->ctx, of->family, of->parts->contacts, NULL,
                                               0, &faults, blamed, error);
    if (status != MAREY_OK) return status;
    keep[0] = 1;
    for (int i = 1; i < count_before; i++) kept += keep[i] = blamed[i] <= MOST_BLAME;
    *count = kept < 2 ? 0 : count_before - kept;
    for (int i = 0; i < count_before && *count; i++) {
        dropped one = { .part = of->parts->parts[i], .share = blamed[i] };
        memcpy(one.name, of->parts->names[i].name, sizeof one.name);
        if (!keep[i]) buffer_bytes(gone, (const char *)&one, sizeof one);
    }
    if (gone->failed) return fail_for_memory(error);
    return *count ? assembled_reduce(of, keep, error) : MAREY_OK;
}

marey_status assembled_drop_faulty(assembled *of, buffer *gone, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int round = 0, count = 1; round < ROUNDS && count && status == MAREY_OK; round++) {
        status = drop_worst(of, gone, &count, error);
    }
    return status;
}

marey_status assembled_faults(const assembled *of, int *count, marey_error *error)
{
    return marey_family_examine(of->run->ctx, of->family, of->parts->contacts, NULL, 0, count, NULL,
                                error);
}

marey_status assembled_bytes(const assembled *of, size_t *bytes, marey_error *error)
{
    uint8_t *written = NULL;
    marey_status status = marey_family_write(of->family, &written, bytes, NULL, error);
    if (status == MAREY_OK) marey_family_bytes_free(of->run->ctx, written, *bytes);
    return status;
}
