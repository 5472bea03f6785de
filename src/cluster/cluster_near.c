/* cluster_near.c - all pairs of frames that are within reach of each other, a few rows of their
   grid at a time.

   The grid of point clouds rules out most cells quickly, but its last digits depend on the
   machine's kernels; what it lets through is measured again the same way everywhere. Cells that are
   as far as the threshold, to rounding, are settled in double, so that the promise of a threshold
   holds exactly. */
#include "cluster/cluster_near.h"
#include "base/bytes.h"
#include "base/fail.h"
#include "base/grow.h"
#include "grid/grid_data.h"
#include "grid/points_bound.h"

#include <math.h>
#include <string.h>

/* ---- frames and their point clouds ---------------------------------------------------------- */

enum { AT_ONCE = 256 };

typedef struct cloud_work {
    mry_frames *frames;
    atomic_bool failed;
} cloud_work;

static void fill_clouds(void *user, int64_t i)
{
    cloud_work *w = user;
    mry_frames *f = w->frames;
    size_t n = (size_t)f->clouds.points;
    mry_arena tmp = mry_arena_make(f->clusters->ctx);
    double *at = MRY_NEW_RAW(&tmp, double, 3 * n);
    int from = (int)i * AT_ONCE, to = from + AT_ONCE < f->count ? from + AT_ONCE : f->count;
    if (!at) w->failed = true;
    for (int k = from; k < to && at; k++) {
        const marey_features *of = f->clusters->features[f->clip[k]];
        double size = 0;
        memset(at, 0, 3 * n * sizeof *at);
        mry_points_cloud(of->points, f->row[k], at, at + n, at + 2 * n);
        float *cloud = f->clouds.clouds + (size_t)k * 3 * n;
        for (size_t p = 0; p < 3 * n; p++) cloud[p] = (float)at[p];
        for (size_t p = 0; p < 2 * n; p++) size += (double)cloud[p] * cloud[p];
        f->clouds.size[k] = (float)size;
    }
    mry_arena_free(&tmp);
}

marey_status mry_frames_open(mry_frames *frames, const marey_clusters *clusters, marey_error *error)
{
    *frames = (mry_frames){ .clusters = clusters, .mem = mry_arena_make(clusters->ctx) };
    int all = clusters->first_row[clusters->clip_count];
    frames->number = MRY_NEW_RAW(&frames->mem, int, all);
    frames->clip = MRY_NEW_RAW(&frames->mem, int, all);
    frames->row = MRY_NEW_RAW(&frames->mem, int, all);
    bool made = frames->number && frames->clip && frames->row;
    for (int clip = 0; made && clip < clusters->clip_count; clip++) {
        const marey_features *of = clusters->features[clip];
        for (int r = 0; r < of->rows; r++) {
            bool marked = of->marked[r] != 0;
            frames->number[clusters->first_row[clip] + r] = marked ? -1 : frames->count;
            if (marked) continue;
            frames->clip[frames->count] = clip;
            frames->row[frames->count++] = r;
        }
    }
    const mry_points *points = clusters->features[0]->points;
    if (made && points) {
        mry_clouds *clouds = &frames->clouds;
        size_t numbers = (size_t)(points->joints * points->def->window + 3) / 4 * 4;
        clouds->nodes = frames->count;
        clouds->points = (int)numbers;
        clouds->clouds = MRY_NEW_RAW(&frames->mem, float, (size_t)frames->count * 3 * numbers);
        clouds->size = MRY_NEW_RAW(&frames->mem, float, frames->count);
        cloud_work w = { .frames = frames };
        made = clouds->clouds && clouds->size;
        int64_t jobs = (frames->count + AT_ONCE - 1) / AT_ONCE;
        if (made) marey_ctx_run(clusters->ctx, jobs, fill_clouds, &w);
        made = made && !w.failed;
    }
    if (made) return MAREY_OK;
    mry_frames_close(frames);
    return mry_fail_memory(error, NULL);
}

/* ---- rows of the grid ----------------------------------------------------------------------- */

enum {
    BLOCK = 48,     /* rows that are done together: a multiple of every kernel's mr */
    COLUMNS = 4096, /* of metrics without tiles */
    MOST_SLOTS = 64
};

/* What rounding can do to a distance of clouds and to one of the grid, as a share of their sizes;
   and to one of other metrics. */
#define CLOUD_ROUNDING 2e-6f
#define GRID_ROUNDING 8e-6f
#define ROUNDING 1e-4f

