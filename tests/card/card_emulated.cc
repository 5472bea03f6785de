/* card_emulated.cc - the text of the card's kernels (src/card/card_kernel.cuh), run by the
   processor: a block after the other, a phase after the other, a thread after the other. It is a
   module like libmarey_cuda.so, without CUDA: indices, phases, steps and strips are tried with it, what
   threads do to each other within a phase is not. MAREY_EMULATE chooses the shape. */
#include "card_kernel.cuh"

#include <cstdio>
#include <cstdlib>
#include <vector>

struct mry_card {
    int shape;
};

struct mry_card_clip {
    std::vector<float> memory;
    card_side side;
    int joints;
};

struct mry_card_shelf {
    std::vector<uint8_t> tiles;
    std::vector<float> units;
    mry_card_shelf_def def;
};

static mry_card_result open_card(mry_card **out, char *text, size_t room)
{
    (void)text;
    (void)room;
    *out = new mry_card();
    const char *shape = getenv("MAREY_EMULATE");
    (*out)->shape = shape ? atoi(shape) : 0;
    return MRY_CARD_OK;
}

static void close_card(mry_card *card) { delete card; }
static const char *describe(const mry_card *) { return "emulated"; }

static mry_card_result put_clip(mry_card *, const mry_card_points *p, mry_card_clip **out)
{
    int k = p->joints, rows = p->rows;
    size_t stride = (size_t)(FRONT + rows + 4 + BEHIND + 31) / 32 * 32, plane = (size_t)k * stride;
    mry_card_clip *clip = new mry_card_clip();
    clip->memory.assign(5 * plane + 9 * stride, 0.0f);
    float *to = clip->memory.data();
    for (int i = 0; i < k; i++) {
        for (int f = 0; f < rows + 4; f++) {
            float x = p->x[(size_t)i * p->stride + f], z = p->z[(size_t)i * p->stride + f];
            float *at = to + (size_t)i * stride + FRONT + f;
            at[0] = x;
            at[plane] = z;
            at[2 * plane] = p->y[(size_t)i * p->stride + f];
            at[3 * plane] = -(x + z);
            at[4 * plane] = x - z;
        }
    }
    for (int i = 0; i < rows; i++) to[5 * plane + FRONT + i] = p->size[i];
    for (int q = 0; q < 8; q++)
        for (int i = 0; i < rows; i++)
            to[5 * plane + (size_t)(q + 1) * stride + FRONT + i] =
                p->path[(size_t)q * p->path_stride + i];
    clip->joints = k;
    clip->side = { to, to + 5 * plane, to + 5 * plane + stride, (int)stride, rows };
    *out = clip;
    return MRY_CARD_OK;
}

static void drop_clip(mry_card *, mry_card_clip *clip) { delete clip; }

template <class V, int WORK> static void run(const grid_args &g)
{
    int strips = (g.b.rows + 3 + V::STEP - 1) / V::STEP;
    int each = block_rows<V>(g.steps), chunks = (g.end - g.first + each - 1) / each;
    std::vector<float> room(V::FLOATS + 16, NAN); /* shared memory begins with anything in it */
    std::vector<grid_state<V>> states(V::THREADS);
    float *shared = room.data();
    while ((uintptr_t)shared % 64) shared++;
    for (int y = 0; y < chunks; y++)
        for (int x = 0; x < strips; x++)
            grid_block<V, WORK>(g, x, y, shared, states.data());
}

template <int WORK> static void run_shape(int shape, grid_args &g)
{
    g.steps = shape >= 10 ? 3 : 2; /* few, so that blocks end often */
    switch (shape % 10) {
    case 0: run<grid_shape<32, 256, 4, 7>, WORK>(g); break;
    case 1: run<grid_shape<32, 128, 4, 5>, WORK>(g); break;
    case 2: run<grid_shape<32, 128, 4, 7>, WORK>(g); break;
    case 3: run<grid_shape<16, 256, 4, 4>, WORK>(g); break;
    case 4: run<grid_shape<16, 128, 4, 7>, WORK>(g); break;
    default: run<grid_shape<32, 256, 8, 7>, WORK>(g); break;
    }
}

static grid_args make_args(const mry_card_job *job)
{
    grid_args g;
    memset(&g, 0, sizeof g);
    g.a = job->a->side;
    g.b = job->b->side;
    g.joints = job->a->joints;
    g.first = job->first;
    g.end = job->end;
    g.upper = job->upper;
    g.below = job->below;
    g.slack = job->slack;
    return g;
}

