/* soak_change.c - what clients do with clips of their own: make, label, rename, remove, undo. After
   each answer the model knows what the next one must say. */
#include "soak.h"

#include <string.h>

enum {
    SHORTEST = 14, /* frames of a clip that is cut */
    LONGEST = 90,
    STEPS_SURE = 90 /* of 200 that are kept; those of other clients come in no order */
};

/* ---- one change ------------------------------------------------------------------------------ */

static void note_step(soak *all, int64_t step)
{
    long seen = atomic_load(&all->last_step);
    while (step > seen && !atomic_compare_exchange_weak(&all->last_step, &seen, (long)step)) {
    }
}

/* An answer to a change: what it says if it was done. Refused: nothing happened. Broken: it stays
   open until all clients rest. */
static json_t *close_change(soak_client *client, own_change *change, const http_answer *answer)
{
    if (answer->status == 0) return NULL;
    if (answer->status == 503) { /* another one writes */
        atomic_fetch_add(&client->all->refused, 1);
        own_change_end(client, change, false);
        return NULL;
    }
    json_t *came = soak_json(client, answer, 200);
    if (came) { /* otherwise it is unknown, and looked at when all rest */
        own_change_end(client, change, true);
        note_step(client->all, json_integer_value(json_object_get(came, "step")));
    }
    return came;
}

/* What was changed last by one of these, to be undone. */
typedef struct last_change {
    int clip;
    own_state before;
    int64_t step; /* 0: nothing */
} last_change;

__attribute__((format(printf, 5, 6))) static last_change send(soak_client *client,
                                                              own_change *change,
                                                              const char *target, const char *key,
                                                              const char *format, ...)
{
    last_change last = { .clip = change->clips[0], .before = client->clips[change->clips[0]].now };
    char *body = NULL;
    va_list values;
    bool alone = change->count == 1;
    va_start(values, format);
    if (vasprintf(&body, format, values) < 0) abort();
    va_end(values);
    http_answer answer = soak_change(client, target, "%s", body);
    json_t *came = close_change(client, change, &answer);
    if (came && !json_object_get(came, key)) soak_wrong(client, &answer, "an answer with %s", key);
    if (alone) last.step = json_integer_value(json_object_get(came, "step"));
    json_decref(came);
    wire_free(&answer);
    free(body);
    return last;
}

static own_change *begin_one(soak_client *client, const char *what, int *clip, own_state **after)
{
    *clip = own_find(client, false);
    own_change *change = *clip < 0 ? NULL : own_change_begin(client, what);
    if (change) *after = own_change_add(change, client, *clip);
    return change;
}

static long long id_of(const soak_client *client, int clip)
{
    return (long long)client->clips[clip].id;
}

/* ---- changes of one clip --------------------------------------------------------------------- */

static last_change label(soak_client *client)
{
    int clip, bit = (int)soak_draw(&client->random, OWN_LABELS);
    own_state *after;
    char text[NAME_ROOM];
    own_change *change = begin_one(client, "label", &clip, &after);
    if (!change) return (last_change){ 0 };
    after->labels ^= 1u << bit;
    own_label(client, bit, text);
    return send(client, change, "/api/do/label", "names", "{'clips': [%lld], '%s': ['%s']}",
                id_of(client, clip), after->labels >> bit & 1 ? "add" : "drop", text);
}

static last_change describe(soak_client *client)
{
    int clip;
    own_state *after;
    bool licence = soak_chance(client, 30);
    int number = 1 + (int)soak_draw(&client->random, 10000);
    own_change *change = begin_one(client, "describe", &clip, &after);
    if (!change) return (last_change){ 0 };
    *(licence ? &after->licensed : &after->described) = number;
    return send(client, change, "/api/do/label", "names",
                "{'clips': [%lld], '%s': '%s %d of c%03d'}", id_of(client, clip),
                licence ? "licence" : "describe", licence ? "licence" : "description", number,
                client->number);
}

static last_change stretch(soak_client *client)
{
    int clip;
    own_state *after;
    char text[NAME_ROOM];
    own_change *change = begin_one(client, "label frames", &clip, &after);
    if (!change) return (last_change){ 0 };
    after->stretch = !after->stretch;
    own_label(client, 0, text);
    return send(client, change, "/api/do/label", "stretches",
                "{'clips': [{'clip': %lld, 'start': 3, 'end': 9}], '%s': ['%s']}",
                id_of(client, clip), after->stretch ? "add" : "drop", text);
}

