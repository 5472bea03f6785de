/* made_words.c - what a generated clip is called in lists: how it was made and of what, and the
   labels of that. Nothing is made up: without a library's words only the names are there.

       loop of walk_slow: walk, walk
       blend of walk_slow, walk_fast: walk, walk
       walk through graph standard: walk; kick left, kick right */
#include "made.h"

#include <string.h>

/* So many names are said, and so many bytes of descriptions: it is one line of a list. */
enum { NAMES_SAID = 3, DESCRIPTION_BYTES = 160 };

/* A file's name without folder and ending, as its clip would be called. */
static void add_name(buffer *out, const app_source *source)
{
    const char *name = source->name, *slash = strrchr(name, '/');
    if (source->library) {
        buffer_text(out, name);
        return;
    }
    name = slash ? slash + 1 : name;
    const char *dot = strrchr(name, '.');
    buffer_bytes(out, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* Whether an earlier source is of the same clip, or is described alike. */
static bool said_before(const app_provenance *from, int at, bool described)
{
    for (int i = 0; i < at; i++) {
        const char *a = described ? from->sources[i].description : from->sources[i].name;
        const char *b = described ? from->sources[at].description : from->sources[at].name;
        if (a && b && strcmp(a, b) == 0) return true;
    }
    return false;
}

static void add_names(buffer *out, const app_provenance *from)
{
    int count = 0;
    for (int i = 0; i < from->source_count; i++) {
        if (said_before(from, i, false)) continue;
        count++;
        if (count > NAMES_SAID) continue;
        buffer_text(out, count > 1 ? ", " : "");
        add_name(out, &from->sources[i]);
    }
    if (count > NAMES_SAID) buffer_print(out, " and %d more", count - NAMES_SAID);
}

/* Each once; what is longer than a line ends with dots, and not inside a character. */
static void add_descriptions(buffer *out, const app_provenance *from)
{
    size_t room = DESCRIPTION_BYTES;
    bool first = true;
    for (int i = 0; i < from->source_count; i++) {
        const char *text = from->sources[i].description;
        if (!text || !*text || said_before(from, i, true)) continue;
        buffer_text(out, first ? ": " : "; ");
        first = false;
        size_t length = strlen(text), taken = length < room ? length : room;
        while (taken < length && taken > 0 && ((unsigned char)text[taken] & 0xC0) == 0x80) taken--;
        buffer_bytes(out, text, taken);
        room -= taken;
        if (taken < length || room == 0) {
            buffer_text(out, "…");
            return;
        }
    }
}

static marey_status add_label(const app_env *env, app_made *made, const char *label,
                              marey_error *error)
{
    for (int i = 0; i < made->label_count; i++)
        if (strcmp(made->labels[i], label) == 0) return MAREY_OK;
    const char **labels =
        app_grow(env->scope, made->labels, made->label_count, sizeof *made->labels);
    if (!labels) return app_fail_memory(error);
    labels[made->label_count++] = label;
    made->labels = labels;
    return MAREY_OK;
}

/* Those of its sources' clips; and of their frames that were taken, unless it has these on frames
   of its own. */
static marey_status inherit_labels(const app_env *env, app_made *made, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < made->from.source_count && status == MAREY_OK; i++) {
        const app_source *one = &made->from.sources[i];
        for (int at = 0; at < one->label_count && status == MAREY_OK; at++)
            status = add_label(env, made, one->labels[at], error);
        if (made->stretch_count > 0) continue;
        for (int at = 0; at < one->stretch_count && status == MAREY_OK; at++) {
            const marey_stretch *stretch = &one->stretches[at];
            if (stretch->start < one->end && stretch->end > one->start)
                status = add_label(env, made, stretch->label, error);
        }
    }
    return status;
}

marey_status app_made_describe(const app_env *env, const app_operation *operation, app_made *made,
                               marey_error *error)
{
    const app_provenance *from = &made->from;
    const char *through = from->puppet ? from->puppet : from->family ? from->family : from->graph;
    buffer text = buffer_make(env->scope->memory);
    buffer_print(&text, "%s ", operation->made_as ? operation->made_as : operation->name);
    if (through)
        buffer_text(&text, through);
    else
        add_names(&text, from);
    add_descriptions(&text, from);
    buffer_byte(&text, 0);
    made->description = text.failed ? NULL : app_copy(env->scope, text.bytes);
    buffer_free(&text);
    if (!made->description) return app_fail_memory(error);
    return inherit_labels(env, made, error);
}
