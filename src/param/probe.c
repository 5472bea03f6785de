/* probe.c - what a blend does (webs, 6.3): its frames' times as in a real blend, its places on the floor where a parameter is
   told from the start, and poses of few frames and joints. */
#include "param/probe.h"

#include "base/fail.h"
#include "blend/steady_time.h"
#include "math/quat.h"

#include <string.h>

/* As blend_make has it: what is left of the curve behind the last frame and counts as nothing. */
#define NEARLY 1e-6

/* ---- time ---------------------------------------------------------------------------------------------- */

static bool grow(mry_probe *p)
{
    size_t room = p->room ? 2 * p->room : 512;
    mry_probe_frame *more =
        mry_resize(p->ctx, p->frame, p->room * sizeof *more, room * sizeof *more);
    if (!more) return false;
    p->frame = more;
    p->room = room;
    return true;
}

/* A curve over examples that hardly belong together can be so steep that a blend along it would take hours: what such
   weights do is no number. */
static bool find_times(mry_probe *p)
{
    mry_steady time;
    double u;
    mry_steady_start(&time, &p->picked, p->weights);
    p->frames = 0;
    while (p->frames <= p->most_frames &&
           mry_steady_at(&time, p->frames * p->rows_per_frame, &u) <= NEARLY) {
        if ((size_t)p->frames == p->room && !grow(p)) return false;
        p->frame[p->frames++].u = u;
    }
    return true;
}

/* ---- frames --------------------------------------------------------------------------------------------- */

