/* fbx_look.c - walks an FBX file, binary or text, record by record. A binary record is its end, the
   number and length of its values, its name, the values, and further records up to the end; no two
   share a byte, so that one pass forward sees them all, however deep they lie. A text has a record a
   line: a name and a colon. */
#include "io/fbx_look.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char BINARY[] = "Kaydara FBX Binary  ";
enum { HEADER = 27, WIDE = 7500 }; /* bytes before the records; the version with 64-bit numbers */
enum { STEP = 0x2, CURVE = 0x8 };  /* of a key: holds its value; goes on in a curve */

typedef struct look {
    mry_arena *tmp;
    mry_fbx_facts *facts;
    size_t room;     /* for bones */
    size_t unpacked; /* bytes that may still be */
    bool in_extrapolation;
    bool no_memory;
} look;

static void add_bone(look *l, const char *text, size_t length)
{
    mry_fbx_facts *facts = l->facts;
    if ((size_t)facts->bone_count == l->room) {
        size_t room = l->room ? 2 * l->room : 128;
        mry_fbx_name *more = MRY_NEW_RAW(l->tmp, mry_fbx_name, room);
        l->no_memory |= !more;
        if (!more) return;
        if (l->room) memcpy(more, facts->bones, l->room * sizeof *more);
        facts->bones = more;
        l->room = room;
    }
    facts->bones[facts->bone_count++] = (mry_fbx_name){ text, length };
}

static void see_flags(mry_fbx_facts *facts, int64_t flags)
{
    facts->curves |= (flags & CURVE) != 0;
    facts->steps |= (flags & STEP) != 0;
}

static bool is(const char *name, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(name, text, length) == 0;
}

/* A record that counts, or whose values do. `type`: the value of a "Type". */
static void see_record(look *l, const char *name, size_t length, char type)
{
    if (is(name, length, "AnimationStack")) l->facts->stacks++;
    if (is(name, length, "AnimationLayer")) l->facts->layers++;
    if (is(name, length, "Pre-Extrapolation") || is(name, length, "Post-Extrapolation"))
        l->in_extrapolation = true;
    if (is(name, length, "Type") && l->in_extrapolation) {
        l->in_extrapolation = false;
        if (type != 'C') l->facts->goes_on = true; /* constant */
    }
}

static bool is_bone_kind(const char *kind, size_t length)
{
    return is(kind, length, "LimbNode") || is(kind, length, "Limb") || is(kind, length, "Root");
}

/* ---- binary ---------------------------------------------------------------------------------- */

static uint64_t number(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | p[i];
    return value;
}

/* An array of 32-bit numbers: how many, whether packed, how many bytes, the bytes. */
static void see_flags_array(look *l, const uint8_t *p, size_t left)
{
    if (left < 13 || *p != 'i') return;
    uint64_t count = number(p + 1, 4), packed = number(p + 5, 4), bytes = number(p + 9, 4);
    p += 13;
    if (bytes > left - 13) return;
    if (packed == 0) {
        for (uint64_t i = 0; i < count && 4 * i + 4 <= bytes; i++)
            see_flags(l->facts, (int64_t)number(p + 4 * i, 4));
        return;
    }
    uint8_t out[4096];
    z_stream z = { .next_in = (uint8_t *)(uintptr_t)p, .avail_in = (uInt)bytes };
    if (inflateInit(&z) != Z_OK) return;
    for (int state = Z_OK; state == Z_OK && !(l->facts->curves && l->facts->steps);) {
        if (l->unpacked == 0) { /* made to do harm: anything may come */
            l->facts->curves = l->facts->steps = true;
            break;
        }
        z.next_out = out;
        z.avail_out = sizeof out;
        state = inflate(&z, Z_NO_FLUSH);
        size_t got = sizeof out - z.avail_out;
        l->unpacked -= got < l->unpacked ? got : l->unpacked;
        for (size_t i = 0; i + 4 <= got; i += 4) see_flags(l->facts, (int64_t)number(out + i, 4));
        if (z.avail_out > 0 && z.avail_in == 0) break;
    }
    inflateEnd(&z);
}

/* The texts of a Model: its name, a zero and the word Model; its kind. Before them its number. */
static void see_model(look *l, const uint8_t *p, size_t left)
{
    const char *texts[2] = { 0 };
    size_t lengths[2] = { 0 };
    if (left >= 9 && *p == 'L') {
        p += 9;
        left -= 9;
    }
    for (int i = 0; i < 2; i++) {
        if (left < 5 || *p != 'S') return;
        uint64_t length = number(p + 1, 4);
        if (length > left - 5) return;
        texts[i] = (const char *)p + 5;
        lengths[i] = (size_t)length;
        p += 5 + length;
        left -= 5 + (size_t)length;
    }
    const char *end = memchr(texts[0], 0, lengths[0]);
    if (is_bone_kind(texts[1], lengths[1]))
        add_bone(l, texts[0], end ? (size_t)(end - texts[0]) : lengths[0]);
}

