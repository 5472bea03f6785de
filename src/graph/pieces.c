/* pieces.c - pieces of clips played one after the other, as one clip: they are checked, those that follow each other are one, and
   what is left is a walk through a motion graph of its own (pieces_graph.c). */
#include "base/fail.h"
#include "graph/pieces_data.h"
#include "graph/walk_data.h"

#include <math.h>

/* What is seen of a clip before and behind what is played of it. */
#define SEEN_S 0.5
/* Of a frame: ends that are closer than this are the same. */
#define CLOSE 1e-6

/* ---- what is asked for ----------------------------------------------------------------------------------------- */

/* Frames [start, end), whole ones, that are touched by a piece: marks are of whole frames. */
static bool is_captured(const marey_clip *clip, const marey_piece *piece)
{
    int start = (int)floor(piece->start + CLOSE), end = (int)ceil(piece->end - CLOSE);
    for (int m = 0; m < clip->mark_count; m++) {
        if (clip->marks[m].start < end && clip->marks[m].end > start) return false;
    }
    return true;
}

static marey_status check(const marey_clip *const *clips, int count, const marey_piece *piece,
                          int number, marey_error *error)
{
    if (piece->clip < 0 || piece->clip >= count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "piece %d: there is no clip %d", number,
                        piece->clip);
    const marey_clip *clip = clips[piece->clip];
    if (!(piece->start >= 0 && piece->end > piece->start + CLOSE && piece->end <= clip->frames))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "piece %d: %g-%g is no part of its %d frames", number, piece->start,
                        piece->end, clip->frames);
    if (!(piece->seconds >= 0 && piece->seconds <= MRY_WALK_MOST_FRAMES))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "piece %d: it cannot take %g s",
                        number, piece->seconds);
    if (!is_captured(clip, piece))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "piece %d: frames of %g-%g are marked as not captured", number,
                        piece->start, piece->end);
    return MAREY_OK;
}

