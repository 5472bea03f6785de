/* asf_read.c - an ASF skeleton becomes the skeleton of a clip; alone, a clip of one frame at rest.
   A bone's joint sits where the bone starts, which is the end of its parent. It turns about axes of its
   own: with C the rotation of these axes and M that of the frame's angles, the local rotation is
   C M C^-1. Both rotations apply in the named order, XYZ meaning x first. docs/asfamc.md has the
   dialects that are accepted. */
#include "io/asf_parse.h"
#include "io/format.h"
#include "motion/channels.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* ---- words of both formats ------------------------------------------------------------------- */

/* Lines, comments and names as ASF and AMC files have them: a line says one thing, and one that begins with # says nothing. */

marey_status mry_asf_start(mry_scan *scan)
{
    size_t count = (size_t)(scan->end - scan->p);
    if (count >= 3 && memcmp(scan->p, "\xef\xbb\xbf", 3) == 0) mry_scan_take(scan, 3);
    bool wide =
        count >= 2 && (memcmp(scan->p, "\xff\xfe", 2) == 0 || memcmp(scan->p, "\xfe\xff", 2) == 0);
    if (!wide) return MAREY_OK;
    return mry_scan_fail(scan, MAREY_ERR_INPUT, "this is UTF-16 text; save it as UTF-8 or ASCII");
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

void mry_asf_skip_line(mry_scan *scan)
{
    for (;;) {
        while (scan->p < scan->end && !is_line_end(*scan->p)) scan->p++;
        if (scan->p < scan->end) return;
        mry_scan_need(scan, 1);
        if (scan->p >= scan->end) return;
    }
}

/* Comments may hold any bytes, also such as are no text. */
bool mry_asf_next(mry_scan *scan)
{
    for (;;) {
        mry_scan_skip_space(scan);
        if (scan->p >= scan->end) return false;
        if (*scan->p != '#') break;
        mry_asf_skip_line(scan);
    }
    mry_scan_need(scan, MRY_NUMBER_LONGEST + 1); /* longer than any keyword */
    return true;
}

bool mry_asf_at_line_end(mry_scan *scan)
{
    mry_scan_skip_blanks(scan);
    return scan->p >= scan->end || is_line_end(*scan->p);
}

static bool ends_word(char c)
{
    return strchr(" \t\r\n\f\v", c) != NULL; /* also the zero behind the file */
}

marey_status mry_asf_read_name(mry_scan *scan, const char *what, const char **name, size_t *count)
{
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_LONGEST_JOINT_NAME + 1);
    *count = mry_scan_word(scan, 0, name);
    if (*count == 0) return mry_scan_expected(scan, what);
    if (*count < MRY_LONGEST_JOINT_NAME || ends_word(scan->p[MRY_LONGEST_JOINT_NAME]))
        return MAREY_OK;
    return mry_scan_fail(scan, MAREY_ERR_LIMIT, "a name of more than %d bytes",
                         MRY_LONGEST_JOINT_NAME);
}

bool mry_asf_sees(const mry_scan *scan, const char *word)
{
    size_t count = strlen(word);
    if ((size_t)(scan->end - scan->p) < count) return false;
    return strncasecmp(scan->p, word, count) == 0 && ends_word(scan->p[count]);
}

/* ---- what an ASF file begins with ------------------------------------------------------------ */

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
        return mry_asf_at_line_end(&rest);
    }
    return mry_asf_sees(look, ":version") || mry_asf_sees(look, ":name");
}

/* Style sheets begin with :root and manuals with :name, so two sections must be in sight. */
bool mry_asf_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    if (look.end - look.p >= 3 && memcmp(look.p, "\xef\xbb\xbf", 3) == 0) look.p += 3;
    if (!mry_asf_next(&look) || !at_section(&look)) return false;
    mry_asf_skip_line(&look);
    while (mry_asf_next(&look)) {
        if (at_section(&look)) return true;
        mry_asf_skip_line(&look);
    }
    return false;
}

/* ---- a clip from the tree --------------------------------------------------------------------- */

/* The last letter applies last, so it is the outermost factor, which mry_euler has first. */
static void fill_axes(marey_clip *clip, const mry_asf *asf, int j, const mry_asf_bone *bone)
{
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
}

/* A position of the root is added to its channels while reading; only axes without one keep it here. */
static void root_offset(const mry_asf *asf, double *offset)
{
    const mry_asf_bone *root = &asf->bones[0];
    memcpy(offset, asf->position, sizeof asf->position);
    for (int c = 0; c < root->channel_count; c++) {
        if (root->channels[c] <= MAREY_CHANNEL_Z_POSITION) offset[root->channels[c]] = 0;
    }
}

