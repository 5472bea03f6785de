/* bench_scan.c - how the exact search grows, and that it is exact. Growth: what the index stores of the
   clips of a large library, made in memory, and the scan of it by 1.5 s queries, for ever more poses:
   an eighth to all of them at 60 a second, at 120, and eight copies, each slower or faster, with
   joints that tremble. Truth: 100 random queries on 20 clips against all alignments in doubles, and
   against the first tier of match webs. Arguments: a library (default: cmu_large.marey of the folder
   of real data), threads (default 2). */
#include "bench.h"

#include "base/context.h"
#include "match/query_scan.h"
#include "match/query_weights.h"

#include <marey/marey.h>
#include <math.h>
#include <string.h>

enum { QUERIES = 16, TRUTHS = 100, CLIPS = 20, COPIES = 8, WORK = 1024, EVERY = 2 };

static void check(bool fine, const char *what)
{
    if (fine) return;
    printf("%s failed\n", what);
    exit(1);
}

static uint64_t seed = 2026;

static double next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* ---- growth ---------------------------------------------------------------------------------- */

typedef struct asked {
    mry_scan_query query;
    float cutoff;
} asked;

/* Blocks of clips and the shelf they make. */
typedef struct stock {
    mry_arena mem;
    mry_pose_blocks *blocks;
    mry_scan_part *parts;
    int count, block_count;
    int64_t rows;
    double index_s; /* processor time */
    mry_scan_shelf shelf;
    int *work_start, work_count;
    const asked *query;
    int64_t *left;
} stock;

static void scan_work(void *user, int64_t i)
{
    stock *s = user;
    mry_arena mem = mry_arena_make(s->mem.ctx);
    mry_stretches left;
    int from = s->work_start[i], to = s->work_start[i + 1];
    check(mry_scan_rule_out(&mem, &s->query->query, &s->shelf, s->parts + from, to - from,
                            s->query->cutoff, NULL, &left),
          "scan");
    s->left[i] = 0;
    for (int k = 0; k < left.count; k++) s->left[i] += left.items[k].to - left.items[k].from;
    mry_arena_free(&mem);
}

/* The same motion at another pace, with joints that tremble by a few millimetres. */
static mry_poses warped(mry_arena *mem, const mry_poses *of, double pace)
{
    mry_poses out = *of;
    size_t row = 3 * (size_t)of->points;
    out.rows = (int)((of->rows - 1) / pace);
    if (out.rows < 2) return *of;
    out.places = MRY_NEW(mem, float, (size_t)out.rows *row);
    out.centres = MRY_NEW(mem, double, 3 * (size_t)out.rows);
    out.marked = MRY_NEW(mem, uint8_t, out.rows);
    check(out.places && out.centres && out.marked, "memory");
    double phase = 6 * next_random();
    for (int i = 0; i < out.rows; i++) {
        double at = i * pace + 2 * sin(0.02 * i + phase);
        at = fmin(fmax(at, 0), of->rows - 1.001);
        size_t from = (size_t)at;
        float share = (float)(at - floor(at));
        for (size_t k = 0; k < row; k++) {
            const float *place = of->places + from * row + k;
            out.places[(size_t)i * row + k] = (1 - share) * place[0] + share * place[row] +
                                              0.3f * (float)sin(0.3 * i + (double)k + phase);
        }
        for (size_t k = 0; k < 3; k++) {
            const double *centre = of->centres + 3 * from + k;
            out.centres[3 * (size_t)i + k] =
                (1 - (double)share) * centre[0] + (double)share * centre[3];
        }
    }
    return out;
}

