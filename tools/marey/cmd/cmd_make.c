/* cmd_make.c - how generated clips are shown. */
#include "commands.h"
#include "make.h"

#include <math.h>
#include <string.h>

void show_clean(session *run, const void *params, const void *result, buffer *out)
{
    const app_clean_result *of = result;
    const marey_clean_result *got = &of->made.made.clean;
    int held = got->plants, left = got->plants_left;
    (void)params;
    if (run->quiet) return;
    if (held + left == 0) {
        buffer_text(out, "no foot is ever planted, so there is nothing to hold\n");
        return;
    }
    buffer_print(out, "%d plant%s %s, %d held\n", held + left, held + left == 1 ? "" : "s",
                 of->all.items[0].stored ? "kept in the library" : "found", held);
    if (left > 0) {
        buffer_print(out, "  left      %d: the skeleton does not say which joints are its leg\n",
                     left);
    }
    buffer_print(out,
                 "  slide     %.2f cm at worst, before %.2f; %.2f cm on average, before %.2f\n"
                 "  root      moved by up to %.2f cm\n",
                 of->after.slide_max_cm, of->before.slide_max_cm, of->after.slide_cm,
                 of->before.slide_cm, got->root_moved_cm);
    if (got->stretched > 0) {
        buffer_print(out, "  stretch   a leg got longer by up to %.2f %%\n", 100 * got->stretched);
    }
}

static void show_cost(buffer *out, const marey_metric *metric, double cost)
{
    buffer_print(out, "%.6g%s%s", cost, *metric->unit ? " " : "", metric->unit);
    if (strcmp(metric->unit, "cm2") == 0) buffer_print(out, ", root %.4g cm", sqrt(cost));
}

/* Two lines of figures. */
static void show_figures(const app_made *made, buffer *out)
{
    const marey_clean_result *clean = &made->made.clean;
    const char *many = made->plants == 1 ? "" : "s";
    if (made->plants == 0) {
        buffer_text(out, "  feet      no foot is ever planted\n");
    } else if (isnan(made->slide_after_cm)) {
        buffer_print(out, "  feet      %d plant%s; they were not held\n", made->plants, many);
    } else if (made->cleaned) {
        buffer_print(
            out,
            "  feet      %d plant%s slide by %.2f cm at worst, by %.2f cm before they were "
            "held; the root was moved by up to %.2f cm\n",
            made->plants, many, made->slide_after_cm, made->slide_before_cm, clean->root_moved_cm);
        if (clean->root_moved_cm > 1 && clean->stretched <= 0) {
            buffer_text(out, "            --stretch 0.03 would move the root less, with legs that "
                             "get a little longer\n");
        }
    } else {
        buffer_print(out, "  feet      %d plant%s slide by %.2f cm at worst; they were not held\n",
                     made->plants, many, made->slide_after_cm);
    }
    buffer_print(out,
                 "  jump      the largest step of a joint is %.2f times the largest in what it was "
                 "made of\n",
                 made->jump_ratio);
}

void show_loop(session *run, const void *params, const void *result, buffer *out)
{
    const app_loop_result *of = result;
    double fps = marey_clip_fps(of->all.clips[0]);
    (void)params;
    if (run->quiet && of->made.made.clip) return;
    if (of->count == 0) {
        buffer_text(out, "no loop was found\n");
        return;
    }
    buffer_print(out, "%8s %8s %9s %10s   %s\n", "start", "end", "seconds", "seam", "cost");
    for (int i = 0; i < of->count; i++) {
        const marey_loop *one = &of->loops[i];
        buffer_print(out, "%8d %8d %9.3f %10.3f   ", app_material_frame(&of->all, 0, one->start),
                     app_material_frame(&of->all, 0, one->end), (one->end - one->start) / fps,
                     one->seam_ratio);
        show_cost(out, of->metric.def.metric, one->cost);
        buffer_byte(out, '\n');
    }
    if (of->made.made.clip) show_figures(&of->made, out);
}