static bool fill_joint(marey_clip *clip, const mry_asf *asf, int j)
{
    const mry_asf_bone *bone = &asf->bones[asf->bone[j]];
    marey_joint *joint = &clip->joints[j];
    joint->name = mry_arena_text(&clip->mem, bone->name, strlen(bone->name));
    joint->parent = j ? asf->joint[bone->parent] : -1;
    joint->first_channel = clip->skeleton.channel_count;
    joint->channel_count = bone->channel_count;
    memcpy(joint->channels, bone->channels, sizeof bone->channels);
    clip->skeleton.channel_count += bone->channel_count;
    if (j) {
        memcpy(joint->offset_cm, asf->bones[bone->parent].vector, sizeof joint->offset_cm);
    } else {
        root_offset(asf, joint->offset_cm);
    }
    joint->has_end = j && bone->first_child < 0;
    if (joint->has_end) memcpy(joint->end_cm, bone->vector, sizeof joint->end_cm);
    memcpy(clip->source.offsets + 3 * j, joint->offset_cm, sizeof joint->offset_cm);
    memcpy(clip->source.ends + 3 * j, joint->end_cm, sizeof joint->end_cm);
    fill_axes(clip, asf, j, bone);
    return joint->name != NULL;
}

static bool fill_skeleton(marey_clip *clip, const mry_asf *asf)
{
    clip->source.axes = MRY_NEW(&clip->mem, float, 4 * (size_t)asf->count);
    clip->source.orders = MRY_NEW(&clip->mem, uint8_t, 3 * (size_t)asf->count);
    if (!clip->source.axes || !clip->source.orders) return false;
    for (int j = 0; j < asf->count; j++) {
        if (!fill_joint(clip, asf, j)) return false;
    }
    return mry_clip_find_movers(clip);
}

static bool add_warnings(marey_clip *clip, const mry_asf *asf)
{
    bool fits = true;
    if (asf->skipped) {
        fits &= mry_clip_warn(clip, "%d statements of the skeleton are not known and were left out",
                              asf->skipped);
    }
    if (asf->slanted) {
        fits &=
            mry_clip_warn(clip,
                          "%d bones have a direction that is not of length one; direction times "
                          "length was taken",
                          asf->slanted);
    }
    if (asf->commas) {
        fits &= mry_clip_warn(
            clip, "%" PRId64 " numbers of the skeleton have a decimal comma, read as a point",
            asf->commas);
    }
    return fits;
}

marey_clip *mry_asf_make_clip(const mry_asf *asf, marey_ctx *ctx, const char *name)
{
    marey_clip *clip = mry_clip_make(ctx, name, asf->count);
    if (!clip) return NULL;
    clip->fps = DEFAULT_HZ;
    if (fill_skeleton(clip, asf) && add_warnings(clip, asf)) return clip;
    marey_clip_free(clip);
    return NULL;
}

/* ---- a skeleton alone ------------------------------------------------------------------------- */

static bool fill_rest_pose(marey_clip *clip, const mry_asf *asf, mry_arena *tmp)
{
    const marey_joint *root = &clip->joints[0];
    mry_plan plan;
    /* A skeleton without channels still has a row, of no numbers. */
    clip->source.channels = MRY_NEW(&clip->mem, double, clip->skeleton.channel_count + 1);
    if (!clip->source.channels || !mry_clip_take_tracks(clip, 1) ||
        !mry_plan_make(&plan, clip, tmp)) {
        return false;
    }
    for (int c = 0; c < root->channel_count; c++) {
        if (root->channels[c] > MAREY_CHANNEL_Z_POSITION) continue;
        clip->source.channels[c] = asf->position[root->channels[c]];
    }
    mry_plan_derive(&plan, clip, 0);
    return mry_clip_warn(clip, "a skeleton without motion: one frame of its rest pose");
}

marey_status mry_asf_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    (void)def;
    mry_arena tmp = mry_arena_make(scan->ctx);
    mry_asf asf;
    marey_status status = mry_asf_read_skeleton(scan, &tmp, &asf);
    if (!status) {
        marey_clip *clip = mry_asf_make_clip(&asf, scan->ctx, name);
        if (clip && fill_rest_pose(clip, &asf, &tmp)) {
            *out = clip;
        } else {
            marey_clip_free(clip);
            status = mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
        }
    }
    mry_arena_free(&tmp);
    return status;
}
