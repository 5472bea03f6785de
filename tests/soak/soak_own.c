/* soak_own.c - the model of what a client owns: its clips, its saved things, and the changes of
   them that were asked for and not answered yet. Each of these comes true as a whole, or not at
   all; a clip is in one of them at most. */
#include "soak.h"

#include <string.h>

/* ---- small things ---------------------------------------------------------------------------- */

void own_begin(soak_client *client)
{
    for (int i = 0; i < OWN_CLIPS; i++) client->clips[i].change = -1;
    for (int i = 0; i < OWN_SAVED; i++) client->saved[i].change = -1;
}

void own_name(soak_client *client, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "c%03d-%06ld", client->number, ++client->names);
}

void own_label(const soak_client *client, int label, char text[NAME_ROOM])
{
    if (label == OWN_LABELS - 1)
        snprintf(text, NAME_ROOM, "soaked");
    else
        snprintf(text, NAME_ROOM, "c%03d-%c", client->number, 'a' + label);
}

static int find_where(soak_client *client, bool there, bool removed)
{
    int first = (int)soak_draw(&client->random, OWN_CLIPS);
    for (int k = 0; k < OWN_CLIPS; k++) {
        int i = (first + k) % OWN_CLIPS;
        const own_clip *clip = &client->clips[i];
        if (clip->change < 0 && clip->now.there == there &&
            (!there || clip->now.removed == removed))
            return i;
    }
    return -1;
}

int own_find(soak_client *client, bool removed)
{
    return find_where(client, true, removed);
}

int own_find_free(soak_client *client)
{
    return find_where(client, false, false);
}

/* ---- changes --------------------------------------------------------------------------------- */

own_change *own_change_begin(soak_client *client, const char *what)
{
    for (int i = 0; i < OWN_CHANGES; i++) {
        if (client->changes[i].open) continue;
        client->changes[i] = (own_change){ .open = true, .what = what, .saved = -1 };
        return &client->changes[i];
    }
    return NULL;
}

own_state *own_change_add(own_change *change, soak_client *client, int clip)
{
    own_state *after = &change->after[change->count];
    client->clips[clip].change = (int)(change - client->changes);
    change->clips[change->count++] = clip;
    *after = client->clips[clip].now;
    return after;
}

void own_change_end(soak_client *client, own_change *change, bool done)
{
    for (int i = 0; i < change->count; i++) {
        own_clip *clip = &client->clips[change->clips[i]];
        if (done) clip->now = change->after[i];
        clip->change = -1;
    }
    if (change->saved >= 0) {
        own_saved *saved = &client->saved[change->saved];
        if (done) *saved = change->saved_after;
        saved->change = -1;
    }
    change->open = false;
}

/* ---- is it as it must be? -------------------------------------------------------------------- */

static bool has_text(const json_t *list, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one) if (json_is_string(one) &&
                                         strcmp(json_string_value(one), text) == 0) return true;
    return false;
}

static bool same_labels(const soak_client *client, const own_clip *clip, const own_state *state,
                        const json_t *labels)
{
    const json_t *made = json_object_get(clip->motion->details, "labels"), *one;
    size_t expected = 0, i;
    json_array_foreach(made, i, one)
    {
        if (!has_text(labels, json_string_value(one))) return false;
        expected++;
    }
    for (int k = 0; k < OWN_LABELS; k++) {
        char text[NAME_ROOM];
        own_label(client, k, text);
        if (!(state->labels >> k & 1)) continue;
        if (!has_text(labels, text)) return false;
        expected++;
    }
    return json_array_size(labels) == expected;
}

static bool same_stretches(const soak_client *client, const own_state *state, const json_t *list)
{
    char text[NAME_ROOM];
    const json_t *one = json_array_get(list, 0);
    if (json_array_size(list) != state->stretch) return false;
    if (!state->stretch) return true;
    own_label(client, 0, text);
    const char *label = json_string_value(json_object_get(one, "label"));
    return label && strcmp(label, text) == 0 &&
           json_integer_value(json_object_get(one, "start")) == 3 &&
           json_integer_value(json_object_get(one, "end")) == 9;
}

static bool same_text(const soak_client *client, const own_clip *clip, const char *key, int number,
                      const json_t *entry)
{
    char text[64];
    const char *expected = json_string_value(json_object_get(clip->motion->details, key));
    const char *came = json_string_value(json_object_get(entry, key));
    if (number) {
        snprintf(text, sizeof text, "%s %d of c%03d", key, number, client->number);
        expected = text;
    }
    return expected && came && strcmp(expected, came) == 0;
}

