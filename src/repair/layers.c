/* layers.c - the clip that has some layers: a copy of the captured one, changed layer by layer.

   A layer that changes tracks changes the file's own numbers of the same joint in the same frames
   and no others, so a repaired clip that is written again differs from its file where it was
   repaired. Angles about axes of a joint's own (ASF) have no way back; such a clip is then
   stated in plain channels, as every made clip is. */
#include "base/fail.h"
#include "motion/axes.h"
#include "motion/carrier.h"
#include "motion/channels.h"
#include "repair/fill.h"

#include <marey/repair.h>

#include <assert.h>
#include <string.h>

/* What a kind of layer needs. */
typedef struct layer_row {
    const char *name;
    bool frames;      /* of the clip, not empty */
    int joint;        /* 1: must be one of the clip's; 0: may be -1; -1: must be -1 */
    int values;       /* so many numbers that are finite */
    bool turns;       /* the first four of them are a unit quaternion */
    bool moves;       /* changes tracks */
    double low, high; /* of value[0], unless it is part of a quaternion */
} layer_row;

static const layer_row rows[MAREY_LAYER_COUNT] = {
    [MAREY_LAYER_RATE] = { "rate", false, -1, 1, false, false, 0.1, 10000 },
    [MAREY_LAYER_UNITS] = { "units", false, -1, 1, false, false, MAREY_UNITS_MM, MAREY_UNITS_CMU },
    [MAREY_LAYER_UP] = { "up", false, -1, 1, false, false, MAREY_UP_Y, MAREY_UP_Z },
    [MAREY_LAYER_ROLE] = { "role", false, 0, 1, false, false, 0, MAREY_ROLE_COUNT - 1 },
    [MAREY_LAYER_MARK] = { "mark", true, -1, 1, false, false, 0, MAREY_MARK_COUNT - 1 },
    [MAREY_LAYER_UNMARK] = { "unmark", true, -1, 0, false, false, 0, 0 },
    [MAREY_LAYER_FILL] = { "fill", true, 0, 0, false, true, 0, 0 },
    [MAREY_LAYER_TURN] = { "turn", true, 1, 4, true, true, 0, 0 },
    [MAREY_LAYER_SHIFT] = { "shift", true, 1, 3, false, true, -1e6, 1e6 },
    [MAREY_LAYER_LEVEL] = { "level", true, -1, 7, true, true, 0, 0 },
    [MAREY_LAYER_RAISE] = { "raise", true, -1, 2, false, true, -1e6, 1e6 },
    [MAREY_LAYER_BONE] = { "bone", true, 1, 1, false, true, 0.01, 100 },
};

const char *marey_layer_name(marey_layer_kind kind)
{
    assert(kind >= 0 && kind < MAREY_LAYER_COUNT);
    return rows[kind].name;
}

/* REQUEST with the first rule that a layer does not keep. */
static marey_status check(const marey_clip *clip, const marey_layer *layer, int number,
                          marey_error *error)
{
    if (layer->kind < 0 || layer->kind >= MAREY_LAYER_COUNT)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "layer %d must be of a known kind, got %d", number, (int)layer->kind);
    const layer_row *row = &rows[layer->kind];
    int joints = clip->skeleton.joint_count;
    bool whole = layer->kind == MAREY_LAYER_UNITS || layer->kind == MAREY_LAYER_UP ||
                 layer->kind == MAREY_LAYER_ROLE || layer->kind == MAREY_LAYER_MARK;
    double first = layer->value[0], length = 0;
    bool fine = true;
    for (int i = 0; i < row->values; i++) fine &= isfinite(layer->value[i]);
    for (int i = 0; i < 4 && row->turns; i++) length += layer->value[i] * layer->value[i];
    if (row->turns) fine &= fabs(length - 1) < 1e-3;
    if (row->values > 0 && !row->turns) fine &= first >= row->low && first <= row->high;
    if (whole) fine &= first == rint(first);
    const char *wrong = NULL;
    if (!fine) wrong = "its numbers";
    if (layer->joint < (row->joint > 0 ? 0 : -1) || layer->joint >= (row->joint < 0 ? 0 : joints))
        wrong = "its joint";
    if (row->frames &&
        (layer->start < 0 || layer->start >= layer->end || layer->end > clip->frames))
        wrong = "its frames";
    if (layer->kind == MAREY_LAYER_SHIFT && !wrong && clip->slot[layer->joint] < 0)
        wrong = "its joint, which has no positions,";
    if (!wrong) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "layer %d, %s: %s must fit this clip",
                    number, row->name, wrong);
}

