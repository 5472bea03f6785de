/* palette.h - colours for things that are many of a kind: clips, curves. Read after ink.h. */
#ifndef MRY_PALETTE_H
#define MRY_PALETTE_H

#include "picture/ink.h"

/* The first eight are told apart with every common kind of colour blindness (Okabe and Ito 2008), without the yellow, which is
   hard to see on white; further ones go round the wheel of colours. */
mry_colour mry_palette(int number);

#endif
