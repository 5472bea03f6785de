/* family_examine.c - which examples do not blend: each is blended half and half with its
   neighbours, and the results are looked at (webs, 6.4.2, where wrong-footed examples had to be
   found by hand). */
#include "base/fail.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

/* From where on it is a fault. Sound families stay far below, see docs/results/param.md. */
#define MOST_WRONG_FOOT                                                                            \
    0.35 /* share of the time in which exactly one of the two has a foot planted */
#define MOST_SLIDE_CM 12.0 /* that a plant drifted before it was held */
#define MOST_SINK_CM 4.0   /* below the floor, beyond what the two do themselves */
#define MOST_JUMP 1.5      /* largest step over the larger of the two's */

static const struct {
    const char *name, *about;
} kinds[MAREY_FAULT_COUNT] = {
    { "foot", "one stands on a foot while the other swings it" },
    { "slide", "planted feet slide far before they are held" },
    { "sink", "feet go through the floor" },
    { "jump", "a joint jumps" },
};

const char *marey_fault_name(marey_fault_kind kind, const char **about)
{
    if ((int)kind < 0 || kind >= MAREY_FAULT_COUNT) return NULL;
    if (about) *about = kinds[kind].about;
    return kinds[kind].name;
}

typedef struct inspector {
    marey_ctx *ctx;
    const marey_family *family;
    mry_probe probe;
    marey_contacts *contacts; /* of every example */
    double *jumps, *sinks;    /* of every example by itself */
    marey_fault *faults;
    int room, count;
    int *blends, *faulty; /* of every example: tried, and bad */
} inspector;

static bool is_planted(const marey_contacts *contacts, bool right, double frame)
{
    for (int i = 0; i < contacts->count; i++) {
        const marey_contact *c = &contacts->items[i];
        if (c->joint < MAREY_CONTACT_LEFT_HAND && (c->joint >= MAREY_CONTACT_RIGHT_HEEL) == right &&
            frame >= c->start - 0.5 && frame < c->end - 0.5)
            return true;
    }
    return false;
}

/* How much of the time a foot is planted in just one of the two; the worse foot. */
static double wrong_foot(const inspector *in, int a, int b)
{
    enum { LOOKS = 200 };
    const marey_registration *of = in->family->of;
    const mry_mixer *m = &in->probe.mixer;
    int wrong[2] = { 0, 0 };
    for (int i = 0; i < LOOKS; i++) {
        double u = of->first + (of->last - of->first) * i / (LOOKS - 1.0);
        marey_registration_times(of, u, m->rows, NULL);
        for (int foot = 0; foot < 2; foot++) {
            double per_a = mry_frames_per_row(of->clips[a], of->fps);
            double per_b = mry_frames_per_row(of->clips[b], of->fps);
            wrong[foot] += is_planted(&in->contacts[a], foot == 1, m->rows[a] * per_a) !=
                           is_planted(&in->contacts[b], foot == 1, m->rows[b] * per_b);
        }
    }
    return fmax(wrong[0], wrong[1]) / LOOKS;
}

/* Blends two half and half and notes its faults. `shares`: 2 for two that are each other's
   neighbours, whose blend is one of either's. */