bool own_is_like(const soak_client *client, const own_clip *clip, const own_state *state,
                 const json_t *entry, const char **why)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    long long id = json_integer_value(json_object_get(entry, "id"));
    const char *wrong = NULL;
    if (!name || strcmp(name, state->name) != 0) wrong = "its name";
    if (clip->id && id != clip->id) wrong = "its number";
    if (json_integer_value(json_object_get(entry, "frames")) != clip->end - clip->start)
        wrong = "its frames";
    if (json_number_value(json_object_get(entry, "fps")) != clip->motion->fps) wrong = "its rate";
    if (json_is_true(json_object_get(entry, "removed")) != state->removed) wrong = "removed";
    if (!same_labels(client, clip, state, json_object_get(entry, "labels"))) wrong = "its labels";
    if (!same_stretches(client, state, json_object_get(entry, "stretches")))
        wrong = "its labels of frames";
    if (!same_text(client, clip, "description", state->described, entry)) wrong = "its description";
    if (!same_text(client, clip, "licence", state->licensed, entry)) wrong = "its licence";
    if (why) *why = wrong;
    return !wrong;
}

/* The same numbers as the motion that it was made of. */
static bool same_motion(const own_clip *clip, const float *came, int start, int frames, int step)
{
    const known_motion *of = clip->motion;
    size_t place = 3 * (size_t)of->places, turn = 4 * (size_t)of->joints;
    const float *turns = came + (size_t)frames * place;
    for (int i = 0; i < frames; i++) {
        size_t at = (size_t)(clip->start + start + i * step);
        const float *places = of->values + at * place;
        size_t skip = at == 0 && clip->first > 0; /* the number that makes a file different */
        if (skip && came[0] != clip->first) return false;
        if (memcmp(came + (size_t)i * place + skip, places + skip, 4 * (place - skip)) != 0)
            return false;
        if (memcmp(turns + (size_t)i * turn, of->values + (size_t)of->frames * place + at * turn,
                   4 * turn) != 0)
            return false;
    }
    return true;
}

void own_check_frames(soak_client *client, const own_clip *clip, int start, int end, int step)
{
    http_answer answer = soak_get(client, "/api/clips/%lld/frames?start=%d&end=%d&step=%d",
                                  (long long)clip->id, start, end, step);
    int frames = (end - start + step - 1) / step;
    const known_motion *of = clip->motion;
    uint32_t expected[8] = { 0,
                             1,
                             (uint32_t)frames,
                             (uint32_t)of->joints,
                             (uint32_t)start,
                             (uint32_t)step,
                             (uint32_t)of->places,
                             0 };
    size_t values = (size_t)frames * (size_t)(3 * of->places + 4 * of->joints);
    memcpy(expected, "MRYF", 4);
    if (answer.status == 0) return;
    if (answer.status != 200 || answer.count != 40 + 4 * values ||
        memcmp(answer.body, expected, sizeof expected) != 0 ||
        memcmp(answer.body + 32, &of->fps, 8) != 0 ||
        !same_motion(clip, (const float *)(const void *)(answer.body + 40), start, frames, step))
        soak_wrong(client, &answer, "the frames of %s that %s was made of", of->name,
                   clip->now.name);
    wire_free(&answer);
}

/* ---- when all clients rest ------------------------------------------------------------------- */

typedef struct listed {
    json_t *all[2]; /* the clips, and those that were removed */
    size_t own;     /* so many of them are of clients */
} listed;

static bool is_of_clients(const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    return name && name[0] == 'c' && name[1] >= '0' && name[1] <= '9' && name[4] == '-';
}

static listed list_all(soak_client *judge)
{
    static const char *const targets[2] = { "/api/clips", "/api/clips?removed=1" };
    listed found = { 0 };
    for (int k = 0; k < 2; k++) {
        http_answer answer = soak_get(judge, "%s", targets[k]);
        found.all[k] = soak_json(judge, &answer, 200);
        json_t *clips = json_object_get(found.all[k], "clips"), *entry;
        size_t i;
        json_array_foreach(clips, i, entry) found.own += is_of_clients(entry);
        wire_free(&answer);
    }
    return found;
}

static const json_t *find_entry(const listed *in, int64_t id, const char *name)
{
    for (int k = 0; k < 2; k++) {
        const json_t *entry;
        size_t i;
        json_array_foreach(json_object_get(in->all[k], "clips"), i, entry)
        {
            const char *called = json_string_value(json_object_get(entry, "name"));
            if (id ? json_integer_value(json_object_get(entry, "id")) == id
                   : called && strcmp(called, name) == 0)
                return entry;
        }
    }
    return NULL;
}

static bool same_plants(soak_client *judge, const own_clip *clip, const own_state *state)
{
    if (state->plants == PLANTS_AS_MADE || !state->there || state->removed) return true;
    http_answer answer =
        soak_question(judge, "/api/do/contacts", "{'clip': %lld}", (long long)clip->id);
    json_t *about = soak_json(judge, &answer, 200);
    const json_t *list = json_object_get(about, "contacts"), *first = json_array_get(list, 0);
    bool set = json_is_true(json_object_get(about, "contacts_set"));
    bool same = set == (state->plants > 0);
    if (same && set)
        same = json_array_size(list) == 1 &&
               json_integer_value(json_object_get(first, "start")) == state->plants &&
               json_integer_value(json_object_get(first, "end")) == state->plants + 4;
    json_decref(about);
    wire_free(&answer);
    return same;
}

