/* clip_info.h - what a clip is, as JSON: how it was read, its marks, its joints. Read after
   json.h. */
#ifndef MAREY_APP_CLIP_INFO_H
#define MAREY_APP_CLIP_INFO_H

#include "json.h"

/* All of these write members of one JSON object, without its brackets. */

/* What `marey info --json` says of a clip: its size, its rate, how its units and axes were
   found, its roles by the names of their joints, its marks and warnings. `path` is where it was
   read from; NULL: not said. */
void app_info_write(const marey_clip *clip, const char *path, json *out);

void app_marks_write(const marey_clip *clip, json *out); /* "marks" */

/* "joints", each with its parent and offset, and "roles" by the numbers of their joints: what it
   takes to draw one. */
void app_joints_write(const marey_skeleton *skeleton, json *out);

#endif
