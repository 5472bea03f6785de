/* clip.c - making, reading and freeing clips. */
#include "motion/clip_data.h"

#include "base/grow.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The arena's first piece is the clip that owns it. */
static marey_clip *make_bare(marey_ctx *ctx, const char *name)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_clip *clip = MRY_NEW(&mem, marey_clip, 1);
    if (!clip) return NULL;
    clip->name = mry_arena_text(&mem, name, strlen(name));
    clip->mem = mem;
    if (clip->name) return clip;
    marey_clip_free(clip);
    return NULL;
}

marey_clip *mry_clip_make(marey_ctx *ctx, const char *name, int joint_count)
{
    marey_clip *clip = make_bare(ctx, name);
    if (!clip) return NULL;
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) clip->skeleton.roles[i] = -1;
    clip->skeleton.roles_from = "";
    clip->report.format = clip->report.units_why = clip->report.up_why = "";
    size_t joints = (size_t)joint_count;
    clip->skeleton.joints = clip->joints = MRY_NEW(&clip->mem, marey_joint, joints);
    clip->skeleton.joint_count = joint_count;
    clip->slot = MRY_NEW(&clip->mem, int, joints);
    clip->source.offsets = MRY_NEW(&clip->mem, double, 3 * joints);
    clip->source.ends = MRY_NEW(&clip->mem, double, 3 * joints);
    if (clip->joints && clip->slot && clip->source.offsets && clip->source.ends) return clip;
    marey_clip_free(clip);
    return NULL;
}

bool mry_clip_find_movers(marey_clip *clip)
{
    int joint_count = clip->skeleton.joint_count, count = 0;
    for (int j = 0; j < joint_count; j++) {
        bool moves = j == 0;
        for (int c = 0; c < clip->joints[j].channel_count; c++) {
            moves |= clip->joints[j].channels[c] <= MAREY_CHANNEL_Z_POSITION;
        }
        clip->slot[j] = moves ? count++ : -1;
    }
    clip->mover_count = count;
    clip->mover = MRY_NEW(&clip->mem, int, count);
    if (!clip->mover) return false;
    for (int j = 0; j < joint_count; j++) {
        if (clip->slot[j] >= 0) clip->mover[clip->slot[j]] = j;
    }
    return true;
}

bool mry_clip_take_tracks(marey_clip *clip, int frames)
{
    size_t f = (size_t)frames;
    clip->turn = MRY_NEW_RAW(&clip->mem, float, f *(size_t)clip->skeleton.joint_count * 4);
    clip->place = MRY_NEW_RAW(&clip->mem, double, f *(size_t)clip->mover_count * 3);
    clip->frames = frames;
    return clip->turn && clip->place;
}

static void *copy(mry_arena *mem, const void *bytes, size_t count)
{
    void *piece = mry_arena_take(mem, count, 1);
    return piece ? memcpy(piece, bytes, count) : NULL;
}

int mry_channels_plain(const marey_clip *clip, marey_joint *joints)
{
    static const marey_channel plain[6] = { MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION,
                                            MAREY_CHANNEL_Z_POSITION, MAREY_CHANNEL_Z_ROTATION,
                                            MAREY_CHANNEL_Y_ROTATION, MAREY_CHANNEL_X_ROTATION };
    int channel = 0;
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        int from = clip->slot[j] >= 0 ? 0 : 3; /* a joint that moves keeps its positions */
        joints[j] = clip->joints[j];
        joints[j].first_channel = channel;
        joints[j].channel_count = 6 - from;
        memcpy(joints[j].channels, plain + from, (size_t)(6 - from) * sizeof *plain);
        channel += joints[j].channel_count;
    }
    return channel;
}

marey_clip *mry_clip_make_like(const marey_clip *model, int frames, double fps)
{
    marey_clip *clip = make_bare(model->mem.ctx, model->name);
    if (!clip) return NULL;
    mry_arena *mem = &clip->mem;
    size_t joints = (size_t)model->skeleton.joint_count, vectors = joints * 3 * sizeof(double);
    clip->fps = fps;
    clip->units = model->units;
    clip->up = model->up;
    clip->mover_count = model->mover_count;
    clip->joints = copy(mem, model->joints, joints * sizeof *model->joints);
    clip->slot = copy(mem, model->slot, joints * sizeof *model->slot);
    clip->mover = copy(mem, model->mover, (size_t)model->mover_count * sizeof *model->mover);
    clip->source.offsets = copy(mem, model->source.offsets, vectors);
    clip->source.ends = copy(mem, model->source.ends, vectors);
    clip->source.decimals = model->source.decimals;
    bool fits =
        clip->joints && clip->slot && clip->mover && clip->source.offsets && clip->source.ends;
    clip->skeleton = model->skeleton;
    clip->skeleton.joints = clip->joints;
    if (fits && model->source.axes)
        clip->skeleton.channel_count = mry_channels_plain(model, clip->joints);
    for (size_t j = 0; j < joints && fits; j++) {
        const char *name = model->joints[j].name;
        fits = (clip->joints[j].name = mry_arena_text(mem, name, strlen(name))) != NULL;
    }
    fits = fits && mry_clip_copy_report(clip, model);
    if (fits && mry_clip_take_tracks(clip, frames)) return clip;
    marey_clip_free(clip);
    return NULL;
}

void marey_clip_free(marey_clip *clip)
{
    if (!clip) return;
    mry_arena mem = clip->mem; /* the clip goes with its arena */
    mry_arena_free(&mem);
}

