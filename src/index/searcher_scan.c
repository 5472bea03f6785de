/* searcher_scan.c - the matches of one query in the clips of one kind of body, by their poses: which
   blocks are left when all that is too far was ruled out, distances in these, and of the ends that
   are near enough one for each match. Decision 22. */
#include "index/searcher_data.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/grow.h"
#include "match/match_ends.h"

#include <string.h>

enum {
    WORK_BLOCKS = 1024,        /* that a thread rules out at a time */
    WORK_PARTS = MRY_MOST_HELD /* clips that are measured together */
};

/* What a foreign library keeps of a clip may be another body's. */
static marey_status check_held(const marey_searcher *s, int slot, const mry_poses *poses,
                               const mry_pose_group *group, marey_error *error)
{
    char name[MAREY_NAME_ROOM] = "";
    if (poses->rows == s->slots[slot].clip.rows && poses->by_roles == group->by_roles &&
        poses->has == group->has && poses->joints == group->joints &&
        poses->points == group->points)
        return MAREY_OK;
    mry_clip_name(mry_slot_library(s, slot), s->slots[slot].clip.id, name, sizeof name, NULL, NULL);
    return mry_fail(error, MAREY_ERR_INPUT, name,
                    "what searches go by is another clip's; marey index --rebuild makes it again");
}

/* What is left of a group's parts, so many of them at a time. */
typedef struct ruling {
    const mry_scanning *of;
    const uint32_t *ends; /* by the graphics card; NULL: there is none */
    int *work_start;      /* of each work; one more than there are */
    int work_count;
    mry_arena *mems; /* a work's */
    mry_stretches *left;
    bool *fits;
} ruling;

static void rule_out_work(void *user, int64_t i)
{
    ruling *r = user;
    const mry_pose_group *group = r->of->group;
    int start = r->work_start[i], count = r->work_start[i + 1] - start;
    r->fits[i] = mry_scan_rule_out(&r->mems[i], &r->of->query, &group->shelf, group->parts + start,
                                   count, r->of->reach, r->ends, &r->left[i]);
}

static bool rule_out(mry_scanning *s, ruling *r)
{
    const mry_pose_group *g = s->group;
    marey_ctx *ctx = s->mem.ctx;
    *r = (ruling){ .of = s, .work_start = MRY_NEW(&s->mem, int, g->count + 2) };
    if (!r->work_start) return false;
    for (int p = 0; p < g->count; p++) {
        int begun = r->work_count ? g->parts[r->work_start[r->work_count - 1]].block : 0;
        if (r->work_count > 0 && g->parts[p].block - begun < WORK_BLOCKS) continue;
        r->work_start[r->work_count++] = p;
    }
    r->work_start[r->work_count] = g->count;
    r->ends = mry_scan_card_ends(&s->mem, &s->query, &g->shelf, s->reach, &s->group->card);
    r->mems = MRY_NEW(&s->mem, mry_arena, r->work_count);
    r->left = MRY_NEW(&s->mem, mry_stretches, r->work_count);
    r->fits = MRY_NEW(&s->mem, bool, r->work_count);
    if (!r->mems || !r->left || !r->fits) {
        r->work_count = 0;
        return false;
    }
    for (int i = 0; i < r->work_count; i++) r->mems[i] = mry_arena_make(ctx);
    marey_ctx_run(ctx, r->work_count, rule_out_work, r);
    bool fits = true;
    for (int i = 0; i < r->work_count; i++) fits &= r->fits[i];
    return fits;
}

/* Stretches of some clips, measured by all threads. */
typedef struct measuring {
    mry_scanning *of;
    int count;
    int slots[WORK_PARTS];
    const mry_poses *poses[WORK_PARTS];
    const mry_stretch *stretches[WORK_PARTS]; /* the clip's first */
    int stretch_counts[WORK_PARTS];
    mry_arena mems[WORK_PARTS];
    mry_scan_end *ends[WORK_PARTS]; /* that became matches */
    int *paths[WORK_PARTS];         /* query.rows numbers each */
    int end_counts[WORK_PARTS];
    bool fits[WORK_PARTS];
} measuring;

