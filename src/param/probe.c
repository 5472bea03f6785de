/* probe.c - what a blend does (webs, 6.3): its frames' times as in a real blend, its places on the
   floor where a parameter is relative to the start, and poses of few frames and joints. */
#include "param/probe.h"

#include "base/fail.h"
#include "base/grow.h"
#include "blend/steady_time.h"
#include "math/quat.h"

#include <string.h>

/* As blend_make has it: what is left of the curve behind the last frame and counts as nothing. */
#define NEARLY 1e-6

/* The pose at a frame of the blend in hand. */
static mry_seen look(void *user, int frame)
{
    mry_probe *p = user;
    const mry_mixer *m = &p->mixer;
    const marey_clip *clip = m->body.clip;
    p->next ^= 1;
    float *turns = p->turns[p->next],
          *world = p->turns[0] + 8 * (size_t)m->joints; /* behind the two poses */
    double *positions = p->positions[p->next];
    if (!p->path) p->frame[frame].place = (mry_floor){ 0 }; /* where it stands does not matter */
    /* Places of the frames up to this one: each follows from the one before. */
    for (int i = p->placed; i <= frame && p->path; i++) {
        mry_mixer_take(&p->mixer, p->frame[i].u, p->weights, false);
        if (i == 0) {
            p->frame[0].place =
                mry_floor_back(mry_blend_floor(&p->picked, p->place_of, p->frame[0].u));
        } else {
            p->frame[i].place = mry_mixer_place(&p->mixer, i, p->frame[i].u, i - 1,
                                                p->frame[i - 1].u, p->frame[i - 1].place);
        }
        p->placed = i + 1;
    }
    mry_mixer_take(&p->mixer, p->frame[frame].u, p->weights, true);
    mry_mixer_mix(&p->mixer, frame, p->frame[frame].u, p->frame[frame].place, p->pose_places,
                  turns);
    /* Global positions of the joints that are mixed. */
    for (int k = 0; k < m->wanted_count; k++) {
        int j = m->wanted[k], parent = clip->joints[j].parent, slot = clip->slot[j];
        const double *local = slot >= 0 ? p->pose_places + 3 * slot : clip->joints[j].offset_cm;
        if (parent < 0) {
            memcpy(positions + 3 * j, local, 3 * sizeof *positions);
            memcpy(world + 4 * j, turns + 4 * j, 4 * sizeof *world);
            continue;
        }
        mry_quat_rotate_double(world + 4 * parent, local, positions + 3 * j);
        for (int n = 0; n < 3; n++) positions[3 * j + n] += positions[3 * parent + n];
        mry_quat_multiply(world + 4 * parent, turns + 4 * j, world + 4 * j);
    }
    return (mry_seen){ positions, turns, p->pose_places };
}

double mry_probe_moment(const mry_probe *p, int param)
{
    double u = p->u[param];
    if (isnan(u)) return NAN;
    int low = 0, high = p->frames - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (p->frame[middle].u <= u) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double step = p->frame[high].u - p->frame[low].u;
    double share = step > 0 ? (u - p->frame[low].u) / step : 0;
    return low + fmax(0, fmin(1, share));
}

/* The first example, which says where the blend starts and how long its frames are, and then those
   with a weight. */
void mry_probe_pick(mry_probe *p, const int *motions, const double *weights, int count)
{
    int picked = 1;
    p->motions[0] = 0;
    p->weights[0] = 0;
    p->place_of = 0;
    for (int i = 0; i < count; i++) {
        if (weights[i] == 0) continue;
        int at = motions[i] == 0 ? 0 : picked++;
        p->motions[at] = motions[i];
        p->weights[at] = weights[i];
        if (fabs(weights[i] - 1) < 1e-9) p->place_of = at; /* as blends do */
    }
    mry_registration_pick(p->of, p->motions, picked, &p->picked);
    mry_mixer_restart(&p->mixer, &p->picked);
    p->placed = 0;
}

bool mry_probe_values(mry_probe *p, const int *motions, const double *weights, int count,
                      double *values)
{
    mry_steady time;
    double u;
    mry_probe_pick(p, motions, weights, count);
    mry_steady_start(&time, &p->picked, p->weights);
    p->frames = 0;
    while (p->frames <= p->most_frames &&
           mry_steady_at(&time, p->frames * p->rows_per_frame, &u) <= NEARLY) {
        if (!mry_grow(p->ctx, &p->frame, &p->room, p->frames + 1, sizeof *p->frame)) return false;
        p->frame[p->frames++].u = u;
    }
    /* A curve over examples that hardly belong together can be so steep that a blend along it would
       take hours: what such weights do is no number. */
    bool endless = p->frames > p->most_frames;
    mry_view view = { .skeleton = &p->mixer.body.clip->skeleton,
                      .frames = p->frames,
                      .fps = p->fps,
                      .look = look,
                      .user = p,
                      .like = p->mixer.body.clip };
    for (int i = 0; i < p->param_count; i++) {
        int dims = p->params[i].kind->dims;
        for (int k = 0; k < dims && endless; k++) values[k] = NAN;
        marey_status status = MAREY_OK;
        if (!endless)
            status = mry_param_of_view(&p->params[i], &view, p->joint[i], mry_probe_moment(p, i),
                                       values, NULL);
        if (status == MAREY_ERR_MEMORY) return false;
        if (status) values[0] = NAN; /* what an own feature cannot measure */
        values += dims;
    }
    return true;
}

