/* quality.c - how sound a motion is: do planted feet stay, do feet stay above the floor, does
   anything jump. What each number means is said in the header, and nowhere else. */
#include "math/quat.h"
#include "motion/feet.h"
#include "motion/quantile.h"

#include <assert.h>
#include <string.h>

/* Rotations are kept as floats, which moves places by about this much; less than it is no
   motion. */
static const double STILL_CM = 0.001;

/* The mean of the middle two, if there are two. */
static double median(double *values, size_t count)
{
    double low = mry_quantile(values, count, 0.5), high = HUGE_VAL;
    if (count % 2) return low;
    for (size_t i = count / 2; i < count; i++) high = fmin(high, values[i]);
    return (low + high) / 2;
}

/* ---- feet ------------------------------------------------------------------------------------ */

typedef struct slides {
    int plants;
    double sum_cm, worst_cm; /* of the drifts */
    double path_cm, time_s;
} slides;

static double floor_distance(const double *a, const double *b)
{
    return hypot(a[0] - b[0], a[2] - b[2]);
}

static bool is_measured(const mry_feet *feet, const marey_contact *contact)
{
    if (!feet->has[contact->joint]) return false;
    return memchr(feet->marked + contact->start, 0, (size_t)(contact->end - contact->start));
}

/* Returns its drift. */
static double add_plant(const mry_feet *feet, const marey_contact *contact, double fps, slides *out)
{
    const double *from = NULL, *before = NULL;
    double drift = 0;
    for (int f = contact->start; f < contact->end; f++) {
        const double *at = feet->at[contact->joint] + 3 * (size_t)f;
        if (feet->marked[f]) {
            before = NULL;
            continue;
        }
        if (!from) from = at;
        drift = fmax(drift, floor_distance(at, from));
        if (before) {
            out->path_cm += floor_distance(at, before);
            out->time_s += 1 / fps;
        }
        before = at;
    }
    out->plants++;
    out->sum_cm += drift;
    out->worst_cm = fmax(out->worst_cm, drift);
    return drift;
}

static bool measure_feet(mry_arena *tmp, const marey_clip *clip, const marey_contact *contacts,
                         int count, marey_quality *out)
{
    mry_feet feet;
    slides found = { 0 };
    double *values = MRY_NEW_RAW(tmp, double, clip->frames);
    double *floor_cm = MRY_NEW_RAW(tmp, double, clip->frames);
    if (!values || !floor_cm || !mry_feet_build(tmp, clip, &feet)) return false;
    for (int n = 0; n < count; n++) {
        if (is_measured(&feet, &contacts[n])) add_plant(&feet, &contacts[n], clip->fps, &found);
    }
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        if (!feet.has[i]) continue;
        /* floor_cm[f] becomes the height that one point should not be below. Between two plants
           that is the lower one, or else a foot on its way down the stairs would be below its
           floor. Frames outside every plant are reached from both sides: first the last plant
           before, then the next one after. */
        int frames = feet.frames;
        for (int f = 0; f < frames; f++) floor_cm[f] = HUGE_VAL;
        for (int n = 0; n < count; n++) {
            const marey_contact *c = &contacts[n];
            if ((int)c->joint != i || !is_measured(&feet, c)) continue;
            size_t captured = 0;
            for (int f = c->start; f < c->end; f++) {
                if (!feet.marked[f]) values[captured++] = mry_foot_height(&feet, i, f);
            }
            double level = median(values, captured);
            for (int f = c->start; f < c->end; f++) floor_cm[f] = level;
        }
        double last = HUGE_VAL;
        for (int f = 0; f < frames; f++) { /* infinite: not in a plant */
            values[f] = isfinite(floor_cm[f]) ? floor_cm[f] : last;
            last = values[f];
        }
        last = HUGE_VAL;
        for (int f = frames - 1; f >= 0; f--) {
            if (isfinite(floor_cm[f])) {
                last = floor_cm[f];
            } else {
                floor_cm[f] = fmin(values[f], last);
            }
        }
        for (int f = 0; f < feet.frames; f++) {
            if (feet.marked[f] || !isfinite(floor_cm[f])) continue;
            double depth = floor_cm[f] - mry_foot_height(&feet, i, f);
            out->penetration_cm = fmax(out->penetration_cm, depth);
        }
    }
    out->plants = found.plants;
    out->slide_max_cm = found.worst_cm;
    if (found.plants > 0) out->slide_cm = found.sum_cm / found.plants;
    if (found.time_s > 0) out->slide_cm_per_s = found.path_cm / found.time_s;
    return true;
}

