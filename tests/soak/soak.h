/* soak.h - many clients at one studio for a long time, each with a model of what it must be
   answered. The studio is the shipped program, killed and started again meanwhile; what it said was
   done must be there, and what was on its way is as before or after, never between. Read after
   http_client.h and json_look.h. */
#ifndef MAREY_SOAK_H
#define MAREY_SOAK_H

#include "http_client.h"
#include "json_look.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct soak soak;
typedef struct soak_client soak_client;

/* ---- how long, and how ----------------------------------------------------------------------- */

typedef struct soak_def {
    const char *program; /* build/marey */
    const char *folder;  /* empty: the library and the studio's own words lie there */
    uint64_t seed;
    int clients;
    long answers;     /* about so many; 0: by the clock */
    double minutes;   /* half of them with a kill in each, half without */
    int kills;        /* with `answers`: so many, and then as many rounds without */
    const char *leak; /* the module that leaks, for tests of this program; NULL: none */
    long spoil;       /* a byte is changed in one of so many answers to questions; 0: in none */
    bool notices;     /* it ends well if all that is done on purpose was noticed */
    bool rewind;      /* after a kill the library is what it was when the round began */
    const char *log;  /* a line is added to this file; NULL: none */
    const char *name; /* in it: what was tried */
} soak_def;

/* ---- the studio's process -------------------------------------------------------------------- */

typedef struct soak_host {
    const char *program, *folder, *leak;
    char library[320];
    pid_t process; /* 0: none */
    int out;       /* what it prints */
    int port;
    char token[64];
} soak_host;

/* What /proc says of a process; memory is what belongs to it alone. */
typedef struct soak_size {
    long answers; /* so far */
    long memory_kib, resident_kib;
    int handles, sockets, threads;
} soak_size;

void host_start(soak_host *host); /* until it has said where it is */
bool host_kill(soak_host *host);  /* by SIGKILL; false: it had ended before */
bool host_lives(const soak_host *host);
int host_stop(soak_host *host); /* Ctrl-C; its exit status */
soak_size host_size(const soak_host *host);

/* Says why the soak cannot go on, and ends. */
__attribute__((noreturn)) void soak_give_up(const char *what, const char *more);

/* Runs the program with these arguments, NULL behind the last; what it printed. Fails unless it ends
   with 0. */
char *host_run(const soak_host *host, ...);

/* ---- what must come, known from before ------------------------------------------------------- */

/* Motion that clients make clips of: what a clip of it looks like. */
typedef struct known_motion {
    char name[64];    /* of the clip in the library that never changes */
    int64_t id;       /* its number */
    const char *make; /* the address and body that make it; NULL: it is cut */
    const char *body;
    int frames, joints, places;
    double fps;
    float *values;   /* translations of all frames, then rotations */
    json_t *details; /* GET /api/clips/ID */
} known_motion;

/* A request that changes nothing, and its answer for ever. */
typedef struct known_answer {
    char *target, *body;       /* body NULL: GET */
    const char *volatile_keys; /* words of its JSON that are different each time, or NULL */
    int share;                 /* how often it is asked, beside others */
    int status;
    char *came;
    size_t count;
    json_t *value; /* of JSON, without the volatile keys */
    char tag[64];  /* ETag, or "" */
} known_answer;

/* What jobs give: a file, or a result. */
typedef struct known_job {
    const char *target, *body;
    bool file;
    char *came; /* of the file */
    size_t count;
    json_t *value; /* of the result */
} known_job;

/* A saved thing that clients build under their own names. */
enum { SAVED_CURVE, SAVED_PUPPET, SAVED_CLUSTERS, SAVED_GRAPH, SAVED_KINDS };
typedef struct known_saved {
    json_t *shown; /* without its name */
} known_saved;

/* A walk of a main character, and what the one who reacts to it does: messages, as bytes. */
enum { REACT_STEPS = 12, REACT_PUPPETS = 3 };
typedef struct known_react {
    const char *puppet;
    uint8_t *steps[REACT_STEPS];
    size_t sizes[REACT_STEPS];
} known_react;

/* Longer clips are opened for each request: they are asked for seldom. */
enum { SMALL_FRAMES = 400 };

enum { MOST_MOTIONS = 20, MOST_KNOWN = 1024, MOST_JOBS = 12 };

typedef struct soak_known {
    known_motion motions[MOST_MOTIONS];
    int motion_count;
    int imported; /* which of them came from a file */
    char *person; /* the text of that file */
    known_answer answers[MOST_KNOWN];
    int count, shares;
    known_job jobs[MOST_JOBS];
    int job_count;
    known_saved saved[SAVED_KINDS];
    known_react reacts[REACT_PUPPETS];
} soak_known;

