/* amc_write.c - a clip becomes an AMC file and, beside it, the ASF file with its skeleton. A clip that was
   read from such files and not edited keeps its bones, axes and degrees of freedom, and its numbers; any
   other turns every joint about x, y and z of its parent.

   In an ASF a bone ends where those that hang on it start. A joint that does not start there hangs on a
   bone more, NAME_start, which never turns: hips have one for each leg. */
#include "base/bytes.h"
#include "base/fail.h"
#include "base/file.h"
#include "io/asf_parse.h"
#include "io/format.h"
#include "math/quat.h"
#include "motion/axes.h"
#include "motion/channels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { EDITED_DECIMALS = 6, LONGEST = 240 }; /* bytes of a name, without what makes it unique */

/* A joint may be off by so much in the course of a clip and still be taken as standing still. */
static const double still_cm = 1e-3;

typedef struct bone {
    const char *name;
    int parent;      /* a bone before it; bone 0 is the root */
    int joint;       /* -1: a bone that never turns */
    int first, next; /* what hangs on it, and on its parent behind it; 0: nothing more */
    double vector[3];
} bone;

typedef struct plan {
    const marey_clip *clip;
    bool as_read;
    marey_joint *joints; /* with the channels that are written */
    int channels;
    bone *bones;
    int count;
    /* The joint that becomes the root: the first, or, since nothing but the root can move, the one on it
       that does and is alone there: the hips of a rig with a root on the floor. */
    int top;
} plan;

/* ---- bones ----------------------------------------------------------------------------------- */

/* A name that neither file takes for something else. */
static void make_plain(const char *name, char *text)
{
    char padded[LONGEST + 2 + MRY_NUMBER_SLACK] = { 0 };
    mry_decimal number;
    size_t used = 1;
    padded[0] = '_';
    for (; *name && used <= LONGEST; name++) {
        unsigned char c = (unsigned char)*name;
        padded[used++] = c <= ' ' || c == 127 || strchr("{}", c) ? '_' : (char)c;
    }
    const char *plain = padded + 1;
    bool odd = !*plain || strchr("#:", *plain) || strcasecmp(plain, "begin") == 0 ||
               strcasecmp(plain, "end") == 0 ||
               mry_number_read(plain, plain + strlen(plain), &number);
    strcpy(text, odd ? padded : plain);
}

/* The name if it is free, else with a number. NULL when out of memory. */
static const char *name_of(mry_names *all, mry_arena *tmp, const char *name, const char *behind)
{
    char plain[LONGEST + 2];
    make_plain(name, plain);
    char *text = mry_arena_print(tmp, "%s%s", plain, behind);
    mry_name *slot = text ? mry_names_find(all, text, strlen(text)) : NULL, *first = slot;
    while (text && slot->name) {
        text = mry_arena_print(tmp, "%s_%d", first->name, ++first->number);
        if (text) slot = mry_names_find(all, text, strlen(text));
    }
    if (text) *slot = (mry_name){ text, 1 };
    return text;
}

/* Where a joint is from its parent, in the file's units and axes; false: it moves. */
static bool find_offset(const marey_clip *clip, int j, double *offset)
{
    int slot = clip->slot[j];
    if (slot < 0) {
        memcpy(offset, clip->source.offsets + 3 * j, 3 * sizeof *offset);
        return true;
    }
    const double *first = mry_place(clip, 0) + 3 * slot;
    for (int f = 1; f < clip->frames; f++)
        for (int i = 0; i < 3; i++)
            if (fabs(mry_place(clip, f)[3 * slot + i] - first[i]) > still_cm) return false;
    mry_vector_to_file(clip->up, first, offset);
    for (int i = 0; i < 3; i++) offset[i] /= marey_units_cm(clip->units);
    return true;
}