/* Some rows of one clip; each thread has its own. */
typedef struct slot {
    const mry_near_search *search;
    float slack;          /* the grid's cells may be off by so much */
    int clip, first, end; /* its rows */
    int with;             /* the clip of the columns */
    mry_near_row *rows;   /* room for those that are done together */
    /* Of each cluster; met is 0 between rows. */
    int *met;
    float *largest, *settled;
    int *touched; /* room for every cluster */
    marey_status status;
} slot;

static float most_of(const slot *s)
{
    return (float)fmin(s->search->reach, s->search->threshold) + s->slack;
}

/* A cell that the grid does not rule out. */
static void look_at(slot *s, int row, int col, float cell)
{
    const mry_near_search *of = s->search;
    const int *number = of->frames->number, *first = of->frames->clusters->first_row;
    int a = number[first[s->clip] + row], b = number[first[s->with] + col];
    if (a < 0 || b < 0 || a == b || (of->later && b < a)) return;
    mry_near_row *list = &s->rows[row - s->first];
    if (!mry_grow(of->frames->clusters->ctx, &list->cells, &list->room, list->count + 1,
                  sizeof *list->cells)) {
        s->status = MAREY_ERR_MEMORY;
        return;
    }
    list->cells[list->count++] = (mry_near_cell){ b, cell };
}

/* The same on every machine; infinite beyond the threshold. A cell that may be beyond it by
   rounding is not if the formula in double says so. */
static float settle(const mry_near_search *search, int a, int b, float cell)
{
    const mry_frames *f = search->frames;
    /* The largest float that is not above it. */
    float threshold = (float)search->threshold;
    if ((double)threshold > search->threshold) threshold = nextafterf(threshold, 0);
    float value = cell, slack = threshold * ROUNDING;
    if (f->clouds.clouds) {
        value = mry_cloud_distance(&f->clouds, a, b);
        slack = (f->clouds.size[a] + f->clouds.size[b]) * CLOUD_ROUNDING;
    }
    if (value <= threshold - slack) return value;
    if (value > threshold + slack) return INFINITY;
    /* The earlier frame comes first, so that it is the same for both orders. */
    int i = a < b ? a : b, j = a < b ? b : a;
    double formula = marey_distance(f->clusters->features[f->clip[i]], f->row[i],
                                    f->clusters->features[f->clip[j]], f->row[j]);
    if (isnan(formula)) formula = (double)value; /* curvature has none for a single pair */
    if (formula > search->threshold) return INFINITY;
    return value < threshold ? value : threshold;
}

static void look_at_strip(void *user, const mry_swept *swept)
{
    slot *s = user;
    float most = most_of(s);
    for (int r = 0; r < swept->rows; r++) {
        const float *cells = swept->cells + (size_t)r * MRY_SWEEP_STRIDE;
        for (int i = 0; i < swept->run_count; i++) {
            for (int j = swept->runs[i].from; j < swept->runs[i].to; j++) {
                if (cells[j] <= most) look_at(s, swept->row + r, swept->col + j, cells[j]);
            }
        }
    }
}

static bool sweep_points(slot *s)
{
    const marey_clusters *c = s->search->frames->clusters;
    const mry_points *a = c->features[s->clip]->points, *b = c->features[s->with]->points;
    mry_arena tmp = mry_arena_make(c->ctx);
    mry_sweep sweep;
    mry_need need;
    bool bounded = a->fused && a->low && b->low;
    bool made = mry_sweep_make(&sweep, &tmp, a, b) &&
                (!bounded || mry_bound_find(&tmp, a, b, most_of(s), s->first, s->end, &need));
    for (int col = 0; made && col < b->rows; col += MRY_POINTS_STRIP)
        mry_sweep_strip(&sweep, col, s->first, s->end, bounded ? &need : NULL, look_at_strip, s);
    mry_arena_free(&tmp);
    return made;
}

static void look_at_cells(slot *s, int col, int cols, const float *cells, size_t stride)
{
    float most = most_of(s);
    for (int r = s->first; r < s->end; r++) {
        const float *row = cells + (size_t)(r - s->first) * stride;
        for (int j = 0; j < cols; j++) {
            if (row[j] <= most) look_at(s, r, col + j, row[j]);
        }
    }
}

