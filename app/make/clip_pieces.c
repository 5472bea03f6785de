/* clip_pieces.c - pieces of clips in a row: made, measured, noted and described. */
#include "clip_pieces.h"

#include <math.h>

/* ---- where each of them is ------------------------------------------------------------------- */

/* As marey_pieces_make counts: pieces that follow each other at one pace are one. */
static const double same_frame = 1e-6;

static double pace_of(const app_pieces *pieces, const marey_piece *piece, double fps)
{
    double pace = marey_clip_fps(pieces->parts->clips[piece->clip]) / fps,
           whole = floor(pace + 0.5);
    if (piece->seconds > 0) return (piece->end - piece->start) / (piece->seconds * fps);
    return fabs(pace - whole) < same_frame ? whole : pace;
}

static void find_places(app_pieces *pieces, double fps)
{
    for (int first = 0, end, at = 0; first < pieces->count; first = end) {
        const marey_piece *piece = &pieces->pieces[first];
        double pace = pace_of(pieces, piece, fps), stop = piece->end;
        pieces->at[first] = at;
        for (end = first + 1; end < pieces->count; end++) {
            const marey_piece *next = &pieces->pieces[end];
            if (next->clip != piece->clip || fabs(next->start - stop) > same_frame ||
                fabs(pace_of(pieces, next, fps) - pace) > same_frame * pace)
                break;
            pieces->at[end] = at + (int)lround((next->start - piece->start) / pace);
            stop = next->end;
        }
        double frames = (stop - piece->start) / pace;
        at += (int)(piece->seconds > 0 ? floor(frames + 0.5) : ceil(frames - same_frame));
        pieces->at[end] = at;
    }
}

/* ---- made ------------------------------------------------------------------------------------ */

/* Each clip that pieces are of is measured once, and each piece is a source: the whole frames that
   are seen of it. */
static marey_status note_sources(const app_env *env, const app_pieces *pieces, app_made *made,
                                 marey_error *error)
{
    const marey_parts *parts = pieces->parts;
    const marey_listing *listing = NULL;
    marey_status status = app_listing(env, &listing, error);
    made->inputs = APP_NO_SPEEDS;
    for (int i = 0; i < pieces->count && status == MAREY_OK; i++) {
        const marey_piece *piece = &pieces->pieces[i];
        const marey_part *part = &parts->parts[piece->clip];
        marey_part seen = { part->clip, part->start + (int)floor(piece->start),
                            part->start + (int)ceil(piece->end) };
        int k = 0;
        status = app_provenance_part(&made->from, env, listing, &seen, 0, error);
        while (k < i && pieces->pieces[k].clip != piece->clip) k++;
        if (status != MAREY_OK || k < i) continue;
        status = app_speeds_add(parts->clips[piece->clip], NULL, &made->inputs, error);
    }
    return status;
}

marey_status app_pieces_make(const app_env *env, const app_operation *operation,
                             const app_params *params, const marey_pieces_def *def,
                             app_pieces *pieces, app_made *made, marey_error *error)
{
    const marey_parts *parts = pieces->parts;
    pieces->at = APP_NEW(env->scope, int, pieces->count + 1);
    if (!pieces->at) return app_fail_memory(error);
    marey_status status =
        marey_pieces_make(env->ctx, parts->clips, parts->count, parts->contacts, pieces->pieces,
                          pieces->count, def, &made->made, &pieces->about, error);
    if (status == MAREY_OK) status = app_made_own(env, made, error);
    if (status == MAREY_OK) status = note_sources(env, pieces, made, error);
    if (status != MAREY_OK) return status;
    find_places(pieces, marey_clip_fps(made->made.clip));
    made->cleaned = !def->leave_feet && !def->rough;
    made->end = marey_clip_frames(made->made.clip);
    made->jump_known = true;
    made->jump_ratio = pieces->about.jump_ratio;
    return app_made_finish(env, operation, params, made, error);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

void app_pieces_write(const app_pieces *pieces, const app_made *made, json *out)
{
    const marey_contacts *plants = &made->made.contacts;
    json_put_integer(out, "transitions", pieces->about.transitions);
    json_put_number(out, "mean_quality", pieces->about.mean_quality);
    json_open(out, "pieces", '[');
    for (int i = 0; i < pieces->count; i++) {
        const marey_piece *piece = &pieces->pieces[i];
        const marey_part *part = &pieces->parts->parts[piece->clip];
        double fps = marey_clip_fps(pieces->parts->clips[piece->clip]);
        json_open(out, NULL, '{');
        json_put_integer(out, "at", pieces->at[i]);
        json_put_integer(out, "length", pieces->at[i + 1] - pieces->at[i]);
        json_put_string(out, "clip", pieces->parts->names[piece->clip].name);
        json_put_integer(out, "id", part->clip);
        json_put_number(out, "start", part->start + piece->start);
        json_put_number(out, "end", part->start + piece->end);
        json_put_number(out, "seconds",
                        piece->seconds > 0 ? piece->seconds : (piece->end - piece->start) / fps);
        json_close(out, '}');
    }
    json_close(out, ']');
    app_contacts_write(out, "constraints", plants->items, plants->count, 0);
    app_made_write(made, out);
}
