/* gltf_file.c - the container of a glTF 2.0 file: chunks or text, buffers inside, beside or written
   out as base64, accessors into them. */
#include "io/gltf_file.h"

#include "base/fail.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH = 64 };                          /* of the JSON: the parser calls itself */
static const int64_t MOST = (int64_t)1 << 48; /* of any number that counts bytes */

marey_status mry_gltf_fail(const mry_gltf_file *file, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return mry_fail(file->scan->error, MAREY_ERR_INPUT, file->scan->path, "%s", text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

const json_t *mry_gltf_list(const json_t *object, const char *key, int *count)
{
    const json_t *list = json_object_get(object, key);
    *count =
        json_is_array(list) && json_array_size(list) < INT32_MAX ? (int)json_array_size(list) : 0;
    return *count ? list : NULL;
}

int64_t mry_gltf_index(const json_t *object, const char *key, int64_t most)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return -1;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > most)
        return -2;
    return json_integer_value(value);
}

bool mry_gltf_values(const json_t *object, const char *key, double *values, int count)
{
    int there;
    const json_t *list = mry_gltf_list(object, key, &there);
    if (there != count) return false;
    for (int i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        if (!json_is_number(one)) return false;
        values[i] = json_number_value(one);
        if (!(fabs(values[i]) < 1e18)) return false;
    }
    return true;
}

static bool is_deep(const char *text, size_t count)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < count; i++) {
        char c = text[i];
        if (quoted && c == '\\') i++;
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (depth > DEPTH) return true;
    }
    return false;
}

