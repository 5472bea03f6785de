/* units.c - the table of known units of length. Only these are ever guessed: a free scale would make
   any skeleton human-sized and hide that a file is odd. */
#include "motion/units.h"

#include <assert.h>

typedef struct unit {
    const char *name;
    const char *phrase;
    double cm;
} unit;

static const unit table[MAREY_UNITS_COUNT] = {
    [MAREY_UNITS_GUESS] = { "", "not known", 1 },
    [MAREY_UNITS_MM] = { "mm", "a millimetre", 0.1 },
    [MAREY_UNITS_CM] = { "cm", "a centimetre", 1 },
    [MAREY_UNITS_M] = { "m", "a metre", 100 },
    [MAREY_UNITS_INCH] = { "inch", "an inch", 2.54 },
    [MAREY_UNITS_FOOT] = { "foot", "a foot", 30.48 },
    [MAREY_UNITS_CMU] = { "cmu", "1/0.45 inch", 2.54 / 0.45 },
    [MAREY_UNITS_RAW] = { "raw", "left as it is", 1 },
};

static const unit *row(marey_units units)
{
    assert(units >= 0 && units < MAREY_UNITS_COUNT);
    return &table[units];
}

const char *marey_units_name(marey_units units)
{
    return row(units)->name;
}

double marey_units_cm(marey_units units)
{
    return row(units)->cm;
}

const char *mry_units_phrase(marey_units units)
{
    return row(units)->phrase;
}
