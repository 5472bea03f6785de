/* params.h - the parameters of an operation as rows of a table, and how values get from a
   command line or a JSON body into its struct. Help, man pages, completions, the studio's
   bodies, its documentation and its command bar are made from these rows; ranges, defaults and
   names are written nowhere else. Read after env.h. */
#ifndef MAREY_APP_PARAM_H
#define MAREY_APP_PARAM_H

#include "address.h"
#include "env.h"
#include "json.h"
#include "table.h"

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

/* Frames of a clip that become one of their own. */
typedef struct app_cut {
    const char *frames; /* an address with a range, as address.h has them: "walk#120-300" */
    const char *name;   /* NULL: not given yet */
} app_cut;

typedef struct app_cuts {
    const app_cut *values;
    int count;
} app_cuts;

/* A file's content. A body holds it as it is; on a command line it is a file's name. */
typedef struct app_document {
    const char *name; /* for messages: the file's, or the parameter's */
    const char *text; /* NULL: not given */
} app_document;

typedef struct app_documents {
    const app_document *values;
    int count;
} app_documents;

/* Rows of numbers. */
typedef struct app_table {
    const char *text; /* as on a command line: a file's name, or the rows; NULL: not given */
    const double *values;
    int count, columns;
} app_table;

/* Frames of a clip: "walk#120-300", and {"clip", "start", "end"} in JSON, where without `end` it
   is one frame and without both the whole clip. Which clip that is, the operation looks up. */
typedef struct app_segment {
    const char *clip; /* as APP_CLIP; a command line may name a file; NULL: not given */
    frame_range range;
} app_segment;

typedef struct app_segments {
    const app_segment *values;
    int count;
} app_segments;

/* Two frames. */
typedef struct app_pair {
    int values[2];
    bool given[2];
} app_pair;

/* What lies at a row's place in the struct. */
typedef enum app_type {
    /* bool: given or not; true or false in JSON. */
    APP_SWITCH,
    /* int and double, least to most; where there is no upper limit also inf, or none. */
    APP_WHOLE,
    APP_NUMBER,
    /* const char *, at least one character; NULL: not given. */
    APP_TEXT,
    /* const char *: what something new is to be saved as. */
    APP_NAME,
    /* int: which of the row's words. */
    APP_WORD,
    /* const char *: a clip's name, or "#34" for number 34; a name or a number in JSON. */
    APP_CLIP,
    /* app_numbers: "1,2,3"; rising if the row says so. */
    APP_NUMBERS,
    /* app_texts: "walk,run". */
    APP_TEXTS,
    /* app_texts: as APP_CLIP each, none twice unless the row repeats; operands on a command
       line. */
    APP_CLIPS,
    /* app_cuts: operands "walk#120-300" "kick", ...; [{"clip", "start", "end", "name"}] in JSON. */
    APP_CUTS,
    /* app_pair: "12,30", [12, 30] in JSON. In a partial row one may be left out: "12,", [12,
       null]. */
    APP_PAIR,
    /* app_document. */
    APP_DOCUMENT,
    /* app_segment; app_segments, which are operands on a command line. */
    APP_SEGMENT,
    APP_SEGMENTS,
    /* frame_range: one frame, "120", or a time, "1.5s"; 120 or "1.5s" in JSON. */
    APP_FRAME,
    /* frame_range: "120-300", or "2s-4s", the end exclusive; [120, 300] or "2s-4s" in JSON. */
    APP_RANGE,
    /* app_table: a file's name on a command line, or rows, "0,0 300,0"; [[0, 0], [300, 0]] in
       JSON. */
    APP_TABLE,
    /* app_document: on a command line a file's name, which the operation reads (its text is NULL
       until then); in JSON a table's text, or an array, which is kept as JSON. app_documents:
       files, and an array of objects, each kept as JSON. */
    APP_FILE,
    APP_FILES
} app_type;

/* Places; others are operands, counted from 1 behind the library. APP_FIELD: only bodies have
   it. */
enum { APP_OPTION = 0, APP_REST = -1, APP_FIELD = -2 };