/* Of clips [0, count), `copies` of each; index_s is the time of what the index does. */
static void stock_fill(stock *s, marey_clip *const *clips, int count, double rate, int copies)
{
    s->blocks = MRY_NEW(&s->mem, mry_pose_blocks, count * copies);
    s->parts = MRY_NEW(&s->mem, mry_scan_part, count * copies);
    s->work_start = MRY_NEW(&s->mem, int, count *copies + 1);
    s->left = MRY_NEW(&s->mem, int64_t, count * copies + 1);
    check(s->blocks && s->parts && s->work_start && s->left, "memory");
    for (int i = 0; i < count; i++) {
        mry_arena tmp = mry_arena_make(s->mem.ctx);
        mry_poses poses;
        double start = bench_cpu_s();
        check(mry_poses_make(&tmp, clips[i], fmin(rate, marey_clip_fps(clips[i])), &poses, NULL) ==
                  MAREY_OK,
              "poses");
        s->index_s += copies * (bench_cpu_s() - start);
        for (int c = 0; c < copies && poses.points == MAREY_ROLE_COUNT; c++) {
            mry_poses other = c ? warped(&tmp, &poses, 0.8 + 0.4 * next_random()) : poses;
            mry_pose_blocks *to = &s->blocks[s->count];
            start = bench_cpu_s();
            check(mry_pose_blocks_make(&s->mem, &other, to), "blocks");
            s->index_s += bench_cpu_s() - start;
            if (s->work_count == 0 ||
                s->block_count - s->parts[s->work_start[s->work_count - 1]].block >= WORK)
                s->work_start[s->work_count++] = s->count;
            s->parts[s->count++] = (mry_scan_part){ s->block_count, to->rows };
            s->block_count += to->blocks + 1;
            s->rows += to->rows;
        }
        mry_arena_free(&tmp);
    }
    s->work_start[s->work_count] = s->count;
    check(mry_scan_shelf_make(&s->mem, MAREY_ROLE_COUNT, s->block_count, &s->shelf), "shelf");
    for (int i = 0; i < s->count; i++)
        mry_scan_shelf_put(&s->shelf, s->parts[i].block, &s->blocks[i], 1);
}

typedef struct grown {
    double poses, index_s, scan_s, wall_s;
} grown;

static grown grow(marey_ctx *ctx, marey_clip *const *clips, int count, double rate, int copies,
                  const asked *queries)
{
    stock s = { .mem = mry_arena_make(ctx) };
    double wall = 0, least = 1e9, left = 0;
    stock_fill(&s, clips, count, rate, copies);
    grown out = { .poses = (double)s.rows, .index_s = s.index_s };
    for (int q = 0; q < QUERIES; q++) {
        double best = 1e9, best_cpu = 1e9;
        s.query = &queries[q];
        for (int turn = 0; turn < 3; turn++) {
            double cpu = bench_cpu_s(), start = bench_wall_s();
            marey_ctx_run(ctx, s.work_count, scan_work, &s);
            best = fmin(best, bench_wall_s() - start);
            best_cpu = fmin(best_cpu, bench_cpu_s() - cpu);
        }
        for (int i = 0; i < s.work_count; i++) left += (double)s.left[i] / (double)s.rows;
        wall += best;
        out.scan_s += best_cpu;
        least = fmin(least, best);
    }
    out.scan_s /= QUERIES;
    out.wall_s = wall / QUERIES;
    printf("%8.0f poses at %3.0f a second: index %6.2f s of a processor, scan %6.1f ms of a "
           "processor, "
           "%6.1f ms passed, %.3f left\n",
           out.poses, rate, out.index_s, 1e3 * out.scan_s, 1e3 * out.wall_s, left / QUERIES);
    mry_arena_free(&s.mem);
    return out;
}

static double exponent(double from, double to, double less, double more)
{
    return log(to / from) / log(more / less);
}

/* A query of 1.5 s that moves, by its own weights, with its own cut-off. */
static bool draw(mry_arena *mem, const mry_poses *of, asked *out)
{
    int rows = (int)(1.5 * of->rate);
    float weights[MAREY_ROLE_COUNT];
    if (of->rows <= rows || of->points != MAREY_ROLE_COUNT) return false;
    int first = (int)(next_random() * (of->rows - rows));
    check(mry_query_weights(mem, of, first, first + rows, of->has, weights), "weights");
    check(mry_scan_query_make(mem, of, first, first + rows, EVERY, weights, 1, &out->query),
          "query");
    float still = mry_still_cost(mem, &out->query, of, first, 1);
    out->cutoff = 0.6f * still;
    return still >= 20;
}

static void show_growth(marey_ctx *ctx, marey_clip *const *clips, int count)
{
    mry_arena mem = mry_arena_make(ctx);
    asked queries[QUERIES];
    for (int q = 0; q < QUERIES;) {
        mry_poses poses;
        const marey_clip *clip = clips[(int)(next_random() * count)];
        check(mry_poses_make(&mem, clip, fmin(60, marey_clip_fps(clip)), &poses, NULL) == MAREY_OK,
              "poses");
        q += draw(&mem, &poses, &queries[q]);
    }
    grown all[6];
    for (int k = 0; k < 4; k++) all[k] = grow(ctx, clips, count >> (3 - k), 60, 1, queries);
    all[4] = grow(ctx, clips, count, 120, 1, queries);
    all[5] = grow(ctx, clips, count, 60, COPIES, queries);
    const grown *a = &all[0], *b = &all[5];
    bench_figure("growth of the index, exponent",
                 exponent(a->index_s, b->index_s, a->poses, b->poses), "", 1.05, false);
    bench_figure("growth of the scan, exponent", exponent(a->scan_s, b->scan_s, a->poses, b->poses),
                 "", 1.05, false);
    bench_figure("scan of the most poses", 1e3 * b->wall_s, "ms", 100, false);
    mry_arena_free(&mem);
}

