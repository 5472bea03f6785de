/* cmd_motifs.c - how what repeats in a library is shown: a line and a strip for each motif. */
#include "commands.h"
#include "find_motion.h"
#include "folder.h"
#include "library_file.h"

#include <stdio.h>

/* "kicks#120-210" */
static void write_example(const marey_match *at, buffer *out)
{
    buffer_shown(out, at->name);
    buffer_print(out, "#%d-%d", at->start, at->end);
}

static int clips_of(const marey_motif *motif)
{
    int clips = 0;
    for (int i = 0; i < motif->count; i++) {
        bool is_new = true;
        for (int k = 0; k < i && is_new; k++)
            is_new = motif->occurrences[k].clip != motif->occurrences[i].clip;
        clips += is_new;
    }
    return clips;
}

void show_motifs(session *run, const void *params, const void *result, buffer *out)
{
    const app_motifs_result *of = result;
    (void)params;
    if (of->count == 0) {
        buffer_named(out, "nothing repeats in ", of->library, "\n");
        return;
    }
    buffer_print(out, "%5s %6s %8s %6s  %s\n", "motif", "times", "length", "clips", "example");
    for (int i = 0; i < of->count; i++) {
        const marey_motif *motif = &of->motifs[i];
        buffer_print(out, "%5d %6d %6.2f s %6d  ", i + 1, motif->count, motif->seconds,
                     clips_of(motif));
        write_example(&motif->occurrences[0], out);
        buffer_byte(out, '\n');
    }
    if (run->quiet) return;
    buffer_named(out, "marey search ", of->library, " ");
    write_example(&of->motifs[0].occurrences[0], out);
    buffer_print(out, " --threshold %.4g finds the first of them again\n", of->motifs[0].threshold);
}

int check_motifs(session *run, const request *options, const void *params)
{
    const char *sheet = options->values[OPTION_OUTPUT];
    (void)params;
    if (!sheet || path_ends_in(sheet, ".png") || path_ends_in(sheet, ".svg") ||
        path_ends_in(sheet, ".pdf"))
        return 0;
    return session_usage(run, "-o takes a name that ends in .png, .svg or .pdf");
}

marey_status finish_motifs(session *run, const request *options, const app_call *call,
                           library_file *at, buffer *more, marey_error *error)
{
    const char *sheet = options->values[OPTION_OUTPUT];
    json members = json_make(more);
    if (!sheet) return MAREY_OK;
    marey_status status = draw_result(run, call, at, "sheet", NULL, sheet, error);
    if (status == MAREY_OK && run->json) json_put_string(&members, "sheet", sheet);
    if (status == MAREY_OK && !run->json && !run->quiet) buffer_named(more, "wrote ", sheet, "\n");
    return status;
}
