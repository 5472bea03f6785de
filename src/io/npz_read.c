/* npz_read.c - a zip archive of arrays (PKWARE APPNOTE 6.3, with zip64 and data descriptors; stored or
   deflated), and points with their names from one. The list at the end of the archive is what counts;
   of an entry's own header only its length is used. */
#include "base/fail.h"
#include "io/points_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST /* next_in points to what is not changed */
#include <zlib.h>

enum {
    END = 22, /* bytes of the records, without what varies */
    END_64 = 56,
    LOCATOR = 20,
    LISTED = 46,
    LOCAL = 30,
    LONGEST_NOTE = 65535,
    MOST_ENTRIES = 4096,
    LOOKED_AT = 4200, /* bytes of an array in which its header must be */
    STORED = 0,
    DEFLATED = 8
};

/* An array becomes at most so large, and beyond the second size at most so many times what it was:
   motion does not shrink by such a factor, what is made to do harm does. */
static const uint64_t most_unpacked = (uint64_t)1 << 30, free_unpacked = (uint64_t)64 << 20;
static const uint64_t most_growth = 200;

static uint64_t number_at(const uint8_t *p, int size)
{
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--) value = value << 8 | p[i];
    return value;
}

static bool is_record(const uint8_t *p, int third, int fourth)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == third && p[3] == fourth;
}

static marey_status refuse(const mry_npz *zip, const char *why)
{
    return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path, "damaged zip archive: %s", why);
}

/* ---- the list -------------------------------------------------------------------------------- */

/* An entry of the list, of which `left` bytes are there; the bytes that it takes, 0: damaged. */
static size_t read_listed(const mry_npz *zip, const uint8_t *p, uint64_t left, mry_npz_entry *out)
{
    if (left < LISTED || !is_record(p, 1, 2)) return 0;
    size_t name = number_at(p + 28, 2), extra = number_at(p + 30, 2);
    size_t all = LISTED + name + extra + number_at(p + 32, 2);
    if (left < all) return 0;
    *out = (mry_npz_entry){ .encrypted = p[8] & 1,
                            .method = (int)number_at(p + 10, 2),
                            .sum = (uint32_t)number_at(p + 16, 4),
                            .packed = number_at(p + 20, 4),
                            .size = number_at(p + 24, 4),
                            .offset = number_at(p + 42, 4) };
    /* What does not fit in 32 bits is in an extra field with the number 1, in this order. */
    uint64_t *const wide[] = { &out->size, &out->packed, &out->offset };
    const uint8_t *q = p + LISTED + name, *end = q + extra;
    while (end - q >= 4) {
        size_t length = number_at(q + 2, 2);
        if ((size_t)(end - q) < 4 + length) break;
        const uint8_t *field = q + 4;
        for (int i = 0; i < 3 && number_at(q, 2) == 1; i++) {
            if (*wide[i] != UINT32_MAX || (size_t)(field - q) + 8 > 4 + length) continue;
            *wide[i] = number_at(field, 8);
            field += 8;
        }
        q += 4 + length;
    }
    const char *text = (const char *)p + LISTED;
    if (name > 4 && memcmp(text + name - 4, ".npy", 4) == 0) name -= 4;
    out->name = mry_arena_text(zip->tmp, text, name);
    return all;
}