static marey_status make_plan(plan *p, mry_arena *tmp, const char *path, marey_error *error)
{
    const marey_clip *clip = p->clip;
    int joints = clip->skeleton.joint_count;
    double *offsets = MRY_NEW(tmp, double, 3 * joints);
    int *bone_of = MRY_NEW(tmp, int, joints), *child = MRY_NEW(tmp, int, joints);
    mry_names names;
    p->as_read = clip->source.channels && clip->source.axes;
    p->joints = p->as_read ? clip->joints : MRY_NEW_RAW(tmp, marey_joint, joints);
    p->bones = MRY_NEW(tmp, bone, 2 * joints);
    if (!offsets || !bone_of || !child || !p->joints || !p->bones ||
        !mry_names_make(&names, tmp, 2 * joints))
        return mry_fail_memory(error, path);
    p->channels = p->as_read ? clip->skeleton.channel_count : mry_channels_plain(clip, p->joints);
    for (int j = joints - 1; j > 0; j--) child[clip->joints[j].parent] = j; /* the first one */
    p->top = joints > 1 && !p->as_read && !find_offset(clip, 1, offsets);
    for (int j = 2; j < joints; j++) p->top = p->top && clip->joints[j].parent >= 1;
    for (int j = p->top + 1; j < joints; j++) {
        if (!find_offset(clip, j, offsets + 3 * j))
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "bones of an AMC keep their length, but %s moves against %s; write "
                            ".bvh, .glb or .fbx",
                            clip->joints[j].name, clip->joints[clip->joints[j].parent].name);
    }
    for (int j = p->top; j < joints; j++) {
        const double zeros[3] = { 0 }, *offset = offsets + 3 * j;
        bool root = j == p->top;
        const double *vector = root       ? zeros
                               : child[j] ? offsets + 3 * child[j]
                                          : clip->source.ends + 3 * j;
        int parent = root ? -1 : bone_of[clip->joints[j].parent];
        bool apart = false;
        for (int i = 0; i < 3 && !root; i++) apart |= offset[i] != p->bones[parent].vector[i];
        if (apart) {
            bone *start = &p->bones[p->count];
            *start = (bone){ .name = name_of(&names, tmp, clip->joints[j].name, "_start"),
                             .parent = parent,
                             .joint = -1 };
            if (!start->name) return mry_fail_memory(error, path);
            for (int i = 0; i < 3; i++) start->vector[i] = offset[i] - p->bones[parent].vector[i];
            parent = p->count++;
        }
        bone *one = &p->bones[p->count];
        *one = (bone){ .name = name_of(&names, tmp, root ? "root" : clip->joints[j].name, ""),
                       .parent = parent,
                       .joint = j };
        if (!one->name) return mry_fail_memory(error, path);
        memcpy(one->vector, vector, sizeof one->vector);
        bone_of[j] = p->count++;
    }
    for (int b = p->count - 1; b > 0; b--) {
        bone *parent = &p->bones[p->bones[b].parent];
        p->bones[b].next = parent->first;
        parent->first = b;
    }
    return MAREY_OK;
}

/* ---- the skeleton ---------------------------------------------------------------------------- */

static void put(mry_bytes_writer *out, const char *text)
{
    mry_put_bytes(out, text, strlen(text));
}

static void put_numbers(mry_bytes_writer *out, const char *word, const double *numbers, int count)
{
    put(out, word);
    for (int i = 0; i < count; i++) {
        char text[MRY_NUMBER_ROOM + 1] = " ";
        mry_put_bytes(out, text, 1 + mry_number_write(text + 1, numbers[i], 9));
    }
}

/* The angles of a joint's own axes, and in which order they apply. */
static void put_axes(mry_bytes_writer *out, const plan *p, int j, const char *word,
                     bool angles_last)
{
    int order[3] = { 2, 1, 0 }; /* outermost first */
    double angles[3], shown[3] = { 0 }, near[3] = { 0 };
    char letters[] = " XYZ";
    if (p->as_read && j >= 0) {
        for (int i = 0; i < 3; i++) order[i] = p->clip->source.orders[3 * j + i];
        mry_euler_from_quat(order, 3, p->clip->source.axes + 4 * j, near, angles);
        for (int i = 0; i < 3; i++) {
            shown[i] = angles[2 - i];
            letters[1 + i] = (char)('X' + order[2 - i]);
        }
    }
    if (angles_last) { /* of the root: two statements */
        put(out, "  axis");
        put(out, letters);
        put(out, "\n");
    }
    put_numbers(out, word, shown, 3);
    put(out, angles_last ? "\n" : letters);
}

static void put_channels(mry_bytes_writer *out, const marey_joint *joint, bool root, bool as_read)
{
    /* What is not as it was read is turned in the order x, y, z; channels have the last first. */
    static const char *const words[] = { " TX", " TY", " TZ", " RX", " RY", " RZ" };
    static const char *const small[] = { " tx", " ty", " tz", " rx", " ry", " rz" };
    if (!as_read) put(out, root ? " TX TY TZ RX RY RZ" : " rx ry rz");
    for (int c = 0; c < joint->channel_count && as_read; c++)
        put(out, (root ? words : small)[joint->channels[c]]);
}