static void measure_part(void *user, int64_t i)
{
    measuring *m = user;
    mry_scanning *s = m->of;
    mry_arena tmp = mry_arena_make(s->mem.ctx);
    const mry_poses *poses = m->poses[i];
    float unit = mry_unit_of(s->seek->searcher, poses->scale);
    mry_scan_ends *found = MRY_NEW(&tmp, mry_scan_ends, m->stretch_counts[i]);
    mry_scan_strip *strips = MRY_NEW(&tmp, mry_scan_strip, m->stretch_counts[i]);
    bool fits = found && strips;
    int count = 0;
    for (int k = 0; k < m->stretch_counts[i] && fits; k++) {
        const mry_stretch *at = &m->stretches[i][k];
        fits = mry_scan_measure(&tmp, &s->query, poses, unit, s->reach, *at, &strips[k], &found[k]);
        count += fits ? found[k].count : 0;
    }
    mry_scan_end *ends = MRY_NEW_RAW(&tmp, mry_scan_end, count);
    fits = fits && ends;
    int all = 0;
    for (int k = 0; k < m->stretch_counts[i] && fits; k++) {
        if (found[k].count > 0)
            memcpy(ends + all, found[k].items, (size_t)found[k].count * sizeof *ends);
        all += found[k].count;
    }
    const marey_segment *own = m->slots[i] == s->of.clip ? &s->of : NULL;
    bool pooled = s->seek->example_count > 0; /* with those of other examples, later */
    count = 0;
    for (int k = 0; k < all && fits; k++) {
        marey_segment at = { m->slots[i], ends[k].start, ends[k].end + 1 };
        if (mry_seek_wants(s->seek, at)) ends[count++] = ends[k];
    }
    if (fits && !pooled) {
        count = mry_ends_apart(ends, count, own, s->seek->same);
        if (!s->seek->places)
            count = mry_ends_moving(&tmp, &s->query, s->still, poses, unit, s->cutoff, ends, count);
        fits = count >= 0;
        if (!fits) count = 0;
    }
    m->ends[i] = MRY_NEW_RAW(&m->mems[i], mry_scan_end, count);
    bool paths = !pooled && !s->seek->places;
    m->paths[i] = MRY_NEW_RAW(&m->mems[i], int, paths ? (size_t)count *(size_t)s->query.rows : 1);
    fits = fits && m->ends[i] && m->paths[i];
    for (int k = 0; k < count && fits; k++) {
        int in = 0; /* stretches are in the order of rows */
        m->ends[i][k] = ends[k];
        if (!paths) continue;
        while (m->stretches[i][in].to <= ends[k].end) in++;
        fits = mry_scan_path(&tmp, &strips[in], ends[k].start, ends[k].end,
                             m->paths[i] + (size_t)k * (size_t)s->query.rows);
    }
    m->end_counts[i] = fits ? count : 0;
    m->fits[i] = fits;
    mry_arena_free(&tmp);
}

bool mry_add_step(mry_seek *seek, mry_hit *hit, int move)
{
    marey_ctx *ctx = seek->searcher->ctx;
    int at = hit->cells++ - 1;
    if (at % 4 == 0) {
        uint8_t *byte = mry_list_add(ctx, &seek->steps, 1);
        if (!byte) return false;
        *byte = 0;
    }
    ((uint8_t *)seek->steps.items)[seek->steps.count - 1] |= (uint8_t)(move << at % 4 * 2);
    return true;
}

bool mry_add_match(mry_scanning *s, int slot, const mry_scan_end *end, const int *path)
{
    mry_seek *seek = s->seek;
    mry_hit *hit = mry_list_add(seek->searcher->ctx, &seek->hits, sizeof *hit);
    if (!hit) return false;
    *hit = (mry_hit){ .at = { slot, end->start, end->end + 1 },
                      .mean = (double)end->cost,
                      .begin = { s->first, end->start },
                      .rates = { s->rates, 1 },
                      .mirrored = s->mirrored,
                      .cells = 1,
                      .steps = seek->steps.count };
    hit->first = (marey_cell){ mry_from_web(s->first, s->rates), end->start };
    hit->last = (marey_cell){ mry_from_web(s->first + s->query.span - 1, s->rates), end->end };
    bool fits = true;
    for (int i = 1; i < s->query.rows && fits && !seek->places; i++) {
        int ahead = path[i] - path[i - 1];
        int down = mry_scan_row(&s->query, i) - mry_scan_row(&s->query, i - 1);
        for (; ahead > down && fits; ahead--) fits = mry_add_step(seek, hit, MRY_MOVE_ACROSS);
        for (; down > 0 && fits; down--)
            fits = mry_add_step(seek, hit, ahead-- > 0 ? MRY_MOVE_BOTH : MRY_MOVE_DOWN);
    }
    return fits;
}