/* Makes the library, asks a studio that has nothing else to do, and asks another one the same. */
void known_make(soak *all);
void known_free(soak_known *of);
bool known_same(const known_answer *of, const http_answer *answer); /* the body alone */
void known_drop_keys(json_t *value, const char *keys);

/* ---- what a client owns ---------------------------------------------------------------------- */

enum { NAME_ROOM = 32, OWN_CLIPS = 6, OWN_SAVED = 3, OWN_CHANGES = OWN_CLIPS + OWN_SAVED };
enum { CHANGE_CLIPS = 3, OWN_LABELS = 3 };
enum { PLANTS_AS_MADE = -1, PLANTS_FOUND = 0 };

typedef struct own_state {
    bool there, removed;
    char name[NAME_ROOM];
    unsigned labels; /* bits: the client's own labels, and one that all clients use */
    bool stretch;    /* frames 3 to 9 have a label */
    int described;   /* 0: as it was made */
    int licensed;
    int plants; /* from 1 on: the first frame of the only one */
} own_state;

typedef struct own_clip {
    int64_t id; /* 0: it is not known yet */
    const known_motion *motion;
    int start, end; /* which frames of it */
    float first;    /* of a file: the first number of the first frame */
    own_state now;
    int change; /* the one that is on its way; -1: none */
} own_clip;

typedef struct own_saved {
    int kind;
    bool there;
    char name[NAME_ROOM];
    int change;
} own_saved;

/* Of some clips at once, or of a saved thing: all of it comes true, or nothing. */
typedef struct own_change {
    bool open;
    const char *what;
    int count;
    int clips[CHANGE_CLIPS];
    own_state after[CHANGE_CLIPS];
    int saved; /* -1: it is of clips */
    own_saved saved_after;
} own_change;

/* ---- a client -------------------------------------------------------------------------------- */

struct soak_client {
    soak *all;
    int number;
    uint64_t random;
    pthread_t thread;
    http_wire wire;
    bool connected;
    double used_at;
    char asked[600];          /* the last request, for what is said of a wrong answer */
    bool spoiled;             /* a byte of the last answer was changed, and it was not found yet */
    char spoiled_answer[300]; /* to what it came */
    long names;               /* so many were given */
    own_clip clips[OWN_CLIPS];
    own_saved saved[OWN_SAVED];
    own_change changes[OWN_CHANGES];
    int64_t version; /* of the list of clips that it had last */
};

typedef struct soak_action {
    const char *name;
    int share;
    void (*run)(soak_client *client);
} soak_action;

extern const soak_action soak_actions[]; /* the last one has no name */
enum { MOST_ACTIONS = 64 };

/* ---- all of it ------------------------------------------------------------------------------- */

struct soak {
    soak_def def;
    soak_host host;
    soak_known known;
    soak_client *clients;
    int shares;           /* of all actions */
    atomic_bool killing;  /* from before a kill until the next start: connections break */
    atomic_bool closing;  /* each client ends what it does, and rests */
    atomic_long answers;  /* that were checked */
    atomic_long messages; /* of WebSockets, checked as well */
    atomic_long wrong;
    atomic_long refused;      /* by 503: another one writes, or too many */
    atomic_long undo_refused; /* the history was cleared meanwhile */
    atomic_long forgotten;    /* jobs and files that made room before they were asked for */
    atomic_long open_changes,
        open_done; /* that a kill or a client left on their way; of these done */
    atomic_long spoiled, found, unseen;
    atomic_long runs[MOST_ACTIONS];
    atomic_long purges_begun, purges_ended;
    atomic_long last_step; /* of the history, of those that came back */
    atomic_long exports;
    atomic_int sockets;   /* open WebSockets, and those that are being opened */
    pthread_mutex_t lock; /* for the rest */
    pthread_cond_t changed;
    long round;
    bool over;
    int resting;
};

/* ---- asking: soak_ask.c ---------------------------------------------------------------------- */

uint64_t soak_draw(uint64_t *random, uint64_t below); /* 0 .. below - 1 */
bool soak_chance(soak_client *client, int percent);
bool soak_open(soak_client *client); /* false: it breaks, which is said */
void soak_close(soak_client *client, bool abort);

/* A whole answer, or one with status 0: the studio was killed meanwhile. ' stands for " in bodies.
   A question changes nothing; so its answer may be spoiled. Free the answer. */