static marey_status try_pair(inspector *in, int a, int b, int shares, marey_error *error)
{
    int motions[2] = { a, b };
    double halves[2] = { 0.5, 0.5 };
    bool bad = false;
    marey_made made = { 0 };
    marey_quality quality;
    marey_speeds speeds;
    mry_probe_pick(&in->probe, motions, halves, 2);
    marey_blend_def def = { .weights = in->probe.weights };
    marey_status status = marey_blend_make(in->ctx, &in->probe.picked, &def, &made, error);
    if (status) return status;
    status = marey_clip_quality(made.clip, made.contacts.items, made.contacts.count, &quality);
    if (!status) status = marey_clip_speeds(made.clip, NULL, &speeds);
    if (!status) {
        const marey_fault found[] = {
            { a, b, MAREY_FAULT_FOOT, wrong_foot(in, a, b), MOST_WRONG_FOOT },
            { a, b, MAREY_FAULT_SLIDE, made.clean.slide_before_cm, MOST_SLIDE_CM },
            { a, b, MAREY_FAULT_SINK, quality.penetration_cm - fmax(in->sinks[a], in->sinks[b]),
              MOST_SINK_CM },
            { a, b, MAREY_FAULT_JUMP, speeds.joint_cm_per_s / fmax(in->jumps[a], in->jumps[b]),
              MOST_JUMP },
        };
        for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
            if (!(found[i].value > found[i].limit)) continue;
            if (in->count < in->room) in->faults[in->count] = found[i];
            in->count++;
            bad = true;
        }
    }
    marey_made_free(&made);
    for (int i = 0; i < 2; i++) {
        in->blends[motions[i]] += shares;
        in->faulty[motions[i]] += bad ? shares : 0;
    }
    return status ? mry_fail_memory(error, NULL) : MAREY_OK;
}

/* The examples nearest to one, itself among them. */
static int neighbours_of(const marey_family *family, int example, int *near)
{
    double distances[MRY_MOST_NEAR + 1];
    const double *values = family->values + (size_t)example * (size_t)family->dims;
    return mry_family_nearest(family, values, family->examples, NULL, family->near + 1, near,
                              distances);
}

marey_status marey_family_examine(marey_ctx *ctx, const marey_family *family,
                                  const marey_contacts *contacts, marey_fault *faults, int room,
                                  int *count, double *blamed, marey_error *error)
{
    inspector in = { .ctx = ctx, .family = family, .faults = faults, .room = room };
    marey_status status = mry_family_probe(ctx, family, &in.probe, error);
    if (status) return status;
    mry_arena *mem = &in.probe.mem;
    int examples = family->examples;
    in.contacts = MRY_NEW(mem, marey_contacts, examples);
    in.jumps = MRY_NEW(mem, double, examples);
    in.sinks = MRY_NEW(mem, double, examples);
    in.blends = MRY_NEW(mem, int, examples);
    in.faulty = MRY_NEW(mem, int, examples);
    bool fine = in.contacts && in.jumps && in.sinks && in.blends && in.faulty;
    /* What each example does by itself, which a blend may do too. */
    for (int i = 0; i < examples && fine; i++) {
        const marey_clip *clip = family->of->clips[i];
        marey_quality quality;
        marey_speeds speeds;
        if (contacts) in.contacts[i] = contacts[i];
        fine = contacts || !marey_contacts_find(clip, NULL, &in.contacts[i]);
        fine = fine &&
               !marey_clip_quality(clip, in.contacts[i].items, in.contacts[i].count, &quality) &&
               !marey_clip_speeds(clip, NULL, &speeds);
        if (!fine) break;
        in.sinks[i] = quality.penetration_cm;
        in.jumps[i] = fmax(speeds.sound_joint_cm_per_s, 1e-3);
    }
    if (!fine) status = mry_fail_memory(error, NULL);
    /* Every pair of neighbours once: each with those nearest to it. */
    for (int a = 0; a < examples && !status; a++) {
        int near[MRY_MOST_NEAR + 1], near_b[MRY_MOST_NEAR + 1];
        int near_count = neighbours_of(family, a, near);
        for (int k = 0; k < near_count && !status; k++) {
            int b = near[k];
            bool both = false;
            if (b == a) continue;
            for (int n = neighbours_of(family, b, near_b) - 1; n >= 0; n--) both |= near_b[n] == a;
            if (!both || b > a) status = try_pair(&in, a, b, both ? 2 : 1, error);
        }
        if (!status && !mry_progress(ctx, "trying blends", a, examples))
            status = mry_fail_cancelled(error);
    }
    for (int i = 0; i < examples && in.contacts && !contacts; i++)
        marey_contacts_free(&in.contacts[i]);
    for (int i = 0; i < examples && !status && blamed; i++)
        blamed[i] = in.blends[i] ? (double)in.faulty[i] / in.blends[i] : 0;
    if (!status) *count = in.count;
    mry_probe_close(&in.probe);
    return status;
}
