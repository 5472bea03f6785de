/* made_pieces.c - pieces of clips in a row. */
#include "made_pieces.h"

#include <math.h>

/* ---- where each of them is ---------------------------------------------------------------------- */

/* As marey_pieces_make counts: pieces that follow each other at one pace are one. */
static const double same_frame = 1e-6;

typedef struct made_row {
    int first, end; /* pieces that are one */
    double start, stop;
    int length;
} made_row;

static double pace_of(const made_pieces *all, const marey_piece *piece, double fps)
{
    double pace = marey_clip_fps(all->parts->clips[piece->clip]) / fps, whole = floor(pace + 0.5);
    if (piece->seconds > 0) return (piece->end - piece->start) / (piece->seconds * fps);
    return fabs(pace - whole) < same_frame ? whole : pace;
}

static made_row row_from(const made_pieces *all, int first, double fps)
{
    const marey_piece *piece = &all->pieces[first];
    double pace = pace_of(all, piece, fps);
    made_row row = { first, first + 1, piece->start, piece->end, 0 };
    for (; row.end < all->count; row.end++) {
        const marey_piece *next = &all->pieces[row.end];
        if (next->clip != piece->clip || fabs(next->start - row.stop) > same_frame ||
            fabs(pace_of(all, next, fps) - pace) > same_frame * pace)
            break;
        row.stop = next->end;
    }
    double frames = (row.stop - row.start) / pace;
    row.length = (int)(piece->seconds > 0 ? floor(frames + 0.5) : ceil(frames - same_frame));
    return row;
}

int made_pieces_at(const made_pieces *all, int number, double fps)
{
    int at = 0;
    for (int i = 0; i < all->count;) {
        made_row row = row_from(all, i, fps);
        if (number < row.end) {
            double before = all->pieces[number].start - row.start;
            return at + (int)lround(before / pace_of(all, &all->pieces[i], fps));
        }
        at += row.length;
        i = row.end;
    }
    return at;
}

/* ---- made --------------------------------------------------------------------------------------- */

/* Whole frames that are seen of a piece, as provenance has them. */
static void note_piece(const made_pieces *all, const marey_piece *piece, made_of *from)
{
    const marey_part *part = &all->parts->parts[piece->clip];
    int start = (int)floor(piece->start), end = (int)ceil(piece->end);
    made_of_part(from, part->clip, part->start + start, part->start + end);
}

marey_status made_pieces_make(made_pieces *all, made_answer *out, marey_error *error)
{
    const marey_parts *parts = all->parts;
    marey_pieces_def def = { .rough = all->rough, .leave_feet = !all->clean };
    marey_status status =
        marey_pieces_make(all->by->ctx, parts->clips, parts->count, parts->contacts, all->pieces,
                          all->count, &def, &out->made, &all->about, error);
    if (status != MAREY_OK) return status;
    out->cleaned = all->clean && !all->rough;
    out->end = marey_clip_frames(out->made.clip);
    for (int i = 0; i < all->count; i++) note_piece(all, &all->pieces[i], &out->from);
    return MAREY_OK;
}

/* ---- told --------------------------------------------------------------------------------------- */

static json_t *describe_row(const made_pieces *all, const made_row *row, int at)
{
    int clip = all->pieces[row->first].clip;
    const marey_part *part = &all->parts->parts[clip];
    json_t *one = json_object();
    describe_put(&one, "at", json_integer(at));
    describe_put(&one, "length", json_integer(row->length));
    describe_put(&one, "clip", json_integer(part->clip));
    describe_put(&one, "name", describe_text(&all->by->of->memory, all->parts->names[clip].name));
    describe_put(&one, "start", describe_number(part->start + row->start));
    describe_put(&one, "end", describe_number(part->start + row->stop));
    return one;
}

/* The fastest of the clips that the pieces are of, each looked at once. */
static marey_status measure_speeds(const made_pieces *all, fastest *out, marey_error *error)
{
    *out = (fastest){ 0, NAN };
    for (int i = 0; i < all->count; i++) {
        int k = 0, clip = all->pieces[i].clip;
        fastest one;
        while (k < i && all->pieces[k].clip != clip) k++;
        if (k < i) continue;
        marey_status status =
            clip_speeds(&all->by->of->memory, all->parts->clips[clip], &one, error);
        if (status != MAREY_OK) return status;
        out->joint_cm_per_s = fmax(out->joint_cm_per_s, one.joint_cm_per_s);
        out->knee_cm_per_s = fmax(out->knee_cm_per_s, one.knee_cm_per_s);
    }
    return MAREY_OK;
}

marey_status made_pieces_describe(const made_pieces *all, made_answer *out, json_t **value,
                                  marey_error *error)
{
    double fps = marey_clip_fps(out->made.clip);
    marey_status status = measure_speeds(all, &out->inputs, error);
    if (status == MAREY_OK) status = made_answer_describe(out, value, error);
    if (status != MAREY_OK) return status;
    json_t *list = json_array();
    for (int i = 0, at = 0, told = 0; i < all->count && told < LIMIT_SEGMENTS; told++) {
        made_row row = row_from(all, i, fps);
        describe_append(&list, describe_row(all, &row, at));
        at += row.length;
        i = row.end;
    }
    describe_put(value, "jump_ratio", describe_number(all->about.jump_ratio)); /* of its pieces */
    describe_put(value, "pieces", list);
    return MAREY_OK;
}
