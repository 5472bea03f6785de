/* gltf_write.c - a clip becomes a binary glTF 2.0 file: a node for every joint, a skin that wears a
   body of bones, and one animation with the clip's frames as keys. glTF is in metres with y up.

   Keys are joined by straight lines and rotations take the shorter way, which is how marey itself
   poses a clip between frames. Neighbouring quaternions never lie on opposite sides, so a reader
   that mixes them without looking goes the same way. */
#include "base/fail.h"
#include "base/file.h"
#include "io/format.h"
#include "io/gltf_parts.h"
#include "io/joint_names.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

/* ---- the plan -------------------------------------------------------------------------------- */

static void add_track(mry_gltf_plan *plan, int joint, bool is_place, bool varies)
{
    int frames = plan->clip->frames, keys = varies || frames < 2 ? frames : 2;
    plan->tracks[plan->track_count++] = (mry_gltf_track){ joint, is_place, keys };
    plan->uses_times |= keys == frames;
    plan->uses_ends |= keys != frames;
}

/* False when out of memory. */
static bool make_plan(mry_gltf_plan *plan, const marey_clip *clip, mry_arena *tmp)
{
    int joints = clip->skeleton.joint_count;
    bool *turns = MRY_NEW(tmp, bool, joints); /* which change in the course of the clip */
    bool *places = MRY_NEW(tmp, bool, clip->mover_count); /* likewise */
    *plan = (mry_gltf_plan){ .clip = clip,
                             .names = mry_joint_names(clip, "Bones", tmp),
                             .clip_name = mry_text_utf8(tmp, clip->name),
                             .format = mry_text_utf8(tmp, clip->report.format),
                             .rest_cm = MRY_NEW(tmp, double, 3 * (size_t)joints),
                             .rest_world_cm = MRY_NEW(tmp, double, 3 * (size_t)joints),
                             .tracks = MRY_NEW(tmp, mry_gltf_track, 2 * (size_t)joints) };
    if (!turns || !places || !plan->names || !plan->clip_name || !plan->format || !plan->rest_cm ||
        !plan->rest_world_cm || !plan->tracks)
        return false;
    for (int f = 1; f < clip->frames; f++) { /* as the tracks lie in memory */
        const float *q = mry_turn(clip, f), *first_q = mry_turn(clip, 0);
        const double *p = mry_place(clip, f), *first_p = mry_place(clip, 0);
        for (int i = 0; i < 4 * joints; i++) {
            if (q[i] != first_q[i]) turns[i / 4] = true;
        }
        for (int i = 0; i < 3 * clip->mover_count; i++) {
            if (p[i] != first_p[i]) places[i / 3] = true;
        }
    }
    for (int j = 0; j < joints; j++) {
        const marey_joint *joint = &clip->joints[j];
        const float *turn = mry_turn(clip, 0) + 4 * (size_t)j;
        int slot = clip->slot[j];
        bool moves = slot >= 0 && places[slot];
        /* A joint that is held elsewhere than at its offset throughout (BVH files with positions
           for every joint) rests where it is held, so that the bones have the length they are seen
           with. The root rests at its offset: where it stands is motion. */
        bool is_held = j && slot >= 0 && !moves;
        const double *rest = is_held ? mry_place(clip, 0) + 3 * slot : joint->offset_cm;
        for (int i = 0; i < 3; i++) {
            double base = j ? plan->rest_world_cm[3 * joint->parent + i] : 0;
            plan->rest_cm[3 * j + i] = rest[i];
            plan->rest_world_cm[3 * j + i] = base + rest[i];
        }
        /* The root's place always has a track, so that there is an animation and it lasts as long
           as the clip. Others have one where they differ from the rest pose. */
        if (j == 0 || moves) add_track(plan, j, true, moves);
        bool is_turned = fabsf(turn[0]) != 1 || turn[1] != 0 || turn[2] != 0 || turn[3] != 0;
        if (turns[j] || is_turned) add_track(plan, j, false, turns[j]);
    }
    return mry_gltf_mesh_build(plan, tmp);
}

