/* example_dof.c - degrees of freedom in words: "LeftLeg.Xrotation,RightLeg.Xrotation". */
#include "base/fail.h"

#include <marey/example.h>

#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A piece of text without the blanks around it. */
typedef struct piece {
    const char *at;
    size_t count;
} piece;

static piece trimmed(const char *from, const char *to)
{
    while (from < to && is_blank(*from)) from++;
    while (to > from && is_blank(to[-1])) to--;
    return (piece){ from, (size_t)(to - from) };
}

/* MAREY_CHANNEL_COUNT: there is none of that name. */
static marey_channel channel_named(piece name)
{
    marey_channel channel = MAREY_CHANNEL_X_POSITION;
    for (; channel < MAREY_CHANNEL_COUNT; channel++) {
        const char *known = marey_channel_name(channel);
        if (strlen(known) == name.count && strncasecmp(known, name.at, name.count) == 0) break;
    }
    return channel;
}

/* The joint's name may have points of its own ("mixamo.LeftLeg"): the last one counts. */
static marey_status parse_one(piece item, int64_t column, marey_dof *dof, marey_error *error)
{
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
    marey_channel channel = channel_named(name);
    if (channel > MAREY_CHANNEL_Z_ROTATION) {
        mry_quote(shown, sizeof shown, name.at, name.count);
        return mry_fail_at(error, MAREY_ERR_REQUEST, NULL, 0, column + (name.at - item.at),
                           "\"%s\" is no position or rotation: Xposition, Yposition, Zposition, "
                           "Xrotation, Yrotation or Zrotation",
                           shown);
    }
    *dof = (marey_dof){ .channel = channel };
    memcpy(dof->joint, joint.at, joint.count);
    return MAREY_OK;
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
        marey_status status = parse_one(item, item.at - text + 1, &read[used], error);
        if (status) return status;
        if (!end) break;
        at = end + 1;
    }
    *count = used + 1;
    memcpy(dofs, read, (size_t)*count * sizeof *dofs);
    return MAREY_OK;
}
