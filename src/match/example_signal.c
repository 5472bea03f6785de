/* example_signal.c - one channel of one joint of a clip, as a signal (clusters, 3): degrees or cm, one value a frame. A file's
   angles may jump by a whole turn where nothing moves, and frames without captured motion hold anything; neither is a turning
   point of the movement. */
#include "base/fail.h"
#include "motion/channels.h"

#include <marey/example.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which ------------------------------------------------------------------------------------------- */

static int joint_named(const marey_clip *clip, const char *name)
{
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        if (strcmp(clip->joints[j].name, name) == 0) return j;
    }
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        if (strcmp(marey_role_name((marey_role)r), name) == 0) return clip->skeleton.roles[r];
    }
    return -1;
}

static int channel_of(const marey_joint *joint, marey_channel channel)
{
    for (int c = 0; c < joint->channel_count; c++) {
        if (joint->channels[c] == channel) return c;
    }
    return -1;
}

/* Adds ", word" as long as there is room for it and for "..." behind. */
static void add_word(char *list, size_t room, const char *word)
{
    char shown[64];
    size_t used = strlen(list);
    mry_quote(shown, sizeof shown, word, strlen(word));
    if (used >= 3 && strcmp(list + used - 3, "...") == 0) return;
    bool fits = used + strlen(shown) + 8 < room;
    snprintf(list + used, room - used, "%s%s", used ? ", " : "", fits ? shown : "...");
}

static marey_status no_joint(const marey_clip *clip, const marey_dof *dof, marey_error *error)
{
    char shown[MAREY_DOF_NAME], list[280] = "";
    mry_quote(shown, sizeof shown, dof->joint, strlen(dof->joint));
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        add_word(list, sizeof list, clip->joints[j].name);
    }
    return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "there is no joint \"%s\"; there are %s",
                    shown, list);
}

static marey_status no_channel(const marey_clip *clip, const marey_joint *joint,
                               marey_channel channel, marey_error *error)
{
    char shown[MAREY_DOF_NAME], list[280] = "";
    mry_quote(shown, sizeof shown, joint->name, strlen(joint->name));
    for (int c = 0; c < joint->channel_count; c++) {
        if (joint->channels[c] > MAREY_CHANNEL_Z_ROTATION) continue;
        add_word(list, sizeof list, marey_channel_name(joint->channels[c]));
    }
    return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "%s has no %s; it has %s", shown,
                    marey_channel_name(channel), list[0] ? list : "no channels");
}

/* ---- values ------------------------------------------------------------------------------------------- */

static void read_values(const marey_clip *clip, int j, int channel, double *values)
{
    marey_joint joint = clip->joints[j];
    double row[MAREY_CHANNEL_COUNT] = { 0 };
    double scale =
        joint.channels[channel] <= MAREY_CHANNEL_Z_POSITION ? marey_units_cm(clip->units) : 1;
    int column = joint.first_channel + channel;
    joint.first_channel = 0;
    for (int f = 0; f < clip->frames; f++) {
        if (!clip->source.channels) mry_joint_from_tracks(clip, &joint, f, j, row);
        values[f] = scale * (clip->source.channels ? mry_channels(clip, f)[column] : row[channel]);
    }
}

/* Each value within half a turn of the last one that was captured. */
static void take_turns_out(const marey_clip *clip, double *values)
{
    int last = -1;
    for (int f = 0; f < clip->frames; f++) {
        if (mry_clip_is_marked(clip, f)) continue;
        if (last >= 0) values[f] += 360.0 * nearbyint((values[last] - values[f]) / 360.0);
        last = f;
    }
}

/* Straight from the frame before to the one behind; at the ends as the nearest. */
static void fill_marked(const marey_clip *clip, double *values)
{
    for (int f = 0; f < clip->frames; f++) {
        if (!mry_clip_is_marked(clip, f)) continue;
        int start = f - 1, end = f;
        while (end < clip->frames && mry_clip_is_marked(clip, end)) end++;
        if (start < 0 && end == clip->frames) return; /* nothing lies around them */
        double before = values[start < 0 ? end : start];
        double behind = values[end == clip->frames ? start : end];
        for (; f < end; f++) {
            values[f] = before + (behind - before) * (f - start) / (end - start);
        }
    }
}

marey_status marey_clip_signal(const marey_clip *clip, const marey_dof *dof, double *values,
                               marey_error *error)
{
    int j = joint_named(clip, dof->joint);
    if (j < 0) return no_joint(clip, dof, error);
    int channel = channel_of(&clip->joints[j], dof->channel);
    if (channel < 0 || dof->channel > MAREY_CHANNEL_Z_ROTATION) {
        return no_channel(clip, &clip->joints[j], dof->channel, error);
    }
    read_values(clip, j, channel, values);
    if (dof->channel >= MAREY_CHANNEL_X_ROTATION) take_turns_out(clip, values);
    fill_marked(clip, values);
    return MAREY_OK;
}
