/* match_sheets.c - what was found in a library as film strips: the matches of a search, an example
   of each motif, what comes nearest to an example. */
#include "find_example.h"

#include <math.h>
#include <stdio.h>

enum { TITLE_ROOM = 64 };

marey_status app_match_open(marey_library *library, const marey_match *match, marey_clip **out,
                            marey_error *error)
{
    marey_clip *whole = NULL;
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)match->clip);
    marey_status status = marey_library_load(library, number, &whole, error);
    if (status == MAREY_OK) status = marey_clip_trim(whole, match->start, match->end, out, error);
    marey_clip_free(whole);
    if (status != MAREY_OK || !match->mirrored) return status;
    marey_clip *part = *out;
    status = marey_clip_mirror(part, out, error);
    marey_clip_free(part);
    return status;
}

marey_status app_search_open(marey_library *library, const app_search_result *result, int match,
                             marey_clip **out, marey_error *error)
{
    const marey_match *one = &result->matches[match];
    if (one->clip && one->library > 0) library = result->libraries.all[one->library].library;
    if (one->clip) return app_match_open(library, one, out, error);
    return marey_clip_trim(result->query.clip, one->start, one->end, out, error);
}

/* Clips that are read one after the other, each with room for its title. */
typedef struct sheet {
    const marey_clip **clips;
    const char **titles;
    char (*texts)[TITLE_ROOM];
} sheet;

static marey_status open_sheet(const app_env *env, int count, sheet *out, marey_error *error)
{
    if (!env->library)
        return app_fail(
            error, MAREY_ERR_REQUEST, NULL,
            "the strips are drawn from the library that was searched, and it is closed");
    out->clips = APP_NEW(env->scope, const marey_clip *, count);
    out->titles = APP_NEW(env->scope, const char *, count);
    out->texts = app_alloc(env->scope, (size_t)count, TITLE_ROOM);
    for (int i = 0; i < count && out->titles && out->texts; i++) out->titles[i] = out->texts[i];
    return app_check(!out->clips || !out->titles || !out->texts, error);
}

/* The query and its matches, each with its frames and how far it is: "#120-210, 7.1 cm". */
static marey_status draw_search(const app_env *env, const void *params, void *result,
                                const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_search_result *of = result;
    sheet page = { 0 };
    (void)params, (void)def;
    marey_status status = open_sheet(env, of->count, &page, error);
    for (int i = 0; i < of->count && status == MAREY_OK; i++) {
        const marey_match *match = &of->matches[i];
        char *title = page.texts[i];
        int used = snprintf(title, TITLE_ROOM, "#%d-%d, ", match->start, match->end);
        if (i == 0)
            snprintf(title + used, TITLE_ROOM - (size_t)used, "the query");
        else
            snprintf(title + used, TITLE_ROOM - (size_t)used, of->squared ? "%.3g cm%s" : "%.4g%s",
                     of->squared ? sqrt(match->distance) : match->distance,
                     match->mirrored ? ", mirrored" : "");
        marey_clip *clip = NULL;
        app_progress(env, "reading", i, of->count, -1);
        status = app_search_open(env->library, of, i, &clip, error);
        page.clips[i] = clip;
        if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    }
    if (status != MAREY_OK) return status;
    return marey_sheet_save(page.clips, page.titles, of->count, path, error);
}

/* Their examples, each with its frames and how often it is there: "#120-210, 23 times". */
static marey_status draw_motifs(const app_env *env, const void *params, void *result,
                                const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_motifs_result *of = result;
    sheet page = { 0 };
    (void)params, (void)def;
    if (of->count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, path, "there are no motifs to draw");
    marey_status status = open_sheet(env, of->count, &page, error);
    for (int i = 0; i < of->count && status == MAREY_OK; i++) {
        const marey_match *match = &of->motifs[i].occurrences[0];
        marey_clip *clip = NULL;
        snprintf(page.texts[i], TITLE_ROOM, "#%d-%d, %d times", match->start, match->end,
                 of->motifs[i].count);
        app_progress(env, "reading", i, of->count, -1);
        status = app_match_open(env->library, match, &clip, error);
        page.clips[i] = clip;
        if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    }
    if (status != MAREY_OK) return status;
    return marey_sheet_save(page.clips, page.titles, of->count, path, error);
}

