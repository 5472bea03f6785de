/* params.h - the parameters of an operation as rows of a table, and how values get from a command line or a JSON body into
   its struct. Help, man pages, completions, the studio's bodies, its documentation and its command bar are made from these
   rows; ranges, defaults and names are written nowhere else. Read after env.h. */
#ifndef MAREY_APP_PARAM_H
#define MAREY_APP_PARAM_H

#include "env.h"
#include "json.h"

struct json_t; /* jansson's */

/* Lists live in the scope that they were read into. */
typedef struct app_numbers {
    const double *values;
    int count;
} app_numbers;

typedef struct app_texts {
    const char *const *values;
    int count;
} app_texts;

/* A file's content. A body holds it as it is; on a command line it is a file's name. */
typedef struct app_document {
    const char *name; /* for messages: the file's, or the parameter's */
    const char *text; /* NULL: not given */
} app_document;

typedef enum app_type {             /* what lies at the row's place in the struct */
                        APP_SWITCH, /* bool: given or not; true or false in JSON */
                        APP_WHOLE,  /* int, least to most */
                        APP_NUMBER, /* double, least to most */
                        APP_TEXT,   /* const char *, at least one character; NULL: not given */
                        APP_NAME,   /* const char *: what something new is to be saved as */
                        APP_WORD,   /* int: which of the row's words */
                        APP_CLIP, /* const char *: a clip's name, or "#34" for number 34; a name or a number in JSON */
                        APP_NUMBERS, /* app_numbers: "1,2,3"; rising if the row says so */
                        APP_TEXTS,   /* app_texts: "walk,run" */
                        APP_CLIPS, /* app_texts: as APP_CLIP each, none twice; operands on a command line */
                        APP_DOCUMENT /* app_document */
} app_type;

enum {
    APP_OPTION = 0,
    APP_REST = -1
}; /* places; others are operands, counted from 1 behind the library */

typedef struct app_param {
    const char *name; /* "only-smooth": --only-smooth, and only_smooth in JSON; NULL ends a table */
    app_type type;
    size_t at; /* offsetof its struct, whose first member is app_params */
    int place;
    bool needed;
    bool rising;        /* APP_NUMBERS: each greater than the one before */
    bool note;          /* where results go or how they are shown: no setting of what is made */
    double least, most; /* of numbers, and of each of several; both 0: any */
    int most_count;     /* of lists; 0: any number */
    const char *unit;   /* "cm2"; NULL: none */
    const char *value;  /* placeholder in help, "E"; NULL: the name in capitals */
    const char
        *standard; /* the default, as a command line would give it; NULL: zero, or what help says */
    const char *only_if; /* "kind=connected": refused unless that word is chosen; NULL: always */
    const char *help;    /* no capital, no full stop */
    const char *(*word)(int index); /* APP_WORD: NULL past the last */
    char letter;                    /* a short form on command lines, or 0 */

    /* For options that the program reads itself, such as --json: which one it is, the words it takes, whether it may be
       given several times, and whether it takes two values at once. 0 for the parameters of operations. */
    unsigned key, words;
    bool repeats, pair;
} app_param;

enum { APP_MOST_PARAMS = 64 };

/* The first member of every struct of parameters. */
typedef struct app_params {
    uint64_t given; /* a bit for each row, in the order of the table */
} app_params;

bool app_given(const app_param *rows, const app_params *params, const char *name);

/* In a message the name stands as the user wrote it: "--only-smooth" or "only_smooth". */
typedef enum app_dialect { APP_COMMAND_LINE, APP_BODY } app_dialect;

/* A zeroed struct gets the defaults of its rows. MEMORY. */
marey_status app_params_defaults(app_scope *scope, const app_param *rows, app_params *params,
                                 marey_error *error);

/* One value as text. Lists take commas; APP_CLIPS and the operands of APP_REST are added one by one. The text of an
   APP_DOCUMENT is its content, and `name` the file's. REQUEST: what is wrong with it. */
marey_status app_params_text(app_scope *scope, const app_param *rows, const app_param *row,
                             const char *text, const char *name, app_params *params,
                             marey_error *error);

/* All of a body, a JSON object: no other field than the rows'. REQUEST, MEMORY. */
marey_status app_params_json(app_scope *scope, const app_param *rows, const struct json_t *body,
                             app_params *params, marey_error *error);

/* After the last value: everything needed is there, and nothing is given that would do nothing. */
marey_status app_params_check(const app_param *rows, const app_params *params, app_dialect dialect,
                              marey_error *error);

/* "settings": {...}: what was given, by the names and in the form of the command line. */
void app_params_settings(json *out, const app_param *rows, const app_params *params);

/* The rows themselves, for the page and the documentation: an array under `key`. */
void app_params_describe(json *out, const char *key, const app_param *rows);

/* The placeholder of a row in help: "E", or its name in capitals. `room` is for those. */
const char *app_param_value(const app_param *row, char room[32]);

/* "rising numbers from 0 to 1"; "" where anything goes. Returns `text`. */
const char *app_param_rule(const app_param *row, char *text, size_t room);

#endif