/* ---- truth ----------------------------------------------------------------------------------- */

typedef struct numbers { /* rows of a clip or a query, about their weighted means */
    int rows;
    double *values, *sizes;
    const uint8_t *marked;
} numbers;

/* Distances are rounded to about a millionth of the squares that they are differences of, a square
   metre, whatever they are themselves: below that costs are compared as if they were as large. */
static const double SMALL_CM2 = 20;

typedef struct end {
    int start, end;
    double cost;
} end;

static numbers numbers_of(mry_arena *mem, const mry_poses *of, int first, int rows,
                          const float *weights)
{
    size_t each = 6 * (size_t)of->points;
    numbers out = { rows, MRY_NEW(mem, double, (size_t)rows *each), MRY_NEW(mem, double, rows),
                    of->marked + first };
    float *row = MRY_NEW(mem, float, each);
    check(out.values && out.sizes && row, "memory");
    for (int r = 0; r < rows; r++) {
        double mean[3] = { 0 }, *to = out.values + (size_t)r * each;
        mry_pose_row(of, first + r, 1, row);
        for (int i = 0; i < 3 * of->points; i++)
            mean[i % 3] += (double)weights[i / 3] * (double)row[i];
        for (int i = 0; i < 6 * of->points; i++) {
            double root = sqrt((double)weights[i / 3 % of->points]);
            to[i] = root * ((double)row[i] - (i < 3 * of->points ? mean[i % 3] : 0));
            out.sizes[r] += to[i] * to[i];
        }
    }
    return out;
}

static double distance(const numbers *a, int i, const numbers *b, int j, int points)
{
    size_t each = 6 * (size_t)points;
    const double *u = a->values + (size_t)i * each, *v = b->values + (size_t)j * each;
    double re = 0, im = 0, y = 0;
    for (size_t k = 0; k < each; k += 3) {
        re += u[k] * v[k] + u[k + 1] * v[k + 1];
        im += u[k] * v[k + 1] - u[k + 1] * v[k];
        y += u[k + 2] * v[k + 2];
    }
    return fmax(a->sizes[i] + b->sizes[j] - 2 * y - 2 * hypot(re, im), 0);
}

/* The cheapest alignments of all ends, by what they may do: every other row of the query and its last
   one, each one to four rows behind the one before; at most cutoff. */
static int try_clip(mry_arena *mem, const numbers *q, const numbers *v, int points, double cutoff,
                    end *out)
{
    int cols = v->rows, rows = q->rows / EVERY + 1, count = 0;
    double *sums = MRY_NEW_RAW(mem, double, 2 * (size_t)cols), *now = sums, *before = sums + cols;
    int *from = MRY_NEW_RAW(mem, int, 2 * (size_t)cols), *start = from, *started = from + cols;
    check(sums && from, "memory");
    for (int i = 0; i < rows; i++) {
        now = sums + i % 2 * cols, before = sums + (i + 1) % 2 * cols;
        start = from + i % 2 * cols, started = from + (i + 1) % 2 * cols;
        int row = EVERY * i < q->rows ? EVERY * i : q->rows - 1;
        for (int j = 0; j < cols; j++) {
            double least = i ? (double)INFINITY : 0;
            start[j] = j;
            for (int d = 1; d <= 2 * EVERY && d <= j && i > 0; d++) {
                if (!(before[j - d] < least)) continue;
                least = before[j - d];
                start[j] = started[j - d];
            }
            now[j] = least + (v->marked[j] ? (double)INFINITY : distance(q, row, v, j, points));
        }
    }
    for (int j = 0; j < cols; j++) {
        if (now[j] / rows <= cutoff) out[count++] = (end){ start[j], j + 1, now[j] / rows };
    }
    return count;
}

static double overlap(int start, int stop, int from, int to)
{
    int both = (stop < to ? stop : to) - (start > from ? start : from);
    int shorter = stop - start < to - from ? stop - start : to - from;
    return (double)both / shorter;
}

