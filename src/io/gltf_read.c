/* gltf_read.c - the skeleton and one animation of a glTF 2.0 file become a clip. Which nodes are
   joints, what the rate is and what is left out: docs/gltf.md. */
#include "base/fail.h"
#include "io/format.h"
#include "io/gltf_file.h"
#include "io/scene.h"

#include <math.h>
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

static const char *const path_names[MRY_PATHS] = { "translation", "rotation", "scale" };

typedef struct reader {
    mry_gltf_file file;
    mry_scene scene;
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

static marey_status read_transform(const reader *r, int node, mry_transform *out)
{
    const json_t *one = item(r, "nodes", node);
    double turn[4] = { 0, 0, 0, 1 }, matrix[16];
    *out = (mry_transform){ .scale = { 1, 1, 1 } };
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

/* Parents, transforms, and the nodes that are below some root, depth-first. */
static marey_status read_nodes(reader *r)
{
    mry_scene *scene = &r->scene;
    int count;
    mry_gltf_list(r->file.root, "nodes", &count);
    if (count == 0) return mry_gltf_fail(&r->file, "it has no nodes, so no skeleton");
    int *stack = MRY_NEW(scene->tmp, int, count);
    if (!stack || !mry_scene_begin(scene, count)) return no_memory(r);
    for (int n = 0; n < count; n++) {
        int children;
        const json_t *node = item(r, "nodes", n),
                     *list = mry_gltf_list(node, "children", &children);
        scene->names[n] = json_string_value(json_object_get(node, "name"));
        for (int i = 0; i < children; i++) {
            const json_t *one = json_array_get(list, (size_t)i);
            int64_t child = json_is_integer(one) ? json_integer_value(one) : -1;
            if (child < 0 || child >= count || scene->parent[child] >= 0)
                return mry_gltf_fail(&r->file,
                                     "node %d has a child that is not there, or another's", n);
            scene->parent[child] = n;
        }
    }
    for (int root = 0; root < count; root++) {
        int held = 0;
        if (scene->parent[root] >= 0) continue;
        stack[held++] = root;
        while (held > 0) {
            int children, n = stack[--held];
            const json_t *list = mry_gltf_list(item(r, "nodes", n), "children", &children);
            scene->order[scene->order_count++] = n;
            for (int i = children - 1; i >= 0; i--) /* the first one is taken first */
                stack[held++] = (int)json_integer_value(json_array_get(list, (size_t)i));
        }
    }
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
            int64_t node = mry_gltf_index(target, "node", r->scene.count - 1);
            if (node >= 0 && name && strcmp(name, "weights") != 0) r->scene.is_joint[node] = true;
        }
    }
}

/* The joints of all skins; without skins all that is animated and what hangs below it. */
static marey_status mark_joints(reader *r)
{
    int skins, joints = 0;
    const json_t *list = mry_gltf_list(r->file.root, "skins", &skins);
    for (int s = 0; s < skins; s++) {
        int count;
        const json_t *of = mry_gltf_list(json_array_get(list, (size_t)s), "joints", &count);
        for (int i = 0; i < count; i++) {
            const json_t *one = json_array_get(of, (size_t)i);
            int64_t node = json_is_integer(one) ? json_integer_value(one) : -1;
            if (node < 0 || node >= r->scene.count)
                return mry_gltf_fail(&r->file, "skin %d has a joint that is not there", s);
            r->scene.is_joint[node] = true;
            joints++;
        }
    }
    if (joints == 0) {
        mark_targets(r);
        for (int i = 0; i < r->scene.order_count; i++) {
            int n = r->scene.order[i], up = r->scene.parent[n];
            const json_t *one = item(r, "nodes", n);
            bool leaf = !json_object_get(one, "children");
            bool other = json_object_get(one, "mesh") || json_object_get(one, "camera");
            if (up >= 0 && r->scene.is_joint[up] && !(leaf && other)) r->scene.is_joint[n] = true;
        }
    }
    marey_status status = mry_scene_choose_joints(&r->scene);
    for (int n = 0; n < r->scene.count && !status; n++) {
        if (r->scene.rig_of[n] >= 0) status = read_transform(r, n, &r->scene.rest[n]);
    }
    return status;
}

/* ---- takes ----------------------------------------------------------------------------------- */

/* From the first key to the last of those that move the rig. The accessors' min and max may lie, or
   be missing. */
