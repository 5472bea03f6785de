/* example_signal.c - degrees of freedom in words, "LeftLeg.Xrotation,RightLeg.Xrotation", and each
   as a signal of a clip (clusters, 3): degrees or cm, one value a frame. A file's angles may jump
   by a whole turn where nothing moves, and frames without captured motion hold anything; neither is
   a turning point of the movement. */
#include "base/fail.h"
#include "motion/channels.h"

#include <marey/example.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- degrees of freedom in words ------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A piece of text without the blanks around it. */
typedef struct piece {
    const char *at;
    size_t count;
} piece;

static piece trimmed(const char *from, const char *end)
{
    while (from < end && is_blank(*from)) from++;
    while (end > from && is_blank(end[-1])) end--;
    return (piece){ from, (size_t)(end - from) };
}

marey_status marey_dofs_parse(const char *text, marey_dof *dofs, int *count, marey_error *error)
{
    marey_dof read[MAREY_MOST_DOFS];
    int used = 0;
    for (const char *at = text;; used++) {
        const char *end = strchr(at, ',');
        piece item = trimmed(at, end ? end : at + strlen(at));
        if (used == MAREY_MOST_DOFS) {
            return mry_fail_at(error, MAREY_ERR_REQUEST, NULL, 0, item.at - text + 1,
                               "more than %d degrees of freedom", MAREY_MOST_DOFS);
        }
        /* The joint's name may have points of its own ("mixamo.LeftLeg"): the last one counts. */
        int64_t column = item.at - text + 1;
        char shown[MAREY_DOF_NAME];
        const char *point = item.at + item.count;
        mry_quote(shown, sizeof shown, item.at, item.count);
        while (point > item.at && *point != '.') point--;
        piece joint = trimmed(item.at, point);
        piece name = trimmed(point + 1, item.at + item.count);
        if (joint.count == 0) {
            return mry_fail_at(error, MAREY_ERR_REQUEST, NULL, 0, column,
                               "\"%s\" is no joint and channel, such as LeftLeg.Xrotation", shown);
        }
        if (joint.count >= MAREY_DOF_NAME) {
            return mry_fail_at(error, MAREY_ERR_REQUEST, NULL, 0, column,
                               "the joint's name has more than %d bytes", MAREY_DOF_NAME - 1);
        }
        marey_channel channel = MAREY_CHANNEL_X_POSITION;
        for (; channel < MAREY_CHANNEL_COUNT; channel++) {
            const char *known = marey_channel_name(channel);
            if (strlen(known) == name.count && strncasecmp(known, name.at, name.count) == 0) break;
        }
        if (channel > MAREY_CHANNEL_Z_ROTATION) {
            mry_quote(shown, sizeof shown, name.at, name.count);
            return mry_fail_at(
                error, MAREY_ERR_REQUEST, NULL, 0, column + (name.at - item.at),
                "\"%s\" is no position or rotation: Xposition, Yposition, Zposition, "
                "Xrotation, Yrotation or Zrotation",
                shown);
        }
        read[used] = (marey_dof){ .channel = channel };
        memcpy(read[used].joint, joint.at, joint.count);
        if (!end) break;
        at = end + 1;
    }
    *count = used + 1;
    memcpy(dofs, read, (size_t)*count * sizeof *dofs);
    return MAREY_OK;
}

/* ---- one channel as a signal ----------------------------------------------------------------- */

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

/* The number of a dof's joint, by its name or its role, and of its channel in it. */
static marey_status find_channel(const marey_clip *clip, const marey_dof *dof, int *joint_number,
                                 int *channel_number, marey_error *error)
{
    char shown[MAREY_DOF_NAME], list[280] = "";
    int j = 0, c = 0, joints = clip->skeleton.joint_count;
    while (j < joints && strcmp(clip->joints[j].name, dof->joint) != 0) j++;
    if (j == joints) {
        int role = 0;
        while (role < MAREY_ROLE_COUNT &&
               strcmp(marey_role_name((marey_role)role), dof->joint) != 0)
            role++;
        j = role < MAREY_ROLE_COUNT ? clip->skeleton.roles[role] : -1;
    }
    if (j < 0) {
        mry_quote(shown, sizeof shown, dof->joint, strlen(dof->joint));
        for (int k = 0; k < joints; k++) add_word(list, sizeof list, clip->joints[k].name);
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "there is no joint \"%s\"; there are %s", shown, list);
    }
    const marey_joint *joint = &clip->joints[j];
    while (c < joint->channel_count && joint->channels[c] != dof->channel) c++;
    if (c == joint->channel_count || dof->channel > MAREY_CHANNEL_Z_ROTATION) {
        mry_quote(shown, sizeof shown, joint->name, strlen(joint->name));
        for (int k = 0; k < joint->channel_count; k++) {
            if (joint->channels[k] > MAREY_CHANNEL_Z_ROTATION) continue;
            add_word(list, sizeof list, marey_channel_name(joint->channels[k]));
        }
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "%s has no %s; it has %s", shown,
                        marey_channel_name(dof->channel), list[0] ? list : "no channels");
    }
    *joint_number = j;
    *channel_number = c;
    return MAREY_OK;
}

marey_status marey_clip_signal(const marey_clip *clip, const marey_dof *dof, double *values,
                               marey_error *error)
{
    int j = 0, channel = 0;
    marey_status status = find_channel(clip, dof, &j, &channel, error);
    if (status) return status;
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

    /* Each value within half a turn of the last one that was captured. */
    bool turns = dof->channel >= MAREY_CHANNEL_X_ROTATION;
    for (int f = 0, last = -1; turns && f < clip->frames; f++) {
        if (mry_clip_is_marked(clip, f)) continue;
        if (last >= 0) values[f] += 360.0 * nearbyint((values[last] - values[f]) / 360.0);
        last = f;
    }

    /* Marked frames: straight from the frame before to the one behind; at the ends as the
       nearest. */
    for (int f = 0; f < clip->frames; f++) {
        if (!mry_clip_is_marked(clip, f)) continue;
        int start = f - 1, end = f;
        while (end < clip->frames && mry_clip_is_marked(clip, end)) end++;
        if (start < 0 && end == clip->frames) break; /* nothing lies around them */
        double before = values[start < 0 ? end : start];
        double behind = values[end == clip->frames ? start : end];
        for (; f < end; f++) {
            values[f] = before + (behind - before) * (f - start) / (end - start);
        }
    }
    return MAREY_OK;
}
