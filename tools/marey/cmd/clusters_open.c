/* clusters_open.c - what the commands of cluster graphs share. */
#include "clusters_open.h"

#include "graph_open.h"

#include <stdio.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------------- */

marey_status kept_clusters_open(session *run, const request *asked, kept_clusters *out,
                                marey_error *error)
{
    kept_clusters of = { .run = run, .name = asked->operands[1] };
    marey_status status = shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &of.at, error);
    if (status != MAREY_OK) return status;
    status = marey_library_clusters(of.at.library, of.name, &of.parts, &of.graph, error);
    if (status != MAREY_OK) {
        shelf_close(&of.at, true);
        shelf_hint("cluster", "build", error);
        return status;
    }
    *out = of;
    return MAREY_OK;
}

void kept_clusters_close(kept_clusters *of)
{
    marey_clusters_free(of->graph);
    marey_parts_free(of->parts);
    of->graph = NULL;
    of->parts = NULL;
    if (of->at.library) shelf_close(&of->at, true);
    of->at.library = NULL;
}

int kept_clusters_end(kept_clusters *of, marey_status status, marey_error *error)
{
    session *run = of->run;
    kept_clusters_close(of);
    if (status == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, error);
}

/* ---- frames ---------------------------------------------------------------------------------------- */

int clusters_frame(const marey_parts *parts, int part, int frame)
{
    return parts->parts[part].start + frame;
}

static marey_status fail_unknown(const kept_clusters *of, const char *name, marey_error *error)
{
    const char *nearest = NULL;
    for (int i = 0; i < of->parts->count && !nearest; i++) {
        if (is_near(name, of->parts->names[i].name)) nearest = of->parts->names[i].name;
    }
    return fail_graph(error, MAREY_ERR_INPUT, of->at.path,
                      "the cluster graph %.100s has no clip %.200s%s%.200s%s", of->name, name,
                      nearest ? "; is it " : "", nearest ? nearest : "", nearest ? "?" : "");
}

marey_status clusters_part(const kept_clusters *of, const char *clip, int frame, int *part,
                           marey_error *error)
{
    int longest = -1;
    for (int i = 0; i < of->parts->count; i++) {
        const marey_part *one = &of->parts->parts[i];
        if (!parts_is_clip(of->parts, i, clip)) continue;
        if (frame >= one->start && frame < one->end) {
            *part = i;
            return MAREY_OK;
        }
        int best =
            longest < 0 ? 0 : of->parts->parts[longest].end - of->parts->parts[longest].start;
        if (one->end - one->start > best) longest = i;
    }
    if (longest < 0) return fail_unknown(of, clip, error);
    if (frame >= 0) {
        return fail_graph(error, MAREY_ERR_REQUEST, clip,
                          "frame %d is no captured frame of this clip in the cluster graph %.100s, "
                          "which has %d to %d",
                          frame, of->name, of->parts->parts[longest].start,
                          of->parts->parts[longest].end - 1);
    }
    *part = longest;
    return MAREY_OK;
}

marey_status clusters_place(const kept_clusters *of, const char *text, clip_place *out,
                            marey_error *error)
{
    int part = 0, frames = 0;
    if (!address_parse(text, &out->at))
        return fail_graph(error, MAREY_ERR_INPUT, text, "this name is too long");
    out->start = out->end = -1;
    marey_status status = clusters_part(of, out->at.path, -1, &part, error);
    if (status != MAREY_OK) {
        address_explain(text, error);
        return status;
    }
    if (!out->at.range.given) return MAREY_OK;
    for (int i = 0; i < of->parts->count; i++) {
        if (of->parts->parts[i].clip == of->parts->parts[part].clip)
            frames = of->parts->parts[i].end; /* the last one's */
    }
    status = range_find_among(&out->at.range, frames, marey_clip_fps(of->parts->clips[part]), 0,
                              &out->start, &out->end, error);
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", out->at.path);
    if (status == MAREY_OK && out->at.range.one_frame) out->end = -1;
    return status;
}