static bool measure_terms(slot *s)
{
    const marey_clusters *c = s->search->frames->clusters;
    const marey_features *a = c->features[s->clip], *b = c->features[s->with];
    mry_arena tmp = mry_arena_make(c->ctx);
    float *cells = MRY_NEW_RAW(&tmp, float, (size_t)BLOCK *COLUMNS);
    bool fine = cells != NULL;
    for (int col = 0; fine && col < b->rows; col += COLUMNS) {
        int cols = b->rows - col < COLUMNS ? b->rows - col : COLUMNS;
        bool add = false;
        for (int t = 0; t < a->term_count && fine; t++) {
            mry_term rows = a->terms[t], columns = b->terms[t];
            size_t numbers = (size_t)rows.vectors * (size_t)rows.dims; /* of a row */
            rows.values += (size_t)s->first * numbers;
            columns.values += (size_t)col * numbers;
            mry_term_job job = {
                &rows, &columns, s->end - s->first, cols, (float)a->layout->def.attributes[t], add,
                cells, COLUMNS
            };
            if (!(job.factor > 0)) continue;
            marey_status status = mry_term_grid(c->ctx, &job, NULL);
            fine = status != MAREY_ERR_MEMORY;
            add = true;
        }
        if (fine && !mry_cancelled(c->ctx)) look_at_cells(s, col, cols, cells, COLUMNS);
    }
    mry_arena_free(&tmp);
    return fine;
}

/* Curvature's cells depend on all the others. */
static bool measure_whole(slot *s)
{
    const marey_clusters *c = s->search->frames->clusters;
    marey_grid *grid = NULL;
    s->status = marey_grid_build(c->ctx, c->features[s->clip], c->features[s->with], &grid, NULL);
    if (s->status) return s->status != MAREY_ERR_MEMORY;
    const float *cells = grid->cells + (size_t)s->first * grid->stride;
    look_at_cells(s, 0, grid->cols, cells, grid->stride);
    marey_grid_free(grid);
    return true;
}

static void do_slot(void *user, int64_t i)
{
    slot *s = (slot *)user + i;
    const mry_near_search *of = s->search;
    const marey_clusters *c = of->frames->clusters;
    const marey_metric *metric = c->layout->def.metric;
    for (s->with = of->later ? s->clip : 0; s->with < c->clip_count && !s->status; s->with++) {
        bool made = metric->can_bound    ? sweep_points(s)
                    : metric->whole_grid ? measure_whole(s)
                                         : measure_terms(s);
        if (!made) s->status = MAREY_ERR_MEMORY;
        if (mry_cancelled(c->ctx)) s->status = MAREY_ERR_CANCELLED;
    }
    for (int r = s->first; r < s->end && !s->status; r++) {
        int frame = of->frames->number[c->first_row[s->clip] + r];
        if (frame < 0) continue;
        mry_near_row *row = &s->rows[r - s->first];
        double reach = fmin(of->reach, of->threshold);
        int kept = 0;
        if (of->cluster) {
            /* Only of clusters that were met with all their frames the largest cell is settled, and
               those that may be as large. Such a cluster is met with its first frame first, so what
               is left is in order. */
            int touched = 0; /* met, and the largest cell of each noted */
            for (int k = 0; k < row->count; k++) {
                int to = of->cluster[row->cells[k].other];
                float value = row->cells[k].value;
                if (!s->met[to]++) {
                    s->touched[touched++] = to;
                    s->largest[to] = value;
                    s->settled[to] = 0;
                } else if (value > s->largest[to]) {
                    s->largest[to] = value;
                }
            }
            s->met[of->cluster[frame]] = 0;
            for (int k = 0; k < row->count; k++) {
                mry_near_cell cell = row->cells[k];
                int to = of->cluster[cell.other];
                if (s->met[to] != of->size[to] || cell.value < s->largest[to] - 2 * s->slack)
                    continue;
                float value = settle(of, frame, cell.other, cell.value);
                if (value > s->settled[to]) s->settled[to] = value;
            }
            for (int k = 0; k < touched; k++) {
                int to = s->touched[k];
                if (s->met[to] == of->size[to] && s->settled[to] <= reach)
                    row->cells[kept++] = (mry_near_cell){ to, s->settled[to] };
                s->met[to] = 0;
            }
        } else {
            for (int k = 0; k < row->count; k++) {
                mry_near_cell cell = row->cells[k];
                cell.value = settle(of, frame, cell.other, cell.value);
                if (cell.value <= reach) row->cells[kept++] = cell;
            }
        }
        row->count = kept;
    }
}

/* A few slots at a time, as the threads have them; what they found is handed on in order. */
/* Rows of one clip that are done together: a tile. */
typedef struct block {
    int clip, first, end;
} block;

typedef struct blocks {
    block *items;
    int count;
} blocks;

