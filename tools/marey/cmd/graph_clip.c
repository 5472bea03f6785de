/* graph_clip.c - clips out of motion graphs. */
#include "graph_clip.h"

#include "param_family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int graph_clip_open(graph_clip *of, session *run, const request *asked)
{
    marey_error error;
    *of = (graph_clip){ .run = run, .asked = asked };
    of->def = (marey_walk_make_def){ .rough = request_has(asked, OPTION_ROUGH),
                                     .leave_feet = request_has(asked, OPTION_NO_CLEAN),
                                     .clean = &of->clean };
    clip_out_make(&of->out, run, asked->values[OPTION_OUTPUT],
                  request_has(asked, OPTION_PROVENANCE));
    if (!of->out.target || !*of->out.target)
        return session_usage(run, "-o OUT is needed: a file, or LIB.marey:NAME");
    int status = read_stretch(run, asked, &of->clean);
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &of->def.fps);
    if (status != PROGRAM_DONE) return status;
    if (kept_graph_open(run, asked, MAREY_LIBRARY_READ, &of->of, &error) != MAREY_OK ||
        marey_library_list(of->of.at.library, NULL, &of->listing, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    return PROGRAM_DONE;
}

void graph_clip_close(graph_clip *of)
{
    graph_pieces_free(of->run, &of->pieces);
    marey_made_free(&of->made);
    marey_listing_free(of->listing);
    kept_graph_close(&of->of);
    clip_out_free(&of->out);
}

int graph_clip_fail(graph_clip *of, const marey_error *error)
{
    of->run->out.used = 0;
    return session_fail(of->run, error);
}

/* ---- its rate and length --------------------------------------------------------------------------- */

double graph_clip_fps(const graph_clip *of)
{
    return of->def.fps > 0 ? of->def.fps : marey_clip_fps(of->of.parts->clips[0]);
}

int graph_clip_length(graph_clip *of, int frames, int *nodes)
{
    double fps = graph_clip_fps(of);
    int status = options_frames(of->run, of->asked, OPTION_LENGTH, "length", fps, &frames);
    if (status != PROGRAM_DONE || frames == 0) return status;
    double need = ceil((frames - 1) * (marey_graph_fps(of->of.graph) / fps) - 1e-6) + 1;
    of->def.frames = frames;
    *nodes = (int)fmin(fmax(need, 2), 1e9);
    return PROGRAM_DONE;
}

/* ---- making ---------------------------------------------------------------------------------------- */

marey_status graph_clip_make(graph_clip *of, marey_error *error)
{
    marey_status status = marey_walk_make(of->run->ctx, of->of.graph, &of->walk, &of->def,
                                          &of->made, &of->about, error);
    if (status == MAREY_OK) {
        status = made_figures_told(of->run, of->about.jump_ratio, &of->made, 0,
                                   marey_clip_frames(of->made.clip),
                                   !of->def.leave_feet && !of->def.rough, &of->figures, error);
    }
    if (status == MAREY_OK)
        status = graph_pieces_find(of->run, of->of.graph, &of->walk, &of->pieces, error);
    if (status != MAREY_OK) return status;
    of->out.made_of.graph = of->of.name;
    graph_pieces_note(&of->pieces, &of->of, of->listing, &of->out.made_of);
    return clip_out_note(&of->out, of->asked, error);
}

/* An empty set of plants is one too, and says so by not being NULL. */
int graph_clip_save(graph_clip *of)
{
    static const marey_contact none = { 0 };
    const marey_contacts *feet = &of->made.contacts;
    of->out.clip = of->made.clip;
    of->out.contacts = feet->count > 0 ? feet->items : &none;
    of->out.contact_count = feet->count;
    marey_listing_free(of->listing);
    of->listing = NULL;
    kept_graph_close(&of->of); /* the library that was read may be the one that is written */
    return clip_out_save(&of->out, clip_out_describe, NULL);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

/* What a frame of the walk is in the clip. */
static int made_frame(const graph_clip *of, int frame)
{
    int at = marey_walk_frame(of->of.graph, frame, graph_clip_fps(of));
    int end = marey_clip_frames(of->made.clip);
    return frame == of->walk.count || at > end ? end : at;
}

static void write_piece(const graph_clip *of, const marey_walk_piece *piece, json *to)
{
    const marey_parts *parts = of->of.parts;
    const marey_graph_node *first = &piece->first, *last = &piece->last;
    int start = made_frame(of, piece->at), end = made_frame(of, piece->at + piece->frames);
    json_open(to, NULL, '{');
    json_put_integer(to, "at", start);
    json_put_integer(to, "length", end - start);
    json_put_string(to, "clip", parts->names[first->clip].name);
    json_put_integer(to, "id", parts->parts[first->clip].clip);
    json_put_integer(to, "start", graph_frame(parts, first));
    json_put_integer(to, "end", graph_frame(parts, last) + 1);
    if (first->other >= 0) {
        json_put_string(to, "other", parts->names[first->other].name);
        json_put_integer(to, "other_id", parts->parts[first->other].clip);
        json_put_integer(to, "other_start", graph_other_frame(parts, first));
        json_put_integer(to, "other_end", graph_other_frame(parts, last) + 1);
        json_put_number(to, "weight", first->weight);
    }
    json_close(to, '}');
}

void graph_clip_json(const graph_clip *of, json *to)
{
    const marey_contacts *feet = &of->made.contacts;
    json_put_integer(to, "transitions", of->about.transitions);
    json_put_number(to, "mean_quality", of->about.mean_quality);
    json_open(to, "pieces", '[');
    for (int i = 0; i < of->pieces.count; i++) write_piece(of, &of->pieces.items[i], to);
    json_close(to, ']');
    json_plants(to, "constraints", feet->items, feet->count, 0);
    made_figures_json(&of->figures, to);
}

static void show_piece(const graph_clip *of, const marey_walk_piece *piece, buffer *out)
{
    const marey_parts *parts = of->of.parts;
    const marey_graph_node *first = &piece->first, *last = &piece->last;
    buffer_shown(out, parts->names[first->clip].name);
    buffer_print(out, "#%d-%d", graph_frame(parts, first), graph_frame(parts, last) + 1);
    if (first->other < 0) return;
    buffer_text(out, " with ");
    buffer_shown(out, parts->names[first->other].name);
    buffer_print(out, "#%d-%d", graph_other_frame(parts, first),
                 graph_other_frame(parts, last) + 1);
}

void graph_clip_text(const graph_clip *of, buffer *out)
{
    enum { SHOWN = 6 };
    int count = of->pieces.count;
    buffer_print(out, "  pieces    %d, with %d transition%s", count, of->about.transitions,
                 of->about.transitions == 1 ? "" : "s");
    if (of->about.transitions > 0)
        buffer_print(out, " of quality %.3f on average", of->about.mean_quality);
    buffer_byte(out, '\n');
    for (int i = 0; i < count && i < SHOWN; i++) {
        buffer_text(out, "            ");
        show_piece(of, &of->pieces.items[i], out);
        buffer_byte(out, '\n');
    }
    if (count > SHOWN) buffer_print(out, "            and %d more\n", count - SHOWN);
    made_figures_text(&of->figures, out);
}
