/* gltf_read.c - the skeleton and one animation of a glTF 2.0 file become a clip. Which nodes are
   joints, what the rate is and what is left out: docs/gltf.md. */
#include "base/fail.h"
#include "io/format.h"
#include "io/gltf_file.h"
#include "io/rig.h"
#include "math/turn.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mry_glb_probe(const mry_scan *scan)
{
    return scan->end - scan->p >= 4 && memcmp(scan->p, "glTF", 4) == 0;
}

bool mry_gltf_probe(const mry_scan *scan)
{
    const char *p = scan->p;
    while (p < scan->end && strchr(" \t\r\n", *p)) p++;
    /* Other JSON lies about, too. A zero ends the window. */
    return p < scan->end && *p == '{' && strstr(p, "\"asset\"");
}

/* A transform in parts; `matrix` instead of them, if has_matrix. */
typedef struct transform {
    double place[3], turn[4], scale[3]; /* the quaternion as (w, x, y, z) */
    bool has_matrix;
    double matrix[MRY_RIG_NUMBERS];
} transform;

typedef enum path { PLACE, TURN, SCALE, PATHS } path;
static const char *const path_names[PATHS] = { "translation", "rotation", "scale" };

/* The keys of one path of one node. */
typedef struct track {
    int node; /* of the rig */
    path to;
    int keys;
    const float *times;
    const float *values; /* 3 or 4 a key; cubic: tangent, value, tangent */
    enum { LINEAR, STEP, CUBIC } way;
    int at; /* the key before the moment that was asked for last */
} track;

typedef struct reader {
    mry_gltf_file file;
    mry_arena *tmp;
    int count;      /* of nodes */
    int *parent;    /* of each: -1 */
    bool *is_joint; /* of each */
    bool *is_needed;
    int *order; /* the nodes, depth-first */
    int order_count;
    /* What is needed of them, in that order. */
    int rig_count;
    int *rig_of; /* of each node; -1: not needed */
    mry_rig_node *nodes;
    transform *rest, *now;
    track *tracks; /* rig_count x PATHS; NULL: none. Those without keys do not move it */
    int track_count;
    double start, fps;
} reader;

static marey_status no_memory(const reader *r)
{
    return mry_fail_memory(r->file.scan->error, r->file.scan->path);
}

