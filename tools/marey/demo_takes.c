/* demo_takes.c - what is known of a take, written down. */
#include "demo_takes.h"

#include <string.h>

static const char LICENCE[] = "made by marey demo; free for any use";

/* ---- in words ---------------------------------------------------------------------------------- */

static bool is_idle(const marey_demo_segment *segment)
{
    return strcmp(segment->label, "idle") == 0;
}

static bool is_all_idle(const marey_demo_segment *segments, int count)
{
    for (int i = 0; i < count; i++) {
        if (!is_idle(&segments[i])) return false;
    }
    return true;
}

/* The next one that is worth a word, from `i` on; `count` if there is none. */
static int next_action(const marey_demo_segment *segments, int count, int i)
{
    while (i < count && is_idle(&segments[i])) i++;
    return i;
}

static bool is_same(const marey_demo_segment *a, const marey_demo_segment *b)
{
    return strcmp(a->label, b->label) == 0 && strcmp(a->side, b->side) == 0;
}

/* Twice the same is said twice, more often is counted. */
static void write_repeated(buffer *out, const marey_demo_segment *one, int times, bool is_first)
{
    for (int i = 0; i < (times > 2 ? 1 : times); i++) {
        if (!is_first || i > 0) buffer_text(out, ", ");
        buffer_text(out, one->label);
        if (*one->side) buffer_print(out, " %s", one->side);
    }
    if (times > 2) buffer_print(out, " x %d", times);
}

void take_describe(const marey_demo_take *take, buffer *out)
{
    int count;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    if (is_all_idle(segments, count)) {
        buffer_text(out, "idle");
        return;
    }
    bool is_first = true;
    for (int i = next_action(segments, count, 0); i < count;) {
        const marey_demo_segment *one = &segments[i];
        int times = 0;
        for (; i < count && is_same(one, &segments[i]); times++) {
            i = next_action(segments, count, i + 1);
        }
        write_repeated(out, one, times, is_first);
        is_first = false;
    }
}

/* ---- the truth --------------------------------------------------------------------------------- */

static void write_segment(const marey_demo_segment *segment, json *to)
{
    json_open(to, NULL, '{');
    json_string(to, "label", segment->label);
    json_string(to, "side", segment->side);
    json_integer(to, "start", segment->start);
    json_integer(to, "end", segment->end);
    json_open(to, "params", '{');
    for (int i = 0; i < segment->param_count; i++) {
        json_number(to, segment->param_names[i], segment->param_values[i]);
    }
    json_close(to, '}');
    json_close(to, '}');
}

void take_write_truth(const marey_demo_take *take, const char *name, json *to)
{
    int segment_count, contact_count;
    const marey_demo_segment *segments = marey_demo_segments(take, &segment_count);
    const marey_contact *contacts = marey_demo_contacts(take, &contact_count);
    json_open(to, NULL, '{');
    json_string(to, "clip", name);
    json_number(to, "fps", marey_clip_fps(marey_demo_clip(take)));
    json_open(to, "segments", '[');
    for (int i = 0; i < segment_count; i++) write_segment(&segments[i], to);
    json_close(to, ']');
    json_open(to, "contacts", '[');
    for (int i = 0; i < contact_count; i++) {
        json_open(to, NULL, '{');
        json_string(to, "joint", marey_contact_name(contacts[i].joint));
        json_integer(to, "start", contacts[i].start);
        json_integer(to, "end", contacts[i].end);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
}

enum { MOST_LABELS = 32 };

/* ---- into a library ---------------------------------------------------------------------------- */

/* What made it, and behind that zero its description. */
static marey_status write_texts(const marey_demo_take *take, const char *name, int64_t seed,
                                buffer *out, size_t *description, marey_error *error)
{
    json to = json_make(out);
    json_open(&to, NULL, '{');
    json_string(&to, "made_by", "demo");
    json_string(&to, "version", marey_version());
    json_integer(&to, "seed", seed);
    json_string(&to, "take", name);
    json_string(&to, "licence", LICENCE);
    json_close(&to, '}');
    buffer_byte(out, 0);
    *description = out->used;
    take_describe(take, out);
    buffer_byte(out, 0);
    if (!out->failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* The distinct labels of a take; idling counts only where there is nothing else. */
static int find_labels(const marey_demo_take *take, const char **labels)
{
    int count, found = 0;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    bool all_idle = is_all_idle(segments, count);
    for (int i = 0; i < count && found < MOST_LABELS; i++) {
        int first = 0; /* with this label */
        while (strcmp(segments[first].label, segments[i].label) != 0) first++;
        if (first < i || (is_idle(&segments[i]) && !all_idle)) continue;
        labels[found++] = segments[i].label;
    }
    return found;
}

bool take_is_as_made(session *run, const marey_demo_take *take, const marey_entry *entry)
{
    const char *labels[MOST_LABELS];
    buffer text = buffer_make(&run->host->def);
    int count = find_labels(take, labels);
    take_describe(take, &text);
    buffer_byte(&text, 0);
    bool same = !text.failed && strcmp(text.bytes, entry->description) == 0 &&
                strcmp(entry->licence, LICENCE) == 0 && entry->label_count == count;
    for (int i = 0; i < count && same; i++) {
        int k = 0;
        while (k < entry->label_count && strcmp(entry->labels[k], labels[i]) != 0) k++;
        same = k < entry->label_count;
    }
    buffer_free(&text);
    return same;
}

static marey_status put_all(shelf *at, const marey_demo_take *take, const char *name,
                            const buffer *texts, size_t description, marey_error *error)
{
    const char *labels[MOST_LABELS];
    marey_put_def def = { .provenance = texts->bytes,
                          .description = texts->bytes + description,
                          .licence = LICENCE,
                          .labels = labels,
                          .label_count = find_labels(take, labels),
                          .contacts_set = true };
    def.contacts = marey_demo_contacts(take, &def.contact_count);
    return marey_library_put(at->library, marey_demo_clip(take), name, &def, NULL, 0, error);
}

marey_status take_put(shelf *at, const marey_demo_take *take, const char *name, int64_t seed,
                      marey_error *error)
{
    buffer texts = buffer_make(&at->run->host->def);
    size_t description = 0;
    marey_status status = write_texts(take, name, seed, &texts, &description, error);
    if (status == MAREY_OK) status = put_all(at, take, name, &texts, description, error);
    buffer_free(&texts);
    return status;
}