http_answer soak_get(soak_client *client, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
http_answer soak_question(soak_client *client, const char *target, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
http_answer soak_change(soak_client *client, const char *target, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
http_answer soak_send(soak_client *client, const char *head, const void *body, size_t count,
                      bool question);
/* The head of a request, with all that lets it in. `more`: lines behind. */
int soak_head(const soak_client *client, char *to, size_t room, const char *method,
              const char *target, const char *more);
http_answer soak_take(soak_client *client, bool question); /* the next one, of what was sent */

/* The JSON of an answer with this status; NULL if there was none, or it is another one, which is
   said. */
json_t *soak_json(soak_client *client, const http_answer *answer, int status);

/* Says that an answer is wrong: what was expected. `answer` may be NULL. */
void soak_wrong(soak_client *client, const http_answer *answer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool soak_breaks(const soak_client *client); /* it is no wonder that connections break */

/* ---- the model: soak_own.c ------------------------------------------------------------------- */

void own_begin(soak_client *client);
own_change *own_change_begin(soak_client *client, const char *what); /* NULL: too many are open */
own_state *own_change_add(own_change *change, soak_client *client, int clip); /* as it is now */
void own_change_end(soak_client *client, own_change *change, bool done);
bool own_is_like(const soak_client *client, const own_clip *clip, const own_state *state,
                 const json_t *entry, const char **why);
void own_check_frames(soak_client *client, const own_clip *clip, int start, int end, int step);
void own_name(soak_client *client, char name[NAME_ROOM]);
int own_find(soak_client *client, bool removed); /* a clip of its own at rest; -1: none */
int own_find_free(soak_client *client);
void own_label(const soak_client *client, int label, char text[NAME_ROOM]);

/* While all clients rest: what is on its way is over by now. Says what is not as it must be. */
void own_settle(soak *all, soak_client *judge);

/* ---- jobs: soak_jobs.c ----------------------------------------------------------------------- */

/* Waits until it is over: its description; NULL if the studio was killed, or it was forgotten. */
json_t *job_wait(soak_client *client, int64_t number);
int64_t job_begin(soak_client *client, const char *target, const char *body); /* 0: it is none */
bool job_ended(const json_t *over, const char *state);
void job_cancel(soak_client *client, int64_t number);

/* Drops files of these names on the page, each with another first number; the job, 0: none. */
int64_t soak_import(soak_client *client, int count, char names[][NAME_ROOM], const float *first);

/* ---- saved things: soak_saved.c -------------------------------------------------------------- */

void saved_learn(
    soak_client *judge); /* builds one of each kind, and keeps what they are shown as */
const json_t *saved_list(soak_client *client, int kind,
                         json_t **answer); /* borrowed from *answer */

/* ---- WebSockets: soak_live.c ----------------------------------------------------------------- */

bool live_open(soak_client *client, http_wire *wire);
json_t *live_hear(soak_client *client, http_wire *wire, const char *type, double seconds);
void live_say(http_wire *wire, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a character by this puppet does on the known walk, step by step. */
bool live_react(soak_client *client, http_wire *wire, const char *puppet,
                void (*take)(void *user, int step, const ws_frame *frame), void *user);

/* ---- what clients do ------------------------------------------------------------------------- */

#define SOAK_ACTION(name) void name(soak_client *client)
SOAK_ACTION(ask_known);
SOAK_ACTION(ask_known_again);
SOAK_ACTION(ask_head);
SOAK_ACTION(ask_two_at_once);
SOAK_ACTION(ask_refused);
SOAK_ACTION(ask_own_details);
SOAK_ACTION(ask_own_frames);
SOAK_ACTION(ask_own_plants);
SOAK_ACTION(ask_own_list);
SOAK_ACTION(ask_list_since);
SOAK_ACTION(ask_jobs);
SOAK_ACTION(do_cut);
SOAK_ACTION(do_make);
SOAK_ACTION(do_import);
SOAK_ACTION(do_label);
SOAK_ACTION(do_describe);
SOAK_ACTION(do_stretch);
SOAK_ACTION(do_rename);
SOAK_ACTION(do_plants);
SOAK_ACTION(do_remove);
SOAK_ACTION(do_restore);
SOAK_ACTION(do_purge);
SOAK_ACTION(do_undo);
SOAK_ACTION(do_save);
SOAK_ACTION(ask_saved);
SOAK_ACTION(do_drop_saved);
SOAK_ACTION(do_rename_saved);
SOAK_ACTION(do_job);
SOAK_ACTION(do_cancel);
SOAK_ACTION(do_index);
SOAK_ACTION(do_verify);
SOAK_ACTION(live_events);
SOAK_ACTION(live_stream);
SOAK_ACTION(live_steer);
SOAK_ACTION(live_reacts);
SOAK_ACTION(live_vanish);
SOAK_ACTION(rude_half_request);
SOAK_ACTION(rude_change_and_go);
SOAK_ACTION(rude_leave_answer);
SOAK_ACTION(rude_read_slowly);

#endif
