/* clip_out.h - a clip that a command has made, on its way out: what it was made of, and the file or library that it goes
   to. Read after provenance.h; similar, transition, blend, clean and loop use it. */
#ifndef MAREY_TOOL_CLIP_OUT_H
#define MAREY_TOOL_CLIP_OUT_H

#include "provenance.h"

/* Holds pointers into itself: make it in its place and do not copy it. {0} may be freed. */
typedef struct clip_out {
    session *run;
    const char *target; /* a file, or LIB.marey:NAME; NULL: nothing is written */
    bool beside;        /* the provenance also goes into a file beside it */
    provenance made_of;
    buffer settings; /* the provenance as JSON, with an ending zero */
    const marey_clip
        *clip; /* what was made, and its foot plants, which a library keeps; borrowed */
    const marey_contact *contacts; /* NULL: none are kept */
    int contact_count;
} clip_out;

void clip_out_make(clip_out *out, session *run, const char *target, bool beside);
void clip_out_free(clip_out *out);

/* Puts the provenance together, once all sources were added to made_of. */
marey_status clip_out_note(clip_out *out, const request *settings, marey_error *error);

/* Adds the last part of an answer: the name that the clip was saved under. */
typedef void clip_out_tell(void *user, const clip_out *out, const char *path);

/* Writes the clip and ends the command. `tell` is called before a file is written, and behind the change of a library,
   where the name may have become another one; what was in run->out before is the rest of the answer. The library that
   the clips came from must be closed. Without a target the answer is sent as it is. */
int clip_out_save(clip_out *out, clip_out_tell *tell, void *user);

/* The usual last part: "path", "frames" and "fps" and the end of the JSON object, or "wrote PATH: 240 frames at 60 a
   second". Without a path only the end of the object. */
clip_out_tell clip_out_describe;

#endif