/* A copy with everything the clip has; if its tracks will change and its numbers cannot, without
   these. NULL: out of memory. */
static marey_clip *copy_clip(const marey_clip *clip, bool moves)
{
    marey_clip *made = NULL;
    if (!moves || !clip->source.axes)
        return marey_clip_trim(clip, 0, clip->frames, &made, NULL) ? NULL : made;
    made = mry_clip_make_like(clip, clip->frames, clip->fps);
    if (made && mry_clip_copy_marks(made, clip)) {
        mry_clip_copy_frames(made, 0, clip, 0, clip->frames);
        made->source.frame_time = clip->source.frame_time;
        return made;
    }
    marey_clip_free(made);
    return NULL;
}

/* The file's numbers of a joint in these frames, out of its tracks. */
static void state_numbers(marey_clip *clip, int joint, int start, int end)
{
    const marey_joint *of = &clip->joints[joint];
    size_t bytes = (size_t)of->channel_count * sizeof(double);
    for (int f = start; f < end && clip->source.channels; f++) {
        double *row = mry_channels(clip, f), *at = row + of->first_channel;
        if (f > 0) memcpy(at, mry_channels(clip, f - 1) + of->first_channel, bytes);
        mry_joint_from_tracks(clip, of, f, joint, row);
    }
}

/* Every length and direction, as if the file had been in other units or axes. */
static void restate(marey_clip *clip, marey_units units, marey_up up)
{
    double scale = marey_units_cm(units) / marey_units_cm(clip->units);
    int joints = clip->skeleton.joint_count;
    size_t places = (size_t)clip->frames * (size_t)clip->mover_count;
    size_t turns = (size_t)clip->frames * (size_t)joints;
    for (size_t i = 0; i < places + 2 * (size_t)joints; i++) {
        size_t j = i - places;
        double *v = i < places
                        ? clip->place + 3 * i
                        : (j % 2 ? clip->joints[j / 2].end_cm : clip->joints[j / 2].offset_cm);
        mry_vector_to_file(clip->up, v, v);
        mry_vector_from_file(up, v, v);
        for (int k = 0; k < 3; k++) v[k] *= scale;
    }
    for (size_t i = 0; i < turns; i++) {
        mry_turn_to_file(clip->up, clip->turn + 4 * i, clip->turn + 4 * i);
        mry_turn_from_file(up, clip->turn + 4 * i, clip->turn + 4 * i);
    }
    clip->report.height_cm *= scale;
    clip->units = units;
    clip->up = up;
}

/* Marks frames as `kind`, or as captured if it is -1. False: out of memory. */
static bool mark(marey_clip *clip, int start, int end, int kind)
{
    int count = clip->mark_count;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_mark *old = MRY_NEW_RAW(&tmp, marey_mark, count + 1);
    if (!old) return false;
    if (count) memcpy(old, clip->marks, (size_t)count * sizeof *old);
    clip->mark_count = 0;
    bool ok = true, put = kind < 0;
    for (int i = 0; i < count && ok; i++) {
        if (!put && old[i].end > start) {
            /* The part of this one that is before the frames, then the frames. */
            if (old[i].start < start)
                ok = mry_clip_add_mark(clip, old[i].kind, old[i].start, start);
            ok = ok && mry_clip_add_mark(clip, (marey_mark_kind)kind, start, end);
            put = true;
        } else if (old[i].start < start) {
            ok = mry_clip_add_mark(clip, old[i].kind, old[i].start,
                                   old[i].end < start ? old[i].end : start);
        }
        if (ok && old[i].end > end)
            ok = mry_clip_add_mark(clip, old[i].kind, old[i].start > end ? old[i].start : end,
                                   old[i].end);
    }
    if (ok && !put) ok = mry_clip_add_mark(clip, (marey_mark_kind)kind, start, end);
    mry_arena_free(&tmp);
    return ok;
}

