/* bridge_frames.c - frames of clips as rows of numbers for learning, windows out of a table of such
   rows, and the sums that tell whether a table is as it was written. */
#include "bridge_inside.h"
#include "subjects.h"

#include <math.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

/* Where the body stands and faces: the floor below its hips. */
typedef struct ground {
    double x, z, facing, cosine, sine;
} ground;

/* What the rows of a few frames are made of. */
typedef struct block {
    const bridge_rows_def *def;
    int posed, from,
        count;     /* frames from `posed` on have a pose; rows are of [from, from + count) */
    size_t joints; /* of the clip */
    const double *positions; /* posed frames x joints x 3 */
    const ground *grounds;   /* of the posed frames */
    const float *velocities; /* rows x joints x 3; NULL: no feature is made of them */
} block;

static ground ground_at(const marey_clip *clip, int frame, const double *positions)
{
    int hips = marey_clip_skeleton(clip)->roles[MAREY_ROLE_HIPS];
    const double *at = positions + 3 * (hips < 0 ? 0 : hips);
    double facing = marey_clip_facing_rad(clip, frame, positions);
    return (ground){ at[0], at[2], facing, cos(facing), sin(facing) };
}

/* A direction in the axes of the world, in those of the ground. */
static void turn_to(const ground *g, double x, double y, double z, float *out)
{
    out[0] = (float)(g->cosine * x - g->sine * z);
    out[1] = (float)y;
    out[2] = (float)(g->sine * x + g->cosine * z);
}

/* How the ground goes and turns, a second, to this frame from the one before; at the first frame, as
   it does next. */
static void put_root_velocity(const block *b, int frame, float *out)
{
    const bridge_rows_def *def = b->def;
    int to = frame > def->first ? frame : frame + 1;
    memset(out, 0, 3 * sizeof *out);
    if (to >= def->end) return; /* there is only one */
    const ground *was = b->grounds + (to - 1 - b->posed), *is = was + 1;
    double fps = marey_clip_fps(def->clip), turn = is->facing - was->facing, pi = acos(-1);
    float step[3];
    turn_to(was, is->x - was->x, 0, is->z - was->z, step);
    if (turn > pi) turn -= 2 * pi;
    if (turn < -pi) turn += 2 * pi;
    out[0] = (float)(step[0] * fps);
    out[1] = (float)(step[2] * fps);
    out[2] = (float)(turn * fps);
}

/* A rotation as seen from the ground. */
static void turn_from(double facing, float q[4])
{
    double c = cos(facing / 2), s = sin(facing / 2), w = q[0], x = q[1], y = q[2], z = q[3];
    q[0] = (float)(c * w + s * y);
    q[1] = (float)(c * x - s * z);
    q[2] = (float)(c * y - s * w);
    q[3] = (float)(c * z + s * x);
}

/* Local rotations; that of the first joint as seen from the ground. */
static void put_rotations(const block *b, int frame, bridge_feature_kind kind, float *out)
{
    const float *turns = marey_clip_rotations(b->def->clip, frame);
    for (int i = 0; i < b->def->joint_count; i++) {
        const float *turn = turns + 4 * (size_t)b->def->joints[i];
        float q[4] = { turn[0], turn[1], turn[2], turn[3] };
        if (turn == turns) turn_from(b->grounds[frame - b->posed].facing, q);
        float w = q[0], x = q[1], y = q[2], z = q[3];
        if (kind == BRIDGE_QUATERNIONS) {
            float sign = w < 0 ? -1 : 1;
            for (int k = 0; k < 4; k++) *out++ = sign * q[k];
            continue;
        }
        out[0] = 1 - 2 * (y * y + z * z);
        out[1] = 2 * (x * y + w * z);
        out[2] = 2 * (x * z - w * y);
        out[3] = 2 * (x * y - w * z);
        out[4] = 1 - 2 * (x * x + z * z);
        out[5] = 2 * (y * z + w * x);
        out += 6;
    }
}

static void put_feature(const block *b, int frame, const bridge_feature *feature, float *out)
{
    const bridge_rows_def *def = b->def;
    const ground *g = b->grounds + (frame - b->posed);
    const double *p = b->positions + 3 * b->joints * (size_t)(frame - b->posed);
    const float *v =
        b->velocities ? b->velocities + 3 * b->joints * (size_t)(frame - b->from) : NULL;
    int hips = marey_clip_skeleton(def->clip)->roles[MAREY_ROLE_HIPS];
    switch (feature->kind) {
    case BRIDGE_POSITIONS:
        for (int i = 0; i < def->joint_count; i++, out += 3) {
            const double *at = p + 3 * def->joints[i];
            turn_to(g, at[0] - g->x, at[1], at[2] - g->z, out);
        }
        break;
    case BRIDGE_WORLD_POSITIONS:
        for (int i = 0; i < def->joint_count; i++)
            for (int k = 0; k < 3; k++) *out++ = (float)p[3 * def->joints[i] + k];
        break;
    case BRIDGE_VELOCITIES:
        for (int i = 0; i < def->joint_count; i++, out += 3) {
            const float *of = v + 3 * def->joints[i];
            turn_to(g, of[0], of[1], of[2], out);
        }
        break;
    case BRIDGE_WORLD_VELOCITIES:
        for (int i = 0; i < def->joint_count; i++, out += 3)
            memcpy(out, v + 3 * def->joints[i], 3 * sizeof *out);
        break;
    case BRIDGE_ROT6D:
    case BRIDGE_QUATERNIONS: put_rotations(b, frame, feature->kind, out); break;
    case BRIDGE_ROOT_VELOCITY: put_root_velocity(b, frame, out); break;
    case BRIDGE_ROOT_HEIGHT: *out = (float)p[3 * (hips < 0 ? 0 : hips) + 1]; break;
    case BRIDGE_PATH:
        out[0] = (float)g->x;
        out[1] = (float)g->z;
        break;
    case BRIDGE_HEADING:
        out[0] = (float)g->sine;
        out[1] = (float)g->cosine;
        break;
    case BRIDGE_GIVEN:
        memcpy(out, feature->values + (size_t)frame * (size_t)feature->width,
               (size_t)feature->width * sizeof *out);
        break;
    }
}

