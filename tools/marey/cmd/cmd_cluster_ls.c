/* cmd_cluster_ls.c - `marey cluster ls`: the cluster graphs that a library keeps. They are not opened, so that those whose clips
   are gone are listed as well. */
#include "cluster_assemble.h"
#include "commands.h"

#include <math.h>

enum { LINK_ROOM = 32 };

static int count_clips(const marey_kept_entry *one)
{
    return parts_clips(&(marey_parts){ .count = one->part_count, .parts = one->parts });
}

static void write_json(json *to, const marey_kept_entry *entries, int count)
{
    static const char *const numbers[] = { "fps", "threshold", "frames", "nodes", "sequences" };
    json_open(to, NULL, '{');
    json_open(to, "clusters", '[');
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *one = &entries[i];
        char link[LINK_ROOM];
        bool known = graph_about_text(one->about, "link", link, sizeof link);
        json_open(to, NULL, '{');
        json_put_string(to, "name", one->name);
        json_put_string(to, "link", known ? link : NULL);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            json_put_number(to, numbers[k], graph_about_number(one->about, numbers[k]));
        json_put_integer(to, "clips", count_clips(one));
        json_put_integer(to, "bytes", one->size);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(buffer *out, const marey_kept_entry *entries, int count)
{
    if (count == 0) buffer_text(out, "no cluster graph is kept; marey cluster build makes one\n");
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *one = &entries[i];
        char link[LINK_ROOM];
        buffer_shown(out, one->name);
        buffer_text(out, "  (");
        if (graph_about_text(one->about, "link", link, sizeof link)) {
            buffer_shown(out, link);
            buffer_text(out, " link, ");
        }
        buffer_clips(out, count_clips(one));
        double frames = graph_about_number(one->about, "frames");
        if (isfinite(frames)) {
            buffer_print(out, ", %.0f frames, %.0f nodes", frames,
                         graph_about_number(one->about, "nodes"));
        }
        buffer_print(out, ", %lld bytes)\n", (long long)one->size);
    }
}

int command_cluster_ls(session *run, const request *asked)
{
    shelf at;
    marey_kept *kept = NULL;
    marey_error error;
    int count = 0;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = marey_library_kept_list(at.library, MAREY_KEPT_CLUSTERS, &kept, &error);
    const marey_kept_entry *entries = status == MAREY_OK ? marey_kept_entries(kept, &count) : NULL;
    json to = json_make(&run->out);
    if (status == MAREY_OK && run->json) write_json(&to, entries, count);
    if (status == MAREY_OK && !run->json) write_text(&run->out, entries, count);
    marey_kept_free(kept);
    return shelf_end(&at, status, &error);
}
