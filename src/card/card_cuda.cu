/* card_cuda.cu - the module libmarey_cuda.so: what card.h asks for, by CUDA. The kernels' text is
   card_kernel.cuh. Each call takes a lane, which has a stream and memory of its own, so several
   threads keep the card busy with small pairs of clips. */
#include "card_kernel.cuh"

#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

/* ---- kernels --------------------------------------------------------------------------------- */

template <class V, int WORK, int BLOCKS>
__global__ void __launch_bounds__(V::THREADS, BLOCKS) grid_kernel(const grid_args g)
{
    extern __shared__ __align__(16) float shared[];
    grid_state<V> state;
    grid_block<V, WORK>(g, (int)blockIdx.x, (int)blockIdx.y, shared, &state);
}

__global__ void __launch_bounds__(CODE_THREADS) code_kernel(const code_args c)
{
    extern __shared__ __align__(16) float shared[];
    const int block = (int)(blockIdx.x * CODE_THREADS + threadIdx.x);
    for (int i = (int)threadIdx.x; i < c.points * POINT_NUMBERS; i += CODE_THREADS) shared[i] = c.query[i];
    __syncthreads();
    if (block < c.blocks) code_block(c, shared, block);
}

__global__ void __launch_bounds__(ENDS_THREADS) ends_kernel(const ends_args e)
{
    extern __shared__ __align__(16) float shared[];
    float *query = shared, *sums = shared + (size_t)e.rows * QUERY_NUMBERS;
    const int tid = (int)threadIdx.x, block = (int)blockIdx.x;
    ends_state s;
    for (int i = tid; i < e.rows * QUERY_NUMBERS; i += ENDS_THREADS) query[i] = e.query[i];
    ends_begin(e, s, block, tid);
    __syncthreads();
    for (int row = 0; row < e.rows; row++) {
        ends_row(e, s, tid, row, query, sums + (~row & 1) * ENDS_WIDTH, sums + (row & 1) * ENDS_WIDTH);
        __syncthreads();
    }
    ends_write(e, s, block, tid);
}

typedef void (*grid_fn)(const grid_args);

struct shape_row {
    grid_fn minima, marks;
    int threads, bytes, step, tm;
};

template <class V, int BLOCKS> static shape_row make_shape(void)
{
    return { grid_kernel<V, WORK_MINIMA, BLOCKS>, grid_kernel<V, WORK_MARKS, BLOCKS>, V::THREADS,
             (int)(V::FLOATS * sizeof(float)), V::STEP, V::TM };
}

/* Rows, columns, columns of a thread, joints of a chunk; blocks of a multiprocessor. */
static const shape_row shapes[] = {
    make_shape<grid_shape<32, 256, 4, 7>, 2>(), make_shape<grid_shape<32, 128, 4, 5>, 4>(),
    make_shape<grid_shape<32, 128, 4, 7>, 3>(), make_shape<grid_shape<16, 256, 4, 4>, 3>(),
    make_shape<grid_shape<16, 128, 4, 7>, 6>(), make_shape<grid_shape<32, 256, 8, 7>, 2>(),
};
enum { SHAPES = sizeof shapes / sizeof *shapes, LANES = 16 };

/* ---- a card ---------------------------------------------------------------------------------- */

struct lane {
    bool busy;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *pinned, *device; /* grown as they are needed */
    size_t pinned_bytes, device_bytes;
};

struct mry_card {
    int device, processors;
    char name[300];
    lane lanes[LANES];
    bool can[SHAPES];
    int shape;
    bool failed;
    std::mutex lock;
    std::condition_variable free_again;
};

struct mry_card_clip {
    float *memory;
    card_side side;
    int joints;
};

struct mry_card_shelf {
    char *memory; /* units, then tiles */
    size_t units_bytes;
    mry_card_shelf_def def;
};

static thread_local double last_time;

static mry_card_result result_of(mry_card *card, cudaError_t error)
{
    if (error == cudaSuccess) return MRY_CARD_OK;
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return MRY_CARD_NO_MEMORY;
    }
    card->failed = true;
    return MRY_CARD_FAILED;
}

