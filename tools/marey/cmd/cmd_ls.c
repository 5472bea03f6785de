/* cmd_ls.c - `marey ls`: what is in a library. */
#include "commands.h"
#include "shelf.h"

#include <string.h>

enum { WIDEST_NAME = 40 };

static double seconds_of(const marey_entry *entry)
{
    return entry->fps > 0 ? entry->frames / entry->fps : 0;
}

static void write_json(session *run, const marey_entry *entries, int count)
{
    json to = json_make(&run->out);
    json_open(&to, NULL, '{');
    json_open(&to, "clips", '[');
    for (int i = 0; i < count; i++) {
        const marey_entry *entry = &entries[i];
        json_open(&to, NULL, '{');
        json_put_string(&to, "name", entry->name);
        json_put_integer(&to, "id", entry->id);
        json_put_integer(&to, "frames", entry->frames);
        json_put_number(&to, "fps", entry->fps);
        json_put_number(&to, "seconds", seconds_of(entry));
        json_open(&to, "labels", '[');
        for (int k = 0; k < entry->label_count; k++) json_put_string(&to, NULL, entry->labels[k]);
        json_close(&to, ']');
        json_put_string(&to, "skeleton", entry->skeleton);
        json_put_string(&to, "description", entry->description);
        json_put_string(&to, "licence", entry->licence);
        json_put_string(&to, "source", entry->source);
        json_close(&to, '}');
    }
    json_close(&to, ']');
    json_close(&to, '}');
    buffer_byte(&run->out, '\n');
}

/* ---- for people ------------------------------------------------------------------------------ */

/* In characters, counting the first byte of each. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void write_padded(buffer *out, const char *text, int width)
{
    buffer_shown(out, text);
    buffer_blanks(out, width - width_of(text));
}

static void write_labels(buffer *out, const marey_entry *entry)
{
    for (int i = 0; i < entry->label_count; i++) {
        buffer_text(out, i ? ", " : "");
        buffer_shown(out, entry->labels[i]);
    }
}

static void write_table(buffer *out, const marey_entry *entries, int count)
{
    int names = 4, skeletons = 8;
    for (int i = 0; i < count; i++) {
        int name = width_of(entries[i].name), skeleton = width_of(entries[i].skeleton);
        if (name > names) names = name < WIDEST_NAME ? name : WIDEST_NAME;
        if (skeleton > skeletons) skeletons = skeleton < WIDEST_NAME ? skeleton : WIDEST_NAME;
    }
    if (count > 0) {
        write_padded(out, "name", names);
        buffer_text(out, "   frames       fps   seconds  ");
        write_padded(out, "skeleton", skeletons);
        buffer_text(out, "  labels\n");
    }
    for (int i = 0; i < count; i++) {
        const marey_entry *entry = &entries[i];
        write_padded(out, entry->name, names);
        buffer_print(out, " %8d %9.6g %9.2f  ", entry->frames, entry->fps, seconds_of(entry));
        write_padded(out, entry->skeleton, entry->label_count ? skeletons + 2 : 0);
        write_labels(out, entry);
        buffer_byte(out, '\n');
    }
}

static void write_line(buffer *out, const char *title, const char *text)
{
    if (!*text) return;
    buffer_print(out, "  %-13s", title);
    buffer_shown(out, text);
    buffer_byte(out, '\n');
}

static void write_long(buffer *out, const marey_entry *entry)
{
    buffer_shown(out, entry->name);
    buffer_print(out, "\n  %-13s%d at %.6g a second, %.2f s\n", "frames", entry->frames, entry->fps,
                 seconds_of(entry));
    write_line(out, "skeleton", entry->skeleton);
    if (entry->label_count > 0) {
        buffer_print(out, "  %-13s", "labels");
        write_labels(out, entry);
        buffer_byte(out, '\n');
    }
    write_line(out, "description", entry->description);
    write_line(out, "licence", entry->licence);
    write_line(out, "source", entry->source);
    write_line(out, "provenance",
               entry->provenance_damaged ? "damaged; run marey verify" : entry->provenance);
}

static void write_text(session *run, const request *asked, const marey_entry *entries, int count)
{
    if (request_has(asked, OPTION_LONG)) {
        for (int i = 0; i < count; i++) write_long(&run->out, &entries[i]);
    } else {
        write_table(&run->out, entries, count);
    }
    if (run->quiet) return;
    buffer_clips(&run->out, count);
    buffer_byte(&run->out, '\n');
}

/* ---- asking ---------------------------------------------------------------------------------- */

static marey_status list(shelf *at, const request *asked, const char *words, marey_error *error)
{
    marey_list_def def = { .text = words,
                           .label = asked->values[OPTION_LABEL],
                           .removed = request_has(asked, OPTION_REMOVED) };
    marey_listing *listing = NULL;
    int count;
    marey_status status = marey_library_list(at->library, &def, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    if (at->run->json) {
        write_json(at->run, entries, count);
    } else {
        write_text(at->run, asked, entries, count);
    }
    marey_listing_free(listing);
    return shelf_ready(at->run, error);
}

int command_ls(session *run, const request *asked)
{
    buffer words = buffer_make(&run->host->def);
    shelf at;
    marey_error error = { .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    for (int i = 1; i < asked->operand_count; i++) {
        buffer_text(&words, asked->operands[i]);
        buffer_byte(&words, ' ');
    }
    buffer_byte(&words, 0);
    marey_status status = words.failed ? MAREY_ERR_MEMORY : MAREY_OK;
    if (status == MAREY_OK) {
        status = shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &at, &error);
    }
    int exit = PROGRAM_DONE;
    if (status == MAREY_OK) {
        status = list(&at, asked, words.bytes, &error);
        exit = shelf_end(&at, status, &error);
    } else {
        exit = session_fail(run, &error);
    }
    buffer_free(&words);
    return exit;
}