marey_status bridge_rows(const bridge_rows_def *def, int from, int count, float *out)
{
    /* One frame before them and, of the first row, one behind, for what is measured between two. */
    int posed = from > def->first ? from - 1 : from, end = from + count;
    if (from == def->first && count == 1 && end < def->end) end++;
    size_t frames = (size_t)(end - posed), rows = (size_t)count;
    size_t joints = (size_t)marey_clip_skeleton(def->clip)->joint_count;
    bool moves = false;
    for (int i = 0; i < def->feature_count; i++)
        moves |= def->features[i].kind == BRIDGE_VELOCITIES ||
                 def->features[i].kind == BRIDGE_WORLD_VELOCITIES;
    double *positions = bridge_resize(NULL, NULL, 0, frames * joints * 3 * sizeof *positions);
    ground *grounds = bridge_resize(NULL, NULL, 0, frames * sizeof *grounds);
    float *velocities =
        moves ? bridge_resize(NULL, NULL, 0, rows * joints * 3 * sizeof *velocities) : NULL;
    marey_status status =
        positions && grounds && (velocities || !moves) ? MAREY_OK : MAREY_ERR_MEMORY;
    if (status == MAREY_OK && moves)
        status = marey_clip_velocities(def->clip, from, count, velocities);
    if (status == MAREY_OK) {
        marey_clip_positions(def->clip, posed, (int)frames, positions);
        for (size_t i = 0; i < frames; i++)
            grounds[i] = ground_at(def->clip, posed + (int)i, positions + 3 * joints * i);
        block b = { def, posed, from, count, joints, positions, grounds, velocities };
        for (int frame = from; frame < from + count; frame++, out += def->columns)
            for (int i = 0; i < def->feature_count; i++)
                put_feature(&b, frame, &def->features[i], out + def->features[i].column);
    }
    bridge_resize(NULL, positions, 0, 0);
    bridge_resize(NULL, grounds, 0, 0);
    bridge_resize(NULL, velocities, 0, 0);
    return status;
}

int bridge_subject_length(const char *name)
{
    size_t length = app_subject_length(name);
    return (int)(length ? length : strlen(name));
}

/* ---- tables ---------------------------------------------------------------------------------- */

void bridge_windows(const bridge_table *table, const int64_t *starts, int64_t count, float *out)
{
    int64_t columns = table->columns;
    size_t numbers = (size_t)(table->window * columns);
    for (int64_t i = 0; i < count; i++) {
        const float *from = table->rows + starts[i] * columns;
        if (!table->mean) {
            memcpy(out, from, numbers * sizeof *out);
            out += numbers;
            continue;
        }
        for (int64_t row = 0; row < table->window; row++, from += columns, out += columns)
            for (int64_t k = 0; k < columns; k++)
                out[k] = (from[k] - table->mean[k]) / table->deviation[k];
    }
}

void bridge_moments(const float *rows, int64_t columns, int64_t count, const double *mean,
                    double *sums)
{
    for (int64_t i = 0; i < count; i++, rows += columns) {
        for (int64_t k = 0; k < columns && !mean; k++) sums[k] += rows[k];
        for (int64_t k = 0; k < columns && mean; k++) {
            double off = rows[k] - mean[k];
            sums[k] += off * off;
        }
    }
}

enum { LANES = 4, STRIPE = LANES * sizeof(uint64_t) };

static const uint64_t odd = 0x9e3779b97f4a7c15u, other = 0xbf58476d1ce4e5b9u;

static inline void take_stripe(uint64_t lanes[LANES], const unsigned char *stripe)
{
    uint64_t words[LANES];
    memcpy(words, stripe, STRIPE);
    for (int i = 0; i < LANES; i++) {
        uint64_t x = (lanes[i] ^ words[i]) * odd;
        lanes[i] = x << 29 | x >> 35;
    }
}

/* Four lanes, so that one product does not wait for another: each takes a word in turn. A step is a
   bijection of lane and word, so no single change within a word is missed. */
uint64_t bridge_sum(const void *bytes, size_t count, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t lanes[LANES], sum = seed ^ (uint64_t)count * odd;
    size_t left = count;
    for (int i = 0; i < LANES; i++) lanes[i] = seed + (uint64_t)(i + 1) * odd;
    for (; left >= STRIPE; left -= STRIPE, p += STRIPE) take_stripe(lanes, p);
    if (left > 0) {
        unsigned char last[STRIPE] = { 0 };
        memcpy(last, p, left);
        take_stripe(lanes, last);
    }
    for (int i = 0; i < LANES; i++) {
        sum = (sum ^ lanes[i]) * other;
        sum ^= sum >> 31;
        sum *= odd;
        sum ^= sum >> 29;
    }
    return sum;
}
