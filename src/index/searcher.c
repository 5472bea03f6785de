/* searcher.c - searching libraries, by poses or by their match webs (webs, 6.2.3): from names and
   frames to segments, and back. Which clips there are is found out in searcher_members.c; here it is
   which segment is searched for and in which of them, then the search. */
#include "index/searcher_data.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/grow.h"
#include "feature/feature_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Beyond the longest bridge and tail, what is compared has this much before and behind the query,
   so that neither windows nor the shortest chain meet the ends of the part. */
static const double margin_s = 0.5;

/* Is it searched where it was cut from? Frames of it that have the label must have it there too. */
static bool is_in_source(const mry_seek *seek, const mry_slot *slot)
{
    const mry_slot *slots = seek->searcher->slots;
    if (!slot->source || !seek->allowed[slot->source - slots]) return false;
    const int *own = &seek->first_span[slot - slots], *of = &seek->first_span[slot->source - slots];
    bool inside = true;
    for (int i = own[0]; i < own[1] && inside; i++) {
        int start = seek->spans[i].start + slot->source_start;
        int end = seek->spans[i].end + slot->source_start;
        inside = false;
        for (int k = of[0]; k < of[1] && !inside; k++)
            inside = seek->spans[k].start <= start && seek->spans[k].end >= end;
    }
    return inside;
}

bool mry_seek_wants(void *user, marey_segment at)
{
    const mry_seek *seek = user;
    if (!seek->spans) return true;
    mry_ruler ruler = { .clip = seek->searcher->slots[at.clip].clip };
    int start = mry_ruler_frame(&ruler, at.start), end = mry_ruler_end(&ruler, at.end), inside = 0;
    for (int i = seek->first_span[at.clip]; i < seek->first_span[at.clip + 1]; i++) {
        int from = seek->spans[i].start > start ? seek->spans[i].start : start;
        int to = seek->spans[i].end < end ? seek->spans[i].end : end;
        if (to > from) inside += to - from;
    }
    return 2 * inside >= end - start;
}

static bool is_marked(const marey_mark *marks, int count, int frame)
{
    for (int i = 0; i < count; i++) {
        if (frame >= marks[i].start && frame < marks[i].end) return true;
    }
    return false;
}

/* Frames that were not captured are no part of a query: none of the index's paths leads through
   them. */
static marey_status narrow(mry_seek *seek, const marey_mark *marks, int count, int frames,
                           marey_error *error)
{
    const char *why = seek->start < 0 || seek->end > frames ? "are outside the clip"
                      : seek->start >= seek->end            ? "are no segment of the clip"
                                                            : NULL;
    if (why) {
        return mry_fail(error, MAREY_ERR_REQUEST, seek->name, "frames %d-%d %s, which has %d",
                        seek->start, seek->end, why, frames);
    }
    int start = seek->start, end = seek->end;
    while (start < end && is_marked(marks, count, start)) start++;
    while (start < end && is_marked(marks, count, end - 1)) end--;
    if (start == end)
        return mry_fail(error, MAREY_ERR_REQUEST, seek->name,
                        "none of the frames %d-%d is captured motion", seek->start, seek->end);
    seek->narrowed = start > seek->start;
    seek->start = start;
    seek->end = end;
    return MAREY_OK;
}

/* The rows of the query, which must be two at least. */
static marey_status find_rows(mry_seek *seek, int number, marey_error *error)
{
    const mry_index_clip *clip = &seek->ruler.clip;
    int start = seek->start - seek->ruler.shift, end = seek->end - seek->ruler.shift;
    marey_segment rows = { number, mry_index_row(clip, start), clip->rows };
    if (end < clip->frames) rows.end = mry_index_row(clip, end);
    /* The nearest row may be at a frame that was left out as not captured. */
    if (seek->narrowed && mry_index_frame(clip, rows.start) < start) rows.start++;
    if (rows.end - rows.start < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, seek->name,
                        "frames %d-%d are too few: %d are the fewest, as the index looks at %.6g "
                        "frames a second of %.6g",
                        seek->start, seek->end, (int)ceil(2 * fmax(clip->fps / clip->rate, 1)),
                        clip->rate, clip->fps);
    if (!seek->searcher->by_web && rows.end - rows.start > MRY_MOST_QUERY_ROWS)
        return mry_fail(error, MAREY_ERR_LIMIT, seek->name,
                        "frames %d-%d are too many: a query has at most %.0f s, got %.0f s",
                        seek->start, seek->end, MRY_MOST_QUERY_ROWS / clip->rate,
                        (rows.end - rows.start) / clip->rate);
    seek->query = rows;
    return MAREY_OK;
}

