/* format.c - the table of formats, and the one way in and the one way out. */
#include "io/format.h"

#include "base/fail.h"
#include "base/json_text.h"
#include "io/points_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char scene_losses[] =
    "meshes, materials, morphs, cameras, other takes, axes and scales of nodes";

static const mry_format formats[] = {
    { .shown = { .name = "bvh",
                 .ending = ".bvh",
                 .description = "Biovision hierarchy: skeleton and motion in one text file",
                 .reads = true,
                 .writes = true,
                 .lost_reading = "",
                 .lost_writing = "provenance and labels" },
      .probe = mry_bvh_probe,
      .read = mry_bvh_read,
      .write = mry_bvh_write },
    { .shown = { .name = "asf",
                 .ending = ".asf",
                 .description = "Acclaim skeleton: the bones of AMC files, without motion",
                 .reads = true,
                 .skeleton_only = true,
                 .lost_reading = "limits, masses",
                 .lost_writing = "" },
      .probe = mry_asf_probe,
      .read = mry_asf_read },
    { .shown = { .name = "amc",
                 .ending = ".amc",
                 .description = "Acclaim motion: frames for the skeleton of an ASF file",
                 .reads = true,
                 .writes = true,
                 .beside = ".asf",
                 .lost_reading = "limits, masses, numbers of frames",
                 .lost_writing = "the rate (marey finds it in a comment), the name of the root, "
                                 "joints that move, provenance and labels" },
      .probe = mry_amc_probe,
      .read = mry_amc_read,
      .write = mry_amc_write },
    { .shown = { .name = "glb",
                 .ending = ".glb",
                 .description = "binary glTF 2.0: skeleton, motion and a body of bones",
                 .reads = true,
                 .writes = true,
                 .written_units = MAREY_UNITS_M,
                 .lost_reading = scene_losses,
                 .lost_writing = "nodes of End Sites, the order of rotations" },
      .probe = mry_glb_probe,
      .read = mry_gltf_read,
      .write = mry_gltf_write },
    { .shown = { .name = "gltf",
                 .ending = ".gltf",
                 .description = "glTF 2.0 as text, with its numbers beside it or inside",
                 .reads = true,
                 .lost_reading = scene_losses,
                 .lost_writing = "" },
      .probe = mry_gltf_probe,
      .read = mry_gltf_read },
    { .shown = { .name = "fbx",
                 .ending = ".fbx",
                 .description = "Autodesk FBX: read with assimp, written as binary 7.4",
                 .reads = true,
                 .writes = true,
                 .written_units = MAREY_UNITS_CM,
                 .lost_reading = "meshes, materials, cameras, other takes, axes and scales of "
                                 "nodes; with a warning layers and curves",
                 .lost_writing = "End Sites, the order of rotations" },
      .probe = mry_fbx_probe,
      .read = mry_fbx_read,
      .write = mry_fbx_write },
};
enum { FORMATS = sizeof formats / sizeof *formats };

const marey_format *marey_format_find(int index)
{
    if (index >= FORMATS) return mry_points_format(index - FORMATS);
    return index >= 0 ? &formats[index].shown : NULL;
}

const marey_format *marey_format_of(const char *path)
{
    const marey_format *row;
    size_t length = strlen(path);
    for (int i = 0; (row = marey_format_find(i)); i++) {
        size_t n = strlen(row->ending);
        if (length > n && strcasecmp(path + length - n, row->ending) == 0) return row;
    }
    return NULL;
}

static const mry_format *find_by_ending(const char *path)
{
    const marey_format *found = marey_format_of(path);
    for (int i = 0; i < FORMATS; i++)
        if (&formats[i].shown == found) return &formats[i];
    return NULL;
}

