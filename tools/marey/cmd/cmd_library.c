/* cmd_library.c - how the library's housekeeping is shown. */
#include "check_library.h"
#include "clip_changes.h"
#include "clip_cuts.h"
#include "commands.h"
#include "entries.h"
#include "shelf.h"

#include <string.h>

void show_labelled(session *run, const void *params, const void *result, buffer *out)
{
    const app_label_params *asked = params;
    (void)result;
    if (run->quiet) return;
    buffer_text(out, "changed ");
    buffer_clips(out, asked->clips.count);
    buffer_byte(out, '\n');
}

void show_removed(session *run, const void *params, const void *result, buffer *out)
{
    const app_rm_params *asked = params;
    const app_rm_result *done = result;
    if (run->quiet) return;
    buffer_text(out, asked->purge ? "purged " : "removed ");
    buffer_clips(out, asked->purge ? done->purged : asked->clips.count);
    if (!asked->purge)
        buffer_print(out, "; marey restore brings %s back",
                     asked->clips.count == 1 ? "it" : "them");
    buffer_byte(out, '\n');
}

void warn_purged(session *run, const void *params, const void *result)
{
    const app_rm_result *done = result;
    (void)params;
    if (!done->read_elsewhere) return;
    session_say(run,
                "another program is reading %s: what was purged stays in its log until that "
                "program closes it",
                done->read_elsewhere);
}

void show_restored(session *run, const void *params, const void *result, buffer *out)
{
    const app_restore_params *asked = params;
    const app_restore_result *done = result;
    for (int i = 0; i < asked->clips.count && !run->quiet; i++) {
        const char *old_name = asked->clips.values[i], *name = done->clips[i].name;
        buffer_text(out, "restored ");
        buffer_shown(out, old_name);
        if (strcmp(name, old_name) != 0) {
            buffer_text(out, " as ");
            buffer_shown(out, name);
        }
        buffer_byte(out, '\n');
    }
}

void show_cuts(session *run, const void *params, const void *result, buffer *out)
{
    const app_cut_params *asked = params;
    const app_cut_result *done = result;
    for (int i = 0; i < asked->cuts.count && !run->quiet; i++) {
        int frames = done->cuts[i].end - done->cuts[i].start;
        buffer_text(out, "made ");
        buffer_shown(out, done->clips[i].name);
        buffer_print(out, ": %d frame%s\n", frames, frames == 1 ? "" : "s");
    }
}

/* ---- ls ------------------------------------------------------------------------------------------ */

enum { WIDEST_NAME = 40 };

static double seconds_of(const marey_entry *entry)
{
    return entry->fps > 0 ? entry->frames / entry->fps : 0;
}

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

void show_ls(session *run, const void *params, const void *result, buffer *out)
{
    const app_ls_params *asked = params;
    const app_ls_result *done = result;
    if (asked->details) {
        for (int i = 0; i < done->count; i++) write_long(out, &done->entries[i]);
    } else {
        write_table(out, done->entries, done->count);
    }
    if (run->quiet) return;
    buffer_clips(out, done->count);
    buffer_byte(out, '\n');
}

/* ---- verify -------------------------------------------------------------------------------------- */

int exit_verified(const void *result)
{
    const app_verify_result *done = result;
    return done->problems.count == 0 ? PROGRAM_DONE : PROGRAM_WRONG;
}

void show_verified(session *run, const void *params, const void *result, buffer *out)
{
    const app_verify_result *done = result;
    int count = done->problems.count;
    (void)params;
    for (int i = 0; i < count; i++) {
        buffer_shown(out, done->problems.values[i]);
        buffer_byte(out, '\n');
    }
    if (run->quiet) return;
    if (count == 0) {
        buffer_text(out, "ok: every stored byte is as it was written\n");
    } else {
        buffer_print(out, "%d problem%s\n", count, count == 1 ? "" : "s");
    }
}