static bool list_blocks(const marey_clusters *c, int most_rows, mry_arena *mem, blocks *out)
{
    int count = 0;
    for (int i = 0; i < c->clip_count; i++)
        count += (c->features[i]->rows + most_rows - 1) / most_rows;
    out->items = MRY_NEW_RAW(mem, block, count);
    out->count = 0;
    for (int i = 0; i < c->clip_count && out->items; i++) {
        int rows = c->features[i]->rows;
        for (int r = 0; r < rows; r += most_rows)
            out->items[out->count++] = (block){ i, r, rows - r > most_rows ? r + most_rows : rows };
    }
    return out->items != NULL;
}

/* Rows of `later` searches meet only what is behind them. */
static marey_status begin_tiles(const mry_near_search *search, const blocks *all, mry_arena *tmp,
                                marey_error *error)
{
    const marey_clusters *c = search->frames->clusters;
    int total = c->first_row[c->clip_count];
    double *costs = MRY_NEW_RAW(tmp, double, all->count);
    if (!costs) return mry_fail_memory(error, NULL);
    for (int i = 0; i < all->count; i++) {
        const block *b = &all->items[i];
        costs[i] =
            (double)(b->end - b->first) * (search->later ? total - c->first_row[b->clip] : total);
    }
    return search->tiles->begin(search->tiles->user, costs, all->count, error);
}

