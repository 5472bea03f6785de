/* program.c - from a command line to a command. */
#include "program.h"

#include "commands.h"
#include "help.h"
#include "json.h"
#include "manual.h"
#include "operate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 256, LEAST_MEMORY = 1 << 20 };
static const double LEAST_SECONDS = 1e-3, MOST_SECONDS = 1e9;

/* A text as the whole answer: as it is, or as the one value of a JSON object. */
static int answer(session *run, const char *key, buffer *text)
{
    buffer_byte(text, 0);
    run->out.failed |= text->failed;
    if (!run->out.failed && run->json) {
        json to = json_make(&run->out);
        json_open(&to, NULL, '{');
        json_put_string(&to, key, text->bytes);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->out.failed) {
        buffer_bytes(&run->out, text->bytes, text->used - 1);
    }
    buffer_free(text);
    return session_finish(run, PROGRAM_DONE);
}

static int show_help(session *run, const command *row)
{
    buffer text = buffer_make(&run->host->def);
    if (row)
        help_command(&text, row);
    else
        help_program(&text);
    return answer(run, "help", &text);
}

/* The one that was meant, if one is near. */
static const command *nearest_of(const command *rows, const char *word)
{
    const command *nearest = NULL;
    for (const command *row = rows; row->verb; row++) {
        const char *name = command_last_word(row);
        if (!is_near(word, name)) continue;
        if (!nearest || edit_distance(word, name) < edit_distance(word, command_last_word(nearest)))
            nearest = row;
    }
    return nearest;
}

static int say_unknown_verb(session *run, const char *verb)
{
    const command *nearest = nearest_of(commands, verb);
    if (nearest) {
        return session_usage(run, "there is no command \"%s\"; did you mean \"%s\"?", verb,
                             nearest->verb);
    }
    return session_usage(run, "there is no %s \"%s\"", verb[0] == '-' ? "option" : "command", verb);
}

static void on_progress(void *user, const char *activity, int64_t done, int64_t total)
{
    session *run = user;
    if (!run->own_progress) session_progress(run, activity, done, total, -1);
}

/* The deadline is looked at between reads; one that waits for a pipe has to be woken for that. */
static void limit_time(session *run)
{
    marey_ctx_limit_time(run->ctx, run->most_seconds);
    if (run->most_seconds > 0 && run->host->interrupt_after)
        run->host->interrupt_after(run->most_seconds);
}

/* Opens the context around `work`. */
static int with_context(session *run, const request *options,
                        int (*work)(session *run, const request *options))
{
    marey_ctx_def def = run->host->def;
    double threads = 0;
    int wrong = options_number(run, options, OPTION_THREADS, 1, MOST_THREADS, &threads);
    if (wrong == PROGRAM_DONE)
        wrong = options_bytes(run, options, OPTION_MEMORY, LEAST_MEMORY, &def.byte_limit);
    if (wrong == PROGRAM_DONE)
        wrong = options_number(run, options, OPTION_SECONDS, LEAST_SECONDS, MOST_SECONDS,
                               &run->most_seconds);
    if (wrong != PROGRAM_DONE) return wrong;
    if (threads > 0) def.threads = (int)threads;
    run->most_bytes = def.byte_limit;
    def.progress = on_progress;
    def.progress_user = run;
    if (marey_ctx_open(&def, &run->ctx) != MAREY_OK) return session_fail_memory(run);
    if (!run->command || !run->command->serves) limit_time(run);
    if (run->host->running) run->host->running(run->host->running_user, run->ctx);
    int status = work(run, options);
    session_progress_clear(run);
    if (run->host->running) run->host->running(run->host->running_user, NULL);
    /* A card's module that was asked for by its file, and is not used. */
    const char *module = getenv("MAREY_CARD"), *card = marey_grid_card(run->ctx);
    if (module && strchr(module, '/') && strncmp(card, "none:", 5) == 0)
        session_say(run, "marey: graphics card: %s", card);
    marey_ctx_close(run->ctx);
    return status;
}

static int run_command(session *run, int argc, char **argv)
{
    request options;
    const command *row = run->command;
    int status = options_parse(run, argc, argv, &options);
    if (status != PROGRAM_DONE) return status;
    if (request_has(&options, OPTION_HELP)) return show_help(run, row);
    run->quiet = request_has(&options, OPTION_QUIET);
    if (row->operation) return with_context(run, &options, operate);
    if (options.operand_count < row->operands_least) {
        return session_usage(run, "missing argument: marey %s %s", row->verb, row->usage);
    }
    if (row->operands_most && options.operand_count > row->operands_most) {
        return session_usage(run, "too many arguments, from \"%s\" on: marey %s %s",
                             options.operands[row->operands_most], row->verb, row->usage);
    }
    return with_context(run, &options, row->run);
}

/* The second word of a family's command line says which of its commands it is. */
static int run_family(session *run, int argc, char **argv)
{
    const command *family = run->command;
    for (int i = 0; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return show_help(run, family);
    const char *word = argc > 0 ? argv[0] : NULL;
    const command *action = word ? command_action(family, word) : NULL;
    if (action) {
        run->command = action;
        return run_command(run, argc - 1, argv + 1);
    }
    const command *nearest = word ? nearest_of(family->actions, word) : NULL;
    if (nearest)
        return session_usage(run, "there is no \"%s %s\"; did you mean \"%s\"?", family->verb, word,
                             nearest->verb);
    char room[256] = "";
    buffer list = buffer_fixed(room, sizeof room - 1);
    for (const command *row = family->actions; row->verb; row++)
        buffer_print(&list, row == family->actions ? "%s" : ", %s", command_last_word(row));
    room[list.used] = 0;
    return session_usage(run, "say which: %s %s", family->verb, room);
}

static int write_manual(session *run, const request *options)
{
    marey_error error;
    marey_status status = manual_write(run, options->operands[0], &error);
    return status == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
}

static int dispatch(session *run, int argc, char **argv)
{
    if (argc < 2) return session_usage(run, "a command is needed");
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        buffer text = buffer_make(&run->host->def);
        buffer_print(&text, run->json ? "%s" : "marey %s\n", marey_version());
        return answer(run, "version", &text);
    }
    if (strcmp(word, "--write-manual") == 0) {
        if (argc < 3) return session_usage(run, "--write-manual needs a folder");
        return with_context(run, &(request){ .operands = argv + 2, .operand_count = 1 },
                            write_manual);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        /* `marey help`, `marey help VERB`, `marey help param build`, also with --json somewhere. */
        int at = 2;
        while (at < argc && argv[at][0] == '-') at++;
        if (at == argc) return show_help(run, NULL);
        run->command = command_find(argv[at]);
        if (!run->command) return say_unknown_verb(run, argv[at]);
        const command *action = run->command->actions && at + 1 < argc
                                    ? command_action(run->command, argv[at + 1])
                                    : NULL;
        return show_help(run, action ? action : run->command);
    }
    run->command = command_find(word);
    if (!run->command) return say_unknown_verb(run, word);
    return run->command->actions ? run_family(run, argc - 2, argv + 2)
                                 : run_command(run, argc - 2, argv + 2);
}

int program_run(const program_host *host, int argc, char **argv)
{
    session run = { .host = host, .out = buffer_make(&host->def) };
    /* Looked for before anything else is understood, so that a wrong command line is reported as
       JSON to a program that options for it. */
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0) run.json = true;
    int status = dispatch(&run, argc, argv);
    buffer_free(&run.out);
    return status;
}
