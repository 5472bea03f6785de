/* api_dofs.c - what can be drawn: the degrees of freedom that the library's clips have, and the
   curves of a clip as sketches are compared with them. */
#include "api_common.h"
#include "drawn_curve.h"
#include "example_store.h"
#include "frames_binary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which there are ------------------------------------------------------------------------- */

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
    studio_worker *worker;
    marey_listing *listing;
    app_scope scope;
    dof_row *rows; /* MOST_ROWS at most */
    int row_count;
    int frames, looked_at; /* frames and clips */
} dof_table;

/* The row of a degree of freedom, made if it is new; NULL: there are too many. */
static dof_row *row_for(dof_table *table, const marey_skeleton *skeleton, int joint,
                        marey_channel channel)
{
    dof_row fresh = {
        .dof = { .channel = channel }, .role = -1, .low = INFINITY, .high = -INFINITY
    };
    snprintf(fresh.dof.joint, sizeof fresh.dof.joint, "%s", skeleton->joints[joint].name);
    for (int i = 0; i < table->row_count; i++) {
        const marey_dof *dof = &table->rows[i].dof;
        if (dof->channel == channel && strcmp(dof->joint, fresh.dof.joint) == 0)
            return &table->rows[i];
    }
    if (table->row_count == MOST_ROWS) return NULL;
    for (int r = 0; r < MAREY_ROLE_COUNT && fresh.role < 0; r++)
        if (skeleton->roles[r] == joint) fresh.role = r;
    table->rows[table->row_count] = fresh;
    return &table->rows[table->row_count++];
}

/* clips 0: only its values. */
static marey_status add_clip(dof_table *table, int64_t id, int clips, marey_error *error)
{
    const marey_clip *clip = NULL;
    marey_status status = worker_clip(table->worker, id, &clip, error);
    if (status != MAREY_OK) return status;
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    struct app_block *mark = table->scope.blocks;
    double *values = APP_NEW(&table->scope, double, marey_clip_frames(clip));
    if (!values) return app_fail_memory(error);
    table->looked_at++;
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        if (strlen(joint->name) >= MAREY_DOF_NAME) continue;
        for (int c = 0; c < joint->channel_count && status == MAREY_OK; c++) {
            if (joint->channels[c] > MAREY_CHANNEL_Z_ROTATION) continue; /* scales */
            dof_row *row = row_for(table, skeleton, j, joint->channels[c]);
            if (!row || row->seen == table->looked_at) continue;
            row->seen = table->looked_at;
            row->clips += clips;
            status = marey_clip_signal(clip, &row->dof, values, error);
            for (int f = 0; status == MAREY_OK && f < marey_clip_frames(clip); f++) {
                row->low = fmin(row->low, values[f]);
                row->high = fmax(row->high, values[f]);
            }
        }
    }
    table->frames += marey_clip_frames(clip);
    app_scope_rewind(&table->scope, mark);
    return status;
}

/* First a clip of each skeleton, then some more of all. */
static marey_status fill(dof_table *table, marey_error *error)
{
    int known = 0, count;
    skeleton_row *skeletons = APP_NEW(&table->scope, skeleton_row, MOST_SKELETONS);
    table->rows = APP_NEW(&table->scope, dof_row, MOST_ROWS);
    if (!skeletons || !table->rows) return app_fail_memory(error);
    marey_status status = marey_library_list(table->worker->library, NULL, &table->listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(table->listing, &count);
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < known && strcmp(skeletons[k].name, entries[i].skeleton) != 0) k++;
        if (k < known)
            skeletons[k].clips++;
        else if (known < MOST_SKELETONS)
            skeletons[known++] = (skeleton_row){ entries[i].skeleton, 1, i };
    }
    for (int i = 0; i < known && status == MAREY_OK; i++)
        status = add_clip(table, entries[skeletons[i].first].id, skeletons[i].clips, error);
    int more = known < MOST_SAMPLED ? MOST_SAMPLED - known : 0;
    int step = more > 0 ? (count + more - 1) / more : count + 1;
    for (int i = step / 2; i < count && status == MAREY_OK; i += step < 1 ? 1 : step) {
        if (table->frames >= MOST_SAMPLED_FRAMES) break;
        status = add_clip(table, entries[i].id, 0, error);
    }
    return status;
}

