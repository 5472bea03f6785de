/* making.c - the frame around a command that makes a clip. */
#include "making.h"

#include "commands.h"
#include "metric_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SLOPE = 8 };

int read_stretch(session *run, const request *asked, marey_clean_def *def)
{
    double share = 0;
    int status = options_number(run, asked, OPTION_STRETCH, 0, 0.2, &share);
    if (request_has(asked, OPTION_STRETCH)) def->stretch = share > 0 ? share : -1;
    return status;
}

int making_open(making *of, session *run, const request *asked)
{
    int64_t half = 0, slope = 0, reference = 0;
    *of = (making){ .run = run, .asked = asked, .leave_feet = request_has(asked, OPTION_NO_CLEAN) };
    int status = metric_options(run, asked, &of->metric, &of->joints);
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_HALF, 1, MAREY_MOST_HALF, &half);
    }
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_SLOPE, 1, MOST_SLOPE, &slope);
    }
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_REFERENCE, 1, asked->operand_count, &reference);
    }
    if (status == PROGRAM_DONE) status = read_stretch(run, asked, &of->clean);
    if (status == PROGRAM_DONE) status = materials_open(&of->all, run, asked);
    if (status != PROGRAM_DONE) return status;
    of->reference = (int)reference;
    of->half = (int)half;
    of->slope = (int)slope;
    clip_out_make(&of->out, run, asked->values[OPTION_OUTPUT],
                  request_has(asked, OPTION_PROVENANCE));
    return PROGRAM_DONE;
}

void making_close(making *of)
{
    clip_out_free(&of->out);
    materials_close(&of->all);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

/* Digits up to `end`; *at moves behind them. */
static bool read_frame(const char **at, int64_t *frame)
{
    char *rest = NULL;
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    *frame = strtoll(*at, &rest, 10);
    *at = rest;
    return errno == 0 && *frame <= INT32_MAX;
}

int read_pair(session *run, const request *asked, option_key key, bool part, int64_t *frames,
              bool *given)
{
    const char *text = asked->values[key], *at = text;
    const option_row *row = run->command->options;
    given[0] = given[1] = false;
    if (!text) return PROGRAM_DONE;
    while (row->name && row->key != key) row++;
    given[0] = read_frame(&at, &frames[0]);
    bool split = *at == ',';
    if (split) at++;
    given[1] = split && read_frame(&at, &frames[1]);
    bool enough = part ? given[0] || given[1] : given[0] && given[1];
    if (split && enough && *at == 0) return PROGRAM_DONE;
    return session_usage(run, "--%s takes two frames, as in 12,30%s, not \"%s\"", row->name,
                         part ? ", or one of them, as in 12, or ,30" : "", text);
}

const char *making_unit(const making *of)
{
    return of->metric.metric->unit;
}

void buffer_cost(buffer *out, const marey_metric_def *metric, double cost)
{
    const char *unit = metric->metric->unit;
    buffer_print(out, "%.6g%s%s", cost, *unit ? " " : "", unit);
    if (strcmp(unit, "cm2") == 0) buffer_print(out, ", root %.4g cm", sqrt(cost));
}

/* ---- the end --------------------------------------------------------------------------------------- */

marey_status making_note(making *of, const request *settings, marey_error *error)
{
    if (of->out.made_of.sources.used == 0) materials_note(&of->all, &of->out);
    return clip_out_note(&of->out, settings, error);
}

int making_fail(making *of, const marey_error *error)
{
    of->run->out.used = 0;
    return session_fail(of->run, error);
}

int making_finish(making *of, const marey_clip *clip, const marey_contacts *contacts)
{
    of->out.clip = clip;
    if (contacts) {
        /* An empty set is one too, and says so by not being NULL. */
        static const marey_contact none = { 0 };
        of->out.contacts = contacts->count > 0 ? contacts->items : &none;
        of->out.contact_count = contacts->count;
    }
    input_close(&of->all.from); /* the library that was read may be the one that is written */
    return clip_out_save(&of->out, clip_out_describe, NULL);
}