bool mry_clip_copy_report(marey_clip *clip, const marey_clip *model)
{
    mry_arena *mem = &clip->mem;
    const marey_report *report = &model->report;
    clip->report = *report;
    clip->report.warnings = NULL;
    clip->report.warning_count = clip->report.take_count = 0; /* takes are those of a file */
    clip->report.takes = NULL;
    clip->report.skeleton_path = NULL; /* it is in the memory of the other */
    clip->report.format = mry_arena_text(mem, report->format, strlen(report->format));
    clip->report.units_why = mry_arena_text(mem, report->units_why, strlen(report->units_why));
    clip->report.up_why = mry_arena_text(mem, report->up_why, strlen(report->up_why));
    bool fits = clip->report.format && clip->report.units_why && clip->report.up_why;
    for (int i = 0; i < report->warning_count && fits; i++)
        fits = mry_clip_warn(clip, "%s", report->warnings[i]);
    return fits;
}

bool mry_clip_warn(marey_clip *clip, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int count = clip->report.warning_count;
    const char **longer = MRY_NEW(&clip->mem, const char *, count + 1);
    char *kept = mry_arena_text(&clip->mem, text, strlen(text));
    if (!longer || !kept) return false;
    if (count) memcpy(longer, clip->report.warnings, (size_t)count * sizeof *longer);
    longer[count] = kept;
    clip->report.warnings = longer;
    clip->report.warning_count = count + 1;
    return true;
}

bool mry_clip_add_mark(marey_clip *clip, marey_mark_kind kind, int start, int end)
{
    int count = clip->mark_count;
    assert(start >= 0 && start < end && end <= clip->frames);
    assert(count == 0 || clip->marks[count - 1].end <= start);
    if (!mry_grow_in(&clip->mem, &clip->marks, &clip->mark_room, count + 1, sizeof *clip->marks))
        return false;
    clip->marks[clip->mark_count++] = (marey_mark){ kind, start, end };
    return true;
}

bool mry_clip_copy_marks(marey_clip *clip, const marey_clip *other)
{
    for (int i = 0; i < other->mark_count; i++) {
        const marey_mark *mark = &other->marks[i];
        if (!mry_clip_add_mark(clip, mark->kind, mark->start, mark->end)) return false;
    }
    return true;
}

bool mry_clip_is_marked(const marey_clip *clip, int frame)
{
    int low = 0, high = clip->mark_count; /* marks rise and do not overlap */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (clip->marks[middle].end <= frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < clip->mark_count && clip->marks[low].start <= frame;
}

int mry_clip_first_captured(const marey_clip *clip)
{
    int first = 0;
    while (first + 1 < clip->frames && mry_clip_is_marked(clip, first)) first++;
    return first;
}

/* ---- the public view ------------------------------------------------------------------------- */

const char *marey_channel_name(marey_channel channel)
{
    static const char *const names[MAREY_CHANNEL_COUNT] = { "Xposition", "Yposition", "Zposition",
                                                            "Xrotation", "Yrotation", "Zrotation",
                                                            "Xscale",    "Yscale",    "Zscale" };
    assert(channel >= 0 && channel < MAREY_CHANNEL_COUNT);
    return names[channel];
}

const char *marey_clip_name(const marey_clip *clip)
{
    return clip->name;
}

const marey_skeleton *marey_clip_skeleton(const marey_clip *clip)
{
    return &clip->skeleton;
}

int marey_clip_frames(const marey_clip *clip)
{
    return clip->frames;
}

double marey_clip_fps(const marey_clip *clip)
{
    return clip->fps;
}

double marey_clip_seconds(const marey_clip *clip)
{
    return clip->frames / clip->fps;
}

marey_units marey_clip_units(const marey_clip *clip)
{
    return clip->units;
}

marey_up marey_clip_up(const marey_clip *clip)
{
    return clip->up;
}

const marey_mark *marey_clip_marks(const marey_clip *clip, int *count)
{
    *count = clip->mark_count;
    return clip->marks;
}

const marey_report *marey_clip_report(const marey_clip *clip)
{
    return &clip->report;
}

const double *marey_clip_channels(const marey_clip *clip, int frame)
{
    assert(frame >= 0 && frame < clip->frames);
    return clip->source.channels ? mry_channels(clip, frame) : NULL;
}

const float *marey_clip_rotations(const marey_clip *clip, int frame)
{
    assert(frame >= 0 && frame < clip->frames);
    return mry_turn(clip, frame);
}

const double *marey_clip_root(const marey_clip *clip, int frame)
{
    assert(frame >= 0 && frame < clip->frames);
    return mry_place(clip, frame);
}

const int *marey_clip_movers(const marey_clip *clip, int *count)
{
    *count = clip->mover_count;
    return clip->mover;
}

const double *marey_clip_places(const marey_clip *clip, int frame)
{
    assert(frame >= 0 && frame < clip->frames);
    return mry_place(clip, frame);
}

void mry_clip_copy_frames(marey_clip *clip, int start, const marey_clip *other, int other_start,
                          int count)
{
    size_t turns = (size_t)clip->skeleton.joint_count * 4, places = (size_t)clip->mover_count * 3;
    memcpy(mry_turn(clip, start), mry_turn(other, other_start),
           (size_t)count * turns * sizeof(float));
    memcpy(mry_place(clip, start), mry_place(other, other_start),
           (size_t)count * places * sizeof(double));
}
