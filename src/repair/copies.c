/* copies.c - clips that hold the same motion: candidates by their landmarks, then frame by frame.

   A landmark's first four distances are a cell of a grid; what is alike is in the same cell or, near
   its border, in the next one. Each like pair of landmarks votes for an offset between its two
   clips, and true copies have many votes for one offset. Cells that hold very many landmarks (arms
   that hang, feet beside each other) are read to a limit, earlier clips first, so the time stays in
   proportion to the landmarks; a copy has others. */
#include "base/grow.h"
#include "math/quat.h"
#include "motion/clip_data.h"
#include "motion/feet.h"

#include <marey/repair.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIKE = 25,       /* thousandths of a leg that distances may differ by */
    CELL = 4 * ALIKE, /* wide */
    KEYS = 4,         /* distances that make a cell */
    MOST_READ = 256,  /* landmarks of a cell */
    MOST_VOTES = 16,  /* of one landmark */
    MOST_OTHERS = 8,  /* clips that one is compared with */
    LEAST_VOTES = 2,
    FEW = 8, /* landmarks of a clip that is looked at for one vote */
};
static const double SAME_OFFSET_S = 0.03, OTHER_OFFSET_S = 0.1;
static const double AGREE =
    0.2; /* of the landmarks of a copy; 0.5 and more in those that were tried */

/* ---- candidates ------------------------------------------------------------------------------ */

typedef struct entry {
    uint64_t cell;
    int mark;
} entry;

typedef struct vote {
    int clip, other, mirrored;
    double offset_s;
} vote;

typedef struct finding_copies {
    const marey_copy_clip *clips;
    const marey_landmark **marks; /* of all clips */
    int *clip_of;                 /* by mark */
    entry *entries;
    int mark_count;
    vote *votes;
    int vote_count, vote_room;
} finding_copies;

static uint64_t cell_of(int moment, const int *key)
{
    uint64_t cell = (uint64_t)moment;
    for (int i = 0; i < KEYS; i++) cell = cell << 10 | (uint64_t)key[i];
    return cell;
}

static int by_cell(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    return x->mark - y->mark;
}

/* By the pair, then by offset. */
static int by_pair(const void *a, const void *b)
{
    const vote *x = a, *y = b;
    if (x->clip != y->clip) return x->clip < y->clip ? -1 : 1;
    if (x->other != y->other) return x->other < y->other ? -1 : 1;
    if (x->mirrored != y->mirrored) return x->mirrored - y->mirrored;
    return (x->offset_s > y->offset_s) - (x->offset_s < y->offset_s);
}

static int by_votes(const void *a, const void *b)
{
    const marey_copy *x = a, *y = b;
    if (x->clip != y->clip) return x->clip < y->clip ? -1 : 1;
    if (x->votes != y->votes) return x->votes > y->votes ? -1 : 1;
    if (x->other != y->other) return x->other < y->other ? -1 : 1;
    return (int)x->mirrored - (int)y->mirrored;
}

static bool add_vote(finding_copies *all, mry_arena *tmp, int mark, int other, bool mirrored)
{
    int a = all->clip_of[mark], b = all->clip_of[other];
    if (!mry_grow_in(tmp, &all->votes, &all->vote_room, all->vote_count + 1, sizeof *all->votes))
        return false;
    double later = all->marks[other]->time_s - all->marks[mark]->time_s;
    /* `a` is the later one in the list. */
    bool shorter = all->clips[a].seconds <= all->clips[b].seconds;
    all->votes[all->vote_count++] =
        shorter ? (vote){ a, b, mirrored, later } : (vote){ b, a, mirrored, -later };
    return true;
}

