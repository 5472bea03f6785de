/* param_measure.c - what a motion does, measured frame by frame (webs, 6.3): of a clip, or of a
   blend that is only looked at. */
#include "base/fail.h"
#include "math/quat.h"
#include "motion/clip_data.h"
#include "param/body_mass.h"
#include "param/param_data.h"

#include <math.h>
#include <string.h>

#define DEGREES (180 / 3.14159265358979323846)

/* Hips on the floor, and the unit vector ahead. */
typedef struct stand {
    double hips[3];
    double ahead[2]; /* x, z */
} stand;

static const double *at_role(const mry_view *view, mry_seen seen, marey_role role)
{
    int joint = view->skeleton->roles[role];
    return joint >= 0 ? seen.positions + 3 * joint : NULL;
}

static stand stand_of(const mry_view *view, mry_seen seen)
{
    static const marey_role pairs[2][2] = {
        { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP },
        { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER },
    };
    stand out;
    double left[2] = { 0, 0 };
    const double *hips = at_role(view, seen, MAREY_ROLE_HIPS);
    memcpy(out.hips, hips ? hips : seen.positions, sizeof out.hips);
    /* From the right to the left of hips and shoulders, on the floor, where the skeleton says. */
    for (int i = 0; i < 2; i++) {
        const double *a = at_role(view, seen, pairs[i][0]), *b = at_role(view, seen, pairs[i][1]);
        if (!a || !b) continue;
        left[0] += a[0] - b[0];
        left[1] += a[2] - b[2];
    }
    double length = hypot(left[0], left[1]);
    if (length > 1e-6) {
        out.ahead[0] = -left[1] / length;
        out.ahead[1] = left[0] / length;
        return out;
    }
    double z[3] = { 0, 0, 1 }, turned[3];
    mry_quat_rotate_double(seen.turns, z, turned);
    length = hypot(turned[0], turned[2]);
    out.ahead[0] = length > 1e-9 ? turned[0] / length : 0;
    out.ahead[1] = length > 1e-9 ? turned[2] / length : 1;
    return out;
}

/* A place as seen from where the body stands: x to the left, z ahead; y stays. */
static void place_from(stand from, const double *p, double *out)
{
    double x = p[0] - from.hips[0], z = p[2] - from.hips[2];
    out[0] = x * from.ahead[1] - z * from.ahead[0];
    out[1] = p[1];
    out[2] = x * from.ahead[0] + z * from.ahead[1];
}

/* The three numbers of one frame, of which a parameter uses some. */
static void at_frame(const marey_param *param, const mry_view *view, int joint, stand start,
                     int frame, double *out)
{
    mry_seen seen = view->look(view->user, frame);
    stand now = stand_of(view, seen);
    double mass[3];
    const double *p = now.hips;
    if (mry_param_kind_of(param) == MRY_KIND_MASS) {
        mry_body_mass(view->skeleton, seen.positions, mass);
        p = mass;
    } else if (joint >= 0) {
        p = seen.positions + 3 * joint;
    }
    memcpy(out, p, 3 * sizeof *out);
    if (param->from == MAREY_FROM_START) place_from(start, p, out);
    if (param->from == MAREY_FROM_ROOT) {
        place_from(now, p, out);
        out[1] -= now.hips[1];
    }
}

static void at_moment(const marey_param *param, const mry_view *view, int joint, double moment,
                      double *out)
{
    double held = fmax(0, fmin(moment, view->frames - 1)), second[3];
    int frame = (int)held;
    double share = held - frame;
    stand start = stand_of(view, view->look(view->user, 0));
    at_frame(param, view, joint, start, frame, out);
    if (share < 1e-9) return;
    at_frame(param, view, joint, start, frame + 1, second);
    for (int i = 0; i < 3; i++) out[i] += share * (second[i] - out[i]);
}

/* What is gone through from frame to frame: a joint's way, or how far it turns. Speeds over three
   frames, so that one frame's noise is not the greatest speed. */
static double amount_of(const marey_param *param, const mry_view *view, int joint)
{
    double sum = 0, least = INFINITY, greatest = 0, last[2] = { 0, 0 };
    mry_seen before = view->look(view->user, 0);
    bool speed = mry_param_kind_of(param) == MRY_KIND_SPEED;
    int steps = view->frames - 1;
    for (int f = 1; f <= steps; f++) {
        mry_seen now = view->look(view->user, f);
        const double *a = before.positions + 3 * joint, *b = now.positions + 3 * joint;
        const float *p = before.turns + 4 * joint, *q = now.turns + 4 * joint;
        double step = 0, dot = 0, apart = 0;
        if (speed) {
            step = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                        (b[2] - a[2]) * (b[2] - a[2]));
        } else {
            for (int i = 0; i < 4; i++) dot += (double)p[i] * q[i];
            double sign = dot < 0 ? -1 : 1;
            for (int i = 0; i < 4; i++) apart += (p[i] - sign * q[i]) * (p[i] - sign * q[i]);
            step = 4 * asin(fmin(1, sqrt(apart) / 2)) * DEGREES; /* exact where the dot is near 1 */
        }
        sum += step;
        if (f >= 3 || steps < 3) {
            double mean = steps < 3 ? step : (step + last[0] + last[1]) / 3;
            least = fmin(least, mean);
            greatest = fmax(greatest, mean);
        }
        last[1] = last[0];
        last[0] = step;
        before = now;
    }
    if (steps < 1) return 0;
    double amounts[MAREY_AMOUNT_COUNT] = { sum / steps, least, greatest };
    return amounts[param->amount] * view->fps;
}