marey_status mry_npz_open(mry_npz *zip, mry_arena *tmp, const uint8_t *bytes, size_t count,
                          const char *path, marey_error *error)
{
    *zip = (mry_npz){ .tmp = tmp, .bytes = bytes, .count = count, .path = path, .error = error };
    const uint8_t *end = NULL;
    for (size_t back = END; back <= count && back <= END + LONGEST_NOTE && !end; back++) {
        const uint8_t *p = bytes + count - back;
        if (is_record(p, 5, 6) && number_at(p + 20, 2) <= back - END) end = p;
    }
    if (!end) return refuse(zip, "its list of entries is missing; is the file whole?");
    uint64_t entries = number_at(end + 10, 2), size = number_at(end + 12, 4);
    uint64_t start = number_at(end + 16, 4);
    if (end - bytes >= LOCATOR && is_record(end - LOCATOR, 6, 7)) {
        uint64_t at = number_at(end - LOCATOR + 8, 8);
        if (at > count || count - at < END_64 || !is_record(bytes + at, 6, 6))
            return refuse(zip, "its zip64 record is missing");
        entries = number_at(bytes + at + 32, 8);
        size = number_at(bytes + at + 40, 8);
        start = number_at(bytes + at + 48, 8);
    }
    if (entries > MOST_ENTRIES)
        return mry_fail(error, MAREY_ERR_LIMIT, path,
                        "%" PRIu64 " arrays; marey reads archives of at most %d", entries,
                        MOST_ENTRIES);
    if (start > count || size > count - start || size < LISTED * entries)
        return refuse(zip, "its list of entries leads past its end");
    zip->entries = MRY_NEW(tmp, mry_npz_entry, entries);
    if (!zip->entries) return mry_fail_memory(error, path);
    for (uint64_t used = 0; zip->entry_count < (int)entries; zip->entry_count++) {
        mry_npz_entry *one = &zip->entries[zip->entry_count];
        size_t length = read_listed(zip, bytes + start + used, size - used, one);
        if (length == 0) return refuse(zip, "its list of entries is wrong");
        if (!one->name) return mry_fail_memory(error, path);
        used += length;
    }
    return MAREY_OK;
}

int mry_npz_find(const mry_npz *zip, const char *name)
{
    for (int i = 0; i < zip->entry_count; i++)
        if (strcasecmp(zip->entries[i].name, name) == 0) return i;
    return -1;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

static void *take(void *arena, unsigned int count, unsigned int size)
{
    return mry_arena_take(arena, count, size);
}

static void leave(void *arena, void *piece) /* the arena is freed as a whole */
{
    (void)arena;
    (void)piece;
}

/* The packed bytes of an entry, or NULL: they are not in the file. */
static const uint8_t *packed_bytes(const mry_npz *zip, const mry_npz_entry *one)
{
    if (one->offset > zip->count || zip->count - one->offset < LOCAL) return NULL;
    const uint8_t *local = zip->bytes + one->offset;
    uint64_t start = one->offset + LOCAL + number_at(local + 26, 2) + number_at(local + 28, 2);
    if (!is_record(local, 3, 4) || start > zip->count || one->packed > zip->count - start)
        return NULL;
    return zip->bytes + start;
}

/* The first `wanted` bytes of what is packed; a status, and if not OK why. */
static marey_status inflate_some(mry_arena *tmp, const uint8_t *from, uint64_t packed, uint8_t *to,
                                 size_t wanted, const char **why)
{
    mry_arena own = mry_arena_make(tmp->ctx);
    z_stream stream = { .zalloc = take,
                        .zfree = leave,
                        .opaque = &own,
                        .next_in = from,
                        .avail_in = (uInt)packed,
                        .next_out = to,
                        .avail_out = (uInt)wanted };
    marey_status status = MAREY_ERR_MEMORY;
    if (inflateInit2(&stream, -MAX_WBITS) == Z_OK) {
        int result = inflate(&stream, Z_SYNC_FLUSH);
        bool fine = (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) &&
                    stream.avail_out == 0;
        *why = "its packed bytes are damaged";
        status = result == Z_MEM_ERROR ? MAREY_ERR_MEMORY : fine ? MAREY_OK : MAREY_ERR_INPUT;
        inflateEnd(&stream);
    }
    mry_arena_free(&own);
    return status;
}

marey_status mry_npz_look(const mry_npz *zip, int entry, mry_array *out)
{
    const mry_npz_entry *one = &zip->entries[entry];
    const uint8_t *from = packed_bytes(zip, one);
    uint8_t head[LOOKED_AT];
    const char *why;
    size_t wanted = one->size < LOOKED_AT ? (size_t)one->size : LOOKED_AT;
    uint64_t packed = one->packed < UINT32_MAX ? one->packed : UINT32_MAX;
    bool stored = one->method == STORED;
    *out = (mry_array){ 0 };
    if (!from || one->encrypted || (!stored && one->method != DEFLATED)) return MAREY_OK;
    if (stored && one->packed < wanted) return MAREY_OK;
    marey_status status =
        stored ? MAREY_OK : inflate_some(zip->tmp, from, packed, head, wanted, &why);
    if (status == MAREY_ERR_MEMORY) return mry_fail_memory(zip->error, zip->path);
    if (!status) mry_npy_parse(stored ? from : head, wanted, true, out);
    return MAREY_OK;
}

marey_status mry_npz_array(mry_npz *zip, int entry, mry_array *out)
{
    const mry_npz_entry *one = &zip->entries[entry];
    const uint8_t *from = packed_bytes(zip, one);
    const char *why = NULL;
    char name[64];
    marey_status status = MAREY_ERR_INPUT;
    mry_quote(name, sizeof name, one->name, strlen(one->name));
    bool stored = one->method == STORED;
    if (!from) {
        why = "its bytes lie outside the file";
    } else if (one->encrypted) {
        why = "it is encrypted, which is not read";
    } else if (!stored && one->method != DEFLATED) {
        why = "it is packed in another way than stored or deflate";
    } else if (stored && one->packed != one->size) {
        why = "its two sizes differ";
    } else if (!stored && (one->size > most_unpacked || one->packed > most_unpacked ||
                           (one->size > free_unpacked && one->size / most_growth > one->packed))) {
        return mry_fail(zip->error, MAREY_ERR_LIMIT, zip->path,
                        "array %s: it would unpack from %" PRIu64 " to %" PRIu64
                        " bytes; marey unpacks at most 1 GiB, and beyond 64 MiB 200 times the size",
                        name, one->packed, one->size);
    } else if (!stored) {
        uint8_t *to = MRY_NEW_RAW(zip->tmp, uint8_t, one->size);
        if (!to) return mry_fail_memory(zip->error, zip->path);
        status = inflate_some(zip->tmp, from, one->packed, to, (size_t)one->size, &why);
        if (status == MAREY_ERR_MEMORY) return mry_fail_memory(zip->error, zip->path);
        if (!status) why = NULL;
        from = to;
    }
    if (!why && crc32_z(crc32_z(0, NULL, 0), from, (size_t)one->size) != one->sum)
        why = "its checksum is wrong";
    if (!why) why = mry_npy_parse(from, (size_t)one->size, false, out);
    if (why) return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path, "array %s: %s", name, why);
    return MAREY_OK;
}

