/* solve_tree.c - which points are joints, and what hangs on what: by a map, which presets have too;
   by the file's own parents; or, where nothing is known, by what keeps its distance: the tree over
   the points whose pairs stray least (Prim 1957), as bones do. */
#include "retarget/solve.h"
#include "retarget/solve_presets.h"

#include "base/fail.h"
#include "motion/clip_data.h"
#include "motion/quantile.h"

#include <string.h>

enum { LOOKS = 256, MOST_JOINED = 512 };

/* Bones of an order that fits stray by no more than this many times what those of the best tree do,
   and this share of their length. */
static const double KEEPS = 3, KEEPS_SHARE = 0.005;

double mry_solve_spread(const mry_vec *a, const mry_vec *b, int frames, double *median)
{
    double seen[LOOKS], off[LOOKS];
    int count = 0, looks = frames < LOOKS ? frames : LOOKS;
    for (int i = 0; i < looks; i++) {
        int f = (int)((int64_t)i * frames / looks);
        double distance = mry_vec_length(mry_vec_sub(a[f], b[f]));
        if (isfinite(distance)) seen[count++] = distance;
    }
    *median = count ? mry_nth(seen, (size_t)count, (size_t)count / 2) : 0;
    for (int i = 0; i < count; i++) off[i] = fabs(seen[i] - *median);
    return count ? mry_quantile(off, (size_t)count, 0.95) : INFINITY;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Without case and "_-. ", and behind a subject's "Name:". */
static bool same_name(const char *a, const char *b, size_t count)
{
    const char *colon = strrchr(a, ':'), *end = b + count;
    if (colon && colon[1]) a = colon + 1;
    for (;; a++, b++) {
        while (*a && strchr("_-. ", *a)) a++;
        while (b < end && strchr("_-. ", *b)) b++;
        if (b == end || !*a) return b == end && !*a;
        int x = (unsigned char)*a, y = (unsigned char)*b;
        if (x >= 'A' && x <= 'Z') x += 'a' - 'A';
        if (y >= 'A' && y <= 'Z') y += 'a' - 'A';
        if (x != y) return false;
    }
}

static int find_name(const char *const *names, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; i++)
        if (same_name(names[i], text, length)) return i;
    return -1;
}

/* ---- from a list of joints in any order ----------------------------------------------------- */

/* Joints by their names, with parents and points; in depth-first order once they are all there. */
typedef struct draft {
    int count, points;
    const char **name;
    int *parent, *first, *point;
} draft;

static marey_status settle(mry_arena *mem, const draft *d, const char *path, mry_solve_tree *out,
                           marey_error *error)
{
    int n = d->count, root = -1, used = 0, points = 0;
    int *order = MRY_NEW(mem, int, n), *number = MRY_NEW(mem, int, n);
    int *child = MRY_NEW(mem, int, n), *next = MRY_NEW(mem, int, n);
    out->name = MRY_NEW(mem, const char *, n);
    out->parent = MRY_NEW(mem, int, n);
    out->first = MRY_NEW(mem, int, n + 1);
    out->point = MRY_NEW(mem, int, d->points + 1);
    if (!order || !number || !child || !next || !out->name || !out->parent || !out->first ||
        !out->point)
        return mry_fail_memory(error, path);
    for (int i = 0; i < n; i++) child[i] = next[i] = -1;
    for (int i = n - 1; i >= 0; i--) {
        int parent = d->parent[i];
        if (parent < 0 && root >= 0)
            return mry_fail(error, MAREY_ERR_INPUT, path,
                            "all joints must hang on one root, got %s and %s", d->name[i],
                            d->name[root]);
        if (parent < 0) {
            root = i;
        } else {
            next[i] = child[parent];
            child[parent] = i;
        }
    }
    for (int i = root; i >= 0;) {
        number[i] = used;
        order[used++] = i;
        int to = child[i], up = i;
        while (to < 0 && up >= 0) {
            to = next[up];
            up = d->parent[up];
        }
        i = to;
    }
    if (used < n)
        return mry_fail(error, MAREY_ERR_INPUT, path,
                        "all joints must hang on one root, got a circle");
    out->count = n;
    for (int i = 0; i < n; i++) {
        int from = order[i];
        out->name[i] = d->name[from];
        out->parent[i] = d->parent[from] < 0 ? -1 : number[d->parent[from]];
        out->first[i] = points;
        for (int k = d->first[from]; k < d->first[from + 1]; k++)
            out->point[points++] = d->point[k];
    }
    out->first[n] = points;
    return MAREY_OK;
}

