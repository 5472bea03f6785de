/* web_chain.c - rows of the grid as they come, which of their cells are minima, and their
   chains (webs, 6.2.2). The rules are in web_data.h, the order of the stages in web_work.h. */
#include "match/web_work.h"

#include "base/grow.h"
#include "grid/points_grid.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_BLOCKS = 8 }; /* filled at once; more would take memory without end on large machines */

static int whole_blocks(int rows)
{
    return (rows + MRY_ROWS_BLOCK - 1) / MRY_ROWS_BLOCK * MRY_ROWS_BLOCK;
}

static void blank(float *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) cells[i] = INFINITY;
}

bool mry_ring_make(mry_web_work *work, int slab)
{
    mry_web_ring *ring = &work->ring;
    const mry_web_plan *plan = &work->plan;
    int threads = marey_ctx_threads(work->ctx);
    if (slab <= 0) slab = MRY_ROWS_BLOCK * (threads < MOST_BLOCKS ? threads : MOST_BLOCKS);
    ring->slab = whole_blocks(slab);
    /* Rows behind `filled` that something still looks at; see web_work.h. */
    int held =
        3 * plan->reach + (plan->tail > 0 ? plan->reach : 0) + MRY_WEB_PIECE + plan->shortest + 2;
    int room = whole_blocks(held + ring->slab), all = whole_blocks(plan->rows);
    ring->room = room < all ? room : all;
    ring->words = ((size_t)plan->cols + 63) / 64;
    ring->stride = MRY_RING_MARGIN + ring->words * 64 + 16;
    size_t bits = (size_t)ring->room * ring->words;
    float *cells = MRY_NEW_RAW(&work->mem, float, (size_t)ring->room * ring->stride);
    ring->none = MRY_NEW_RAW(&work->mem, float, ring->stride);
    ring->least_in_row = MRY_NEW(&work->mem, uint64_t, bits);
    ring->least_in_col = MRY_NEW(&work->mem, uint64_t, bits);
    ring->valid = MRY_NEW(&work->mem, uint64_t, bits);
    ring->lists = MRY_NEW(&work->mem, mry_web_list, ring->room);
    if (!plan->chains_only) {
        ring->turned = MRY_NEW_RAW(&work->mem, float, bits * 64);
        ring->turned_valid = MRY_NEW_RAW(&work->mem, uint64_t, bits);
        if (!ring->turned || !ring->turned_valid) return false;
    }
    if (!cells || !ring->none || !ring->least_in_row || !ring->least_in_col || !ring->valid ||
        !ring->lists) {
        return false;
    }
    blank(cells, (size_t)ring->room * ring->stride);
    blank(ring->none, ring->stride);
    ring->cells = cells + MRY_RING_MARGIN;
    ring->none += MRY_RING_MARGIN;
    return true;
}

void mry_ring_free(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    for (int i = 0; ring->lists && i < ring->room; i++) {
        mry_web_list *list = &ring->lists[i];
        mry_release(work->ctx, list->items, (size_t)list->room * sizeof *list->items);
    }
}

/* ---- filling --------------------------------------------------------------------------------- */

static void fill_block(void *user, int64_t block)
{
    mry_web_work *work = user;
    mry_web_ring *ring = &work->ring;
    const mry_web_source *source = &work->source;
    int first = ring->filled + (int)block * MRY_ROWS_BLOCK, end = first + MRY_ROWS_BLOCK;
    if (end > work->plan.rows) end = work->plan.rows;
    if (work->failed || mry_cancelled(work->ctx)) return;
    if (!source->fill(source->user, first, end, mry_ring_row(ring, first), ring->stride)) {
        work->failed = true;
        return;
    }
    for (int row = first; row < end; row++) {
        float *cells = mry_ring_row(ring, row);
        if (source->marked_rows && source->marked_rows[row]) blank(cells, (size_t)work->plan.cols);
        for (int j = 0; source->marked_cols && j < work->plan.cols; j++) {
            if (source->marked_cols[j]) cells[j] = INFINITY;
        }
        memset(mry_ring_bits(ring, ring->valid, row), 0, ring->words * sizeof(uint64_t));
        ring->lists[row % ring->room].count = 0;
    }
    if (!work->plan.chains_only) mry_valid_turn(work, first, end);
}

bool mry_ring_fill(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    int end =
        work->plan.rows - ring->filled < ring->slab ? work->plan.rows : ring->filled + ring->slab;
    marey_ctx_run(work->ctx, (end - ring->filled + MRY_ROWS_BLOCK - 1) / MRY_ROWS_BLOCK, fill_block,
                  work);
    ring->filled = end;
    return !work->failed;
}

/* ---- flagging -------------------------------------------------------------------------------- */

enum { FLAG_ROWS = 32 };

/* Bits of columns [0, end). */
static void clear_to(uint64_t *bits, int end)
{
    memset(bits, 0, (size_t)(end / 64) * sizeof *bits);
    if (end % 64) bits[end / 64] &= UINT64_MAX << (end % 64);
}

static void flag_rows(void *user, int64_t part)
{
    mry_web_work *work = user;
    mry_web_ring *ring = &work->ring;
    int rows = work->plan.rows, cols = work->plan.cols;
    int ready = ring->filled == rows ? rows : ring->filled - 1;
    int first = ring->flagged + (int)part * FLAG_ROWS, end = first + FLAG_ROWS;
    const mry_kernel *kernel = mry_kernel_best();
    for (int row = first; row < end && row < ready; row++) {
        uint64_t *across = mry_ring_bits(ring, ring->least_in_row, row);
        uint64_t *down = mry_ring_bits(ring, ring->least_in_col, row);
        kernel->minima(row > 0 ? mry_ring_row(ring, row - 1) : ring->none, mry_ring_row(ring, row),
                       row + 1 < rows ? mry_ring_row(ring, row + 1) : ring->none, cols,
                       work->plan.ceiling, across, down);
        if (!work->plan.self) continue;
        clear_to(across, row + 1 < cols ? row + 1 : cols);
        clear_to(down, row + 1 < cols ? row + 1 : cols);
    }
}