/* Votes of one landmark for clips before its own. */
static bool vote_for(finding_copies *all, mry_arena *tmp, int mark, bool mirrored)
{
    const marey_landmark *here = all->marks[mark];
    int way[MAREY_LANDMARK_WAYS], low[KEYS], high[KEYS], key[KEYS];
    int like = mirrored ? 2 * ALIKE : ALIKE; /* no body's sides are quite the same */
    for (int i = 0; i < MAREY_LANDMARK_WAYS; i++) {
        bool sides = i >= 2 && i < 10; /* pairs that a mirror exchanges: landmarks.c */
        way[i] = here->way[mirrored && sides ? i ^ 1 : i];
    }
    for (int i = 0; i < KEYS; i++) {
        low[i] = (way[i] > like ? way[i] - like : 0) / CELL;
        high[i] = (way[i] + like) / CELL;
    }
    int votes = 0;
    for (int corner = 0; corner < 1 << KEYS; corner++) {
        bool twice = false;
        for (int i = 0; i < KEYS; i++) {
            key[i] = corner >> i & 1 ? high[i] : low[i];
            twice |= (corner >> i & 1) && high[i] == low[i];
        }
        if (twice) continue;
        uint64_t cell = cell_of(here->moment, key);
        int first = 0, end = all->mark_count;
        while (first < end) {
            int middle = first + (end - first) / 2;
            if (all->entries[middle].cell < cell)
                first = middle + 1;
            else
                end = middle;
        }
        for (int k = first; k < all->mark_count && k < first + MOST_READ; k++) {
            int other = all->entries[k].mark;
            if (votes == MOST_VOTES || all->entries[k].cell != cell ||
                all->clip_of[other] >= all->clip_of[mark])
                break;
            bool alike = true;
            for (int i = 0; i < MAREY_LANDMARK_WAYS && alike; i++)
                alike = abs(way[i] - all->marks[other]->way[i]) <= like;
            votes += alike;
            if (alike && !add_vote(all, tmp, mark, other, mirrored)) return false;
        }
    }
    return true;
}

/* The offsets that most of the votes for a pair agree on. */
static marey_copy count_votes(const vote *votes, int count, int least)
{
    marey_copy copy = { .clip = votes->clip,
                        .other = votes->other,
                        .mirrored = votes->mirrored != 0 };
    while (copy.offset_count < MAREY_COPY_OFFSETS) {
        int best = 0, at = 0;
        for (int first = 0, end = 0; first < count; first++) {
            bool taken = false;
            for (int k = 0; k < copy.offset_count; k++)
                taken |= fabs(votes[first].offset_s - copy.offset_s[k]) < OTHER_OFFSET_S;
            while (end < count && votes[end].offset_s <= votes[first].offset_s + SAME_OFFSET_S)
                end++;
            if (taken || end - first <= best) continue;
            best = end - first;
            at = first + best / 2;
        }
        if (best < least) break;
        if (copy.offset_count == 0) copy.votes = best;
        copy.offset_s[copy.offset_count++] = votes[at].offset_s;
    }
    return copy;
}

/* How many landmarks a clip has between two times. */
static int count_marks(const marey_copy_clip *clip, double from_s, double to_s)
{
    int count = 0;
    for (int i = 0; i < clip->landmark_count; i++)
        count += clip->landmarks[i].time_s >= from_s && clip->landmarks[i].time_s <= to_s;
    return count;
}

/* Do as many landmarks agree as a copy would have, of those in the time that both clips have? */
static bool is_likely(const marey_copy_clip *clips, const marey_copy *copy)
{
    const marey_copy_clip *clip = &clips[copy->clip], *other = &clips[copy->other];
    double later = copy->offset_s[0], from = fmax(0, -later);
    double to = fmin(clip->seconds, other->seconds - later);
    int own = count_marks(clip, from, to), others = count_marks(other, from + later, to + later);
    return copy->votes >= AGREE * (own < others ? own : others);
}