static marey_status settle(mry_parts *parts, const marey_clip *first, const marey_pieces_def *def,
                           marey_error *error)
{
    parts->fps = def && def->fps != 0 ? def->fps : first->fps;
    parts->spread_s = def ? def->spread_s : 0;
    if (!(parts->fps >= 1 && parts->fps <= 1000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a rate of 1 to 1000 frames a second");
    return MAREY_OK;
}

/* ---- which clips ------------------------------------------------------------------------------------------------- */

/* The number of a clip among those that are used; plants go with it. */
static int use_clip(mry_parts *parts, const marey_clip *const *clips, const marey_contacts *given,
                    int *numbers, int clip)
{
    if (numbers[clip] < 0) {
        numbers[clip] = parts->clip_count++;
        parts->clips[numbers[clip]] = clips[clip];
        if (given) parts->contacts[numbers[clip]] = given[clip];
    }
    return numbers[clip];
}

/* ---- what becomes of them ------------------------------------------------------------------------------------------ */

/* Frames of the clip to a frame that is made; nearly whole numbers are whole. */
static double own_pace(const mry_parts *parts, const marey_clip *clip)
{
    double pace = clip->fps / parts->fps, whole = floor(pace + 0.5);
    return fabs(pace - whole) < 1e-6 ? whole : pace;
}

static double pace_of(const mry_parts *parts, const marey_clip *clip, const marey_piece *piece)
{
    if (piece->seconds == 0) return own_pace(parts, clip);
    return (piece->end - piece->start) / (piece->seconds * parts->fps);
}

/* Pieces from `at` on that follow each other at one pace; returns how many, and *all is them. */
static int join_pieces(const mry_parts *parts, const marey_clip *clip, const marey_piece *pieces,
                       int count, marey_piece *all)
{
    double pace = pace_of(parts, clip, &pieces[0]);
    int n = 1;
    *all = pieces[0];
    for (; n < count; n++) {
        const marey_piece *next = &pieces[n];
        if (next->clip != all->clip || fabs(next->start - all->end) > CLOSE ||
            fabs(pace_of(parts, clip, next) - pace) > CLOSE * pace)
            break;
        all->end = next->end;
    }
    if (all->seconds > 0) all->seconds = (all->end - all->start) / (pace * parts->fps);
    return n;
}

/* The captured frames around what is played, and how many of them there are before and behind it. */
static void look_around(const mry_parts *parts, const marey_clip *clip, mry_part *part)
{
    double last = part->start + (part->count - 1) * part->pace;
    part->low = 0;
    part->high = clip->frames - 1;
    for (int m = 0; m < clip->mark_count; m++) {
        const marey_mark *mark = &clip->marks[m];
        if (mark->end <= part->start + CLOSE && mark->end > part->low) part->low = mark->end;
        if (mark->start > part->start && mark->start <= part->high) part->high = mark->start - 1;
    }
    int most = (int)ceil(SEEN_S * parts->fps);
    double before = floor((part->start - part->low) / part->pace + CLOSE);
    double behind = floor((part->high - last) / part->pace + CLOSE);
    part->before = (int)fmin(fmax(before, 0), most);
    part->behind = (int)fmin(fmax(behind, 0), most);
}

static marey_status plan(mry_parts *parts, const marey_piece *piece, int clip, int number,
                         marey_error *error)
{
    const marey_clip *of = parts->clips[clip];
    mry_part part = { .clip = clip, .start = piece->start, .pace = own_pace(parts, of) };
    double count = ceil((piece->end - piece->start) / part.pace - CLOSE);
    if (piece->seconds > 0) {
        count = floor(piece->seconds * parts->fps + 0.5);
        part.pace = (piece->end - piece->start) / count;
    }
    if (!(count >= 1))
        return mry_fail(error, MAREY_ERR_REQUEST, of->name,
                        "piece %d is shorter than a frame of what is made", number);
    if (count > MRY_WALK_MOST_FRAMES - parts->frames)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "more than %d frames",
                        (int)MRY_WALK_MOST_FRAMES);
    part.count = (int)count;
    look_around(parts, of, &part);
    part.first = parts->nodes + part.before;
    parts->nodes = part.first + part.count + part.behind;
    parts->frames += part.count;
    parts->items[parts->count++] = part;
    return parts->nodes <= MRY_GRAPH_MOST_NODES
               ? MAREY_OK
               : mry_fail(error, MAREY_ERR_LIMIT, NULL, "too many pieces");
}

static marey_status plan_all(mry_parts *parts, mry_arena *tmp, const marey_clip *const *clips,
                             int count, const marey_contacts *contacts, const marey_piece *pieces,
                             int piece_count, marey_error *error)
{
    int *numbers = MRY_NEW_RAW(tmp, int, count);
    parts->clips = MRY_NEW(tmp, const marey_clip *, count);
    parts->items = MRY_NEW(tmp, mry_part, piece_count);
    if (contacts) parts->contacts = MRY_NEW(tmp, marey_contacts, count);
    if (!numbers || !parts->clips || !parts->items || (contacts && !parts->contacts))
        return mry_fail_memory(error, NULL);
    for (int c = 0; c < count; c++) numbers[c] = -1;
    marey_status status = MAREY_OK;
    for (int i = 0; i < piece_count && !status;) {
        marey_piece all;
        int number = i + 1, clip = use_clip(parts, clips, contacts, numbers, pieces[i].clip);
        i += join_pieces(parts, parts->clips[clip], pieces + i, piece_count - i, &all);
        status = plan(parts, &all, clip, number, error);
    }
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static marey_status make(const mry_parts *parts, mry_arena *tmp, const marey_pieces_def *def,
                         marey_made *out, marey_walk_made *about, marey_error *error)
{
    marey_graph *graph = NULL;
    marey_walk_make_def how = { .fps = parts->fps };
    if (def) {
        how.rough = def->rough;
        how.leave_feet = def->leave_feet;
        how.clean = def->clean;
    }
    int *nodes = MRY_NEW_RAW(tmp, int, parts->frames);
    if (!nodes) return mry_fail_memory(error, NULL);
    marey_walk walk = { .count = parts->frames, .nodes = nodes };
    for (int i = 0, f = 0; i < parts->count; i++) {
        for (int k = 0; k < parts->items[i].count; k++) nodes[f++] = parts->items[i].first + k;
    }
    marey_made made = { 0 };
    marey_walk_made went = { 0 };
    marey_status status = mry_parts_graph(parts, &graph, error);
    if (!status && !how.rough) status = mry_parts_smooth(parts, graph, &how, error);
    if (!status) status = marey_walk_make(parts->ctx, graph, &walk, &how, &made, &went, error);
    if (!status && !how.rough && !how.leave_feet)
        status = mry_pieces_hold(parts->ctx, how.clean, &made, &went.jump_ratio, error);
    marey_graph_free(graph);
    if (status) {
        marey_made_free(&made);
        return status;
    }
    *out = made;
    if (about) *about = went;
    return MAREY_OK;
}

marey_status marey_pieces_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_contacts *contacts, const marey_piece *pieces,
                               int piece_count, const marey_pieces_def *def, marey_made *out,
                               marey_walk_made *about, marey_error *error)
{
    if (piece_count < 1 || count < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no piece to make a clip of");
    mry_arena tmp = mry_arena_make(ctx);
    mry_parts parts = { .ctx = ctx };
    marey_status status = MAREY_OK;
    for (int i = 0; i < piece_count && !status; i++)
        status = check(clips, count, &pieces[i], i + 1, error);
    if (!status) status = settle(&parts, clips[pieces[0].clip], def, error);
    if (!status)
        status = plan_all(&parts, &tmp, clips, count, contacts, pieces, piece_count, error);
    if (!status) status = make(&parts, &tmp, def, out, about, error);
    mry_arena_free(&tmp);
    return status;
}