static marey_status parse(mry_gltf_file *file, const char *text, size_t count)
{
    json_error_t why;
    if (is_deep(text, count)) return mry_gltf_fail(file, "its JSON has more than %d levels", DEPTH);
    file->root = json_loadb(text, count, 0, &why);
    if (!file->root && json_error_code(&why) == json_error_out_of_memory)
        return mry_fail_memory(file->scan->error, file->scan->path);
    if (!file->root)
        return mry_gltf_fail(file, "its JSON is damaged in line %d: %.200s", why.line, why.text);
    const json_t *asset = json_object_get(file->root, "asset");
    const char *version = json_string_value(json_object_get(asset, "version"));
    if (!version) return mry_gltf_fail(file, "no glTF: its JSON has no asset with a version");
    if (strncmp(version, "2.", 2) != 0)
        return mry_gltf_fail(file, "glTF %.20s is not read; marey reads 2.0", version);
    int needed;
    const json_t *list = mry_gltf_list(file->root, "extensionsRequired", &needed);
    for (int i = 0; i < needed; i++) {
        /* These change meshes only, or nothing that a skeleton is made of. */
        static const char *const harmless[] = { "KHR_materials", "KHR_texture",
                                                "KHR_lights",    "KHR_mesh_quantization",
                                                "KHR_draco",     "EXT_texture" };
        const char *name = json_string_value(json_array_get(list, (size_t)i));
        bool fine = false;
        for (size_t k = 0; name && k < sizeof harmless / sizeof *harmless; k++)
            fine |= strncmp(name, harmless[k], strlen(harmless[k])) == 0;
        if (!fine)
            return mry_gltf_fail(file, "it needs %.100s, which marey does not read",
                                 name ? name : "an extension without a name");
    }
    return MAREY_OK;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static marey_status open_chunks(mry_gltf_file *file, const uint8_t *bytes, size_t count)
{
    enum { HEADER = 12, CHUNK = 8, JSON = 0x4e4f534a, BIN = 0x004e4942 };
    const char *text = NULL;
    size_t length = 0, at = HEADER;
    if (count < HEADER + CHUNK || word_at(bytes + 4) != 2)
        return mry_gltf_fail(file, count < HEADER + CHUNK
                                       ? "the file ends before its first chunk"
                                       : "this version of .glb is not read; marey reads 2");
    size_t whole = word_at(bytes + 8);
    if (whole > count)
        return mry_gltf_fail(file, "the file is cut short: it says %zu bytes and has %zu", whole,
                             count);
    while (whole - at >= CHUNK) {
        size_t size = word_at(bytes + at);
        uint32_t kind = word_at(bytes + at + 4);
        at += CHUNK;
        if (size > whole - at)
            return mry_gltf_fail(file, "a chunk of %zu bytes at byte %zu leads past the end", size,
                                 at - CHUNK);
        if (kind == JSON && !text) {
            text = (const char *)bytes + at;
            length = size;
        } else if (kind == BIN && !file->own.bytes) {
            file->own = (mry_gltf_buffer){ bytes + at, size };
        }
        at += size;
    }
    if (!text) return mry_gltf_fail(file, "it has no JSON chunk");
    return parse(file, text, length);
}

marey_status mry_gltf_open(mry_gltf_file *file, mry_scan *scan, mry_arena *tmp)
{
    const uint8_t *bytes;
    *file = (mry_gltf_file){ .scan = scan, .tmp = tmp };
    marey_status status = mry_scan_whole(scan, tmp, &bytes, &file->size);
    if (status) return status;
    bool is_binary = file->size >= 4 && memcmp(bytes, "glTF", 4) == 0;
    status = is_binary ? open_chunks(file, bytes, file->size)
                       : parse(file, (const char *)bytes, file->size);
    if (status) return status;
    mry_gltf_list(file->root, "buffers", &file->buffer_count);
    file->buffers = MRY_NEW(tmp, mry_gltf_buffer, file->buffer_count + 1);
    return file->buffers ? MAREY_OK : mry_fail_memory(scan->error, scan->path);
}

void mry_gltf_close(mry_gltf_file *file)
{
    json_decref(file->root);
    file->root = NULL;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static marey_status decode(mry_gltf_file *file, const char *text, mry_gltf_buffer *out)
{
    size_t length = strlen(text), count = 0;
    uint8_t *bytes = MRY_NEW_RAW(file->tmp, uint8_t, length / 4 * 3 + 3);
    uint32_t bits = 0;
    int held = 0;
    if (!bytes) return mry_fail_memory(file->scan->error, file->scan->path);
    for (; *text && *text != '='; text++) {
        int value = base64_value(*text);
        if (value < 0) return mry_gltf_fail(file, "a buffer is no base64");
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) bytes[count++] = (uint8_t)(bits >> (held -= 8));
    }
    *out = (mry_gltf_buffer){ bytes, count };
    return MAREY_OK;
}

/* The path of a file that lies beside the glTF file, or in a folder below it, into `path`; false: it
   leads elsewhere. `folder`: how long the path of its own folder is. */
static bool path_beside(const mry_gltf_file *file, size_t folder, const char *uri, char *path)
{
    char *to = path + folder;
    memcpy(path, file->scan->path, folder);
    for (const char *p = uri; *p; p++) { /* %20 */
        unsigned code = (unsigned char)*p;
        bool escaped = *p == '%' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2]);
        if (escaped) sscanf(p + 1, "%2x", &code);
        *to++ = (char)code;
        if (escaped) p += 2;
        if (to[-1] == 0 || to[-1] == '\\' || to[-1] == ':') return false;
    }
    *to = 0;
    for (const char *part = path + folder;;) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 2 && part[0] == '.' && part[1] == '.')) return false;
        if (!part[length]) return true;
        part += length + 1;
    }
}

static marey_status read_beside(mry_gltf_file *file, const char *uri, mry_gltf_buffer *out)
{
    mry_scan scan;
    const char *slash = strrchr(file->scan->path, '/');
    size_t folder = slash ? (size_t)(slash - file->scan->path) + 1 : 0;
    char *path = MRY_NEW_RAW(file->tmp, char, folder + strlen(uri) + 1);
    if (!path) return mry_fail_memory(file->scan->error, file->scan->path);
    if (!path_beside(file, folder, uri, path))
        return mry_gltf_fail(file, "a buffer is in \"%.100s\", which is not beside it", uri);
    if (file->scan->handle < 0)
        return mry_gltf_fail(file,
                             "its numbers are in another file, \"%.100s\", which is not at hand; "
                             "a .glb has them inside",
                             uri);
    marey_status status = mry_scan_open(&scan, file->tmp, path, file->scan->error);
    if (status == MAREY_ERR_INPUT)
        return mry_gltf_fail(file, "its numbers are in \"%.100s\", which must be a file beside it",
                             uri);
    if (status) return status;
    status = mry_scan_whole(&scan, file->tmp, &out->bytes, &out->count);
    mry_scan_close(&scan);
    file->size += out->count;
    return status;
}

