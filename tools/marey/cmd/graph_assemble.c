/* graph_assemble.c - from names of clips to a motion graph. */
#include "graph_assemble.h"

#include "metric_options.h"
#include "param_family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

marey_status graph_start(assembled_graph *of, session *run, marey_library *library,
                         marey_error *error)
{
    *of =
        (assembled_graph){ .run = run, .library = library, .clips = buffer_make(&run->host->def) };
    behaviours_make(&of->said, run);
    return marey_library_list(library, NULL, &of->listing, error);
}

void assembled_graph_free(assembled_graph *of)
{
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
    behaviours_free(&of->said);
    buffer_free(&of->clips);
    marey_listing_free(of->listing);
    *of = (assembled_graph){ .run = of->run };
}

/* ---- clips ----------------------------------------------------------------------------------------- */

static bool is_chosen(const assembled_graph *of, int64_t id)
{
    for (size_t at = 0; at < of->clips.used; at += sizeof id) {
        if (memcmp(of->clips.bytes + at, &id, sizeof id) == 0) return true;
    }
    return false;
}

/* The library says which name is nearest. */
static marey_status choose_named(assembled_graph *of, const char *name, marey_error *error)
{
    const marey_entry *entry = listing_find(of->listing, name);
    if (!entry) {
        marey_clip *none = NULL;
        marey_status status = marey_library_load(of->library, name, &none, error);
        marey_clip_free(none);
        if (status != MAREY_OK) return status;
        return fail_graph(error, MAREY_ERR_REQUEST, name, "this clip was put in just now; again");
    }
    if (!is_chosen(of, entry->id))
        buffer_bytes(&of->clips, (const char *)&entry->id, sizeof entry->id);
    return MAREY_OK;
}

static bool has_label(const marey_entry *entry, const char *label)
{
    for (int i = 0; i < entry->label_count; i++) {
        if (strcmp(entry->labels[i], label) == 0) return true;
    }
    return false;
}

static marey_status choose_all(assembled_graph *of, const char *label, marey_error *error)
{
    int count;
    const marey_entry *entries = marey_listing_entries(of->listing, &count), *first = NULL;
    for (int i = 0; i < count; i++) {
        if (label && !has_label(&entries[i], label)) continue;
        if (!first) first = &entries[i];
        if (strcmp(entries[i].skeleton, first->skeleton) == 0) {
            buffer_bytes(&of->clips, (const char *)&entries[i].id, sizeof entries[i].id);
        } else {
            of->left_out++;
        }
    }
    if (first) return MAREY_OK;
    if (!label) {
        return fail_graph(error, MAREY_ERR_REQUEST, marey_library_path(of->library),
                          "this library has no clips; marey add puts some in");
    }
    return fail_graph(error, MAREY_ERR_REQUEST, marey_library_path(of->library),
                      "no clip has the label %.200s; marey ls shows the labels there are", label);
}

marey_status graph_choose(assembled_graph *of, char **names, int count, const char *label,
                          marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++)
        status = choose_named(of, names[i], error);
    if (count == 0) status = choose_all(of, label, error);
    if (status == MAREY_OK && of->clips.failed) status = fail_for_memory(error);
    if (status != MAREY_OK) return status;
    return marey_library_captured_parts(of->library, (const int64_t *)(const void *)of->clips.bytes,
                                        (int)(of->clips.used / sizeof(int64_t)), &of->parts, error);
}

/* ---- building -------------------------------------------------------------------------------------- */

marey_status graph_assemble(assembled_graph *of, marey_graph_def *def, marey_error *error)
{
    double start = seconds_now();
    def->behaviours = of->said.items;
    def->behaviour_count = of->said.count;
    marey_graph_free(of->graph);
    of->graph = NULL;
    marey_status status = marey_graph_build(of->run->ctx, of->parts->clips, of->parts->count,
                                            of->parts->contacts, def, &of->graph, error);
    of->seconds = seconds_now() - start;
    return status;
}

/* ---- what is known of it --------------------------------------------------------------------------- */

void json_settings(json *to, const option_row *rows, const request *asked)
{
    json_open(to, "settings", '{');
    for (const option_row *row = rows; row && row->name; row++) {
        if (!request_has(asked, row->key) || row->key == OPTION_SWEEP) continue;
        if (row->value) {
            json_put_string(to, row->name, asked->values[row->key]);
        } else {
            json_put_boolean(to, row->name, true);
        }
    }
    json_close(to, '}');
}

void graph_about_write(const char *made_by, const marey_graph *graph, const option_row *rows,
                       const request *asked, buffer *out)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    json to = json_make(out);
    int transitions;
    marey_graph_transitions(graph, &transitions);
    json_open(&to, NULL, '{');
    json_put_string(&to, "made_by", made_by);
    json_put_string(&to, "version", marey_version());
    json_put_string(&to, "kind", marey_graph_kind_name(def->kind));
    json_put_number(&to, "fps", marey_graph_fps(graph));
    json_put_number(&to, "threshold", def->threshold);
    json_put_integer(&to, "frames", marey_graph_originals(graph));
    json_put_integer(&to, "nodes", marey_graph_nodes(graph));
    json_put_integer(&to, "transitions", transitions);
    json_graph_labels(&to, graph);
    json_settings(&to, rows, asked);
    json_close(&to, '}');
    buffer_byte(out, 0);
}

/* What stands behind "key": before the labels and settings, which somebody else chose. */
static const char *find_value(const char *about, const char *key)
{
    char quoted[32];
    const char *end = strstr(about, "\"labels\":");
    if (!end) end = strstr(about, "\"settings\":");
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(about, quoted);
    return at && end && at < end ? at + strlen(quoted) : NULL;
}

double graph_about_number(const char *about, const char *key)
{
    const char *at = find_value(about, key);
    char *end = NULL;
    double value = at ? strtod(at, &end) : NAN;
    return at && end > at ? value : NAN;
}

bool graph_about_text(const char *about, const char *key, char *text, size_t room)
{
    const char *at = find_value(about, key);
    if (!at || *at != '"') return false;
    snprintf(text, room, "%.*s", (int)strcspn(at + 1, "\"\\"), at + 1);
    return true;
}
