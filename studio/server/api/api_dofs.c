/* api_dofs.c - what can be drawn: the degrees of freedom that the library's clips have, and the curves of a clip as sketches
   are compared with them. */
#include "api_common.h"
#include "drawn_curve.h"
#include "example_store.h"
#include "frames_binary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which there are ---------------------------------------------------------------------------- */

enum {
    MOST_ROWS = 4096,
    MOST_SKELETONS = 256, /* that are looked at */
    MOST_SAMPLED = 64,    /* clips whose values are looked at */
    MOST_SAMPLED_FRAMES = 1 << 18
};

typedef struct dof_row {
    marey_dof dof;
    int role; /* -1: none */
    int clips;
    int seen; /* the clip that was looked at when it was last met: joints may share a name */
    double low, high;
} dof_row;

typedef struct skeleton_row {
    const char *name; /* the listing's own */
    int clips;
    int first; /* entry that has it */
} skeleton_row;

typedef struct dof_table {
    studio_worker *by;
    marey_listing *listing;
    studio_bytes rows;      /* of dof_row */
    studio_bytes skeletons; /* of skeleton_row */
    studio_bytes values;
    int frames, looked_at; /* frames and clips */
} dof_table;

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static skeleton_row *skeletons_of(const dof_table *all, int *count)
{
    *count = (int)(all->skeletons.count / sizeof(skeleton_row));
    return (skeleton_row *)(void *)all->skeletons.data;
}

static dof_row *rows_of(const dof_table *all, int *count)
{
    *count = (int)(all->rows.count / sizeof(dof_row));
    return (dof_row *)(void *)all->rows.data;
}

static void count_skeletons(dof_table *all)
{
    int count, known;
    const marey_entry *entries = marey_listing_entries(all->listing, &count);
    for (int i = 0; i < count; i++) {
        skeleton_row *rows = skeletons_of(all, &known);
        int k = 0;
        while (k < known && strcmp(rows[k].name, entries[i].skeleton) != 0) k++;
        if (k < known) {
            rows[k].clips++;
        } else if (known < MOST_SKELETONS) {
            skeleton_row one = { entries[i].skeleton, 1, i };
            bytes_add(&all->skeletons, &one, sizeof one);
        }
    }
}

static int role_of(const marey_skeleton *skeleton, int joint)
{
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        if (skeleton->roles[r] == joint) return r;
    }
    return -1;
}

/* The row of a degree of freedom, made if it is new; NULL: there are too many, or no memory. */
static dof_row *row_for(dof_table *all, const marey_dof *dof, int role)
{
    int count;
    dof_row *rows = rows_of(all, &count);
    for (int i = 0; i < count; i++) {
        if (rows[i].dof.channel == dof->channel && strcmp(rows[i].dof.joint, dof->joint) == 0)
            return &rows[i];
    }
    dof_row one = { .dof = *dof, .role = role, .low = INFINITY, .high = -INFINITY };
    if (count == MOST_ROWS) return NULL;
    bytes_add(&all->rows, &one, sizeof one);
    if (all->rows.failed) return NULL;
    rows = rows_of(all, &count);
    return &rows[count - 1];
}

static marey_status look_at_values(const marey_clip *clip, double *values, dof_row *row,
                                   marey_error *error)
{
    marey_status status = marey_clip_signal(clip, &row->dof, values, error);
    for (int f = 0; status == MAREY_OK && f < marey_clip_frames(clip); f++) {
        if (values[f] < row->low) row->low = values[f];
        if (values[f] > row->high) row->high = values[f];
    }
    return status;
}

/* clips 0: only its values. */
static marey_status add_clip(dof_table *all, const marey_clip *clip, int clips, marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t room = (size_t)marey_clip_frames(clip) * sizeof(double);
    marey_status status = MAREY_OK;
    all->values.count = 0;
    all->looked_at++;
    double *values = (double *)(void *)bytes_extend(&all->values, room);
    if (!values) return fail_memory(error);
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        marey_dof dof = { .channel = MAREY_CHANNEL_COUNT };
        if (strlen(joint->name) >= sizeof dof.joint) continue;
        snprintf(dof.joint, sizeof dof.joint, "%s", joint->name);
        for (int c = 0; c < joint->channel_count && status == MAREY_OK; c++) {
            dof.channel = joint->channels[c];
            if (dof.channel > MAREY_CHANNEL_Z_ROTATION) continue; /* scales */
            dof_row *row = row_for(all, &dof, role_of(skeleton, j));
            if (!row || row->seen == all->looked_at) continue;
            row->seen = all->looked_at;
            row->clips += clips;
            status = look_at_values(clip, values, row, error);
        }
    }
    all->frames += marey_clip_frames(clip);
    if (status == MAREY_OK && all->rows.failed) return fail_memory(error);
    return status;
}

