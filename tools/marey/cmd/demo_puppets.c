/* demo_puppets.c - characters that react, ready: the demonstrations as tables that can be read,
   drawn and changed, the puppets that learned from them, and a main character whom none of them has
   seen. */
#include "demo_saved.h"
#include "folder.h"

#include <math.h>
#include <string.h>

/* Tables have a third of the rows: puppets that learn from those are the same characters
   (docs/demo.md). */
enum { EVERY = 3 };

/* ---- tables ---------------------------------------------------------------------------------- */

/* More digits say nothing. Adding 0 makes 0 of -0. */
static marey_entity rounded(const marey_entity *at)
{
    return (marey_entity){ round(at->x_cm * 100) / 100 + 0, round(at->y_cm * 100) / 100 + 0,
                           round(at->direction_rad * 1e4) / 1e4 + 0 };
}

/* Writes every third sample, in place of all of them. */
static marey_status write_table(session *run, const char *folder, const char *name,
                                marey_puppet_sample *samples, int count, bool with_react,
                                marey_error *error)
{
    char path[PATH_ROOM];
    uint8_t *bytes = NULL;
    size_t size = 0;
    int rows = 0;
    for (int i = 0; i < count; i += EVERY, rows++) {
        samples[rows] =
            (marey_puppet_sample){ round(samples[i].time_s * 1000) / 1000,
                                   rounded(&samples[i].main), rounded(&samples[i].react) };
    }
    marey_status status = folder_path(folder, name, ".csv", path, sizeof path, error);
    if (status == MAREY_OK)
        status = marey_paths_write(run->ctx, samples, rows, with_react, &bytes, &size, error);
    if (status != MAREY_OK) return status;
    status = marey_file_save(run->ctx, path, bytes, size, error);
    marey_graph_bytes_free(run->ctx, bytes, size);
    return status;
}

/* ---- the main character ---------------------------------------------------------------------- */

/* Where it goes: on, in bends, to a halt; looks around, comes back past where it was, hurries, and
   circles. */
static const struct {
    double seconds, speed, turn; /* cm/s; rad/s to the left */
} WAY[] = {
    { 2.0, 0, 0 },     { 4.0, 105, 0 },  { 3.0, 105, 0.75 },  { 2.5, 0, 0 },      { 1.5, 0, 1.1 },
    { 4.5, 90, -0.2 }, { 3.0, 0, 0 },    { 3.0, 150, 0.35 },  { 2.5, 120, -0.9 }, { 2.0, 0, 0 },
    { 5.5, 80, 1.0 },  { 2.0, 0, -0.3 }, { 4.5, 115, -0.05 }, { 2.5, 0, 0 },
};

#define SPEED_S 0.3 /* until it has the speed it wants */
#define TURN_S 0.25

static marey_status write_way(session *run, app_scope *scope, const char *folder,
                              marey_error *error)
{
    marey_entity at = { 0 };
    double speed = 0, turn = 0, left = WAY[0].seconds, seconds = 0, dt = 1 / MAREY_PUPPET_RATE;
    for (size_t i = 0; i < sizeof WAY / sizeof *WAY; i++) seconds += WAY[i].seconds;
    int count = (int)(seconds * MAREY_PUPPET_RATE) + 1;
    marey_puppet_sample *samples = APP_NEW(scope, marey_puppet_sample, count);
    if (!samples) return app_fail_memory(error);
    for (int i = 0, now = 0; i < count; i++) {
        samples[i] = (marey_puppet_sample){ .time_s = i / MAREY_PUPPET_RATE, .main = at };
        if (left < dt / 2 && now + 1 < (int)(sizeof WAY / sizeof *WAY)) left += WAY[++now].seconds;
        left -= dt;
        speed += (WAY[now].speed - speed) * dt / SPEED_S;
        turn += (WAY[now].turn - turn) * dt / TURN_S;
        at.direction_rad = remainder(at.direction_rad + turn * dt, 6.28318530717958647692);
        at.x_cm += speed * cos(at.direction_rad) * dt;
        at.y_cm += speed * sin(at.direction_rad) * dt;
    }
    return write_table(run, folder, "main", samples, count, false, error);
}

/* ---- those who react ------------------------------------------------------------------------- */

/* A demonstration, and the puppet that learned from all of its samples. */
static marey_status learn(session *run, app_scope *scope, const marey_ready_puppet *ready,
                          marey_puppet_sample **samples, marey_puppet **out, marey_error *error)
{
    app_env env = { .ctx = run->ctx, .scope = scope };
    *samples = APP_NEW(scope, marey_puppet_sample, ready->samples);
    if (!*samples) return app_fail_memory(error);
    marey_ready_puppet_demonstrate(ready, *samples);
    marey_demonstration shown = { *samples, ready->samples };
    marey_status status = marey_puppet_train(run->ctx, &shown, 1, NULL, out, error);
    return status == MAREY_OK ? app_own_puppet(&env, *out, error) : status;
}

marey_status demo_puppets_keep(session *run, marey_library *library, const char *folder, int *kept,
                               marey_error *error)
{
    char tables[PATH_ROOM];
    const marey_ready_puppet *ready;
    app_scope scope = app_scope_open(&run->host->def);
    int total = 0;
    *kept = 0;
    while (marey_ready_puppet_find(total)) total++;
    marey_status status = folder_path(folder, DEMO_PUPPETS, "", tables, sizeof tables, error);
    if (status == MAREY_OK) status = folder_make(tables, error);
    while (status == MAREY_OK && (ready = marey_ready_puppet_find(*kept))) {
        marey_puppet_sample *samples;
        marey_puppet *puppet = NULL;
        session_progress(run, "making puppets", *kept, total, -1);
        status = learn(run, &scope, ready, &samples, &puppet, error);
        if (status == MAREY_OK)
            status = marey_library_keep_puppet(library, ready->name, puppet, NULL, 0, ready->about,
                                               error);
        if (status == MAREY_OK)
            status = write_table(run, tables, ready->name, samples, ready->samples, true, error);
        *kept += status == MAREY_OK;
        app_scope_close(&scope);
    }
    if (status == MAREY_OK) status = write_way(run, &scope, tables, error);
    app_scope_close(&scope);
    return status;
}

/* ---- an older one ---------------------------------------------------------------------------- */

/* A puppet that was shown more has more bytes under the same name. */
marey_status demo_made_puppet(session *run, const marey_kept_entry *entry, bool *made,
                              marey_error *error)
{
    const marey_ready_puppet *ready;
    app_scope scope = app_scope_open(&run->host->def);
    marey_puppet_sample *samples;
    marey_puppet *puppet = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    *made = false;
    if (strcmp(entry->kind, MAREY_KEPT_PUPPET) != 0 || entry->part_count > 0) return MAREY_OK;
    for (int i = 0; (ready = marey_ready_puppet_find(i)); i++)
        if (strcmp(entry->name, ready->name) == 0 && strcmp(entry->about, ready->about) == 0) break;
    if (!ready) return MAREY_OK;
    marey_status status = learn(run, &scope, ready, &samples, &puppet, error);
    if (status == MAREY_OK) status = marey_puppet_write(puppet, &bytes, &size, error);
    *made = status == MAREY_OK && (int64_t)size == entry->size;
    marey_graph_bytes_free(run->ctx, bytes, size);
    app_scope_close(&scope);
    return status;
}
