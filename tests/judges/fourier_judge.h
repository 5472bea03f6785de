/* fourier_judge.h - the correlation of curvatures (Guan & Yang, eq. 3.5) by way of the Fourier
   domain, as their section 5 suggests: the same numbers by another way of computing. */
#ifndef MAREY_TEST_FOURIER_JUDGE_H
#define MAREY_TEST_FOURIER_JUDGE_H

#include "feature/feature_data.h"

/* Covariances of the mask around `row` of a with the masks of all rows of b. */
void fourier_covariances(const marey_features *a, int row, const marey_features *b, double *out);

#endif
