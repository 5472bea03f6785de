/* soak_asks.c - questions whose answers are known from before, and clients without manners: who
   leave in the middle, send rubbish, or hardly read. */
#include "soak.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const known_answer *draw(soak_client *client)
{
    const soak_known *of = &client->all->known;
    int at = (int)soak_draw(&client->random, (uint64_t)of->shares), i = 0;
    while (at >= of->answers[i].share) at -= of->answers[i++].share;
    return &of->answers[i];
}

static void check(soak_client *client, const known_answer *of, const http_answer *answer)
{
    size_t at = 0;
    if (!answer->status || (answer->status == of->status && known_same(of, answer))) return;
    while (at < of->count && at < answer->count && of->came[at] == answer->body[at]) at++;
    size_t from = at < 60 ? 0 : at - 60;
    soak_wrong(client, answer,
               "%d, %zu bytes: %.100s\n  from byte %zu on: %.150s\n  came there: %.150s",
               of->status, of->count, of->came, at, from < of->count ? of->came + from : "",
               answer->body && from < answer->count ? answer->body + from : "");
}

/* ---- what is known --------------------------------------------------------------------------- */

SOAK_ACTION(ask_known)
{
    const known_answer *of = draw(client);
    http_answer answer = of->body ? soak_question(client, of->target, "%s", of->body)
                                  : soak_get(client, "%s", of->target);
    check(client, of, &answer);
    wire_free(&answer);
}

/* With its tag: there is nothing new. */
SOAK_ACTION(ask_known_again)
{
    const known_answer *of = draw(client);
    char head[1024], more[128];
    if (!of->tag[0]) return;
    snprintf(more, sizeof more, "If-None-Match: %s\r\n", of->tag);
    soak_head(client, head, sizeof head, "GET", of->target, more);
    http_answer answer = soak_send(client, head, NULL, 0, true);
    if (answer.status && (answer.status != 304 || answer.count != 0))
        soak_wrong(client, &answer, "304");
    wire_free(&answer);
}

SOAK_ACTION(ask_head)
{
    const known_answer *of = draw(client);
    char head[1024], length[32], expected[32];
    if (of->body) return;
    soak_head(client, head, sizeof head, "HEAD", of->target, "");
    http_answer answer = soak_send(client, head, NULL, 0, true);
    client->wire.bodyless = false;
    snprintf(expected, sizeof expected, "%zu", of->count);
    if (answer.status && (answer.status != of->status || answer.count != 0 ||
                          !wire_header(&answer, "Content-Length", length, sizeof length) ||
                          (!of->volatile_keys && strcmp(length, expected) != 0)))
        soak_wrong(client, &answer, "the head of %zu bytes", of->count);
    wire_free(&answer);
}

/* The second before the first is answered. */
SOAK_ACTION(ask_two_at_once)
{
    const known_answer *of[2] = { draw(client), draw(client) };
    char both[2048];
    size_t used = 0;
    if (of[0]->body || of[1]->body || !soak_open(client)) return;
    for (int k = 0; k < 2; k++)
        used +=
            (size_t)soak_head(client, both + used, sizeof both - used, "GET", of[k]->target, "");
    snprintf(client->asked, sizeof client->asked, "two at once: %s %s", of[0]->target,
             of[1]->target);
    client->wire.bodyless = false;
    wire_send(&client->wire, both, used);
    for (int k = 0; k < 2 && client->connected; k++) {
        http_answer answer = soak_take(client, true);
        check(client, of[k], &answer);
        wire_free(&answer);
    }
}

SOAK_ACTION(ask_jobs)
{
    http_answer answer = soak_get(client, "/api/jobs");
    json_t *all = soak_json(client, &answer, 200);
    const json_t *list = json_object_get(all, "jobs"), *one;
    int64_t before = INT64_MAX;
    size_t i;
    json_array_foreach(list, i, one)
    {
        int64_t number = json_integer_value(json_object_get(one, "job"));
        if (number >= before || !json_object_get(one, "state"))
            soak_wrong(client, &answer, "jobs, the newest first");
        before = number;
    }
    if (all && json_array_size(list) > 65) soak_wrong(client, &answer, "at most 65 jobs");
    json_decref(all);
    wire_free(&answer);
}

/* ---- what must be refused -------------------------------------------------------------------- */

typedef struct refusal {
    const char *method, *target, *body;
    int status;
    const char *says;
} refusal;

static const refusal refusals[] = {
    { "GET", "/api/clips/999999999", NULL, 404, "there is no clip number 999999999" },
    { "GET", "/api/nothing", NULL, 404, "there is no such address" },
    { "GET", "/api/clips/1/frames?start=7&end=3", NULL, 400, "frames 7-3 are not in the clip" },
    { "GET", "/api/clips?removed=2", NULL, 400, "removed is 0 or 1" },
    { "POST", "/api/do/label", "{\"clips\": [999999999], \"add\": [\"x\"]}", 404,
      "there is no clip number 999999999" },
    { "POST", "/api/do/label", "{\"clips\": [1]}", 400, "is needed" },
    { "POST", "/api/do/label", "{\"clips\": [1], \"clips\": [2], \"add\": [\"x\"]}", 400, "twice" },
    { "POST", "/api/do/rename", "{\"clip\": \"#1\", \"to\": \"a/b\"}", 400, "" },
    { "POST", "/api/do/cut",
      "{\"cuts\": [{\"clip\": 1, \"start\": 9, \"end\": 3, \"name\": \"x\"}]}", 400, "" },
    { "POST", "/api/do/graph-stats", "{\"name\": \"no such graph\"}", 404, "no graph is called" },
    { "POST", "/api/do/undo", "{\"step\": 2147483647}", 404, "there is no step 2147483647" },
    { "POST", "/api/do/blend", "{\"clips\": [1, 1], \"weights\": [1]}", 400, "" },
    { "POST", "/api/jobs/999999999/cancel", "{}", 404, "there is no job" },
    { "DELETE", "/api/clips/1", NULL, 405, "" },
};