static marey_status add_entry(dof_table *all, int entry, int clips, marey_error *error)
{
    int count;
    const marey_entry *entries = marey_listing_entries(all->listing, &count);
    const marey_clip *clip = NULL;
    marey_status status = worker_clip(all->by, entries[entry].id, &clip, error);
    return status == MAREY_OK ? add_clip(all, clip, clips, error) : status;
}

/* First a clip of each skeleton, then some more of all. */
static marey_status fill(dof_table *all, marey_error *error)
{
    int known, count;
    marey_status status = marey_library_list(all->by->library, NULL, &all->listing, error);
    if (status != MAREY_OK) return status;
    count_skeletons(all);
    if (all->skeletons.failed) return fail_memory(error);
    marey_listing_entries(all->listing, &count);
    const skeleton_row *rows = skeletons_of(all, &known);
    for (int i = 0; i < known && status == MAREY_OK; i++)
        status = add_entry(all, rows[i].first, rows[i].clips, error);
    int more = known < MOST_SAMPLED ? MOST_SAMPLED - known : 0;
    int step = more > 0 ? (count + more - 1) / more : count + 1;
    for (int i = step / 2; i < count && status == MAREY_OK; i += step < 1 ? 1 : step) {
        if (all->frames >= MOST_SAMPLED_FRAMES) break;
        status = add_entry(all, i, 0, error);
    }
    return status;
}

/* ---- in words ----------------------------------------------------------------------------------- */

static bool is_turn(marey_channel channel)
{
    return channel >= MAREY_CHANNEL_X_ROTATION;
}

static json_t *describe_dof(heap *memory, const marey_dof *dof)
{
    char text[MAREY_DOF_NAME + 32];
    snprintf(text, sizeof text, "%s.%s", dof->joint, marey_channel_name(dof->channel));
    return describe_text(memory, text);
}

static json_t *describe_row(heap *memory, const dof_row *row)
{
    json_t *one = json_object();
    describe_put(&one, "dof", describe_dof(memory, &row->dof));
    describe_put(&one, "joint", describe_text(memory, row->dof.joint));
    describe_put(&one, "channel", json_string(marey_channel_name(row->dof.channel)));
    describe_put(&one, "role",
                 row->role < 0 ? json_null() : json_string(marey_role_name((marey_role)row->role)));
    describe_put(&one, "clips", json_integer(row->clips));
    describe_put(&one, "unit", json_string(is_turn(row->dof.channel) ? "deg" : "cm"));
    describe_put(&one, "low", describe_number(row->low));
    describe_put(&one, "high", describe_number(row->high));
    return one;
}

/* The rotation of a joint that moves most; with MAREY_ROLE_COUNT of any joint but the root, whose turns are the same for hardly any
   two clips. NULL: there is none. */
static const dof_row *bending(const dof_table *all, marey_role role)
{
    int count;
    const dof_row *rows = rows_of(all, &count), *best = NULL;
    for (int i = 0; i < count; i++) {
        bool wanted =
            role == MAREY_ROLE_COUNT ? rows[i].role != MAREY_ROLE_HIPS : rows[i].role == (int)role;
        if (!wanted || !is_turn(rows[i].dof.channel)) continue;
        if (!best || rows[i].high - rows[i].low > best->high - best->low) best = &rows[i];
    }
    return best;
}

/* What `marey example` compares where nothing is said: what bends the hips, then the knees. */
static json_t *describe_defaults(const dof_table *all)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                        MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
    heap *memory = &all->by->of->memory;
    const dof_row *any = bending(all, MAREY_ROLE_COUNT);
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const dof_row *one = bending(all, roles[i]);
        if (one) describe_append(&list, describe_dof(memory, &one->dof));
    }
    if (any && json_array_size(list) == 0) describe_append(&list, describe_dof(memory, &any->dof));
    return list;
}