/* ---- points ---------------------------------------------------------------------------------- */

static const char *const place_names[] = { "positions", "joints", "points", "keypoints", "xyz" };
static const char *const label_names[] = { "names", "joint_names" };
static const char *const rate_names[] = { "fps", "frame_rate", "mocap_framerate",
                                          "mocap_frame_rate" };

static int find_any(const mry_npz *zip, const char *const *names, size_t count)
{
    int found = -1;
    for (size_t i = 0; i < count && found < 0; i++) found = mry_npz_find(zip, names[i]);
    return found;
}
#define FIND_ANY(zip, names) find_any(zip, names, sizeof names / sizeof *names)

/* The array of the places: by its name, else the only one of three dimensions that fits, else of two. */
static marey_status find_places(mry_npz *zip, int *out)
{
    int fits[4] = { 0 }, last[4] = { 0 };
    *out = FIND_ANY(zip, place_names);
    if (*out >= 0) return MAREY_OK;
    if (mry_npz_find(zip, "poses") >= 0 && mry_npz_find(zip, "trans") >= 0)
        return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                        "it holds rotations of an SMPL body (poses, trans), not points");
    for (int i = 0; i < zip->entry_count; i++) {
        mry_array array;
        marey_status status = mry_npz_look(zip, i, &array);
        if (status) return status;
        if (!mry_points_fit(&array)) continue;
        fits[array.dims]++;
        last[array.dims] = i;
    }
    int dims = fits[3] ? 3 : 2;
    *out = last[dims];
    if (fits[dims] == 1) return MAREY_OK;
    return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                    "%s: name one array positions, of frames x joints x 3 numbers",
                    fits[dims] ? "several arrays could be points" : "it holds no points");
}

static marey_status read_names(const mry_points_file *file, mry_npz *zip, int entry,
                               marey_points *out)
{
    mry_array array;
    marey_status status = mry_npz_array(zip, entry, &array);
    if (status) return status;
    if (array.dims != 1 || array.items != out->count || (array.kind != 'U' && array.kind != 'S'))
        return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                        "array %s must be %d texts, one for each point, got %" PRId64 " items",
                        zip->entries[entry].name, out->count, array.items);
    const char **names = MRY_NEW(file->mem, const char *, out->count);
    if (!names) return mry_fail_memory(zip->error, zip->path);
    for (int i = 0; i < out->count; i++)
        if (!(names[i] = mry_array_text(&array, i, file->mem)))
            return mry_fail_memory(zip->error, zip->path);
    out->names = names;
    return MAREY_OK;
}

