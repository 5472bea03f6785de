/* encoder.h - the program `ffmpeg` as a process that is fed frames and leaves a video. Read after base.h. */
#ifndef MRY_ENCODER_H
#define MRY_ENCODER_H

#include "base/file.h"

#include <sys/types.h>

typedef struct mry_encoder {
    pid_t pid;
    int feed; /* frames go in here */
    int video; /* a file without a name that the video is written to, so that it goes with its last user */
    int words; /* another for what ffmpeg says */
} mry_encoder;

/* REQUEST: there is no ffmpeg. `path` is for messages. */
marey_status mry_encoder_start(mry_encoder *encoder, const char *path, int width, int height,
                               double fps, marey_error *error);

/* False: ffmpeg does not listen any more; mry_encoder_finish says why. Never raises SIGPIPE. */
bool mry_encoder_feed(mry_encoder *encoder, const void *bytes, size_t count);

/* Waits for the end and saves the video as `path`. */
marey_status mry_encoder_finish(mry_encoder *encoder, mry_arena *tmp, const char *path,
                                marey_error *error);
void mry_encoder_stop(mry_encoder *encoder); /* instead of finish, at any time */

#endif