SOAK_ACTION(ask_refused)
{
    const refusal *of = &refusals[soak_draw(&client->random, sizeof refusals / sizeof *refusals)];
    char head[1024], more[128] = "";
    size_t count = of->body ? strlen(of->body) : 0;
    if (of->body)
        snprintf(more, sizeof more, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                 count);
    soak_head(client, head, sizeof head, of->method, of->target, more);
    http_answer answer = soak_send(client, head, of->body, count, true);
    if (answer.status && (answer.status != of->status || !strstr(answer.body, of->says) ||
                          !strstr(answer.body, "\"error\"")))
        soak_wrong(client, &answer, "%d, which says \"%s\"", of->status, of->says);
    wire_free(&answer);
}

/* ---- without manners ------------------------------------------------------------------------- */

/* A change of which the end is not sent: nothing is changed. */
SOAK_ACTION(rude_half_request)
{
    int clip = own_find(client, false);
    char head[1024], body[128];
    if (clip < 0 || !soak_open(client)) return;
    int length = snprintf(body, sizeof body, "{\"clips\": [%lld], \"purge\": true}",
                          (long long)client->clips[clip].id);
    snprintf(head, sizeof head, "Content-Type: application/json\r\nContent-Length: %d\r\n", length);
    char whole[1400];
    int all = soak_head(client, whole, sizeof whole, "POST", "/api/do/rm", head);
    snprintf(whole + all, sizeof whole - (size_t)all, "%s", body);
    wire_send(&client->wire, whole, 1 + soak_draw(&client->random, (uint64_t)(all + length - 1)));
    soak_close(client, soak_chance(client, 50));
}

/* A change that is sent whole, with no wait for its answer: it is done or not, which is looked
   at when all rest. */
SOAK_ACTION(rude_change_and_go)
{
    int clip = own_find(client, false);
    char head[1024], body[128], more[128];
    own_change *change = clip < 0 || !soak_open(client) ? NULL : own_change_begin(client, "label");
    if (!change) return;
    own_state *after = own_change_add(change, client, clip);
    after->described = 1 + (int)soak_draw(&client->random, 10000);
    int length = snprintf(body, sizeof body,
                          "{\"clips\": [%lld], \"describe\": \"description %d of c%03d\"}",
                          (long long)client->clips[clip].id, after->described, client->number);
    snprintf(more, sizeof more, "Content-Type: application/json\r\nContent-Length: %d\r\n", length);
    soak_head(client, head, sizeof head, "POST", "/api/do/label", more);
    wire_send(&client->wire, head, strlen(head));
    wire_send(&client->wire, body, (size_t)length);
    soak_close(client, soak_chance(client, 30));
}

static bool ask_for_all_frames(soak_client *client, const known_answer **out)
{
    const soak_known *of = &client->all->known;
    char head[1024];
    int at = (int)soak_draw(&client->random, (uint64_t)of->count);
    for (int k = 0; k < of->count; k++, at = (at + 1) % of->count) {
        const known_answer *one = &of->answers[at];
        if (!strstr(one->target, "/frames") || strchr(one->target, '?')) continue;
        soak_head(client, head, sizeof head, "GET", one->target, "");
        snprintf(client->asked, sizeof client->asked, "slowly: %s", one->target);
        *out = one;
        if (!soak_open(client)) return false;
        client->wire.bodyless = false;
        return wire_send(&client->wire, head, strlen(head));
    }
    return false;
}

/* Hundreds of kilobytes are asked for, some are read, and it is gone. */
SOAK_ACTION(rude_leave_answer)
{
    const known_answer *of;
    if (ask_for_all_frames(client, &of))
        wire_fill(&client->wire, 1 + soak_draw(&client->random, of->count), wire_now() + 10);
    soak_close(client, soak_chance(client, 70));
}

/* A little at a time, so that the studio has to wait, and all of it is right. */
SOAK_ACTION(rude_read_slowly)
{
    const known_answer *of;
    int little = 8192;
    soak_close(client, false);
    if (!soak_open(client)) return;
    setsockopt(client->wire.socket, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    if (!ask_for_all_frames(client, &of)) {
        soak_close(client, false);
        return;
    }
    for (size_t have = 0; have < of->count && !soak_breaks(client); have += 65536) {
        usleep(20000);
        if (!wire_fill(&client->wire, have, wire_now() + 60)) break;
    }
    http_answer answer = soak_take(client, true);
    check(client, of, &answer);
    wire_free(&answer);
    soak_close(client, false);
}
