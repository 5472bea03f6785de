/* cmd_param_prune.c - `marey param prune`: a family without the examples that the others can do without (webs, 6.3.4). */
#include "commands.h"
#include "param_about.h"
#include "param_assemble.h"

typedef struct pruning {
    kept_family of;
    const request *asked;
    assembled made; /* has the kept family's parts and family, until they are others */
    const char *name;
    int gone;
    size_t before, after;
    buffer about;
} pruning;

static void write_json(const pruning *all, json *to)
{
    const marey_parts *parts = all->made.parts;
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->name);
    json_open(to, "examples", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(to, NULL, '{');
        json_part(to, parts->names[i].name, &parts->parts[i]);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_put_integer(to, "pruned", all->gone);
    json_put_integer(to, "bytes_before", (int64_t)all->before);
    json_put_integer(to, "bytes", (int64_t)all->after);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void describe(const pruning *all, session *run)
{
    json to = json_make(&run->out);
    if (run->json) {
        write_json(all, &to);
    } else if (!run->quiet) {
        buffer_text(&run->out, "family ");
        buffer_shown(&run->out, all->name);
        buffer_print(&run->out, ": %d of %d examples are kept, %zu of %zu bytes\n",
                     all->made.parts->count, all->made.parts->count + all->gone, all->after,
                     all->before);
    }
}

static marey_status prune(pruning *all, double tolerance, marey_error *error)
{
    session *run = all->made.run;
    marey_status status = assembled_bytes(&all->made, &all->before, error);
    if (status == MAREY_OK) status = assembled_prune(&all->made, tolerance, &all->gone, error);
    if (status == MAREY_OK) status = assembled_bytes(&all->made, &all->after, error);
    if (status != MAREY_OK) return status;
    describe(all, run);
    about_write(run->command->verb, all->made.family, run->command->options, all->asked,
                &all->about);
    status = all->about.failed ? fail_for_memory(error) : shelf_ready(run, error);
    if (status != MAREY_OK) return status;
    return marey_library_keep_family(all->of.at.library, all->name, all->made.family,
                                     all->made.parts->parts, all->about.bytes, error);
}

int command_param_prune(session *run, const request *asked)
{
    pruning all = { .asked = asked, .about = buffer_make(&run->host->def) };
    marey_error error;
    double tolerance = 0;
    int status = options_number(run, asked, OPTION_TOLERANCE, 1e-6, 1e6, &tolerance);
    if (status != PROGRAM_DONE) return status;
    if (!request_has(asked, OPTION_TOLERANCE))
        return session_usage(run, "--tolerance is needed: how far off what goes may be reproduced");
    if (kept_family_open(run, asked, MAREY_LIBRARY_WRITE, &all.of, &error) != MAREY_OK)
        return session_fail(run, &error);
    all.name = request_has(asked, OPTION_AS) ? asked->values[OPTION_AS] : all.of.name;
    all.made = (assembled){
        .run = run, .library = all.of.at.library, .parts = all.of.parts, .family = all.of.family
    };
    marey_status done = prune(&all, tolerance, &error);
    all.of.parts = all.made.parts;
    all.of.family = all.made.family;
    buffer_free(&all.about);
    return kept_family_end(&all.of, done, &error);
}
