/* cmd_library.c - how the library's housekeeping is shown: clips, saved things, foot plants. */
#include "check_library.h"
#include "clip_changes.h"
#include "clip_cuts.h"
#include "commands.h"
#include "entries.h"
#include "foot_plants.h"
#include "history_steps.h"
#include "library_file.h"
#include "saved_things.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void show_labelled(session *run, const void *params, const void *result, buffer *out)
{
    const app_label_params *given = params;
    const app_label_result *done = result;
    int whole = given->clips.count - done->stretches;
    if (run->quiet) return;
    buffer_text(out, "changed ");
    if (whole > 0) buffer_clips(out, whole);
    if (done->stretches > 0)
        buffer_print(out, "%s%d stretch%s of frames", whole > 0 ? " and " : "", done->stretches,
                     done->stretches == 1 ? "" : "es");
    buffer_byte(out, '\n');
}

void show_removed(session *run, const void *params, const void *result, buffer *out)
{
    const app_rm_params *given = params;
    const app_rm_result *done = result;
    if (run->quiet) return;
    buffer_text(out, given->purge ? "purged " : "removed ");
    buffer_clips(out, given->purge ? done->purged : given->clips.count);
    if (given->purge && done->repairs > 0)
        buffer_print(out, ": captured frames and %d repair%s", done->repairs,
                     done->repairs == 1 ? "" : "s");
    if (given->purge) buffer_text(out, "; the history is cleared");
    if (!given->purge)
        buffer_print(out, "; marey restore brings %s back",
                     given->clips.count == 1 ? "it" : "them");
    buffer_byte(out, '\n');
    for (int i = 0; i < done->used_by_count; i++) {
        buffer_text(out, i ? ", " : "used by ");
        buffer_named(out, done->used_by[i].kind, " ", "");
        buffer_named(out, "", done->used_by[i].name, i + 1 == done->used_by_count ? "\n" : "");
    }
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
    const app_restore_params *given = params;
    const app_restore_result *done = result;
    for (int i = 0; i < given->clips.count && !run->quiet; i++) {
        const char *old_name = given->clips.values[i], *name = done->clips[i].name;
        buffer_named(out, "restored ", old_name, "");
        if (strcmp(name, old_name) != 0) {
            buffer_named(out, " as ", name, "");
        }
        buffer_byte(out, '\n');
    }
}

void show_cuts(session *run, const void *params, const void *result, buffer *out)
{
    const app_cut_params *given = params;
    const app_cut_result *done = result;
    for (int i = 0; i < given->cuts.count && !run->quiet; i++) {
        int frames = done->cuts[i].end - done->cuts[i].start;
        buffer_named(out, "made ", done->clips[i].name, "");
        buffer_print(out, ": %d frame%s\n", frames, frames == 1 ? "" : "s");
    }
}

/* ---- history --------------------------------------------------------------------------------- */