/* Places of the frames up to this one: each follows from the one before. */
static void place_up_to(mry_probe *p, int frame)
{
    if (!p->path) { /* where it stands does not matter */
        p->frame[frame].place = (mry_floor){ 0 };
        return;
    }
    for (int i = p->placed; i <= frame; i++) {
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
}

/* Global positions of the joints that are mixed. */
static void chain(mry_probe *p, const float *turns, double *out)
{
    const mry_mixer *m = &p->mixer;
    const marey_clip *clip = m->body.clip;
    float *world = p->turns[0] + 8 * (size_t)m->joints; /* behind the two poses */
    for (int k = 0; k < m->wanted_count; k++) {
        int j = m->wanted[k], parent = clip->joints[j].parent, slot = clip->slot[j];
        const double *local = slot >= 0 ? p->pose_places + 3 * slot : clip->joints[j].offset_cm;
        if (parent < 0) {
            memcpy(out + 3 * j, local, 3 * sizeof *out);
            memcpy(world + 4 * j, turns + 4 * j, 4 * sizeof *world);
            continue;
        }
        mry_quat_rotate_double(world + 4 * parent, local, out + 3 * j);
        for (int n = 0; n < 3; n++) out[3 * j + n] += out[3 * parent + n];
        mry_quat_multiply(world + 4 * parent, turns + 4 * j, world + 4 * j);
    }
}

static mry_seen look(void *user, int frame)
{
    mry_probe *p = user;
    p->next ^= 1;
    place_up_to(p, frame);
    mry_mixer_take(&p->mixer, p->frame[frame].u, p->weights, true);
    mry_mixer_mix(&p->mixer, frame, p->frame[frame].u, p->frame[frame].place, p->pose_places,
                  p->turns[p->next]);
    chain(p, p->turns[p->next], p->positions[p->next]);
    return (mry_seen){ p->positions[p->next], p->turns[p->next] };
}

/* ---- values ---------------------------------------------------------------------------------------------- */

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

/* The first example, which says where the blend starts and how long its frames are, and then those with a weight. */
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
    mry_probe_pick(p, motions, weights, count);
    if (!find_times(p)) return false;
    if (p->frames > p->most_frames) {
        for (int i = 0; i < p->param_count; i++) {
            for (int k = 0; k < p->params[i].kind->dims; k++) *values++ = NAN;
        }
        return true;
    }
    mry_view view = { .skeleton = &p->mixer.body.clip->skeleton,
                      .frames = p->frames,
                      .fps = p->fps,
                      .look = look,
                      .user = p };
    for (int i = 0; i < p->param_count; i++) {
        mry_param_of_view(&p->params[i], &view, p->joint[i], mry_probe_moment(p, i), values);
        values += p->params[i].kind->dims;
    }
    return true;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/* The moment of a parameter on the curve: that of the examples, on the mean; a frame is the first one's. */
static marey_status find_moment(mry_probe *p, int param, marey_error *error)
{
    const marey_param *asked = &p->params[param];
    double first, last, sum = 0;
    int motions = marey_registration_count(p->of);
    marey_registration_range(p->of, &first, &last);
    p->u[param] = asked->when == MAREY_WHEN_START ? first
                  : asked->when == MAREY_WHEN_END ? last
                                                  : NAN;
    if (asked->when == MAREY_WHEN_NONE || !isnan(p->u[param])) return MAREY_OK;
    if (asked->when == MAREY_WHEN_FRAME) motions = 1;
    for (int j = 0; j < motions; j++) {
        const marey_clip *clip = marey_registration_clip(p->of, j);
        double frame;
        marey_status status = marey_param_moment(asked, clip, &frame, error);
        if (status) return status;
        sum += marey_registration_find(p->of, j, frame / p->mixer.per_row[j]);
    }
    p->u[param] = sum / motions;
    return MAREY_OK;
}

static marey_status find_needs(mry_probe *p, uint8_t *joints, marey_error *error)
{
    const marey_skeleton *skeleton = &marey_registration_clip(p->of, 0)->skeleton;
    marey_status status = MAREY_OK;
    for (int i = 0; i < p->param_count && !status; i++) {
        status = marey_param_joint(&p->params[i], skeleton, &p->joint[i], error);
        if (!status)
            mry_param_needs(&p->params[i], skeleton, p->joint[i], joints, &p->all_frames, &p->path);
    }
    return status;
}

static bool take_room(mry_probe *p, const marey_clip *first)
{
    size_t joints = (size_t)first->skeleton.joint_count;
    size_t motions = (size_t)p->of->count + 1;
    p->motions = MRY_NEW(&p->mem, int, motions);
    p->weights = MRY_NEW(&p->mem, double, motions);
    p->pose_places = MRY_NEW(&p->mem, double, 3 * (size_t)first->mover_count);
    p->turns[0] = MRY_NEW(&p->mem, float, 12 * joints);
    p->positions[0] = MRY_NEW(&p->mem, double, 6 * joints);
    if (!p->motions || !p->weights || !p->pose_places || !p->turns[0] || !p->positions[0])
        return false;
    if (!mry_registration_room(&p->mem, p->of, p->of->count, &p->picked)) return false;
    p->turns[1] = p->turns[0] + 4 * joints;
    p->positions[1] = p->positions[0] + 3 * joints;
    return true;
}

/* Many times as long as the longest example, at the first one's rate. */
static int most_frames(const marey_registration *of)
{
    enum { TIMES = 10, LEAST = 1000 };
    double fps = marey_clip_fps(of->clips[0]), longest = 0;
    for (int j = 0; j < of->count; j++)
        longest = fmax(longest, marey_clip_seconds(of->clips[j]) * fps);
    return LEAST + (int)fmin(TIMES * longest, 1e6);
}

static marey_status open_probe(mry_probe *p, const double *moments, marey_error *error)
{
    const marey_clip *first = marey_registration_clip(p->of, 0);
    uint8_t *joints = MRY_NEW(&p->mem, uint8_t, first->skeleton.joint_count);
    double rate = marey_registration_fps(p->of);
    if (!joints || !take_room(p, first)) return mry_fail_memory(error, NULL);
    marey_status status = find_needs(p, joints, error);
    if (status) return status;
    if (!mry_mixer_open(&p->mixer, &p->mem, p->of, first, MAREY_BLEND_REGISTERED, joints))
        return mry_fail_memory(error, NULL);
    p->fps = first->fps;
    p->most_frames = most_frames(p->of);
    p->rows_per_frame = 1 / mry_frames_per_row(first, rate);
    for (int i = 0; i < p->param_count && !status; i++) {
        if (moments) {
            p->u[i] = moments[i];
        } else {
            status = find_moment(p, i, error);
        }
    }
    return status;
}

marey_status mry_probe_open(mry_probe *p, marey_ctx *ctx, const marey_registration *of,
                            const marey_param *params, int param_count, const double *moments,
                            marey_error *error)
{
    *p = (mry_probe){ .ctx = ctx,
                      .mem = mry_arena_make(ctx),
                      .of = of,
                      .params = params,
                      .param_count = param_count };
    marey_status status = open_probe(p, moments, error);
    if (status) mry_probe_close(p);
    return status;
}

void mry_probe_close(mry_probe *p)
{
    mry_release(p->ctx, p->frame, p->room * sizeof *p->frame);
    mry_arena_free(&p->mem);
    *p = (mry_probe){ 0 };
}