/* The body moved in these frames: turned about a point, then raised. */
static void move_body(marey_clip *clip, const marey_layer *layer)
{
    const marey_clip *one = clip;
    mry_carrier carrier = mry_carrier_find(&one, 1);
    int slot = clip->slot[carrier.joint], last = layer->end - 1;
    bool level = layer->kind == MAREY_LAYER_LEVEL;
    float by[4] = { 1, 0, 0, 0 };
    for (int i = 0; i < 4 && level; i++) by[i] = (float)layer->value[i];
    mry_quat_normalize(by);
    for (int f = layer->start; f < layer->end; f++) {
        double *place = mry_place(clip, f) + 3 * slot;
        float *turn = mry_turn(clip, f) + 4 * carrier.joint;
        mry_carrier_out(&carrier, place, turn);
        if (level) {
            for (int i = 0; i < 3; i++) place[i] -= layer->value[4 + i];
            mry_quat_rotate_double(by, place, place);
            for (int i = 0; i < 3; i++) place[i] += layer->value[4 + i];
            mry_quat_multiply(by, turn, turn);
            mry_quat_normalize(turn);
        } else {
            double t = last > layer->start ? (double)(f - layer->start) / (last - layer->start) : 0;
            place[1] += layer->value[0] + t * (layer->value[1] - layer->value[0]);
        }
        mry_carrier_in(&carrier, place, turn);
    }
    state_numbers(clip, carrier.joint, layer->start, layer->end);
}

/* False: out of memory. */
static bool apply(marey_clip *clip, const marey_layer *layer)
{
    int joint = layer->joint, start = layer->start, end = layer->end;
    int slot = joint >= 0 ? clip->slot[joint] : -1;
    const double *value = layer->value;
    switch (layer->kind) {
    case MAREY_LAYER_RATE:
        clip->fps = value[0];
        clip->source.frame_time = 1 / value[0];
        return true;
    case MAREY_LAYER_UNITS:
        restate(clip, (marey_units)value[0], clip->up);
        clip->report.units_why = "set for this clip";
        return true;
    case MAREY_LAYER_UP:
        restate(clip, clip->units, (marey_up)value[0]);
        clip->report.up_why = "set for this clip";
        return true;
    case MAREY_LAYER_ROLE: clip->skeleton.roles[(int)value[0]] = joint; return true;
    case MAREY_LAYER_MARK: return mark(clip, start, end, (int)value[0]);
    case MAREY_LAYER_UNMARK: return mark(clip, start, end, -1);
    case MAREY_LAYER_FILL:
        if (joint < 0 && !mark(clip, start, end, -1)) return false;
        for (int j = joint < 0 ? 0 : joint;
             j < (joint < 0 ? clip->skeleton.joint_count : joint + 1); j++) {
            mry_fill(clip, j, start, end);
            state_numbers(clip, j, start, end);
        }
        return true;
    case MAREY_LAYER_TURN: {
        float by[4] = { (float)value[0], (float)value[1], (float)value[2], (float)value[3] };
        mry_quat_normalize(by);
        for (int f = start; f < end; f++) {
            float *turn = mry_turn(clip, f) + 4 * joint;
            mry_quat_multiply(turn, by, turn);
            mry_quat_normalize(turn);
        }
        state_numbers(clip, joint, start, end);
        return true;
    }
    case MAREY_LAYER_SHIFT:
        for (int f = start; f < end; f++) {
            for (int i = 0; i < 3; i++) mry_place(clip, f)[3 * slot + i] += value[i];
        }
        state_numbers(clip, joint, start, end);
        return true;
    case MAREY_LAYER_LEVEL:
    case MAREY_LAYER_RAISE: move_body(clip, layer); return true;
    case MAREY_LAYER_BONE:
        for (int f = start; f < end && slot >= 0; f++) {
            for (int i = 0; i < 3; i++) mry_place(clip, f)[3 * slot + i] *= value[0];
        }
        if (slot >= 0) state_numbers(clip, joint, start, end);
        for (int i = 0; i < 3 && slot < 0; i++) {
            clip->joints[joint].offset_cm[i] *= value[0];
            clip->source.offsets[3 * joint + i] *= value[0];
        }
        return true;
    case MAREY_LAYER_COUNT: break;
    }
    return true;
}

marey_status marey_clip_repair(const marey_clip *clip, const marey_layer *layers, int count,
                               marey_clip **out, marey_error *error)
{
    bool moves = false;
    assert(clip && out && count >= 0 && (layers || count == 0));
    for (int i = 0; i < count; i++) {
        marey_status status = check(clip, &layers[i], i, error);
        if (status) return status;
        moves |= rows[layers[i].kind].moves;
    }
    marey_clip *made = copy_clip(clip, moves);
    bool ok = made != NULL;
    for (int i = 0; i < count && ok; i++) ok = apply(made, &layers[i]);
    if (!ok) {
        marey_clip_free(made);
        return mry_fail_memory(error, clip->name);
    }
    *out = made;
    return MAREY_OK;
}