/* The calling thread may never have used this card. */
static lane *take_lane(mry_card *card)
{
    std::unique_lock<std::mutex> hold(card->lock);
    for (;;) {
        for (int i = 0; i < LANES; i++) {
            if (card->lanes[i].busy) continue;
            card->lanes[i].busy = true;
            cudaSetDevice(card->device);
            return &card->lanes[i];
        }
        card->free_again.wait(hold);
    }
}

static void give_lane(mry_card *card, lane *l)
{
    {
        std::unique_lock<std::mutex> hold(card->lock);
        l->busy = false;
    }
    card->free_again.notify_one();
}

static cudaError_t grow_pinned(lane *l, size_t bytes)
{
    if (bytes <= l->pinned_bytes) return cudaSuccess;
    if (l->pinned) cudaFreeHost(l->pinned);
    l->pinned = NULL;
    l->pinned_bytes = 0;
    bytes += bytes / 4;
    cudaError_t error = cudaMallocHost(&l->pinned, bytes);
    if (!error) l->pinned_bytes = bytes;
    return error;
}

static cudaError_t grow_device(lane *l, size_t bytes)
{
    if (bytes <= l->device_bytes) return cudaSuccess;
    if (l->device) cudaFree(l->device);
    l->device = NULL;
    l->device_bytes = 0;
    bytes += bytes / 4;
    cudaError_t error = cudaMalloc(&l->device, bytes);
    if (!error) l->device_bytes = bytes;
    return error;
}

/* ---- clips ----------------------------------------------------------------------------------- */

/* Numbers of a row of frames; a multiple of 32, so that rows begin at whole lines. */
static int stride_of(int rows)
{
    return (FRONT + rows + 4 + BEHIND + 31) / 32 * 32;
}

static mry_card_result put_clip(mry_card *card, const mry_card_points *points, mry_card_clip **out)
{
    int k = points->joints, rows = points->rows;
    if (k < 1 || rows < 1 || rows > (1 << 28)) return MRY_CARD_TOO_LARGE;
    size_t stride = (size_t)stride_of(rows), plane = (size_t)k * stride;
    size_t numbers = 5 * plane + 9 * stride, bytes = numbers * sizeof(float);
    mry_card_clip *clip = (mry_card_clip *)calloc(1, sizeof *clip);
    if (!clip) return MRY_CARD_NO_MEMORY;
    lane *l = take_lane(card);
    cudaError_t error = grow_pinned(l, bytes);
    if (!error) {
        float *to = (float *)l->pinned;
        memset(to, 0, bytes);
        for (int i = 0; i < k; i++) {
            const float *x = points->x + (size_t)i * points->stride;
            const float *z = points->z + (size_t)i * points->stride;
            const float *y = points->y + (size_t)i * points->stride;
            float *row = to + (size_t)i * stride + FRONT;
            for (int f = 0; f < rows + 4; f++) {
                row[f] = x[f];
                row[plane + f] = z[f];
                row[2 * plane + f] = y[f];
                row[3 * plane + f] = -(x[f] + z[f]);
                row[4 * plane + f] = x[f] - z[f];
            }
        }
        float *behind = to + 5 * plane;
        memcpy(behind + FRONT, points->size, (size_t)rows * sizeof *to);
        for (int q = 0; q < MRY_CARD_PATH; q++)
            memcpy(behind + (size_t)(q + 1) * stride + FRONT,
                   points->path + (size_t)q * points->path_stride, (size_t)rows * sizeof *to);
        error = cudaMallocAsync((void **)&clip->memory, bytes, l->stream);
    }
    if (!error)
        error = cudaMemcpyAsync(clip->memory, l->pinned, bytes, cudaMemcpyHostToDevice, l->stream);
    if (!error) error = cudaStreamSynchronize(l->stream);
    if (error && clip->memory) cudaFreeAsync(clip->memory, l->stream);
    give_lane(card, l);
    if (error) {
        free(clip);
        return result_of(card, error);
    }
    clip->joints = k;
    clip->side.planes = clip->memory;
    clip->side.size = clip->memory + 5 * plane;
    clip->side.path = clip->memory + 5 * plane + stride;
    clip->side.stride = (int)stride;
    clip->side.rows = rows;
    *out = clip;
    return MRY_CARD_OK;
}

