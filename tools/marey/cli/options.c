/* options.c - a parser for command lines. Not getopt_long: that one keeps its place in globals,
   takes abbreviations that a later option would make ambiguous, and prints messages of its own. */
#include "options.h"

#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const option_row options_common[] = {
    { .name = "json", .help = "print one JSON object instead of text", .key = OPTION_JSON },
    { .name = "threads",
      .value = "N",
      .help = "use this many threads, 1 to 256; the result is the same for any number "
              "(default: the number of processors)",
      .key = OPTION_THREADS },
    { .name = "max-memory",
      .value = "SIZE",
      .help =
          "use at most this much memory, as 2G or 500M; what needs more is refused (default: no "
          "limit)",
      .key = OPTION_MEMORY },
    { .name = "memory", .value = "SIZE", .help = "the same as --max-memory", .key = OPTION_MEMORY },
    { .name = "max-seconds",
      .value = "S",
      .help = "take at most so many seconds; what needs more is refused, and nothing half done is "
              "left (default: no limit)",
      .key = OPTION_SECONDS },
    { .name = "quiet",
      .help = "no progress, no warnings, no word of what was written; results are still printed",
      .key = OPTION_QUIET },
    { .name = "help", .letter = 'h', .help = "say what the command does", .key = OPTION_HELP },
    { 0 },
};

const char *option_word(const option_row *row, int index)
{
    static const char *const ups[] = { "y", "z" };
    const marey_format *format;
    if (row->words == WORDS_ANY) return row->type == APP_WORD ? row->word(index) : NULL;
    switch ((option_words)row->words) {
    case WORDS_UP: return index < 2 ? ups[index] : NULL;
    case WORDS_FORMATS:
        for (int i = 0; (format = marey_format_find(i)); i++)
            if (format->writes && !format->points && index-- == 0) return format->name;
        return NULL;
    case WORDS_UNITS:
        for (int unit = MAREY_UNITS_GUESS + 1; unit < MAREY_UNITS_RAW; unit++)
            if (index-- == 0) return marey_units_name((marey_units)unit);
        return NULL;
    case WORDS_ANY: return NULL;
    }
    return NULL;
}

/* ---- the tables ------------------------------------------------------------------------------ */

const option_row *option_at(const command *cmd, int index)
{
    const option_row *params = cmd && cmd->operation ? cmd->operation->params : NULL;
    const option_row *tables[] = { params, cmd ? cmd->options : options_common };
    for (int t = 0; t < 2; t++) {
        for (const option_row *row = tables[t]; row && row->name; row++) {
            if (row->place == APP_OPTION && index-- == 0) return row;
        }
    }
    return NULL;
}

/* The same of the command that runs, and then the common ones. */
static const option_row *row_at(const session *run, int index)
{
    const option_row *row;
    int own = 0;
    for (; (row = option_at(run->command, own)); own++)
        if (own == index) return row;
    return option_at(NULL, index - own);
}

void option_help(const option_row *row, buffer *out)
{
    static const double farthest = 1e6; /* a wider range is there only to keep numbers sound */
    const char *word = row->only_if ? strchr(row->only_if, '=') : NULL;
    if (word) buffer_print(out, "%s: ", word + 1);
    if (row->only_if && !word) buffer_print(out, "with --%s: ", row->only_if);
    buffer_text(out, row->help);
    if (row->key) return;
    bool ranged = row->most != 0 && row->most <= farthest && row->type != APP_WORD &&
                  row->type != APP_TEXT && row->type != APP_TEXTS;
    if (ranged) buffer_print(out, ", %.10g to %.10g", row->least, row->most);
    if (row->unit) buffer_print(out, "%s %s", ranged ? "" : ", in", row->unit);
    if (row->standard) buffer_print(out, " (default: %s)", row->standard);
}

static const option_row *row_of(const session *run, option_key key)
{
    const option_row *row;
    for (int i = 0; (row = row_at(run, i)) && row->key != key; i++) {
    }
    return row;
}

static int say_unknown(session *run, const char *name, size_t length)
{
    char typed[LONGEST_NAME + 1] = "";
    const option_row *row, *nearest = NULL;
    int best = LONGEST_NAME;
    if (length <= LONGEST_NAME) memcpy(typed, name, length);
    for (int i = 0; (row = row_at(run, i)); i++) {
        int distance = edit_distance(typed, row->name);
        if (typed[0] && is_near(typed, row->name) && distance < best) {
            best = distance;
            nearest = row;
        }
    }
    if (nearest) {
        return session_usage(run, "there is no option --%.*s; did you mean --%s?", (int)length,
                             name, nearest->name);
    }
    return session_usage(run, "there is no option --%.*s", (int)length, name);
}