static const json_t *item(const reader *r, const char *list, int64_t index)
{
    return json_array_get(json_object_get(r->file.root, list), (size_t)index);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Parents, and the nodes that are below some root, depth-first. */
static marey_status find_tree(reader *r)
{
    mry_gltf_list(r->file.root, "nodes", &r->count);
    size_t count = (size_t)r->count;
    if (count == 0) return mry_gltf_fail(&r->file, "it has no nodes, so no skeleton");
    r->parent = MRY_NEW_RAW(r->tmp, int, count);
    r->is_joint = MRY_NEW(r->tmp, bool, count);
    r->is_needed = MRY_NEW(r->tmp, bool, count);
    r->order = MRY_NEW(r->tmp, int, count);
    r->rig_of = MRY_NEW_RAW(r->tmp, int, count);
    int *stack = MRY_NEW(r->tmp, int, count);
    if (!r->parent || !r->is_joint || !r->is_needed || !r->order || !r->rig_of || !stack)
        return no_memory(r);
    for (int n = 0; n < r->count; n++) r->parent[n] = r->rig_of[n] = -1;
    for (int n = 0; n < r->count; n++) {
        int children;
        const json_t *list = mry_gltf_list(item(r, "nodes", n), "children", &children);
        for (int i = 0; i < children; i++) {
            const json_t *one = json_array_get(list, (size_t)i);
            int64_t child = json_is_integer(one) ? json_integer_value(one) : -1;
            if (child < 0 || child >= r->count || r->parent[child] >= 0)
                return mry_gltf_fail(&r->file,
                                     "node %d has a child that is not there, or another's", n);
            r->parent[child] = n;
        }
    }
    for (int root = 0; root < r->count; root++) {
        int held = 0;
        if (r->parent[root] >= 0) continue;
        stack[held++] = root;
        while (held > 0) {
            int children, n = stack[--held];
            const json_t *list = mry_gltf_list(item(r, "nodes", n), "children", &children);
            r->order[r->order_count++] = n;
            for (int i = children - 1; i >= 0; i--) /* the first one is taken first */
                stack[held++] = (int)json_integer_value(json_array_get(list, (size_t)i));
        }
    }
    return MAREY_OK; /* those that are in a circle are in no order */
}

static marey_status read_transform(const reader *r, int node, transform *out)
{
    const json_t *one = item(r, "nodes", node);
    double turn[4] = { 0, 0, 0, 1 }, matrix[16];
    *out = (transform){ .scale = { 1, 1, 1 } };
    bool fine = (!json_object_get(one, "translation") ||
                 mry_gltf_values(one, "translation", out->place, 3)) &&
                (!json_object_get(one, "rotation") || mry_gltf_values(one, "rotation", turn, 4)) &&
                (!json_object_get(one, "scale") || mry_gltf_values(one, "scale", out->scale, 3));
    out->has_matrix = json_object_get(one, "matrix") != NULL;
    if (out->has_matrix) fine = fine && mry_gltf_values(one, "matrix", matrix, 16);
    if (!fine)
        return mry_gltf_fail(&r->file, "the transform of node %d is not as it should be", node);
    double length =
        sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
    for (int i = 0; i < 4; i++)
        out->turn[i] = length > 0 ? turn[(i + 3) % 4] / length : i == 0; /* from (x, y, z, w) */
    for (int i = 0; i < MRY_RIG_NUMBERS && out->has_matrix; i++)
        out->matrix[i] = matrix[4 * (i % 4) + i / 4]; /* its columns come one after the other */
    return MAREY_OK;
}

/* ---- which nodes are joints ------------------------------------------------------------------ */

static void mark_targets(reader *r)
{
    int takes;
    mry_gltf_list(r->file.root, "animations", &takes);
    for (int t = 0; t < takes; t++) {
        int channels;
        const json_t *list = mry_gltf_list(item(r, "animations", t), "channels", &channels);
        for (int c = 0; c < channels; c++) {
            const json_t *target = json_object_get(json_array_get(list, (size_t)c), "target");
            const char *name = json_string_value(json_object_get(target, "path"));
            int64_t node = mry_gltf_index(target, "node", r->count - 1);
            if (node >= 0 && name && strcmp(name, "weights") != 0) r->is_joint[node] = true;
        }
    }
}

/* The joints of all skins; without skins all that is animated and what hangs below it. Of several
   trees the one with the most is taken, and what lies between joints is one. */
static marey_status choose_joints(reader *r)
{
    int skins, joints = 0;
    const json_t *list = mry_gltf_list(r->file.root, "skins", &skins);
    for (int s = 0; s < skins; s++) {
        int count;
        const json_t *of = mry_gltf_list(json_array_get(list, (size_t)s), "joints", &count);
        for (int i = 0; i < count; i++) {
            const json_t *one = json_array_get(of, (size_t)i);
            int64_t node = json_is_integer(one) ? json_integer_value(one) : -1;
            if (node < 0 || node >= r->count)
                return mry_gltf_fail(&r->file, "skin %d has a joint that is not there", s);
            r->is_joint[node] = true;
            joints++;
        }
    }
    if (joints == 0) {
        mark_targets(r);
        for (int i = 0; i < r->order_count; i++) {
            int n = r->order[i], up = r->parent[n];
            const json_t *one = item(r, "nodes", n);
            bool leaf = !json_object_get(one, "children");
            bool other = json_object_get(one, "mesh") || json_object_get(one, "camera");
            if (up >= 0 && r->is_joint[up] && !(leaf && other)) r->is_joint[n] = true;
        }
    }
    /* How many joints are in each node's tree; then the root with the most. */
    int *below = MRY_NEW(r->tmp, int, r->count), best = -1;
    if (!below) return no_memory(r);
    for (int i = r->order_count; i-- > 0;) {
        int n = r->order[i];
        below[n] += r->is_joint[n];
        if (r->parent[n] >= 0) below[r->parent[n]] += below[n];
        if (r->parent[n] < 0 && below[n] > 0 && (best < 0 || below[n] >= below[best])) best = n;
    }
    if (best < 0)
        return mry_gltf_fail(&r->file, "it has no skeleton: no skin, and no node that is animated");
    /* The lowest node that carries all of them is the root. */
    int all = below[best], top = best;
    for (bool goes_on = !r->is_joint[top]; goes_on;) {
        int children;
        const json_t *of = mry_gltf_list(item(r, "nodes", top), "children", &children);
        goes_on = false;
        for (int i = 0; i < children && !goes_on; i++) {
            int child = (int)json_integer_value(json_array_get(of, (size_t)i));
            if (below[child] < all) continue;
            top = child;
            goes_on = true;
        }
        goes_on = goes_on && !r->is_joint[top];
    }
    joints = 0;
    for (int i = 0; i < r->order_count; i++) {
        int n = r->order[i], up = r->parent[n];
        bool inside = n == top || (up >= 0 && r->is_joint[up]);
        r->is_joint[n] = inside && below[n] > 0;
        joints += r->is_joint[n];
    }
    if (joints > MRY_MOST_JOINTS)
        return mry_fail(r->file.scan->error, MAREY_ERR_LIMIT, r->file.scan->path,
                        "%d joints; marey reads at most %d", joints, MRY_MOST_JOINTS);
    for (int n = r->parent[top]; n >= 0; n = r->parent[n]) r->is_needed[n] = true;
    return MAREY_OK;
}

/* The nodes that the joints are posed by: themselves and what carries the root. */
static marey_status fill_rig(reader *r)
{
    int numbers = 0;
    for (int i = 0; i < r->order_count; i++) {
        int n = r->order[i];
        if (r->is_joint[n] || r->is_needed[n]) r->rig_of[n] = r->rig_count++;
    }
    r->nodes = MRY_NEW(r->tmp, mry_rig_node, r->rig_count);
    r->rest = MRY_NEW(r->tmp, transform, r->rig_count);
    r->now = MRY_NEW(r->tmp, transform, r->rig_count);
    if (!r->nodes || !r->rest || !r->now) return no_memory(r);
    for (int i = 0; i < r->order_count; i++) {
        int n = r->order[i], k = r->rig_of[n];
        if (k < 0) continue;
        const char *name = json_string_value(json_object_get(item(r, "nodes", n), "name"));
        char *text = name && *name
                         ? mry_arena_text(r->tmp, name, strnlen(name, MRY_LONGEST_JOINT_NAME))
                         : mry_arena_print(r->tmp, "node_%d", numbers++);
        if (!text) return no_memory(r);
        r->nodes[k] =
            (mry_rig_node){ text, r->parent[n] < 0 ? -1 : r->rig_of[r->parent[n]], r->is_joint[n] };
        marey_status status = read_transform(r, n, &r->rest[k]);
        if (status) return status;
    }
    return MAREY_OK;
}

/* ---- takes ----------------------------------------------------------------------------------- */

typedef struct span {
    double start, end; /* seconds */
} span;

/* From the first key to the last of those that move the rig. The accessors' min and max may lie, or
   be missing. */
static marey_status measure_take(reader *r, int take, span *out)
{
    const json_t *animation = item(r, "animations", take);
    int samplers, channels, keys;
    const json_t *of = mry_gltf_list(animation, "samplers", &samplers);
    const json_t *list = mry_gltf_list(animation, "channels", &channels);
    *out = (span){ HUGE_VAL, -HUGE_VAL };
    int64_t last = -1;
    for (int c = 0; c < channels; c++) {
        const json_t *channel = json_array_get(list, (size_t)c);
        int64_t node = mry_gltf_index(json_object_get(channel, "target"), "node", r->count - 1);
        int64_t sampler = mry_gltf_index(channel, "sampler", samplers - 1);
        if (node < 0 || r->rig_of[node] < 0 || sampler < 0) continue;
        int64_t input = mry_gltf_index(json_array_get(of, (size_t)sampler), "input", INT32_MAX);
        float *times;
        if (input == last) continue;
        last = input;
        marey_status status = mry_gltf_numbers(&r->file, input, 1, &times, &keys);
        if (status) return status;
        out->start = fmin(out->start, (double)times[0]);
        out->end = fmax(out->end, (double)times[keys - 1]);
    }
    return MAREY_OK;
}

static const char *take_name(const reader *r, int take)
{
    return json_string_value(json_object_get(item(r, "animations", take), "name"));
}

/* The take that was asked for, by its name or else its number from 1; or the longest. -1: there is
   none. */
static marey_status choose_take(reader *r, const char *wanted, int *out, span *when)
{
    int takes;
    char names[300] = "", *end = NULL;
    bool named = false;
    long number = wanted ? strtol(wanted, &end, 10) : 0;
    mry_gltf_list(r->file.root, "animations", &takes);
    *out = -1;
    *when = (span){ 0, 0 };
    for (int t = 0; t < takes && wanted; t++)
        named |= take_name(r, t) && strcmp(take_name(r, t), wanted) == 0;
    for (int t = 0; t < takes; t++) {
        const char *name = take_name(r, t);
        size_t used = strlen(names);
        span one;
        snprintf(names + used, sizeof names - used, "%s%s", t ? ", " : "",
                 name ? name : "(no name)");
        if (named && !(name && strcmp(name, wanted) == 0)) continue;
        if (wanted && !named && (*end || number != t + 1)) continue;
        marey_status status = measure_take(r, t, &one);
        if (status) return status;
        if (!(one.end >= one.start)) continue; /* nothing of the skeleton */
        if (*out >= 0 && !(one.end - one.start > when->end - when->start)) continue;
        *out = t;
        *when = one;
    }
    if (wanted && *out < 0)
        return mry_gltf_fail(&r->file,
                             "it has no take \"%.100s\" that moves the skeleton; it has %s", wanted,
                             takes ? names : "none");
    return MAREY_OK;
}

static marey_status read_tracks(reader *r, int take)
{
    const json_t *animation = item(r, "animations", take);
    int samplers, channels;
    const json_t *of = mry_gltf_list(animation, "samplers", &samplers);
    const json_t *list = mry_gltf_list(animation, "channels", &channels);
    r->track_count = PATHS * r->rig_count;
    r->tracks = MRY_NEW(r->tmp, track, r->track_count);
    if (!r->tracks) return no_memory(r);
    for (int c = 0; c < channels; c++) {
        const json_t *channel = json_array_get(list, (size_t)c);
        const json_t *target = json_object_get(channel, "target");
        const char *name = json_string_value(json_object_get(target, "path"));
        int64_t node = mry_gltf_index(target, "node", r->count - 1);
        int64_t number = mry_gltf_index(channel, "sampler", samplers - 1);
        const json_t *sampler = number < 0 ? NULL : json_array_get(of, (size_t)number);
        const char *way = json_string_value(json_object_get(sampler, "interpolation"));
        track one = { .way = !way || strcmp(way, "LINEAR") == 0 ? LINEAR
                             : strcmp(way, "STEP") == 0         ? STEP
                                                                : CUBIC };
        while (one.to < PATHS && (!name || strcmp(name, path_names[one.to]) != 0)) one.to++;
        if (node < 0 || r->rig_of[node] < 0 || one.to == PATHS) continue;
        if (!sampler || (one.way == CUBIC && strcmp(way, "CUBICSPLINE") != 0))
            return mry_gltf_fail(&r->file, "channel %d of its animation is not as it should be", c);
        float *times, *values;
        int count;
        marey_status status = mry_gltf_numbers(
            &r->file, mry_gltf_index(sampler, "input", INT32_MAX), 1, &times, &one.keys);
        if (!status)
            status = mry_gltf_numbers(&r->file, mry_gltf_index(sampler, "output", INT32_MAX),
                                      one.to == TURN ? 4 : 3, &values, &count);
        if (status) return status;
        if ((int64_t)count != (int64_t)one.keys * (one.way == CUBIC ? 3 : 1))
            return mry_gltf_fail(&r->file, "channel %d has %d keys and %d values", c, one.keys,
                                 count);
        for (int k = 1; k < one.keys; k++) {
            if (!(times[k] >= times[k - 1]))
                return mry_gltf_fail(&r->file, "the keys of channel %d go back in time", c);
        }
        one.node = r->rig_of[node];
        one.times = times;
        one.values = values;
        if (r->rest[one.node].has_matrix)
            return mry_gltf_fail(&r->file, "channel %d moves a node that has a matrix", c);
        r->tracks[PATHS * one.node + one.to] = one; /* of several the last one counts */
    }
    return MAREY_OK;
}

/* ---- the rate -------------------------------------------------------------------------------- */

/* glTF knows seconds only. The rate is what marey wrote, or the lowest common one at which nearly all
   keys are on frames; else 60. */
static double find_rate(const reader *r)
{
    static const double rates[] = { 1,
                                    10,
                                    12,
                                    12.5,
                                    15,
                                    24000 / 1001.0,
                                    24,
                                    25,
                                    30000 / 1001.0,
                                    30,
                                    48,
                                    50,
                                    60000 / 1001.0,
                                    60,
                                    72,
                                    75,
                                    90,
                                    100,
                                    120,
                                    144,
                                    150,
                                    180,
                                    200,
                                    240,
                                    250,
                                    300,
                                    480,
                                    500,
                                    1000 };
    const json_t *asset = json_object_get(r->file.root, "asset");
    double written = json_number_value(
        json_object_get(json_object_get(json_object_get(asset, "extras"), "marey"), "fps"));
    if (written >= 0.1 && written <= 10000) return written;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        int64_t on = 0, keys = 0;
        for (int t = 0; t < r->track_count; t++) {
            for (int k = 0; k < r->tracks[t].keys; k++) {
                double seconds = (double)r->tracks[t].times[k] - r->start;
                double frame = seconds * rates[i], off = fabs(frame - round(frame));
                on += off <= 0.01 + 2e-7 * fabs((double)r->tracks[t].times[k]) * rates[i];
                keys++;
            }
        }
        if ((double)on >= 0.99 * (double)keys && i > 0) return rates[i];
    }
    return 60;
}