static marey_status find_buffer(mry_gltf_file *file, int64_t index, const mry_gltf_buffer **out)
{
    if (index < 0 || index >= file->buffer_count)
        return mry_gltf_fail(file, "buffer %lld is not there", (long long)index);
    mry_gltf_buffer *buffer = &file->buffers[index];
    *out = buffer;
    if (buffer->bytes) return MAREY_OK;
    const json_t *one = json_array_get(json_object_get(file->root, "buffers"), (size_t)index);
    const char *uri = json_string_value(json_object_get(one, "uri"));
    marey_status status = MAREY_OK;
    if (!uri && index == 0 && file->own.bytes) {
        *buffer = file->own;
    } else if (!uri) {
        return mry_gltf_fail(file, "buffer %lld has no bytes", (long long)index);
    } else if (strncasecmp(uri, "data:", 5) == 0) {
        const char *comma = strchr(uri, ',');
        if (!comma || comma - uri < 7 || strncasecmp(comma - 7, ";base64", 7) != 0)
            return mry_gltf_fail(file, "a buffer is written out, but not as base64");
        status = decode(file, comma + 1, buffer);
    } else {
        status = read_beside(file, uri, buffer);
    }
    return status;
}

/* ---- accessors ------------------------------------------------------------------------------- */

enum { INT8 = 5120, UINT8, INT16, UINT16, UINT32 = 5125, FLOAT32 };

static int bytes_of(int64_t type)
{
    return type == INT8 || type == UINT8       ? 1
           : type == INT16 || type == UINT16   ? 2
           : type == UINT32 || type == FLOAT32 ? 4
                                               : 0;
}

static float number_at(const uint8_t *p, int64_t type, bool normalised)
{
    float value, most = 1;
    if (type == INT8 || type == UINT8) {
        value = type == INT8 ? (float)(int8_t)p[0] : (float)p[0];
        most = type == INT8 ? 127 : 255;
    } else if (type == INT16 || type == UINT16) {
        uint16_t half = (uint16_t)(p[0] | p[1] << 8);
        value = type == INT16 ? (float)(int16_t)half : (float)half;
        most = type == INT16 ? 32767 : 65535;
    } else {
        uint32_t word = word_at(p);
        memcpy(&value, &word, sizeof value);
        return type == UINT32 ? (float)word : value;
    }
    return normalised ? fmaxf(value / most, -1) : value;
}

/* `count` elements of `size` bytes at an offset in a buffer view: where they begin and how far apart
   they lie. */
static marey_status find_view(mry_gltf_file *file, int64_t view, int64_t offset, int64_t count,
                              int64_t size, const uint8_t **at, int64_t *stride)
{
    const mry_gltf_buffer *buffer = NULL;
    int views;
    const json_t *list = mry_gltf_list(file->root, "bufferViews", &views);
    if (view < 0 || view >= views)
        return mry_gltf_fail(file, "buffer view %lld is not there", (long long)view);
    const json_t *one = json_array_get(list, (size_t)view);
    int64_t start = mry_gltf_index(one, "byteOffset", MOST);
    int64_t length = mry_gltf_index(one, "byteLength", MOST);
    *stride = mry_gltf_index(one, "byteStride", 252);
    if (*stride <= 0) *stride = size;
    if (start < -1 || length < 0 || offset < 0 || *stride < size)
        return mry_gltf_fail(file, "buffer view %lld is not as it should be", (long long)view);
    if (start < 0) start = 0;
    marey_status status = find_buffer(file, mry_gltf_index(one, "buffer", INT32_MAX), &buffer);
    if (status) return status;
    bool inside = start <= (int64_t)buffer->count && length <= (int64_t)buffer->count - start &&
                  offset <= length && (count == 0 || size <= length - offset) &&
                  (count < 2 || (count - 1) <= (length - offset - size) / *stride);
    if (!inside)
        return mry_gltf_fail(file, "buffer view %lld leads past the end of its buffer",
                             (long long)view);
    *at = buffer->bytes + start + offset;
    return MAREY_OK;
}

