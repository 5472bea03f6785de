/* cmd_param_examine.c - `marey param examine`: which examples of a family do not blend with their neighbours (webs,
   6.4.2). */
#include "commands.h"
#include "param_assemble.h"

typedef struct examination {
    kept_family of;
    marey_fault *faults;
    size_t bytes; /* of them */
    int count;
    double blamed[MOST_EXAMPLES];
} examination;

/* ---- as JSON --------------------------------------------------------------------------------------- */

static void write_fault(const marey_fault *fault, json *to)
{
    const char *about = NULL, *kind = marey_fault_name(fault->kind, &about);
    json_open(to, NULL, '{');
    json_put_integer(to, "example", fault->example);
    json_put_integer(to, "with", fault->with);
    json_put_string(to, "kind", kind);
    json_put_string(to, "about", about);
    json_put_number(to, "value", fault->value);
    json_put_number(to, "limit", fault->limit);
    json_close(to, '}');
}

static void write_json(const examination *all, json *to)
{
    const marey_parts *parts = all->of.parts;
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->of.name);
    json_open(to, "examples", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(to, NULL, '{');
        json_part(to, parts->names[i].name, &parts->parts[i]);
        json_put_number(to, "blamed", all->blamed[i]);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_open(to, "faults", '[');
    for (int i = 0; i < all->count; i++) write_fault(&all->faults[i], to);
    json_close(to, ']');
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

/* ---- for people ------------------------------------------------------------------------------------ */

static void write_value(const marey_fault *fault, buffer *out)
{
    switch (fault->kind) {
    case MAREY_FAULT_FOOT:
        buffer_print(out, "%.0f %% of the time (%.0f %% is too much)", 100 * fault->value,
                     100 * fault->limit);
        break;
    case MAREY_FAULT_SLIDE:
    case MAREY_FAULT_SINK:
        buffer_print(out, "%.1f cm (%.1f is too much)", fault->value, fault->limit);
        break;
    default:
        buffer_print(out, "%.1f times its examples' largest step (%.1f is too much)", fault->value,
                     fault->limit);
    }
}

static void write_summary(const examination *all, buffer *out)
{
    int blamed = 0, count = all->of.parts->count;
    for (int i = 0; i < count; i++) blamed += all->blamed[i] > 0.5;
    if (all->count == 0) {
        buffer_print(out, "all %d examples blend well with their neighbours\n", count);
        return;
    }
    buffer_print(out, "%d fault%s in blends of neighbours among %d examples; ", all->count,
                 all->count == 1 ? "" : "s", count);
    if (blamed)
        buffer_print(out, "%d example%s may not belong here\n", blamed, blamed == 1 ? "" : "s");
    if (!blamed) buffer_text(out, "no example has them in most of its blends\n");
}

static void write_text(const examination *all, buffer *out)
{
    const marey_parts *parts = all->of.parts;
    write_summary(all, out);
    for (int i = 0; i < all->count; i++) {
        const marey_fault *fault = &all->faults[i];
        const char *about = NULL;
        marey_fault_name(fault->kind, &about);
        buffer_part(out, parts->names[fault->example].name, &parts->parts[fault->example]);
        buffer_text(out, " with ");
        buffer_part(out, parts->names[fault->with].name, &parts->parts[fault->with]);
        buffer_print(out, ": %s: ", about);
        write_value(fault, out);
        buffer_byte(out, '\n');
    }
    for (int i = 0; i < parts->count; i++) {
        if (all->blamed[i] <= 0.5) continue;
        buffer_text(out, "most blends of ");
        buffer_part(out, parts->names[i].name, &parts->parts[i]);
        buffer_print(out, " are faulty (%.0f %%): it may not belong here\n", 100 * all->blamed[i]);
    }
}

/* ---- doing it -------------------------------------------------------------------------------------- */

/* How many faults there can be: some of each kind for each example with its few neighbours. */
static marey_status take_room(examination *all, int *room, marey_error *error)
{
    *room = family_examples(all->of.family) * (marey_family_dims(all->of.family) + 2) *
            MAREY_FAULT_COUNT;
    all->bytes = (size_t)*room * sizeof *all->faults;
    all->faults = session_resize(all->of.at.run, NULL, 0, all->bytes);
    return all->faults ? MAREY_OK : fail_for_memory(error);
}

int command_param_examine(session *run, const request *asked)
{
    examination all = { .count = 0 };
    marey_error error;
    int room = 0;
    if (kept_family_open(run, asked, MAREY_LIBRARY_READ, &all.of, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = take_room(&all, &room, &error);
    if (status == MAREY_OK) {
        status = marey_family_examine(run->ctx, all.of.family, all.of.parts->contacts, all.faults,
                                      room, &all.count, all.blamed, &error);
    }
    if (all.count > room) all.count = room;
    json to = json_make(&run->out);
    if (status == MAREY_OK && run->json) write_json(&all, &to);
    if (status == MAREY_OK && !run->json) write_text(&all, &run->out);
    if (all.faults) session_resize(run, all.faults, all.bytes, 0);
    return kept_family_end(&all.of, status, &error);
}
