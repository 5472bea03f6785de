/* cmd_make.c - how generated clips are shown. */
#include "commands.h"
#include "make.h"

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
