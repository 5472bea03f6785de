/* played_clip.h - pieces of clips in a row on their way to a clip: made, judged, told, written. Read after made_figures.h; example
   and cluster stitch use it. */
#ifndef MAREY_TOOL_PLAYED_CLIP_H
#define MAREY_TOOL_PLAYED_CLIP_H

#include "made_figures.h"
#include "shelf.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct played_clip {
    session *run;
    const request *asked;
    const marey_parts *parts; /* borrowed until saving, as is the rest of what it is made of */
    const marey_piece *pieces;
    int piece_count;
    marey_clean_def clean;
    marey_pieces_def def;
    marey_made made;
    marey_walk_made about;
    made_figures figures;
    clip_out out; /* its target is NULL without -o */
} played_clip;

/* -o, --fps, --rough, --leave-feet, --stretch, --provenance. Returns an exit status, the reason being said; after it, whatever it was,
   played_clip_close must follow. */
int played_clip_open(played_clip *of, session *run, const request *asked);
void played_clip_close(played_clip *of);

/* Makes the clip, with all that is said of it. Pieces count the frames of the parts. */
marey_status played_clip_make(played_clip *of, const marey_parts *parts,
                              const marey_listing *listing, const char *library,
                              const marey_piece *pieces, int count, marey_error *error);

/* "transitions", "pieces" in the clips' own frames, "jump_ratio" and so on. */
void played_clip_json(const played_clip *of, json *to);
void played_clip_text(const played_clip *of, buffer *out);

/* Ends the command: writes the clip and sends what is in run->out before "path", "frames" and so on. The library that was read
   must be closed: it may be the one that is written. */
int played_clip_save(played_clip *of);

/* Notes frames [start, end) of a part's clip as a source. */
void played_clip_note(played_clip *of, const marey_parts *parts, const marey_listing *listing,
                      const char *library, int part, int start, int end);

#endif
