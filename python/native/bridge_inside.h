/* bridge_inside.h - the inside of a bridge. Read after bridge.h, by the files beside it. */
#ifndef MAREY_PYTHON_INSIDE_H
#define MAREY_PYTHON_INSIDE_H

#include "operation.h"

#include <stdatomic.h>

#pragma GCC visibility push(default)
#include "bridge.h"
#pragma GCC visibility pop

struct bridge {
    marey_ctx *ctx;
    marey_ctx_def def;
    atomic_int holders;          /* Python's context, and what it made that lives */
    bridge_progress_fn progress; /* NULL: nobody asks */
    void *progress_user;
    double reported, apart_s; /* when it was told last, and may be again */
};

void *bridge_resize(void *user, void *old, size_t old_size, size_t size);
void bridge_progress(void *user, const char *text, int64_t done, int64_t total,
                     double seconds_left);

#endif
