/* weight_model.h - a guess at a function of a few numbers from the places where it is known, and
   where it pays to try next. Read by weight_search.c. */
#ifndef MRY_WEIGHT_MODEL_H
#define MRY_WEIGHT_MODEL_H

enum { MRY_MODEL_ROOM = 64, MRY_MODEL_DIMS = 3 };

typedef struct mry_model {
    int dims, count;
    double place[MRY_MODEL_ROOM][MRY_MODEL_DIMS];
    double value[MRY_MODEL_ROOM];
    int best; /* number of the least value */

    double mean, spread; /* of the values */
    double reach, rough; /* how far a value tells of its neighbours; share of it that is noise */
    double scale;        /* variance of the function, values taken in `spread` */
    double root[MRY_MODEL_ROOM][MRY_MODEL_ROOM]; /* Cholesky's of the places' covariances */
    double pull[MRY_MODEL_ROOM];
} mry_model;

void mry_model_add(mry_model *model, const double *place, double value);

/* Once there are values, after the last one was added. Time is the cube of their number. */
void mry_model_fit(mry_model *model);

/* How much less than the least value the function is expected to be there, taking all chances
   together. */
double mry_model_promise(const mry_model *model, const double *place);

#endif