/* Puts elements at the numbers that the indices say. */
static marey_status put_sparse(mry_gltf_file *file, const json_t *sparse, int64_t type,
                               int components, bool normalised, float *values, int64_t count)
{
    const json_t *indices = json_object_get(sparse, "indices");
    const json_t *others = json_object_get(sparse, "values");
    int64_t some = mry_gltf_index(sparse, "count", count);
    int64_t kind = mry_gltf_index(indices, "componentType", FLOAT32), stride[2];
    int64_t offsets[2] = { mry_gltf_index(indices, "byteOffset", MOST),
                           mry_gltf_index(others, "byteOffset", MOST) };
    const uint8_t *at[2];
    if (some < 0 || (kind != UINT8 && kind != UINT16 && kind != UINT32))
        return mry_gltf_fail(file, "sparse numbers are not as they should be");
    for (int i = 0; i < 2; i++) {
        int64_t view = mry_gltf_index(i ? others : indices, "bufferView", INT32_MAX);
        int64_t size = i ? bytes_of(type) * components : bytes_of(kind);
        if (offsets[i] == -1) offsets[i] = 0;
        marey_status status = find_view(file, view, offsets[i], some, size, &at[i], &stride[i]);
        if (status) return status;
    }
    for (int64_t n = 0; n < some; n++) {
        const uint8_t *p = at[0] + n * stride[0], *q = at[1] + n * stride[1];
        uint32_t index = kind == UINT8    ? p[0]
                         : kind == UINT16 ? (uint32_t)(p[0] | p[1] << 8)
                                          : word_at(p);
        if (index >= count) return mry_gltf_fail(file, "a sparse number belongs nowhere");
        for (int c = 0; c < components; c++)
            values[(int64_t)index * components + c] =
                number_at(q + c * bytes_of(type), type, normalised);
    }
    return MAREY_OK;
}

marey_status mry_gltf_numbers(mry_gltf_file *file, int64_t accessor, int components, float **out,
                              int *count)
{
    static const char *const shapes[] = { [1] = "SCALAR", [3] = "VEC3", [4] = "VEC4" };
    int accessors;
    const json_t *list = mry_gltf_list(file->root, "accessors", &accessors);
    if (accessor < 0 || accessor >= accessors)
        return mry_gltf_fail(file, "accessor %lld is not there", (long long)accessor);
    const json_t *one = json_array_get(list, (size_t)accessor);
    const char *shape = json_string_value(json_object_get(one, "type"));
    const json_t *sparse = json_object_get(one, "sparse");
    bool normalised = json_is_true(json_object_get(one, "normalized"));
    int64_t type = mry_gltf_index(one, "componentType", FLOAT32);
    int64_t all = mry_gltf_index(one, "count", INT32_MAX - 1), size = bytes_of(type);
    int64_t offset = mry_gltf_index(one, "byteOffset", MOST), stride;
    int64_t view = mry_gltf_index(one, "bufferView", INT32_MAX);
    if (!shape || strcmp(shape, shapes[components]) != 0 || size == 0 || all < 1 || offset < -1)
        return mry_gltf_fail(file, "accessor %lld is not as it should be: %s are needed",
                             (long long)accessor, shapes[components]);
    /* What is in no view is 0 but for sparse numbers: so much of it can be in no sound file. */
    const uint8_t *at = NULL;
    marey_status status = MAREY_OK;
    if (view != -1)
        status =
            find_view(file, view, offset < 0 ? 0 : offset, all, size * components, &at, &stride);
    else if (all > 1000000 + (int64_t)file->size)
        status = mry_gltf_fail(file, "accessor %lld has %lld elements and no bytes",
                               (long long)accessor, (long long)all);
    if (status) return status;
    /* Channels may share an accessor and accessors their bytes, but not without end. */
    file->taken += (double)all * components * sizeof(float);
    if (file->taken > 64e6 + 64.0 * (double)file->size)
        return mry_gltf_fail(file, "its animations have far more numbers than it has bytes");
    float *values = MRY_NEW(file->tmp, float, all *components);
    if (!values) return mry_fail_memory(file->scan->error, file->scan->path);
    for (int64_t n = 0; at && n < all; n++) {
        for (int c = 0; c < components; c++)
            values[n * components + c] = number_at(at + n * stride + c * size, type, normalised);
    }
    if (sparse) status = put_sparse(file, sparse, type, components, normalised, values, all);
    for (int64_t i = 0; i < all * components && !status; i++) {
        if (!(fabsf(values[i]) < 1e15f))
            status =
                mry_gltf_fail(file, "accessor %lld has numbers that are not finite, or too large",
                              (long long)accessor);
    }
    *out = values;
    *count = (int)all;
    return status;
}