static marey_status measure_take(reader *r, int take, mry_take *out)
{
    const json_t *animation = item(r, "animations", take);
    int samplers, channels, keys;
    const json_t *of = mry_gltf_list(animation, "samplers", &samplers);
    const json_t *list = mry_gltf_list(animation, "channels", &channels);
    *out = (mry_take){ json_string_value(json_object_get(animation, "name")), HUGE_VAL, -HUGE_VAL };
    int64_t last = -1;
    for (int c = 0; c < channels; c++) {
        const json_t *channel = json_array_get(list, (size_t)c);
        int64_t node =
            mry_gltf_index(json_object_get(channel, "target"), "node", r->scene.count - 1);
        int64_t sampler = mry_gltf_index(channel, "sampler", samplers - 1);
        if (!mry_scene_poses(&r->scene, node) || sampler < 0) continue;
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

static marey_status read_tracks(reader *r, int take)
{
    const json_t *animation = item(r, "animations", take);
    int samplers, channels;
    const json_t *of = mry_gltf_list(animation, "samplers", &samplers);
    const json_t *list = mry_gltf_list(animation, "channels", &channels);
    r->scene.track_count = MRY_PATHS * r->scene.rig_count;
    r->scene.tracks = MRY_NEW(r->scene.tmp, mry_track, r->scene.track_count);
    if (!r->scene.tracks) return no_memory(r);
    for (int c = 0; c < channels; c++) {
        const json_t *channel = json_array_get(list, (size_t)c);
        const json_t *target = json_object_get(channel, "target");
        const char *name = json_string_value(json_object_get(target, "path"));
        int64_t node = mry_gltf_index(target, "node", r->scene.count - 1);
        int64_t number = mry_gltf_index(channel, "sampler", samplers - 1);
        const json_t *sampler = number < 0 ? NULL : json_array_get(of, (size_t)number);
        const char *way = json_string_value(json_object_get(sampler, "interpolation"));
        mry_track one = { .way = !way || strcmp(way, "LINEAR") == 0 ? MRY_LINEAR
                                 : strcmp(way, "STEP") == 0         ? MRY_STEP
                                                                    : MRY_CUBIC };
        while (one.to < MRY_PATHS && (!name || strcmp(name, path_names[one.to]) != 0)) one.to++;
        if (!mry_scene_poses(&r->scene, node) || one.to == MRY_PATHS) continue;
        if (!sampler || (one.way == MRY_CUBIC && strcmp(way, "CUBICSPLINE") != 0))
            return mry_gltf_fail(&r->file, "channel %d of its animation is not as it should be", c);
        float *times, *values;
        int count;
        marey_status status = mry_gltf_numbers(
            &r->file, mry_gltf_index(sampler, "input", INT32_MAX), 1, &times, &one.keys);
        if (!status)
            status = mry_gltf_numbers(&r->file, mry_gltf_index(sampler, "output", INT32_MAX),
                                      one.to == MRY_TURN ? 4 : 3, &values, &count);
        if (status) return status;
        if ((int64_t)count != (int64_t)one.keys * (one.way == MRY_CUBIC ? 3 : 1))
            return mry_gltf_fail(&r->file, "channel %d has %d keys and %d values", c, one.keys,
                                 count);
        for (int k = 1; k < one.keys; k++) {
            if (!(times[k] >= times[k - 1]))
                return mry_gltf_fail(&r->file, "the keys of channel %d go back in time", c);
        }
        one.node = (int)node;
        one.times = times;
        one.values = values;
        if (r->scene.rest[one.node].has_matrix)
            return mry_gltf_fail(&r->file, "channel %d moves a node that has a matrix", c);
        r->scene.tracks[MRY_PATHS * r->scene.rig_of[node] + one.to] =
            one; /* of several the last one counts */
    }
    return MAREY_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static marey_status read_all(reader *r, const char *name, const marey_load_def *def,
                             marey_clip **out)
{
    int count, take = -1;
    mry_gltf_list(r->file.root, "animations", &count);
    mry_take *takes = MRY_NEW(r->scene.tmp, mry_take, count + 1);
    marey_status status = takes ? read_nodes(r) : no_memory(r);
    if (!status) status = mark_joints(r);
    for (int t = 0; t < count && !status; t++) status = measure_take(r, t, &takes[t]);
    if (!status) status = mry_scene_choose_take(&r->scene, takes, count, def->take, &take);
    if (!status && take >= 0) status = read_tracks(r, take);
    if (status) return status;
    /* glTF knows seconds only, but marey writes the rate. */
    const json_t *asset = json_object_get(r->file.root, "asset");
    double fps = json_number_value(
        json_object_get(json_object_get(json_object_get(asset, "extras"), "marey"), "fps"));
    if (!(fps >= 0.1 && fps <= 10000))
        fps = mry_scene_rate(&r->scene, take < 0 ? 0 : takes[take].start);
    status = mry_scene_clip(&r->scene, name, def, takes, count, take, fps, r->file.size, out);
    if (status) return status;
    (*out)->units = MAREY_UNITS_M;
    (*out)->up = MAREY_UP_Y;
    return MAREY_OK;
}

marey_status mry_gltf_read(mry_scan *scan, const char *name, const marey_load_def *def,
                           marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    reader r = { .scene = { .scan = scan, .tmp = &tmp } };
    marey_status status = mry_gltf_open(&r.file, scan, &tmp);
    if (!status) status = read_all(&r, name, def, out);
    mry_gltf_close(&r.file);
    mry_arena_free(&tmp);
    return scan->status = status;
}