marey_status marey_copies_find(marey_ctx *ctx, const marey_copy_clip *clips, int count,
                               marey_copies *out)
{
    assert(ctx && out && count >= 0 && (clips || count == 0));
    mry_arena tmp = mry_arena_make(ctx);
    finding_copies all = { .clips = clips };
    size_t marks = 0;
    marey_copy *list = NULL;
    int room = 0, found = 0, kept = 0;
    for (int i = 0; i < count; i++) marks += (size_t)clips[i].landmark_count;
    all.marks = MRY_NEW_RAW(&tmp, const marey_landmark *, marks + 1);
    all.clip_of = MRY_NEW_RAW(&tmp, int, marks + 1);
    all.entries = MRY_NEW_RAW(&tmp, entry, marks + 1);
    bool ok = all.marks && all.clip_of && all.entries && marks < INT32_MAX;
    for (int i = 0; i < count && ok; i++) {
        for (int k = 0; k < clips[i].landmark_count; k++) {
            const marey_landmark *mark = &clips[i].landmarks[k];
            int key[KEYS], at = all.mark_count++;
            for (int n = 0; n < KEYS; n++) key[n] = mark->way[n] / CELL;
            all.marks[at] = mark;
            all.clip_of[at] = i;
            all.entries[at] = (entry){ cell_of(mark->moment, key), at };
        }
    }
    if (ok) qsort(all.entries, marks, sizeof *all.entries, by_cell);
    for (int i = 0; i < 2 * all.mark_count && ok; i++) ok = vote_for(&all, &tmp, i / 2, i % 2);
    if (ok && all.vote_count > 0)
        qsort(all.votes, (size_t)all.vote_count, sizeof *all.votes, by_pair);
    for (int first = 0, end; first < all.vote_count && ok; first = end) {
        const vote *votes = all.votes + first;
        for (end = first; end < all.vote_count; end++) {
            const vote *next = &all.votes[end];
            if (next->clip != votes->clip || next->other != votes->other ||
                next->mirrored != votes->mirrored)
                break;
        }
        bool few = clips[votes->clip].landmark_count <= FEW;
        marey_copy copy = count_votes(votes, end - first, few ? 1 : LEAST_VOTES);
        if (copy.offset_count == 0 || !is_likely(clips, &copy)) continue;
        ok = mry_grow_in(&tmp, &list, &room, found + 1, sizeof *list);
        if (ok) list[found++] = copy;
    }
    if (ok && found > 0) qsort(list, (size_t)found, sizeof *list, by_votes);
    for (int i = 0, of_clip = 0; i < found && ok; i++) {
        of_clip = i > 0 && list[i].clip == list[kept - 1].clip ? of_clip + 1 : 0;
        if (of_clip < MOST_OTHERS) list[kept++] = list[i];
    }
    marey_copies made = { .ctx = ctx, .count = kept, .bytes = (size_t)kept * sizeof *list };
    if (ok && kept > 0) {
        made.items = mry_alloc(ctx, made.bytes);
        ok = made.items != NULL;
        if (ok) memcpy(made.items, list, made.bytes);
    }
    mry_arena_free(&tmp);
    if (!ok) return MAREY_ERR_MEMORY;
    *out = made;
    return MAREY_OK;
}

void marey_copies_free(marey_copies *copies)
{
    if (!copies || !copies->ctx) return;
    mry_release(copies->ctx, copies->items, copies->bytes);
    *copies = (marey_copies){ 0 };
}

/* ---- frame by frame -------------------------------------------------------------------------- */

static const double NEAR = 0.025;      /* of a leg's length; mirrored, twice that */
static const double MOST_FRAMES = 0.9; /* that both have */
static const double OF_MOTION = 0.1;   /* distances, against how far joints move */
static const double LEAST_CM = 0.5;    /* that they move at all */
static const double LEAST_S = 1;       /* the same for so long, */
static const double WHOLE_S =
    0.5; /* or for so long, if that is all of a clip, as it must be if mirrored */
static const double STILL_FAR = 5; /* times NEAR: frames that are left out of the fit */
static const double EDGE = 0.02;   /* of a frame, by which the offset may be off */
enum { ROUNDS = 5, SAMPLES = 2000 };

