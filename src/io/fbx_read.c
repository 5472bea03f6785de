/* fbx_read.c - the skeleton and one take of an FBX file become a clip. assimp reads the file, in a
   process of its own (fbx_child.c); what it reads otherwise than the file means is found by a look at
   the file itself (fbx_look.c) and said. docs/fbx.md has the table. */
#include "base/fail.h"
#include "io/fbx_answer.h"
#include "io/fbx_child.h"
#include "io/fbx_look.h"
#include "io/format.h"
#include "io/scene.h"

#include <math.h>
#include <string.h>

enum { OLDEST = 7100 }; /* of the versions that assimp reads */

bool mry_fbx_probe(const mry_scan *scan)
{
    static const char binary[] = "Kaydara FBX Binary", text[] = "; FBX ";
    size_t left = (size_t)(scan->end - scan->p);
    return (left >= sizeof binary && memcmp(scan->p, binary, sizeof binary - 1) == 0) ||
           (left >= sizeof text && memcmp(scan->p, text, sizeof text - 1) == 0);
}

typedef struct reader {
    mry_scan *scan;
    mry_arena *tmp;
    mry_fbx_facts facts;
    const uint8_t *p, *end; /* what is left of the answer */
    bool cut;               /* it ended too early, or makes no sense */
    mry_scene scene;
    int axes[6];
    double unit, fps;
    mry_take *takes;
    int take_count;
    mry_track **tracks; /* of each take */
    int *track_counts, *lost;
} reader;

/* ---- the answer ------------------------------------------------------------------------------ */

static const void *take_bytes(reader *r, size_t count)
{
    if (r->cut || (size_t)(r->end - r->p) < count) {
        r->cut = true;
        return NULL;
    }
    const void *at = r->p;
    r->p += count;
    return at;
}

