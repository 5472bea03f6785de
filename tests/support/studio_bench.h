/* studio_bench.h - a studio on a small library of its own, and short ways to ask it. Read after http_client.h. */
#ifndef MAREY_TEST_STUDIO_BENCH_H
#define MAREY_TEST_STUDIO_BENCH_H

#include "http_client.h"
#include "studio.h"
#include "support.h"

#include <jansson.h>

/* Three clips of the small person; their numbers are asked, not assumed. Beside the library lies a file that nobody
   may ever see: its text in an answer means that something else than the library was opened. */
enum { BENCH_CLIPS = 3 };
extern const char *const bench_names[BENCH_CLIPS];
extern const int bench_frames[BENCH_CLIPS];
#define BENCH_CANARY "the canary sings 8c41e6d2"

typedef struct studio_bench {
    char folder[256], path[300], canary[300];
    studio *host;
    int port;
    char token[64];
    char cookie[128]; /* "marey-8421=...", as the page gets it */
    int64_t ids[BENCH_CLIPS];
} studio_bench;

/* `def` may be NULL; its library_path is filled in. */
void studio_bench_open(studio_bench *b, const studio_def *def);
void studio_bench_close(studio_bench *b); /* with the folder */

/* The library alone, and the studio alone, for tests that need them apart. */
void studio_bench_library(studio_bench *b);
void studio_bench_start(studio_bench *b, const studio_def *def);

/* The pattern with {port}, {token}, {cookie}, {id} (of the first clip) and {nul} filled in; free() it. */
char *studio_fill(const studio_bench *b, const char *pattern, size_t *count);

/* One request on a connection of its own, with Host and token. body NULL: GET, otherwise POST of JSON. */
http_answer studio_ask(const studio_bench *b, const char *target, const char *body);
bool studio_send(http_wire *wire, const studio_bench *b, const char *target, const char *body);

/* The same for JSON: fails the test unless the status is as expected. json_decref() what comes. */
json_t *studio_json(const studio_bench *b, const char *target, const char *body, int status);

/* Waits until a job is over and gives its description; fails the test after 60 s. */
json_t *studio_job_wait(const studio_bench *b, int64_t job);

/* A multipart body of `count` files (boundary "edge"), added to what is in *text; free() it. */
typedef struct studio_upload {
    char *text;
    size_t count;
} studio_upload;
void studio_upload_add(studio_upload *to, const char *name, const char *bytes);
void studio_upload_end(studio_upload *to);
bool studio_upload_head(http_wire *wire, const studio_bench *b, size_t announced);
int64_t studio_upload_send(const studio_bench *b, const studio_upload *of); /* the job's number */

/* A WebSocket that has said hello. */
void studio_live(http_wire *wire, const studio_bench *b);

/* The next text message of a type (others are dropped); NULL if none comes in time. */
json_t *studio_hear(http_wire *wire, const char *type, double seconds);

#endif