static void put_skeleton(mry_bytes_writer *out, const plan *p)
{
    const marey_clip *clip = p->clip;
    double per_inch = 2.54 / marey_units_cm(clip->units), zeros[3] = { 0 };
    char text[64];
    put(out, "# written by marey\n:version 1.10\n:name ");
    for (const char *c = clip->name; *c; c++)
        mry_put_bytes(out, (unsigned char)*c < ' ' ? "_" : c, 1);
    put_numbers(out, "\n:units\n  mass 1\n  length", &per_inch, 1);
    put(out, "\n  angle deg\n:documentation\n  skeleton of an AMC file\n:root\n  order");
    put_channels(out, &p->joints[p->top], true, p->as_read);
    put(out, "\n");
    put_numbers(out, "  position", p->as_read ? clip->source.offsets : zeros, 3);
    put(out, "\n");
    put_axes(out, p, 0, "  orientation", true);
    put(out, ":bonedata\n");
    for (int b = 1; b < p->count; b++) {
        const bone *one = &p->bones[b];
        const double *v = one->vector;
        double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double direction[3] = { 0, 0, 1 };
        for (int i = 0; i < 3 && length > 0; i++) direction[i] = v[i] / length;
        snprintf(text, sizeof text, "  begin\n    id %d\n    name ", b);
        put(out, text);
        put(out, one->name);
        put_numbers(out, "\n    direction", direction, 3);
        put_numbers(out, "\n    length", &length, 1);
        put_axes(out, p, one->joint, "\n    axis", false);
        if (one->joint >= 0 && p->joints[one->joint].channel_count > 0) {
            put(out, "\n    dof");
            put_channels(out, &p->joints[one->joint], false, p->as_read);
        }
        put(out, "\n  end\n");
    }
    put(out, ":hierarchy\n  begin\n");
    for (int b = 0; b < p->count; b++) {
        if (!p->bones[b].first) continue;
        put(out, "    ");
        put(out, p->bones[b].name);
        for (int c = p->bones[b].first; c; c = p->bones[c].next) {
            put(out, " ");
            put(out, p->bones[c].name);
        }
        put(out, "\n");
    }
    put(out, "  end\n");
}

/* Writes the skeleton; *made: there was none. One that is there and says the same is left alone, another
   one stays as it is. */
static marey_status save_skeleton(const plan *p, mry_arena *tmp, const char *path, bool *made,
                                  marey_error *error)
{
    const marey_io *io = tmp->ctx->def.io;
    mry_bytes_writer text = { .mem = tmp };
    mry_writer out;
    mry_scan scan;
    put_skeleton(&text, p);
    if (text.failed) return mry_fail_memory(error, path);
    int handle = io->open(io->user, path, MAREY_IO_READ);
    *made = handle == -ENOENT;
    if (handle < 0 && handle != -ENOENT) return mry_fail_errno(error, handle, "open", path);
    if (handle >= 0) {
        io->close(io->user, handle);
        const uint8_t *bytes = NULL;
        size_t count = 0;
        marey_status status = mry_scan_open(&scan, tmp, path, error);
        if (!status) status = mry_scan_whole(&scan, tmp, &bytes, &count);
        mry_scan_close(&scan);
        if (!status && (count != text.used || memcmp(bytes, text.bytes, count) != 0))
            status = mry_fail(error, MAREY_ERR_REQUEST, path,
                              "it holds another skeleton than that of this clip; choose another "
                              "name, or remove it first");
        return status;
    }
    marey_status status = mry_writer_open(&out, tmp, path, text.used, error);
    if (status) return status;
    mry_writer_bytes(&out, text.bytes, text.used);
    return mry_writer_commit(&out, error);
}

/* ---- the motion ------------------------------------------------------------------------------ */

/* The channels of the root, where that is not the clip's first joint: positions, then z, y, x near the
   angles of the frame before. */
