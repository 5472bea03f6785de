/* family_building.c - from parts of clips to a family. */
#include "family_building.h"

#include "provenance_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- labels ------------------------------------------------------------------------------------- */

/* The number behind "NAME=". strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
static bool label_number(const marey_entry *entry, const char *name, double *value)
{
    size_t length = strlen(name);
    for (int i = 0; i < entry->label_count; i++) {
        const char *label = entry->labels[i], *number = label + length + 1;
        char *end = NULL;
        if (strncmp(label, name, length) != 0 || label[length] != '=') continue;
        *value = strtod(number, &end);
        if (*number && !*end && strspn(number, "+-.0123456789eE") == strlen(number) &&
            fabs(*value) <= 1e12) {
            return true;
        }
    }
    return false;
}

static marey_status read_labels(family_building *all, marey_error *error)
{
    for (int i = 0; i < all->count; i++) {
        const marey_entry *entry = provenance_entry(all->listing, all->parts[i].clip);
        for (int k = 0; k < all->body.feature_count; k++) {
            double value;
            if (!*all->params[k].label) continue;
            if (!label_number(entry, all->params[k].label, &value)) {
                *error = (marey_error){ .status = MAREY_ERR_REQUEST };
                snprintf(error->message, sizeof error->message,
                         "the clip %.120s has no label that says what %.60s is: give it one such "
                         "as %.60s=0.7",
                         entry->name, all->params[k].label, all->params[k].label);
                return MAREY_ERR_REQUEST;
            }
            bytes_add(&all->labels, &value, sizeof value);
        }
    }
    return all->labels.failed ? fail_memory(error) : MAREY_OK;
}

/* ---- the family --------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static marey_status try_build(family_building *all, marey_error *error)
{
    marey_registration_def tree = { .parents = all->parents };
    marey_family_def def = { .params = all->params,
                             .param_count = all->body.feature_count,
                             .label_values = (const double *)(const void *)all->labels.data,
                             .registration = &tree,
                             .samples = all->body.samples,
                             .delta = all->body.delta,
                             .grow = all->body.grow };
    double start = now_s();
    marey_status status =
        marey_library_parts(all->by->library, all->parts, all->count, &all->opened, error);
    if (status != MAREY_OK) return status;
    status = marey_family_build(all->by->ctx, all->opened->clips, all->count, all->opened->contacts,
                                &def, &all->family, error);
    all->seconds = now_s() - start;
    if (status == MAREY_OK) return MAREY_OK;
    marey_parts_free(all->opened);
    all->opened = NULL;
    return status;
}

/* ---- what is wrong with it ---------------------------------------------------------------------- */

/* How many faults there can be: some of each kind for each example with its few neighbours. */
static marey_status examine(family_building *all, marey_error *error)
{
    int room = all->count * (marey_family_dims(all->family) + 2) * MAREY_FAULT_COUNT;
    all->fault_bytes = (size_t)room * sizeof *all->faults;
    all->faults = heap_resize(all->memory, NULL, 0, all->fault_bytes);
    if (!all->faults) return fail_memory(error);
    marey_status status =
        marey_family_examine(all->by->ctx, all->family, all->opened->contacts, all->faults, room,
                             &all->fault_count, all->blamed, error);
    if (all->fault_count > room) all->fault_count = room;
    return status;
}

marey_status family_prepare(family_building *all, marey_error *error)
{
    for (int i = 0; i < all->body.feature_count; i++) {
        marey_status status = marey_param_parse(all->body.features[i], &all->params[i], error);
        if (status != MAREY_OK) return status;
    }
    return read_labels(all, error);
}

/* What is kept of other requests makes way before this one fails for memory. */
marey_status family_assemble(family_building *all, marey_error *error)
{
    marey_status status = try_build(all, error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(all->by);
        status = try_build(all, error);
    }
    return status == MAREY_OK && all->body.examine ? examine(all, error) : status;
}
