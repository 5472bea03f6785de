/* cmd_find.c - how what is found in a library is shown: its index, matches of a search, ways of a query by example. */
#include "commands.h"
#include "find_motion.h"
#include "shelf.h"

/* ---- index ----------------------------------------------------------------------------------------- */

static void write_amount(buffer *out, double value, const char *unit)
{
    static const char *const steps[] = { "", "thousand ", "million ", "billion " };
    int step = 0;
    while (value >= (step == 0 ? 9999.5 : 999.5) && step < 3) {
        value /= 1000;
        step++;
    }
    buffer_print(out, step == 0 ? "%.0f %s%s" : "%.3g %s%s", value, steps[step], unit);
}

static void write_bytes(buffer *out, int64_t bytes)
{
    if (bytes < 100000) {
        buffer_print(out, "%.1f kB", (double)bytes * 1e-3);
    } else {
        buffer_print(out, "%.1f MB", (double)bytes * 1e-6);
    }
}

static void write_contents(buffer *out, const marey_index_report *report, const char *metric)
{
    buffer_clips(out, report->clips);
    buffer_print(out, ", %d pair%s, %s, up to %.6g frames a second\n", report->pairs,
                 report->pairs == 1 ? "" : "s", metric, report->fps);
    write_amount(out, (double)report->cells, "pairs of frames, ");
    write_amount(out, (double)report->chains, "chains, ");
    write_amount(out, (double)report->bridges, "bridges, ");
    write_bytes(out, report->bytes);
    buffer_byte(out, '\n');
}

static void show_built(const app_index_result *of, buffer *out)
{
    const marey_index_report *report = &of->report;
    buffer_shown(out, of->library);
    buffer_text(out, ": ");
    write_contents(out, report, of->state.metric);
    if (*report->rebuilt) {
        buffer_text(out, "made again: ");
        buffer_shown(out, report->rebuilt);
        buffer_byte(out, '\n');
    }
    if (report->pairs_built == 0 && report->pairs_dropped == 0) {
        buffer_text(out, "nothing was missing\n");
        return;
    }
    buffer_print(out, "built %d pair%s", report->pairs_built, report->pairs_built == 1 ? "" : "s");
    if (report->pairs_dropped > 0) buffer_print(out, ", dropped %d", report->pairs_dropped);
    buffer_print(out, " in %.3g s\nmarey search ", report->seconds);
    buffer_shown(out, of->library);
    buffer_text(out, " CLIP#A-B finds what is like frames A to B of a clip\n");
}

static void show_state(const app_index_result *of, buffer *out)
{
    const marey_index_state *state = &of->state;
    buffer_shown(out, of->library);
    buffer_text(out, ": ");
    if (!state->exists) {
        buffer_text(out, "no index yet; run marey index ");
        buffer_shown(out, of->library);
        buffer_byte(out, '\n');
        return;
    }
    write_contents(out, &state->size, state->metric);
    if (state->pairs_missing > 0) {
        buffer_print(out, "%d pair%s missing; marey index ", state->pairs_missing,
                     state->pairs_missing == 1 ? " is" : "s are");
        buffer_shown(out, of->library);
        buffer_text(out, " builds what is missing\n");
    }
}

void show_index(session *run, const void *params, const void *result, buffer *out)
{
    const app_index_params *wish = params;
    const app_index_result *of = result;
    if (wish->show) show_state(of, out);
    if (wish->show || run->quiet) return;
    if (!wish->drop) {
        show_built(of, out);
        return;
    }
    buffer_shown(out, of->library);
    buffer_text(out, of->state.exists ? ": the index was taken out\n" : ": there was no index\n");
}