/* A query that is in no slot. By webs: the segment and what bridges and windows reach around it is compared. */
static marey_status open_outside(mry_seek *seek, const marey_clip *clip, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    const mry_index_settings *settings = &s->settings;
    double fps = marey_clip_fps(clip);
    int count, frames = marey_clip_frames(clip);
    const marey_mark *marks = marey_clip_marks(clip, &count);
    marey_status status = narrow(seek, marks, count, frames, error);
    if (status) return status;
    if (!s->by_web) {
        double rate = mry_rate_within(fps, MRY_POSE_FPS);
        seek->outside_clip = clip;
        seek->ruler.clip = (mry_index_clip){
            .frames = frames, .fps = fps, .rate = rate, .rows = mry_rows_at(frames, fps, rate)
        };
        seek->fps[s->slot_count] = rate;
        return find_rows(seek, s->slot_count, error);
    }
    double tail_s = settings->web.tail_s == 0 ? 1 : fmax(settings->web.tail_s, 0);
    double around = settings->web.bridge_s + tail_s + margin_s;
    double reach = around * fps + settings->metric.window * fmax(fps / settings->fps, 1);
    int margin = (int)fmin(ceil(reach), frames);
    int start = seek->start > margin ? seek->start - margin : 0;
    int end = frames - seek->end > margin ? seek->end + margin : frames;
    /* From the last frame before that which is sampled for a row exactly, so that the part's rows
       are rows of the clip. Rates of files are rounded: 120 frames a second may be 119.9998. */
    double rows = fmin(settings->fps / fps, 1);
    while (start > 0 && !(fabs(start * rows - round(start * rows)) < 0.01)) start--;
    seek->ruler.shift = start;
    status = marey_clip_trim(clip, start, end, &seek->part, error);
    if (!status)
        status =
            mry_outside_open(s->members[0].library, settings, seek->part, &seek->outside, error);
    if (status) return status;
    seek->outside_webs = MRY_NEW(&seek->mem, marey_web *, s->slot_count + 1);
    seek->compared = MRY_NEW(&seek->mem, uint8_t, s->slot_count + 1);
    if (!seek->outside_webs || !seek->compared) return mry_fail_memory(error, NULL);
    seek->ruler.clip = mry_outside_clip(seek->outside);
    seek->fps[s->slot_count] = seek->ruler.clip.rate;
    return find_rows(seek, s->slot_count, error);
}

marey_status mry_seek_open(mry_seek *seek, const marey_query *query, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    marey_named named;
    seek->start = query->start;
    seek->end = query->end;
    if (query->outside) {
        snprintf(seek->name, sizeof seek->name, "%s", marey_clip_name(query->outside));
        return open_outside(seek, query->outside, error);
    }
    if (query->library < 0 || query->library >= s->member_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no library %d of %d",
                        query->library, s->member_count);
    marey_library *library = s->members[query->library].library;
    marey_status status = mry_clip_find(library, query->clip, false, &named, error);
    if (status) return status;
    seek->member = query->library;
    seek->id = named.id;
    memcpy(seek->name, named.name, sizeof seek->name);
    mry_slot *slot = mry_slot_find(s, seek->member, named.id);
    if (!slot || (slot->clip.rows == 0 && !is_in_source(seek, slot))) {
        status = mry_load_clip(library, named.id, named.name, &seek->loaded, error);
        return status ? status : open_outside(seek, seek->loaded, error);
    }
    /* A clip's marks change with its repairs only, so they are looked at once. */
    if (slot->mark_count < 0) {
        marey_clip *clip = NULL;
        int count = 0;
        status = mry_load_clip(library, slot->clip.id, NULL, &clip, error);
        if (status) return status;
        const marey_mark *marks = marey_clip_marks(clip, &count);
        slot->marks = MRY_NEW(&s->mem, marey_mark, count + 1);
        if (slot->marks && count > 0) memcpy(slot->marks, marks, (size_t)count * sizeof *marks);
        if (slot->marks) slot->mark_count = count;
        marey_clip_free(clip);
        if (!slot->marks) return mry_fail_memory(error, NULL);
    }
    status = narrow(seek, slot->marks, slot->mark_count, slot->clip.frames, error);
    if (status) return status;
    seek->ruler = (mry_ruler){ .clip = slot->clip };
    if (is_in_source(seek, slot)) {
        seek->ruler = (mry_ruler){ slot->source->clip, -slot->source_start, slot->clip.frames };
        slot = slot->source;
    }
    return find_rows(seek, (int)(slot - s->slots), error);
}

