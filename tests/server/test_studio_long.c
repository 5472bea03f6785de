/* test_studio_long.c - the studio under load: clients that drip, clients that vanish, many clients
   at once, and a kill in the middle of an upload. Short by default; with MAREY_LONG as the promises
   say. */
#include "studio_bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Cases with a process of their own come first: no thread may run when they fork. */

/* ---- a studio in a process of its own -------------------------------------------------------- */

typedef struct remote {
    pid_t process;
    int until; /* closing it ends the studio */
} remote;

static void serve_until(studio_bench *b, int tell, int until)
{
    char byte;
    studio_bench_start(b, NULL);
    if (write(tell, b, sizeof *b) != (ssize_t)sizeof *b) _exit(3);
    while (read(until, &byte, 1) > 0) continue;
    studio_close(b->host);
    _exit(0);
}

/* Before any thread is started here. */
static remote remote_start(studio_bench *b)
{
    int tell[2], until[2];
    assert_true(pipe(tell) == 0 && pipe(until) == 0);
    fflush(NULL);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        close(tell[0]);
        close(until[1]);
        serve_until(b, tell[1], until[0]);
    }
    close(tell[1]);
    close(until[0]);
    assert_int_equal(read(tell[0], b, sizeof *b), sizeof *b);
    close(tell[0]);
    b->host = NULL; /* it is the other process's */
    return (remote){ process, until[1] };
}

static void remote_end(remote *of)
{
    int how = 0;
    close(of->until);
    assert_int_equal(waitpid(of->process, &how, 0), of->process);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static double resident_mib(pid_t process)
{
    char path[64];
    long size, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* ---- a kill in the middle of an upload ------------------------------------------------------- */

enum { UPLOAD_FILES = 12 };

/* Motion that was never there before: the first number is another one in every file. */
static studio_upload make_upload(int round)
{
    studio_upload all = { 0 };
    for (int i = 0; i < UPLOAD_FILES; i++) {
        char name[32], number[16];
        FREED char *person = test_person(80);
        snprintf(name, sizeof name, "r%d/take-%02d.bvh", round, i);
        snprintf(number, sizeof number, "%06.2f", (round * UPLOAD_FILES + i) * 0.01);
        memcpy(strstr(person, "0.0166667\n") + 10, number, 6);
        studio_upload_add(&all, name, person);
    }
    studio_upload_end(&all);
    return all;
}

static void ignore(void *user, const char *problem)
{
    (void)user;
    print_message("problem: %s\n", problem);
}

/* Sound, and how many clips are in it. */
static int check_library(const studio_bench *b)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    OWNED(marey_listing) *listing = NULL;
    int64_t problems = -1;
    int count;
    assert_int_equal(marey_library_verify(ctx, b->path, ignore, NULL, &problems, NULL), MAREY_OK);
    assert_int_equal(problems, 0);
    assert_int_equal(marey_library_open(ctx, b->path, MAREY_LIBRARY_WRITE, &library, NULL),
                     MAREY_OK);
    assert_int_equal(marey_library_list(library, NULL, &listing, NULL), MAREY_OK);
    marey_listing_entries(listing, &count);
    return count;
}

typedef struct sending {
    const studio_bench *b;
    studio_upload what;
} sending;

/* The body in three parts, so that a kill can fall between them; then waits for the import until
   the end. */
static void *send_upload(void *user)
{
    sending *self = user;
    http_wire wire;
    if (!wire_try_open(&wire, self->b->port)) return NULL;
    size_t third = self->what.count / 3;
    if (studio_upload_head(&wire, self->b, self->what.count)) {
        for (size_t at = 0, part; at < self->what.count; at += part) {
            part = self->what.count - at < 2 * third ? self->what.count - at : third;
            if (!wire_send(&wire, self->what.text + at, part)) break;
            usleep(3000);
        }
        OWNED(http_answer) got = wire_read(&wire, 5);
    }
    wire_drain(&wire, 5, NULL);
    wire_close(&wire);
    return NULL;
}

static double time_one_import(studio_bench *b)
{
    OWNED(studio_upload) all = make_upload(0);
    remote of = remote_start(b);
    double start = wire_now();
    const json_t *job = studio_job_wait(b, studio_upload_send(b, &all));
    double took = wire_now() - start;
    assert_string_equal(word(job, "state"), "done");
    remote_end(&of);
    return took;
}

TEST(a_kill_during_an_upload_leaves_the_library_as_before_or_after)
{
    int kills = test_is_long() ? 50 : 5, before = 0, after = 0;
    unsigned seed = 99;
    studio_bench b = { 0 };
    studio_bench_library(&b);
    double full = time_one_import(&b) + 0.05;
    int count = check_library(&b);
    assert_int_equal(count, BENCH_CLIPS + UPLOAD_FILES);
    for (int i = 1; i <= kills; i++) {
        remote of = remote_start(&b);
        sending one = { .b = &b, .what = make_upload(i) };
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, send_upload, &one), 0);
        usleep((useconds_t)(1.3 * full * (next_random(&seed) % 1000) * 1000));
        kill(of.process, SIGKILL);
        assert_int_equal(waitpid(of.process, NULL, 0), of.process);
        close(of.until);
        pthread_join(thread, NULL);
        free(one.what.text);
        int now = check_library(&b);
        assert_true(now == count || now == count + UPLOAD_FILES);
        before += now == count;
        after += now != count;
        count = now;
    }
    print_message("%d kills during an upload of %d files: the library is sound, %d times as "
                  "before, %d times as after\n",
                  kills, UPLOAD_FILES, before, after);
    test_folder_remove(b.folder);
}

