/* glb_reader.c - JSON without recursion, accessors, and node transforms. */
#include "glb_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef struct value {
    char kind;        /* '{' '[' '"', 0 for numbers and words */
    const char *key;  /* inside an object */
    const char *text; /* of a string */
    double number;
    int parent, first, last, next, count;
} value;

struct glb {
    char *bytes;
    size_t size;
    const unsigned char *bin;
    size_t bin_bytes;
    value *values;
    int count, room;
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static int add_value(glb *file, int parent, const char *key, char kind)
{
    if (file->count == file->room) {
        file->room = file->room ? 2 * file->room : 1024;
        file->values = realloc(file->values, (size_t)file->room * sizeof *file->values);
    }
    int i = file->count++;
    file->values[i] = (value){ kind, key, "", 0, parent, -1, -1, -1, 0 };
    if (parent >= 0) {
        value *p = &file->values[parent];
        if (p->last >= 0) file->values[p->last].next = i;
        if (p->first < 0) p->first = i;
        p->last = i;
        p->count++;
    }
    return i;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        fail_msg("a \\u escape that the writer has no need of: %x", code);
    }
    return to;
}

/* *p is behind the opening quote; undoes escapes in place. */
static const char *read_string(char **p)
{
    char *start = *p, *to = start;
    for (; **p != '"'; ++*p) {
        if ((unsigned char)**p < 0x20) fail_msg("a bare control character in a string");
        if (**p != '\\') {
            *to++ = **p;
        } else if (*++*p == 'u') {
            char digits[5] = { 0 };
            memcpy(digits, *p + 1, 4);
            to = put_utf8(to, (unsigned)strtoul(digits, NULL, 16));
            *p += 4;
        } else {
            assert_true(**p == '"' || **p == '\\');
            *to++ = **p;
        }
    }
    ++*p;
    *to = 0;
    return start;
}

static void read_word(value *v, char **p)
{
    static const char *const words[] = { "false", "true" };
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(*p, words[i], n) != 0) continue;
        v->number = i;
        *p += n;
        return;
    }
    char *end;
    bool is_number = isdigit((unsigned char)**p) || (**p == '-' && isdigit((unsigned char)(*p)[1]));
    if (!is_number) fail_msg("expected a value, found %.20s", *p);
    v->number = strtod(*p, &end);
    *p = end;
}

static void expect(char **p, char wanted)
{
    if (**p != wanted) fail_msg("expected %c, found %.20s", wanted, *p);
    ++*p;
}

/* Reads one value, or the beginning of one; returns the container to go on in. */
static int read_value(glb *file, int parent, char **p)
{
    const char *key = NULL;
    if (parent >= 0 && file->values[parent].count) expect(p, ',');
    if (parent >= 0 && file->values[parent].kind == '{') {
        expect(p, '"');
        key = read_string(p);
        assert_int_equal(glb_get(file, parent, key), -1);
        expect(p, ':');
    }
    char kind = **p == '{' || **p == '[' || **p == '"' ? **p : 0;
    int i = add_value(file, parent, key, kind);
    if (kind) ++*p;
    if (kind == '"') file->values[i].text = read_string(p);
    if (!kind) read_word(&file->values[i], p);
    return kind == '{' || kind == '[' ? i : parent;
}

int glb_get(const glb *file, int object, const char *key)
{
    int i = object < 0 ? -1 : file->values[object].first;
    while (i >= 0 && strcmp(file->values[i].key, key) != 0) i = file->values[i].next;
    return i;
}

int glb_at(const glb *file, int array, int index)
{
    int i = array < 0 ? -1 : file->values[array].first;
    while (i >= 0 && index-- > 0) i = file->values[i].next;
    return i;
}

int glb_count(const glb *file, int array)
{
    return array < 0 ? 0 : file->values[array].count;
}

const char *glb_text(const glb *file, int v)
{
    return v < 0 ? "" : file->values[v].text;
}

double glb_number(const glb *file, int v)
{
    return v < 0 ? 0 : file->values[v].number;
}