static void find_root(const plan *p, int f, double *row)
{
    static const int axes[3] = { 2, 1, 0 };
    const marey_clip *clip = p->clip;
    double place[3] = { 0 }, moved[3];
    float turn[4] = { 1, 0, 0, 0 };
    for (int j = 0; j <= p->top; j++) {
        int slot = clip->slot[j];
        const double *local = slot < 0 ? clip->joints[j].offset_cm : mry_place(clip, f) + 3 * slot;
        mry_quat_rotate_double(turn, local, moved);
        for (int i = 0; i < 3; i++) place[i] += moved[i];
        mry_quat_multiply(turn, mry_turn(clip, f) + 4 * (size_t)j, turn);
    }
    mry_vector_to_file(clip->up, place, row);
    for (int i = 0; i < 3; i++) row[i] /= marey_units_cm(clip->units);
    mry_turn_to_file(clip->up, turn, turn);
    mry_euler_from_quat(axes, 3, turn, row + 3, row + 3);
}

static marey_status write_motion(mry_writer *out, const plan *p, double *row)
{
    const marey_clip *clip = p->clip;
    double root[6] = { 0 };
    char text[96];
    snprintf(text, sizeof text, MRY_AMC_RATE "%.9g frames a second\n", clip->fps);
    mry_writer_text(out, text);
    mry_writer_text(out, ":FULLY-SPECIFIED\n:DEGREES\n");
    for (int f = 0; f < clip->frames && !mry_writer_failed(out); f++) {
        if (f % 1024 == 0 && !mry_progress(clip->mem.ctx, "writing", f, clip->frames))
            return MAREY_ERR_CANCELLED;
        const double *numbers = p->as_read ? mry_channels(clip, f) : row;
        if (!p->as_read) mry_channels_from_tracks(clip, p->joints, f, row);
        if (p->top > 0) {
            find_root(p, f, root);
            memcpy(row + p->joints[p->top].first_channel, root, sizeof root);
        }
        snprintf(text, sizeof text, "%d\n", f + 1);
        mry_writer_text(out, text);
        for (int b = 0; b < p->count; b++) {
            if (p->bones[b].joint < 0) continue;
            const marey_joint *joint = &p->joints[p->bones[b].joint];
            int count = joint->channel_count, moves = b && !p->as_read && count > 3 ? 3 : 0;
            if (count == 0) continue;
            mry_writer_text(out, p->bones[b].name);
            for (int c = moves; c < count; c++) {
                /* Of what is not as it was read the rotations come last, z first. */
                int at = p->as_read || c < count - 3 ? c : 2 * count - 4 - c;
                double value = numbers[joint->first_channel + at];
                char *to = mry_writer_reserve(out, MRY_NUMBER_ROOM + 1);
                *to = ' ';
                size_t used = p->as_read ? mry_number_write(to + 1, value, clip->source.decimals)
                                         : mry_number_write_rounded(to + 1, value, EDITED_DECIMALS);
                mry_writer_advance(out, used + 1);
            }
            mry_writer_bytes(out, "\n", 1);
        }
    }
    return MAREY_OK;
}

marey_status mry_amc_write(const marey_clip *clip, const char *path, const char *provenance,
                           marey_error *error)
{
    (void)provenance; /* neither file has a place for it */
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    const marey_io *io = clip->mem.ctx->def.io;
    mry_writer out;
    plan p = { .clip = clip };
    bool made = false;
    size_t length = strlen(path);
    char *beside = mry_arena_text(&tmp, path, length);
    marey_status status = beside ? make_plan(&p, &tmp, path, error) : mry_fail_memory(error, path);
    double *row = status ? NULL : MRY_NEW(&tmp, double, p.channels + 1);
    if (!status && !row) status = mry_fail_memory(error, path);
    if (!status) {
        memcpy(beside + length - 4, ".asf", 4);
        status = save_skeleton(&p, &tmp, beside, &made, error);
    }
    if (!status) {
        uint64_t frame = 16 + (uint64_t)p.channels * (MRY_NUMBER_ROOM + 1);
        for (int b = 0; b < p.count; b++) frame += strlen(p.bones[b].name) + 1;
        status = mry_writer_open(&out, &tmp, path, 256 + (uint64_t)clip->frames * frame, error);
        if (!status && write_motion(&out, &p, row)) {
            mry_writer_abandon(&out);
            status = mry_fail_cancelled(error);
        } else if (!status) {
            status = mry_writer_commit(&out, error);
        }
        if (status && made) io->remove(io->user, beside);
    }
    mry_arena_free(&tmp);
    return status;
}
