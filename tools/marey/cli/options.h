/* options.h - options as rows of tables, and the parser that reads a command line by them. Help,
   man pages and completions are written from the same rows. Read after session.h. */
#ifndef MAREY_TOOL_OPTIONS_H
#define MAREY_TOOL_OPTIONS_H

#include "near_name.h"
#include "operation.h"
#include "session.h"

typedef enum option_key {
    OPTION_PARAM, /* a parameter of the command's operation */
    OPTION_JSON,
    OPTION_THREADS,
    OPTION_MEMORY,
    OPTION_SECONDS,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_UNITS,
    OPTION_UP,
    OPTION_SOURCE_FPS,
    OPTION_SKIP_FIRST,
    OPTION_LONG,
    OPTION_OUTPUT,
    OPTION_SKELETON,
    OPTION_TAKE,
    OPTION_LIBRARY,
    OPTION_PROVENANCE,
    OPTION_LABEL,
    OPTION_ALL,
    OPTION_TRIM_MARKED,
    OPTION_CAPTURED,
    OPTION_FORMAT,
    OPTION_SEED,
    OPTION_PORT,
    OPTION_NO_BROWSER,
    OPTION_ALLOW_HOST,
    OPTION_MINIMA,
    OPTION_CUT,
    OPTION_SHEET,
    OPTION_CLOSURE,
    OPTION_MATRIX,
    OPTION_DOF,
    OPTION_PLOT,
    OPTION_PICTURE,
    OPTION_BODY,
    OPTION_RUN,
    OPTION_CSV,
    OPTION_WRITE,
    OPTION_TOOL,
    OPTION_KEY_COUNT
} option_key;

/* What the value may be, where it is one of a few words. */
typedef enum option_words {
    WORDS_ANY,
    WORDS_UNITS,
    WORDS_UP,
    WORDS_FORMATS, /* those that are written */
} option_words;

/* The rows of operations and the program's own are of one kind. */
typedef app_param option_row;

static inline bool option_takes_value(const option_row *row)
{
    return row->key ? row->value != NULL : row->type != APP_SWITCH;
}

/* Help, with the range and the default of a parameter behind it. */
void option_help(const option_row *row, buffer *out);

extern const option_row options_common[]; /* every command has these */

/* Option 0, 1, ... of a command: its operation's, then its own; NULL past the last. Of NULL: the
   common ones. */
struct command;
const option_row *option_at(const struct command *cmd, int index);

/* Word number `index` of those the option takes, or NULL past the last. Lives forever. */
const char *option_word(const option_row *row, int index);

enum { MOST_REPEATED = 60 };

typedef struct repeated_value {
    option_key key;
    const char *value;
} repeated_value;

typedef struct given_value {
    const app_param *row;
    const char *value;
} given_value;

typedef struct request {
    const char *values[OPTION_KEY_COUNT];   /* NULL: not given; "" for an option without value */
    repeated_value repeated[MOST_REPEATED]; /* every value of the options that repeat, in order */
    int repeated_count;
    given_value given[APP_MOST_PARAMS]; /* parameters of the command's operation, in order */
    int given_count;
    char **operands;
    int operand_count;
} request;

static inline bool request_has(const request *options, option_key key)
{
    return options->values[key] != NULL;
}

/* The values of an option that repeats, one after the other, then NULL. Start with *at = 0. */
const char *request_next(const request *options, option_key key, int *at);

/* Reads the words behind the verb by run->command's table and the common one. "--name value",
   "--name=value", "-o value", "-ovalue"; "--" ends options; a value may begin with '-', and so may
   an operand that is a negative number. Operands are moved to the front of argv. Returns
   PROGRAM_DONE, or PROGRAM_USAGE having said why. */
int options_parse(session *run, int argc, char **argv, request *out);

/* The value of an option, checked; *out stays as it is if the option was not given. Return as
   options_parse does. */
/* A number of bytes as 2G, 500M or 800K; REQUEST below `low`. */
int options_bytes(session *run, const request *options, option_key key, size_t low, size_t *out);
int options_number(session *run, const request *options, option_key key, double low, double high,
                   double *out);
/* The same for a whole number; for options of the command itself, not the common ones. */
int options_whole(session *run, const request *options, option_key key, int64_t low, int64_t high,
                  int64_t *out);
int options_units(session *run, const request *options, option_key key, marey_units *out);
int options_word(session *run, const request *options, option_key key, const char **out);
int options_up(session *run, const request *options, option_key key, marey_up *out);

#endif
