/* made_figures.h - how good a made clip is: how far its planted feet slide, before and after they were held, and how much
   faster than in the clips it was made of a joint gets. Read after clip_out.h. */
#ifndef MAREY_TOOL_MADE_FIGURES_H
#define MAREY_TOOL_MADE_FIGURES_H

#include "clip_out.h"

typedef struct made_figures {
    bool cleaned; /* otherwise the feet were left alone, and before and after are the same */
    int plants;
    double slide_before_cm, slide_after_cm; /* the largest drift of a plant */
    double slide_mean_cm;                   /* of all plants, after */
    double root_moved_cm, stretched;
    double
        jump_ratio; /* largest step of any joint over the largest in what it was made of, as speeds */
} made_figures;

/* What is not as it should be in a made clip: its name, how much it is, and from where on it is a fault. The limits are
   those of docs/blending.md, which the studio shows in red. */
typedef struct figure_fault {
    const char *kind; /* "jump", "slide", "root" */
    double value, limit;
} figure_fault;

enum { MOST_FIGURE_FAULTS = 3 };

/* How many there are. Feet that were left alone slide as they slide. */
int made_figures_faults(const made_figures *of, figure_fault *faults);

/* "faults":[{"kind","value","limit"},...] */
void json_figure_faults(json *to, const made_figures *of);

/* Of clips whose fastest joint gets so fast. Plants count that reach into frames [first, end): the rest of a clip may be as
   it was read. Warns of faults. */
marey_status made_figures_against(session *run, double fastest_cm_per_s, const marey_made *made,
                                  int first, int end, bool cleaned, made_figures *out,
                                  marey_error *error);

/* The same of a whole clip that stays in place. Under such a body the floor moves, and planted feet with it, so slides are
   those from before it was taken away; of feet that were left alone nothing is known. */
marey_status made_figures_in_place(session *run, double fastest_cm_per_s, const marey_made *made,
                                   bool cleaned, made_figures *out, marey_error *error);

/* The same where the ratio is known. */
marey_status made_figures_told(session *run, double jump_ratio, const marey_made *made, int first,
                               int end, bool cleaned, made_figures *out, marey_error *error);

/* "plants", "slide_before_cm", "slide_after_cm" and so on. */
void made_figures_json(const made_figures *of, json *to);

/* Two lines. */
void made_figures_text(const made_figures *of, buffer *out);

/* The rest for all commands that make clips. */

/* --stretch: 0 stands for the default in the definition, and for none on the command line. */
int read_stretch(session *run, const request *asked, marey_clean_def *def);

/* The plants of a clip, as "key":[{"joint","start","end"},...], frames counted from `first`. */
void json_plants(json *to, const char *key, const marey_contact *items, int count, int first);

/* marey_clip_quality, with an error that says what its status means. */
marey_status measure_quality(const marey_clip *clip, const marey_contact *items, int count,
                             marey_quality *out, marey_error *error);

#endif