static int take_int(reader *r)
{
    int value = 0;
    const void *at = take_bytes(r, sizeof value);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

/* How many of something that takes `size` bytes or more each. */
static int take_count(reader *r, size_t size)
{
    int count = take_int(r);
    if (count < 0 || (size_t)count > (size_t)(r->end - r->p) / size) r->cut = true;
    return r->cut ? 0 : count;
}

static void take_doubles(reader *r, double *out, int count)
{
    const void *at = take_bytes(r, (size_t)count * sizeof *out);
    for (int i = 0; i < count; i++) out[i] = 0;
    if (at) memcpy(out, at, (size_t)count * sizeof *out);
    for (int i = 0; i < count; i++) {
        if (!isfinite(out[i])) r->cut = true;
    }
}

/* NULL: no memory, or cut. */
static const char *take_text(reader *r)
{
    int length = take_count(r, 1);
    const char *at = take_bytes(r, ((size_t)length + 3) / 4 * 4);
    return at ? mry_arena_text(r->tmp, at, strnlen(at, (size_t)length)) : NULL;
}

static const float *take_floats(reader *r, size_t count)
{
    const float *at = take_bytes(r, count * sizeof *at);
    for (size_t i = 0; at && i < count; i++) {
        if (!isfinite(at[i])) r->cut = true;
    }
    return at;
}

static marey_status take_nodes(reader *r)
{
    enum { LEAST = 3 * 4 + 22 * 8 };
    mry_scene *scene = &r->scene;
    int count = take_count(r, LEAST);
    if (r->cut || count == 0) return r->cut = true, MAREY_OK;
    scene->bind = MRY_NEW(r->tmp, double, MRY_RIG_NUMBERS *(size_t)count);
    scene->has_bind = MRY_NEW(r->tmp, bool, count);
    if (!scene->bind || !scene->has_bind || !mry_scene_begin(scene, count))
        return mry_fail_memory(r->scan->error, r->scan->path);
    scene->order_count = count;
    for (int n = 0; n < count && !r->cut; n++) {
        mry_transform *rest = &scene->rest[n];
        double parts[10];
        scene->order[n] = n;
        scene->parent[n] = take_int(r);
        int flags = take_int(r);
        if (scene->parent[n] < -1 || scene->parent[n] >= n || (n > 0 && scene->parent[n] < 0))
            r->cut = true;
        scene->names[n] = take_text(r);
        if (!scene->names[n] && !r->cut) return mry_fail_memory(r->scan->error, r->scan->path);
        rest->has_matrix = true;
        take_doubles(r, rest->matrix, MRY_RIG_NUMBERS);
        take_doubles(r, parts, 10);
        memcpy(rest->place, parts, sizeof rest->place);
        memcpy(rest->turn, parts + 3, sizeof rest->turn);
        memcpy(rest->scale, parts + 7, sizeof rest->scale);
        scene->drops_scale[n] = flags & MRY_FBX_DROPS_SCALE;
        scene->has_bind[n] = flags & MRY_FBX_HAS_BIND;
        if (scene->has_bind[n])
            take_doubles(r, scene->bind + (size_t)n * MRY_RIG_NUMBERS, MRY_RIG_NUMBERS);
    }
    return MAREY_OK;
}

static marey_status take_takes(reader *r)
{
    int count = r->take_count = take_count(r, 20);
    r->takes = MRY_NEW(r->tmp, mry_take, count + 1);
    r->tracks = MRY_NEW(r->tmp, mry_track *, count + 1);
    r->track_counts = MRY_NEW(r->tmp, int, count + 1);
    r->lost = MRY_NEW(r->tmp, int, count + 1);
    if (!r->takes || !r->tracks || !r->track_counts || !r->lost)
        return mry_fail_memory(r->scan->error, r->scan->path);
    for (int t = 0; t < count && !r->cut; t++) {
        const char *name = take_text(r);
        double seconds;
        take_doubles(r, &seconds, 1);
        r->takes[t] = (mry_take){ name && *name ? name : NULL, 0, seconds };
        r->lost[t] = take_int(r);
        int tracks = r->track_counts[t] = take_count(r, 28);
        r->tracks[t] = MRY_NEW(r->tmp, mry_track, tracks + 1);
        if ((!name && !r->cut) || !r->tracks[t])
            return mry_fail_memory(r->scan->error, r->scan->path);
        for (int i = 0; i < tracks && !r->cut; i++) {
            mry_track *one = &r->tracks[t][i];
            one->node = take_int(r);
            int to = take_int(r);
            if (one->node < 0 || one->node >= r->scene.count || to < 0 || to >= MRY_PATHS)
                r->cut = true;
            one->to = r->cut ? MRY_PLACE : (mry_track_path)to;
            size_t width = one->to == MRY_TURN ? 4 : 3;
            one->keys = take_count(r, (1 + width) * sizeof(float));
            one->times = take_floats(r, (size_t)one->keys);
            one->values = take_floats(r, width * (size_t)one->keys);
            for (int k = 1; k < one->keys && !r->cut; k++) {
                if (one->times[k] < one->times[k - 1]) r->cut = true;
            }
        }
    }
    return MAREY_OK;
}

/* What the program said, or why it refused. */
static marey_status take_answer(reader *r)
{
    mry_scan *scan = r->scan;
    bool magic = take_int(r) == MRY_FBX_MAGIC;
    int refused = take_int(r);
    if (magic && refused == MRY_FBX_NO_MEMORY) return mry_fail_memory(scan->error, scan->path);
    if (magic && refused) {
        char why[300];
        const char *text = take_text(r);
        mry_quote(why, sizeof why, text ? text : "", text ? strlen(text) : 0);
        if (r->facts.version > 0 && r->facts.version < OLDEST)
            return mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                            "it is of FBX version %d.%d, and assimp reads 7.1 and later; write it "
                            "again as FBX 2014 or later",
                            r->facts.version / 1000, r->facts.version / 100 % 10);
        return mry_fail(scan->error, MAREY_ERR_INPUT, scan->path, "assimp refuses it: %s", why);
    }
    for (int i = 0; i < 6; i++) r->axes[i] = take_int(r);
    take_doubles(r, &r->unit, 1);
    take_doubles(r, &r->fps, 1);
    marey_status status = take_nodes(r);
    if (!status) status = take_takes(r);
    if (status || (magic && !r->cut)) return status;
    return mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                    "what assimp found in it makes no sense; it may be damaged");
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* Bones by the file's own word; else those of skins; else all that is animated and what is below.
   Returns how many. */
