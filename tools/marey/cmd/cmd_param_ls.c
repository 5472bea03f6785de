/* cmd_param_ls.c - `marey param ls`: the families that a library keeps. They are not opened, so that those whose clips are
   gone are listed as well. */
#include "commands.h"
#include "param_about.h"

static void write_features(json *to, const char *about)
{
    char text[PARAM_TEXT_ROOM];
    const char *at = NULL;
    json_open(to, "features", '[');
    while (about_next_feature(about, &at, text, sizeof text)) json_put_string(to, NULL, text);
    json_close(to, ']');
}

static void write_space(json *to, const marey_kept_entry *one)
{
    int64_t samples = about_samples(one->about);
    json_open(to, NULL, '{');
    json_put_string(to, "name", one->name);
    write_features(to, one->about);
    json_open(to, "examples", '[');
    for (int i = 0; i < one->part_count; i++) {
        json_open(to, NULL, '{');
        json_part(to, one->part_names[i], &one->parts[i]);
        json_close(to, '}');
    }
    json_close(to, ']');
    if (samples >= 0) {
        json_put_integer(to, "samples", samples);
    } else {
        json_put_null(to, "samples");
    }
    json_put_integer(to, "bytes", one->size);
    json_close(to, '}');
}

static void write_json(json *to, const marey_kept_entry *entries, int count)
{
    json_open(to, NULL, '{');
    json_open(to, "spaces", '[');
    for (int i = 0; i < count; i++) write_space(to, &entries[i]);
    json_close(to, ']');
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(buffer *out, const marey_kept_entry *entries, int count, bool all)
{
    if (count == 0) buffer_text(out, "no family is kept; marey param build makes one\n");
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *one = &entries[i];
        char text[PARAM_TEXT_ROOM];
        const char *at = NULL;
        int64_t samples = about_samples(one->about);
        buffer_shown(out, one->name);
        buffer_print(out, "  (%d examples", one->part_count);
        if (samples >= 0) buffer_print(out, ", %lld samples", (long long)samples);
        buffer_print(out, ", %lld bytes)\n", (long long)one->size);
        while (about_next_feature(one->about, &at, text, sizeof text)) {
            buffer_text(out, "  ");
            buffer_shown(out, text);
            buffer_byte(out, '\n');
        }
        for (int k = 0; k < one->part_count && all; k++) {
            buffer_text(out, "    ");
            buffer_part(out, one->part_names[k], &one->parts[k]);
            buffer_byte(out, '\n');
        }
    }
}

int command_param_ls(session *run, const request *asked)
{
    shelf at;
    marey_kept *kept = NULL;
    marey_error error;
    int count = 0;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = marey_library_kept_list(at.library, MAREY_KEPT_FAMILY, &kept, &error);
    json to = json_make(&run->out);
    if (status == MAREY_OK) {
        const marey_kept_entry *entries = marey_kept_entries(kept, &count);
        if (run->json) {
            write_json(&to, entries, count);
        } else {
            write_text(&run->out, entries, count, request_has(asked, OPTION_LONG));
        }
    }
    marey_kept_free(kept);
    return shelf_end(&at, status, &error);
}
