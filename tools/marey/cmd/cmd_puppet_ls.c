/* cmd_puppet_ls.c - `marey puppet ls`: the puppets that a library keeps. One that is damaged is listed as well, and why it cannot be
   read is said. */
#include "commands.h"
#include "failures.h"
#include "puppet_open.h"

typedef struct listing_of {
    session *run;
    shelf at;
    json to;
    failures failed;
} listing_of;

static double seconds_of(const marey_puppet *puppet)
{
    int steps = marey_puppet_samples(puppet) - marey_puppet_runs(puppet);
    return steps / marey_puppet_settings(puppet)->rate;
}

static void put_numbers(json *to, const marey_puppet *puppet)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    json_put_integer(to, "samples", marey_puppet_samples(puppet));
    json_put_integer(to, "runs", marey_puppet_runs(puppet));
    json_put_number(to, "seconds", seconds_of(puppet));
    json_put_number(to, "rate", def->rate);
    json_put_number(to, "window_s", def->window_s);
}

static void put_nulls(json *to)
{
    static const char *const keys[] = { "samples", "runs", "seconds", "rate", "window_s" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) json_put_null(to, keys[i]);
}

static void write_one(json *to, const marey_kept_entry *one, const marey_puppet *puppet)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", one->name);
    json_put_string(to, "about", one->about);
    if (puppet) {
        put_numbers(to, puppet);
    } else {
        put_nulls(to);
    }
    json_put_integer(to, "bytes", one->size);
    json_close(to, '}');
}

static void show_one(buffer *out, const marey_kept_entry *one, const marey_puppet *puppet)
{
    buffer_shown(out, one->name);
    buffer_text(out, "  (");
    if (puppet) {
        int runs = marey_puppet_runs(puppet);
        buffer_print(out, "%.1f s in %d run%s, ", seconds_of(puppet), runs, runs == 1 ? "" : "s");
    } else {
        buffer_text(out, "cannot be read, ");
    }
    buffer_print(out, "%lld bytes)  ", (long long)one->size);
    buffer_shown(out, one->about);
    while (out->used > 0 && out->bytes[out->used - 1] == ' ') out->used--;
    buffer_byte(out, '\n');
}

static marey_status list_one(listing_of *all, const marey_kept_entry *one, marey_error *error)
{
    marey_puppet *puppet = NULL;
    if (marey_library_puppet(all->at.library, one->name, &puppet, error) != MAREY_OK) {
        if (failure_ends_all(error)) return error->status;
        puppet_explain(error);
        failures_add(&all->failed, one->name, error);
    }
    if (all->run->json) {
        write_one(&all->to, one, puppet);
    } else {
        show_one(&all->run->out, one, puppet);
    }
    marey_puppet_free(puppet);
    return MAREY_OK;
}

static marey_status list_all(listing_of *all, marey_error *error)
{
    marey_kept *kept = NULL;
    int count = 0;
    marey_status status = marey_library_kept_list(all->at.library, MAREY_KEPT_PUPPET, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    if (all->run->json) {
        json_open(&all->to, NULL, '{');
        json_open(&all->to, "puppets", '[');
    } else if (count == 0) {
        buffer_text(&all->run->out, "no puppet is kept; marey puppet train makes one\n");
    }
    for (int i = 0; i < count && status == MAREY_OK; i++)
        status = list_one(all, &entries[i], error);
    if (all->run->json) {
        json_close(&all->to, ']');
        json_put_array_of(&all->to, "failed", &all->failed.values);
        json_close(&all->to, '}');
        buffer_byte(&all->run->out, '\n');
    }
    marey_kept_free(kept);
    return status == MAREY_OK ? shelf_ready(all->run, error) : status;
}

int command_puppet_ls(session *run, const request *asked)
{
    listing_of all = { .run = run, .to = json_make(&run->out) };
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &all.at, &error) != MAREY_OK)
        return session_fail(run, &error);
    failures_make(&all.failed, run);
    marey_status status = list_all(&all, &error);
    if (all.failed.values.failed) run->out.failed = true;
    int ended = shelf_end(&all.at, status, &error);
    failures_free(&all.failed);
    return ended != PROGRAM_DONE ? ended : all.failed.status;
}