static mry_card_result minima(mry_card *card, const mry_card_job *job, mry_card_cell *cells,
                              int64_t room, int64_t *count)
{
    grid_args g = make_args(job);
    unsigned long long found = 0;
    std::vector<mry_card_cell> kept(cells ? 0 : (size_t)room);
    g.list = cells ? cells : kept.data();
    g.room = (unsigned long long)room;
    g.count = &found;
    run_shape<WORK_MINIMA>(card->shape, g);
    *count = (int64_t)found;
    return MRY_CARD_OK;
}

static mry_card_result marks(mry_card *card, const mry_card_job *job, uint8_t *map,
                             size_t map_stride)
{
    grid_args g = make_args(job);
    memset(map, 0, (size_t)((job->end - job->first + 7) / 8) * map_stride);
    g.map = map;
    g.map_stride = map_stride;
    run_shape<WORK_MARKS>(card->shape, g);
    return MRY_CARD_OK;
}

static mry_card_result put_shelf(mry_card *, const mry_card_shelf_def *def, mry_card_shelf **out)
{
    if (def->blocks < 1 || def->points < 1 || def->points > MRY_CARD_MOST_POINTS) return MRY_CARD_TOO_LARGE;
    mry_card_shelf *shelf = new mry_card_shelf();
    size_t tiles = (size_t)(def->blocks - 1) / (size_t)def->wide + 1;
    shelf->tiles.assign(def->tiles, def->tiles + tiles * 12 * (size_t)def->points * (size_t)def->wide);
    shelf->units.assign(def->units, def->units + def->blocks);
    shelf->def = *def;
    *out = shelf;
    return MRY_CARD_OK;
}

static void drop_shelf(mry_card *, mry_card_shelf *shelf) { delete shelf; }

static mry_card_result ends(mry_card *, const mry_card_shelf *shelf, const mry_card_query *query)
{
    int rows = query->rows, blocks = shelf->def.blocks, points = shelf->def.points;
    if (rows < 1 || rows > ENDS_MOST) return MRY_CARD_TOO_LARGE;
    size_t stride = ((size_t)blocks + 31) / 32 * 32;
    std::vector<float> by(query->basis, query->basis + 2 * points * MRY_CARD_CODE_NUMBERS);
    by.insert(by.end(), query->weights, query->weights + points);
    std::vector<float> codes(CODE_ROWS * stride, NAN), asked((size_t)rows * QUERY_NUMBERS, 0.0f);
    code_args c = { shelf->tiles.data(), shelf->units.data(), blocks, points, shelf->def.wide, by.data(), query->place,
                    query->speed, query->radius, query->rounding, codes.data(), stride };
    for (int block = 0; block < blocks; block++) code_block(c, by.data(), block);
    memset(query->ends, 0, stride / 8);
    for (int i = 0; i < rows; i++) {
        memcpy(&asked[(size_t)i * QUERY_NUMBERS], query->numbers + i * MRY_CARD_CODE_NUMBERS, 96);
        asked[(size_t)i * QUERY_NUMBERS + 24] = query->size[i];
    }
    ends_args e = { blocks, stride, codes.data(), rows, ends_halo(rows), asked.data(), query->keep, query->off,
                    query->limit, query->ends };
    std::vector<float> sums(2 * ENDS_WIDTH, NAN);
    std::vector<ends_state> states(ENDS_THREADS);
    for (int block = 0; block < ends_blocks(blocks, e.halo); block++) {
        for (int tid = 0; tid < ENDS_THREADS; tid++) ends_begin(e, states[tid], block, tid);
        for (int row = 0; row < rows; row++)
            for (int tid = 0; tid < ENDS_THREADS; tid++)
                ends_row(e, states[tid], tid, row, e.query, &sums[(~row & 1) * ENDS_WIDTH],
                         &sums[(row & 1) * ENDS_WIDTH]);
        for (int tid = 0; tid < ENDS_THREADS; tid++) ends_write(e, states[tid], block, tid);
    }
    return MRY_CARD_OK;
}

static double last_ms(const mry_card *) { return 0; }
static int shape_count(const mry_card *) { return 6; }
static void use_shape(mry_card *card, int shape) { card->shape = shape; }

static const mry_card_module module = { MRY_CARD_VERSION, sizeof(mry_card_module),
                                        "emulated",       open_card,
                                        close_card,       describe,
                                        put_clip,         drop_clip,
                                        minima,           marks,
                                        put_shelf,        drop_shelf,
                                        ends,             last_ms,
                                        shape_count,      use_shape };

extern "C" __attribute__((visibility("default"))) const mry_card_module *marey_card_module(void)
{
    return &module;
}