/* The hips' way on the floor: its length, and how far its body turns on it. */
typedef struct way {
    double length_cm, turned_deg;
} way;

static way way_of(const mry_view *view)
{
    way out = { 0 };
    stand before = stand_of(view, view->look(view->user, 0));
    for (int f = 1; f < view->frames; f++) {
        stand now = stand_of(view, view->look(view->user, f));
        out.length_cm += hypot(now.hips[0] - before.hips[0], now.hips[2] - before.hips[2]);
        const double *a = before.ahead, *b = now.ahead; /* from a to b, to the left, -180 .. 180 */
        out.turned_deg += atan2(a[1] * b[0] - a[0] * b[1], a[0] * b[0] + a[1] * b[1]) * DEGREES;
        before = now;
    }
    return out;
}

void mry_param_needs(const marey_param *param, const marey_skeleton *skeleton, int joint,
                     uint8_t *joints, bool *all_frames, bool *path)
{
    static const marey_role stand_roles[] = { MAREY_ROLE_HIPS, MAREY_ROLE_LEFT_HIP,
                                              MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_LEFT_SHOULDER,
                                              MAREY_ROLE_RIGHT_SHOULDER };
    mry_kind kind = mry_param_kind_of(param);
    if (kind == MRY_KIND_LABEL || kind == MRY_KIND_DURATION) return;
    if (kind == MRY_KIND_OWN) {
        memset(joints, 1, (size_t)skeleton->joint_count);
        *all_frames = *path = true;
        return;
    }
    if (joint >= 0) joints[joint] = 1;
    for (size_t i = 0; i < sizeof stand_roles / sizeof *stand_roles; i++) {
        int used = skeleton->roles[stand_roles[i]];
        if (used >= 0) joints[used] = 1;
    }
    if (kind == MRY_KIND_MASS) mry_body_mass_needs(skeleton, joints);
    *all_frames |= param->kind->whole;
    *path |= kind != MRY_KIND_HEIGHT && kind != MRY_KIND_TURNING && param->from != MAREY_FROM_ROOT;
}

marey_status mry_param_of_view(const marey_param *param, const mry_view *view, int joint,
                               double moment, double *values, marey_error *error)
{
    double three[3], seconds = (view->frames - 1) / view->fps;
    way gone;
    switch (mry_param_kind_of(param)) {
    case MRY_KIND_POSITION:
    case MRY_KIND_MASS: at_moment(param, view, joint, moment, values); break;
    case MRY_KIND_HEIGHT:
        at_moment(param, view, joint, moment, three);
        values[0] = three[1];
        break;
    case MRY_KIND_PLACE:
        at_moment(param, view, -1, view->frames - 1, three);
        values[0] = three[0];
        values[1] = three[2];
        break;
    case MRY_KIND_HEADING: values[0] = way_of(view).turned_deg; break;
    case MRY_KIND_SPEED:
    case MRY_KIND_TURNING: values[0] = amount_of(param, view, joint); break;
    case MRY_KIND_DURATION: values[0] = seconds; break;
    case MRY_KIND_PACE: values[0] = view->frames > 1 ? way_of(view).length_cm / seconds : 0; break;
    case MRY_KIND_CURVATURE:
        gone = way_of(view);
        values[0] = gone.length_cm > 1 ? gone.turned_deg / (gone.length_cm / 100) : 0;
        break;
    case MRY_KIND_LABEL: values[0] = NAN; break;
    case MRY_KIND_OWN: return mry_own_of_view(param, view, values, error);
    }
    return MAREY_OK;
}

