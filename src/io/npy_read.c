/* npy_read.c - arrays of NumPy files (format versions 1 to 3; numpy.lib.format): a magic, the length
   of a header, the header as a Python dictionary, and the items; and points from such an array. */
#include "base/fail.h"
#include "io/points_file.h"
#include "motion/clip_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, MOST_HEADER = 4096 };

/* ---- header ---------------------------------------------------------------------------------- */

static const char *skip(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t') p++;
    return p;
}

/* Where the value of this key begins, or NULL. Keys stand in quotes of either kind. */
static const char *value_of(const char *header, const char *key)
{
    size_t length = strlen(key);
    for (const char *p = header; (p = strstr(p, key)); p += length) {
        if (p > header && (p[-1] == '\'' || p[-1] == '"') && p[length] == p[-1]) {
            p = skip(p + length + 1);
            return *p == ':' ? skip(p + 1) : NULL;
        }
    }
    return NULL;
}

static const char *parse_type(const char *p, mry_array *out)
{
    static const char other[] = "its items must be floats of 4 or 8 bytes, integers, or texts";
    if (*p != '\'' && *p != '"') return "it has several fields, and only plain arrays are read";
    p++;
    out->high_first = *p == '>';
    if (*p == '<' || *p == '>' || *p == '|' || *p == '=') p++;
    out->kind = *p;
    if (out->kind == 'O')
        return "it holds pickled Python objects, which are not read; save it with a plain dtype";
    if (!*p || !strchr("fiubUS", *p)) return other;
    int64_t size = 0;
    for (p++; *p >= '0' && *p <= '9'; p++) {
        size = 10 * size + (*p - '0');
        if (size > 1 << 20) return other;
    }
    if (*p != '\'' && *p != '"') return other;
    bool text = out->kind == 'U' || out->kind == 'S';
    bool known = out->kind == 'f'   ? size == 4 || size == 8
                 : out->kind == 'b' ? size == 1
                                    : size == 1 || size == 2 || size == 4 || size == 8;
    if (!text && !known) return other;
    out->size = (int)(out->kind == 'U' ? 4 * size : size);
    return NULL;
}

static const char *parse_shape(const char *p, mry_array *out)
{
    static const char wrong[] = "its header has no shape that can be read";
    const int64_t most = (int64_t)1 << 40;
    if (*p != '(') return wrong;
    out->items = 1;
    for (p = skip(p + 1); *p != ')'; p = skip(p)) {
        int64_t side = 0;
        if (*p < '0' || *p > '9') return wrong;
        for (; *p >= '0' && *p <= '9'; p++) {
            side = 10 * side + (*p - '0');
            if (side > most) return wrong;
        }
        if (*p == 'L') p++; /* of Python 2 */
        if (out->dims == MRY_ARRAY_DIMS) return "it has more than 4 dimensions";
        out->shape[out->dims++] = side;
        if (side > 0 && out->items > most / side) return wrong;
        out->items *= side;
        p = skip(p);
        if (*p == ',') p++;
    }
    return NULL;
}

const char *mry_npy_parse(const uint8_t *bytes, size_t count, bool header_only, mry_array *out)
{
    char text[MOST_HEADER + 1];
    if (!mry_npy_probe(bytes, count)) return "it is no NumPy array";
    int version = bytes[6];
    size_t start = version == 1 ? 10 : 12;
    if (version < 1 || version > 3) return "its format version must be 1 to 3";
    if (count < start) return "it ends in its header";
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (version > 1) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > MOST_HEADER) return "its header is too long";
    if (count - start < length) return "it ends in its header";
    memcpy(text, bytes + start, length);
    text[length] = 0;
    const char *type = value_of(text, "descr"), *order = value_of(text, "fortran_order"),
               *shape = value_of(text, "shape");
    if (!type || !order || !shape) return "its header must name descr, fortran_order and shape";
    mry_array array = { .fortran = strncmp(order, "True", 4) == 0 };
    const char *wrong = parse_type(type, &array);
    if (!wrong) wrong = parse_shape(shape, &array);
    if (wrong) return wrong;
    array.data = bytes + start + length;
    /* At most 2^40 items of 2^22 bytes: the product fits. */
    uint64_t there = count - start - length;
    if (!header_only && (uint64_t)array.items * (uint64_t)array.size > there)
        return "it is cut short: it has fewer items than its shape says";
    *out = array;
    return NULL;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Where item `i` in C order lies. */
