/* provenance.c - provenance as JSON, and what licences say. */
#include "provenance.h"

#include "commands.h"

#include <stdio.h>
#include <string.h>

/* ---- licences -------------------------------------------------------------------------------- */

void licence_say(session *run, const char *name, const char *licence)
{
    if (run->quiet || !marey_licence_is_non_commercial(licence)) return;
    session_say(run, "%s: for non-commercial use only: its licence is %s", name, licence);
}

/* ---- sources --------------------------------------------------------------------------------- */

void provenance_make(provenance *all, session *run)
{
    const marey_ctx_def *memory = &run->host->def;
    *all = (provenance){ .run = run,
                         .sources = buffer_make(memory),
                         .taught = buffer_make(memory),
                         .licences = buffer_make(memory) };
    all->sources_to = json_make(&all->sources);
    all->taught_to = json_make(&all->taught);
    buffer_byte(&all->licences, 0);
}

void provenance_free(provenance *all)
{
    buffer_free(&all->licences);
    buffer_free(&all->taught);
    buffer_free(&all->sources);
}

/* Is it there already, between separators? */
static bool has_licence(const char *joined, const char *licence)
{
    size_t length = strlen(licence);
    for (const char *at = joined; (at = strstr(at, licence)); at++) {
        bool begins = at == joined || (at - joined >= 2 && memcmp(at - 2, "; ", 2) == 0);
        if (begins && (at[length] == 0 || at[length] == ';')) return true;
    }
    return false;
}

static void add_licence(buffer *joined, const char *licence)
{
    if (!*licence || joined->failed || has_licence(joined->bytes, licence)) return;
    joined->used--; /* the zero */
    if (joined->used > 0) buffer_text(joined, "; ");
    buffer_bytes(joined, licence, strlen(licence) + 1);
}

void provenance_note(provenance *all, const input_source *source)
{
    json *to = &all->sources_to;
    json_open(to, NULL, '{');
    if (source->library) json_put_string(to, "library", source->library);
    json_put_string(to, source->library ? "clip" : "file", source->name);
    json_put_integer(to, "start", source->start);
    json_put_integer(to, "end", source->end);
    json_put_string(to, "licence", source->licence);
    if (source->weight != 0) json_put_number(to, "weight", source->weight);
    json_close(to, '}');
    add_licence(&all->licences, source->licence);
}

void provenance_taught(provenance *all, const char *name, const char *licence)
{
    json *to = &all->taught_to;
    json_open(to, NULL, '{');
    json_put_string(to, "clip", name);
    json_put_string(to, "licence", licence);
    json_close(to, '}');
    add_licence(&all->licences, licence);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Where things are read and written says nothing about how the clip is made. */
static bool is_setting(option_key key)
{
    return key != OPTION_OUTPUT && key != OPTION_LIBRARY && key != OPTION_PROVENANCE &&
           key != OPTION_LONG && key != OPTION_SHEET && key != OPTION_GRAPH && key != OPTION_BODY &&
           key != OPTION_PICTURE;
}

void provenance_write(const provenance *all, const request *asked, buffer *out)
{
    json to = json_make(out);
    json_open(&to, NULL, '{');
    json_put_string(&to, "made_by", all->run->command->verb);
    json_put_string(&to, "version", marey_version());
    if (all->family) json_put_string(&to, "family", all->family);
    if (all->graph) json_put_string(&to, "graph", all->graph);
    if (all->puppet) json_put_string(&to, "puppet", all->puppet);
    if (all->main) json_put_string(&to, "main", all->main);
    if (all->taught.used > 0) json_put_array_of(&to, "trained_on", &all->taught);
    json_put_array_of(&to, "sources", &all->sources);
    json_open(&to, "settings", '{');
    for (const option_row *row = all->run->command->options; row->name; row++) {
        if (!request_has(asked, row->key) || !is_setting(row->key)) continue;
        if (row->value) {
            json_put_string(&to, row->name, asked->values[row->key]);
        } else {
            json_put_boolean(&to, row->name, true);
        }
    }
    json_close(&to, '}');
    json_close(&to, '}');
    buffer_byte(out, 0);
    if (all->licences.failed || all->taught.failed) out->failed = true;
}

marey_status provenance_save(session *run, const char *path, const char *text, size_t count,
                             marey_error *error)
{
    char beside[4096 + 32];
    int length = snprintf(beside, sizeof beside, "%s.provenance.json", path);
    if (length < 0 || (size_t)length >= sizeof beside) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this name is too long" };
        snprintf(error->path, sizeof error->path, "%s", path);
        return MAREY_ERR_INPUT;
    }
    return marey_file_save(run->ctx, beside, text, count, error);
}
