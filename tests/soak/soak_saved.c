/* soak_saved.c - alignments, puppets, cluster graphs and motion graphs that clients build under
   names of their own, all of the same clips: each is what was built at first. */
#include "soak.h"

#include <string.h>

/* In bodies %s is the name, %a and %b the numbers of two small clips. */
typedef struct saved_row {
    const char *what;
    const char *build, *build_body;
    bool job;
    const char *show, *show_body, *drop; /* keys that hold the name */
    const char *rm, *rm_body;
    const char *ls, *key;
} saved_row;

static const saved_row rows[SAVED_KINDS] = {
    [SAVED_CURVE] = { "curve", "/api/do/align", "{'clips': [%a, %b], 'save': '%s'}", false,
                      "/api/do/align", "{'curve': '%s'}", "saved curve name step", "/api/do/curves",
                      "{'rm': '%s'}", "/api/do/curves", "curves" },
    [SAVED_PUPPET] = { "puppet", "/api/do/puppet-train",
                       "{'name': '%s', 'demonstrations': [{'samples': [[0,0,0,0,100,0,0],"
                       "[0.4,10,0,0,110,3,0],[0.8,20,9,0,120,8,0],[1.2,40,20,1,130,20,1]]}]}",
                       true, "/api/do/puppet-show", "{'name': '%s', 'points': 30}", "name",
                       "/api/do/puppet-rm", "{'name': '%s'}", "/api/do/puppet-ls", "puppets" },
    [SAVED_CLUSTERS] = { "cluster graph", "/api/do/cluster-build",
                         "{'name': '%s', 'clips': [%a, %b]}", true, "/api/do/cluster-show",
                         "{'name': '%s'}", "name seconds", "/api/do/cluster-rm", "{'name': '%s'}",
                         "/api/do/cluster-ls", "clusters" },
    [SAVED_GRAPH] = { "graph", "/api/do/graph-build", "{'name': '%s', 'clips': [%a, %b]}", true,
                      "/api/do/graph-stats", "{'name': '%s'}", "name seconds", "/api/do/graph-rm",
                      "{'name': '%s'}", "/api/do/graph-ls", "graphs" },
};

static int64_t id_of(const soak *all, const char *name)
{
    for (int i = 0; i < all->known.motion_count; i++)
        if (strcmp(all->known.motions[i].name, name) == 0) return all->known.motions[i].id;
    return 0;
}

/* Free it. */
static char *fill(const soak *all, const char *body, const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (; *body; body++) {
        if (*body != '%') {
            fputc(*body, out);
            continue;
        }
        body++;
        if (*body == 's')
            fputs(name, out);
        else
            fprintf(out, "%lld", (long long)id_of(all, *body == 'a' ? "small_a" : "small_b"));
    }
    fclose(out);
    return text;
}

const json_t *saved_list(soak_client *client, int kind, json_t **answer)
{
    http_answer listed = soak_question(client, rows[kind].ls, "{}");
    *answer = soak_json(client, &listed, 200);
    wire_free(&listed);
    return json_object_get(*answer, rows[kind].key);
}

/* ---- building -------------------------------------------------------------------------------- */

/* 1: it is there; 0: it is not; -1: the studio was killed meanwhile. */
static int build(soak_client *client, int kind, const char *name, bool cancels)
{
    const saved_row *row = &rows[kind];
    FREED char *body = fill(client->all, row->build_body, name);
    if (!row->job) {
        http_answer answer = soak_change(client, row->build, "%s", body);
        int status = answer.status;
        if (status == 503)
            atomic_fetch_add(&client->all->refused, 1);
        else
            json_decref(soak_json(client, &answer, 200));
        wire_free(&answer);
        return status == 0 ? -1 : status == 200;
    }
    int64_t number = job_begin(client, row->build, body);
    if (!number) return soak_breaks(client) ? -1 : 0;
    if (cancels) job_cancel(client, number);
    json_t *over = job_wait(client, number);
    int came = !over ? -1 : job_ended(over, "done");
    if (over && !came && !(cancels && job_ended(over, "cancelled"))) {
        char *said = json_dumps(over, JSON_COMPACT);
        soak_wrong(client, NULL, "that a %s is built, not %s", row->what, said);
        free(said);
    }
    json_decref(over);
    return came;
}