/* Of one library, whose slots begin behind what is known. */
static marey_status find_spans_of(mry_seek *seek, const mry_member *member, int *count, int *room,
                                  bool *any, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    int at = member->first; /* the slot up to which first_span is known */
    bool fits = true;
    mry_query rows = mry_query_with(
        member->library->store,
        "SELECT id, 0 AS first, frames FROM label JOIN clip ON clip.id = clip WHERE label = ?1 AND"
        " removed = 0 UNION ALL SELECT id, start, stop FROM stretch JOIN clip ON clip.id = clip"
        " WHERE label = ?1 AND removed = 0 AND start >= 0 AND start < stop AND stop <= frames"
        " ORDER BY 1, 2",
        mry_text(seek->def->label));
    while (fits && mry_query_next(&rows)) {
        mry_slot *slot = mry_slot_find(s, (int)(member - s->members), mry_column_integer(&rows, 0));
        *any = true;
        if (!slot) continue;
        while (at < slot - s->slots) seek->first_span[++at] = *count;
        fits = mry_grow_in(&seek->mem, &seek->spans, room, *count + 1, sizeof *seek->spans);
        if (!fits) break;
        seek->spans[(*count)++] =
            (mry_span){ (int)mry_column_integer(&rows, 1), (int)mry_column_integer(&rows, 2) };
        seek->allowed[at] |= 2;
    }
    while (at < member->first + member->count) seek->first_span[++at] = *count;
    marey_status status = mry_query_end(&rows, error);
    return status || fits ? status : mry_fail_memory(error, mry_store_path(member->library->store));
}

/* Which frames of which clips have the label: they are searched, and no others. */
static marey_status find_spans(mry_seek *seek, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    int count = 0, room = 0;
    bool any = false;
    for (int m = 0; m < s->member_count; m++) {
        marey_status status = find_spans_of(seek, &s->members[m], &count, &room, &any, error);
        if (status) return status;
    }
    if (any) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, mry_searcher_path(s), "no clip has the label %.100s",
                    seek->def->label);
}

/* A bit for each question, the clips and the label; a clip must have both. */
static marey_status restrict_clips(mry_seek *seek, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    const marey_find_def *def = seek->def;
    size_t count = (size_t)s->slot_count + 1;
    uint8_t free = (uint8_t)((def->clip_count > 0 ? 0 : 1) | (def->label ? 0 : 2));
    seek->allowed = MRY_NEW(&seek->mem, uint8_t, count);
    seek->missing = MRY_NEW(&seek->mem, uint8_t, count);
    seek->fps = MRY_NEW(&seek->mem, double, count);
    seek->first_span = MRY_NEW(&seek->mem, int, count);
    if (!seek->allowed || !seek->missing || !seek->fps || !seek->first_span)
        return mry_fail_memory(error, NULL);
    memset(seek->allowed, free, count);
    for (int i = 0; i < def->clip_count; i++) {
        int m = def->clip_libraries ? def->clip_libraries[i] : 0;
        bool known = m >= 0 && m < s->member_count;
        mry_slot *slot = known ? mry_slot_find(s, m, def->clips[i]) : NULL;
        if (!slot)
            return mry_fail(error, MAREY_ERR_NOT_FOUND,
                            known ? mry_store_path(s->members[m].library->store) : NULL,
                            "there is no clip #%lld", (long long)def->clips[i]);
        seek->allowed[slot - s->slots] |= 1;
    }
    if (def->label) {
        marey_status status = find_spans(seek, error);
        if (status) return status;
    }
    /* Sources before their cuts, as slots are in the order of their clips' numbers. */
    for (int i = 0; i < s->slot_count; i++) {
        const mry_slot *slot = &s->slots[i];
        bool wanted = seek->allowed[i] == 3 && !is_in_source(seek, slot);
        seek->allowed[i] = wanted && slot->clip.rows > 0;
        seek->missing[i] = wanted && slot->clip.rows == 0;
        seek->fps[i] = slot->clip.rate;
    }
    seek->allowed[s->slot_count] = 0;
    return MAREY_OK;
}

