/* studio_bench.h - a studio on a small library of its own, and short ways to ask it. Read after
   http_client.h. */
#ifndef MAREY_TEST_STUDIO_BENCH_H
#define MAREY_TEST_STUDIO_BENCH_H

#include "http_client.h"
#include "json_look.h"
#include "studio.h"

/* Three clips of the small person; their numbers are asked, not assumed. Beside the library lies a
   file that no client may ever see: its text in an answer means that something else than the
   library was opened. */
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

/* The same as a set-up and a tear-down: *state is a bench, one at a time. */
int studio_bench_set_up(void **state);
int studio_bench_set_up_with(void **state, const studio_def *def);
int studio_bench_tear_down(void **state);

/* The library alone, and the studio alone, for tests that need them apart. */
void studio_bench_library(studio_bench *b);
void studio_bench_start(studio_bench *b, const studio_def *def);

/* The pattern with {port}, {token}, {cookie}, {id} (of the first clip) and {nul} filled in; free()
   it. */
char *studio_fill(const studio_bench *b, const char *pattern, size_t *count);

/* One request on a connection of its own, with Host and token. body NULL: GET, otherwise POST of
   JSON. */
http_answer studio_ask(const studio_bench *b, const char *target, const char *body);
bool studio_send(http_wire *wire, const studio_bench *b, const char *target, const char *body);

/* The same for JSON: fails the test unless the status is as expected. What comes lives until the
   bench is closed. */
json_t *studio_json(const studio_bench *b, const char *target, const char *body, int status);

/* A GET of a target, and a POST of a body, as printf has them; ' stands for " in a body. */
__attribute__((format(printf, 3, 4))) json_t *studio_get(const studio_bench *b, int status,
                                                         const char *format, ...);
__attribute__((format(printf, 4, 5))) json_t *
studio_post(const studio_bench *b, int status, const char *target, const char *format, ...);

/* The result of the job that a POST begins, which must be done. */
__attribute__((format(printf, 3, 4))) json_t *studio_done(const studio_bench *b, const char *target,
                                                          const char *format, ...);

/* A POST is refused with this HTTP status, or makes a job that fails with a status in words; the
   message says so much. Without a body it is a GET. */
void post_refused(const studio_bench *b, const char *target, const char *body, int status,
                  const char *says);
void job_refused(const studio_bench *b, const char *target, const char *body, const char *status,
                 const char *says);

/* Waits until a job is over and gives its description; fails the test after 60 s. */
json_t *studio_job_wait(const studio_bench *b, int64_t job);

/* A multipart body of `count` files (boundary "edge"), added to what is in *text. */
typedef struct studio_upload {
    char *text;
    size_t count;
} studio_upload;
static inline void studio_upload_free(studio_upload *upload)
{
    free(upload->text);
}
OWNED_VALUE(studio_upload, studio_upload_free)
void studio_upload_add(studio_upload *to, const char *name, const char *bytes);
void studio_upload_end(studio_upload *to);
bool studio_upload_head(http_wire *wire, const studio_bench *b, size_t announced);
int64_t studio_upload_send(const studio_bench *b, const studio_upload *of); /* the job's number */

/* Sends so many files of at least so many frames; the job's number. */
int64_t studio_import(const studio_bench *b, int files, int frames);

/* A WebSocket that has said hello. */
http_wire studio_live(const studio_bench *b);

/* The next text message of a type (others are dropped); NULL if none comes in time. */
json_t *studio_hear(http_wire *wire, const char *type, double seconds);

#endif
