/* cmd_clean.c - `marey clean`: feet that are planted stay where they are planted. */
#include "commands.h"
#include "making.h"

typedef struct cleaning {
    making base;
    marey_clean_def def;
    marey_clip *clip; /* what was made */
    marey_clean_result got;
    marey_quality before, after;
} cleaning;

static int read_options(cleaning *of, session *run, const request *asked)
{
    of->def.keep_root = request_has(asked, OPTION_KEEP_ROOT);
    if (!asked->values[OPTION_OUTPUT]) return session_usage(run, "-o OUT is needed");
    int status = options_number(run, asked, OPTION_EASE, 0.001, 10, &of->def.ease_s);
    return status == PROGRAM_DONE ? read_stretch(run, asked, &of->def) : status;
}

static void write_json(const cleaning *of, json *to)
{
    const plants *feet = &of->base.all.items[0].feet;
    json_put_integer(to, "plants", of->got.plants);
    json_put_integer(to, "plants_left", of->got.plants_left);
    json_put_string(to, "from", plants_from(feet));
    json_put_number(to, "slide_before_cm", of->before.slide_max_cm);
    json_put_number(to, "slide_after_cm", of->after.slide_max_cm);
    json_put_number(to, "slide_mean_before_cm", of->before.slide_cm);
    json_put_number(to, "slide_mean_after_cm", of->after.slide_cm);
    json_put_number(to, "root_moved_cm", of->got.root_moved_cm);
    json_put_number(to, "stretched", of->got.stretched);
}

static void write_text(const cleaning *of, buffer *out)
{
    const plants *feet = &of->base.all.items[0].feet;
    int held = of->got.plants, left = of->got.plants_left;
    if (held + left == 0) {
        buffer_text(out, "no foot is ever planted, so there is nothing to hold\n");
        return;
    }
    buffer_print(out, "%d plant%s %s, %d held\n", held + left, held + left == 1 ? "" : "s",
                 feet->stored ? "kept in the library" : "found", held);
    if (left > 0) {
        buffer_print(out, "  left      %d: the skeleton does not say which joints are its leg\n",
                     left);
    }
    buffer_print(out,
                 "  slide     %.2f cm at worst, before %.2f; %.2f cm on average, before %.2f\n"
                 "  root      moved by up to %.2f cm\n",
                 of->after.slide_max_cm, of->before.slide_max_cm, of->after.slide_cm,
                 of->before.slide_cm, of->got.root_moved_cm);
    if (of->got.stretched > 0) {
        buffer_print(out, "  stretch   a leg got longer by up to %.2f %%\n",
                     100 * of->got.stretched);
    }
}

static void answer(const cleaning *of)
{
    session *run = of->base.run;
    if (run->json) {
        json to = json_make(&run->out);
        json_open(&to, NULL, '{');
        write_json(of, &to);
    } else if (!run->quiet) {
        write_text(of, &run->out);
    }
}

static marey_status clean(cleaning *of, marey_error *error)
{
    materials *all = &of->base.all;
    const char *const text = all->asked->operands[0];
    marey_status status = materials_load(all, &text, 1, error);
    if (status != MAREY_OK) return status;
    const marey_contacts *feet = &all->contacts[0];
    /* A list that is not NULL: an empty one must not be taken for one that is to be found. */
    static const marey_contact none = { 0 };
    const marey_contact *items = feet->count > 0 ? feet->items : &none;
    status =
        marey_clip_clean(all->clips[0], items, feet->count, &of->def, &of->clip, &of->got, error);
    if (status == MAREY_OK) {
        status = measure_quality(all->clips[0], items, feet->count, &of->before, error);
    }
    if (status == MAREY_OK) {
        status = measure_quality(of->clip, items, feet->count, &of->after, error);
    }
    return status == MAREY_OK ? making_note(&of->base, all->asked, error) : status;
}

int command_clean(session *run, const request *asked)
{
    cleaning of = { .clip = NULL };
    marey_error error;
    int status = read_options(&of, run, asked);
    if (status == PROGRAM_DONE) status = making_open(&of.base, run, asked);
    if (status != PROGRAM_DONE) return status;
    if (clean(&of, &error) == MAREY_OK) {
        answer(&of);
        status = making_finish(&of.base, of.clip, &of.base.all.contacts[0]);
    } else {
        status = making_fail(&of.base, &error);
    }
    marey_clip_free(of.clip);
    making_close(&of.base);
    return status;
}
