/* web_link.c - chains of minima, row after row (webs, 6.2.2). The rules are in web_data.h.

   When a row is looked at, everything that can have one of its cells for a successor has been: the row before it, and the
   cell to the left. So each cell in a chain claims its successor, the better claim stays, and a cell that is reached takes
   the claim that is left. */
#include "match/web_work.h"

#include <string.h>

bool mry_links_make(mry_web_work *work)
{
    mry_web_links *links = &work->links;
    size_t cols = (size_t)work->plan.cols, words = work->ring.words;
    links->now = MRY_NEW(&work->mem, mry_web_claim, cols + 1);
    links->next = MRY_NEW(&work->mem, mry_web_claim, cols + 1);
    links->goes = MRY_NEW(&work->mem, uint64_t, words + 1);
    links->went = MRY_NEW(&work->mem, uint64_t, words + 1);
    if (!links->now || !links->next || !links->goes || !links->went) return false;
    for (size_t j = 0; j <= cols; j++) links->now[j].chain = links->next[j].chain = -1;
    return true;
}

static void free_pieces(marey_ctx *ctx, mry_web_piece *piece)
{
    while (piece) {
        mry_web_piece *next = piece->next;
        mry_release(ctx, piece, sizeof *piece);
        piece = next;
    }
}

void mry_links_free(mry_web_work *work)
{
    mry_web_links *links = &work->links;
    for (int i = 0; i < links->count; i++) free_pieces(work->ctx, links->chains[i].first);
    free_pieces(work->ctx, links->unused);
    mry_release(work->ctx, links->chains, (size_t)links->room * sizeof *links->chains);
    mry_release(work->ctx, links->waiting, (size_t)links->waiting_room * sizeof *links->waiting);
}

/* ---- growing chains -------------------------------------------------------------------------------- */

/* Makes room for one more in an array that doubles. False: no memory. */
static bool grow(marey_ctx *ctx, void **items, int count, int *room, size_t size)
{
    if (count < *room) return true;
    int more = *room ? 2 * *room : 256;
    void *grown = mry_resize(ctx, *items, (size_t)*room * size, (size_t)more * size);
    if (!grown) return false;
    *items = grown;
    *room = more;
    return true;
}

static bool wait_for_bridges(mry_web_work *work, mry_web_piece *piece)
{
    mry_web_links *links = &work->links;
    if (work->plan.chains_only) return true;
    if (!grow(work->ctx, (void **)&links->waiting, links->waiting_count, &links->waiting_room,
              sizeof(mry_web_piece *))) {
        return false;
    }
    links->waiting[links->waiting_count++] = piece;
    return true;
}

static mry_web_piece *new_piece(mry_web_work *work)
{
    mry_web_links *links = &work->links;
    mry_web_piece *piece = links->unused;
    if (piece) {
        links->unused = piece->next;
    } else {
        piece = mry_alloc(work->ctx, sizeof *piece);
        if (!piece) return NULL;
    }
    piece->next = NULL;
    piece->count = 0;
    return piece;
}

static int new_chain(mry_web_work *work)
{
    mry_web_links *links = &work->links;
    if (!grow(work->ctx, (void **)&links->chains, links->count, &links->room,
              sizeof(mry_web_chain))) {
        return -1;
    }
    links->chains[links->count] = (mry_web_chain){ 0 };
    return links->count++;
}

/* Pieces that became full, once it is sure that their chain stays. */
static bool queue_pieces(mry_web_work *work, mry_web_chain *chain)
{
    int shortest = work->plan.shortest;
    if (chain->count < shortest) return true;
    mry_web_piece *piece = chain->count == shortest ? chain->first : chain->last;
    for (; piece && piece->count == MRY_WEB_PIECE; piece = piece->next) {
        if (!wait_for_bridges(work, piece)) return false;
    }
    return true;
}

static bool add_cell(mry_web_work *work, int number, int row, int col, float cost)
{
    mry_web_chain *chain = &work->links.chains[number];
    mry_web_piece *piece = chain->last;
    if (!piece || piece->count == MRY_WEB_PIECE) {
        piece = new_piece(work);
        if (!piece) return false;
        piece->chain = number;
        piece->first = chain->count;
        if (chain->last)
            chain->last->next = piece;
        else
            chain->first = piece;
        chain->last = piece;
    }
    piece->cells[piece->count] = (marey_cell){ row, col };
    piece->costs[piece->count++] = cost;
    mry_web_list *list = &work->ring.lists[row % work->ring.room];
    if (!grow(work->ctx, (void **)&list->items, list->count, &list->room, sizeof *list->items)) {
        return false;
    }
    list->items[list->count++] = (mry_web_entry){ col, number, chain->count++ };
    return queue_pieces(work, chain);
}

/* No cell follows. A chain that is too short gives back what it took. */
static bool end_chain(mry_web_work *work, int number)
{
    mry_web_links *links = &work->links;
    mry_web_chain *chain = &links->chains[number];
    if (chain->count >= work->plan.shortest) {
        return chain->last->count == MRY_WEB_PIECE || wait_for_bridges(work, chain->last);
    }
    chain->last->next = links->unused;
    links->unused = chain->first;
    *chain = (mry_web_chain){ 0 };
    return true;
}