/* ---- many clients at once -------------------------------------------------------------------- */

typedef struct crowd {
    const studio_bench *b;
    atomic_bool stop;
    atomic_long answers, wrong;
    atomic_long slowest_ms;
} crowd;

typedef struct client {
    crowd *of;
    unsigned seed;
    pthread_t thread;
} client;

static void choose_target(const studio_bench *b, unsigned *seed, char *target, size_t room)
{
    long long id = (long long)b->ids[next_random(seed) % BENCH_CLIPS];
    switch (next_random(seed) % 5) {
    case 0: snprintf(target, room, "/api/clips"); break;
    case 1: snprintf(target, room, "/api/clips?text=wa"); break;
    case 2:
        snprintf(target, room, "/api/clips/%lld/frames?step=%u", id, 1 + next_random(seed) % 4);
        break;
    case 3: snprintf(target, room, "/api/clips/%lld/strip", id); break;
    default: snprintf(target, room, "/api/clips/%lld", id); break;
    }
}

/* One request after the other; a new connection now and then. */
static void *be_client(void *user)
{
    client *self = user;
    crowd *of = self->of;
    http_wire wire = { .socket = -1 };
    while (!atomic_load(&of->stop)) {
        char target[100];
        if (wire.socket < 0 && !wire_try_open(&wire, of->b->port)) {
            atomic_fetch_add(&of->wrong, 1);
            continue;
        }
        choose_target(of->b, &self->seed, target, sizeof target);
        double start = wire_now();
        studio_send(&wire, of->b, target, NULL);
        OWNED(http_answer) got = wire_read(&wire, 30);
        bool good = got.status == 200 && got.whole && got.count > 0;
        long ms = (long)((wire_now() - start) * 1000), slowest = atomic_load(&of->slowest_ms);
        while (ms > slowest && !atomic_compare_exchange_weak(&of->slowest_ms, &slowest, ms))
            continue;
        atomic_fetch_add(good ? &of->answers : &of->wrong, 1);
        if (!good || next_random(&self->seed) % 20 == 0) wire_close(&wire);
    }
    if (wire.socket >= 0) wire_close(&wire);
    return NULL;
}

TEST(many_clients_are_served_without_an_error_in_the_same_memory)
{
    int count = test_is_long() ? 100 : 20;
    double seconds = test_is_long() ? 30 : 3, early = test_is_long() ? 5 : 1;
    studio_bench b = { 0 };
    studio_bench_library(&b);
    remote of = remote_start(&b);
    crowd all = { .b = &b };
    client *clients = calloc((size_t)count, sizeof *clients);
    for (int i = 0; i < count; i++) {
        clients[i] = (client){ .of = &all, .seed = (unsigned)i * 7919u };
        assert_int_equal(pthread_create(&clients[i].thread, NULL, be_client, &clients[i]), 0);
    }
    usleep((useconds_t)(early * 1e6));
    double before = resident_mib(of.process);
    usleep((useconds_t)((seconds - early) * 1e6));
    double after = resident_mib(of.process);
    atomic_store(&all.stop, true);
    for (int i = 0; i < count; i++) pthread_join(clients[i].thread, NULL);
    print_message("%d clients for %.0f s: %ld answers, %ld wrong, the slowest in %ld ms; %.1f MiB "
                  "after %.0f s, %.1f "
                  "MiB at the end\n",
                  count, seconds, atomic_load(&all.answers), atomic_load(&all.wrong),
                  atomic_load(&all.slowest_ms), before, early, after);
    assert_int_equal(atomic_load(&all.wrong), 0);
    assert_true(atomic_load(&all.answers) > count);
    /* The sanitizers keep what was freed for a while, so memory says nothing there. */
    assert_true(TEST_SANITIZED || after < 1.25 * before + 8);
    free(clients);
    remote_end(&of);
    test_folder_remove(b.folder);
}

/* ---- clients that drip ----------------------------------------------------------------------- */

typedef struct slow {
    http_wire wire;
    double closed_s; /* after the beginning; 0: it is open */
} slow;

/* Every second one has sent its header and drips its body. */
static void slow_open(slow *one, const studio_bench *b, bool in_body)
{
    char head[300];
    *one = (slow){ 0 };
    wire_open(&one->wire, b->port);
    snprintf(head, sizeof head,
             "POST /api/do/label HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
             "Content-Type: application/json\r\nContent-Length: 100000\r\n%s",
             b->port, b->token, in_body ? "\r\n{" : "X-Slow: ");
    wire_say(&one->wire, head);
}