static const marey_role compared[] = {
    MAREY_ROLE_HIPS,        MAREY_ROLE_HEAD,        MAREY_ROLE_LEFT_SHOULDER,
    MAREY_ROLE_LEFT_ELBOW,  MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_LEFT_HIP,
    MAREY_ROLE_LEFT_KNEE,   MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_RIGHT_SHOULDER,
    MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_RIGHT_HIP,
    MAREY_ROLE_RIGHT_KNEE,  MAREY_ROLE_RIGHT_ANKLE,
};
enum { POINTS = sizeof compared / sizeof *compared, FIRST_LEFT = 2, SIDE = 6 };

/* Where those joints are in every frame. */
typedef struct tracks {
    const marey_clip *clip;
    double *at;      /* frames x POINTS x 3 */
    uint8_t *marked; /* a byte a frame */
    double leg;
} tracks;

/* 1: made; 0: a joint is missing; -1: out of memory. */
static int make_tracks(mry_arena *tmp, const marey_clip *clip, bool mirrored, tracks *out)
{
    size_t joints = (size_t)clip->skeleton.joint_count, frames = (size_t)clip->frames;
    for (int i = 0; i < POINTS; i++)
        if (clip->skeleton.roles[compared[i]] < 0) return 0;
    double *all = MRY_NEW_RAW(tmp, double, joints * 3);
    *out = (tracks){ clip, MRY_NEW_RAW(tmp, double, frames *POINTS * 3), mry_clip_marked(tmp, clip),
                     0 };
    if (!all || !out->at || !out->marked) return -1;
    for (int f = 0; f < clip->frames; f++) {
        double *row = out->at + (size_t)f * POINTS * 3;
        marey_clip_positions(clip, f, 1, all);
        for (int i = 0; i < POINTS; i++) {
            int from = i;
            if (mirrored && i >= FIRST_LEFT) from = i < FIRST_LEFT + SIDE ? i + SIDE : i - SIDE;
            memcpy(row + 3 * i, all + 3 * clip->skeleton.roles[compared[from]], 3 * sizeof(double));
            if (mirrored) row[3 * i] = -row[3 * i];
        }
    }
    const double *middle = out->at + (size_t)(clip->frames / 2) * POINTS * 3;
    for (int side = 0; side < 2; side++) {
        const double *hip = middle + 3 * (FIRST_LEFT + 3 + side * SIDE);
        out->leg += (mry_distance3(hip, hip + 3) + mry_distance3(hip + 3, hip + 6)) / 2;
    }
    return out->leg > 0;
}

/* The points at a time between frames; false: there are none, or they are marked. */
static bool points_at(const tracks *of, double time_s, double *out)
{
    double at = time_s * of->clip->fps, last = of->clip->frames - 1;
    if (at < -EDGE || at > last + EDGE) return false;
    at = fmin(fmax(at, 0), last);
    int f = (int)at, next = f < of->clip->frames - 1 ? f + 1 : f;
    double t = at - f;
    if (t < EDGE) next = f;
    if (of->marked[f] || of->marked[next]) return false;
    const double *a = of->at + (size_t)f * POINTS * 3, *b = of->at + (size_t)next * POINTS * 3;
    for (int i = 0; i < 3 * POINTS; i++) out[i] = a[i] + t * (b[i] - a[i]);
    return true;
}

/* The slower clip's frames are looked for in the other one: scaled, turned about y, then moved. */
typedef struct fit {
    double scale, cosine, sine, move[3], offset_s;
} fit;

static void place_points(const fit *by, const double *from, double *out)
{
    for (int i = 0; i < 3 * POINTS; i += 3) {
        double x = by->scale * from[i], z = by->scale * from[i + 2];
        out[i] = by->cosine * x + by->sine * z + by->move[0];
        out[i + 1] = by->scale * from[i + 1] + by->move[1];
        out[i + 2] = -by->sine * x + by->cosine * z + by->move[2];
    }
}

