/* body_mass.h - the centre of mass of a pose. Read by param. */
#ifndef MRY_BODY_MASS_H
#define MRY_BODY_MASS_H

#include <marey/motion.h>

/* From global positions (3 doubles a joint), by the shares that limbs have in the mass of a person;
   the mean of all joints where the skeleton lacks a limb. */
void mry_body_mass(const marey_skeleton *skeleton, const double *positions, double *out);

/* Adds the joints it needs, a byte each. */
void mry_body_mass_needs(const marey_skeleton *skeleton, uint8_t *joints);

#endif
