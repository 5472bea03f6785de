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

struct mry_card_codes {
    std::vector<float> memory;
    int count;
    size_t stride;
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

static mry_card_result put_codes(mry_card *, const mry_card_codes_def *def, mry_card_codes **out)
{
    mry_card_codes *codes = new mry_card_codes();
    codes->count = def->count;
    codes->stride = ((size_t)def->count + 31) / 32 * 32;
    codes->memory.assign((MRY_CARD_CODE_NUMBERS + 2) * codes->stride, NAN);
    for (int k = 0; k < MRY_CARD_CODE_NUMBERS + 2; k++) {
        const float *from = k < MRY_CARD_CODE_NUMBERS ? def->numbers + (size_t)k * (size_t)def->count
                            : k == MRY_CARD_CODE_NUMBERS ? def->size
                                                         : def->radius;
        for (int j = 0; j < def->count; j++) codes->memory[(size_t)k * codes->stride + j] = from[j];
    }
    *out = codes;
    return MRY_CARD_OK;
}

static void drop_codes(mry_card *, mry_card_codes *codes) { delete codes; }

static mry_card_result ends(mry_card *, const mry_card_codes *codes, const mry_card_query *query)
{
    ends_args e;
    int rows = query->rows;
    if (query->most * (rows - 1) > ENDS_WIDTH - 256) return MRY_CARD_TOO_LARGE;
    e.count = codes->count;
    e.stride = codes->stride;
    e.codes = codes->memory.data();
    e.rows = rows;
    e.most = query->most;
    e.halo = (query->most * (rows - 1) + 31) / 32 * 32;
    e.keep = query->keep;
    e.limit = query->limit;
    e.ends = query->ends;
    memset(query->ends, 0, ((size_t)codes->count + 31) / 32 * sizeof *query->ends);
    std::vector<float> asked((size_t)rows * QUERY_NUMBERS, 0.0f);
    for (int i = 0; i < rows; i++) {
        memcpy(&asked[(size_t)i * QUERY_NUMBERS], query->numbers + i * MRY_CARD_CODE_NUMBERS, 96);
        asked[(size_t)i * QUERY_NUMBERS + 24] = query->size[i];
    }
    e.query = asked.data();
    std::vector<float> sums(2 * ENDS_WIDTH, NAN);
    std::vector<ends_state> states(ENDS_THREADS);
    int blocks = (codes->count + ENDS_WIDTH - e.halo - 1) / (ENDS_WIDTH - e.halo);
    for (int block = 0; block < blocks; block++) {
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
                                        put_codes,        drop_codes,
                                        ends,             last_ms,
                                        shape_count,      use_shape };

extern "C" __attribute__((visibility("default"))) const mry_card_module *marey_card_module(void)
{
    return &module;
}
