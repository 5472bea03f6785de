/* soak_jobs.c - long work: begun, looked at until it is over, cancelled, its files fetched. */
#include "soak.h"

#include <string.h>
#include <unistd.h>

enum { LEAST_LOOK_US = 2000, MOST_LOOK_US = 100000, MOST_WAIT_S = 300, FILES_KEPT = 8 };

int64_t job_begin(soak_client *client, const char *target, const char *body)
{
    http_answer answer = soak_change(client, target, "%s", body);
    int64_t number = 0;
    if (answer.status == 503) { /* 64 are waiting */
        atomic_fetch_add(&client->all->refused, 1);
    } else if (answer.status) {
        json_t *begun = soak_json(client, &answer, 202);
        number = json_integer_value(json_object_get(begun, "job"));
        json_decref(begun);
    }
    wire_free(&answer);
    return number;
}

bool job_ended(const json_t *over, const char *state)
{
    const char *came = json_string_value(json_object_get(over, "state"));
    return came && strcmp(came, state) == 0;
}

static int rank_of(const json_t *about)
{
    return job_ended(about, "waiting") ? 0 : job_ended(about, "running") ? 1 : 2;
}

json_t *job_wait(soak_client *client, int64_t number)
{
    double until = wire_now() + MOST_WAIT_S;
    int rank = 0;
    if (!number) return NULL;
    for (useconds_t look = LEAST_LOOK_US; wire_now() < until;
         look = look < MOST_LOOK_US ? look * 2 : look) {
        char target[64], head[1024];
        usleep(look);
        snprintf(target, sizeof target, "/api/jobs/%lld", (long long)number);
        soak_head(client, head, sizeof head, "GET", target, "");
        http_answer answer = soak_send(client, head, NULL, 0, false);
        bool is_gone = answer.status == 404;
        json_t *about = is_gone ? NULL : soak_json(client, &answer, 200);
        wire_free(&answer);
        if (is_gone) atomic_fetch_add(&client->all->forgotten, 1);
        if (!about) return NULL;
        int now = rank_of(about);
        if (json_integer_value(json_object_get(about, "job")) != number || now < rank)
            soak_wrong(client, NULL, "job %lld, which goes on", (long long)number);
        rank = now;
        if (rank == 2) return about;
        json_decref(about);
    }
    soak_wrong(client, NULL, "the end of job %lld", (long long)number);
    return NULL;
}

void job_cancel(soak_client *client, int64_t number)
{
    char target[64];
    snprintf(target, sizeof target, "/api/jobs/%lld/cancel", (long long)number);
    http_answer answer = soak_change(client, target, "{}");
    if (answer.status == 404)
        atomic_fetch_add(&client->all->forgotten, 1);
    else
        json_decref(soak_json(client, &answer, 200));
    wire_free(&answer);
}

/* ---- files that are dropped ------------------------------------------------------------------ */

int64_t soak_import(soak_client *client, int count, char names[][NAME_ROOM], const float *first)
{
    const char *person = client->all->known.person;
    char head[1024], more[160], *text = NULL, number[16];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *value = strstr(person, "0.0166667\n") + 10;
    for (int i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%06.2f", (double)first[i]);
        fprintf(out,
                "--edge\r\nContent-Disposition: form-data; name=\"files\"; "
                "filename=\"%s.bvh\"\r\nContent-Type: application/octet-stream\r\n\r\n",
                names[i]);
        fwrite(person, 1, (size_t)(value - person), out);
        fprintf(out, "%s%s\r\n", first[i] > 0 ? number : "0.0000", value + 6);
    }
    fputs("--edge--\r\n", out);
    fclose(out);
    snprintf(more, sizeof more,
             "Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: %zu\r\n", size);
    soak_head(client, head, sizeof head, "POST", "/api/import", more);
    http_answer answer = soak_send(client, head, text, size, false);
    int64_t job = 0;
    free(text);
    if (answer.status == 503) {
        atomic_fetch_add(&client->all->refused, 1);
    } else if (answer.status) {
        json_t *begun = soak_json(client, &answer, 202);
        job = json_integer_value(json_object_get(begun, "job"));
        json_decref(begun);
    }
    wire_free(&answer);
    return job;
}

/* ---- what clients do ------------------------------------------------------------------------- */

/* The file that a job made, or its result, is what it was when nothing else was done. */
static void check_job(soak_client *client, const known_job *of, int64_t number, json_t *over,
                      long exports)
{
    json_t *result = json_object_get(over, "result");
    known_drop_keys(result, "seconds");
    if (!json_equal(result, of->value))
        soak_wrong(client, NULL, "the result of %s %s", of->target, of->body);
    if (!of->file) return;
    http_answer file = soak_get(client, "/api/jobs/%lld/file", (long long)number);
    bool made_room = atomic_load(&client->all->exports) - exports >= FILES_KEPT;
    if (file.status == 404 && made_room)
        atomic_fetch_add(&client->all->forgotten, 1);
    else if (file.status && (file.status != 200 || file.count != of->count ||
                             memcmp(file.body, of->came, of->count) != 0))
        soak_wrong(client, &file, "the file of %s, %zu bytes", of->body, of->count);
    wire_free(&file);
}

static void run_job(soak_client *client, bool cancels)
{
    soak *all = client->all;
    const known_job *of =
        &all->known.jobs[soak_draw(&client->random, (uint64_t)all->known.job_count)];
    if (of->file) atomic_fetch_add(&all->exports, 1);
    long exports = atomic_load(&all->exports);
    int64_t number = job_begin(client, of->target, of->body);
    if (!number) return;
    if (cancels) job_cancel(client, number);
    json_t *over = job_wait(client, number);
    if (over && job_ended(over, "done"))
        check_job(client, of, number, over, exports);
    else if (over && !(cancels && job_ended(over, "cancelled")))
        soak_wrong(client, NULL, "that %s is done", of->body);
    json_decref(over);
}

SOAK_ACTION(do_job)
{
    run_job(client, false);
}

SOAK_ACTION(do_cancel)
{
    run_job(client, true);
}

SOAK_ACTION(do_index)
{
    json_t *over = job_wait(client, job_begin(client, "/api/do/index", "{}"));
    if (over && !job_ended(over, "done")) soak_wrong(client, NULL, "that the index is made");
    json_decref(over);
}

SOAK_ACTION(do_verify)
{
    json_t *over = job_wait(client, job_begin(client, "/api/do/verify", "{}"));
    const json_t *result = json_object_get(over, "result");
    if (over && (!json_is_true(json_object_get(result, "ok")) ||
                 json_array_size(json_object_get(result, "problems")) != 0))
        soak_wrong(client, NULL, "a library without problems");
    json_decref(over);
}
