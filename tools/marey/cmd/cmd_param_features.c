/* cmd_param_features.c - `marey param features`: what can be asked of a motion. The tables are the library's own. */
#include "commands.h"
#include "json.h"

#include <string.h>

static void write_kinds(json *to)
{
    const marey_param_kind *kind;
    json_open(to, "features", '[');
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "name", kind->name);
        json_put_string(to, "form", kind->form);
        json_put_string(to, "about", kind->about);
        json_put_string(to, "unit", kind->unit);
        json_open(to, "axes", '[');
        for (int d = 0; d < kind->dims; d++) json_put_string(to, NULL, kind->axes[d]);
        json_close(to, ']');
        json_put_boolean(to, "whole", kind->whole);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_word(json *to, const char *name, const char *about)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", name);
    json_put_string(to, "about", about);
    json_close(to, '}');
}

static void write_words(json *to)
{
    const char *name, *about = NULL;
    json_open(to, "moments", '[');
    for (int i = MAREY_WHEN_NONE + 1; i < MAREY_WHEN_COUNT; i++) {
        name = marey_param_when_name((marey_param_when)i, &about);
        write_word(to, name, about);
    }
    json_close(to, ']');
    json_open(to, "places", '[');
    for (int i = 0; i < MAREY_FROM_COUNT; i++) {
        name = marey_param_from_name((marey_param_from)i, &about);
        write_word(to, name, about);
    }
    json_close(to, ']');
    json_open(to, "amounts", '[');
    for (int i = 0; i < MAREY_AMOUNT_COUNT; i++) {
        json_put_string(to, NULL, marey_param_amount_name((marey_param_amount)i));
    }
    json_close(to, ']');
}

/* ---- for people ------------------------------------------------------------------------------------ */

static void write_kind(buffer *out, const marey_param_kind *kind)
{
    buffer_print(out, "  %-30s %s", kind->form, kind->about);
    if (*kind->unit) buffer_print(out, ", in %s", kind->unit);
    buffer_byte(out, '\n');
}

static void write_text(buffer *out)
{
    const marey_param_kind *kind;
    const char *about = NULL;
    buffer_text(out, "features, for --feature:\n");
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) write_kind(out, kind);
    buffer_text(out, "JOINT, a joint's name or its role, such as RightHand or right_wrist\n"
                     "WHEN, a moment (default: apex):\n");
    for (int i = MAREY_WHEN_NONE + 1; i < MAREY_WHEN_COUNT; i++) {
        const char *name = marey_param_when_name((marey_param_when)i, &about);
        buffer_print(out, "  %-10s %s\n", name, about);
    }
    buffer_text(out, "FROM, where places are told from (default: start):\n");
    for (int i = 0; i < MAREY_FROM_COUNT; i++) {
        const char *name = marey_param_from_name((marey_param_from)i, &about);
        buffer_print(out, "  %-10s %s\n", name, about);
    }
    buffer_text(out, "AMOUNT, over the whole motion (default: mean):\n ");
    for (int i = 0; i < MAREY_AMOUNT_COUNT; i++) {
        buffer_print(out, " %s", marey_param_amount_name((marey_param_amount)i));
    }
    buffer_byte(out, '\n');
}

int command_param_features(session *run, const request *asked)
{
    json to = json_make(&run->out);
    if (asked->operand_count > 0)
        return session_usage(run, "too many arguments, from \"%s\" on", asked->operands[0]);
    if (run->json) {
        json_open(&to, NULL, '{');
        write_kinds(&to);
        write_words(&to);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else {
        write_text(&run->out);
    }
    return session_finish(run, PROGRAM_DONE);
}
