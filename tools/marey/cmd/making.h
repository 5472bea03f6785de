/* making.h - what the commands that make motion out of motion share: their clips, the metric, the options that all of them
   have, and what becomes of the result. Read after made_figures.h. */
#ifndef MAREY_TOOL_MAKING_H
#define MAREY_TOOL_MAKING_H

#include "made_figures.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct making {
    session *run;
    const request *asked;
    materials all;
    clip_out out;
    marey_metric_def metric;
    marey_joint_weights joints; /* what metric.joints points to, if any were given */
    int half, slope;            /* 0: the default */
    int reference;              /* of a registration, counted from 1; 0: the best */
    bool leave_feet;
    marey_clean_def clean; /* how feet are held otherwise */
} making;

/* Reads those options and opens the library of -L. Returns an exit status, the reason being said; after PROGRAM_DONE
   making_close must follow. */
int making_open(making *of, session *run, const request *asked);
void making_close(making *of);

/* Two frames, as in "12,30". With `part` one of them may be left out, as in "12,": given[i] says which are there. */
int read_pair(session *run, const request *asked, option_key key, bool part, int64_t *frames,
              bool *given);

/* --stretch: 0 stands for the default in the definition, and for none on the command line. */
int read_stretch(session *run, const request *asked, marey_clean_def *def);

/* "cm2"; "" for none. */
const char *making_unit(const making *of);
/* "31.4 cm2, root 5.6 cm" */
void buffer_cost(buffer *out, const marey_metric_def *metric, double cost);

/* Notes every clip as a source, unless sources were noted before, and the settings. */
marey_status making_note(making *of, const request *settings, marey_error *error);

/* Ends the command with an error: what was put together for the answer is dropped. */
int making_fail(making *of, const marey_error *error);

/* Ends the command: writes the clip if there is a target, and sends what is in run->out before "path", "frames" and so
   on. The clip must have been noted. */
int making_finish(making *of, const marey_clip *clip, const marey_contacts *contacts);

#endif
