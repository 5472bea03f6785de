/* bvh_read.c - a BVH file becomes a clip. There is no standard; the dialects that are accepted, and
   what becomes of each oddity, are listed in docs/bvh.md and tests/data/hostile/README.md. */
#include "io/bvh_parse.h"
#include "io/format.h"

#include <inttypes.h>
#include <string.h>

bool mry_bvh_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    if (look.end - look.p >= 3 && memcmp(look.p, "\xef\xbb\xbf", 3) == 0) look.p += 3;
    mry_scan_skip_space(&look);
    return mry_scan_keyword(&look, "HIERARCHY");
}

static bool fill_skeleton(marey_clip *clip, const mry_bvh_tree *tree)
{
    int channel = 0;
    for (int j = 0; j < tree->count; j++) {
        const mry_bvh_joint *from = &tree->joints[j];
        marey_joint *to = &clip->joints[j];
        to->name = mry_arena_text(&clip->mem, from->name, strlen(from->name));
        if (!to->name) return false;
        to->parent = from->parent;
        to->has_end = from->has_end;
        to->first_channel = channel;
        to->channel_count = from->channel_count;
        memcpy(to->channels, from->channels, sizeof to->channels);
        memcpy(to->offset_cm, from->offset, sizeof to->offset_cm);
        memcpy(to->end_cm, from->end, sizeof to->end_cm);
        memcpy(clip->source.offsets + 3 * j, from->offset, sizeof from->offset);
        memcpy(clip->source.ends + 3 * j, from->end, sizeof from->end);
        channel += from->channel_count;
    }
    clip->skeleton.channel_count = channel;
    return mry_clip_find_movers(clip);
}

static bool add_tree_warnings(marey_clip *clip, const mry_bvh_tree *tree)
{
    bool fits = true;
    if (tree->twice) fits &= mry_clip_warn(clip, "more than one joint is called %s", tree->twice);
    if (tree->offsets_missing) {
        fits &= mry_clip_warn(clip, "%d joints or End Sites have no OFFSET; zero was taken",
                              tree->offsets_missing);
    }
    if (tree->ends_dropped) {
        fits &= mry_clip_warn(clip, "%d joints have more than one End Site; the first was taken",
                              tree->ends_dropped);
    }
    if (tree->scales) {
        fits &= mry_clip_warn(clip, "%d scale channels are kept but not applied", tree->scales);
    }
    if (tree->commas) {
        fits &= mry_clip_warn(clip, "%" PRId64 " offsets have a decimal comma, read as a point",
                              tree->commas);
    }
    return fits;
}

static marey_status read_into(mry_scan *scan, mry_arena *tmp, const char *name, double source_fps,
                              marey_clip **out)
{
    mry_bvh_tree tree;
    marey_status status = mry_bvh_read_tree(scan, tmp, &tree);
    if (status) return status;
    marey_clip *clip = mry_clip_make(scan->ctx, name, tree.count);
    if (!clip || !fill_skeleton(clip, &tree) || !add_tree_warnings(clip, &tree)) {
        marey_clip_free(clip);
        return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    }
    status = mry_bvh_read_motion(scan, tmp, source_fps, clip);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}

marey_status mry_bvh_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    marey_status status = read_into(scan, &tmp, name, def->source_fps, out);
    mry_arena_free(&tmp);
    return status;
}
