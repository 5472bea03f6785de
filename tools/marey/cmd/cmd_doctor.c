/* cmd_doctor.c - how findings and repairs of clips are shown, and what was set right. */
#include "commands.h"
#include "doctor.h"
#include "library_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10, WIDEST = 28 };

int exit_doctor(const void *result)
{
    return failures_exit(&((const app_doctor_result *)result)->failures);
}

/* A finding, and where it stands among the others. */
typedef struct line {
    const app_patient *clip;
    int flaw, place;
    double severity;
} line;

static int by_severity(const void *a, const void *b)
{
    const line *x = a, *y = b;
    bool fix = x->clip->flaws[x->flaw].mendable, other = y->clip->flaws[y->flaw].mendable;
    if (fix != other) return fix ? -1 : 1;
    if (x->severity != y->severity) return x->severity > y->severity ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void write_padded(buffer *out, const char *text, int width)
{
    buffer_shown(out, text);
    buffer_blanks(out, width - shown_width(text) + 2);
}

static void show_lines(const line *lines, int count, buffer *out)
{
    int clips = 4, kinds = 4, joints = 5;
    for (int i = 0; i < count; i++) {
        const app_patient *clip = lines[i].clip;
        int flaw = lines[i].flaw, name = shown_width(clip->name);
        int joint = shown_width(clip->joints[flaw]);
        int kind = (int)strlen(marey_flaw_name(clip->flaws[flaw].kind));
        if (name > clips) clips = name < WIDEST ? name : WIDEST;
        if (joint > joints) joints = joint < WIDEST ? joint : WIDEST;
        if (kind > kinds) kinds = kind;
    }
    write_padded(out, "clip", clips);
    write_padded(out, "kind", kinds);
    write_padded(out, "joint", joints);
    buffer_text(out, "frames         size           certainty  fix\n");
    for (int i = 0; i < count; i++) {
        const app_patient *clip = lines[i].clip;
        const marey_flaw *flaw = &clip->flaws[lines[i].flaw];
        char frames[32], size[48];
        snprintf(frames, sizeof frames, "%d-%d", flaw->start, flaw->end);
        snprintf(size, sizeof size, "%.3g %s", flaw->size, marey_flaw_unit(flaw->kind));
        write_padded(out, clip->name, clips);
        write_padded(out, marey_flaw_name(flaw->kind), kinds);
        write_padded(out, *clip->joints[lines[i].flaw] ? clip->joints[lines[i].flaw] : "-", joints);
        const char *to = app_flaw_to(flaw);
        buffer_print(out, "%-14s %-14s %9.2f  %s%s%s", frames, size, flaw->certainty,
                     clip->fixed[lines[i].flaw] ? "fixed"
                     : flaw->mendable           ? marey_layer_name(flaw->repair.kind)
                                                : "-",
                     *to ? " " : "", to);
        const app_duplicate *copy = clip->copies ? clip->copies[lines[i].flaw] : NULL;
        if (copy) {
            buffer_named(out, copy->mirrored ? " mirrored: " : " as ", copy->other, "");
            buffer_print(out, " %d-%d", copy->other_start, copy->other_end);
        }
        buffer_byte(out, '\n');
    }
}

void show_stale(const app_stale_list *list, const char *library, buffer *out)
{
    int shown = 0;
    for (int i = 0; i < list->count; i++) {
        const app_stale *one = &list->items[i];
        if (!one->name) continue;
        buffer_print(out, "%s%s ", shown++ ? ", " : "build again: ", one->kind);
        buffer_shown(out, one->name);
    }
    if (shown > 0) buffer_byte(out, '\n');
    for (int i = 0; i < list->count; i++)
        if (!list->items[i].name)
            buffer_named(out, "match webs are made again by marey index --web ", library, "\n");
}

void show_set(session *run, const void *params, const void *result, buffer *out)
{
    const app_set_result *done = result;
    (void)params;
    if (run->quiet) return;
    buffer_text(out, "changed ");
    buffer_clips(out, done->count);
    buffer_byte(out, '\n');
    show_stale(&done->stale, done->library, out);
}

static void write_findings(buffer *out, int count)
{
    buffer_print(out, "%d finding%s", count, count == 1 ? "" : "s");
}

static void show_repairs(const app_doctor_result *of, buffer *out)
{
    for (int i = 0; i < of->count; i++) {
        const app_patient *clip = &of->items[i];
        for (int k = 0; k < clip->repair_count; k++) {
            const marey_repair *repair = &clip->repairs[k];
            buffer_named(out, "repair of ", clip->name, "");
            buffer_print(out, ": %s", marey_layer_name(repair->layer.kind));
            if (*repair->joint) buffer_named(out, " ", repair->joint, "");
            if (repair->layer.end > 0)
                buffer_print(out, " in %d-%d", repair->layer.start, repair->layer.end);
            buffer_print(out, ", %s%s\n", *repair->flaw ? "for " : "set", repair->flaw);
        }
    }
}

void show_doctor(session *run, const void *params, const void *result, buffer *out)
{
    const app_doctor_params *given = params;
    const app_doctor_result *of = result;
    app_scope scope = app_scope_open(&run->host->def);
    line *lines = APP_NEW(&scope, line, of->flaws + 1);
    int count = 0, flawed = 0;
    if (!lines) {
        out->failed = true;
        app_scope_close(&scope);
        return;
    }
    for (int i = 0; i < of->count; i++) {
        const app_patient *clip = &of->items[i];
        flawed += clip->flaw_count > 0;
        for (int k = 0; k < clip->flaw_count; k++, count++)
            lines[count] =
                (line){ clip, k, count, app_flaw_severity(&clip->flaws[k], clip->frames) };
    }
    qsort(lines, (size_t)count, sizeof *lines, by_severity);
    int shown = given->each || count <= SHOWN ? count : SHOWN;
    if (shown > 0 && given->undo.count == 0) {
        buffer_text(out, "kind          findings  clips  fixable  what it is\n");
        for (int i = 0; i < of->kind_count; i++) {
            const app_flaw_sum *sum = &of->kinds[i];
            buffer_print(out, "%-12s %9d %6d %8d  %s\n", marey_flaw_name(sum->kind), sum->findings,
                         sum->clips, sum->mendable, marey_flaw_about(sum->kind));
        }
        buffer_byte(out, '\n');
    }
    if (shown > 0 && given->undo.count == 0) show_lines(lines, shown, out);
    app_scope_close(&scope);
    if (given->each) show_repairs(of, out);
    if (run->quiet) return;
    const char *would = given->dry_run ? "would " : "";
    bool some = given->clips.count > 0 || given->label || given->joint;
    if (shown < count && given->undo.count == 0)
        buffer_print(out, "... and %d more: --long\n", count - shown);
    if (given->undo.count > 0) {
        buffer_print(out, "%s%s %d repair%s back\n", would, given->dry_run ? "take" : "took",
                     of->undone, of->undone == 1 ? "" : "s");
        show_stale(&of->stale, of->library, out);
        return;
    }
    write_findings(out, count);
    buffer_print(out, " in %d of ", flawed);
    buffer_clips(out, of->count);
    if (of->repairs > 0)
        buffer_print(out, "; %d repair%s made before", of->repairs, of->repairs == 1 ? "" : "s");
    buffer_byte(out, '\n');
    if (given->fix.count > 0) {
        buffer_print(out, "%s%s ", would, given->dry_run ? "fix" : "fixed");
        write_findings(out, of->fixed);
        bool taken = of->library && of->fixed > 0 && !given->dry_run;
        if (taken && some)
            buffer_print(out, "; --undo all takes %s back", of->fixed == 1 ? "it" : "them");
        else if (taken)
            buffer_named(out, "; take them back with marey doctor ", of->library, " --undo all");
        buffer_byte(out, '\n');
        for (int i = 0; i < of->count; i++)
            if (of->items[i].written) buffer_named(out, "wrote ", of->items[i].written, "\n");
        show_stale(&of->stale, of->library, out);
    } else if (of->mendable > 0) {
        buffer_print(out, "%d can be fixed: ", of->mendable);
        if (some)
            buffer_text(out, of->library ? "add --fix all\n" : "add --fix all -o OUT\n");
        else
            buffer_named(out, "marey doctor ", of->library, " --fix all\n");
    }
}