/* After each tier. A failure is kept for the end: the search itself only stops. */
static bool show_tier(void *user, int tier, const marey_found *found, int count)
{
    mry_seek *seek = user;
    if (count > seek->tier_room) {
        seek->tier = MRY_NEW_RAW(&seek->mem, marey_match, 2 * count);
        seek->tier_room = seek->tier ? 2 * count : 0;
        if (!seek->tier) seek->failed = mry_fail_memory(&seek->failure, NULL);
    }
    for (int i = 0; i < count && !seek->failed; i++)
        seek->failed = mry_match_make(seek, &found[i], i == 0, &seek->tier[i], &seek->failure);
    return !seek->failed && seek->def->found(seek->def->user, tier, seek->tier, count);
}

/* The threshold, where the metric of the webs has one. */
static marey_status search_webs(mry_seek *seek, const marey_query *query, marey_search_def *def,
                                marey_match_graph **graph, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    const marey_metric *metric = s->settings.metric.metric;
    seek->threshold = def->threshold;
    if (seek->threshold == 0) seek->threshold = metric->thresholds.find;
    if (seek->threshold == 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a threshold must be given: the metric %s of the index has no usual one",
                        metric->name);
    }
    marey_status status = mry_seek_open(seek, query, error);
    if (status) return status;
    marey_webs webs = {
        .clips = s->slot_count + 1, .web = mry_seek_web, .user = seek, .fps = seek->fps
    };
    def->threshold = seek->threshold;
    def->allowed = seek->allowed;
    return marey_search(s->ctx, &webs, seek->query, def, graph, error);
}

static marey_status search_poses(mry_seek *seek, const marey_query *query, marey_search_def *def,
                                 marey_match_graph **graph, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    seek->threshold = def->threshold;
    seek->chosen = def->threshold == 0;
    if (!(def->threshold >= 0) || !(def->threshold < (double)INFINITY))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "threshold must be positive and finite, got %g", def->threshold);
    marey_status status = mry_seek_open(seek, query, error);
    if (status) return status;
    mry_hit_source source = {
        .clips = s->slot_count + 1, .fps = seek->fps, .find = mry_seek_hits, .user = seek
    };
    if (def->same == 0) def->same = fmax(0.5, def->distinct);
    seek->same = def->same;
    status = mry_examples_open(seek, error);
    if (status) return status;
    if (def->distinct == 0) def->distinct = fmin(0.2, def->same);
    seek->goes_on = seek->chosen && seek->def->nearest == 0 && seek->example_count == 0;
    if (seek->goes_on) {
        source.few = MRY_FEW_TO_ASK;
        source.near = &seek->near;
    } else if (def->tiers == 0)
        def->tiers = 1;
    return mry_search(s->ctx, &source, seek->query, def, graph, error);
}

