/* clip_open.h - the clip that a parameter names: one of the library, or a file where the caller has some, and of it the
   frames that its address says. Read after env.h. */
#ifndef MAREY_APP_CLIP_OPEN_H
#define MAREY_APP_CLIP_OPEN_H

#include "env.h"

typedef struct app_clip {
    const marey_clip *clip; /* its frames only; the scope's */
    const char *name;       /* the address without its range: a name, "#34", or a file's path */
    int start, end;         /* which frames of its file or library entry these are */
} app_clip;

marey_status app_clip_open(const app_env *env, const char *text, app_clip *out, marey_error *error);

#endif