/* ---- the parser ------------------------------------------------------------------------------ */

typedef struct parser {
    session *run;
    request *out;
    char **argv;
    int argc;
    int next; /* argument to look at */
} parser;

static bool is_operand(const char *argument)
{
    return argument[0] != '-' || argument[1] == 0 || strchr(".0123456789", argument[1]);
}

/* Options take one value each but for lists of clips and those that repeat, which grow. */
static int keep_param(parser *at, const option_row *row, const char *value)
{
    request *out = at->out;
    bool grows = row->type == APP_CLIPS || row->type == APP_SEGMENTS || row->repeats;
    for (int i = 0; i < out->given_count && !grows; i++) {
        if (out->given[i].row == row && row->type != APP_SWITCH)
            return session_usage(at->run, "--%s is given twice, and takes one value", row->name);
    }
    if (out->given_count == APP_MOST_PARAMS)
        return session_usage(at->run, "too many options: %d is the most", (int)APP_MOST_PARAMS);
    out->given[out->given_count++] = (given_value){ row, value };
    return PROGRAM_DONE;
}

static int keep_value(parser *at, const option_row *row, const char *value)
{
    if (!row->key) return keep_param(at, row, value);
    if (at->out->values[row->key] && !row->repeats)
        return session_usage(at->run, "--%s is given twice, and takes one value", row->name);
    at->out->values[row->key] = value;
    if (!row->repeats) return PROGRAM_DONE;
    if (at->out->repeated_count == MOST_REPEATED) {
        return session_usage(at->run, "--%s is given too often: %d times is the most", row->name,
                             (int)MOST_REPEATED);
    }
    at->out->repeated[at->out->repeated_count++] = (repeated_value){ (option_key)row->key, value };
    return PROGRAM_DONE;
}

/* `attached` is the value that came with the option itself, or NULL. */
static int take_value(parser *at, const option_row *row, const char *attached)
{
    char room[32];
    if (!option_takes_value(row)) {
        if (attached) return session_usage(at->run, "--%s takes no value", row->name);
        if (!row->key) return keep_param(at, row, "");
        at->out->values[row->key] = "";
        return PROGRAM_DONE;
    }
    if (!attached && at->next >= at->argc) {
        return session_usage(at->run, "--%s needs a value: --%s %s", row->name, row->name,
                             app_param_value(row, room));
    }
    int status = keep_value(at, row, attached ? attached : at->argv[at->next++]);
    if (status != PROGRAM_DONE || !row->pair) return status;
    /* Without its second value the option behind it would be lost. */
    if (at->next >= at->argc || !is_operand(at->argv[at->next])) {
        return session_usage(at->run, "--%s needs two values: --%s %s", row->name, row->name,
                             row->value);
    }
    return keep_value(at, row, at->argv[at->next++]);
}