static marey_status search_own(mry_seek *seek, const marey_query *query, marey_search_def *def,
                               marey_match_graph **graph, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    const marey_find_def *asked = seek->def;
    marey_status status = mry_metric_resolve(asked->metric, &seek->metric, error);
    if (status) return status;
    if (!seek->metric.own)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "only an own metric is searched with in a full scan, not %s",
                        seek->metric.metric->name);
    if (asked->web || asked->mirror || asked->own_size || asked->like_count || asked->unlike_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "with an own metric there are neither webs, mirrored matches, sizes of "
                        "bodies nor likes");
    if (!(def->threshold >= 0) || !(def->threshold < (double)INFINITY))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "threshold must be positive and finite, got %g", def->threshold);
    seek->threshold = def->threshold;
    if (seek->threshold == 0 && asked->nearest == 0)
        seek->threshold = seek->metric.metric->thresholds.find;
    if (seek->threshold == 0 && asked->nearest == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a threshold must be given, or how many matches: the own metric %.60s has "
                        "no usual one",
                        seek->metric.metric->name);
    status = mry_seek_open(seek, query, error);
    if (status) return status;
    mry_hit_source source = {
        .clips = s->slot_count + 1, .fps = seek->fps, .find = mry_seek_own_hits, .user = seek
    };
    if (def->same == 0) def->same = fmax(0.5, def->distinct);
    if (def->distinct == 0) def->distinct = fmin(0.2, def->same);
    if (def->tiers == 0) def->tiers = 1;
    seek->same = def->same;
    return mry_search(s->ctx, &source, seek->query, def, graph, error);
}

marey_status mry_seek_begin(mry_seek *seek, marey_error *error)
{
    marey_status status = mry_searcher_look(seek->searcher, seek->def, error);
    return status ? status : restrict_clips(seek, error);
}

/* Inside a snapshot. */
static marey_status find(mry_seek *seek, const marey_query *query, int64_t start_ns,
                         marey_finding **out, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    marey_match_graph *graph = NULL;
    marey_status status = mry_seek_begin(seek, error);
    if (status) return status;
    marey_search_def def = seek->def->search;
    def.tier_done = seek->def->found ? show_tier : NULL;
    def.user = seek;
    def.wanted = mry_seek_wants;
    if (s->by_web && !seek->def->metric && seek->def->like_count + seek->def->unlike_count > 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "liked and unliked motions are for searches by poses, not by webs");
    status = (seek->def->metric ? search_own
              : s->by_web       ? search_webs
                                : search_poses)(seek, query, &def, &graph, error);
    if (!status && seek->failed) {
        if (error) *error = seek->failure;
        status = seek->failed;
    }

    /* Nothing was compared because nothing can be? An empty search is no fault of the clip. */
    int compared = 0;
    for (int i = 0; !status && seek->compared && i < s->slot_count; i++)
        compared += seek->compared[i];
    if (!status && compared > 0 && seek->in_common == 0) {
        status =
            mry_fail(error, MAREY_ERR_SHAPE, seek->name,
                     "none of the clips that are searched has joints or roles in common with it");
    }
    if (status) {
        marey_match_graph_free(graph);
        return status;
    }
    return mry_finding_make(seek, graph, 1e-9 * (double)(mry_clock_ns() - start_ns), out, error);
}

/* All by one snapshot of each library, so that a program that indexes meanwhile does not mix its webs in. */
marey_status marey_searcher_find(marey_searcher *searcher, const marey_query *query,
                                 const marey_find_def *def, marey_finding **out, marey_error *error)
{
    static const marey_find_def defaults = { 0 };
    int64_t start_ns = mry_clock_ns();
    mry_seek seek = { .searcher = searcher,
                      .def = def ? def : &defaults,
                      .mem = mry_arena_make(searcher->ctx) };
    marey_status status = mry_searcher_snapshot(searcher, error);
    if (!status) {
        status = find(&seek, query, start_ns, out, error);
        mry_searcher_rollback(searcher);
    }
    for (int i = 0; seek.outside_webs && i < searcher->slot_count; i++)
        marey_web_free(seek.outside_webs[i]);
    mry_outside_free(seek.outside);
    mry_list_free(searcher->ctx, &seek.hits);
    mry_list_free(searcher->ctx, &seek.steps);
    mry_list_free(searcher->ctx, &seek.ends);
    marey_clip_free(seek.part);
    marey_clip_free(seek.loaded);
    mry_arena_free(&seek.mem);
    return status;
}
