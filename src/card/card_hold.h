/* card_hold.h - the graphics card of a context: found when there is work enough for one, loaded by
   dlopen, given up when it fails. Read by grid and match.

   MAREY_CARD says which: `none`, `auto` (the default: libmarey_cuda.so beside the library, then
   where the system looks), or the file of a module, which is then opened at once. */
#ifndef MRY_CARD_HOLD_H
#define MRY_CARD_HOLD_H

#include "base/context.h"
#include "card/card.h"

/* Opening a card takes a part of a second, in which the processor compares as many frames as this. */
#define MRY_CARD_WORTH ((int64_t)1 << 30)
/* A call takes a tenth of a millisecond, in which the processor compares as many frames as this. */
#define MRY_CARD_LEAST ((int64_t)1 << 20)

typedef struct mry_card_hold {
    const mry_card_module *module; /* NULL: there is none */
    mry_card *card;
    void *loaded;     /* what dlopen gave */
    int64_t least;    /* cells of a pair of clips that are worth the way there and back */
    _Atomic int bits; /* whether it has the processor's: 0 not known, 1 yes, 2 no (points_card.c) */
    atomic_bool given_up;
    char text[256]; /* which card it is, or why there is none */
} mry_card_hold;

/* The card for work of so many cells; NULL: the processor does it. Safe from several threads. */
mry_card_hold *mry_card_for(marey_ctx *ctx, int64_t cells);

/* Takes a module that is linked in, instead of looking for one, for pairs of any size. False: it does
   not open. */
bool mry_card_take(marey_ctx *ctx, const mry_card_module *module);

/* After any result: true if the work was done. A card that failed is not asked again. */
bool mry_card_did(mry_card_hold *hold, mry_card_result result);

/* Which card there is, or why there is none. Borrowed until the context is closed. */
const char *mry_card_text(const marey_ctx *ctx);

#endif