/* One more byte to each that is open; how many are. */
static int drip_all(slow *all, int count, double since)
{
    int open = 0;
    for (int i = 0; i < count; i++) {
        if (all[i].closed_s > 0) continue;
        wire_send(&all[i].wire, " ", 1);
        if (wire_drain(&all[i].wire, 0.0005, NULL)) {
            all[i].closed_s = wire_now() - since;
        } else {
            open++;
        }
    }
    return open;
}

TEST(clients_that_drip_are_cut_off_while_others_are_served)
{
    int count = test_is_long() ? 200 : 60, served = 0;
    double limit = test_is_long() ? 10 : 1, worst = 0, first = 1e9, last = 0;
    studio_bench b;
    slow *all = calloc((size_t)count, sizeof *all);
    studio_bench_open(&b,
                      test_is_long() ? NULL : &(studio_def){ .header_ms = 1000, .body_ms = 1000 });
    double start = wire_now();
    for (int i = 0; i < count; i++) slow_open(&all[i], &b, i % 2);
    double opened = wire_now() - start;
    while (drip_all(all, count, start) && wire_now() - start < limit + 10) {
        double asked = wire_now();
        OWNED(http_answer) got = studio_ask(&b, "/api/clips", NULL);
        assert_int_equal(got.status, 200);
        served++;
        if (wire_now() - asked > worst) worst = wire_now() - asked;
        usleep(20000);
    }
    for (int i = 0; i < count; i++) {
        if (all[i].closed_s <= 0) fail_msg("connection %d is still open", i);
        if (all[i].closed_s < first) first = all[i].closed_s;
        if (all[i].closed_s > last) last = all[i].closed_s;
        wire_close(&all[i].wire);
    }
    print_message("%d connections that dripped were closed after %.1f to %.1f s (limit %.0f s); %d "
                  "others were served "
                  "meanwhile, the slowest in %.3f s\n",
                  count, first, last, limit, served, worst);
    assert_true(first > 0.8 * limit && last < limit + opened + 3);
    assert_true(worst < 2);
    free(all);
    studio_bench_close(&b);
}

/* ---- clients that vanish --------------------------------------------------------------------- */

enum { KINDS = 6 };

/* A request of a kind, whole; free() it. */
static char *make_request(const studio_bench *b, int kind, size_t *count)
{
    static const char *const heads[KINDS] = {
        "GET /api/clips HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n",
        "GET /api/clips/{id}/frames HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n",
        "GET /app.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n",
        "POST /api/do/label HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: "
        "{cookie}\r\nContent-Type: "
        "application/json\r\nContent-Length: "
        "38\r\n\r\n{\"clips\":[{id}],\"add\":[\"x\"],\"drop\":[\"y\"]}",
        "GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nUpgrade: "
        "websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        "POST /api/import HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nContent-Type: "
        "multipart/form-data; boundary=edge\r\nContent-Length: "
        "4000\r\n\r\n--edge\r\nContent-Disposition: "
        "form-data; name=\"f\"; filename=\"a/b.bvh\"\r\n\r\nHIERARCHY\r\n",
    };
    return studio_fill(b, heads[kind], count);
}

/* Some of the request, perhaps all of it, perhaps some of the answer; then gone, politely or
   not. */
static void vanish(const studio_bench *b, unsigned *seed)
{
    size_t count;
    FREED char *text = make_request(b, (int)(next_random(seed) % KINDS), &count);
    OWNED(http_wire) wire = wire_to(b->port);
    if (next_random(seed) % 2) count = next_random(seed) % (count + 1);
    wire_send(&wire, text, count);
    if (next_random(seed) % 3 == 0)
        wire_fill(&wire, 1 + next_random(seed) % 3000, wire_now() + 0.005);
    if (next_random(seed) % 4 == 0) ws_say(&wire, "{\"type\":\"play\",\"stream\":1,\"clip\":1}");
    if (next_random(seed) % 2) wire_abort(&wire);
}

TEST(clients_that_vanish_leave_nothing_behind)
{
    int times = test_is_long() ? 5000 : 300, open = 0;
    unsigned seed = 1;
    studio_bench b;
    studio_bench_open(&b, &(studio_def){ .header_ms = 3000, .body_ms = 3000, .idle_ms = 3000 });
    studio_get(&b, 200, "/api/clips");
    sleep(1);
    int before = test_folder_count("/proc/self/fd");
    for (int i = 0; i < times; i++) {
        vanish(&b, &seed);
        if (i % 50 == 0) studio_get(&b, 200, "/api/about");
    }
    for (double end = wire_now() + 10; wire_now() < end; usleep(100000)) {
        open = test_folder_count("/proc/self/fd");
        if (open <= before) break;
    }
    studio_get(&b, 200, "/api/clips");
    print_message("%d disconnects at random moments: %d handles before, %d after\n", times, before,
                  open);
    assert_true(open <= before);
    studio_bench_close(&b);
}

TEST_GROUP_OF_CASES(test_studio_long, NULL, NULL)