static bool is_so(soak_client *judge, const soak_client *client, const listed *in,
                  const own_clip *clip, const own_state *state, const char **why)
{
    const json_t *entry = find_entry(in, clip->id, state->name);
    *why = entry ? "that it is gone" : "that it is there";
    if (!state->there) return !entry || !state->name[0];
    if (!entry || !own_is_like(client, clip, state, entry, why)) return false;
    own_clip numbered = *clip;
    numbered.id = json_integer_value(json_object_get(entry, "id"));
    *why = "its foot plants";
    return same_plants(judge, &numbered, state);
}

static bool has_saved(const json_t *lists[SAVED_KINDS], const own_saved *saved)
{
    const json_t *one;
    size_t i;
    json_array_foreach(lists[saved->kind], i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name && strcmp(name, saved->name) == 0) return true;
    }
    return false;
}

/* A new clip has no number as long as nothing said it. */
static void learn_numbers(own_change *change, soak_client *client, const listed *in)
{
    for (int i = 0; i < change->count; i++) {
        own_clip *clip = &client->clips[change->clips[i]];
        const json_t *entry = clip->id ? NULL : find_entry(in, 0, change->after[i].name);
        if (entry) clip->id = json_integer_value(json_object_get(entry, "id"));
    }
}

/* All of it is as before, or as after. */
static void settle_change(soak_client *judge, soak_client *client, own_change *change,
                          const listed *in, const json_t *lists[SAVED_KINDS])
{
    int before = 0, after = 0, all = change->count;
    const char *why;
    learn_numbers(change, client, in);
    for (int i = 0; i < change->count; i++) {
        const own_clip *clip = &client->clips[change->clips[i]];
        own_state was = clip->now;
        if (!was.there) snprintf(was.name, sizeof was.name, "%s", change->after[i].name);
        before += is_so(judge, client, in, clip, &was, &why);
        after += is_so(judge, client, in, clip, &change->after[i], &why);
    }
    if (change->saved >= 0) {
        const own_saved *was = &client->saved[change->saved], *then = &change->saved_after;
        bool was_there = was->there && has_saved(lists, was);
        bool is_there = has_saved(lists, then);
        all++;
        before += was->there ? was_there : !is_there;
        after += then->there ? is_there && (strcmp(was->name, then->name) == 0 || !was_there)
                             : !is_there;
    }
    bool done = after == all;
    if (!done && before != all)
        soak_wrong(client, NULL,
                   "all of a change (%s) or nothing of it: %d as before, %d as after, "
                   "of %d",
                   change->what, before, after, all);
    atomic_fetch_add(&client->all->open_changes, 1);
    atomic_fetch_add(&client->all->open_done, done);
    own_change_end(client, change, done);
}

static void settle_client(soak_client *judge, soak_client *client, const listed *in,
                          const json_t *lists[SAVED_KINDS], size_t *own)
{
    for (int i = 0; i < OWN_CHANGES; i++)
        if (client->changes[i].open) settle_change(judge, client, &client->changes[i], in, lists);
    for (int i = 0; i < OWN_CLIPS; i++) {
        const own_clip *clip = &client->clips[i];
        const char *why;
        if (!is_so(judge, client, in, clip, &clip->now, &why))
            soak_wrong(client, NULL, "%s (clip %lld): %s", clip->now.name, (long long)clip->id,
                       why);
        *own += clip->now.there;
    }
    for (int i = 0; i < OWN_SAVED; i++) {
        const own_saved *saved = &client->saved[i];
        if (saved->name[0] && has_saved(lists, saved) != saved->there)
            soak_wrong(client, NULL, "that %s is %s", saved->name, saved->there ? "there" : "gone");
    }
}

void own_settle(soak *all, soak_client *judge)
{
    json_t *answers[SAVED_KINDS];
    const json_t *lists[SAVED_KINDS];
    size_t own = 0;
    listed in = list_all(judge);
    for (int k = 0; k < SAVED_KINDS; k++) lists[k] = saved_list(judge, k, &answers[k]);
    for (int i = 0; i < all->def.clients; i++)
        settle_client(judge, &all->clients[i], &in, lists, &own);
    snprintf(judge->asked, sizeof judge->asked, "(the list of all clips)");
    if (own != in.own) soak_wrong(judge, NULL, "%zu clips of clients, not %zu", own, in.own);
    for (int k = 0; k < SAVED_KINDS; k++) json_decref(answers[k]);
    for (int k = 0; k < 2; k++) json_decref(in.all[k]);
}