static double farthest(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < 3 * POINTS; i += 3) most = fmax(most, mry_distance3(a + i, b + i));
    return most;
}

/* A better turn, move and offset, from frames that are near already (the first time, all). */
static bool fit_better(const tracks *slow, const tracks *fast, double near, bool first, fit *by)
{
    int stride = slow->clip->frames / SAMPLES + 1;
    double a[3 * POINTS], b[3 * POINTS], placed[3 * POINTS], early[3 * POINTS], late[3 * POINTS];
    double sum_a[3] = { 0 }, sum_b[3] = { 0 }, dot = 0, cross = 0, count = 0;
    double step = 0.5 / fast->clip->fps, along = 0, speeds = 0;
    for (int f = 0; f < slow->clip->frames; f += stride) {
        double time = f / slow->clip->fps;
        if (!points_at(slow, time, a) || !points_at(fast, time + by->offset_s, b)) continue;
        place_points(by, a, placed);
        if (!first && farthest(placed, b) > near) continue;
        for (int i = 0; i < 3 * POINTS; i++) {
            sum_a[i % 3] += by->scale * a[i];
            sum_b[i % 3] += b[i];
        }
        for (int i = 0; i < 3 * POINTS; i += 3) {
            double x = by->scale * a[i], z = by->scale * a[i + 2];
            dot += x * b[i] + z * b[i + 2];
            cross += z * b[i] - x * b[i + 2];
        }
        count += POINTS;
        if (first || !points_at(fast, time + by->offset_s - step, early) ||
            !points_at(fast, time + by->offset_s + step, late))
            continue;
        for (int i = 0; i < 3 * POINTS; i++) {
            double speed = (late[i] - early[i]) / (2 * step);
            along += speed * (placed[i] - b[i]);
            speeds += speed * speed;
        }
    }
    if (count == 0) return false;
    dot -= (sum_a[0] * sum_b[0] + sum_a[2] * sum_b[2]) / count;
    cross -= (sum_a[2] * sum_b[0] - sum_a[0] * sum_b[2]) / count;
    double length = hypot(dot, cross);
    by->cosine = length > 0 ? dot / length : 1;
    by->sine = length > 0 ? cross / length : 0;
    by->move[0] = (sum_b[0] - by->cosine * sum_a[0] - by->sine * sum_a[2]) / count;
    by->move[1] = (sum_b[1] - sum_a[1]) / count;
    by->move[2] = (sum_b[2] + by->sine * sum_a[0] - by->cosine * sum_a[2]) / count;
    if (speeds > 0) by->offset_s += fmax(fmin(along / speeds, SAME_OFFSET_S), -SAME_OFFSET_S);
    return true;
}

/* What is the same at one offset. */
typedef struct verdict {
    bool same, whole;
    int first, last; /* frames of the slower one */
    double apart, certainty;
} verdict;

static double captured_s(const tracks *of)
{
    int count = 0;
    for (int f = 0; f < of->clip->frames; f++) count += !of->marked[f];
    return count / of->clip->fps;
}

