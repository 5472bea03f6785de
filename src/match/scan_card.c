/* scan_card.c - where alignments of a query may end, by the graphics card: bounds of all blocks of a shelf
   and their sums, as scan_bounds.c has them, in one go. The processor then looks at the blocks before
   these ends only.

   It finds the same. The card's products and roots are rounded elsewhere, so every bound is taken lower
   than any rounding of the processor's is: sizes count for less by what both may be off, roots
   by twice what the processor's are, and what sums may come to is a little more. So what the
   processor would have kept ends where the card says that something may, and all bounds hold. */
#include "match/query_scan.h"

#include "card/card_hold.h"

/* Of S and S': the processor's share, and twice what products of the card and of the processor are off. */
static const float KEEP = 1 - 4 * MRY_SCAN_ROUNDING;
/* Roots of the processor's kernels are off by less than half of this. */
static const float OFF = 1 - 2e-4f;
static const float SUMS = 1 + 1e-5f;

/* Number `at` of a row, of those that a panel of the first kind keeps: 0 x, 1 z, 3 height. */
static float first_number(const float *panels, int k, int mr, int row, int kind, int at)
{
    return panels[(size_t)(row / mr) * 4 * (size_t)(k * mr) + (size_t)(kind * k * mr) +
                  (size_t)(at * mr + row % mr)];
}

/* Numbers of all rows as the card has them: x of all codes, z of all, heights. */
static void copy_rows(const mry_scan_query *q, float *numbers, float *sizes)
{
    static const int kinds[] = { 0, 1, 3 };
    for (int i = 0; i < q->rows; i++) {
        for (int n = 0; n < MRY_CARD_CODE_NUMBERS; n++)
            *numbers++ = first_number(q->codes, MRY_CARD_CODES, q->kernel->mr, i,
                                      kinds[n / MRY_CARD_CODES], n % MRY_CARD_CODES);
        sizes[i] = q->frames.sizes[i] * KEEP;
    }
}

static void copy_basis(const mry_scan_query *q, float *basis)
{
    static const int kinds[] = { 0, 1, 3 };
    int products = mry_pose_products(q->points);
    for (int i = 0; i < products; i++) {
        for (int n = 0; n < MRY_CARD_CODE_NUMBERS; n++)
            *basis++ = first_number(q->basis, products, q->kernel->mr, n % MRY_CARD_CODES,
                                    kinds[n / MRY_CARD_CODES], i);
    }
}

/* Puts the shelf there if it is not there yet. */
static bool hold_shelf(marey_ctx *ctx, const mry_scan_shelf *shelf, int64_t cells,
                       mry_scan_card *card)
{
    mry_card_hold *hold = card->refused ? NULL : mry_card_for(ctx, cells);
    if (!hold) return false;
    if (card->shelf && card->hold == hold) return true;
    mry_card_shelf_def def = { .blocks = shelf->blocks,
                               .points = shelf->points,
                               .wide = shelf->kernel->nr,
                               .tiles = shelf->tiles,
                               .units = shelf->units };
    card->hold = hold;
    card->refused = !mry_card_did(hold, hold->module->put_shelf(hold->card, &def, &card->shelf));
    return !card->refused;
}

const uint32_t *mry_scan_card_ends(mry_arena *mem, const mry_scan_query *query,
                                   const mry_scan_shelf *shelf, float cutoff, mry_scan_card *card)
{
    if (shelf->blocks < 1 ||
        !hold_shelf(mem->ctx, shelf, (int64_t)query->rows * shelf->blocks, card))
        return NULL;
    mry_arena tmp = mry_arena_make(mem->ctx);
    size_t codes = (size_t)query->rows * MRY_CARD_CODE_NUMBERS;
    size_t products = (size_t)mry_pose_products(shelf->points);
    float *numbers = MRY_NEW_RAW(&tmp, float, codes + (size_t)query->rows);
    float *basis = MRY_NEW_RAW(&tmp, float, products *MRY_CARD_CODE_NUMBERS);
    uint32_t *ends = MRY_NEW_RAW(mem, uint32_t, (size_t)(shelf->blocks - 1) / 32 + 1);
    bool found = numbers && basis && ends;
    if (found) {
        copy_rows(query, numbers, numbers + codes);
        copy_basis(query, basis);
        mry_card_query asked = { .rows = query->rows,
                                 .numbers = numbers,
                                 .size = numbers + codes,
                                 .basis = basis,
                                 .weights = query->weights,
                                 .place = MRY_SCAN_PLACE_CM,
                                 .speed = MRY_SCAN_SPEED_CM,
                                 .radius = MRY_SCAN_RADIUS_CM,
                                 .rounding = MRY_SCAN_ROUNDING,
                                 .keep = KEEP,
                                 .off = OFF,
                                 .limit = mry_scan_most(query, cutoff) * SUMS,
                                 .ends = ends };
        found = mry_card_did(card->hold,
                             card->hold->module->ends(card->hold->card, card->shelf, &asked));
    }
    mry_arena_free(&tmp);
    return found ? ends : NULL;
}

void mry_scan_card_drop(mry_scan_card *card)
{
    if (card->shelf) card->hold->module->drop_shelf(card->hold->card, card->shelf);
    *card = (mry_scan_card){ 0 };
}