static const uint8_t *item_at(const mry_array *array, int64_t i)
{
    if (array->fortran && array->dims > 1) {
        int64_t place = 0, left = i;
        for (int d = array->dims - 1; d >= 0; d--) {
            int64_t step = 1;
            for (int e = 0; e < d; e++) step *= array->shape[e];
            place += left % array->shape[d] * step;
            left /= array->shape[d];
        }
        i = place;
    }
    return array->data + i * array->size;
}

static uint64_t bits_at(const mry_array *array, const uint8_t *p, int size)
{
    uint64_t bits = 0;
    for (int b = 0; b < size; b++)
        bits |= (uint64_t)p[b] << 8 * (array->high_first ? size - 1 - b : b);
    return bits;
}

double mry_array_number(const mry_array *array, int64_t i)
{
    if (array->kind == 'U' || array->kind == 'S') return NAN;
    uint64_t bits = bits_at(array, item_at(array, i), array->size);
    if (array->kind == 'f' && array->size == 4) {
        uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    if (array->kind == 'f') {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (array->kind != 'i') return (double)bits;
    int unused = 64 - 8 * array->size;
    return (double)((int64_t)(bits << unused) >> unused);
}

char *mry_array_text(const mry_array *array, int64_t i, mry_arena *mem)
{
    const uint8_t *p = item_at(array, i);
    if (array->kind == 'S')
        return mry_arena_text(mem, (const char *)p, strnlen((const char *)p, (size_t)array->size));
    int characters = array->size / 4;
    char *text = MRY_NEW_RAW(mem, char, 4 * characters + 1), *to = text;
    if (!text) return NULL;
    for (int c = 0; c < characters; c++) {
        uint64_t code = bits_at(array, p + 4 * c, 4);
        if (code == 0) break; /* what follows fills the item up */
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = '?';
        int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const uint8_t first[] = { 0, 0xc0, 0xe0, 0xf0 };
        *to++ = (char)(first[more] | code >> 6 * more);
        while (more-- > 0) *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    }
    *to = 0;
    return text;
}

/* ---- points ---------------------------------------------------------------------------------- */

bool mry_npy_probe(const uint8_t *bytes, size_t count)
{
    return count >= MAGIC + 4 && memcmp(bytes, magic, MAGIC) == 0;
}

bool mry_points_fit(const mry_array *array)
{
    bool number = array->kind == 'f' || array->kind == 'i' || array->kind == 'u';
    return number && array->items > 0 &&
           ((array->dims == 3 && array->shape[2] == 3) ||
            (array->dims == 2 && array->shape[1] % 3 == 0));
}

marey_status mry_points_from_array(const mry_points_file *file, const mry_array *array,
                                   marey_points *out)
{
    if (!mry_points_fit(array)) {
        char shape[128] = "()";
        size_t used = 0;
        for (int d = 0; d < array->dims; d++)
            used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%" PRId64,
                                     d ? " x " : "", array->shape[d]);
        return mry_fail(file->scan->error, MAREY_ERR_INPUT, file->scan->path,
                        "points must be numbers, frames x joints x 3 or frames x 3 joints, got %s",
                        shape);
    }
    int64_t frames = array->shape[0], count = array->items / 3 / frames;
    marey_status status = mry_points_check_size(file, frames, count);
    if (status) return status;
    float *at = MRY_NEW_RAW(file->mem, float, array->items);
    const char **names = MRY_NEW_RAW(file->mem, const char *, count);
    if (!at || !names) return mry_fail_memory(file->scan->error, file->scan->path);
    for (int64_t i = 0; i < array->items; i += 3) {
        bool seen = true;
        for (int64_t c = i; c < i + 3; c++) {
            double value = mry_array_number(array, c);
            at[c] = (float)value;
            seen = seen && fabs(value) < MRY_MOST_NUMBER;
        }
        if (!seen) at[i] = at[i + 1] = at[i + 2] = NAN;
    }
    for (int64_t i = 0; i < count; i++) names[i] = "";
    out->frames = (int)frames;
    out->count = (int)count;
    out->at = at;
    out->names = names;
    return MAREY_OK;
}

marey_status mry_npy_read(const mry_points_file *file, marey_points *out)
{
    mry_array array;
    const char *wrong = mry_npy_parse(file->bytes, file->count, false, &array);
    if (wrong) return mry_fail(file->scan->error, MAREY_ERR_INPUT, file->scan->path, "%s", wrong);
    return mry_points_from_array(file, &array, out);
}