static void walk_binary(look *l, const uint8_t *bytes, size_t count)
{
    int width = l->facts->version >= WIDE ? 8 : 4;
    size_t head = 3 * (size_t)width + 1, at = HEADER;
    while (count - at >= head && !l->no_memory) {
        const uint8_t *p = bytes + at;
        uint64_t end = number(p, width), length = number(p + 2 * width, width);
        size_t name_length = p[3 * width], left = count - at - head;
        at += head;
        if (end == 0) continue; /* the records of one end here */
        if (end < at || end > count || name_length > left || length > left - name_length) return;
        const char *name = (const char *)bytes + at;
        const uint8_t *values = bytes + at + name_length;
        at += name_length + (size_t)length;
        see_record(l, name, name_length, length >= 2 && *values == 'C' ? (char)values[1] : 0);
        if (is(name, name_length, "KeyAttrFlags")) see_flags_array(l, values, (size_t)length);
        if (is(name, name_length, "Model")) see_model(l, values, (size_t)length);
        if (at > end) return;
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Model: 2038665471968, "Model::joint1", "LimbNode" { */
static void see_model_line(look *l, const char *p, const char *end)
{
    static const char prefix[] = "Model::";
    const char *texts[2];
    size_t lengths[2];
    for (int i = 0; i < 2; i++) {
        const char *open = memchr(p, '"', (size_t)(end - p));
        const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
        if (!close) return;
        texts[i] = open + 1;
        lengths[i] = (size_t)(close - open - 1);
        p = close + 1;
    }
    size_t skip = sizeof prefix - 1;
    if (lengths[0] < skip || memcmp(texts[0], prefix, skip) != 0) skip = 0;
    if (is_bone_kind(texts[1], lengths[1])) add_bone(l, texts[0] + skip, lengths[0] - skip);
}

static void walk_text(look *l, const char *p, const char *end)
{
    bool in_flags = false;
    for (const char *next; p < end && !l->no_memory; p = next) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        next = stop ? stop + 1 : end;
        if (!stop) stop = end;
        while (p < stop && (*p == ' ' || *p == '\t')) p++;
        if (in_flags) { /* "a: 24840,1032", perhaps over several lines, then "}" */
            for (int64_t value = 0; p <= stop && in_flags; p++) {
                bool digit = p < stop && isdigit((unsigned char)*p);
                if (!digit) see_flags(l->facts, value);
                value = digit ? (10 * value + (*p - '0')) & INT32_MAX : 0;
                if (p < stop && *p == '}') in_flags = false;
            }
            continue;
        }
        const char *colon = p < stop ? memchr(p, ':', (size_t)(stop - p)) : NULL;
        if (!colon || *p == ';') continue;
        const char *value = colon + 1;
        while (value < stop && (*value == ' ' || *value == '\t')) value++;
        size_t length = (size_t)(colon - p);
        see_record(l, p, length, value < stop ? *value : 0);
        in_flags = is(p, length, "KeyAttrFlags");
        if (is(p, length, "Model")) see_model_line(l, value, stop);
        if (is(p, length, "FBXVersion") && l->facts->version == 0)
            for (; value < stop && isdigit((unsigned char)*value) && l->facts->version < 100000;
                 value++)
                l->facts->version = 10 * l->facts->version + (*value - '0');
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const mry_fbx_name *x = a, *y = b;
    size_t least = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->text, y->text, least);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

bool mry_fbx_look(mry_arena *tmp, const uint8_t *bytes, size_t count, mry_fbx_facts *out)
{
    /* Flags are a small part of a file, and shrink by some factor. */
    look l = { .tmp = tmp, .facts = out, .unpacked = (1 << 20) + 16 * count };
    *out = (mry_fbx_facts){ .is_binary =
                                count >= HEADER && memcmp(bytes, BINARY, sizeof BINARY - 1) == 0 };
    if (out->is_binary) {
        out->version = (int)(number(bytes + 23, 4) & INT32_MAX);
        walk_binary(&l, bytes, count);
    } else {
        walk_text(&l, (const char *)bytes, (const char *)bytes + count);
    }
    if (out->bone_count > 0)
        qsort(out->bones, (size_t)out->bone_count, sizeof *out->bones, compare);
    return !l.no_memory;
}

bool mry_fbx_is_bone(const mry_fbx_facts *facts, const char *name)
{
    mry_fbx_name key = { name, strlen(name) };
    if (facts->bone_count == 0) return false;
    for (int again = 0; again < 2; again++) {
        if (bsearch(&key, facts->bones, (size_t)facts->bone_count, sizeof key, compare))
            return true;
        while (key.length > 1 && isdigit((unsigned char)name[key.length - 1])) key.length--;
    }
    return false;
}