/* The frames of a way through one clip, from the first to the last: "#57-120, error 4.2". */
static marey_status open_way(const app_env *env, const app_example_found *found,
                             const marey_example_clip *way, char *title, marey_clip **out,
                             marey_error *error)
{
    int count;
    const marey_example_path *path = &way->path;
    const marey_named *clip = &found->set.clips[way->clip];
    double first = (double)INFINITY, last = 0;
    marey_example_fragments(found->found, &count);
    for (int i = 0; i < count; i++) {
        first = fmin(first, path->parts[i].at.start);
        last = fmax(last, path->parts[i].at.end);
    }
    const app_library *of = &found->libraries.all[found->set.libraries[way->clip]];
    marey_library *library = of == found->libraries.all ? env->library : of->library;
    const marey_entry *entry = app_listing_find(of->listing, clip->name);
    marey_match match = { .clip = clip->id };
    match.start = found->set.starts[way->clip] + (int)floor(first);
    match.end = found->set.starts[way->clip] + (int)ceil(last) + 1;
    if (entry && match.end > entry->frames) match.end = entry->frames;
    snprintf(title, TITLE_ROOM, "#%d-%d, error %.3g", match.start, match.end, path->error / count);
    return app_match_open(library, &match, out, error);
}

/* The query, unless it is a curve, and what is nearest to it in each of the best clips: those that do it
   in one go, which come first, or else the best one. */
static marey_status draw_example(const app_env *env, const void *params, void *result,
                                 const app_drawing_def *def, const char *path, marey_error *error)
{
    enum { MOST = 24 };
    const app_example_result *of = result;
    const app_query *query = &of->found.query;
    int first = of->found.drawn ? 0 : 1, count;
    const marey_example_clip *clips = marey_example_clips(of->found.found, &count);
    sheet page = { 0 };
    (void)params, (void)def;
    if (of->clip_limit < count) count = of->clip_limit;
    if (count > MOST) count = MOST;
    while (count > 1 && clips[count - 1].path.jumps > 0) count--;
    if (first + count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "nothing was found that could be drawn");
    marey_status status = open_sheet(env, first + count, &page, error);
    for (int i = 0; i < first + count && status == MAREY_OK; i++) {
        marey_clip *clip = NULL;
        app_progress(env, "reading", i, first + count, -1);
        if (i >= first) {
            status = open_way(env, &of->found, &clips[i - first], page.texts[i], &clip, error);
        } else {
            marey_match asked = { .start = query->start, .end = query->end };
            if (query->entry) asked.clip = query->entry->id;
            snprintf(page.texts[i], TITLE_ROOM, "#%d-%d, the query", query->start, query->end);
            marey_library *library =
                query->library ? of->found.libraries.all[query->library].library : env->library;
            status = query->entry
                         ? app_match_open(library, &asked, &clip, error)
                         : marey_clip_trim(query->clip, query->start, query->end, &clip, error);
        }
        page.clips[i] = clip;
        if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    }
    if (status != MAREY_OK) return status;
    return marey_sheet_save(page.clips, page.titles, first + count, path, error);
}

const app_drawing app_search_pictures[] = {
    { "sheet", "a film strip of the query and of each match, with its frames and its distance",
      draw_search },
    { 0 },
};

const app_drawing app_motifs_pictures[] = {
    { "sheet", "a film strip of each motif's example, with its frames and how often it recurs",
      draw_motifs },
    { 0 },
};

const app_drawing app_example_pictures[] = {
    { "sheet",
      "a film strip of the query and of what is nearest to it in each clip that does it in one go",
      draw_example },
    { 0 },
};
