/* cluster_assemble.c - from names of clips to a cluster graph. */
#include "cluster_assemble.h"

#include "chosen_clips.h"
#include "metric_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

marey_status clusters_start(assembled_clusters *of, session *run, marey_library *library,
                            marey_error *error)
{
    *of = (assembled_clusters){ .run = run, .library = library, .def = of->def };
    return marey_library_list(library, NULL, &of->listing, error);
}

void assembled_clusters_free(assembled_clusters *of)
{
    marey_clusters_free(of->graph);
    marey_parts_free(of->parts);
    marey_listing_free(of->listing);
    *of = (assembled_clusters){ .run = of->run };
}

marey_status clusters_choose(assembled_clusters *of, char **names, int count, const char *label,
                             marey_error *error)
{
    app_scope scope = app_scope_open(&of->run->host->def);
    app_env env = { .ctx = of->run->ctx, .library = of->library, .scope = &scope };
    app_texts named = { (const char *const *)names, count };
    app_chosen chosen = { 0 };
    marey_status status = app_choose_clips(&env, of->listing, &named, label, &chosen, error);
    if (status == MAREY_OK) {
        status = marey_library_captured_parts(of->library, chosen.clips, chosen.count, &of->parts,
                                              error);
    }
    of->left_out += chosen.left_out;
    app_scope_close(&scope);
    return status;
}

marey_status clusters_assemble(assembled_clusters *of, marey_error *error)
{
    double start = seconds_now();
    marey_status status = marey_clusters_build(of->run->ctx, of->parts->clips, of->parts->count,
                                               &of->def, &of->graph, error);
    of->seconds = seconds_now() - start;
    return status;
}

/* ---- what is known of it --------------------------------------------------------------------------- */

void json_settings(json *to, const option_row *rows, const request *asked)
{
    json_open(to, "settings", '{');
    for (const option_row *row = rows; row && row->name; row++) {
        if (!request_has(asked, row->key)) continue;
        if (row->value) {
            json_put_string(to, row->name, asked->values[row->key]);
        } else {
            json_put_boolean(to, row->name, true);
        }
    }
    json_close(to, '}');
}

void clusters_about_write(const char *made_by, const marey_clusters *graph, const option_row *rows,
                          const request *asked, buffer *out)
{
    const marey_clusters_def *def = marey_clusters_settings(graph);
    json to = json_make(out);
    int nodes, sequences;
    marey_clusters_nodes(graph, &nodes);
    marey_clusters_sequences(graph, &sequences);
    json_open(&to, NULL, '{');
    json_put_string(&to, "made_by", made_by);
    json_put_string(&to, "version", marey_version());
    json_put_string(&to, "link", marey_link_name(def->link));
    json_put_number(&to, "fps", marey_clusters_fps(graph));
    json_put_number(&to, "threshold", def->threshold);
    json_put_integer(&to, "frames", marey_clusters_frames(graph));
    json_put_integer(&to, "nodes", nodes);
    json_put_integer(&to, "sequences", sequences);
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

/* Parts of one clip follow each other. */
static bool is_first(const marey_parts *parts, int i)
{
    return i == 0 || parts->parts[i].clip != parts->parts[i - 1].clip;
}

void json_clip_names(json *to, const char *key, const marey_parts *parts)
{
    json_open(to, key, '[');
    for (int i = 0; i < parts->count; i++) {
        if (is_first(parts, i)) json_put_string(to, NULL, parts->names[i].name);
    }
    json_close(to, ']');
}

void buffer_clip_names(buffer *out, const marey_parts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        if (!is_first(parts, i)) continue;
        if (i) buffer_text(out, ", ");
        buffer_shown(out, parts->names[i].name);
    }
}
