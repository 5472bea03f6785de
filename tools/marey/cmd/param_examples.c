/* param_examples.c - examples that are named or labelled. */
#include "param_examples.h"

#include "address.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static marey_status fail_request(marey_error *error, const char *path, const char *message)
{
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->path, sizeof error->path, "%.1000s", path);
    snprintf(error->message, sizeof error->message, "%s", message);
    return MAREY_ERR_REQUEST;
}

/* Examples are clips of the library; files become such when they are named behind the family. */
static void explain_file(const char *name, marey_error *error)
{
    size_t used = strlen(error->message);
    if (access(name, F_OK) != 0) return;
    snprintf(error->message + used, sizeof error->message - used,
             "; files are put in first if they are named: marey param build LIB NAME %.300s ...",
             name);
}

/* Fails with the nearest name. */
static marey_status fail_unknown(const examples *out, const char *name, marey_error *error)
{
    marey_clip *none = NULL;
    marey_status status = marey_library_load(out->library, name, &none, error);
    marey_clip_free(none);
    if (marey_status_group(status) == MAREY_ERR_INPUT) {
        address_explain(name, error);
        explain_file(name, error);
    }
    return status == MAREY_OK ? fail_request(error, name, "this clip was put in just now; again")
                              : status;
}

static const marey_entry *find_entry(const examples *out, const char *name)
{
    const char *clip = out->files ? param_files_clip(out->files, name) : NULL;
    return listing_find(out->listing, clip ? clip : name);
}

static marey_status add_part(examples *out, const marey_entry *entry, int start, int end,
                             int parent, marey_error *error)
{
    if (out->count == MOST_EXAMPLES) {
        char text[64];
        snprintf(text, sizeof text, "more than %d examples", (int)MOST_EXAMPLES);
        return fail_request(error, marey_library_path(out->library), text);
    }
    out->parents[out->count] = out->count ? parent : -1;
    out->parts[out->count++] = (marey_part){ .clip = entry->id, .start = start, .end = end };
    return MAREY_OK;
}

marey_status examples_clip(const examples *out, const char *name, int64_t *id, marey_error *error)
{
    const marey_entry *entry = find_entry(out, name);
    if (!entry) return fail_unknown(out, name, error);
    *id = entry->id;
    return MAREY_OK;
}

marey_status examples_add(examples *out, const char *text, int parent, marey_error *error)
{
    address from;
    int start = 0, end = 0;
    if (!address_parse(text, &from)) return fail_request(error, text, "this name is too long");
    const marey_entry *entry = find_entry(out, from.path);
    if (!entry) return fail_unknown(out, from.path, error);
    marey_status status = MAREY_OK;
    if (from.range.given) {
        status = range_find_among(&from.range, entry->frames, entry->fps, 0, &start, &end, error);
    } else {
        end = entry->frames;
    }
    if (status == MAREY_OK) return add_part(out, entry, start, end, parent, error);
    snprintf(error->path, sizeof error->path, "%.1000s", from.path);
    return status;
}

/* ---- by name --------------------------------------------------------------------------------------- */

/* A name may hold a comma, so a list that is a clip's name as a whole is that clip. */
static bool is_one(const examples *out, const char *text)
{
    address from;
    return !strchr(text, ',') || (address_parse(text, &from) && find_entry(out, from.path) != NULL);
}

static marey_status add_list(examples *out, const char *list, marey_error *error)
{
    char text[4096 + 64];
    if (is_one(out, list)) return examples_add(out, list, 0, error);
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof text) return fail_request(error, list, "this name is too long");
        if (length == 0) return fail_request(error, list, "--clips has a comma without a clip");
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        marey_status status = examples_add(out, text, 0, error);
        at += length;
        if (status != MAREY_OK || !*at) return status;
    }
}

marey_status examples_named(examples *out, const request *asked, marey_error *error)
{
    marey_status status = MAREY_OK;
    const char *list;
    int at = 0;
    while (status == MAREY_OK && (list = request_next(asked, OPTION_CLIPS, &at))) {
        status = add_list(out, list, error);
    }
    return status;
}

/* ---- by label -------------------------------------------------------------------------------------- */

static bool has_label(const marey_entry *entry, const char *label)
{
    for (int i = 0; i < entry->label_count; i++) {
        if (strcmp(entry->labels[i], label) == 0) return true;
    }
    return false;
}

marey_status examples_labelled(examples *out, const char *label, marey_error *error)
{
    int count;
    const marey_entry *entries = marey_listing_entries(out->listing, &count);
    for (int i = 0; i < count; i++) {
        if (!has_label(&entries[i], label)) continue;
        marey_status status = add_part(out, &entries[i], 0, entries[i].frames, 0, error);
        if (status != MAREY_OK) return status;
    }
    if (out->count > 0) return MAREY_OK;
    char text[300];
    snprintf(text, sizeof text, "no clip has the label %.200s", label);
    return fail_request(error, marey_library_path(out->library), text);
}

/* ---- labels as parameters -------------------------------------------------------------------------- */

/* The number behind "NAME=". */
static bool label_number(const marey_entry *entry, const char *name, double *value)
{
    size_t length = strlen(name);
    for (int i = 0; i < entry->label_count; i++) {
        const char *label = entry->labels[i];
        if (strncmp(label, name, length) != 0 || label[length] != '=') continue;
        if (numbers_parse(label + length + 1, 1, value)) return true;
    }
    return false;
}

static marey_status put_label(const examples *of, const marey_part *part, const char *name,
                              buffer *out, marey_error *error)
{
    char number[24], text[300];
    double value;
    snprintf(number, sizeof number, "#%lld", (long long)part->clip);
    const marey_entry *entry = listing_find(of->listing, number);
    if (entry && label_number(entry, name, &value)) {
        buffer_bytes(out, (const char *)&value, sizeof value);
        return MAREY_OK;
    }
    snprintf(text, sizeof text,
             "has no label that says what %.60s is; marey label --add %.60s=0.7 gives it one", name,
             name);
    return fail_request(error, entry ? entry->name : number, text);
}

marey_status examples_label_values(const examples *of, const marey_param *params, int param_count,
                                   buffer *out, marey_error *error)
{
    for (int i = 0; i < of->count; i++) {
        for (int k = 0; k < param_count; k++) {
            if (!*params[k].label) continue;
            marey_status status = put_label(of, &of->parts[i], params[k].label, out, error);
            if (status != MAREY_OK) return status;
        }
    }
    return out->failed ? fail_for_memory(error) : MAREY_OK;
}
