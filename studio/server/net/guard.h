/* guard.h - who may ask. Pure functions on the texts of a request, so that tests and fuzzers can
   try all of them. The order of the checks is in docs/studio-api.md. */
#ifndef STUDIO_GUARD_H
#define STUDIO_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum { GUARD_MOST_HOSTS = 20, GUARD_HOST_ROOM = 264, GUARD_TOKEN_ROOM = 33 };

typedef struct guard {
    int host_count;
    bool has_neighbours;                           /* of other ports, whose pages lead to its own */
    char hosts[GUARD_MOST_HOSTS][GUARD_HOST_ROOM]; /* lower case, with the port */
    char token[GUARD_TOKEN_ROOM];
    char cookie_name[32]; /* "marey-8421": cookies do not tell ports apart */
} guard;

/* A code that lets in one page, once: it may be seen in the command line of the browser's opener,
   so it must be worth nothing to who reads it there. */
typedef struct guard_code {
    char text[GUARD_TOKEN_ROOM]; /* "": none, or it was used */
    int64_t until_ms;            /* from then on it is worth nothing either */
} guard_code;

/* What a request says of itself; NULL: it does not. */
typedef struct guard_claims {
    const char *host;
    const char *origin;
    const char *fetch_site; /* Sec-Fetch-Site */
    const char *authorization;
    const char *cookie;
    const char *token;  /* of the query; given for "/" only */
    int hosts, origins; /* how often the header came: more than once is refused */
    bool opens_page;    /* a browser goes to "/": nothing else reads the answer */
} guard_claims;

typedef enum guard_verdict {
    GUARD_LET_IN,
    GUARD_BY_LINK, /* let in by the token of the query: give the page its cookie */
    GUARD_FOREIGN, /* 403 */
    GUARD_STRANGER /* 401 */
} guard_verdict;

/* Adds a host that is allowed, with its port. False: the host is invalid, or there are too many. */
bool guard_allow(guard *rules, const char *host);

guard_verdict guard_judge(const guard *rules, const guard_claims *claims);

/* Compares in time that depends on the length of `given` only. */
bool guard_same_token(const char *token, const char *given);

/* 128 random bits in hexadecimal. False: the system has no random numbers. */
bool guard_draw(char text[GUARD_TOKEN_ROOM]);

/* Uses the code up if `given` is the same and its time is not over. A wrong one, or NULL, leaves it
   as it is. */
bool guard_take_code(guard_code *code, const char *given, int64_t now_ms);

#endif