static last_change rename_clip(soak_client *client)
{
    int clip;
    own_state *after;
    own_change *change = begin_one(client, "rename", &clip, &after);
    if (!change) return (last_change){ 0 };
    own_name(client, after->name);
    return send(client, change, "/api/do/rename", "name", "{'clip': '#%lld', 'to': '%s'}",
                id_of(client, clip), after->name);
}

static last_change plants(soak_client *client)
{
    int clip;
    own_state *after;
    own_change *change = begin_one(client, "foot plants", &clip, &after);
    if (!change) return (last_change){ 0 };
    after->plants = soak_chance(client, 25) ? PLANTS_FOUND : 1 + (int)soak_draw(&client->random, 8);
    if (after->plants == PLANTS_FOUND)
        return send(client, change, "/api/do/contacts", "contacts",
                    "{'clip': %lld, 'forget': true}", id_of(client, clip));
    return send(client, change, "/api/do/contacts", "contacts",
                "{'clip': %lld, 'set': {'contacts': [{'joint': 'left_toe', 'start': %d, "
                "'end': %d}]}}",
                id_of(client, clip), after->plants, after->plants + 4);
}

static last_change remove_one(soak_client *client)
{
    int clip;
    own_state *after;
    own_change *change = begin_one(client, "remove", &clip, &after);
    if (!change) return (last_change){ 0 };
    after->removed = true;
    return send(client, change, "/api/do/rm", "removed", "{'clips': [%lld]}", id_of(client, clip));
}

SOAK_ACTION(do_label)
{
    label(client);
}

SOAK_ACTION(do_describe)
{
    describe(client);
}

SOAK_ACTION(do_stretch)
{
    stretch(client);
}

SOAK_ACTION(do_rename)
{
    rename_clip(client);
}

SOAK_ACTION(do_plants)
{
    plants(client);
}

/* ---- changes of several ---------------------------------------------------------------------- */

/* Up to three clips in a change of their own; their numbers as a list. NULL: there are none. */
static own_change *begin_some(soak_client *client, const char *what, bool removed, char *list,
                              size_t room)
{
    own_change *change = NULL;
    size_t used = 0;
    int most = 1 + (int)soak_draw(&client->random, CHANGE_CLIPS);
    for (int k = 0; k < most; k++) {
        int clip = own_find(client, removed);
        if (clip < 0) break;
        if (!change) change = own_change_begin(client, what);
        if (!change) break;
        own_change_add(change, client, clip);
        used += (size_t)snprintf(list + used, room - used, "%s%lld", k ? ", " : "",
                                 id_of(client, clip));
    }
    return change;
}

SOAK_ACTION(do_remove)
{
    char list[128];
    own_change *change = begin_some(client, "remove", false, list, sizeof list);
    if (!change) return;
    for (int i = 0; i < change->count; i++) change->after[i].removed = true;
    send(client, change, "/api/do/rm", "removed", "{'clips': [%s]}", list);
}

SOAK_ACTION(do_restore)
{
    char list[128];
    own_change *change = begin_some(client, "restore", true, list, sizeof list);
    if (!change) return;
    for (int i = 0; i < change->count; i++) change->after[i].removed = false;
    send(client, change, "/api/do/restore", "restored", "{'clips': [%s]}", list);
}

SOAK_ACTION(do_purge)
{
    char list[128];
    own_change *change = begin_some(client, "purge", true, list, sizeof list);
    if (!change) return;
    for (int i = 0; i < change->count; i++) change->after[i].there = false;
    atomic_fetch_add(&client->all->purges_begun, 1);
    send(client, change, "/api/do/rm", "purged", "{'clips': [%s], 'purge': true}", list);
    atomic_fetch_add(&client->all->purges_ended, 1);
}

/* ---- new clips ------------------------------------------------------------------------------- */

/* In a place that is free: as it will be. */
static own_state *add_new(soak_client *client, own_change *change, int clip,
                          const known_motion *motion, int start, int end)
{
    client->clips[clip] = (own_clip){ .motion = motion, .start = start, .end = end, .change = -1 };
    own_state *after = own_change_add(change, client, clip);
    *after = (own_state){ .there = true, .plants = PLANTS_AS_MADE };
    own_name(client, after->name);
    return after;
}