/* Its rows, as bytes: of each frame how many cells, and these. */
static marey_status put_tile(const slot *s, int64_t tile, marey_error *error)
{
    const mry_near_search *search = s->search;
    const marey_clusters *c = search->frames->clusters;
    mry_arena tmp = mry_arena_make(c->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    for (int r = s->first; r < s->end; r++) {
        mry_near_row *list = &s->rows[r - s->first];
        if (search->frames->number[c->first_row[s->clip] + r] < 0) continue;
        mry_put_fixed(&out, (uint64_t)list->count, 4);
        for (int i = 0; i < list->count; i++) {
            uint32_t value;
            memcpy(&value, &list->cells[i].value, sizeof value);
            mry_put_fixed(&out, (uint64_t)list->cells[i].other, 4);
            mry_put_fixed(&out, value, 4);
        }
        list->count = 0;
    }
    marey_status status =
        out.failed ? mry_fail_memory(error, NULL)
                   : search->tiles->put(search->tiles->user, tile, out.bytes, out.used, error);
    mry_arena_free(&tmp);
    return status;
}

typedef struct taking {
    const mry_near_search *search;
    const blocks *all;
    int64_t next; /* tiles before it were taken */
    mry_near_row row;
} taking;

/* Rows are taken in the order of frames: so are tiles in shards, and shards by their numbers. One that
   comes again is passed over. */
static marey_status take_tile(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                              marey_error *error)
{
    taking *t = user;
    const mry_frames *frames = t->search->frames;
    const marey_clusters *c = frames->clusters;
    const block *b = &t->all->items[tile];
    uint64_t others = (uint64_t)(t->search->cluster ? t->search->cluster_count : frames->count);
    mry_bytes_reader in = { .p = bytes, .end = bytes + size, .failed = tile > t->next };
    marey_status status = MAREY_OK;
    if (tile < t->next) return MAREY_OK;
    t->next = tile + 1;
    for (int r = b->first; r < b->end && !in.failed && !status; r++) {
        int frame = frames->number[c->first_row[b->clip] + r];
        if (frame < 0) continue;
        uint64_t count = mry_get_fixed(&in, 4), before = 0;
        in.failed |= count > (uint64_t)(in.end - in.p) / 8;
        if (!in.failed &&
            !mry_grow(c->ctx, &t->row.cells, &t->row.room, (int)count + 1, sizeof *t->row.cells))
            return mry_fail_memory(error, NULL);
        t->row.count = 0;
        for (uint64_t i = 0; i < count && !in.failed; i++) {
            uint64_t other = mry_get_fixed(&in, 4);
            uint32_t bits = (uint32_t)mry_get_fixed(&in, 4);
            mry_near_cell cell = { .other = (int)other };
            memcpy(&cell.value, &bits, sizeof bits);
            in.failed |= other >= others || (i > 0 && other <= before) ||
                         !((double)cell.value <= t->search->threshold) || !(cell.value >= 0);
            before = other;
            if (!in.failed) t->row.cells[t->row.count++] = cell;
        }
        if (!in.failed) status = t->search->take(t->search->user, frame, &t->row, error);
    }
    if (status || (!in.failed && in.p == in.end)) return status;
    return mry_fail(error, MAREY_ERR_DAMAGED, NULL,
                    "a shard holds what is not of these clips; work it out again");
}

static marey_status read_tiles(const mry_near_search *search, const blocks *all, marey_error *error)
{
    const marey_tiles *tiles = search->tiles;
    marey_ctx *ctx = search->frames->clusters->ctx;
    taking t = { .search = search, .all = all };
    marey_status status = tiles->read(tiles->user, take_tile, &t, error);
    mry_release(ctx, t.row.cells, (size_t)t.row.room * sizeof *t.row.cells);
    return status;
}

static marey_status run(const mry_near_search *search, slot *items, int slots, const blocks *all,
                        marey_error *error)
{
    const mry_frames *frames = search->frames;
    const marey_clusters *c = frames->clusters;
    const marey_tiles *tiles = search->tiles;
    int tile_of[MOST_SLOTS];
    for (int next = 0;;) {
        int used = 0;
        if (!mry_progress(c->ctx, "comparing frames", next, all->count))
            return mry_fail_cancelled(error);
        for (; used < slots && next < all->count; next++) {
            if (tiles && !tiles->wants(tiles->user, next)) continue;
            const block *b = &all->items[next];
            items[used].clip = b->clip;
            items[used].first = b->first;
            items[used].end = b->end;
            tile_of[used++] = next;
        }
        if (used == 0) return MAREY_OK;
        if (slots == 1)
            do_slot(items, 0);
        else
            marey_ctx_run(c->ctx, used, do_slot, items);
        for (const slot *s = items; s < items + used; s++) {
            marey_status status = MAREY_OK;
            if (s->status == MAREY_ERR_CANCELLED) return mry_fail_cancelled(error);
            if (s->status == MAREY_ERR_MEMORY) return mry_fail_memory(error, NULL);
            if (s->status) return mry_fail(error, s->status, NULL, "comparing the clips failed");
            if (tiles) status = put_tile(s, tile_of[s - items], error);
            for (int r = s->first; r < s->end && !status && !tiles; r++) {
                int frame = frames->number[c->first_row[s->clip] + r];
                if (frame < 0) continue;
                mry_near_row *list = &s->rows[r - s->first];
                status = search->take(search->user, frame, list, error);
                list->count = 0;
            }
            if (status) return status;
        }
    }
}

marey_status mry_near_search_run(const mry_near_search *search, marey_error *error)
{
    const marey_clusters *c = search->frames->clusters;
    const mry_clouds *clouds = &search->frames->clouds;
    mry_arena tmp = mry_arena_make(c->ctx);
    int slots = 2 * marey_ctx_threads(c->ctx), most_rows = BLOCK, clusters = search->cluster_count;
    if (slots > MOST_SLOTS) slots = MOST_SLOTS;
    if (c->layout->def.metric->whole_grid) {
        /* One grid at a time, which has the threads to itself, and all of its rows. */
        slots = 1;
        for (int i = 0; i < c->clip_count; i++) {
            if (c->features[i]->rows > most_rows) most_rows = c->features[i]->rows;
        }
    }
    /* As far as a cell of the grid may be off. */
    float largest = 0;
    for (int i = 0; clouds->clouds && i < clouds->nodes; i++) {
        if (clouds->size[i] > largest) largest = clouds->size[i];
    }
    float slack =
        clouds->clouds ? 2 * largest * GRID_ROUNDING : (float)search->threshold * ROUNDING;
    slot *items = MRY_NEW(&tmp, slot, slots);
    bool room = items != NULL;
    for (slot *s = items; room && s < items + slots; s++) {
        *s = (slot){ .search = search,
                     .slack = slack,
                     .rows = MRY_NEW(&tmp, mry_near_row, most_rows) };
        room = s->rows != NULL;
        if (!search->cluster || !room) continue;
        s->met = MRY_NEW(&tmp, int, clusters);
        s->largest = MRY_NEW_RAW(&tmp, float, clusters);
        s->settled = MRY_NEW_RAW(&tmp, float, clusters);
        s->touched = MRY_NEW_RAW(&tmp, int, clusters);
        room = s->met && s->largest && s->settled && s->touched;
    }
    blocks all;
    room = room && list_blocks(c, most_rows, &tmp, &all);
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status && search->tiles) status = begin_tiles(search, &all, &tmp, error);
    if (!status && search->tiles && !search->tiles->wants)
        status = read_tiles(search, &all, error);
    else if (!status)
        status = run(search, items, slots, &all, error);
    /* What rows of slots hold is given back. */
    for (int i = 0; items && i < slots; i++) {
        for (int r = 0; items[i].rows && r < most_rows; r++) {
            mry_near_row *row = &items[i].rows[r];
            mry_release(c->ctx, row->cells, (size_t)row->room * sizeof *row->cells);
        }
    }
    mry_arena_free(&tmp);
    return status;
}