int options_parse(session *run, int argc, char **argv, request *out)
{
    parser at = { .run = run, .out = out, .argv = argv, .argc = argc };
    const option_row *row;
    bool options_ended = false;
    *out = (request){ .operands = argv };
    while (at.next < argc) {
        char *argument = argv[at.next++];
        int status = PROGRAM_DONE;
        if (options_ended || is_operand(argument)) {
            argv[out->operand_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else {
            /* "--name", "--name=value", "-o", "-ovalue" */
            bool is_long = argument[1] == '-';
            const char *name = argument + 1 + is_long, *end = name + 1;
            if (is_long) end = name + strcspn(name, "=");
            size_t length = (size_t)(end - name);
            for (int i = 0; (row = row_at(run, i)); i++) {
                if (is_long ? strlen(row->name) == length && !strncmp(row->name, name, length)
                            : row->letter == *name)
                    break;
            }
            if (row)
                status = take_value(&at, row, !*end ? NULL : is_long ? end + 1 : end);
            else if (is_long)
                status = say_unknown(run, name, length);
            else
                status = session_usage(run, "there is no option -%c", *name);
        }
        if (status != PROGRAM_DONE) return status;
    }
    for (int i = 0; (row = row_at(run, i)) && !out->values[OPTION_HELP]; i++) {
        if (row->key && row->needed && !out->values[row->key])
            return session_usage(run, "-%c %s is needed", row->letter, row->value);
    }
    return PROGRAM_DONE;
}

const char *request_next(const request *options, option_key key, int *at)
{
    while (*at < options->repeated_count) {
        const repeated_value *one = &options->repeated[(*at)++];
        if (one->key == key) return one->value;
    }
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

int options_bytes(session *run, const request *options, option_key key, size_t low, size_t *out)
{
    static const char units[] = "KMGT";
    const char *text = options->values[key];
    char *end = NULL;
    if (!text) return PROGRAM_DONE;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    bool plain = text[strspn(text, ".0123456789")] == *end && end > text;
    bool ends = !*end || (unit && (!end[1] || ((end[1] == 'B' || end[1] == 'b') && !end[2])));
    for (const char *at = units; unit && at <= unit; at++) value *= 1024;
    if (!plain || !ends || !(value >= (double)low && value < 0x1p60)) {
        return session_usage(run, "--%s takes a size such as 2G or 500M, %zuM at least, not \"%s\"",
                             row_of(run, key)->name, low >> 20, text);
    }
    *out = (size_t)value;
    return PROGRAM_DONE;
}

int options_number(session *run, const request *options, option_key key, double low, double high,
                   double *out)
{
    const char *text = options->values[key];
    char *end = NULL;
    if (!text) return PROGRAM_DONE;
    double value = strtod(text, &end);
    /* strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
    bool is_number = *text && !*end && text[strspn(text, "+-.0123456789eE")] == 0;
    if (!is_number || !(value >= low && value <= high)) {
        return session_usage(run, "--%s takes a number from %g to %g, not \"%s\"",
                             row_of(run, key)->name, low, high, text);
    }
    *out = value;
    return PROGRAM_DONE;
}

/* Up to sizes that a double would round. */
int options_whole(session *run, const request *options, option_key key, int64_t low, int64_t high,
                  int64_t *out)
{
    const char *text = options->values[key];
    char *end = NULL;
    if (!text) return PROGRAM_DONE;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    /* strtoll alone also takes blanks. */
    bool is_number = *text && !*end && errno == 0 && text[strspn(text, "+-0123456789")] == 0;
    if (!is_number || value < low || value > high) {
        return session_usage(run, "--%s takes a whole number from %lld to %lld, not \"%s\"",
                             row_of(run, key)->name, (long long)low, (long long)high, text);
    }
    *out = value;
    return PROGRAM_DONE;
}

static int say_words(session *run, const option_row *row, const char *text)
{
    char list[256] = "";
    const char *word;
    buffer words = buffer_fixed(list, sizeof list - 1);
    for (int i = 0; (word = option_word(row, i)); i++) {
        buffer_text(&words, i ? ", " : "");
        buffer_text(&words, word);
    }
    list[words.used] = 0;
    if (row->words == WORDS_UNITS && strcmp(text, marey_units_name(MAREY_UNITS_RAW)) == 0) {
        return session_usage(run,
                             "--%s raw leaves numbers as in the file, so %s could not say how long "
                             "anything is; take one of %s",
                             row->name, run->command->verb, list);
    }
    return session_usage(run, "--%s takes one of %s, not \"%s\"", row->name, list, text);
}

/* Is `word` one of those that the option takes? */
static bool takes_word(const option_row *row, const char *word)
{
    const char *known;
    for (int i = 0; (known = option_word(row, i)); i++) {
        if (strcmp(known, word) == 0) return true;
    }
    return false;
}

int options_word(session *run, const request *options, option_key key, const char **out)
{
    const char *text = options->values[key];
    const option_row *row = row_of(run, key);
    if (!text) return PROGRAM_DONE;
    if (!takes_word(row, text)) return say_words(run, row, text);
    *out = text;
    return PROGRAM_DONE;
}

int options_units(session *run, const request *options, option_key key, marey_units *out)
{
    const char *text = NULL;
    int status = options_word(run, options, key, &text);
    for (int unit = MAREY_UNITS_GUESS + 1; unit < MAREY_UNITS_COUNT && text; unit++)
        if (strcmp(marey_units_name((marey_units)unit), text) == 0) *out = (marey_units)unit;
    return status;
}

int options_up(session *run, const request *options, option_key key, marey_up *out)
{
    const char *text = NULL;
    int status = options_word(run, options, key, &text);
    if (text) *out = text[0] == 'y' ? MAREY_UP_Y : MAREY_UP_Z;
    return status;
}