double mry_param_moment_of(const marey_param *param, const mry_view *view, int joint)
{
    double first[3] = { 0 }, most = -INFINITY;
    int best = 0;
    if (param->when == MAREY_WHEN_START) return 0;
    if (param->when == MAREY_WHEN_END) return view->frames - 1;
    if (param->when == MAREY_WHEN_FRAME) return fmin(param->frame, view->frames - 1);
    if (param->when == MAREY_WHEN_NONE || param->when >= MAREY_WHEN_COUNT) return NAN;
    for (int f = 0; f < view->frames; f++) {
        mry_seen seen = view->look(view->user, f);
        stand now = stand_of(view, seen);
        const double *p = joint >= 0 ? seen.positions + 3 * joint : now.hips;
        double from_hips[3], reach = 0;
        place_from(now, p, from_hips);
        from_hips[1] -= now.hips[1];
        if (f == 0) memcpy(first, from_hips, sizeof first);
        for (int i = 0; i < 3; i++) reach += (from_hips[i] - first[i]) * (from_hips[i] - first[i]);
        double amount = param->when == MAREY_WHEN_LOWEST    ? -now.hips[1]
                        : param->when == MAREY_WHEN_HIGHEST ? p[1]
                                                            : reach;
        if (amount > most) {
            most = amount;
            best = f;
        }
    }
    return best;
}

typedef struct clip_view {
    const marey_clip *clip;
    double *positions[2]; /* of two frames */
    int next;
} clip_view;

static mry_seen look_at_clip(void *user, int frame)
{
    clip_view *c = user;
    double *room = c->positions[c->next ^= 1];
    marey_clip_positions(c->clip, frame, 1, room);
    return (mry_seen){ room, mry_turn(c->clip, frame), mry_place(c->clip, frame) };
}

/* The view of a clip and the joint in it, its room in `tmp`. */
static marey_status clip_open(const marey_param *param, const marey_clip *clip, mry_arena *tmp,
                              mry_view *view, int *joint, marey_error *error)
{
    size_t numbers = 3 * (size_t)clip->skeleton.joint_count;
    marey_status status = marey_param_joint(param, &clip->skeleton, joint, error);
    if (status) return status;
    clip_view *c = MRY_NEW(tmp, clip_view, 1);
    if (!c) return mry_fail_memory(error, NULL);
    c->clip = clip;
    for (int i = 0; i < 2; i++) c->positions[i] = MRY_NEW_RAW(tmp, double, numbers);
    if (!c->positions[0] || !c->positions[1]) return mry_fail_memory(error, NULL);
    *view = (mry_view){ .skeleton = &clip->skeleton,
                        .frames = clip->frames,
                        .fps = clip->fps,
                        .look = look_at_clip,
                        .user = c,
                        .clip = clip };
    return MAREY_OK;
}

marey_status marey_param_moment(const marey_param *param, const marey_clip *clip, double *frame,
                                marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_view view;
    int joint;
    marey_status status = clip_open(param, clip, &tmp, &view, &joint, error);
    if (!status) *frame = mry_param_moment_of(param, &view, joint);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_param_measure(const marey_param *param, const marey_clip *clip, double frame,
                                 double *values, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_view view;
    int joint;
    if (mry_param_kind_of(param) == MRY_KIND_LABEL)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a label is not in the motion");
    marey_status status = clip_open(param, clip, &tmp, &view, &joint, error);
    if (!status) {
        double moment = frame >= 0 ? frame : mry_param_moment_of(param, &view, joint);
        status = mry_param_of_view(param, &view, joint, moment, values, error);
    }
    mry_arena_free(&tmp);
    return status;
}

/* Between two frames the body stands and faces in between, as a place is. */
static stand stand_at(const mry_view *view, double frame)
{
    double held = fmax(0, fmin(frame, view->frames - 1));
    int before = (int)held;
    double share = held - before;
    stand out = stand_of(view, view->look(view->user, before));
    if (share < 1e-9) return out;
    stand next = stand_of(view, view->look(view->user, before + 1));
    for (int i = 0; i < 3; i++) out.hips[i] += share * (next.hips[i] - out.hips[i]);
    for (int i = 0; i < 2; i++) out.ahead[i] += share * (next.ahead[i] - out.ahead[i]);
    return out;
}

marey_status marey_param_origin(const marey_param *param, const marey_clip *clip, double frame,
                                double origin[3], double *angle_rad, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_view view;
    int joint;
    marey_status status = clip_open(param, clip, &tmp, &view, &joint, error);
    if (!status) {
        stand from = { .ahead = { 0, 1 } };
        if (mry_param_kind_of(param) == MRY_KIND_PLACE) frame = view.frames - 1;
        if (!(frame >= 0)) frame = mry_param_moment_of(param, &view, joint);
        if (param->from == MAREY_FROM_START) from = stand_at(&view, 0);
        if (param->from == MAREY_FROM_ROOT) from = stand_at(&view, frame);
        memcpy(origin, from.hips, 3 * sizeof *origin);
        if (param->from == MAREY_FROM_START) origin[1] = 0;
        *angle_rad = atan2(from.ahead[0], from.ahead[1]);
    }
    mry_arena_free(&tmp);
    return status;
}