static int mark_joints(reader *r)
{
    mry_scene *scene = &r->scene;
    int joints = 0;
    for (int n = 0; n < scene->count; n++)
        joints += scene->is_joint[n] = mry_fbx_is_bone(&r->facts, scene->names[n]);
    if (joints > 0) return joints;
    for (int n = 0; n < scene->count; n++) joints += scene->is_joint[n] = scene->has_bind[n];
    if (joints > 0) return joints;
    for (int t = 0; t < r->take_count; t++)
        for (int i = 0; i < r->track_counts[t]; i++) scene->is_joint[r->tracks[t][i].node] = true;
    for (int n = 0; n < scene->count; n++) {
        if (n > 0 && scene->is_joint[scene->parent[n]]) scene->is_joint[n] = true;
        joints += scene->is_joint[n];
    }
    return joints;
}

/* Units and axes that marey has no name for are turned into centimetres with y up, where the scene
   hangs. */
static void settle_axes(reader *r, marey_units *units, marey_up *up)
{
    static const struct {
        double cm;
        marey_units units;
    } known[] = { { 0.1, MAREY_UNITS_MM },
                  { 1, MAREY_UNITS_CM },
                  { 100, MAREY_UNITS_M },
                  { 2.54, MAREY_UNITS_INCH },
                  { 30.48, MAREY_UNITS_FOOT } };
    static const int y_up[6] = { 1, 1, 2, 1, 0, 1 }, z_up[6] = { 2, 1, 1, -1, 0, 1 };
    double turn[3][3] = { { 0 } }, scale = 1;
    const int *a = r->axes;
    bool square = true;
    *units = MAREY_UNITS_GUESS;
    *up = memcmp(a, z_up, sizeof z_up) == 0 ? MAREY_UP_Z : MAREY_UP_Y;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fabs(r->unit - known[i].cm) <= 1e-5 * known[i].cm) *units = known[i].units;
    if (*units == MAREY_UNITS_GUESS && r->unit > 0) {
        scale = r->unit;
        *units = MAREY_UNITS_CM;
    }
    for (int i = 0; i < 6; i += 2) square = square && a[i] >= 0 && a[i] < 3;
    square = square && a[0] != a[2] && a[0] != a[4] && a[2] != a[4];
    bool usual = *up == MAREY_UP_Z || memcmp(a, y_up, sizeof y_up) == 0 || !square;
    for (int i = 0; i < 3; i++) turn[i][i] = 1;
    if (!usual) {
        memset(turn, 0, sizeof turn);
        turn[1][a[0]] = a[1] < 0 ? -1 : 1;
        turn[0][a[4]] = a[5] < 0 ? -1 : 1;
        int order[3] = { a[4], a[0], a[2] };
        bool even = (order[1] - order[0] + 3) % 3 == 1;
        turn[2][a[2]] = turn[1][a[0]] * turn[0][a[4]] * (even ? 1 : -1); /* never a mirror */
    }
    if (usual && scale == 1) return;
    for (int n = -1; n < r->scene.count; n++) { /* the first node, and all binds */
        double was[MRY_RIG_NUMBERS];
        double *world =
            n < 0 ? r->scene.rest[0].matrix : r->scene.bind + (size_t)n * MRY_RIG_NUMBERS;
        memcpy(was, world, sizeof was);
        for (int i = 0; i < MRY_RIG_NUMBERS; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += turn[i / 4][k] * was[4 * k + i % 4];
            world[i] = scale * sum;
        }
    }
}

