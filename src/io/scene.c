/* scene.c - a scene becomes a clip: which nodes are joints, which take, where everything is at a
   moment. Decision 28 says why joints get the axes of the world. */
#include "io/scene.h"

#include "base/fail.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static marey_status no_memory(const mry_scene *scene)
{
    return mry_fail_memory(scene->scan->error, scene->scan->path);
}

bool mry_scene_begin(mry_scene *scene, int count)
{
    size_t n = (size_t)count;
    scene->count = count;
    scene->parent = MRY_NEW_RAW(scene->tmp, int, n);
    scene->order = MRY_NEW(scene->tmp, int, n);
    scene->names = MRY_NEW(scene->tmp, const char *, n);
    scene->is_joint = MRY_NEW(scene->tmp, bool, n);
    scene->rest = MRY_NEW(scene->tmp, mry_transform, n);
    scene->drops_scale = MRY_NEW(scene->tmp, bool, n);
    scene->rig_of = MRY_NEW_RAW(scene->tmp, int, n);
    if (!scene->parent || !scene->order || !scene->names || !scene->is_joint || !scene->rest ||
        !scene->drops_scale || !scene->rig_of)
        return false;
    for (int i = 0; i < count; i++) scene->parent[i] = scene->rig_of[i] = -1;
    return true;
}

/* ---- joints ---------------------------------------------------------------------------------- */

marey_status mry_scene_choose_joints(mry_scene *scene)
{
    /* How many joints are in each node's tree; then the root with the most. */
    int *below = MRY_NEW(scene->tmp, int, scene->count), best = -1, joints = 0;
    if (!below) return no_memory(scene);
    for (int i = scene->order_count; i-- > 0;) {
        int n = scene->order[i], up = scene->parent[n];
        below[n] += scene->is_joint[n];
        if (up >= 0) below[up] += below[n];
        if (up < 0 && below[n] > 0 && (best < 0 || below[n] >= below[best])) best = n;
    }
    if (best < 0)
        return mry_fail(scene->scan->error, MAREY_ERR_INPUT, scene->scan->path,
                        "it has no skeleton: no skin, and no node that is animated");
    /* The lowest node that carries all of them is the root. */
    int all = below[best], top = best;
    for (int i = 0; i < scene->order_count && !scene->is_joint[top]; i++) {
        int n = scene->order[i];
        if (scene->parent[n] == top && below[n] == all) top = n;
    }
    for (int i = 0; i < scene->order_count; i++) {
        int n = scene->order[i], up = scene->parent[n];
        bool inside = n == top || (up >= 0 && scene->is_joint[up]);
        scene->is_joint[n] = inside && below[n] > 0;
        joints += scene->is_joint[n];
    }
    if (joints > MRY_MOST_JOINTS)
        return mry_fail(scene->scan->error, MAREY_ERR_LIMIT, scene->scan->path,
                        "%d joints; marey reads at most %d", joints, MRY_MOST_JOINTS);
    for (int n = scene->parent[top]; n >= 0; n = scene->parent[n]) scene->rig_of[n] = 0;
    for (int i = 0; i < scene->order_count; i++) {
        int n = scene->order[i];
        if (scene->is_joint[n] || scene->rig_of[n] == 0) scene->rig_of[n] = scene->rig_count++;
    }
    return MAREY_OK;
}

/* ---- takes ----------------------------------------------------------------------------------- */

marey_status mry_scene_choose_take(const mry_scene *scene, const mry_take *takes, int count,
                                   const char *wanted, int *out)
{
    char names[300] = "", *end = NULL;
    bool named = false;
    long number = wanted ? strtol(wanted, &end, 10) : 0;
    *out = -1;
    for (int t = 0; t < count && wanted; t++)
        named |= takes[t].name && strcmp(takes[t].name, wanted) == 0;
    for (int t = 0; t < count; t++) {
        const char *name = takes[t].name;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", t ? ", " : "",
                 name ? name : "(no name)");
        if (named && !(name && strcmp(name, wanted) == 0)) continue;
        if (wanted && !named && (*end || number != t + 1)) continue;
        double seconds = takes[t].end - takes[t].start;
        if (!(seconds >= 0)) continue; /* nothing of the skeleton */
        if (*out < 0 || seconds > takes[*out].end - takes[*out].start) *out = t;
    }
    if (wanted && *out < 0)
        return mry_fail(scene->scan->error, MAREY_ERR_INPUT, scene->scan->path,
                        "it has no take \"%.100s\" that moves the skeleton; it has %s", wanted,
                        count ? names : "none");
    return MAREY_OK;
}