static void drop_clip(mry_card *card, mry_card_clip *clip)
{
    if (!clip) return;
    lane *l = take_lane(card);
    cudaFreeAsync(clip->memory, l->stream);
    give_lane(card, l);
    free(clip);
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* As many steps a block that blocks are many, and halves of blocks few. */
static void launch_size(const mry_card *card, const shape_row *shape, const mry_card_job *job,
                        grid_args *g, dim3 *blocks)
{
    int cols = g->b.rows, rows = job->end - job->first;
    int strips = (cols + 3 + shape->step - 1) / shape->step;
    long long wanted = 8LL * card->processors;
    int chunks = 1;
    for (int rows_each = 1024; rows_each >= 64; rows_each /= 2) {
        g->steps = rows_each / shape->tm;
        int each = shape->tm * g->steps - 12;
        chunks = (rows + each - 1) / each;
        if ((long long)strips * chunks >= wanted || rows_each == 128) break;
    }
    *blocks = dim3((unsigned)strips, (unsigned)chunks);
}

static cudaError_t launch(mry_card *card, lane *l, const mry_card_job *job, grid_args *g, int work,
                          int which)
{
    const shape_row *shape = &shapes[which];
    grid_fn kernel = work == WORK_MINIMA ? shape->minima : shape->marks;
    dim3 blocks;
    g->a = job->a->side;
    g->b = job->b->side;
    g->joints = job->a->joints;
    g->first = job->first;
    g->end = job->end;
    g->upper = job->upper;
    g->below = job->below;
    g->slack = job->slack;
    launch_size(card, shape, job, g, &blocks);
    if (blocks.y > 65535) return cudaErrorInvalidConfiguration;
    cudaError_t error = cudaEventRecord(l->start, l->stream);
    if (!error) {
        kernel<<<blocks, shape->threads, shape->bytes, l->stream>>>(*g);
        error = cudaGetLastError();
    }
    if (!error) error = cudaEventRecord(l->stop, l->stream);
    return error;
}

static bool job_fits(const mry_card_job *job)
{
    return job->a->joints == job->b->joints && job->first >= 0 && job->first % 8 == 0 &&
           job->end <= job->a->side.rows && job->first < job->end;
}

static void take_time(lane *l)
{
    float ms = 0;
    last_time = cudaEventElapsedTime(&ms, l->start, l->stop) == cudaSuccess ? (double)ms : 0;
}

static mry_card_result minima(mry_card *card, const mry_card_job *job, mry_card_cell *cells,
                              int64_t room, int64_t *count)
{
    if (!job_fits(job)) return MRY_CARD_TOO_LARGE;
    lane *l = take_lane(card);
    grid_args g;
    unsigned long long found = 0;
    memset(&g, 0, sizeof g);
    cudaError_t error = grow_device(l, 256 + (size_t)room * sizeof *cells);
    if (!error) error = grow_pinned(l, 256);
    if (!error) {
        g.count = (unsigned long long *)l->device;
        g.list = (mry_card_cell *)((char *)l->device + 256);
        g.room = (unsigned long long)room;
        error = cudaMemsetAsync(l->device, 0, 256, l->stream);
    }
    if (!error) error = launch(card, l, job, &g, WORK_MINIMA, card->shape);
    if (!error)
        error = cudaMemcpyAsync(l->pinned, g.count, sizeof found, cudaMemcpyDeviceToHost, l->stream);
    if (!error) error = cudaStreamSynchronize(l->stream);
    if (!error) {
        memcpy(&found, l->pinned, sizeof found);
        take_time(l);
        unsigned long long there = found < g.room ? found : g.room;
        if (there > 0 && cells)
            error = cudaMemcpyAsync(cells, g.list, (size_t)there * sizeof *cells,
                                    cudaMemcpyDeviceToHost, l->stream);
        if (!error) error = cudaStreamSynchronize(l->stream);
    }
    give_lane(card, l);
    if (!error) *count = (int64_t)found;
    return result_of(card, error);
}

static mry_card_result marks(mry_card *card, const mry_card_job *job, uint8_t *map,
                             size_t map_stride)
{
    if (!job_fits(job)) return MRY_CARD_TOO_LARGE;
    lane *l = take_lane(card);
    grid_args g;
    memset(&g, 0, sizeof g);
    size_t bytes = (size_t)((job->end - job->first + 7) / 8) * map_stride;
    cudaError_t error = grow_device(l, bytes);
    if (!error) error = grow_pinned(l, bytes);
    if (!error) {
        g.map = (uint8_t *)l->device;
        g.map_stride = map_stride;
        error = cudaMemsetAsync(g.map, 0, bytes, l->stream);
    }
    if (!error) error = launch(card, l, job, &g, WORK_MARKS, card->shape);
    if (!error)
        error = cudaMemcpyAsync(l->pinned, g.map, bytes, cudaMemcpyDeviceToHost, l->stream);
    if (!error) error = cudaStreamSynchronize(l->stream);
    if (!error) {
        take_time(l);
        memcpy(map, l->pinned, bytes);
    }
    give_lane(card, l);
    return result_of(card, error);
}

/* ---- bounds of a search ---------------------------------------------------------------------- */

static mry_card_result put_shelf(mry_card *card, const mry_card_shelf_def *def, mry_card_shelf **out)
{
    if (def->blocks < 1 || def->points < 1 || def->points > MRY_CARD_MOST_POINTS) return MRY_CARD_TOO_LARGE;
    mry_card_shelf *shelf = (mry_card_shelf *)calloc(1, sizeof *shelf);
    if (!shelf) return MRY_CARD_NO_MEMORY;
    shelf->def = *def;
    size_t units = (size_t)def->blocks * sizeof(float);
    size_t tiles = ((size_t)(def->blocks - 1) / (size_t)def->wide + 1) * 12 * (size_t)def->points * (size_t)def->wide;
    shelf->units_bytes = (units + 255) / 256 * 256;
    lane *l = take_lane(card);
    cudaError_t error = cudaMalloc((void **)&shelf->memory, shelf->units_bytes + tiles);
    if (!error) error = cudaMemcpy(shelf->memory, def->units, units, cudaMemcpyHostToDevice);
    if (!error)
        error = cudaMemcpy(shelf->memory + shelf->units_bytes, def->tiles, tiles, cudaMemcpyHostToDevice);
    if (error && shelf->memory) cudaFree(shelf->memory);
    give_lane(card, l);
    if (error) {
        free(shelf);
        return result_of(card, error);
    }
    *out = shelf;
    return MRY_CARD_OK;
}

static void drop_shelf(mry_card *card, mry_card_shelf *shelf)
{
    if (!shelf) return;
    lane *l = take_lane(card);
    cudaFree(shelf->memory);
    give_lane(card, l);
    free(shelf);
}

/* Rows of the query with room behind each, then what codes are made by: as kernels read them. */
static void pack_query(const mry_card_query *query, int points, float *to)
{
    float *by = to + (size_t)query->rows * QUERY_NUMBERS;
    memset(to, 0, (size_t)query->rows * QUERY_NUMBERS * sizeof(float));
    for (int i = 0; i < query->rows; i++, to += QUERY_NUMBERS) {
        memcpy(to, query->numbers + (size_t)i * MRY_CARD_CODE_NUMBERS, MRY_CARD_CODE_NUMBERS * sizeof(float));
        to[MRY_CARD_CODE_NUMBERS] = query->size[i];
    }
    size_t basis = 2 * (size_t)points * MRY_CARD_CODE_NUMBERS;
    memcpy(by, query->basis, basis * sizeof(float));
    memcpy(by + basis, query->weights, (size_t)points * sizeof(float));
}

static cudaError_t launch_bounds(lane *l, const code_args *c, const ends_args *e)
{
    size_t by = (size_t)c->points * POINT_NUMBERS * sizeof(float);
    size_t shared = ((size_t)e->rows * QUERY_NUMBERS + 2 * ENDS_WIDTH) * sizeof(float);
    code_kernel<<<(c->blocks + CODE_THREADS - 1) / CODE_THREADS, CODE_THREADS, by, l->stream>>>(*c);
    cudaError_t error = cudaGetLastError();
    if (error) return error;
    ends_kernel<<<ends_blocks(e->count, e->halo), ENDS_THREADS, shared, l->stream>>>(*e);
    return cudaGetLastError();
}

static mry_card_result ends(mry_card *card, const mry_card_shelf *shelf, const mry_card_query *query)
{
    const mry_card_shelf_def *def = &shelf->def;
    int rows = query->rows, blocks = def->blocks;
    if (rows < 1 || rows > ENDS_MOST) return MRY_CARD_TOO_LARGE;
    size_t stride = ((size_t)blocks + 31) / 32 * 32, said = stride / 8;
    size_t asked = ((size_t)rows * QUERY_NUMBERS + (size_t)def->points * POINT_NUMBERS) * sizeof(float);
    asked = (asked + 255) / 256 * 256;
    size_t codes = asked + (said + 255) / 256 * 256;
    lane *l = take_lane(card);
    cudaError_t error = grow_pinned(l, asked + said);
    if (!error) error = grow_device(l, codes + CODE_ROWS * stride * sizeof(float));
    char *device = (char *)l->device, *pinned = (char *)l->pinned;
    if (!error) {
        pack_query(query, def->points, (float *)(void *)pinned);
        error = cudaMemcpyAsync(device, pinned, asked, cudaMemcpyHostToDevice, l->stream);
    }
    if (!error) error = cudaEventRecord(l->start, l->stream);
    if (!error) {
        float *in = (float *)(void *)device;
        code_args c = { (const uint8_t *)shelf->memory + shelf->units_bytes, (const float *)(void *)shelf->memory,
                        blocks, def->points, def->wide, in + (size_t)rows * QUERY_NUMBERS, query->place,
                        query->speed, query->radius, query->rounding, (float *)(void *)(device + codes), stride };
        ends_args e = { blocks, stride, c.codes, rows, ends_halo(rows), in, query->keep, query->off, query->limit,
                        (uint32_t *)(void *)(device + asked) };
        error = launch_bounds(l, &c, &e);
    }
    if (!error) error = cudaEventRecord(l->stop, l->stream);
    if (!error) error = cudaMemcpyAsync(pinned + asked, device + asked, said, cudaMemcpyDeviceToHost, l->stream);
    if (!error) error = cudaStreamSynchronize(l->stream);
    if (!error) {
        take_time(l);
        memcpy(query->ends, pinned + asked, said);
    }
    give_lane(card, l);
    return result_of(card, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void close_card(mry_card *card)
{
    if (!card) return;
    cudaSetDevice(card->device);
    for (int i = 0; i < LANES; i++) {
        lane *l = &card->lanes[i];
        if (l->pinned) cudaFreeHost(l->pinned);
        if (l->device) cudaFree(l->device);
        if (l->start) cudaEventDestroy(l->start);
        if (l->stop) cudaEventDestroy(l->stop);
        if (l->stream) cudaStreamDestroy(l->stream);
    }
    delete card;
}

/* The shape that is fastest here, on frames of all zeros: all do the same operations. */
static cudaError_t choose_shape(mry_card *card)
{
    enum { ROWS = 6000, JOINTS = 21 };
    size_t stride = ROWS + 4;
    float *zeros = (float *)calloc(stride * JOINTS, sizeof(float));
    mry_card_clip *clip = NULL;
    if (!zeros) return cudaErrorMemoryAllocation;
    mry_card_points points = { ROWS, JOINTS, zeros, zeros, zeros, stride, zeros, zeros, ROWS };
    mry_card_result put = put_clip(card, &points, &clip);
    free(zeros);
    if (put) return put == MRY_CARD_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorUnknown;
    mry_card_job job = { clip, clip, 0, ROWS, 0, 0, 0 };
    double best = 1e30;
    int fastest = 0;
    cudaError_t failed = cudaSuccess;
    for (int turn = 0; turn < 2 && !failed; turn++) { /* the first one warms up */
        for (int i = 0; i < SHAPES; i++) {
            if (!card->can[i]) continue;
            int64_t count;
            card->shape = i;
            if (minima(card, &job, NULL, 0, &count)) {
                failed = cudaErrorUnknown;
                break;
            }
            if (turn == 0 || last_time >= best) continue;
            best = last_time;
            fastest = i;
        }
    }
    card->shape = fastest;
    drop_clip(card, clip);
    return failed;
}

static mry_card_result open_card(mry_card **out, char *text, size_t room)
{
    int count = 0, best = -1;
    cudaDeviceProp most;
    cudaError_t error = cudaGetDeviceCount(&count);
    for (int i = 0; i < count && !error; i++) {
        cudaDeviceProp one;
        error = cudaGetDeviceProperties(&one, i);
        if (!error && (best < 0 || one.multiProcessorCount > most.multiProcessorCount)) {
            most = one;
            best = i;
        }
    }
    if (!error && best < 0) error = cudaErrorNoDevice;
    if (error) {
        snprintf(text, room, "%s", cudaGetErrorString(error));
        return MRY_CARD_FAILED;
    }
    mry_card *card = new (std::nothrow) mry_card();
    if (!card) {
        snprintf(text, room, "out of memory");
        return MRY_CARD_NO_MEMORY;
    }
    card->device = best;
    card->processors = most.multiProcessorCount;
    snprintf(card->name, sizeof card->name, "%s, %d multiprocessors", most.name,
             most.multiProcessorCount);
    error = cudaSetDevice(best);
    cudaMemPool_t pool;
    if (!error) error = cudaDeviceGetDefaultMemPool(&pool, best);
    uint64_t keep = UINT64_MAX;
    if (!error) error = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    for (int i = 0; i < LANES && !error; i++) {
        lane *l = &card->lanes[i];
        error = cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking);
        if (!error) error = cudaEventCreate(&l->start);
        if (!error) error = cudaEventCreate(&l->stop);
    }
    bool any = false;
    for (int i = 0; i < SHAPES && !error; i++) {
        cudaError_t first =
            cudaFuncSetAttribute((const void *)shapes[i].minima,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, shapes[i].bytes);
        cudaError_t second =
            cudaFuncSetAttribute((const void *)shapes[i].marks,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, shapes[i].bytes);
        card->can[i] = first == cudaSuccess && second == cudaSuccess;
        if (!card->can[i]) cudaGetLastError(); /* less shared memory than this shape wants */
        any |= card->can[i];
    }
    if (!error)
        error = cudaFuncSetAttribute((const void *)ends_kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, 140 * 1024);
    if (error) { /* fewer rows of a query, then */
        cudaGetLastError();
        error = cudaSuccess;
    }
    if (!any) error = cudaErrorNoKernelImageForDevice;
    if (!error) error = choose_shape(card);
    if (error) {
        snprintf(text, room, "%s", cudaGetErrorString(error));
        close_card(card);
        return error == cudaErrorMemoryAllocation ? MRY_CARD_NO_MEMORY : MRY_CARD_FAILED;
    }
    *out = card;
    return MRY_CARD_OK;
}

static const char *describe(const mry_card *card)
{
    return card->name;
}

static double last_ms(const mry_card *card)
{
    (void)card;
    return last_time;
}

static int shape_count(const mry_card *card)
{
    (void)card;
    return SHAPES;
}

static void use_shape(mry_card *card, int shape)
{
    if (shape >= 0 && shape < SHAPES && card->can[shape]) card->shape = shape;
}

static const mry_card_module module = {
    MRY_CARD_VERSION, sizeof(mry_card_module),
    "cuda",           open_card,
    close_card,       describe,
    put_clip,         drop_clip,
    minima,           marks,
    put_shelf,        drop_shelf,
    ends,             last_ms,
    shape_count,      use_shape
};

extern "C" __attribute__((visibility("default"))) const mry_card_module *marey_card_module(void)
{
    return &module;
}
