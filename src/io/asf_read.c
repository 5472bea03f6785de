/* asf_read.c - an ASF skeleton becomes the skeleton of a clip; alone, a clip of one frame at rest.
   A bone's joint sits where the bone starts, which is the end of its parent. It turns about axes of
   its own: with C the rotation of these axes and M that of the frame's angles, the local rotation
   is C M C^-1. Both rotations apply in the named order, XYZ meaning x first. docs/asfamc.md has the
   dialects that are accepted. */
#include "io/asf_parse.h"
#include "io/format.h"
#include "motion/channels.h"

#include <inttypes.h>
#include <string.h>

enum { DEFAULT_HZ = 120 };

/* Only a version and a name have something behind them on their line. */
static bool at_section(const mry_scan *look)
{
    static const char *const alone[] = { ":units", ":documentation", ":root", ":bonedata",
                                         ":hierarchy" };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        mry_scan rest = *look;
        if (!mry_asf_sees(look, alone[i])) continue;
        mry_scan_take(&rest, strlen(alone[i]));
        return mry_scan_at_line_end(&rest);
    }
    return mry_asf_sees(look, ":version") || mry_asf_sees(look, ":name");
}

/* Style sheets begin with :root and manuals with :name, so two sections must be in sight. */
bool mry_asf_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    mry_scan_skip_mark(&look);
    if (!mry_asf_next(&look) || !at_section(&look)) return false;
    mry_asf_skip_line(&look);
    while (mry_asf_next(&look)) {
        if (at_section(&look)) return true;
        mry_asf_skip_line(&look);
    }
    return false;
}

marey_clip *mry_asf_make_clip(const mry_asf *asf, marey_ctx *ctx, const char *name)
{
    marey_clip *clip = mry_clip_make(ctx, name, asf->count);
    if (!clip) return NULL;
    clip->fps = DEFAULT_HZ;
    clip->source.axes = MRY_NEW(&clip->mem, float, 4 * (size_t)asf->count);
    clip->source.orders = MRY_NEW(&clip->mem, uint8_t, 3 * (size_t)asf->count);
    bool fits = clip->source.axes && clip->source.orders;
    for (int j = 0; j < asf->count && fits; j++) {
        const mry_asf_bone *bone = &asf->bones[asf->bone[j]];
        marey_joint *joint = &clip->joints[j];
        joint->name = mry_arena_text(&clip->mem, bone->name, strlen(bone->name));
        joint->parent = j ? asf->joint[bone->parent] : -1;
        joint->first_channel = clip->skeleton.channel_count;
        joint->channel_count = bone->channel_count;
        memcpy(joint->channels, bone->channels, sizeof bone->channels);
        clip->skeleton.channel_count += bone->channel_count;
        memcpy(joint->offset_cm, j ? asf->bones[bone->parent].vector : asf->position,
               sizeof joint->offset_cm);
        /* A position of the root is added to its channels while reading; only axes without one keep
           it here. */
        for (int c = 0; c < bone->channel_count && j == 0; c++) {
            if (bone->channels[c] <= MAREY_CHANNEL_Z_POSITION)
                joint->offset_cm[bone->channels[c]] = 0;
        }
        joint->has_end = j && bone->first_child < 0;
        if (joint->has_end) memcpy(joint->end_cm, bone->vector, sizeof joint->end_cm);
        memcpy(clip->source.offsets + 3 * j, joint->offset_cm, sizeof joint->offset_cm);
        memcpy(clip->source.ends + 3 * j, joint->end_cm, sizeof joint->end_cm);
        /* The last letter applies last, so it is the outermost factor, which mry_euler has
           first. */
        mry_euler euler = { .given = 3 };
        double degrees[3], sines[3], cosines[3];
        for (int i = 0; i < 3; i++) {
            int letter = bone->letters[2 - i];
            clip->source.orders[3 * j + i] = (uint8_t)letter;
            euler.axis[i] = letter;
            euler.column[i] = 2 - i;
            degrees[i] = bone->angles[i] * (asf->radians ? MRY_DEGREES_PER_RADIAN : 1);
        }
        mry_half_angles(degrees, 3, sines, cosines);
        mry_euler_to_quat(&euler, sines, cosines, clip->source.axes + 4 * j);
        fits = joint->name != NULL;
    }
    fits = fits && mry_clip_find_movers(clip);
    if (fits && asf->skipped)
        fits = mry_clip_warn(clip, "%d statements of the skeleton are not known and were left out",
                             asf->skipped);
    if (fits && asf->slanted)
        fits = mry_clip_warn(clip,
                             "%d bones have a direction that is not of length one; direction times "
                             "length was taken",
                             asf->slanted);
    if (fits && asf->commas)
        fits = mry_clip_warn(
            clip, "%" PRId64 " numbers of the skeleton have a decimal comma, read as a point",
            asf->commas);
    if (fits) return clip;
    marey_clip_free(clip);
    return NULL;
}

marey_status mry_asf_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    (void)def;
    mry_arena tmp = mry_arena_make(scan->ctx);
    mry_asf asf;
    mry_plan plan;
    marey_clip *clip = NULL;
    marey_status status = mry_asf_read_skeleton(scan, &tmp, &asf);
    if (!status) clip = mry_asf_make_clip(&asf, scan->ctx, name);
    /* A skeleton without channels still has a row, of no numbers. */
    if (clip) clip->source.channels = MRY_NEW(&clip->mem, double, clip->skeleton.channel_count + 1);
    bool fits = clip && clip->source.channels && mry_clip_take_tracks(clip, 1) &&
                mry_plan_make(&plan, clip, &tmp) &&
                mry_clip_warn(clip, "a skeleton without motion: one frame of its rest pose");
    if (fits) {
        const marey_joint *root = &clip->joints[0];
        for (int c = 0; c < root->channel_count; c++) {
            if (root->channels[c] > MAREY_CHANNEL_Z_POSITION) continue;
            clip->source.channels[c] = asf.position[root->channels[c]];
        }
        mry_plan_derive(&plan, clip, 0);
        *out = clip;
    } else if (!status) {
        marey_clip_free(clip);
        status = mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    }
    mry_arena_free(&tmp);
    return status;
}