/* What the file means and assimp does not know. */
static bool warn(const reader *r, marey_clip *clip, int take)
{
    const mry_fbx_facts *facts = &r->facts;
    double apart = 0;
    for (int i = 0; take >= 0 && i < r->track_counts[take]; i++) {
        const mry_track *one = &r->tracks[take][i];
        for (int k = 1; k < one->keys; k++) { /* gcc 12 for ARM cannot compile this with fmax */
            double step = (double)(one->times[k] - one->times[k - 1]);
            if (step > apart) apart = step;
        }
    }
    bool fits = true;
    if (take < 0) return true;
    if (facts->layers > facts->stacks && facts->stacks > 0)
        fits = mry_clip_warn(clip,
                             "it has %d layers of animation, of which assimp reads one: bake "
                             "them where it was made",
                             facts->layers);
    if (fits && (facts->curves || facts->steps) && apart * clip->fps > 1.5)
        fits = mry_clip_warn(clip,
                             "its keys are up to %.2g s apart and joined by %s, which assimp "
                             "reads as straight lines: bake a key a frame where it was made",
                             apart, facts->curves ? "curves" : "steps");
    if (fits && facts->goes_on)
        fits =
            mry_clip_warn(clip, "its motion goes on before the first or after the last key, where "
                                "assimp lets it stand: bake it where it was made");
    if (fits && r->lost[take] > 0)
        fits = mry_clip_warn(clip,
                             "%d of its nodes turn about pivots that assimp loses, and stand "
                             "still: bake them where it was made",
                             r->lost[take]);
    return fits;
}

static marey_status read_all(reader *r, const char *name, const marey_load_def *def,
                             size_t file_size, marey_clip **out)
{
    mry_scene *scene = &r->scene;
    int take = -1, lost = 0;
    marey_units units;
    marey_up up;
    for (int t = 0; t < r->take_count; t++) lost += r->lost[t] > 0;
    if (mark_joints(r) == 0 && lost > 0)
        return mry_fail(r->scan->error, MAREY_ERR_INPUT, r->scan->path,
                        "what moves in it turns about pivots, which assimp loses: bake it where it "
                        "was made");
    settle_axes(r, &units, &up);
    marey_status status = mry_scene_choose_joints(scene);
    /* Takes without a track of the skeleton do not move it. */
    for (int t = 0; t < r->take_count && !status; t++) {
        int used = 0;
        for (int i = 0; i < r->track_counts[t]; i++) {
            if (mry_scene_poses(scene, r->tracks[t][i].node))
                r->tracks[t][used++] = r->tracks[t][i];
        }
        r->track_counts[t] = used;
        if (used == 0) r->takes[t].end = -1;
    }
    if (!status) status = mry_scene_choose_take(scene, r->takes, r->take_count, def->take, &take);
    if (status) return status;
    if (take >= 0) {
        scene->tracks = r->tracks[take];
        scene->track_count = r->track_counts[take];
        for (int i = 0; i < scene->track_count; i++)
            scene->rest[scene->tracks[i].node].has_matrix = false;
    }
    double fps = r->fps >= 5 && r->fps <= 10000 ? r->fps : mry_scene_rate(scene, 0);
    status = mry_scene_clip(scene, name, def, r->takes, r->take_count, take, fps, file_size, out);
    if (status) return status;
    (*out)->units = units;
    (*out)->up = up;
    if (warn(r, *out, take)) return MAREY_OK;
    marey_clip_free(*out);
    *out = NULL;
    return mry_fail_memory(r->scan->error, r->scan->path);
}

marey_status mry_fbx_understand(mry_scan *scan, mry_arena *tmp, const mry_fbx_facts *facts,
                                size_t file_size, const uint8_t *answer, size_t length,
                                const char *name, const marey_load_def *def, marey_clip **out)
{
    reader r = { .scan = scan,
                 .tmp = tmp,
                 .facts = *facts,
                 .p = answer,
                 .end = answer + length,
                 .scene = { .scan = scan, .tmp = tmp } };
    marey_status status = take_answer(&r);
    return status ? status : read_all(&r, name, def, file_size, out);
}

marey_status mry_fbx_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    mry_fbx_facts facts;
    const uint8_t *bytes, *answer;
    size_t count, length;
    marey_status status = mry_scan_whole(scan, &tmp, &bytes, &count);
    if (!status && !mry_fbx_look(&tmp, bytes, count, &facts))
        status = mry_fail_memory(scan->error, scan->path);
    if (!status) status = mry_fbx_ask(scan, &tmp, bytes, count, &answer, &length);
    if (!status)
        status = mry_fbx_understand(scan, &tmp, &facts, count, answer, length, name, def, out);
    mry_arena_free(&tmp);
    return scan->status = status;
}
