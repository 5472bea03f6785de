/* cmd_curves.c - `marey curves`: the registrations that a library keeps. */
#include "commands.h"
#include "shelf.h"

static void write_json(json *to, const marey_kept_entry *entries, int count)
{
    json_open(to, NULL, '{');
    json_open(to, "curves", '[');
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *one = &entries[i];
        json_open(to, NULL, '{');
        json_put_string(to, "name", one->name);
        json_put_integer(to, "bytes", one->size);
        json_open(to, "clips", '[');
        for (int k = 0; k < one->part_count; k++) {
            json_open(to, NULL, '{');
            json_put_string(to, "clip", one->part_names[k]);
            json_put_integer(to, "id", one->parts[k].clip);
            json_put_integer(to, "start", one->parts[k].start);
            json_put_integer(to, "end", one->parts[k].end);
            json_close(to, '}');
        }
        json_close(to, ']');
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(buffer *out, const marey_kept_entry *entries, int count)
{
    if (count == 0) buffer_text(out, "no registration is kept; marey align --save keeps one\n");
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *one = &entries[i];
        buffer_shown(out, one->name);
        buffer_print(out, "  (%d clips, %lld bytes)\n", one->part_count, (long long)one->size);
        for (int k = 0; k < one->part_count; k++) {
            buffer_text(out, "  ");
            buffer_shown(out, one->part_names[k]);
            buffer_print(out, "#%d-%d\n", one->parts[k].start, one->parts[k].end);
        }
    }
}

static marey_status list(shelf *at, marey_error *error)
{
    marey_kept *kept = NULL;
    int count = 0;
    marey_status status =
        marey_library_kept_list(at->library, MAREY_KEPT_REGISTRATION, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    json to = json_make(&at->run->out);
    if (at->run->json) {
        write_json(&to, entries, count);
    } else {
        write_text(&at->run->out, entries, count);
    }
    marey_kept_free(kept);
    return MAREY_OK;
}

int command_curves(session *run, const request *asked)
{
    const char *name = asked->values[OPTION_RM];
    shelf at;
    marey_error error;
    marey_status status = shelf_open(run, asked->operands[0],
                                     name ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ, &at, &error);
    if (status != MAREY_OK) return session_fail(run, &error);
    status = name ? shelf_forget(&at, MAREY_KEPT_REGISTRATION, name, &error) : list(&at, &error);
    return shelf_end(&at, status, &error);
}