static bool draft_make(mry_arena *mem, int joints, int points, draft *d)
{
    *d = (draft){ .name = MRY_NEW(mem, const char *, joints),
                  .parent = MRY_NEW(mem, int, joints),
                  .first = MRY_NEW(mem, int, joints + 1),
                  .point = MRY_NEW(mem, int, points) };
    return d->name && d->parent && d->first && d->point;
}

/* Every point a joint of its own, below the parents that are given. */
static marey_status settle_points(mry_arena *mem, const marey_points *points, const int *parents,
                                  mry_solve_tree *out, marey_error *error)
{
    draft d;
    if (!draft_make(mem, points->count, points->count, &d))
        return mry_fail_memory(error, points->name);
    d.count = d.points = points->count;
    for (int i = 0; i < points->count; i++) {
        size_t length = strlen(points->names[i]);
        bool sound =
            length > 0 && length <= MRY_LONGEST_JOINT_NAME && !strpbrk(points->names[i], "\r\n");
        d.name[i] = sound ? points->names[i] : mry_arena_print(mem, "point%d", i + 1);
        if (!d.name[i]) return mry_fail_memory(error, points->name);
        d.parent[i] = parents[i];
        d.first[i] = d.point[i] = i;
    }
    d.first[d.count] = d.count;
    return settle(mem, &d, points->name, out, error);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static const char *trim(const char *from, const char **end)
{
    while (from < *end && (*from == ' ' || *from == '\t' || *from == '\r')) from++;
    while (*end > from && ((*end)[-1] == ' ' || (*end)[-1] == '\t' || (*end)[-1] == '\r')) (*end)--;
    return from;
}

/* joint,parent,point+point in every line. `names` are those of the points, in their order. */
static marey_status read_map(mry_arena *mem, const char *path, const char *map,
                             const char *const *names, int count, mry_solve_tree *out,
                             marey_error *error)
{
    int lines = 1, pieces = 1, line = 0;
    draft d;
    for (const char *p = map; *p; p++) {
        lines += *p == '\n';
        pieces += *p == '+' || *p == '\n';
    }
    if (lines > MRY_SOLVE_MOST_POINTS)
        return mry_fail(error, MAREY_ERR_LIMIT, path, "a map must have at most %d lines, got %d",
                        MRY_SOLVE_MOST_POINTS, lines);
    if (!draft_make(mem, lines, pieces, &d)) return mry_fail_memory(error, path);
    for (const char *at = map; *at;) {
        const char *end = strchrnul(at, '\n'), *field[3], *stop[3];
        const char *row = at, *row_end = end, *remark = memchr(row, '#', (size_t)(end - row));
        line++;
        at = *end ? end + 1 : end;
        if (remark) row_end = remark;
        row = trim(row, &row_end);
        if (row == row_end) continue;
        for (int i = 0; i < 3; i++) {
            const char *comma = i < 2 ? memchr(row, ',', (size_t)(row_end - row)) : NULL;
            if (i < 2 && !comma)
                return mry_fail(error, MAREY_ERR_REQUEST, path,
                                "map line %d must be joint,parent,point+point", line);
            stop[i] = i < 2 ? comma : row_end;
            field[i] = trim(row, &stop[i]);
            row = i < 2 ? comma + 1 : row_end;
        }
        size_t length = (size_t)(stop[0] - field[0]), above = (size_t)(stop[1] - field[1]);
        int j = d.count;
        if (length < 1 || length > MRY_LONGEST_JOINT_NAME ||
            find_name(d.name, j, field[0], length) >= 0)
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "map line %d must name a joint that no line before it has", line);
        d.parent[j] = above ? find_name(d.name, j, field[1], above) : -1;
        if (above && d.parent[j] < 0)
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "map line %d must hang on a joint of a line before it, got %.*s", line,
                            (int)above, field[1]);
        d.first[j] = d.points;
        for (const char *p = field[2]; p <= stop[2];) {
            const char *plus = memchr(p, '+', (size_t)(stop[2] - p)), *to = plus ? plus : stop[2];
            const char *tail = to, *name = trim(p, &tail);
            int point = find_name(names, count, name, (size_t)(tail - name));
            if (point < 0)
                return mry_fail(error, MAREY_ERR_REQUEST, path,
                                "map line %d must name points of the file, got \"%.*s\"", line,
                                (int)(tail - name), name);
            d.point[d.points++] = point;
            p = to + 1;
        }
        d.name[j] = mry_arena_text(mem, field[0], length);
        if (!d.name[j]) return mry_fail_memory(error, path);
        d.first[++d.count] = d.points;
    }
    if (d.count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a map must have a line for every joint");
    return settle(mem, &d, path, out, error);
}

