/* found_out.c - matches of a search on their way out. */
#include "found_out.h"

#include "folder.h"
#include "provenance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static bool is_outside(const found_out *from, int i)
{
    return i == 0 && from->outside;
}

/* Its frames as a clip. */
static marey_status open_match(const found_out *from, int i, marey_clip **out, marey_error *error)
{
    const marey_match *match = &from->matches[i];
    marey_clip *whole = NULL;
    char number[24];
    if (is_outside(from, i))
        return marey_clip_trim(from->outside, match->start, match->end, out, error);
    snprintf(number, sizeof number, "#%lld", (long long)match->clip);
    marey_status status = marey_library_load(from->library, number, &whole, error);
    if (status == MAREY_OK) {
        status = marey_clip_trim(whole, match->start, match->end, out, error);
    }
    marey_clip_free(whole);
    return status;
}

/* ---- a sheet --------------------------------------------------------------------------------------- */

/* "#120-210, 7.1 cm" */
static void write_title(const found_out *from, int i, buffer *out)
{
    const marey_match *match = &from->matches[i];
    buffer_print(out, "#%d-%d, ", match->start, match->end);
    if (i == 0) {
        buffer_text(out, "the query");
    } else if (from->squared) {
        buffer_print(out, "%.3g cm", sqrt(match->distance));
    } else {
        buffer_print(out, "%.4g", match->distance);
    }
    buffer_byte(out, 0);
}

static marey_status draw(const found_out *from, marey_clip **clips, const char **titles,
                         const char *path, marey_error *error)
{
    buffer text = buffer_make(&from->run->host->def);
    size_t at = 0;
    marey_status status = MAREY_OK;
    for (int i = 0; i < from->count; i++) {
        clips[i] = NULL;
        write_title(from, i, &text);
    }
    if (text.failed) status = fail_memory(error);
    for (int i = 0; i < from->count && status == MAREY_OK; i++) {
        session_progress(from->run, "reading", i, from->count);
        titles[i] = text.bytes + at;
        at += strlen(titles[i]) + 1;
        status = open_match(from, i, &clips[i], error);
    }
    if (status == MAREY_OK) {
        status =
            marey_sheet_save((const marey_clip *const *)clips, titles, from->count, path, error);
    }
    for (int i = 0; i < from->count; i++) marey_clip_free(clips[i]);
    buffer_free(&text);
    return status;
}

marey_status found_sheet(const found_out *from, const char *path, marey_error *error)
{
    size_t bytes = (size_t)from->count * sizeof(void *);
    marey_clip **clips = session_resize(from->run, NULL, 0, bytes);
    const char **titles = session_resize(from->run, NULL, 0, bytes);
    marey_status status =
        clips && titles ? draw(from, clips, titles, path, error) : fail_memory(error);
    if (titles) session_resize(from->run, titles, bytes, 0);
    if (clips) session_resize(from->run, clips, bytes, 0);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------------- */

/* Where it was found; formats with a place for it carry it inside. */
static void write_origin(const found_out *from, int i, const marey_entry *entry, buffer *out)
{
    const marey_match *match = &from->matches[i];
    json to = json_make(out);
    json_open(&to, NULL, '{');
    json_put_string(&to, "library", marey_library_path(from->library));
    json_put_string(&to, "clip", match->name);
    json_put_integer(&to, "start", match->start);
    json_put_integer(&to, "end", match->end);
    json_put_string(&to, "licence", entry ? entry->licence : "");
    json_close(&to, '}');
    buffer_byte(out, 0);
}

static marey_status save_match(const found_out *from, int i, const char *path, marey_error *error)
{
    const marey_entry *entry = listing_find(from->listing, from->matches[i].name);
    buffer origin = buffer_make(&from->run->host->def);
    marey_clip *clip = NULL;
    write_origin(from, i, entry, &origin);
    marey_status status = origin.failed ? fail_memory(error) : open_match(from, i, &clip, error);
    if (status == MAREY_OK && entry) licence_say(from->run, path, entry->licence);
    if (status == MAREY_OK) status = marey_clip_save_with(clip, path, origin.bytes, error);
    marey_clip_free(clip);
    buffer_free(&origin);
    return status;
}

marey_status found_files(const found_out *from, const char *folder, const char *ending, json *files,
                         int *written, marey_error *error)
{
    marey_status status = folder_make(folder, error);
    from->run->own_progress = true; /* each clip would else draw its own */
    for (int i = from->outside ? 1 : 0; i < from->count && status == MAREY_OK; i++) {
        const marey_match *match = &from->matches[i];
        char path[4096], range[64];
        session_progress(from->run, "writing", i, from->count);
        snprintf(range, sizeof range, "-%d-%d%s", match->start, match->end, ending);
        status = folder_path(folder, match->name, range, path, sizeof path, error);
        if (status != MAREY_OK) break;
        json_put_string(files, NULL, path);
        status = files->out->failed ? fail_memory(error) : save_match(from, i, path, error);
        if (status == MAREY_OK) ++*written;
    }
    return status;
}

/* ---- clips ----------------------------------------------------------------------------------------- */

static marey_status make_cuts(const found_out *from, const char *name, const request *asked,
                              marey_clip_cut *cuts, buffer *texts, marey_named *got, int *made,
                              marey_error *error)
{
    const char *labels[MOST_REPEATED];
    int first = from->outside ? 1 : 0, at = 0;
    marey_clip_cuts_def def = { .labels = labels };
    while (def.label_count < MOST_REPEATED &&
           (labels[def.label_count] = request_next(asked, OPTION_ADD, &at))) {
        def.label_count++;
    }
    for (int i = first; i < from->count; i++) {
        buffer_print(texts, "#%lld%c%s-%d%c", (long long)from->matches[i].clip, 0, name,
                     i - first + 1, 0);
    }
    if (texts->failed) return fail_memory(error);
    const char *text = texts->bytes;
    for (int i = first; i < from->count; i++) {
        marey_clip_cut *cut = &cuts[i - first];
        *cut = (marey_clip_cut){ text, from->matches[i].start, from->matches[i].end, NULL };
        cut->name = text + strlen(text) + 1;
        text = cut->name + strlen(cut->name) + 1;
    }
    *made = from->count - first;
    return marey_library_cut_clips(from->library, cuts, *made, &def, got, error);
}

marey_status found_cuts(const found_out *from, const char *name, const request *asked,
                        marey_named *got, int *made, marey_error *error)
{
    size_t bytes = (size_t)from->count * sizeof(marey_clip_cut);
    marey_clip_cut *cuts = session_resize(from->run, NULL, 0, bytes);
    buffer texts = buffer_make(&from->run->host->def);
    marey_status status =
        cuts ? make_cuts(from, name, asked, cuts, &texts, got, made, error) : fail_memory(error);
    buffer_free(&texts);
    if (cuts) session_resize(from->run, cuts, bytes, 0);
    return status;
}