typedef struct compared {
    int ends, found, missed, wrong, matches, web, only_web, only_poses;
    double worst;
} compared;

/* A library of the clips alone, at the rate of poses, so that rows are frames. */
static marey_library *make_library(marey_ctx *ctx, marey_clip *const *clips, const int *chosen,
                                   const char *path)
{
    marey_library *library;
    marey_error error;
    remove(path);
    check(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &error) == MAREY_OK, path);
    for (int i = 0; i < CLIPS; i++) {
        marey_clip *slow;
        char name[32];
        snprintf(name, sizeof name, "clip%02d", i);
        check(marey_clip_resample(clips[chosen[i]], 60, &slow, &error) == MAREY_OK, "resampling");
        check(marey_library_put(library, slow, name, NULL, NULL, 0, &error) == MAREY_OK, "putting");
        marey_clip_free(slow);
    }
    return library;
}

static bool meets(const marey_match *all, int count, const char *name, int start, int stop)
{
    for (int m = 1; m < count; m++) {
        if (strcmp(all[m].name, name) == 0 && overlap(all[m].start, all[m].end, start, stop) >= 0.5)
            return true;
    }
    return false;
}

/* The ends of one clip, by ruling out and measuring. One that is at the cut-off but for rounding may
   be on either side of it. */
static void check_clip(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                       double cutoff, const end *ends, int count, compared *all)
{
    mry_pose_blocks blocks;
    mry_scan_shelf shelf;
    mry_stretches left;
    double rounding = 1e-4 * fmax(cutoff, SMALL_CM2);
    float *costs = MRY_NEW(mem, float, poses->rows); /* that were found; 0: none */
    check(costs && mry_pose_blocks_make(mem, poses, &blocks) &&
              mry_scan_shelf_make(mem, poses->points, blocks.blocks + 1, &shelf),
          "blocks");
    mry_scan_shelf_put(&shelf, 0, &blocks, 1);
    mry_scan_part part = { 0, poses->rows };
    check(mry_scan_rule_out(mem, query, &shelf, &part, 1, (float)cutoff, NULL, &left), "scan");
    for (int i = 0; i < left.count; i++) {
        mry_scan_strip strip;
        mry_scan_ends found;
        check(mry_scan_measure(mem, query, poses, 1, (float)cutoff, left.items[i], &strip, &found),
              "measuring");
        for (int k = 0; k < found.count; k++)
            costs[found.items[k].end] = fmaxf(found.items[k].cost, 1e-9f);
    }
    for (int e = 0; e < count; e++) {
        float *cost = &costs[ends[e].end - 1];
        if (*cost > 0) {
            double off = fabs((double)*cost - ends[e].cost);
            all->worst = fmax(all->worst, off / fmax(ends[e].cost, SMALL_CM2));
            all->found++;
        } else if (ends[e].cost < cutoff - rounding) {
            all->missed++;
        }
        *cost = 0;
    }
    for (int j = 0; j < poses->rows; j++)
        all->wrong += costs[j] > 0 && (double)costs[j] < cutoff - rounding;
    all->ends += count;
}

