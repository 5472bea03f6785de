/* web_lab.h - what the experiments on searching share: clips of a set with the webs of all pairs,
   the truth that was marked by looking, searches and how they are judged, drawings. An experiment
   that cannot go on says why and ends the program: there is no caller to hand a status to. */
#ifndef MAREY_EXPERIMENTS_WEB_LAB_H
#define MAREY_EXPERIMENTS_WEB_LAB_H

#include <marey/marey.h>

#include <stdio.h>

enum { MOST_CLIPS = 64, MOST_CATEGORIES = 8 };

/* Ends the program if status is not MAREY_OK. */
void web_must(marey_status status, const marey_error *error);
/* Zeroed room; ends the program without it. Free() it. */
void *web_room(size_t bytes);
double web_seconds(void);
/* Of all threads together: what the work itself took, on a machine that does other things as
   well. */
double web_cpu_seconds(void);

/* ---- a set of clips -------------------------------------------------------------------------- */

typedef struct web_set {
    marey_ctx *ctx;
    const char *mocap;  /* folder of the real clips */
    const char *folder; /* for pictures */
    int count;
    int64_t rows; /* of all clips */
    char *names[MOST_CLIPS];
    marey_clip *clips[MOST_CLIPS];
    marey_features *features[MOST_CLIPS];
    int category[MOST_CLIPS];
    int categories;
    char *category_names[MOST_CATEGORIES];
    marey_layout *layout;
    marey_web *webs[MOST_CLIPS][MOST_CLIPS]; /* a <= b */
} web_set;

/* A clip of the set from a file, in a category (made if it is new). */
void set_add(web_set *set, const char *file, const char *name, const char *category);
/* The clips of a set of sets/cmu_sets.txt, with its categories. */
void set_read(web_set *set, const char *which);
/* Everybody as tall as the first. Before features are made. */
void set_resize(web_set *set);
/* Features of all clips at 60 frames a second, of points; joint weights NULL: every joint alike. A
   row is every so many frames of the clip: frame = row * per_row. */
void set_features(web_set *set, const marey_joint_weights *joints);
void set_free(web_set *set);

int set_find(const web_set *set, const char *name); /* -1: none */
int set_frames_per_row(const web_set *set, int clip);

typedef struct web_cost {
    double cpu_s;  /* of all threads */
    double wall_s; /* that passed */
    int pairs;
    int64_t cells; /* pairs of frames */
    int64_t chains, bridges, path_cells;
    int64_t bytes; /* as they are kept */
    int64_t raw;   /* as the paper counts: place and value of every cell, 8 bytes */
} web_cost;

/* Webs of all pairs, or of those of one category (others, if there are any, stay); category -1:
   all. They replace the ones that are there. */
web_cost set_build(web_set *set, int category, const marey_web_def *def);
/* For searching it; borrows the set. */
marey_webs set_webs(const web_set *set);

/* ---- the truth ------------------------------------------------------------------------------- */

typedef struct truth_segment { /* in rows */
    char label[24], side[12], kind[40];
    bool doubtful; /* neither right nor wrong if it is found */
    marey_segment at;
    int strike_count; /* of walking and running: where feet come down */
    int *strikes;
} truth_segment;

typedef struct truth {
    int count;
    truth_segment *segments;
} truth;

truth truth_read(const web_set *set, const char *path);
void truth_free(truth *of);

/* What a query looks for. */
typedef struct wanted {
    const char *label, *side; /* side "": any */
    const char *kind; /* manner: others of the label are then neither right nor wrong; NULL: any */
    const uint8_t *allowed; /* a byte a clip; NULL: all */
} wanted;

/* Found against wanted. A match is right if it and an occurrence overlap by half of the shorter
   (webs, eq. 6.1). */
typedef struct verdict {
    int right, wrong, neutral; /* matches */
    int met, all;              /* occurrences; of walking and running: steps */
    bool ordered;              /* all were met before the first wrong one came, by path distance */
    int lead;                  /* right ones before the first wrong one */
} verdict;

double segments_overlap(marey_segment a, marey_segment b);
verdict judge_found(const web_set *set, const truth *of, const wanted *what,
                    const marey_found *found, int count);
bool verdict_is_exact(const verdict *v);
double verdict_precision(const verdict *v);
double verdict_recall(const verdict *v);
double verdict_f1(const verdict *v);

/* ---- queries --------------------------------------------------------------------------------- */

enum { MOST_TRIED = 8 };

typedef struct query_kind {
    const char *name; /* as the paper calls it */
    const char *label, *side, *category;
    const char *manner; /* NULL: any */
} query_kind;

/* The paper's ten, by sides; and those of which there is more than one manner. */
extern const query_kind web_kinds[], web_manners[];
extern const int web_kind_count, web_manner_count;

/* Up to MOST_TRIED marked occurrences, evenly spread over all there are. */
int web_queries(const truth *of, const query_kind *kind, marey_segment *out);

/* ---- thresholds ------------------------------------------------------------------------------ */

/* Searches with thresholds from 1 cm2 to the ceiling, each `step` times the one before. */
typedef struct sweep {
    verdict best;       /* by F1; of equal ones the first */
    double best_at;     /* its threshold */
    double first, last; /* thresholds that are exact; 0: none */
    double best_s;      /* how long the search with the best threshold took */
    int best_tiers, best_matches;
    verdict ordered;   /* the first threshold at which all come before the first wrong one ... */
    double ordered_at; /* ... 0: none */
} sweep;

/* `how` is how to search, but for threshold, limit and clips. */
typedef struct sweeping {
    marey_search_def how;
    double step; /* 0: 1.25 */
} sweeping;

sweep sweep_thresholds(const web_set *set, const truth *of, const wanted *what, marey_segment query,
                       const sweeping *with);

/* ---- the experiments: each prints its tables ------------------------------------------------- */

void experiment_default(const web_set *set, const truth *of); /* what a user gets by default */
void experiment_costs(web_set *set);                          /* 6.2.4.1; leaves the whole web */
void experiment_queries(const web_set *set, const truth *of); /* 6.2.4.2 */
void experiment_sizes(const web_set *set, const truth *of);   /* the same, everybody of one size */
/* Kinds that the default settings do not find exactly, with what a person could choose for them. */
void experiment_cycles(const web_set *set, const truth *of);   /* walk and run: more overlap */
void experiment_legs(const web_set *set, const truth *of);     /* a set with weights on the legs */
void experiment_coverage(const web_set *set, const truth *of); /* what webs have of what is alike */
void experiment_reaching(const web_set *set, const truth *of); /* 6.2.4.3, figure 6.13 */
void experiment_labels(const web_set *like);                   /* mocap6 */
void experiment_pictures(const web_set *set, const truth *of); /* figures 6.3 to 6.10 */
void draw_match_graph(const web_set *set, const truth *of);    /* figure 6.10 */

/* Which occurrence of a kind is asked for in pictures and single searches: the nth that is not
   doubtful. */
const truth_segment *truth_pick(const truth *of, const char *label, const char *side,
                                const char *clip, const web_set *set, int nth);

#endif
