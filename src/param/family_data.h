/* family_data.h - the inside of a family: examples, registered, and samples of what their blends
   do. Read by param.

   Values are numbers in their own units; `scale` makes distances of them (marey_family_build says
   how). Weights of samples are whole numbers of 1 / MRY_WEIGHT_PARTS and values whole numbers of
   value_step from value_base, from the moment they are found, so that keeping a family loses
   nothing. */
#ifndef MRY_FAMILY_DATA_H
#define MRY_FAMILY_DATA_H

#include "param/probe.h"

enum { MRY_WEIGHT_PARTS = 512, MRY_VALUE_PARTS = 8192 };

/* The most examples near a point that a sample mixes. */
enum { MRY_MOST_NEAR = MAREY_MOST_PARAM_DIMS + 1 };

struct marey_family {
    /* Everything below lives here, and so does the family itself; but not the registration. */
    mry_arena mem;
    marey_ctx *ctx;
    marey_registration *of; /* owned */
    int examples;
    marey_family_def def; /* every default filled in */
    marey_param *params;
    int dims, labels;     /* numbers; how many of the parameters are labels */
    double *label_values; /* examples x labels */
    char **dim_names;
    const char *dim_units[MAREY_MOST_PARAM_DIMS];
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS]; /* the grown box */
    double scale[MAREY_MOST_PARAM_DIMS];
    double value_base[MAREY_MOST_PARAM_DIMS], value_step[MAREY_MOST_PARAM_DIMS];
    double moments[MAREY_MOST_PARAMS]; /* u of each parameter's moment; NaN: none */
    int near;                          /* dims + 1, or all examples if there are fewer */
    int count;                         /* of samples, the examples first */
    double *values;                    /* count x dims */
    int *used;                         /* of each sample, how many motions it has */
    int *motions;                      /* count x near */
    double *weights;                   /* count x near */
};

/* ---- family.c */

/* Distance of two vectors of values. */
double mry_family_distance(const marey_family *family, const double *a, const double *b);

/* An empty family of so many examples with its definition resolved and copied; `registration`
   becomes its own. */
marey_status mry_family_make_empty(marey_ctx *ctx, marey_registration *registration,
                                   const marey_family_def *def, marey_family **out,
                                   marey_error *error);

/* Opens a probe that looks at this family's parameters, at its moments. */
marey_status mry_family_probe(marey_ctx *ctx, const marey_family *family, mry_probe *probe,
                              marey_error *error);

/* Values of a blend, labels included. false: out of memory. */
bool mry_family_look(const marey_family *family, mry_probe *probe, const int *motions,
                     const double *weights, int count, double *values);

/* Random valid weights of `count` motions (6.3.2), sum 1. */
void mry_random_weights(uint64_t *seed, double delta, int count, double *weights);

/* The `most` samples [0, among) nearest to a point, nearest first; distances as
   mry_family_distance. `allowed`: only those with a byte there; NULL: all. Returns how many. */
int mry_family_nearest(const marey_family *family, const double *at, int among,
                       const uint8_t *allowed, int most, int *samples, double *distances);

/* ---- family_refine.c */

/* Steps on the true function. The probe is this family's. false: out of memory. */
bool mry_family_refine(const marey_family *family, mry_probe *probe, const double *wanted,
                       const marey_ask_def *def, marey_answer *answer);

/* The best that the examples with a byte in `allowed` can do for what is wanted, whatever the
   samples say. */
bool mry_family_reproduce(const marey_family *family, mry_probe *probe, const double *wanted,
                          const uint8_t *allowed, const marey_ask_def *def, marey_answer *out);

/* ---- family_ask.c */

marey_ask_def mry_ask_resolve(const marey_ask_def *given); /* every default filled in */

/* The table's answer, refined as `def` (resolved) says. false: out of memory. */
bool mry_family_answer(const marey_family *family, mry_probe *probe, const double *wanted,
                       const marey_ask_def *def, marey_answer *out);

#endif