/* A root has -1, or itself, or 2^32 - 1, as the tables of SMPL have. */
static marey_status read_parents(const mry_points_file *file, mry_npz *zip, int entry,
                                 marey_points *out)
{
    mry_array array;
    marey_status status = mry_npz_array(zip, entry, &array);
    if (status) return status;
    if (array.dims != 1 || array.items != out->count || (array.kind != 'i' && array.kind != 'u'))
        return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                        "array parents must be %d integers, one for each point, got %" PRId64
                        " items",
                        out->count, array.items);
    int *parents = MRY_NEW(file->mem, int, out->count);
    if (!parents) return mry_fail_memory(zip->error, zip->path);
    for (int i = 0; i < out->count; i++) {
        double value = mry_array_number(&array, i);
        bool root = value == -1 || value == i || value == UINT32_MAX;
        if (!root && !(value >= 0 && value < out->count))
            return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                            "parents must be -1 or 0 to %d, got %g for point %d", out->count - 1,
                            value, i);
        parents[i] = root ? -1 : (int)value;
    }
    /* From each point to its root: a way that goes on for longer than there are points is a circle.
       What was walked once is known to end. */
    bool *ends = MRY_NEW(file->tmp, bool, out->count);
    if (!ends) return mry_fail_memory(zip->error, zip->path);
    for (int i = 0; i < out->count; i++) {
        int steps = 0;
        for (int p = i; p >= 0 && !ends[p]; p = parents[p])
            if (++steps > out->count)
                return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                                "parents must lead to a root, but those of point %d go in a circle",
                                i);
        for (int p = i; p >= 0 && !ends[p]; p = parents[p]) ends[p] = true;
    }
    out->parents = parents;
    return MAREY_OK;
}

/* A word that the archive may have, as marey's own: "cm", "y". */
static marey_status read_word(mry_npz *zip, const char *name, const char **out)
{
    mry_array array;
    int entry = mry_npz_find(zip, name);
    *out = "";
    if (entry < 0) return MAREY_OK;
    marey_status status = mry_npz_look(zip, entry, &array);
    if (status || array.items != 1 || (array.kind != 'U' && array.kind != 'S')) return status;
    status = mry_npz_array(zip, entry, &array);
    if (!status && !(*out = mry_array_text(&array, 0, zip->tmp)))
        status = mry_fail_memory(zip->error, zip->path);
    return status;
}

bool mry_npz_probe(const uint8_t *bytes, size_t count)
{
    return count >= END && (is_record(bytes, 3, 4) || is_record(bytes, 5, 6));
}

marey_status mry_npz_read(const mry_points_file *file, marey_points *out)
{
    mry_npz zip;
    mry_array array;
    int places = -1;
    const char *units = "", *up = "";
    marey_status status = mry_npz_open(&zip, file->tmp, file->bytes, file->count, file->scan->path,
                                       file->scan->error);
    if (!status) status = find_places(&zip, &places);
    if (!status) status = mry_npz_array(&zip, places, &array);
    if (!status) status = mry_points_from_array(file, &array, out);
    if (status) return status;
    int labels = FIND_ANY(&zip, label_names), rate = FIND_ANY(&zip, rate_names);
    int parents = mry_npz_find(&zip, "parents");
    if (labels >= 0) status = read_names(file, &zip, labels, out);
    if (!status && parents >= 0) status = read_parents(file, &zip, parents, out);
    if (!status && rate >= 0) status = mry_npz_array(&zip, rate, &array);
    if (!status && rate >= 0 && array.items == 1)
        out->fps = mry_points_fps(mry_array_number(&array, 0));
    if (!status) status = read_word(&zip, "units", &units);
    if (!status) status = read_word(&zip, "up", &up);
    if (!status) out->units = mry_points_units(units);
    if (!status && (*up == 'y' || *up == 'z')) out->up = *up == 'y' ? MAREY_UP_Y : MAREY_UP_Z;
    return status;
}