void show_history(session *run, const void *params, const void *result, buffer *out)
{
    const app_history_result *done = result;
    (void)params;
    for (int i = 0; i < done->count; i++) {
        const marey_history_step *step = &done->steps[i];
        char when[32] = "?";
        time_t seconds = (time_t)step->time_s;
        struct tm local;
        if (localtime_r(&seconds, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
        buffer_print(out, "%6lld  %s  %s", (long long)step->id, when,
                     step->undone ? "undone: " : "");
        buffer_named(out, "", step->title, "\n");
    }
    if (run->quiet) return;
    buffer_print(out, "%d step%s\n", done->count, done->count == 1 ? "" : "s");
}

static void show_move(session *run, const marey_history_move *done, const char *verb, buffer *out)
{
    if (run->quiet) return;
    if (done->count == 0) buffer_print(out, "nothing to do\n");
    if (done->count > 1) buffer_print(out, "%s %d steps, the last one: ", verb, done->count);
    if (done->count == 1) buffer_print(out, "%s: ", verb);
    if (done->count > 0) buffer_named(out, "", done->title, "\n");
}

void show_undone(session *run, const void *params, const void *result, buffer *out)
{
    (void)params;
    show_move(run, result, "undone", out);
}

void show_redone(session *run, const void *params, const void *result, buffer *out)
{
    (void)params;
    show_move(run, result, "redone", out);
}

/* ---- ls -------------------------------------------------------------------------------------- */

enum { WIDEST_NAME = 40 };

static double seconds_of(const marey_entry *entry)
{
    return entry->fps > 0 ? entry->frames / entry->fps : 0;
}

static void write_padded(buffer *out, const char *text, int width)
{
    buffer_shown(out, text);
    buffer_blanks(out, width - shown_width(text));
}

static void write_labels(buffer *out, const marey_entry *entry)
{
    for (int i = 0; i < entry->label_count; i++) {
        buffer_named(out, i ? ", " : "", entry->labels[i], "");
    }
}

/* Behind the labels of the clip: "kick x 3", each label once, by where it is first. */
static void write_stretch_labels(buffer *out, const marey_entry *entry)
{
    bool any = entry->label_count > 0;
    for (int i = 0; i < entry->stretch_count; i++) {
        int before = 0, times = 0;
        for (int k = 0; k < entry->stretch_count; k++) {
            bool same = strcmp(entry->stretches[k].label, entry->stretches[i].label) == 0;
            before += same && k < i;
            times += same;
        }
        if (before > 0) continue;
        buffer_named(out, any ? ", " : "", entry->stretches[i].label, "");
        buffer_print(out, " x %d", times);
        any = true;
    }
}

static void show_table(const marey_entry *entries, int count, buffer *out)
{
    int names = 4, skeletons = 8;
    for (int i = 0; i < count; i++) {
        int name = shown_width(entries[i].name), skeleton = shown_width(entries[i].skeleton);
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
        bool labelled = entry->label_count + entry->stretch_count > 0;
        write_padded(out, entry->skeleton, labelled ? skeletons + 2 : 0);
        write_labels(out, entry);
        write_stretch_labels(out, entry);
        buffer_byte(out, '\n');
    }
}

static void write_line(buffer *out, const char *title, const char *text)
{
    if (!*text) return;
    buffer_print(out, "  %-13s", title);
    buffer_named(out, "", text, "\n");
}

void show_ls(session *run, const void *params, const void *result, buffer *out)
{
    const app_ls_params *given = params;
    const app_ls_result *done = result;
    if (given->details) {
        for (int i = 0; i < done->count; i++) {
            const marey_entry *entry = &done->entries[i];
            buffer_shown(out, entry->name);
            buffer_print(out, "\n  %-13s%d at %.6g a second, %.2f s\n", "frames", entry->frames,
                         entry->fps, seconds_of(entry));
            write_line(out, "skeleton", entry->skeleton);
            if (entry->label_count > 0) {
                buffer_print(out, "  %-13s", "labels");
                write_labels(out, entry);
                buffer_byte(out, '\n');
            }
            for (int k = 0; k < entry->stretch_count; k++) {
                const marey_stretch *one = &entry->stretches[k];
                char frames[32];
                snprintf(frames, sizeof frames, "%d-%d", one->start, one->end);
                buffer_print(out, "  %-13s%-13s ", k ? "" : "stretches", frames);
                buffer_named(out, "", one->label, "\n");
            }
            if (entry->flaw_count > 0)
                buffer_print(out, "  %-13s%d\n", "findings", entry->flaw_count);
            if (entry->repair_count > 0)
                buffer_print(out, "  %-13s%d\n", "repairs", entry->repair_count);
            write_line(out, "description", entry->description);
            write_line(out, "licence", entry->licence);
            write_line(out, "source", entry->source);
            write_line(out, "provenance",
                       entry->provenance_damaged ? "damaged; run marey verify" : entry->provenance);
        }
    } else {
        show_table(done->entries, done->count, out);
    }
    if (run->quiet) return;
    buffer_clips(out, done->count);
    buffer_byte(out, '\n');
}

/* ---- verify ---------------------------------------------------------------------------------- */

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
        buffer_named(out, "", done->problems.values[i], "\n");
    }
    if (run->quiet) return;
    if (count == 0) {
        buffer_text(out, "ok: every stored byte is as it was written\n");
        if (done->hashed) buffer_print(out, "content %016" PRIx64 "\n", done->content.hash);
    } else {
        buffer_print(out, "%d problem%s\n", count, count == 1 ? "" : "s");
    }
}

/* ---- saved things ---------------------------------------------------------------------------- */

void show_forgotten(session *run, const void *params, const void *result, buffer *out)
{
    const app_saved_name *of = params;
    (void)result;
    if (run->quiet) return;
    buffer_named(out, "forgot ", of->name, "\n");
}

void show_renamed(session *run, const void *params, const void *result, buffer *out)
{
    const app_saved_rename *of = params;
    (void)result;
    if (run->quiet) return;
    buffer_shown(out, of->name);
    buffer_named(out, " is now ", of->to, "\n");
}

/* ---- foot plants ----------------------------------------------------------------------------- */

void show_contacts(session *run, const void *params, const void *result, buffer *out)
{
    const app_contacts_result *done = result;
    const app_plants *plants = &done->plants;
    (void)params;
    if (plants->count > 0) buffer_text(out, "joint          start       end   seconds\n");
    for (int i = 0; i < plants->count; i++) {
        const marey_contact *one = &plants->items[i];
        buffer_print(out, "%-10s %9d %9d %9.2f\n", marey_contact_name(one->joint),
                     done->first + one->start, done->first + one->end,
                     (one->end - one->start) / done->fps);
    }
    if (run->quiet) return;
    buffer_print(out, "%d plant%s, %s\n", plants->count, plants->count == 1 ? "" : "s",
                 plants->stored ? "saved in the library" : "found in the motion");
}

void show_quality(session *run, const void *params, const void *result, buffer *out)
{
    const app_quality_result *done = result;
    const marey_quality *quality = &done->quality;
    (void)run;
    (void)params;
    buffer_shown(out, done->clip);
    buffer_print(out, "  (%d frame%s, %.2f s, %d plant%s %s)\n", done->frames,
                 done->frames == 1 ? "" : "s", done->seconds, quality->plants,
                 quality->plants == 1 ? "" : "s", done->stored ? "saved in the library" : "found");
    if (quality->plants == 0) {
        buffer_text(out, "  feet         no foot is ever planted, so there is nothing to slide\n");
    } else {
        buffer_print(out,
                     "  slide        foot slide %.2f cm on average, at most %.2f cm\n"
                     "               and %.2f cm a second\n",
                     quality->slide_cm, quality->slide_max_cm, quality->slide_cm_per_s);
        /* Less than half of the last digit that is shown is called none. */
        if (quality->penetration_cm >= 0.005) {
            buffer_print(out, "  penetration  a foot goes up to %.2f cm below its floor\n",
                         quality->penetration_cm);
        } else {
            buffer_text(out, "  penetration  no foot goes below its floor\n");
        }
    }
    buffer_print(out,
                 "  jump         peak joint speed is %.1f times the median\n"
                 "  jerk         the sharpest change of acceleration is %.1f times the median\n",
                 quality->jump_ratio, quality->jerk_ratio);
}