/* ---- presets --------------------------------------------------------------------------------- */

/* The names of a preset's points; NULL: out of memory. */
static const char **split(mry_arena *mem, const char *text, int *count)
{
    int words = 1;
    for (const char *p = text; *p; p++) words += *p == ' ';
    const char **names = MRY_NEW(mem, const char *, words);
    *count = words;
    for (int i = 0; names && i < words; i++) {
        size_t length = strcspn(text, " ");
        names[i] = mry_arena_text(mem, text, length);
        if (!names[i]) return NULL;
        text += length + (text[length] == ' ');
    }
    return names;
}

/* How much of their length a tree's bones stray by, in the mean. */
static marey_status judge(mry_arena *mem, const marey_points *points, const mry_solve_tree *tree,
                          double *out)
{
    int looks = points->frames < LOOKS ? points->frames : LOOKS, bones = 0;
    mry_vec *at = MRY_NEW(mem, mry_vec, (size_t)tree->count * (size_t)looks);
    double shares = 0;
    if (!at) return MAREY_ERR_MEMORY;
    for (int j = 0; j < tree->count; j++) {
        for (int i = 0; i < looks; i++) {
            size_t f = (size_t)((int64_t)i * points->frames / looks);
            mry_vec sum = { 0 };
            for (int k = tree->first[j]; k < tree->first[j + 1]; k++) {
                const float *p = points->at + 3 * (f * (size_t)points->count + tree->point[k]);
                sum = mry_vec_add(sum, (mry_vec){ p[0], p[1], p[2] });
            }
            at[(size_t)j * (size_t)looks + i] =
                mry_vec_scale(sum, 1.0 / (tree->first[j + 1] - tree->first[j]));
        }
        if (j == 0) continue;
        double length,
            off = mry_solve_spread(at + (size_t)j * (size_t)looks,
                                   at + (size_t)tree->parent[j] * (size_t)looks, looks, &length);
        if (!isfinite(off)) continue;
        shares += fmin(1, off / (length + 1e-9));
        bones++;
    }
    *out = bones ? shares / bones : INFINITY;
    return MAREY_OK;
}

/* ---- distances ------------------------------------------------------------------------------- */

static marey_status join(mry_arena *mem, const marey_points *points, mry_solve_tree *out,
                         marey_error *error)
{
    int n = points->count, looks = points->frames < LOOKS ? points->frames : LOOKS;
    if (n > MOST_JOINED)
        return mry_fail(error, MAREY_ERR_LIMIT, points->name,
                        "at most %d points are joined by their distances, got %d; --map says which "
                        "of them are joints",
                        MOST_JOINED, n);
    mry_vec *at = MRY_NEW(mem, mry_vec, (size_t)n * (size_t)looks);
    double *best = MRY_NEW(mem, double, n);
    int *parent = MRY_NEW(mem, int, n);
    bool *in = MRY_NEW(mem, bool, n);
    if (!at || !best || !parent || !in) return mry_fail_memory(error, points->name);
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < looks; i++) {
            size_t f = (size_t)((int64_t)i * points->frames / looks);
            const float *p = points->at + 3 * (f * (size_t)n + j);
            at[(size_t)j * (size_t)looks + i] = (mry_vec){ p[0], p[1], p[2] };
            for (int k = 0; k < 3 && isfinite(p[k]); k++) {
                low[k] = fmin(low[k], p[k]);
                high[k] = fmax(high[k], p[k]);
            }
        }
        best[j] = INFINITY;
        parent[j] = -1;
    }
    /* Of pairs that keep their distance equally well the nearer one is the bone. */
    double size = mry_vec_length((mry_vec){ high[0] - low[0], high[1] - low[1], high[2] - low[2] });
    for (int added = 0, j = 0; added < n; added++) {
        in[j] = true;
        int to = -1;
        for (int i = 0; i < n; i++) {
            double length, off = mry_solve_spread(at + (size_t)j * (size_t)looks,
                                                  at + (size_t)i * (size_t)looks, looks, &length);
            double cost = in[i] ? INFINITY : off + 0.02 * length + 1e-6 * size;
            if (cost < best[i]) {
                best[i] = cost;
                parent[i] = j;
            }
            if (!in[i] && (to < 0 || best[i] < best[to])) to = i;
        }
        if (to >= 0 && parent[to] < 0) parent[to] = 0; /* never seen with any other */
        j = to;
    }
    /* The root is where most others are near: the point with the least sum of ways along the tree,
       by number of bones. */
    int root = 0;
    int64_t least = INT64_MAX;
    int *depth = MRY_NEW(mem, int, n);
    if (!depth) return mry_fail_memory(error, points->name);
    for (int r = 0; r < n; r++) {
        int64_t sum = 0;
        for (int i = 0; i < n; i++) depth[i] = -1;
        for (int up = r, d = 0; up >= 0; up = parent[up]) depth[up] = d++;
        for (int i = 0; i < n; i++) {
            int up = i, d = 0;
            while (depth[up] < 0) {
                up = parent[up];
                d++;
            }
            sum += depth[up] + d;
        }
        if (sum < least) {
            least = sum;
            root = r;
        }
    }
    for (int j = root, above = -1; j >= 0;) { /* turned around on the way from the new root */
        int up = parent[j];
        parent[j] = above;
        above = j;
        j = up;
    }
    return settle_points(mem, points, parent, out, error);
}