/* ---- in words -------------------------------------------------------------------------------- */

static bool is_turn(marey_channel channel)
{
    return channel >= MAREY_CHANNEL_X_ROTATION;
}

static json_t *describe_dof(heap *memory, const marey_dof *dof)
{
    char text[APP_DOF_ROOM];
    return describe_text(memory, app_dof_text(dof, text));
}

/* The rotation of a joint that moves most; with MAREY_ROLE_COUNT of any joint but the root, whose
   turns are the same for hardly any two clips. NULL: there is none. */
static const dof_row *bending(const dof_table *table, marey_role role)
{
    const dof_row *rows = table->rows, *best = NULL;
    for (int i = 0; i < table->row_count; i++) {
        bool wanted =
            role == MAREY_ROLE_COUNT ? rows[i].role != MAREY_ROLE_HIPS : rows[i].role == (int)role;
        if (!wanted || !is_turn(rows[i].dof.channel)) continue;
        if (!best || rows[i].high - rows[i].low > best->high - best->low) best = &rows[i];
    }
    return best;
}

static json_t *describe_table(const dof_table *table)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                        MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
    heap *memory = &table->worker->of->memory;
    int clips;
    json_t *value = json_object(), *list = json_array(), *usual = json_array();
    for (int i = 0; i < table->row_count; i++) {
        const dof_row *row = &table->rows[i];
        json_t *one = json_object(), *role = json_null();
        if (row->role >= 0) role = json_string(marey_role_name((marey_role)row->role));
        describe_put(&one, "dof", describe_dof(memory, &row->dof));
        describe_put(&one, "joint", describe_text(memory, row->dof.joint));
        describe_put(&one, "channel", json_string(marey_channel_name(row->dof.channel)));
        describe_put(&one, "role", role);
        describe_put(&one, "clips", json_integer(row->clips));
        describe_put(&one, "unit", json_string(is_turn(row->dof.channel) ? "deg" : "cm"));
        describe_put(&one, "low", describe_number(row->low));
        describe_put(&one, "high", describe_number(row->high));
        describe_append(&list, one);
    }
    /* What `marey example` compares by default: what bends the hips, then the knees. */
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const dof_row *row = bending(table, roles[i]);
        if (row) describe_append(&usual, describe_dof(memory, &row->dof));
    }
    const dof_row *any = bending(table, MAREY_ROLE_COUNT);
    if (any && json_array_size(usual) == 0)
        describe_append(&usual, describe_dof(memory, &any->dof));
    json_t *first = json_array_get(usual, 0);
    marey_listing_entries(table->listing, &clips);
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
    dof_table table = { .worker = worker, .scope = app_scope_open(&worker->of->allocator) };
    if (fill(&table, &error) == MAREY_OK)
        answer_json(response, 200, describe_table(&table));
    else
        answer_fail(response, &error);
    app_scope_close(&table.scope);
    marey_listing_free(table.listing);
    if (response->status == 200) example_store_remember(worker, version, &response->body);
}

/* ---- the curves of a clip -------------------------------------------------------------------- */

void api_signals(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    const marey_clip *clip = NULL;
    marey_error error;
    int count = 0, start = 0, end = 0;
    const char *text = query_text(request, "of");
    if (!text || !*text) {
        answer_refuse(response, 400, "request", "of says which curves, as in LeftLeg.Xrotation");
        return;
    }
    if (marey_dofs_parse(text, dofs, &count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (!api_open(worker, request->id, &clip, response) ||
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
    marey_status status = app_check(!out, &error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        status = marey_clip_signal(clip, &dofs[i], values, &error);
        if (status == MAREY_OK) out = frames_floats(out, values + start, end - start);
    }
    response->status = 200;
    response->type = "application/octet-stream";
    if (status != MAREY_OK) answer_fail(response, &error);
    if (values) heap_resize(&worker->of->memory, values, room, 0);
}