/* ---- successors ------------------------------------------------------------------------------------ */

typedef struct rows { /* around the row in hand */
    int row;
    const float *cells, *next_cells;
    const uint64_t *across, *down, *next_across, *next_down; /* next: NULL behind the last row */
} rows;

static bool is_least(const uint64_t *across, const uint64_t *down, int col)
{
    return across && (mry_bit(across, col) || mry_bit(down, col));
}

/* The step to the successor of a chain's last cell; -1: it has none. */
static int choose(const mry_web_plan *plan, const mry_web_chain *chain, const rows *at, int col)
{
    bool more = col + 1 < plan->cols;
    if (more && is_least(at->next_across, at->next_down, col + 1)) return MRY_STEP_DIAGONAL;
    bool across =
        more && chain->run_across < plan->slope && is_least(at->across, at->down, col + 1);
    bool down = chain->run_down < plan->slope && is_least(at->next_across, at->next_down, col);
    if (across && down) {
        return at->next_cells[col] < at->cells[col + 1] ? MRY_STEP_DOWN : MRY_STEP_ACROSS;
    }
    return across ? MRY_STEP_ACROSS : down ? MRY_STEP_DOWN : -1;
}

/* Diagonal claims are the best; then the lesser cell's; then that of the row before, which came first. */
static bool is_better(const mry_web_claim *a, const mry_web_claim *b)
{
    if (b->chain < 0) return true;
    bool diagonal = a->step == MRY_STEP_DIAGONAL, other = b->step == MRY_STEP_DIAGONAL;
    return diagonal != other ? diagonal : a->value < b->value;
}

static bool claim(mry_web_work *work, mry_web_claim *on, mry_web_claim by)
{
    if (!is_better(&by, on)) return end_chain(work, by.chain);
    int loser = on->chain;
    *on = by;
    return loser < 0 || end_chain(work, loser);
}

static void take_step(mry_web_chain *chain, int step)
{
    chain->run_across = (int8_t)(step == MRY_STEP_ACROSS ? chain->run_across + 1 : 0);
    chain->run_down = (int8_t)(step == MRY_STEP_DOWN ? chain->run_down + 1 : 0);
}

static bool link_cell(mry_web_work *work, const rows *at, int col)
{
    mry_web_links *links = &work->links;
    mry_web_claim *mine = &links->now[col];
    int number = mine->chain;
    if (number >= 0) {
        take_step(&links->chains[number], mine->step);
        mine->chain = -1;
    } else {
        if (mry_bit(links->went, col)) return true;
        if (col > 0 && (mry_bit(links->went, col - 1) || mry_bit(links->goes, col - 1)))
            return true;
        number = new_chain(work);
        if (number < 0) return false;
    }
    if (!add_cell(work, number, at->row, col, at->cells[col])) return false;
    int step = choose(&work->plan, &links->chains[number], at, col);
    if (step < 0) return end_chain(work, number);
    links->goes[col >> 6] |= UINT64_C(1) << (col & 63);
    mry_web_claim by = { number, at->cells[col], (int8_t)step };
    mry_web_claim *to = step == MRY_STEP_ACROSS ? &links->now[col + 1]
                        : step == MRY_STEP_DOWN ? &links->next[col]
                                                : &links->next[col + 1];
    return claim(work, to, by);
}

static bool link_row(mry_web_work *work, int row)
{
    mry_web_ring *ring = &work->ring;
    mry_web_links *links = &work->links;
    bool more = row + 1 < work->plan.rows;
    rows at = { .row = row,
                .cells = mry_ring_row(ring, row),
                .across = mry_ring_bits(ring, ring->least_in_row, row),
                .down = mry_ring_bits(ring, ring->least_in_col, row) };
    if (more) {
        at.next_cells = mry_ring_row(ring, row + 1);
        at.next_across = mry_ring_bits(ring, ring->least_in_row, row + 1);
        at.next_down = mry_ring_bits(ring, ring->least_in_col, row + 1);
    }
    memset(links->goes, 0, ring->words * sizeof *links->goes);
    for (size_t w = 0; w < ring->words; w++) {
        for (uint64_t left = at.across[w] | at.down[w]; left; left &= left - 1) {
            if (!link_cell(work, &at, (int)(w * 64) + __builtin_ctzll(left))) return false;
        }
    }
    uint64_t *goes = links->goes;
    links->goes = links->went;
    links->went = goes;
    mry_web_claim *now = links->now; /* all of its claims were taken */
    links->now = links->next;
    links->next = now;
    return true;
}

bool mry_links_rows(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    int to = ring->flagged == work->plan.rows ? ring->flagged : ring->flagged - 1;
    for (; ring->linked < to; ring->linked++) {
        if (!link_row(work, ring->linked)) return false;
    }
    return true;
}