/* From a text to a clip in centimetres with everything known about it. */
static marey_status load(mry_scan *scan, const marey_load_def *def, marey_clip **out)
{
    marey_clip *clip = NULL;
    char name[256];
    /* By content; if nothing fits, by name, so that a damaged file gets its reader's exact
       complaint. */
    const mry_format *format = NULL;
    for (int i = 0; i < FORMATS && !format; i++) {
        if (formats[i].probe && formats[i].probe(scan)) format = &formats[i];
    }
    if (!format) format = find_by_ending(scan->path);
    if (scan->status) return scan->status;
    if (!format || !format->read) {
        return mry_fail(scan->error, MAREY_ERR_UNKNOWN_FORMAT, scan->path,
                        "no known format: its content is not BVH, ASF, AMC, glTF or FBX");
    }
    /* The file's name without folder and ending. */
    const char *slash = strrchr(scan->path, '/'), *start = slash ? slash + 1 : scan->path;
    const char *dot = strrchr(start, '.');
    size_t count = dot && dot > start ? (size_t)(dot - start) : strlen(start);
    if (count >= sizeof name) count = sizeof name - 1;
    memcpy(name, start, count);
    name[count] = 0;
    marey_status status = format->read(scan, name, def, &clip);
    if (status) return status;
    clip->report.format = format->shown.name;
    clip->report.claimed_fps = clip->fps;
    if (def->skip_first && clip->frames == 1) {
        marey_clip_free(clip);
        return mry_fail(scan->error, MAREY_ERR_REQUEST, scan->path,
                        "a clip must have 2 frames or more to skip the first, got 1");
    }
    if (def->skip_first) { /* the tracks simply begin one row later */
        clip->turn = mry_turn(clip, 1);
        clip->place = mry_place(clip, 1);
        if (clip->source.channels) clip->source.channels = mry_channels(clip, 1);
        clip->frames--;
    }
    if (def->source_fps > 0) {
        clip->fps = def->source_fps;
        clip->source.frame_time = 0;
    }
    marey_units units = def->units ? def->units : clip->units;
    marey_up up = def->up ? def->up : clip->up;
    bool fits = mry_roles_find(clip) && mry_clip_settle_units(clip, units, up) &&
                mry_clip_inspect(clip) && mry_clip_find_marks(clip) && mry_clip_judge_rate(clip);
    status = fits ? mry_clip_check(clip, scan->path, scan->error)
                  : mry_fail_memory(scan->error, scan->path);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}

static marey_status check_def(const marey_load_def *def, const char *path, marey_error *error)
{
    if (def->source_fps == 0 || (def->source_fps >= 0.1 && def->source_fps <= 10000)) {
        return MAREY_OK;
    }
    return mry_fail(error, MAREY_ERR_REQUEST, path, "rate must be 0.1 to 10000 Hz, got %g",
                    def->source_fps);
}

marey_status marey_clip_load(marey_ctx *ctx, const char *path, const marey_load_def *def,
                             marey_clip **out, marey_error *error)
{
    static const marey_load_def defaults = { 0 };
    mry_arena tmp = mry_arena_make(ctx);
    mry_scan scan;
    if (!def) def = &defaults;
    marey_status status = check_def(def, path, error);
    if (!status && mry_cancelled(ctx)) status = mry_fail_cancelled(error);
    if (!status) {
        status = mry_scan_open(&scan, &tmp, path, error);
        if (!status) status = load(&scan, def, out);
        mry_scan_close(&scan);
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_clip_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                   size_t count, const marey_load_def *def, marey_clip **out,
                                   marey_error *error)
{
    static const marey_load_def defaults = { 0 };
    mry_arena tmp = mry_arena_make(ctx);
    mry_scan scan;
    if (!def) def = &defaults;
    marey_status status = check_def(def, name, error);
    if (!status) status = mry_scan_bytes(&scan, &tmp, name, bytes, count, error);
    if (!status) status = load(&scan, def, out);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_clip_save_with(const marey_clip *clip, const char *path, const char *provenance,
                                  marey_error *error)
{
    const mry_format *format = find_by_ending(path);
    const marey_format *row = marey_format_of(path);
    mry_write_fn *write = row && row->points && row->writes ? mry_points_write
                          : format                          ? format->write
                                                            : NULL;
    if (write) {
        mry_arena tmp = mry_arena_make(clip->mem.ctx);
        marey_status status = mry_clip_check(clip, clip->name, error);
        marey_status parsed =
            provenance && !status ? mry_json_rewrite(&tmp, provenance, &provenance) : MAREY_OK;
        if (parsed == MAREY_ERR_MEMORY) status = mry_fail_memory(error, path);
        if (parsed == MAREY_ERR_INPUT) {
            status = mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                              "its provenance must be a JSON object");
        }
        if (!status) status = write(clip, path, provenance, error);
        mry_arena_free(&tmp);
        return status;
    }
    char endings[64] = "";
    for (int i = 0, used = 0; (row = marey_format_find(i)); i++)
        if (row->writes)
            used += snprintf(endings + used, sizeof endings - (size_t)used, "%s%s",
                             used ? ", " : "", row->ending);
    return mry_fail(error, MAREY_ERR_REQUEST, path,
                    "marey does not write this kind of file; choose a name ending in %s", endings);
}

marey_status marey_clip_save(const marey_clip *clip, const char *path, marey_error *error)
{
    return marey_clip_save_with(clip, path, NULL, error);
}