static json_t *describe_table(const dof_table *all)
{
    heap *memory = &all->by->of->memory;
    int count, clips;
    const dof_row *rows = rows_of(all, &count);
    json_t *value = json_object(), *list = json_array(), *usual = describe_defaults(all);
    json_t *first = json_array_get(usual, 0);
    marey_listing_entries(all->listing, &clips);
    for (int i = 0; i < count; i++) describe_append(&list, describe_row(memory, &rows[i]));
    describe_put(&value, "dofs", list);
    describe_put(&value, "clips", json_integer(clips));
    describe_put(&value, "default", first ? json_incref(first) : json_null());
    describe_put(&value, "defaults", usual);
    describe_put(&value, "noise", describe_number(MAREY_EXAMPLE_NOISE));
    describe_put(&value, "k", json_integer(3));
    describe_put(&value, "best", json_integer(5));
    describe_put(&value, "most_k", json_integer(MAREY_EXAMPLE_MOST_K));
    describe_put(&value, "most_best", json_integer(MAREY_EXAMPLE_MOST_BEST));
    describe_put(&value, "most_dofs", json_integer(MAREY_MOST_DOFS));
    describe_put(&value, "most_samples", json_integer(APP_CURVE_SAMPLES));
    return value;
}

static void look(studio_worker *worker, studio_response *response)
{
    heap *memory = &worker->of->memory;
    dof_table all = { .by = worker,
                      .rows = { .memory = memory },
                      .skeletons = { .memory = memory },
                      .values = { .memory = memory } };
    marey_error error;
    if (fill(&all, &error) == MAREY_OK)
        answer_json(response, 200, describe_table(&all));
    else
        answer_fail(response, &error);
    bytes_free(&all.values);
    bytes_free(&all.skeletons);
    bytes_free(&all.rows);
    marey_listing_free(all.listing);
}

void api_dofs(studio_worker *worker, studio_request *request, studio_response *response)
{
    int64_t version = 0;
    marey_error error;
    (void)request;
    if (marey_library_version(worker->library, &version, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (example_store_recall(worker, version, &response->body)) {
        response->status = 200;
        response->type = "application/json";
        return;
    }
    answer_clear(response);
    look(worker, response);
    if (response->status == 200) example_store_remember(worker, version, &response->body);
}

/* ---- the curves of a clip ----------------------------------------------------------------------- */

static bool read_dofs(const studio_request *request, marey_dof *dofs, int *count,
                      studio_response *response)
{
    const char *text = asked_query(request, "of");
    marey_error error;
    if (!text || !*text) {
        answer_refuse(response, 400, "request", "of says which curves, as in LeftLeg.Xrotation");
        return false;
    }
    if (marey_dofs_parse(text, dofs, count, &error) == MAREY_OK) return true;
    answer_fail(response, &error);
    return false;
}

static marey_status write_signals(const marey_clip *clip, const marey_dof *dofs, int count,
                                  int start, int end, double *values, uint8_t *out,
                                  marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        status = marey_clip_signal(clip, &dofs[i], values, error);
        if (status == MAREY_OK) out = frames_floats(out, values + start, end - start);
    }
    return status;
}

void api_signals(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    const marey_clip *clip = NULL;
    marey_error error;
    int count = 0, start = 0, end = 0;
    if (!read_dofs(request, dofs, &count, response) ||
        !api_open(worker, request->id, &clip, response) ||
        !api_range(request, marey_clip_frames(clip), &start, &end, response))
        return;
    size_t size = (size_t)count * (size_t)(end - start) * sizeof(float);
    if (size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit",
                      "these curves are more than %d MiB: ask for fewer frames",
                      LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    size_t room = (size_t)marey_clip_frames(clip) * sizeof(double);
    double *values = heap_resize(&worker->of->memory, NULL, 0, room);
    uint8_t *out = values ? bytes_extend(&response->body, size) : NULL;
    if (!out) {
        api_fail_memory(response);
    } else if (write_signals(clip, dofs, count, start, end, values, out, &error) == MAREY_OK) {
        response->status = 200;
        response->type = "application/octet-stream";
    } else {
        answer_fail(response, &error);
    }
    if (values) heap_resize(&worker->of->memory, values, room, 0);
}
