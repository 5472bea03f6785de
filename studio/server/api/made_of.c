/* made_of.c - provenance of what the studio makes. */
#include "made_of.h"

#include "provenance_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

made_of made_of_begin(studio_worker *worker, const char *verb)
{
    heap *memory = &worker->of->memory;
    return (made_of){ .verb = verb,
                      .taught = { .memory = memory },
                      .terms = { .memory = memory },
                      .sources = { .memory = memory },
                      .settings = { .memory = memory } };
}

void made_of_free(made_of *of)
{
    bytes_free(&of->taught);
    bytes_free(&of->terms);
    bytes_free(&of->sources);
    bytes_free(&of->settings);
}

void made_of_share(made_of *of, int64_t clip, int start, int end, double weight)
{
    made_of_source one = { { clip, start, end }, weight };
    bytes_add(&of->sources, &one, sizeof one);
}

void made_of_taught(made_of *of, const char *clip, const char *licence)
{
    provenance_string(&of->taught, of->taught.count > 0 ? ",{\"clip\":" : "{\"clip\":", clip);
    provenance_string(&of->taught, ",\"licence\":", licence);
    provenance_text(&of->taught, "}");
    bytes_add(&of->terms, licence, strlen(licence) + 1);
}

/* ---- settings ----------------------------------------------------------------------------------- */

static void add_name(made_of *of, const char *name)
{
    if (of->settings.count > 0) provenance_text(&of->settings, ",");
    provenance_string(&of->settings, "", name);
}

void made_of_text(made_of *of, const char *name, const char *value)
{
    add_name(of, name);
    provenance_string(&of->settings, ":", value);
}

void made_of_true(made_of *of, const char *name)
{
    add_name(of, name);
    provenance_text(&of->settings, ":true");
}

/* 60 rather than the shorter 6e+01: exponents only where people would write them. */
void number_text(double value, char text[NUMBER_ROOM])
{
    bool is_plain = fabs(value) >= 1e-4 && fabs(value) < 1e15;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value && !(is_plain && strchr(text, 'e'))) return;
    }
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* In place of the bracket that closes the source. */
static void add_weight(studio_bytes *out, double weight)
{
    char text[NUMBER_ROOM];
    if (out->failed) return;
    out->count--;
    number_text(weight, text);
    provenance_text(out, ",\"weight\":");
    provenance_text(out, text);
    provenance_text(out, "}");
}

static marey_status write_sources(studio_worker *worker, const made_of *of,
                                  const marey_listing *listing, studio_bytes *out,
                                  studio_bytes *licence, marey_error *error)
{
    const made_of_source *sources = (const made_of_source *)(const void *)of->sources.data;
    size_t count = of->sources.count / sizeof *sources;
    for (size_t i = 0; i < count; i++) {
        const marey_part *part = &sources[i].part;
        const marey_entry *entry = provenance_entry(listing, part->clip);
        if (!entry) { /* while it was read */
            *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "the clip was removed" };
            return MAREY_ERR_INPUT;
        }
        if (i > 0) provenance_text(out, ",");
        provenance_source(out, marey_library_path(worker->library), entry, part->start, part->end);
        if (sources[i].weight != 0) add_weight(out, sources[i].weight);
        if (licence) provenance_licence(licence, entry->licence);
    }
    return MAREY_OK;
}

static void write_taught(const made_of *of, studio_bytes *out)
{
    if (of->taught.count == 0) return;
    provenance_text(out, ",\"trained_on\":[");
    bytes_add(out, of->taught.data, of->taught.count);
    provenance_text(out, "]");
}

/* Behind those of the sources. */
static void add_terms(const made_of *of, studio_bytes *licence)
{
    const char *all = (const char *)of->terms.data;
    for (size_t at = 0; at < of->terms.count; at += strlen(all + at) + 1)
        provenance_licence(licence, all + at);
}

marey_status made_of_write(studio_worker *worker, const made_of *of, studio_bytes *out,
                           studio_bytes *licence, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(worker->library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    provenance_string(out, "{\"made_by\":", of->verb);
    provenance_string(out, ",\"version\":", marey_version());
    if (of->family) provenance_string(out, ",\"family\":", of->family);
    if (of->graph) provenance_string(out, ",\"graph\":", of->graph);
    if (of->puppet) provenance_string(out, ",\"puppet\":", of->puppet);
    write_taught(of, out);
    provenance_text(out, ",\"sources\":[");
    status = write_sources(worker, of, listing, out, licence, error);
    provenance_text(out, "],\"settings\":{");
    bytes_add(out, of->settings.data, of->settings.count);
    provenance_text(out, "}}");
    bytes_add(out, "", 1);
    marey_listing_free(listing);
    if (status != MAREY_OK) return status;
    if (licence) add_terms(of, licence);
    bool failed = out->failed || of->settings.failed || of->sources.failed || of->taught.failed ||
                  of->terms.failed;
    if (!failed && !(licence && licence->failed)) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}