/* Those that are said to be new have the names and lengths that were asked for. */
static void take_numbers(soak_client *client, const own_change *change, const json_t *made,
                         const http_answer *answer)
{
    for (int i = 0; i < change->count; i++) {
        own_clip *clip = &client->clips[change->clips[i]];
        const json_t *one;
        size_t k;
        json_array_foreach(made, k, one)
        {
            const char *name = json_string_value(json_object_get(one, "name"));
            if (name && strcmp(name, clip->now.name) == 0 &&
                json_integer_value(json_object_get(one, "frames")) == clip->end - clip->start)
                clip->id = json_integer_value(json_object_get(one, "id"));
        }
        if (!clip->id) soak_wrong(client, answer, "that %s is made", clip->now.name);
    }
}

static last_change cut(soak_client *client)
{
    const soak_known *of = &client->all->known;
    own_change *change = NULL;
    char cuts[512], label_text[NAME_ROOM];
    size_t used = 0;
    int most = 1 + (int)soak_draw(&client->random, CHANGE_CLIPS);
    for (int k = 0; k < most; k++) {
        int clip = own_find_free(client);
        const known_motion *motion = NULL;
        while (!motion || (motion->frames > SMALL_FRAMES && !soak_chance(client, 5)))
            motion = &of->motions[soak_draw(&client->random, (uint64_t)of->motion_count)];
        int most_frames = motion->frames < LONGEST ? motion->frames : LONGEST;
        int frames = SHORTEST + (int)soak_draw(&client->random, (uint64_t)(most_frames - SHORTEST));
        int start = (int)soak_draw(&client->random, (uint64_t)(motion->frames - frames));
        if (clip < 0) break;
        if (!change) change = own_change_begin(client, "cut");
        if (!change) break;
        own_state *after = add_new(client, change, clip, motion, start, start + frames);
        after->labels = 1;
        used += (size_t)snprintf(cuts + used, sizeof cuts - used,
                                 "%s{'clip': %lld, 'start': %d, 'end': %d, 'name': '%s'}",
                                 k ? ", " : "", (long long)motion->id, start, start + frames,
                                 after->name);
    }
    if (!change) return (last_change){ 0 };
    last_change last = { .clip = change->clips[0], .before = { .there = false } };
    own_label(client, 0, label_text);
    snprintf(last.before.name, sizeof last.before.name, "%s", change->after[0].name);
    http_answer answer =
        soak_change(client, "/api/do/cut", "{'cuts': [%s], 'label': ['%s']}", cuts, label_text);
    json_t *came = close_change(client, change, &answer);
    if (came) take_numbers(client, change, json_object_get(came, "clips"), &answer);
    if (change->count == 1) last.step = json_integer_value(json_object_get(came, "step"));
    json_decref(came);
    wire_free(&answer);
    return last;
}

SOAK_ACTION(do_cut)
{
    cut(client);
}

SOAK_ACTION(do_make)
{
    const soak_known *of = &client->all->known;
    int made = 0, at[MOST_MOTIONS], clip = own_find_free(client);
    for (int i = 0; i < of->motion_count; i++)
        if (of->motions[i].make) at[made++] = i;
    const known_motion *motion = &of->motions[at[soak_draw(&client->random, (uint64_t)made)]];
    own_change *change = clip < 0 ? NULL : own_change_begin(client, "make");
    if (!change) return;
    own_state *after = add_new(client, change, clip, motion, 0, motion->frames);
    http_answer answer =
        soak_change(client, motion->make, "{%s, 'name': '%s'}", motion->body, after->name);
    json_t *came = close_change(client, change, &answer);
    if (came) {
        client->clips[clip].id = json_integer_value(json_object_get(came, "id"));
        const char *name = json_string_value(json_object_get(came, "name"));
        if (!name || strcmp(name, client->clips[clip].now.name) != 0)
            soak_wrong(client, &answer, "%s", client->clips[clip].now.name);
    }
    json_decref(came);
    wire_free(&answer);
}