typedef struct app_param {
    /* "only-smooth": --only-smooth, and only_smooth in JSON; NULL ends a table. */
    const char *name;
    app_type type;
    /* offsetof its struct, whose first member is app_params. */
    size_t at;
    int place;
    bool needed;
    /* APP_PAIR: one of both is enough. */
    bool partial;
    /* APP_NUMBER: an area in cm2, which may also be written as the side of its square: "8cm". */
    bool side_cm;
    /* APP_NUMBERS: each is greater than the one before. */
    bool rising;
    /* APP_NUMBERS: without fractions. */
    bool whole;
    /* APP_CLIPS: the same may come again. APP_TEXTS: each value is one text and may hold commas.
       The program's own options: may be given several times. */
    bool repeats;
    /* APP_TEXT: may be empty. */
    bool blank;
    /* Where results go or how they are shown: no setting of what is made. */
    bool note;
    /* APP_FIELD, APP_TEXT: the name of something that the program lends (app_own_metrics), so that only
       programs with functions of their own can give it: neither help nor the page lists it. */
    bool lent;
    /* How a file is read, or where one goes: nothing where clips are a library's alone. */
    bool of_file;
    /* Of numbers, and of each of several; `most` of texts: bytes; both 0: any. */
    double least, most;
    /* Of lists; 0: any number. */
    int most_count;
    /* "cm2"; NULL: none. */
    const char *unit;
    /* The placeholder in help, "E"; NULL: the name in capitals. */
    const char *value;
    /* The default, as a command line would give it; NULL: zero, or what help says. */
    const char *standard;
    /* "kind=connected": refused unless that word is chosen; "cut": unless that is given; NULL:
       always allowed. */
    const char *only_if;
    /* No capital, no full stop. */
    const char *help;
    /* APP_WORD: NULL past the last. */
    const char *(*word)(int index);
    /* APP_TABLE. */
    const app_table_def *table;
    /* A short form on command lines, or 0. */
    char letter;

    /* Takes two values at once on a command line: --clips A B. */
    bool pair;

    /* For options that the program reads itself, such as --json: which one it is, and the words
       it takes. 0 for the parameters of operations. */
    unsigned key, words;
} app_param;

enum { APP_MOST_PARAMS = 64 };

/* The first member of every struct of parameters. */
typedef struct app_params {
    uint64_t given; /* a bit for each row, in the order of the table */
} app_params;

bool app_given(const app_param *rows, const app_params *params, const char *name);

/* The bits of what was given but for notes: where results go, and which shard is worked out. */
uint64_t app_given_settings(const app_param *rows, const app_params *params);

/* In a message the name stands as the user wrote it: "--only-smooth" or "only_smooth". */
typedef enum app_dialect { APP_COMMAND_LINE, APP_BODY } app_dialect;

/* A zeroed struct gets the defaults of its rows. MEMORY. */
marey_status app_params_defaults(app_scope *scope, const app_param *rows, app_params *params,
                                 marey_error *error);

/* One value as text. Lists take commas; APP_CLIPS, APP_SEGMENTS and the operands of APP_REST are
   added one by one. The text of an APP_DOCUMENT or of a file's APP_TABLE is its content, and
   `name` the file's; NULL: it is to be read, and given again then. REQUEST: what is wrong with
   it. INPUT: what is wrong with the file. */
marey_status app_params_text(app_scope *scope, const app_param *rows, const app_param *row,
                             const char *text, const char *name, app_params *params,
                             marey_error *error);

/* Does this text of a command line name a file, whose content is the value? */
bool app_param_is_file(const app_param *row, const char *text);

/* All of a body, a JSON object: no other field than the rows'. REQUEST, MEMORY. */
marey_status app_params_json(app_scope *scope, const app_param *rows, const struct json_t *body,
                             app_params *params, marey_error *error);

/* After the last value: everything needed is there, and nothing is given that would do nothing. */
marey_status app_params_check(const app_param *rows, const app_params *params, app_dialect dialect,
                              marey_error *error);

/* "settings": {...}: what was given, by the names and in the form of the command line. */
void app_params_settings(json *out, const app_param *rows, const app_params *params);

/* Every value that was given, as a command line would give it, but for rows of notes: an array under
   `key` that app_params_texts_read takes. Not for APP_CUTS, APP_PAIR, APP_FRAME, APP_RANGE, APP_TABLE
   and files. */
void app_params_texts(json *out, const char *key, const app_param *rows, const app_params *params);
/* INPUT, REQUEST: it is no such array. */
marey_status app_params_texts_read(app_scope *scope, const app_param *rows,
                                   const struct json_t *values, app_params *params,
                                   marey_error *error);

/* "walk#120-300", as a command line has it. */
void app_segment_put(const app_segment *segment, buffer *out);

/* The rows themselves, for the page and the documentation: an array under `key`. */
void app_params_describe(json *out, const char *key, const app_param *rows);

/* The placeholder of a row in help: "E", or its name in capitals. `room` is for those. */
const char *app_param_value(const app_param *row, char room[32]);

/* "rising numbers from 0 to 1"; "" where anything goes. Returns `text`. */
const char *app_param_rule(const app_param *row, char *text, size_t room);

#endif