/* ---- all of it ------------------------------------------------------------------------------- */

marey_status mry_solve_tree_find(mry_arena *mem, const marey_points *points,
                                 const marey_solve_def *def, mry_solve_tree *out,
                                 marey_error *error)
{
    const mry_solve_preset *row;
    bool named = false;
    double best = INFINITY, least = -1;
    const char *path = points->name;
    if (points->count > MRY_SOLVE_MOST_POINTS)
        return mry_fail(error, MAREY_ERR_LIMIT, path, "at most %d points are solved, got %d",
                        MRY_SOLVE_MOST_POINTS, points->count);
    out->preset = "";
    for (int i = 0; i < points->count; i++) named |= points->names[i][0] != 0;
    if (def->map) return read_map(mem, path, def->map, points->names, points->count, out, error);
    if (!def->preset && points->parents)
        return settle_points(mem, points, points->parents, out, error);
    for (int i = 0; (row = mry_solve_preset_at(i)) != NULL; i++) {
        if (!row->points || (def->preset && strcmp(row->name, def->preset) != 0)) continue;
        int count, found = 0;
        const char **names = split(mem, row->points, &count);
        if (!names) return mry_fail_memory(error, path);
        for (int k = 0; k < count && named; k++)
            found += find_name(points->names, points->count, names[k], strlen(names[k])) >= 0;
        bool by_name = found == count, by_order = !by_name && points->count == count;
        if (by_order && !def->preset && named) by_order = false;
        if (!by_name && !by_order && def->preset)
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "points of preset %s must be %d, or have its names, got %d", row->name,
                            count, points->count);
        if (!by_name && !by_order) continue;
        mry_solve_tree tree = { .preset = row->name };
        double off = 0;
        marey_status status = read_map(mem, path, row->map, by_name ? points->names : names,
                                       by_name ? points->count : count, &tree, error);
        if (!status && by_order && !def->preset) {
            mry_solve_tree joined = { 0 };
            if (least < 0) status = join(mem, points, &joined, error);
            if (!status && ((least < 0 && judge(mem, points, &joined, &least)) ||
                            judge(mem, points, &tree, &off)))
                status = mry_fail_memory(error, path);
            if (!status && off > KEEPS * least + KEEPS_SHARE) continue;
        }
        if (status) return status;
        if (off < best) {
            best = off;
            *out = tree;
        }
        if (by_name) break;
    }
    if (best < INFINITY) return MAREY_OK;
    bool any = def->preset && strcmp(def->preset, "any") == 0;
    if (def->preset && !any) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "preset must be one of those that --help lists, got %s", def->preset);
    }
    bool markers = strcmp(points->format, "c3d") == 0 || strcmp(points->format, "trc") == 0;
    if (markers && !any)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "markers are no joints: marey solve --map FILE says which of them make up "
                        "each joint, a line each: left_knee,left_hip,LKNE+LKNI (joint, its parent, "
                        "markers); --preset any joins them by their distances");
    return join(mem, points, out, error);
}