static marey_status write_tracks(mry_writer *out, const mry_gltf_plan *plan)
{
    const marey_clip *clip = plan->clip;
    for (int t = 0; t < plan->track_count && !mry_writer_failed(out); t++) {
        const mry_gltf_track *track = &plan->tracks[t];
        float last[4] = { 1, 0, 0, 0 }, place[3]; /* the key before, (w, x, y, z) */
        if (!mry_progress(clip->mem.ctx, "writing", t, plan->track_count))
            return MAREY_ERR_CANCELLED;
        /* Two keys of a still track are the first frame twice. */
        for (int f = 0; f < track->keys && !mry_writer_failed(out); f++) {
            if (track->is_place) {
                const double *cm = mry_place(clip, f) + 3 * clip->slot[track->joint];
                for (int i = 0; i < 3; i++) place[i] = (float)(cm[i] * mry_gltf_metre);
                mry_writer_bytes(out, place, sizeof place);
            } else {
                const float *turn = mry_turn(clip, f) + 4 * (size_t)track->joint;
                float sign = mry_quat_dot(turn, last) < 0 ? -1.0f : 1.0f;
                for (int i = 0; i < 4; i++) last[i] = sign * turn[i];
                mry_quat_normalize(last);
                mry_writer_bytes(out, (float[4]){ last[1], last[2], last[3], last[0] },
                                 sizeof last);
            }
        }
    }
    return MAREY_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

enum { HEADER_BYTES = 12, CHUNK_BYTES = 8 };

static void write_words(mry_writer *out, const uint32_t *words, int count)
{
    for (int i = 0; i < count; i++) { /* lowest byte first on every machine */
        uint32_t w = words[i];
        uint8_t bytes[4] = { (uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16),
                             (uint8_t)(w >> 24) };
        mry_writer_bytes(out, bytes, sizeof bytes);
    }
}

marey_status mry_gltf_check_size(int frames, double fps, uint64_t bytes, const char *path,
                                 marey_error *error)
{
    float last = (float)((frames - 1) / fps);
    if (bytes > UINT32_MAX) {
        return mry_fail(error, MAREY_ERR_LIMIT, path,
                        "as glTF the clip takes %.1f GB and a .glb file holds 4.2; trim it or "
                        "lower its rate",
                        (double)bytes * 1e-9);
    }
    if ((double)nextafterf(last, INFINITY) - (double)last >= 1 / fps) {
        return mry_fail(error, MAREY_ERR_LIMIT, path,
                        "the clip has too many frames: the times of glTF are 32-bit floats and "
                        "neighbours would fall together; trim it or lower its rate");
    }
    return MAREY_OK;
}

marey_status mry_gltf_write(const marey_clip *clip, const char *path, const char *provenance,
                            marey_error *error)
{
    static const float weights[4] = { 1, 0, 0, 0 };
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_gltf_plan plan;
    mry_writer out;
    size_t length = 0;
    uint64_t bin = 0;
    bool fits = make_plan(&plan, clip, &tmp);
    plan.provenance = provenance;
    const char *text = fits ? mry_gltf_json(&plan, &tmp, &length, &bin) : NULL;
    uint64_t whole = HEADER_BYTES + 2 * CHUNK_BYTES + length + bin;
    marey_status status = text ? mry_gltf_check_size(clip->frames, clip->fps, whole, path, error)
                               : mry_fail_memory(error, path);
    if (!status) status = mry_writer_open(&out, &tmp, path, whole, error);
    if (status) {
        mry_arena_free(&tmp);
        return status;
    }
    write_words(&out, (uint32_t[]){ 0x46546c67, 2, (uint32_t)whole }, 3); /* "glTF" */
    write_words(&out, (uint32_t[]){ (uint32_t)length, 0x4e4f534a }, 2);   /* "JSON" */
    mry_writer_bytes(&out, text, length);
    write_words(&out, (uint32_t[]){ (uint32_t)bin, 0x004e4942 }, 2); /* "BIN" */
    const mry_gltf_mesh *mesh = &plan.mesh;
    size_t vertices = (size_t)mesh->vertices;
    mry_writer_bytes(&out, mesh->positions, vertices * MRY_GLTF_POSITION_BYTES);
    mry_writer_bytes(&out, mesh->normals, vertices * MRY_GLTF_NORMAL_BYTES);
    mry_writer_bytes(&out, mesh->colours, vertices * MRY_GLTF_COLOUR_BYTES);
    mry_writer_bytes(&out, mesh->joints, vertices * MRY_GLTF_JOINTS_BYTES);
    for (size_t i = 0; i < vertices && !mry_writer_failed(&out); i++)
        mry_writer_bytes(&out, weights, sizeof weights);
    /* The rest pose has no rotations, so going back from it is a plain shift. Columns one after the
       other. */
    for (int j = 0; j < clip->skeleton.joint_count && !mry_writer_failed(&out); j++) {
        float matrix[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
        for (int i = 0; i < 3; i++)
            matrix[12 + i] = (float)(-plan.rest_world_cm[3 * j + i] * mry_gltf_metre);
        mry_writer_bytes(&out, matrix, sizeof matrix);
    }
    for (int f = 0; f < clip->frames && plan.uses_times && !mry_writer_failed(&out); f++) {
        float time = (float)(f / clip->fps);
        mry_writer_bytes(&out, &time, sizeof time);
    }
    float last = (float)((clip->frames - 1) / clip->fps);
    if (plan.uses_ends) mry_writer_bytes(&out, (float[2]){ 0, last }, MRY_GLTF_ENDS_BYTES);
    if (write_tracks(&out, &plan)) {
        mry_writer_abandon(&out);
        status = mry_fail_cancelled(error);
    } else {
        status = mry_writer_commit(&out, error);
    }
    mry_arena_free(&tmp);
    return status;
}
