/* units.h - what the table of known units says beyond their names. Read by the import steps. */
#ifndef MRY_UNITS_H
#define MRY_UNITS_H

#include <marey/motion.h>

/* "an inch", as in "one unit is an inch"; lives forever. */
const char *mry_units_phrase(marey_units units);

#endif