/* One of the files may hold the motion of a clip that is there, which is not put in again. */
SOAK_ACTION(do_import)
{
    const soak_known *of = &client->all->known;
    const known_motion *motion = &of->motions[of->imported];
    char names[CHANGE_CLIPS + 1][NAME_ROOM];
    float first[CHANGE_CLIPS + 1];
    int files = 1 + (int)soak_draw(&client->random, CHANGE_CLIPS);
    bool again = soak_chance(client, 30), cancels = soak_chance(client, 20);
    own_change *change = own_change_begin(client, "import");
    if (!change) return;
    for (int k = 0; k < files; k++) {
        int clip = own_find_free(client);
        if (clip < 0) break;
        own_state *after = add_new(client, change, clip, motion, 0, motion->frames);
        char number[16];
        snprintf(number, sizeof number, "%.2f",
                 client->number * 9 + (double)(client->names % 890 + 10) * 0.01);
        client->clips[clip].first = first[k] = strtof(number, NULL);
        snprintf(names[k], NAME_ROOM, "%s", after->name);
    }
    if (change->count == 0) {
        own_change_end(client, change, false);
        return;
    }
    files = change->count;
    if (again) {
        snprintf(names[files], NAME_ROOM, "c%03d-again", client->number);
        first[files] = 0;
    }
    int64_t job = soak_import(client, files + again, names, first);
    if (!job && !soak_breaks(client)) own_change_end(client, change, false);
    if (!job) return;
    if (cancels) job_cancel(client, job);
    json_t *over = job_wait(client, job);
    if (!over) return; /* as before or as after: looked at when all rest */
    const json_t *result = json_object_get(over, "result");
    own_change_end(client, change, job_ended(over, "done"));
    if (job_ended(over, "done")) {
        take_numbers(client, change, json_object_get(result, "added"), NULL);
        const json_t *copies = json_object_get(result, "duplicates");
        if (json_array_size(json_object_get(result, "added")) != (size_t)files ||
            json_array_size(copies) != (size_t)again ||
            (again &&
             json_integer_value(json_object_get(json_array_get(copies, 0), "id")) != motion->id))
            soak_wrong(client, NULL, "%d clips added, %d there already", files, again);
    } else if (!cancels) {
        char *said = json_dumps(over, JSON_COMPACT);
        soak_wrong(client, NULL, "that %d files are put in, not %s", files, said);
        free(said);
    }
    json_decref(over);
}

/* ---- undo ------------------------------------------------------------------------------------ */

/* Undoes a step; true if it was done. *again: the step that undoes this; 0: none. `purges`: so many
   had ended before all this. */
static bool undo_step(soak_client *client, int64_t step, long purges, own_change *change,
                      int64_t *again)
{
    soak *all = client->all;
    http_answer answer = soak_change(client, "/api/do/undo", "{'step': %lld}", (long long)step);
    bool lost = atomic_load(&all->purges_begun) != purges ||
                atomic_load(&all->last_step) - step > STEPS_SURE;
    *again = 0;
    if (answer.status == 404 && lost) { /* the history was cleared, or is longer than it is kept */
        atomic_fetch_add(&all->undo_refused, 1);
        own_change_end(client, change, false);
        wire_free(&answer);
        return false;
    }
    json_t *came = close_change(client, change, &answer);
    bool done = came != NULL;
    if (done && (json_integer_value(json_object_get(came, "undone")) != step ||
                 json_integer_value(json_object_get(came, "count")) != 1))
        soak_wrong(client, &answer, "that step %lld is undone", (long long)step);
    *again = json_integer_value(json_object_get(came, "step"));
    json_decref(came);
    wire_free(&answer);
    return done;
}

/* A change, and back; now and then forth again. */
SOAK_ACTION(do_undo)
{
    static last_change (*const changes[])(
        soak_client * client) = { label, describe, stretch, rename_clip, plants, remove_one, cut };
    long purges = atomic_load(&client->all->purges_ended);
    last_change last =
        changes[soak_draw(&client->random, sizeof changes / sizeof *changes)](client);
    if (!last.step) return;
    int64_t step = last.step, again;
    own_state other = last.before;
    for (int k = 0; k < 2; k++) {
        own_change *change = own_change_begin(client, "undo");
        if (!change) return;
        own_state now = client->clips[last.clip].now;
        *own_change_add(change, client, last.clip) = other;
        if (!undo_step(client, step, purges, change, &again) || !again || soak_chance(client, 50))
            return;
        step = again;
        other = now;
    }
}

/* ---- asking for what is its own -------------------------------------------------------------- */

/* Its body is that of the motion that it was made of. */
static bool same_body(const json_t *a, const json_t *b)
{
    static const char *const keys[] = { "joints", "roles", "skeleton", "has_channels" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i]))) return false;
    return true;
}

SOAK_ACTION(ask_own_details)
{
    int clip = own_find(client, false);
    if (clip < 0) return;
    const own_clip *of = &client->clips[clip];
    const char *why;
    http_answer answer = soak_get(client, "/api/clips/%lld", (long long)of->id);
    json_t *about = soak_json(client, &answer, 200);
    if (about && !own_is_like(client, of, &of->now, about, &why))
        soak_wrong(client, &answer, "%s: %s", of->now.name, why);
    else if (about && !same_body(about, of->motion->details))
        soak_wrong(client, &answer, "%s: the body of %s", of->now.name, of->motion->name);
    json_decref(about);
    wire_free(&answer);
}