/* ---- poses ----------------------------------------------------------------------------------- */

static void read_key(const track *t, int key, int part, double *out)
{
    int width = t->to == TURN ? 4 : 3;
    const float *from =
        t->values +
        (size_t)width * (t->way == CUBIC ? 3 * (size_t)key + (size_t)part : (size_t)key);
    for (int i = 0; i < width; i++) out[i] = (double)from[i];
}

/* The value of a track at a moment; quaternions as (x, y, z, w). */
static void value_at(track *t, double seconds, double hair, double *out)
{
    int width = t->to == TURN ? 4 : 3, last = t->keys - 1;
    double a[4], b[4], m[4], n[4];
    if (t->at > last || (double)t->times[t->at] > seconds) t->at = 0;
    while (t->at < last && (double)t->times[t->at + 1] <= seconds + hair) t->at++;
    double t0 = (double)t->times[t->at], t1 = t->at < last ? (double)t->times[t->at + 1] : t0;
    double u = t1 > t0 ? (seconds - t0) / (t1 - t0) : 0;
    read_key(t, t->at, 1, a);
    memcpy(out, a, (size_t)width * sizeof *a);
    if (t->at == last || t->way == STEP || seconds - t0 <= hair) return;
    read_key(t, t->at + 1, 1, b);
    if (t->way == CUBIC) {
        double u2 = u * u, u3 = u2 * u, step = t1 - t0;
        read_key(t, t->at, 2, m);
        read_key(t, t->at + 1, 0, n);
        for (int i = 0; i < width; i++)
            out[i] = (2 * u3 - 3 * u2 + 1) * a[i] + (u3 - 2 * u2 + u) * step * m[i] +
                     (3 * u2 - 2 * u3) * b[i] + (u3 - u2) * step * n[i];
        return;
    }
    double wa = 1 - u, wb = u;
    if (t->to == TURN) {
        double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        double sign = dot < 0 ? -1 : 1, angle = acos(fmin(fabs(dot), 1));
        if (angle > 1e-6) {
            wa = sin((1 - u) * angle) / sin(angle);
            wb = sign * sin(u * angle) / sin(angle);
        } else {
            wb = sign * u;
        }
    }
    for (int i = 0; i < width; i++) out[i] = wa * a[i] + wb * b[i];
}

