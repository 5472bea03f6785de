/* card_plain.h - stands in for a graphics card on machines without one: slow, and the judge of the
   others. Read by tests of cards and by bench_card. */
#ifndef CARD_PLAIN_H
#define CARD_PLAIN_H

#include "card/card.h"

/* Distances of the one that is off differ by up to the job's slack, some this way and some that,
   which is more than any card does. */
extern const mry_card_module mry_card_plain, mry_card_plain_off;

#endif