int glb_find(const glb *file, const char *list, int index)
{
    int found = glb_at(file, glb_get(file, 0, list), index);
    if (found < 0) fail_msg("there is no %s %d", list, index);
    return found;
}

/* ---- the container --------------------------------------------------------------------------- */

static uint32_t word(const glb *file, size_t at)
{
    const unsigned char *b = (const unsigned char *)file->bytes + at;
    assert_true(at + 4 <= file->size);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

glb *glb_load(const char *path)
{
    glb *file = calloc(1, sizeof *file);
    file->bytes = test_file_read(path, &file->size);
    assert_memory_equal(file->bytes, "glTF", 4);
    assert_int_equal(word(file, 4), 2);
    assert_int_equal(word(file, 8), file->size);
    size_t json_bytes = word(file, 12), bin = 20 + json_bytes;
    assert_memory_equal(file->bytes + 16, "JSON", 4);
    assert_int_equal(json_bytes % 4, 0);
    file->bin_bytes = word(file, bin);
    assert_memory_equal(file->bytes + bin + 4, "BIN\0", 4);
    assert_int_equal(file->bin_bytes % 4, 0);
    assert_int_equal(bin + 8 + file->bin_bytes, file->size);
    file->bin = (const unsigned char *)file->bytes + bin + 8;
    /* The writer puts no blanks between things, so none are skipped but those behind the end. */
    char *text = file->bytes + 20;
    char *end = file->bytes + bin;
    char *p = text;
    int at = read_value(file, -1, &p);
    while (at >= 0) {
        value *v = &file->values[at];
        if (*p == (v->kind == '{' ? '}' : ']')) {
            p++;
            at = v->parent;
        } else {
            at = read_value(file, at, &p);
        }
        assert_true(p <= end);
    }
    for (; p < end; p++) assert_int_equal(*p, ' ');
    double length = glb_number(file, glb_get(file, glb_find(file, "buffers", 0), "byteLength"));
    assert_true(length == (double)file->bin_bytes);
    return file;
}

void glb_free(glb *file)
{
    free(file->bytes);
    free(file->values);
    free(file);
}

static int whole(const glb *file, int object, const char *key)
{
    double number = glb_number(file, glb_get(file, object, key));
    assert_true(number == floor(number) && number >= 0 && number < 2e9);
    return (int)number;
}

static const void *numbers(const glb *file, int accessor, int type, size_t size, int *count,
                           int *width)
{
    static const struct {
        const char *name;
        int width;
    } shapes[] = { { "SCALAR", 1 }, { "VEC3", 3 }, { "VEC4", 4 }, { "MAT4", 16 } };
    int a = glb_find(file, "accessors", accessor);
    int view = glb_find(file, "bufferViews", whole(file, a, "bufferView"));
    assert_int_equal(whole(file, a, "componentType"), type);
    *width = 0;
    for (int i = 0; i < 4; i++) {
        if (strcmp(glb_text(file, glb_get(file, a, "type")), shapes[i].name) == 0)
            *width = shapes[i].width;
    }
    *count = whole(file, a, "count");
    assert_true(*width > 0 && *count > 0);
    size_t offset = (size_t)whole(file, a, "byteOffset"),
           start = (size_t)whole(file, view, "byteOffset");
    size_t bytes = (size_t)*count * (size_t)*width * size;
    assert_true(offset + bytes <= (size_t)whole(file, view, "byteLength"));
    assert_true(start + (size_t)whole(file, view, "byteLength") <= file->bin_bytes);
    assert_int_equal((offset + start) % 4, 0);
    return file->bin + start + offset;
}

const float *glb_floats(const glb *file, int accessor, int *count, int *width)
{
    return numbers(file, accessor, 5126, sizeof(float), count, width);
}

const uint16_t *glb_shorts(const glb *file, int accessor, int *count, int *width)
{
    return numbers(file, accessor, 5123, sizeof(uint16_t), count, width);
}

/* ---- poses ----------------------------------------------------------------------------------- */

static void multiply(const double *a, const double *b, double *out) /* x y z w; first b, then a */
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void rotate(const double *q, const double *v, double *out)
{
    double point[4] = { v[0], v[1], v[2], 0 }, back[4] = { -q[0], -q[1], -q[2], q[3] }, half[4];
    double whole_turn[4];
    multiply(q, point, half);
    multiply(half, back, whole_turn);
    memcpy(out, whole_turn, 3 * sizeof *out);
}

static void mix(const float *a, const float *b, int width, double t, double *out)
{
    double dot = 0, from = 1 - t, to = t;
    for (int i = 0; i < 4 && width == 4; i++) dot += (double)a[i] * (double)b[i];
    if (width == 4) {
        assert_true(dot >= 0);
        double angle = acos(dot > 1 ? 1 : dot);
        if (angle > 1e-6) {
            from = sin((1 - t) * angle) / sin(angle);
            to = sin(t * angle) / sin(angle);
        }
    }
    for (int i = 0; i < width; i++) out[i] = from * (double)a[i] + to * (double)b[i];
}

/* Local places and turns as the nodes have them, then as the animation says. */
static void local_pose(const glb *file, double time_s, double *places, double *turns)
{
    int nodes = glb_get(file, 0, "nodes"), n = 0;
    for (int v = glb_at(file, nodes, 0); v >= 0; v = file->values[v].next, n++) {
        int translation = glb_get(file, v, "translation");
        assert_int_equal(glb_get(file, v, "rotation"), -1);
        for (int i = 0; i < 3; i++)
            places[3 * n + i] = glb_number(file, glb_at(file, translation, i));
        memcpy(turns + 4 * n, (double[4]){ 0, 0, 0, 1 }, 4 * sizeof *turns);
    }
    int animation = glb_find(file, "animations", 0);
    int sampler = glb_at(file, glb_get(file, animation, "samplers"), 0);
    int channel = glb_at(file, glb_get(file, animation, "channels"), 0);
    for (int i = 0; channel >= 0; i++) {
        int target = glb_get(file, channel, "target"), node = whole(file, target, "node");
        bool is_turn = strcmp(glb_text(file, glb_get(file, target, "path")), "rotation") == 0;
        assert_int_equal(whole(file, channel, "sampler"), i);
        double *out = is_turn ? turns + 4 * node : places + 3 * node;
        int keys, one, count, width, k = 0;
        const float *times = glb_floats(file, whole(file, sampler, "input"), &keys, &one);
        const float *values = glb_floats(file, whole(file, sampler, "output"), &count, &width);
        assert_int_equal(one, 1);
        assert_int_equal(keys, count);
        int low = 0, high = keys - 1; /* the last key that is not later */
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if ((double)times[middle] <= time_s) low = middle;
            if ((double)times[middle] > time_s) high = middle - 1;
        }
        k = low;
        int next = k + 1 < keys ? k + 1 : k;
        double span = (double)times[next] - (double)times[k], t = 0;
        assert_true(next == k || span > 0);
        if (span > 0 && time_s > (double)times[k]) t = (time_s - (double)times[k]) / span;
        mix(values + (size_t)k * (size_t)width, values + (size_t)next * (size_t)width, width, t,
            out);
        channel = file->values[channel].next;
        sampler = file->values[sampler].next;
    }
}

void glb_pose(const glb *file, double time_s, double *places, double *turns)
{
    int nodes = glb_get(file, 0, "nodes"), count = glb_count(file, nodes), n = 0;
    double *own = turns ? NULL : malloc((size_t)count * 4 * sizeof *own);
    if (!turns) turns = own;
    local_pose(file, time_s, places, turns);
    for (int v = glb_at(file, nodes, 0); v >= 0; v = file->values[v].next, n++) {
        int children = glb_get(file, v, "children");
        for (int c = glb_at(file, children, 0); c >= 0; c = file->values[c].next) {
            int child = (int)file->values[c].number;
            assert_true(child > n); /* so one pass is enough */
            double moved[3], turned[4];
            rotate(turns + 4 * n, places + 3 * child, moved);
            multiply(turns + 4 * n, turns + 4 * child, turned);
            for (int i = 0; i < 3; i++) places[3 * child + i] = places[3 * n + i] + moved[i];
            memcpy(turns + 4 * child, turned, sizeof turned);
        }
    }
    free(own);
}