static void write_local(const transform *from, double *out)
{
    if (from->has_matrix)
        memcpy(out, from->matrix, sizeof from->matrix);
    else
        mry_rig_local(from->place, from->turn, from->scale, out);
}

static void pose_frame(void *user, int frame, double *locals)
{
    reader *r = user;
    double seconds = r->start + frame / r->fps, hair = 1e-4 / r->fps + 1e-7 * fabs(seconds), v[4];
    memcpy(r->now, r->rest, (size_t)r->rig_count * sizeof *r->now);
    for (int i = 0; i < r->track_count; i++) {
        track *t = &r->tracks[i];
        if (t->keys == 0) continue;
        transform *to = &r->now[t->node];
        value_at(t, seconds, hair, v);
        if (t->to == TURN) {
            double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
            for (int k = 0; k < 4; k++) to->turn[k] = length > 0 ? v[(k + 3) % 4] / length : k == 0;
        } else {
            memcpy(t->to == PLACE ? to->place : to->scale, v, 3 * sizeof *v);
        }
    }
    for (int n = 0; n < r->rig_count; n++) write_local(&r->now[n], locals + MRY_RIG_NUMBERS * n);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* "soldier_Run", with nothing in it that names of clips may not have; NULL: no memory. */
static const char *name_with_take(const reader *r, const char *name, const char *take)
{
    char *both = mry_arena_print(r->tmp, "%s_%.100s", name, take);
    for (char *p = both ? both + strlen(name) : NULL; p && *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x80 && !isalnum(c) && !strchr("._-", c)) *p = '_';
    }
    return both;
}