static void compare(marey_ctx *ctx, marey_library *library, marey_searcher *searcher, compared *all)
{
    mry_arena mem = mry_arena_make(ctx);
    mry_poses poses[CLIPS];
    marey_error error;
    int rows = 90, own = (int)(next_random() * CLIPS), most = 0;
    for (int i = 0; i < CLIPS; i++) {
        marey_clip *clip;
        char name[32];
        snprintf(name, sizeof name, "clip%02d", i);
        check(marey_library_load(library, name, &clip, &error) == MAREY_OK, name);
        check(mry_poses_make(&mem, clip, 60, &poses[i], &error) == MAREY_OK, name);
        most += poses[i].rows;
        marey_clip_free(clip);
    }
    if (rows > poses[own].rows) rows = poses[own].rows;
    int first, count, web_count;
    bool captured; /* a search leaves other frames out of a query */
    do {
        first = (int)(next_random() * (poses[own].rows - rows));
        captured = true;
        for (int i = first; i < first + rows; i++) captured &= !poses[own].marked[i];
    } while (!captured);
    char name[32];
    snprintf(name, sizeof name, "clip%02d", own);
    marey_query query = { .clip = name, .start = first, .end = first + rows };
    marey_finding *finding, *by_web;
    check(marey_searcher_find(searcher, &query, NULL, &finding, &error) == MAREY_OK, name);
    const marey_match *matches = marey_finding_matches(finding, &count);
    double cutoff = 0.6 * marey_finding_report_of(finding).still_cost;
    all->matches += count - 1;
    end *ends = MRY_NEW(&mem, end, most);
    for (int i = 0; i < CLIPS; i++) {
        float weights[MAREY_ROLE_COUNT];
        mry_arena tmp = mry_arena_make(ctx);
        check(mry_query_weights(&tmp, &poses[own], first, first + rows, poses[i].has, weights),
              "weights");
        numbers q = numbers_of(&tmp, &poses[own], first, rows, weights);
        numbers v = numbers_of(&tmp, &poses[i], 0, poses[i].rows, weights);
        mry_scan_query scan;
        check(mry_scan_query_make(&tmp, &poses[own], first, first + rows, EVERY, weights, 1, &scan),
              "query");
        check_clip(&tmp, &scan, &poses[i], cutoff, ends,
                   try_clip(&tmp, &q, &v, poses[i].points, cutoff, ends), all);
        mry_arena_free(&tmp);
    }
    marey_find_def def = { .web = true,
                           .search = { .threshold = cutoff, .tiers = 1, .same = 0.5 } };
    check(marey_searcher_find(searcher, &query, &def, &by_web, &error) == MAREY_OK, error.message);
    const marey_match *webs = marey_finding_matches(by_web, &web_count);
    all->web += web_count - 1;
    for (int m = 1; m < web_count; m++)
        all->only_web += !meets(matches, count, webs[m].name, webs[m].start, webs[m].end);
    for (int m = 1; m < count; m++)
        all->only_poses +=
            !meets(webs, web_count, matches[m].name, matches[m].start, matches[m].end);
    marey_finding_free(by_web);
    marey_finding_free(finding);
    mry_arena_free(&mem);
}

static void show_truth(marey_ctx *ctx, marey_clip *const *clips, int count)
{
    const char *path = "bench-scan.marey";
    int chosen[CLIPS];
    for (int i = 0; i < CLIPS; i++) {
        do chosen[i] = (int)(next_random() * count);
        while (marey_clip_frames(clips[chosen[i]]) < 240 ||
               marey_clip_frames(clips[chosen[i]]) > 3000);
    }
    marey_library *library = make_library(ctx, clips, chosen, path);
    marey_searcher *searcher;
    marey_error error;
    compared all = { 0 };
    check(marey_library_index(library, NULL, NULL, &error) == MAREY_OK, "webs");
    check(marey_searcher_open(library, &searcher, &error) == MAREY_OK, path);
    for (int q = 0; q < TRUTHS; q++) compare(ctx, library, searcher, &all);
    printf("%d queries on %d clips: %d ends within 0.6 of the still cost, %d of them found\n",
           TRUTHS, CLIPS, all.ends, all.found);
    bench_figure("ends that were missed", all.missed, "", 0, false);
    bench_figure("ends that are none", all.wrong, "", 0, false);
    bench_figure("costs differ by at most", all.worst, "of costs (20 cm2)", 1e-4, false);
    printf(
        "%d matches; by webs, first tier, up to the same cost: %d; %d of ours are not among them, "
        "%d of theirs not among ours (another distance)\n",
        all.matches, all.web, all.only_poses, all.only_web);
    marey_searcher_free(searcher);
    marey_library_close(library);
    remove(path);
}

int main(int argc, char **argv)
{
    char path[1100];
    marey_ctx_def def = { .threads = argc > 2 ? atoi(argv[2]) : 2 };
    marey_ctx *ctx;
    marey_library *library;
    marey_listing *listing;
    marey_error error;
    int count;
    snprintf(path, sizeof path, "%s/cmu_large.marey", bench_mocap_folder());
    if (argc > 1) snprintf(path, sizeof path, "%s", argv[1]);
    check(marey_ctx_open(&def, &ctx) == MAREY_OK, "context");
    if (marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &error) != MAREY_OK) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    check(marey_library_list(library, NULL, &listing, &error) == MAREY_OK, path);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    marey_clip **clips = calloc((size_t)count, sizeof *clips);
    for (int i = 0; i < count; i++)
        check(marey_library_load(library, entries[i].name, &clips[i], &error) == MAREY_OK, "clip");
    show_truth(ctx, clips, count);
    fflush(stdout);
    show_growth(ctx, clips, count);
    for (int i = 0; i < count; i++) marey_clip_free(clips[i]);
    free(clips);
    marey_listing_free(listing);
    marey_library_close(library);
    marey_ctx_close(ctx);
    return 0;
}