static bool add_end(mry_scanning *s, int slot, const mry_scan_end *end)
{
    mry_pooled *to = mry_list_add(s->mem.ctx, &s->seek->ends, sizeof *to);
    if (to)
        *to = (mry_pooled){ .at = { slot, end->start, end->end + 1 },
                            .mean = (double)end->cost,
                            .mirrored = s->mirrored };
    return to != NULL;
}

static marey_status measure(measuring *m, marey_error *error)
{
    mry_scanning *s = m->of;
    mry_shelves *shelves = &s->seek->searcher->shelves;
    bool fits = true;
    marey_status status = MAREY_OK;
    /* These stay as long as they are measured, and so does the query. */
    int64_t since = shelves->uses + 1;
    if (s->of.clip < shelves->slot_count) shelves->held[s->of.clip].last_use = ++shelves->uses;
    status = mry_hold_all(s->seek->searcher, m->slots, m->count, since, error);
    for (int i = 0; i < m->count; i++) m->mems[i] = mry_arena_make(s->mem.ctx);
    for (int i = 0; i < m->count && !status; i++) {
        m->poses[i] = &shelves->held[m->slots[i]].poses;
        status = check_held(s->seek->searcher, m->slots[i], m->poses[i], s->group, error);
    }
    if (!status) marey_ctx_run(s->mem.ctx, m->count, measure_part, m);
    for (int i = 0; i < m->count; i++) {
        fits &= status || m->fits[i];
        for (int k = 0; k < m->end_counts[i] && fits && !status; k++)
            fits = s->seek->example_count > 0
                       ? add_end(s, m->slots[i], &m->ends[i][k])
                       : mry_add_match(s, m->slots[i], &m->ends[i][k],
                                       s->seek->places
                                           ? NULL
                                           : m->paths[i] + (size_t)k * (size_t)s->query.rows);
        mry_arena_free(&m->mems[i]);
    }
    m->count = 0;
    return fits ? status : mry_fail_memory(error, NULL);
}

marey_status mry_scan_group(mry_scanning *s, marey_error *error)
{
    mry_seek *seek = s->seek;
    int64_t start_ns = mry_clock_ns();
    measuring *m = MRY_NEW(&s->mem, measuring, 1);
    ruling r = { 0 };
    marey_status status = m && rule_out(s, &r) ? MAREY_OK : mry_fail_memory(error, NULL);
    seek->scan_seconds += 1e-9 * (double)(mry_clock_ns() - start_ns);
    for (int p = 0; p < s->group->count; p++) seek->poses += s->group->parts[p].rows;
    if (m) m->of = s;
    for (int w = 0; w < r.work_count && !status; w++) {
        const mry_stretches *left = &r.left[w];
        for (int k = 0; k < left->count && !status && !mry_is_crowded(seek);) {
            int part = left->items[k].part, count = 1;
            int slot = s->group->slots[r.work_start[w] + part];
            while (k + count < left->count && left->items[k + count].part == part) count++;
            for (int i = k; i < k + count; i++)
                seek->poses_left += left->items[i].to - left->items[i].from;
            if (seek->allowed[slot]) {
                m->slots[m->count] = slot;
                m->stretches[m->count] = &left->items[k];
                m->stretch_counts[m->count++] = count;
            }
            k += count;
            if (m->count == WORK_PARTS) status = measure(m, error);
            if (!status && mry_cancelled(s->mem.ctx)) status = mry_fail_cancelled(error);
        }
    }
    if (!status && m->count > 0) status = measure(m, error);
    for (int i = 0; i < r.work_count; i++) mry_arena_free(&r.mems[i]);
    return status;
}
