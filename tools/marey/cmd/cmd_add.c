/* cmd_add.c - `marey add`: files, folders and the demo into a library, all in one transaction. */
#include "adding.h"
#include "commands.h"
#include "input.h"

static int read_options(adding *all, const request *asked, const char **labels)
{
    const char *label;
    int at = 0, count = 0;
    int status = input_options(all->run, asked, &all->def.load);
    while ((label = request_next(asked, OPTION_LABEL, &at))) {
        if (!*label) return session_usage(all->run, "--label takes a word");
        labels[count++] = label;
    }
    all->each = request_has(asked, OPTION_LONG);
    all->def.demo = request_has(asked, OPTION_DEMO);
    if (status == PROGRAM_DONE && asked->operand_count < 2 && !all->def.demo) {
        return session_usage(all->run, "name files to add, or say --demo");
    }
    all->def.labels = labels;
    all->def.label_count = count;
    all->def.label_from_folder = request_has(asked, OPTION_LABEL_FROM_FOLDER);
    all->def.index_path = asked->values[OPTION_INDEX];
    all->def.licence = asked->values[OPTION_LICENCE];
    return status;
}

static void write_answer(adding *all)
{
    buffer *out = &all->run->out;
    json to = json_make(out);
    if (all->run->json) {
        json_open(&to, NULL, '{');
        adding_json(all, &to);
        json_close(&to, '}');
        buffer_byte(out, '\n');
    } else if (!all->run->quiet) {
        adding_text(all, out);
    }
}

static int add_to(adding *all, const char *library)
{
    shelf at;
    marey_error error;
    marey_status status = shelf_open(all->run, library, MAREY_LIBRARY_CREATE, &at, &error);
    if (status != MAREY_OK) return session_fail(all->run, &error);
    status = adding_run(all, at.library, &error);
    if (status != MAREY_OK) return shelf_end(&at, status, &error);
    shelf_close(&at, all->added > 0 || all->errors.status == PROGRAM_DONE);
    write_answer(all);
    return session_finish(all->run, all->errors.status);
}

int command_add(session *run, const request *asked)
{
    const char *labels[MOST_REPEATED];
    adding all;
    adding_make(&all, run);
    int status = read_options(&all, asked, labels);
    if (status == PROGRAM_DONE) {
        marey_status walked = adding_walk(&all, asked->operands + 1, asked->operand_count - 1);
        status = walked == MAREY_OK ? add_to(&all, asked->operands[0]) : session_fail_memory(run);
    }
    adding_free(&all);
    return status;
}