double mry_scene_rate(const mry_scene *scene, double start)
{
    static const double rates[] = { 10,
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
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        int64_t on = 0, keys = 0;
        for (int t = 0; t < scene->track_count; t++) {
            for (int k = 0; k < scene->tracks[t].keys; k++) {
                double at = (double)scene->tracks[t].times[k], frame = (at - start) * rates[i];
                on += fabs(frame - round(frame)) <= 0.01 + 2e-7 * fabs(at) * rates[i];
                keys++;
            }
        }
        if ((double)on >= 0.99 * (double)keys) return rates[i];
    }
    return 60;
}

/* ---- poses ----------------------------------------------------------------------------------- */

typedef struct posing {
    const mry_scene *scene;
    mry_transform *now; /* of each node */
    double start, fps;
} posing;

static void read_key(const mry_track *t, int key, int part, double *out)
{
    int width = t->to == MRY_TURN ? 4 : 3;
    const float *from =
        t->values +
        (size_t)width * (t->way == MRY_CUBIC ? 3 * (size_t)key + (size_t)part : (size_t)key);
    for (int i = 0; i < width; i++) out[i] = (double)from[i];
}

/* The value of a track at a moment; quaternions as (x, y, z, w). */
static void value_at(mry_track *t, double seconds, double hair, double *out)
{
    int width = t->to == MRY_TURN ? 4 : 3, last = t->keys - 1;
    double a[4], b[4], m[4], n[4];
    if (t->at > last || (double)t->times[t->at] > seconds) t->at = 0;
    while (t->at < last && (double)t->times[t->at + 1] <= seconds + hair) t->at++;
    double t0 = (double)t->times[t->at], t1 = t->at < last ? (double)t->times[t->at + 1] : t0;
    double u = t1 > t0 ? (seconds - t0) / (t1 - t0) : 0;
    read_key(t, t->at, 1, a);
    memcpy(out, a, (size_t)width * sizeof *a);
    if (t->at == last || t->way == MRY_STEP || seconds - t0 <= hair) return;
    read_key(t, t->at + 1, 1, b);
    if (t->way == MRY_CUBIC) {
        double u2 = u * u, u3 = u2 * u, step = t1 - t0;
        read_key(t, t->at, 2, m);
        read_key(t, t->at + 1, 0, n);
        for (int i = 0; i < width; i++)
            out[i] = (2 * u3 - 3 * u2 + 1) * a[i] + (u3 - 2 * u2 + u) * step * m[i] +
                     (3 * u2 - 2 * u3) * b[i] + (u3 - u2) * step * n[i];
        return;
    }
    double wa = 1 - u, wb = u;
    if (t->to == MRY_TURN) {
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

/* Of the nodes that are posed, in their order. Where a scale does not reach the node below, that
   node's axes are divided by it, and its place is not. */
static void write_locals(const mry_scene *scene, const mry_transform *from, double *out)
{
    for (int i = 0; i < scene->order_count; i++) {
        int n = scene->order[i], up = scene->parent[n];
        if (scene->rig_of[n] < 0) continue;
        double *local = out + MRY_RIG_NUMBERS * scene->rig_of[n];
        if (from[n].has_matrix)
            memcpy(local, from[n].matrix, sizeof from[n].matrix);
        else
            mry_rig_local(from[n].place, from[n].turn, from[n].scale, local);
        if (!scene->drops_scale[n] || up < 0) continue;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3 && from[up].scale[r] != 0; c++)
                local[4 * r + c] /= from[up].scale[r];
    }
}

static void pose_frame(void *user, int frame, double *locals)
{
    posing *p = user;
    double seconds = p->start + frame / p->fps, hair = 1e-4 / p->fps + 1e-7 * fabs(seconds), v[4];
    for (int i = 0; i < p->scene->track_count; i++) {
        mry_track *t = &p->scene->tracks[i];
        if (t->keys == 0) continue;
        mry_transform *to = &p->now[t->node];
        value_at(t, seconds, hair, v);
        if (t->to == MRY_TURN) {
            double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
            for (int k = 0; k < 4; k++) to->turn[k] = length > 0 ? v[(k + 3) % 4] / length : k == 0;
        } else {
            memcpy(t->to == MRY_PLACE ? to->place : to->scale, v, 3 * sizeof *v);
        }
    }
    write_locals(p->scene, p->now, locals);
}

/* ---- the clip -------------------------------------------------------------------------------- */

/* "soldier_Run", with nothing in it that names of clips may not have; NULL: no memory. */
static const char *name_with_take(mry_arena *tmp, const char *name, const char *take)
{
    char *both = mry_arena_print(tmp, "%s_%.100s", name, take);
    for (char *p = both ? both + strlen(name) : NULL; p && *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x80 && !isalnum(c) && !strchr("._-", c)) *p = '_';
    }
    return both;
}