SOAK_ACTION(ask_own_frames)
{
    int clip = own_find(client, false);
    if (clip < 0) return;
    const own_clip *of = &client->clips[clip];
    int frames = of->end - of->start, start = (int)soak_draw(&client->random, (uint64_t)frames - 1);
    int end = start + 1 + (int)soak_draw(&client->random, (uint64_t)(frames - start));
    own_check_frames(client, of, start, end, 1 + (int)soak_draw(&client->random, 3));
}

SOAK_ACTION(ask_own_plants)
{
    int clip = own_find(client, false);
    const own_clip *of = &client->clips[clip < 0 ? 0 : clip];
    if (clip < 0 || of->now.plants == PLANTS_AS_MADE) return;
    http_answer answer =
        soak_question(client, "/api/do/contacts", "{'clip': %lld}", (long long)of->id);
    json_t *about = soak_json(client, &answer, 200);
    const json_t *first = json_array_get(json_object_get(about, "contacts"), 0);
    bool set = json_is_true(json_object_get(about, "contacts_set"));
    if (about && (set != (of->now.plants > 0) ||
                  (set && json_integer_value(json_object_get(first, "start")) != of->now.plants)))
        soak_wrong(client, &answer, "a plant at %d", of->now.plants);
    json_decref(about);
    wire_free(&answer);
}

/* A list of clips has the client's own ones with this label or name, and no others of its own. */
static void check_list(soak_client *client, const http_answer *answer, const json_t *clips,
                       unsigned label, bool whole)
{
    char prefix[8];
    const json_t *entry;
    const char *why = "there";
    size_t i, own = 0, expected = 0;
    snprintf(prefix, sizeof prefix, "c%03d-", client->number);
    json_array_foreach(clips, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (!name || strncmp(name, prefix, strlen(prefix)) != 0) {
            if (whole) soak_wrong(client, answer, "clips of this client alone");
            continue;
        }
        const own_clip *of = NULL;
        for (int k = 0; k < OWN_CLIPS; k++)
            if (client->clips[k].id == json_integer_value(json_object_get(entry, "id")))
                of = &client->clips[k];
        if (of && of->change >= 0) continue;
        bool open = false; /* one that is being made, perhaps, whose number is not soak_known */
        for (int k = 0; k < OWN_CLIPS; k++) open |= client->clips[k].change >= 0;
        if (!of && open) continue;
        own++;
        if (!of || !own_is_like(client, of, &of->now, entry, &why))
            soak_wrong(client, answer, "%s: %s", name, why);
    }
    for (int k = 0; k < OWN_CLIPS; k++) {
        const own_clip *of = &client->clips[k];
        bool counts = !label || of->now.labels & label || (label & 1 && of->now.stretch);
        expected += of->change < 0 && of->now.there && !of->now.removed && counts;
    }
    if (own != expected) soak_wrong(client, answer, "%zu clips, not %zu", expected, own);
}

SOAK_ACTION(ask_own_list)
{
    int label = (int)soak_draw(&client->random, OWN_LABELS + 1);
    char text[NAME_ROOM];
    http_answer answer;
    bool all = label == OWN_LABELS;
    if (all) {
        answer = soak_get(client, "/api/clips?text=c%03d", client->number);
    } else {
        own_label(client, label, text);
        answer = soak_question(client, "/api/do/ls", "{'label': '%s'}", text);
    }
    json_t *listed = soak_json(client, &answer, 200);
    if (listed)
        check_list(client, &answer, json_object_get(listed, "clips"), all ? 0 : 1u << label,
                   !all && label < OWN_LABELS - 1);
    json_decref(listed);
    wire_free(&answer);
}

/* All clips, or what changed since it asked last. */
SOAK_ACTION(ask_list_since)
{
    http_answer answer = soak_get(client, "/api/clips?since=%lld", (long long)client->version);
    json_t *listed = soak_json(client, &answer, 200);
    if (listed) {
        int64_t version = json_integer_value(json_object_get(listed, "version"));
        if (!json_object_get(listed, "since"))
            check_list(client, &answer, json_object_get(listed, "clips"), 0, false);
        if (version < client->version)
            soak_wrong(client, &answer, "a version from %lld on", (long long)client->version);
        if (!client->spoiled) client->version = version;
    }
    json_decref(listed);
    wire_free(&answer);
}
