/* soak_ask.c - requests of a client over a connection that stays open, and what is said of answers
   that are wrong. */
#include "soak.h"

#include <stdarg.h>
#include <string.h>

enum { ANSWER_S = 120, IDLE_S = 15, MOST_SHOWN = 40, SHOWN_BYTES = 300, ASKED_SHOWN = 290 };

uint64_t soak_draw(uint64_t *random, uint64_t below) /* splitmix64 */
{
    uint64_t z = *random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

bool soak_chance(soak_client *client, int percent)
{
    return soak_draw(&client->random, 100) < (uint64_t)percent;
}

bool soak_breaks(const soak_client *client)
{
    return atomic_load(&client->all->killing);
}

void soak_wrong(soak_client *client, const http_answer *answer, const char *format, ...)
{
    soak *all = client->all;
    if (client->spoiled) { /* as it should be */
        client->spoiled = false;
        atomic_fetch_add(&all->found, 1);
        return;
    }
    if (atomic_fetch_add(&all->wrong, 1) >= MOST_SHOWN) return;
    va_list values;
    char *said = NULL;
    va_start(values, format);
    if (vasprintf(&said, format, values) < 0) said = NULL;
    va_end(values);
    pthread_mutex_lock(&all->lock);
    fprintf(stderr, "wrong: client %d, round %ld\n  asked: %s\n  expected: %s\n", client->number,
            all->round, client->asked, said ? said : "");
    if (answer)
        fprintf(stderr, "  came: %d, %zu bytes: %.*s\n", answer->status, answer->count, SHOWN_BYTES,
                answer->body ? answer->body : "");
    pthread_mutex_unlock(&all->lock);
    free(said);
}

/* ---- the connection -------------------------------------------------------------------------- */

void soak_close(soak_client *client, bool abort)
{
    if (!client->connected) return;
    client->connected = false;
    if (abort)
        wire_abort(&client->wire);
    else
        wire_close(&client->wire);
}

bool soak_open(soak_client *client)
{
    /* The studio closes connections that rest. */
    if (client->connected && wire_now() - client->used_at > IDLE_S) soak_close(client, false);
    if (client->connected) return true;
    client->connected = wire_try_open(&client->wire, client->all->host.port);
    if (!client->connected && !soak_breaks(client)) soak_wrong(client, NULL, "a connection");
    return client->connected;
}

int soak_head(const soak_client *client, char *to, size_t room, const char *method,
              const char *target, const char *more)
{
    return snprintf(to, room,
                    "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n%s\r\n",
                    method, target, client->all->host.port, client->all->host.token, more);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* For tests of this program: would a wrong byte be noticed? */
static void spoil(soak_client *client, http_answer *answer)
{
    soak *all = client->all;
    if (client->spoiled) {
        atomic_fetch_add(&all->unseen, 1);
        fprintf(stderr, "not noticed: %.300s\n", client->spoiled_answer);
    }
    client->spoiled = false;
    if (!all->def.spoil || answer->count == 0 || client->number < 0) return;
    if (soak_draw(&client->random, (uint64_t)all->def.spoil) != 0) return;
    answer->body[soak_draw(&client->random, answer->count)] ^=
        (char)(1 << soak_draw(&client->random, 7));
    client->spoiled = true;
    snprintf(client->spoiled_answer, sizeof client->spoiled_answer, "%.*s", ASKED_SHOWN,
             client->asked);
    atomic_fetch_add(&all->spoiled, 1);
}

http_answer soak_take(soak_client *client, bool question)
{
    http_answer answer = wire_read(&client->wire, ANSWER_S);
    client->used_at = wire_now();
    if (!answer.whole) {
        soak_close(client, false);
        if (!soak_breaks(client))
            soak_wrong(client, &answer, "a whole answer, not an end after %.1f s", answer.seconds);
        wire_free(&answer);
        return answer;
    }
    if (wire_header(&answer, "Connection", NULL, 0)) soak_close(client, false);
    atomic_fetch_add(&client->all->answers, 1);
    if (question) spoil(client, &answer);
    return answer;
}

http_answer soak_send(soak_client *client, const char *head, const void *body, size_t count,
                      bool question)
{
    int line = (int)strcspn(head, "\r");
    snprintf(client->asked, sizeof client->asked, "%.*s %.*s", line, head,
             count < 400 ? (int)count : 400, body ? (const char *)body : "");
    if (!soak_open(client)) return (http_answer){ 0 };
    client->wire.bodyless = strncmp(head, "HEAD", 4) == 0;
    if (!wire_send(&client->wire, head, strlen(head)) ||
        (count && !wire_send(&client->wire, body, count))) {
        if (!soak_breaks(client)) soak_wrong(client, NULL, "that the request is taken");
        soak_close(client, false);
        return (http_answer){ 0 };
    }
    return soak_take(client, question);
}

static http_answer post(soak_client *client, const char *target, char *body, bool question)
{
    char head[1024], more[128];
    json_quote(body);
    snprintf(more, sizeof more, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
             strlen(body));
    soak_head(client, head, sizeof head, "POST", target, more);
    return soak_send(client, head, body, strlen(body), question);
}

#define FILL(text, format)                                                                         \
    char *text = NULL;                                                                             \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    if (vasprintf(&text, format, values) < 0) abort();                                             \
    va_end(values)

http_answer soak_get(soak_client *client, const char *format, ...)
{
    char head[1024];
    FILL(target, format);
    soak_head(client, head, sizeof head, "GET", target, "");
    http_answer answer = soak_send(client, head, NULL, 0, true);
    free(target);
    return answer;
}

http_answer soak_question(soak_client *client, const char *target, const char *format, ...)
{
    FILL(body, format);
    http_answer answer = post(client, target, body, true);
    free(body);
    return answer;
}

http_answer soak_change(soak_client *client, const char *target, const char *format, ...)
{
    FILL(body, format);
    http_answer answer = post(client, target, body, false);
    free(body);
    return answer;
}

json_t *soak_json(soak_client *client, const http_answer *answer, int status)
{
    if (answer->status == 0) return NULL;
    json_t *value = NULL;
    if (answer->status == status)
        value = json_loadb(answer->body, answer->count, JSON_REJECT_DUPLICATES, NULL);
    if (!value) soak_wrong(client, answer, "%d and JSON", status);
    return value;
}