static mry_rig_node *name_nodes(const mry_scene *scene)
{
    int numbers = 0;
    mry_rig_node *nodes = MRY_NEW(scene->tmp, mry_rig_node, scene->rig_count);
    for (int i = 0; nodes && i < scene->order_count; i++) {
        int n = scene->order[i], up = scene->parent[n], k = scene->rig_of[n];
        if (k < 0) continue;
        const char *name = scene->names[n];
        char *text = name && *name
                         ? mry_arena_text(scene->tmp, name, strnlen(name, MRY_LONGEST_JOINT_NAME))
                         : mry_arena_print(scene->tmp, "node_%d", numbers++);
        if (!text) return NULL;
        nodes[k] = (mry_rig_node){ text, up < 0 ? -1 : scene->rig_of[up], scene->is_joint[n] };
    }
    return nodes;
}

static bool note_takes(marey_clip *clip, const mry_take *takes, int count, int take)
{
    const char **names = MRY_NEW(&clip->mem, const char *, count);
    for (int t = 0; names && t < count; t++) {
        const char *name = takes[t].name ? takes[t].name : "";
        names[t] = mry_arena_text(&clip->mem, name, strlen(name));
        if (!names[t]) return false;
    }
    clip->report.takes = names;
    clip->report.take_count = count;
    clip->report.take = take;
    return names || count == 0;
}

marey_status mry_scene_clip(mry_scene *scene, const char *name, const marey_load_def *def,
                            const mry_take *takes, int count, int take, double fps,
                            size_t file_size, marey_clip **out)
{
    mry_scan *scan = scene->scan;
    mry_take still = { 0 }, when = take < 0 ? still : takes[take];
    double frames = floor((when.end - when.start) * fps + 0.01) + 1;
    /* A few keys far apart are many frames: no more than a file of this size could hold written out,
       and a minute of them at least. */
    double room = 16.0 * scene->rig_count * frames;
    if (frames > MRY_MOST_FRAMES || room > 64e6 + 64.0 * (double)file_size)
        return mry_fail(scan->error, MAREY_ERR_LIMIT, scan->path,
                        "%.0f s at %g a second are too many frames", when.end - when.start, fps);
    if (count > 1 && when.name) name = name_with_take(scene->tmp, name, when.name);
    mry_rig_node *nodes = name_nodes(scene);
    double *rest = MRY_NEW(scene->tmp, double, MRY_RIG_NUMBERS *(size_t)scene->rig_count);
    posing p = { scene, MRY_NEW(scene->tmp, mry_transform, scene->count), when.start, fps };
    if (!name || !nodes || !rest || !p.now) return no_memory(scene);
    memcpy(p.now, scene->rest, (size_t)scene->count * sizeof *p.now);
    write_locals(scene, scene->rest, rest);
    double *bind = MRY_NEW(scene->tmp, double, MRY_RIG_NUMBERS *(size_t)scene->rig_count);
    bool *has_bind = MRY_NEW(scene->tmp, bool, scene->rig_count);
    if (!bind || !has_bind) return no_memory(scene);
    for (int n = 0; n < scene->count && scene->has_bind; n++) {
        int k = scene->rig_of[n];
        if (k < 0 || !scene->has_bind[n]) continue;
        has_bind[k] = true;
        memcpy(bind + MRY_RIG_NUMBERS * k, scene->bind + (size_t)n * MRY_RIG_NUMBERS,
               MRY_RIG_NUMBERS * sizeof *bind);
    }
    mry_rig rig = { .nodes = nodes,
                    .count = scene->rig_count,
                    .rest = rest,
                    .bind = bind,
                    .has_bind = has_bind,
                    .frames = (int)frames,
                    .fps = fps,
                    .pose = pose_frame,
                    .user = &p };
    marey_clip *clip = NULL;
    marey_status status = mry_rig_clip(scan->ctx, name, &rig, scan->path, &clip, scan->error);
    if (status) return status;
    bool fits = note_takes(clip, takes, count, take);
    if (fits && take < 0)
        fits = mry_clip_warn(clip, "a skeleton without motion: one frame of its rest pose");
    if (fits && count > 1 && !def->take && take >= 0)
        fits = mry_clip_warn(clip, "it has %d takes; the longest was read, %s", count,
                             when.name ? when.name : "which has no name");
    if (!fits) {
        marey_clip_free(clip);
        return no_memory(scene);
    }
    *out = clip;
    return MAREY_OK;
}