/* The moment of a parameter on the curve: that of the examples, on the mean; a frame is the first
   one's. */
static marey_status find_moment(mry_probe *p, int param, marey_error *error)
{
    const marey_param *spec = &p->params[param];
    double first, last, sum = 0;
    int motions = spec->when == MAREY_WHEN_FRAME ? 1 : marey_registration_count(p->of);
    marey_registration_range(p->of, &first, &last);
    p->u[param] = spec->when == MAREY_WHEN_START ? first
                  : spec->when == MAREY_WHEN_END ? last
                                                 : NAN;
    if (spec->when == MAREY_WHEN_NONE || !isnan(p->u[param])) return MAREY_OK;
    for (int j = 0; j < motions; j++) {
        const marey_clip *clip = marey_registration_clip(p->of, j);
        double frame;
        marey_status status = marey_param_moment(spec, clip, &frame, error);
        if (status) return status;
        sum += marey_registration_find(p->of, j, frame / p->mixer.per_row[j]);
    }
    p->u[param] = sum / motions;
    return MAREY_OK;
}

marey_status mry_probe_open(mry_probe *p, marey_ctx *ctx, const marey_registration *registration,
                            const marey_param *params, int param_count, const double *moments,
                            marey_error *error)
{
    enum { MOST_TIMES = 10, LEAST_FRAMES = 1000 };
    *p = (mry_probe){ .ctx = ctx,
                      .mem = mry_arena_make(ctx),
                      .of = registration,
                      .params = params,
                      .param_count = param_count };
    const marey_clip *first = marey_registration_clip(registration, 0);
    size_t joints = (size_t)first->skeleton.joint_count;
    size_t motions = (size_t)registration->count + 1;
    marey_status status = MAREY_OK;
    uint8_t *needed = MRY_NEW(&p->mem, uint8_t, joints);
    p->motions = MRY_NEW(&p->mem, int, motions);
    p->weights = MRY_NEW(&p->mem, double, motions);
    p->pose_places = MRY_NEW(&p->mem, double, 3 * (size_t)first->mover_count);
    p->turns[0] = MRY_NEW(&p->mem, float, 12 * joints);
    p->positions[0] = MRY_NEW(&p->mem, double, 6 * joints);
    bool fine = needed && p->motions && p->weights && p->pose_places && p->turns[0] &&
                p->positions[0] &&
                mry_registration_room(&p->mem, registration, registration->count, &p->picked);
    for (int i = 0; i < param_count && fine && !status; i++) {
        status = marey_param_joint(&params[i], &first->skeleton, &p->joint[i], error);
        if (!status)
            mry_param_needs(&params[i], &first->skeleton, p->joint[i], needed, &p->all_frames,
                            &p->path);
    }
    if (fine && !status)
        fine =
            mry_mixer_open(&p->mixer, &p->mem, registration, first, MAREY_BLEND_REGISTERED, needed);
    if (fine && !status) {
        p->turns[1] = p->turns[0] + 4 * joints;
        p->positions[1] = p->positions[0] + 3 * joints;
        p->fps = first->fps;
        p->rows_per_frame = 1 / mry_frames_per_row(first, marey_registration_fps(registration));
        /* Many times as long as the longest example, at the first one's rate. */
        double longest = 0;
        for (int j = 0; j < registration->count; j++)
            longest = fmax(longest, marey_clip_seconds(registration->clips[j]) * first->fps);
        p->most_frames = LEAST_FRAMES + (int)fmin(MOST_TIMES * longest, 1e6);
    }
    for (int i = 0; i < param_count && fine && !status; i++) {
        if (moments) {
            p->u[i] = moments[i];
        } else {
            status = find_moment(p, i, error);
        }
    }
    if (!fine) status = mry_fail_memory(error, NULL);
    if (status) mry_probe_close(p);
    return status;
}

void mry_probe_close(mry_probe *p)
{
    mry_release(p->ctx, p->frame, (size_t)p->room * sizeof *p->frame);
    mry_arena_free(&p->mem);
    *p = (mry_probe){ 0 };
}
