/* puppet_paths.c - writing and drawing paths. */
#include "puppet_paths.h"

#include "grid_picture_of.h"
#include "input.h"
#include "param_family.h"

#include <math.h>

/* ---- outputs ------------------------------------------------------------------------------------------- */

int paths_outputs(session *run, const request *asked, option_key table, const char *shown)
{
    const char *csv = asked->values[table], *picture = asked->values[OPTION_PICTURE];
    if (csv && !path_ends_in(csv, ".csv")) {
        return session_usage(run, "%s takes a name that ends in .csv, not \"%.300s\"", shown, csv);
    }
    if (picture && !is_picture(picture)) {
        return session_usage(run,
                             "--picture takes a name that ends in .png, .svg or .pdf, not "
                             "\"%.300s\"",
                             picture);
    }
    return PROGRAM_DONE;
}

marey_status paths_save(session *run, const char *path, const marey_puppet_sample *samples,
                        int count, marey_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_paths_write(run->ctx, samples, count, true, &bytes, &size, error);
    if (status == MAREY_OK) status = marey_file_save(run->ctx, path, bytes, size, error);
    marey_graph_bytes_free(run->ctx, bytes, size);
    return status;
}

/* ---- at a rate ------------------------------------------------------------------------------------------- */

/* On the straight line, and the shorter way round. */
static marey_entity between(const marey_entity *a, const marey_entity *b, double share)
{
    double turn = remainder(b->direction_rad - a->direction_rad, 2 * acos(-1));
    return (marey_entity){ a->x_cm + share * (b->x_cm - a->x_cm),
                           a->y_cm + share * (b->y_cm - a->y_cm), a->direction_rad + share * turn };
}

static const marey_entity *one_of(const marey_puppet_sample *sample, bool of_main)
{
    return of_main ? &sample->main : &sample->react;
}

marey_status places_make(session *run, const marey_puppet_sample *samples, int count, double rate,
                         bool of_main, places *out, marey_error *error)
{
    double seconds = samples[count - 1].time_s - samples[0].time_s;
    int most = (int)fmin(floor(seconds * rate + 1e-6) + 1, 1e8);
    places made = { .count = most < 2 ? 2 : most, .rate = rate };
    made.bytes = (size_t)made.count * sizeof *made.items;
    made.items = session_resize(run, NULL, 0, made.bytes);
    if (!made.items) return fail_for_memory(error);
    for (int i = 0, at = 0; i < made.count; i++) {
        double time = samples[0].time_s + i / rate;
        while (at < count - 2 && samples[at + 1].time_s <= time) at++;
        const marey_puppet_sample *a = &samples[at], *b = &samples[at + 1];
        double share = fmin((time - a->time_s) / (b->time_s - a->time_s), 1);
        made.items[i] = between(one_of(a, of_main), one_of(b, of_main), share);
    }
    *out = made;
    return MAREY_OK;
}

void places_free(session *run, places *of)
{
    session_resize(run, of->items, of->bytes, 0);
    *of = (places){ 0 };
}

/* ---- as a picture ---------------------------------------------------------------------------------------- */

/* Nobody sees more on a picture. */
static double drawn_rate(const marey_puppet_sample *samples, int count)
{
    static const double most_places = 20000, usual = 60;
    double seconds = samples[count - 1].time_s - samples[0].time_s;
    return fmin(usual, most_places / seconds);
}

marey_status paths_draw(session *run, const marey_puppet_sample *samples, int count,
                        const char *title, const char *name, const places *body, const char *path,
                        marey_error *error)
{
    const marey_paths_picture_def def = { .title = title };
    double rate = drawn_rate(samples, count);
    places main = { 0 }, react = { 0 };
    marey_status status = places_make(run, samples, count, rate, true, &main, error);
    if (status == MAREY_OK) status = places_make(run, samples, count, rate, false, &react, error);
    if (status == MAREY_OK) {
        marey_paths_walker walkers[3] = { { main.items, main.count, rate, "main character" },
                                          { react.items, react.count, rate, name } };
        if (body)
            walkers[2] = (marey_paths_walker){ body->items, body->count, body->rate, "its body" };
        status = marey_paths_picture_save(run->ctx, walkers, body ? 3 : 2, &def, path, error);
    }
    places_free(run, &main);
    places_free(run, &react);
    return status;
}