static json_t *show(soak_client *client, int kind, const char *name)
{
    FREED char *body = fill(client->all, rows[kind].show_body, name);
    http_answer answer = soak_question(client, rows[kind].show, "%s", body);
    json_t *shown = soak_json(client, &answer, 200);
    wire_free(&answer);
    known_drop_keys(shown, rows[kind].drop);
    return shown;
}

void saved_learn(soak_client *judge)
{
    static const char *const names[SAVED_KINDS] = { "fix-curve", "fix-puppet", "fix-clusters",
                                                    "fix-graph" };
    for (int k = 0; k < SAVED_KINDS; k++) {
        build(judge, k, names[k], false);
        judge->all->known.saved[k].shown = show(judge, k, names[k]);
    }
}

/* ---- what clients do ------------------------------------------------------------------------- */

/* One that is at rest; -1: none. */
static int find(soak_client *client, bool there, int kind)
{
    int first = (int)soak_draw(&client->random, OWN_SAVED);
    for (int k = 0; k < OWN_SAVED; k++) {
        const own_saved *saved = &client->saved[(first + k) % OWN_SAVED];
        if (saved->change < 0 && saved->there == there && (kind < 0 || saved->kind == kind))
            return (first + k) % OWN_SAVED;
    }
    return -1;
}

static own_change *begin(soak_client *client, int saved, const char *what)
{
    own_change *change = own_change_begin(client, what);
    if (!change) return NULL;
    client->saved[saved].change = (int)(change - client->changes);
    change->saved = saved;
    change->saved_after = client->saved[saved];
    change->saved_after.change = -1;
    return change;
}

SOAK_ACTION(do_save)
{
    int at = find(client, false, -1);
    own_change *change = at < 0 ? NULL : begin(client, at, "save");
    if (!change) return;
    own_saved *after = &change->saved_after;
    after->there = true;
    after->kind = (int)soak_draw(&client->random, SAVED_KINDS);
    own_name(client, after->name);
    client->saved[at].kind = after->kind; /* what is not there is of any kind */
    client->saved[at].name[0] = 0;
    int came = build(client, after->kind, after->name, soak_chance(client, 15));
    if (came >= 0) own_change_end(client, change, came);
}

SOAK_ACTION(ask_saved)
{
    int at = find(client, true, -1);
    if (at < 0) return;
    const own_saved *saved = &client->saved[at];
    json_t *shown = show(client, saved->kind, saved->name);
    if (shown && !json_equal(shown, client->all->known.saved[saved->kind].shown))
        soak_wrong(client, NULL, "the same %s as the first that was built", rows[saved->kind].what);
    json_decref(shown);
}

/* Sends a change of a saved thing that is no job. */
static void send(soak_client *client, own_change *change, const char *target, const char *body)
{
    http_answer answer = soak_change(client, target, "%s", body);
    if (answer.status == 503) {
        atomic_fetch_add(&client->all->refused, 1);
        own_change_end(client, change, false);
    } else if (answer.status) {
        json_t *came = soak_json(client, &answer, 200);
        own_change_end(client, change, came != NULL);
        json_decref(came);
    }
    wire_free(&answer);
}

SOAK_ACTION(do_drop_saved)
{
    int at = find(client, true, -1);
    own_change *change = at < 0 ? NULL : begin(client, at, "forget");
    if (!change) return;
    const own_saved *saved = &client->saved[at];
    FREED char *body = fill(client->all, rows[saved->kind].rm_body, saved->name);
    change->saved_after.there = false;
    send(client, change, rows[saved->kind].rm, body);
}

SOAK_ACTION(do_rename_saved)
{
    int at = find(client, true, SAVED_PUPPET);
    own_change *change = at < 0 ? NULL : begin(client, at, "rename a puppet");
    char body[128];
    if (!change) return;
    own_name(client, change->saved_after.name);
    snprintf(body, sizeof body, "{'name': '%s', 'to': '%s'}", client->saved[at].name,
             change->saved_after.name);
    send(client, change, "/api/do/puppet-rename", body);
}
