/* cluster_frames.c - the frames that a cluster graph is made of, and their point clouds. */
#include "base/fail.h"
#include "graph/cluster_near.h"

#include <string.h>

enum { AT_ONCE = 256 };

static bool number_frames(mry_frames *f)
{
    const marey_clusters *c = f->clusters;
    int all = c->first_row[c->clip_count];
    f->number = MRY_NEW_RAW(&f->mem, int, all);
    f->clip = MRY_NEW_RAW(&f->mem, int, all);
    f->row = MRY_NEW_RAW(&f->mem, int, all);
    if (!f->number || !f->clip || !f->row) return false;
    for (int clip = 0; clip < c->clip_count; clip++) {
        const marey_features *of = c->features[clip];
        for (int r = 0; r < of->rows; r++) {
            bool marked = of->marked[r] != 0;
            f->number[c->first_row[clip] + r] = marked ? -1 : f->count;
            if (marked) continue;
            f->clip[f->count] = clip;
            f->row[f->count++] = r;
        }
    }
    return true;
}

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

static marey_status open_clouds(mry_frames *f, marey_error *error)
{
    const mry_points *points = f->clusters->features[0]->points;
    if (!points) return MAREY_OK;
    cloud_work w = { .frames = f };
    size_t numbers = (size_t)(points->joints * points->def->window + 3) / 4 * 4;
    f->clouds.nodes = f->count;
    f->clouds.points = (int)numbers;
    f->clouds.clouds = MRY_NEW_RAW(&f->mem, float, (size_t)f->count * 3 * numbers);
    f->clouds.size = MRY_NEW_RAW(&f->mem, float, f->count);
    if (!f->clouds.clouds || !f->clouds.size) return mry_fail_memory(error, NULL);
    marey_ctx_run(f->clusters->ctx, (f->count + AT_ONCE - 1) / AT_ONCE, fill_clouds, &w);
    return w.failed ? mry_fail_memory(error, NULL) : MAREY_OK;
}

marey_status mry_frames_open(mry_frames *frames, const marey_clusters *clusters, marey_error *error)
{
    *frames = (mry_frames){ .clusters = clusters, .mem = mry_arena_make(clusters->ctx) };
    marey_status status = number_frames(frames) ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) status = open_clouds(frames, error);
    if (status) mry_frames_close(frames);
    return status;
}

void mry_frames_close(mry_frames *frames)
{
    mry_arena_free(&frames->mem);
}