void mry_ring_flag(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    int ready = ring->filled == work->plan.rows ? ring->filled : ring->filled - 1;
    marey_ctx_run(work->ctx, (ready - ring->flagged + FLAG_ROWS - 1) / FLAG_ROWS, flag_rows, work);
    ring->flagged = ready;
}

/* ---- chains of minima ------------------------------------------------------------------------ */

/* When a row is looked at, everything that can have one of its cells for a successor has been: the
   row before it, and the cell to the left. So each cell in a chain claims its successor, the better
   claim stays, and a cell that is reached takes the claim that is left. */

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

static bool wait_for_bridges(mry_web_work *work, mry_web_piece *piece)
{
    mry_web_links *links = &work->links;
    if (work->plan.chains_only) return true;
    if (!mry_grow(work->ctx, &links->waiting, &links->waiting_room, links->waiting_count + 1,
                  sizeof(mry_web_piece *))) {
        return false;
    }
    links->waiting[links->waiting_count++] = piece;
    return true;
}

static bool add_cell(mry_web_work *work, int number, int row, int col, float cost)
{
    mry_web_chain *chain = &work->links.chains[number];
    mry_web_piece *piece = chain->last;
    if (!piece || piece->count == MRY_WEB_PIECE) {
        piece = work->links.unused;
        if (piece)
            work->links.unused = piece->next;
        else
            piece = mry_alloc(work->ctx, sizeof *piece);
        if (!piece) return false;
        piece->next = NULL;
        piece->count = 0;
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
    if (!mry_grow(work->ctx, &list->items, &list->room, list->count + 1, sizeof *list->items)) {
        return false;
    }
    list->items[list->count++] = (mry_web_entry){ col, number, chain->count++ };
    /* Pieces that became full, once it is sure that their chain stays. */
    int shortest = work->plan.shortest;
    if (chain->count < shortest) return true;
    piece = chain->count == shortest ? chain->first : chain->last;
    for (; piece && piece->count == MRY_WEB_PIECE; piece = piece->next) {
        if (!wait_for_bridges(work, piece)) return false;
    }
    return true;
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

typedef struct around { /* the row in hand */
    int row;
    const float *cells, *next_cells;
    const uint64_t *across, *down, *next_across, *next_down; /* next: NULL behind the last row */
} around;

static bool is_least(const uint64_t *across, const uint64_t *down, int col)
{
    return across && (mry_bit(across, col) || mry_bit(down, col));
}

/* The step to the successor of a chain's last cell; -1: it has none. */
static int choose(const mry_web_plan *plan, const mry_web_chain *chain, const around *at, int col)
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

static bool link_cell(mry_web_work *work, const around *at, int col)
{
    mry_web_links *links = &work->links;
    mry_web_claim *mine = &links->now[col];
    int number = mine->chain;
    if (number >= 0) {
        mry_web_chain *chain = &links->chains[number];
        bool across = mine->step == MRY_STEP_ACROSS, down = mine->step == MRY_STEP_DOWN;
        chain->run_across = (int8_t)(across ? chain->run_across + 1 : 0);
        chain->run_down = (int8_t)(down ? chain->run_down + 1 : 0);
        mine->chain = -1;
    } else {
        if (mry_bit(links->went, col)) return true;
        if (col > 0 && (mry_bit(links->went, col - 1) || mry_bit(links->goes, col - 1)))
            return true;
        if (!mry_grow(work->ctx, &links->chains, &links->room, links->count + 1,
                      sizeof(mry_web_chain))) {
            return false;
        }
        number = links->count++;
        links->chains[number] = (mry_web_chain){ 0 };
    }
    if (!add_cell(work, number, at->row, col, at->cells[col])) return false;
    int step = choose(&work->plan, &links->chains[number], at, col);
    if (step < 0) return end_chain(work, number);
    links->goes[col >> 6] |= UINT64_C(1) << (col & 63);
    mry_web_claim own = { number, at->cells[col], (int8_t)step };
    mry_web_claim *to = step == MRY_STEP_ACROSS ? &links->now[col + 1]
                        : step == MRY_STEP_DOWN ? &links->next[col]
                                                : &links->next[col + 1];
    /* Diagonal claims are the best; then the lesser cell's; then that of the row before, which came
       first. */
    bool diagonal = own.step == MRY_STEP_DIAGONAL, other = to->step == MRY_STEP_DIAGONAL;
    bool better = diagonal != other ? diagonal : own.value < to->value;
    if (to->chain >= 0 && !better) return end_chain(work, own.chain);
    int loser = to->chain;
    *to = own;
    return loser < 0 || end_chain(work, loser);
}

bool mry_links_rows(mry_web_work *work)
{
    mry_web_ring *ring = &work->ring;
    mry_web_links *links = &work->links;
    int end = ring->flagged == work->plan.rows ? ring->flagged : ring->flagged - 1;
    for (; ring->linked < end; ring->linked++) {
        int row = ring->linked;
        around at = { .row = row,
                      .cells = mry_ring_row(ring, row),
                      .across = mry_ring_bits(ring, ring->least_in_row, row),
                      .down = mry_ring_bits(ring, ring->least_in_col, row) };
        if (row + 1 < work->plan.rows) {
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
    }
    return true;
}