/* ---- all joints ------------------------------------------------------------------------------ */

enum { MOST_ORDER = 3 };

typedef struct window {
    double *row[MOST_ORDER + 1]; /* places of the last frames, the oldest first */
    uint8_t *marked;
    double *sizes; /* of every joint's differences in every frame */
} window;

/* Sizes of the differences of the given order (1 or 3) of every joint's place, over frames in a row
   without a mark; returns how many. */
static size_t take_differences(const marey_clip *clip, window *w, int order)
{
    static const double first[] = { -1, 1 }, third[] = { -1, 3, -3, 1 };
    const double *weight = order == 1 ? first : third;
    int joints = clip->skeleton.joint_count, clean = 0;
    size_t count = 0;
    for (int f = 0; f < clip->frames; f++) {
        double *oldest = w->row[0];
        for (int i = 0; i < order; i++) w->row[i] = w->row[i + 1];
        w->row[order] = oldest;
        marey_clip_positions(clip, f, 1, oldest);
        clean = w->marked[f] ? 0 : clean + 1;
        for (int j = 0; j < 3 * joints && clean > order; j += 3) {
            double d[3] = { 0 };
            for (int i = 0; i <= order; i++) {
                for (int k = 0; k < 3; k++) d[k] += weight[i] * w->row[i][j + k];
            }
            w->sizes[count++] = mry_length3(d);
        }
    }
    return count;
}

static double peak_ratio(double *sizes, size_t count)
{
    double most = 0;
    if (count == 0) return 1;
    for (size_t i = 0; i < count; i++) most = fmax(most, sizes[i]);
    return fmax(most, STILL_CM) / fmax(median(sizes, count), STILL_CM);
}

/* ---- both ------------------------------------------------------------------------------------ */

static void check_contacts(const marey_clip *clip, const marey_contact *contacts, int count)
{
    assert(count >= 0 && (contacts || count == 0));
    for (int n = 0; n < count; n++) {
        assert(contacts[n].joint < MAREY_CONTACT_JOINT_COUNT && contacts[n].start >= 0 &&
               contacts[n].start < contacts[n].end && contacts[n].end <= clip->frames);
    }
    (void)clip; /* where assertions are compiled out */
    (void)contacts;
}

marey_status marey_clip_drifts(const marey_clip *clip, const marey_contact *contacts, int count,
                               double *cm)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_feet feet;
    slides all = { 0 };
    check_contacts(clip, contacts, count);
    bool ok = mry_feet_build(&tmp, clip, &feet);
    for (int n = 0; n < count && ok; n++) {
        bool measured = is_measured(&feet, &contacts[n]);
        cm[n] = measured ? add_plant(&feet, &contacts[n], clip->fps, &all) : (double)NAN;
    }
    mry_arena_free(&tmp);
    return ok ? MAREY_OK : MAREY_ERR_MEMORY;
}

marey_status marey_clip_quality(const marey_clip *clip, const marey_contact *contacts, int count,
                                marey_quality *out)
{
    assert(clip && out);
    check_contacts(clip, contacts, count);
    marey_quality found = { 0 };
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t joints = (size_t)clip->skeleton.joint_count;
    window w = { .sizes = MRY_NEW_RAW(&tmp, double, joints *(size_t)clip->frames),
                 .marked = mry_clip_marked(&tmp, clip) };
    bool ok = w.sizes && w.marked && measure_feet(&tmp, clip, contacts, count, &found);
    for (int i = 0; i <= MOST_ORDER && ok; i++)
        ok = (w.row[i] = MRY_NEW_RAW(&tmp, double, 3 * joints)) != NULL;
    if (ok) {
        found.jump_ratio = peak_ratio(w.sizes, take_differences(clip, &w, 1));
        found.jerk_ratio = peak_ratio(w.sizes, take_differences(clip, &w, 3));
    }
    mry_arena_free(&tmp);
    if (!ok) return MAREY_ERR_MEMORY;
    *out = found;
    return MAREY_OK;
}