static verdict judge(const tracks *slow, const tracks *fast, double near, bool mirrored,
                     const fit *by)
{
    double a[3 * POINTS], b[3 * POINTS], placed[3 * POINTS];
    double sum[3 * POINTS] = { 0 }, squares[3 * POINTS] = { 0 }, apart = 0;
    int both = 0, alike = 0;
    verdict is = { 0 };
    for (int f = 0; f < slow->clip->frames; f++) {
        double time = f / slow->clip->fps, middle[3] = { 0 };
        if (!points_at(slow, time, a) || !points_at(fast, time + by->offset_s, b)) continue;
        both++;
        place_points(by, a, placed);
        if (farthest(placed, b) > near) continue;
        if (alike++ == 0) is.first = f;
        is.last = f;
        for (int i = 0; i < 3 * POINTS; i++) {
            apart += (placed[i] - b[i]) * (placed[i] - b[i]);
            middle[i % 3] += b[i] / POINTS;
        }
        for (int i = 0; i < 3 * POINTS; i++) { /* of the pose, wherever it is */
            double at = b[i] - middle[i % 3];
            sum[i] += at;
            squares[i] += at * at;
        }
    }
    if (alike < 2 || alike < MOST_FRAMES * both) return is;
    double moves = 0, seconds = (is.last + 1 - is.first) / slow->clip->fps;
    for (int i = 0; i < 3 * POINTS; i++) moves += squares[i] - sum[i] * sum[i] / alike;
    moves = sqrt(fmax(moves, 0) / alike / POINTS);
    is.apart = sqrt(apart / alike / POINTS);
    double slow_s = captured_s(slow), fast_s = captured_s(fast), slack = 3 / slow->clip->fps;
    is.whole = seconds >= fmax(slow_s, fast_s) - slack;
    bool all = seconds >= fmin(slow_s, fast_s) - slack;
    is.same = moves >= LEAST_CM && is.apart <= OF_MOTION * moves &&
              seconds >= (all ? WHOLE_S : LEAST_S) && (all || !mirrored);
    double doubt =
        fmax(is.apart / (OF_MOTION * moves), (1 - (double)alike / both) / (1 - MOST_FRAMES));
    is.certainty = 1 - 0.4 * doubt;
    return is;
}

marey_status marey_copy_check(const marey_clip *clip, const marey_clip *other, marey_copy *copy,
                              bool *same)
{
    assert(clip && other && copy && same);
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    tracks both[2];
    int made = make_tracks(&tmp, clip, copy->mirrored, &both[0]);
    if (made > 0) made = make_tracks(&tmp, other, false, &both[1]);
    bool swapped = clip->fps > other->fps;
    const tracks *slow = &both[swapped], *fast = &both[!swapped];
    double near = made > 0 ? (copy->mirrored ? 2 : 1) * NEAR * fast->leg : 0;
    verdict best = { 0 };
    fit best_by = { 0 };
    int fits = 0;
    for (int i = 0; i < copy->offset_count && made > 0; i++) {
        fit by = { .scale = fast->leg / slow->leg,
                   .cosine = 1,
                   .offset_s = swapped ? -copy->offset_s[i] : copy->offset_s[i] };
        bool any = true;
        for (int round = 0; round < ROUNDS && any; round++)
            any = fit_better(slow, fast, (round < 2 ? STILL_FAR : 1) * near, round == 0, &by);
        verdict is = any ? judge(slow, fast, near, copy->mirrored, &by) : (verdict){ 0 };
        if (!is.same) continue;
        /* Offsets that became the same one are one. */
        if (fits > 0 && fabs(by.offset_s - best_by.offset_s) < SAME_OFFSET_S) continue;
        fits++;
        if (fits > 1 && (best.whole || !is.whole)) continue;
        best = is;
        best_by = by;
    }
    mry_arena_free(&tmp);
    if (made < 0) return MAREY_ERR_MEMORY;
    *same = fits == 1 || (fits > 1 && best.whole);
    if (!*same) return MAREY_OK;
    int ends[2][2] = { { best.first, best.last }, { 0, 0 } };
    for (int i = 0; i < 2; i++) {
        double time = ends[0][i] / slow->clip->fps + best_by.offset_s;
        double frame = rint(time * fast->clip->fps), last = fast->clip->frames - 1;
        ends[1][i] = (int)fmin(fmax(frame, 0), last);
    }
    copy->start = ends[swapped][0];
    copy->end = ends[swapped][1] + 1;
    copy->other_start = ends[!swapped][0];
    copy->other_end = ends[!swapped][1] + 1;
    copy->apart_cm = swapped ? best.apart * slow->leg / fast->leg : best.apart;
    copy->certainty = best.certainty;
    return MAREY_OK;
}