static marey_status read_all(reader *r, const char *name, const marey_load_def *def,
                             marey_clip **out)
{
    mry_scan *scan = r->file.scan;
    int take;
    span when;
    marey_status status = find_tree(r);
    if (!status) status = choose_joints(r);
    if (!status) status = fill_rig(r);
    if (!status) status = choose_take(r, def->take, &take, &when);
    if (!status && take >= 0) status = read_tracks(r, take);
    double *rest = status ? NULL : MRY_NEW(r->tmp, double, MRY_RIG_NUMBERS *(size_t)r->rig_count);
    if (!status && !rest) status = no_memory(r);
    if (status) return status;
    for (int n = 0; n < r->rig_count; n++) write_local(&r->rest[n], rest + MRY_RIG_NUMBERS * n);
    r->start = when.start;
    r->fps = find_rate(r);
    double frames = floor((when.end - when.start) * r->fps + 0.01) + 1;
    /* A few keys far apart are many frames: no more than a file of this size could hold written out,
       and a minute of them at least. */
    double room = 16.0 * r->rig_count * frames;
    if (frames > MRY_MOST_FRAMES || room > 256e6 + 64.0 * (double)r->file.size)
        return mry_fail(scan->error, MAREY_ERR_LIMIT, scan->path,
                        "%.0f s at %g a second are too many frames", when.end - when.start, r->fps);
    int takes;
    mry_gltf_list(r->file.root, "animations", &takes);
    const char *called = take < 0 ? NULL : take_name(r, take);
    if (takes > 1 && called) name = name_with_take(r, name, called);
    if (!name) return no_memory(r);
    mry_rig rig = { r->nodes, r->rig_count, rest, (int)frames, r->fps, pose_frame, r };
    marey_clip *clip = NULL;
    status = mry_rig_clip(scan->ctx, name, &rig, scan->path, &clip, scan->error);
    if (status) return status;
    clip->units = MAREY_UNITS_M;
    clip->up = MAREY_UP_Y;
    bool fits = true;
    if (take < 0)
        fits = mry_clip_warn(clip, "a skeleton without motion: one frame of its rest pose");
    if (takes > 1 && !def->take && take >= 0)
        fits = mry_clip_warn(clip, "it has %d takes; the longest was read, %s", takes,
                             called ? called : "which has no name");
    if (!fits) {
        marey_clip_free(clip);
        return no_memory(r);
    }
    *out = clip;
    return MAREY_OK;
}

marey_status mry_gltf_read(mry_scan *scan, const char *name, const marey_load_def *def,
                           marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    reader r = { .tmp = &tmp };
    marey_status status = mry_gltf_open(&r.file, scan, &tmp);
    if (!status) status = read_all(&r, name, def, out);
    mry_gltf_close(&r.file);
    mry_arena_free(&tmp);
    return scan->status = status;
}
