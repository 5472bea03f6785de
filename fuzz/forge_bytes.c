/* forge_bytes.c - what a library holds as bytes is changed: unpacked first where it is packed, and
   every sum over it is put right again, inside and beside it, so that no reader may stop there. */
#include "forge.h"
#include "library/clip_record.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MOST_UNPACKED = 1 << 18, ROOM = 4 * MOST_UNPACKED, SEAL = MRY_SEAL_BYTES };

typedef enum form {
    PACKED, /* size and sum are of what is in a zstd frame */
    SUMMED, /* sum is of the bytes as they are */
    SIZED,  /* size is in the table of webs */
    BARE
} form;

/* As often as they are interesting. */
static const struct {
    const char *table, *column;
    form how;
    int weight;
} places[] = {
    { "blob", "bytes", PACKED, 30 },         { "history_part", "bytes", PACKED, 4 },
    { "pose_block", "bytes", SUMMED, 4 },    { "flaw", "bytes", SUMMED, 4 },
    { "picture", "bytes", SUMMED, 1 },       { "web_bytes", "bytes", SIZED, 8 },
    { "web_settings", "settings", BARE, 2 }, { "web_settings", "normals", BARE, 2 },
    { "skeleton", "pack", BARE, 6 },         { "clip", "about", BARE, 6 },
    { "layer", "numbers", BARE, 2 },         { "kept", "about", BARE, 2 },
    { "clip", "provenance", BARE, 2 },       { "web_settings", "about", BARE, 1 },
    { "words_data", "block", BARE, 1 },
};
enum { PLACES = sizeof places / sizeof *places };

typedef struct content {
    uint8_t *bytes; /* with room for ROOM */
    size_t size;
} content;

static const forge_table *table_of(const forgery *of, const char *name)
{
    for (int i = 0; i < of->base->table_count; i++)
        if (strcmp(of->base->tables[i].name, name) == 0) return &of->base->tables[i];
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of the row in place `row`; false: it has none that can be changed. `key` has room for its key. */
static bool read_content(forgery *of, int place, int row, content *out)
{
    char where[FORGE_WHERE];
    forge_row_where(table_of(of, places[place].table), row, where);
    sqlite3_stmt *one = forge_prepare(of->db, "SELECT \"%s\" FROM \"%s\" WHERE %s",
                                      places[place].column, places[place].table, where);
    bool there = one && sqlite3_step(one) == SQLITE_ROW;
    const void *bytes = there ? sqlite3_column_blob(one, 0) : NULL;
    size_t size = bytes ? (size_t)sqlite3_column_bytes(one, 0) : 0;
    out->size = size;
    if (bytes && places[place].how == PACKED) {
        unsigned long long whole = ZSTD_getFrameContentSize(bytes, size);
        out->size = whole <= MOST_UNPACKED ? ZSTD_decompress(out->bytes, MOST_UNPACKED, bytes, size)
                                           : (size_t)-1;
        there = !ZSTD_isError(out->size);
    } else if (bytes && size <= MOST_UNPACKED) {
        memcpy(out->bytes, bytes, size);
    } else {
        there = there && size == 0;
    }
    sqlite3_finalize(one);
    return there;
}

static uint8_t *make_room(forgery *of)
{
    uint8_t *room = mry_arena_take(&of->mem, ROOM, 1);
    forge_require(room != NULL, "there is memory");
    return room;
}

/* ---- seals ----------------------------------------------------------------------------------- */

static uint64_t get_seal(const uint8_t *at)
{
    uint64_t out = 0;
    for (int i = SEAL - 1; i >= 0; i--) out = out << 8 | at[i];
    return out;
}

static void put_seal(uint8_t *bytes, size_t size, uint64_t version)
{
    uint64_t sum = mry_hash64(bytes, size - SEAL, version);
    for (int i = 0; i < SEAL; i++) bytes[size - SEAL + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

/* The version that starts the sum at the end; negative: there is no such sum. */
static int seal_of(const uint8_t *bytes, size_t size)
{
    enum { MOST_VERSIONS = 16 };
    for (int version = 0; version < MOST_VERSIONS && size > SEAL; version++)
        if (mry_hash64(bytes, size - SEAL, (uint64_t)version) == get_seal(bytes + size - SEAL))
            return version;
    return -1;
}

/* A family ends in a sealed registration, and its own seal. */
static uint8_t *sealed_inside(uint8_t *bytes, size_t size)
{
    for (size_t at = size; at-- > 4;)
        if (memcmp(bytes + at - 4, "MRYC", 4) == 0) return at > 4 ? bytes + at - 4 : NULL;
    return NULL;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Where: often in the head, which has the counts, or in the tail. */
static size_t choose_at(forgery *of, size_t size)
{
    uint32_t way = forge_below(of->from, 6), near = size < 48 ? (uint32_t)size : 48;
    if (size == 0) return 0;
    if (way < 2) return forge_below(of->from, near);
    if (way == 2) return size - 1 - forge_below(of->from, near);
    return forge_below(of->from, (uint32_t)size);
}

static void put_wide(forgery *of, content *c, size_t at)
{
    double number;
    float narrow;
    int64_t whole;
    switch (forge_below(of->from, 4)) {
    case 0:
        if (c->size < at + 8) return;
        memcpy(&number, c->bytes + at, 8);
        number = forge_number(of->from, number);
        memcpy(c->bytes + at, &number, 8);
        return;
    case 1:
        if (c->size < at + 4) return;
        memcpy(&narrow, c->bytes + at, 4);
        narrow = (float)forge_number(of->from, narrow);
        memcpy(c->bytes + at, &narrow, 4);
        return;
    default:
        if (c->size < at + 8) return;
        memcpy(&whole, c->bytes + at, 8);
        whole = forge_integer(of->from, whole);
        memcpy(c->bytes + at, &whole, forge_below(of->from, 2) ? 4 : 8);
    }
}

/* `count` bytes come in at a place, from another one. */
static void insert(content *c, size_t at, size_t from, size_t count)
{
    if (count > c->size - from) count = c->size - from;
    if (c->size + count > ROOM / 2) return;
    memcpy(c->bytes + ROOM / 2, c->bytes + from, count);
    memmove(c->bytes + at + count, c->bytes + at, c->size - at);
    memcpy(c->bytes + at, c->bytes + ROOM / 2, count);
    c->size += count;
}

/* An integer of 7 bits a byte becomes another one, as long as it takes. */
static void change_varint(forgery *of, content *c, size_t at)
{
    uint8_t text[10];
    size_t old = 0, used = 0;
    uint64_t value = 0;
    while (at + old < c->size && old < 10) {
        value |= (uint64_t)(c->bytes[at + old] & 0x7f) << 7 * old;
        if (c->bytes[at + old++] < 0x80) break;
    }
    int64_t number = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    number = forge_integer(of->from, number);
    value = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    do {
        text[used++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value && used < sizeof text);
    memmove(c->bytes + at + used, c->bytes + at + old, c->size - at - old);
    memcpy(c->bytes + at, text, used);
    c->size += used - old;
}

static void change_once(forgery *of, content *c)
{
    size_t at = choose_at(of, c->size), count = 1 + forge_below(of->from, 32);
    if (c->size == 0) {
        c->bytes[c->size++] = (uint8_t)forge_bits(of->from);
        return;
    }
    switch (forge_below(of->from, 12)) {
    case 0: c->bytes[at] ^= (uint8_t)(1 << forge_below(of->from, 8)); break;
    case 1: c->bytes[at] = (uint8_t)forge_integer(of->from, c->bytes[at]); break;
    case 2: c->bytes[at] = (uint8_t)(c->bytes[at] + 1); break;
    case 3: c->bytes[at] = (uint8_t)(c->bytes[at] - 1); break;
    case 4:
    case 5: put_wide(of, c, at); break;
    case 6:
        if (count > c->size - at) count = c->size - at;
        memmove(c->bytes + at, c->bytes + at + count, c->size - at - count);
        c->size -= count;
        break;
    case 7: insert(c, at, forge_below(of->from, (uint32_t)c->size), count); break;
    case 8: c->size = at; break;
    case 9:
        if (c->size + count > ROOM / 2) break;
        memset(c->bytes + c->size, forge_below(of->from, 2) ? 0 : 0xff, count);
        c->size += count;
        break;
    default: change_varint(of, c, at);
    }
}

/* Another row's bytes, whole or from a place on. */
static void splice(forgery *of, int place, content *c)
{
    content other = { .bytes = make_room(of) };
    int64_t rows = forge_count(of->db, places[place].table);
    int row = (int)forge_below(of->from, (uint32_t)rows);
    if (!read_content(of, place, row, &other)) return;
    size_t at = forge_below(of->from, 2) && c->size ? forge_below(of->from, (uint32_t)c->size) : 0;
    if (at > other.size) at = other.size;
    memcpy(c->bytes + at, other.bytes + at, other.size - at);
    c->size = other.size;
    forge_tell(of->story, ", from byte %zu on as row %d", at, row);
}

/* `times` 0: only the seals are put again. */
static void change_content(forgery *of, int place, content *c, int times)
{
    uint8_t *inside = sealed_inside(c->bytes, c->size);
    int version = seal_of(c->bytes, c->size), inner = -1;
    if (version >= 0) c->size -= SEAL;
    if (inside && version >= 0) inner = seal_of(inside, (size_t)(c->bytes + c->size - inside));
    if (inner >= 0) c->size -= SEAL;
    if (times && forge_below(of->from, 12) == 0) splice(of, place, c);
    for (int i = 0; i < times; i++) change_once(of, c);
    if (inner >= 0) {
        inside = sealed_inside(c->bytes, c->size);
        c->size += SEAL;
        if (inside) put_seal(inside, (size_t)(c->bytes + c->size - inside), (uint64_t)inner);
    }
    if (version >= 0) {
        c->size += SEAL;
        put_seal(c->bytes, c->size, (uint64_t)version);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The hash of every clip that has this skeleton or motion, or is in this row; and its frames. */
static void mend_clips(forgery *of)
{
    sqlite3_stmt *row = forge_prepare(
        of->db, "SELECT clip.id, pack, about, bytes FROM clip JOIN skeleton ON skeleton.id ="
                " clip.skeleton JOIN blob ON blob.id = motion");
    sqlite3_stmt *change =
        forge_prepare(of->db, "UPDATE clip SET hash = ?1, frames = ?2 WHERE id = ?3");
    uint8_t *room = make_room(of);
    while (row && change && sqlite3_step(row) == SQLITE_ROW) {
        marey_clip *clip = NULL;
        uint8_t hash[16];
        mry_stored stored = { .name = "forged",
                              .skeleton = sqlite3_column_blob(row, 1),
                              .skeleton_size = (size_t)sqlite3_column_bytes(row, 1),
                              .about = sqlite3_column_blob(row, 2),
                              .about_size = (size_t)sqlite3_column_bytes(row, 2),
                              .columns = room,
                              .packed_size = (size_t)sqlite3_column_bytes(row, 3) };
        const void *packed = sqlite3_column_blob(row, 3);
        if (!packed || !stored.skeleton || !stored.about) continue;
        stored.columns_size = ZSTD_decompress(room, ROOM, packed, stored.packed_size);
        if (ZSTD_isError(stored.columns_size)) continue;
        if (mry_record_open(of->ctx, &stored, 0, &clip, NULL)) continue;
        mry_record_hash(&stored, marey_clip_fps(clip), marey_clip_units(clip), marey_clip_up(clip),
                        hash);
        sqlite3_bind_blob(change, 1, hash, sizeof hash, SQLITE_STATIC);
        sqlite3_bind_int(change, 2, marey_clip_frames(clip));
        sqlite3_bind_int64(change, 3, sqlite3_column_int64(row, 0));
        sqlite3_step(change);
        sqlite3_reset(change);
        marey_clip_free(clip);
    }
    sqlite3_finalize(change);
    sqlite3_finalize(row);
}

static void write_content(forgery *of, int place, int row, const content *c)
{
    const forge_table *t = table_of(of, places[place].table);
    const char *beside = places[place].how == PACKED   ? ", size = ?2, sum = ?3"
                         : places[place].how == SUMMED ? ", sum = ?3"
                                                       : "";
    mry_packed packed = { c->size, mry_hash64(c->bytes, c->size, 0), c->bytes, c->size };
    if (places[place].how == PACKED)
        forge_require(mry_blob_pack(&of->mem, c->bytes, c->size, 1, &packed), "bytes are packed");
    char where[FORGE_WHERE];
    forge_row_where(t, row, where);
    sqlite3_stmt *change =
        forge_prepare(of->db, "UPDATE OR IGNORE \"%s\" SET \"%s\" = ?1%s WHERE %s", t->name,
                      places[place].column, beside, where);
    bool text = strcmp(places[place].column, "about") == 0
                    ? strcmp(t->name, "clip") != 0
                    : strcmp(places[place].column, "provenance") == 0;
    if (text)
        sqlite3_bind_text(change, 1, packed.bytes, (int)packed.packed_size, SQLITE_STATIC);
    else
        sqlite3_bind_blob(change, 1, packed.bytes, (int)packed.packed_size, SQLITE_STATIC);
    if (places[place].how == PACKED) sqlite3_bind_int64(change, 2, (int64_t)packed.size);
    if (*beside) sqlite3_bind_int64(change, 3, (int64_t)packed.sum);
    if (change) sqlite3_step(change);
    sqlite3_finalize(change);
    if (places[place].how == SIZED)
        forge_run(of->db, "UPDATE web SET size = (SELECT length(bytes) FROM web_bytes WHERE web ="
                          " id) WHERE id IN (SELECT web FROM web_bytes)");
    if (strcmp(t->name, "blob") == 0 || strcmp(t->name, "skeleton") == 0 ||
        strcmp(t->name, "clip") == 0)
        mend_clips(of);
}

void forge_bytes(forgery *of)
{
    int sum = 0, place = 0;
    for (int i = 0; i < PLACES; i++) sum += places[i].weight;
    int at = (int)forge_below(of->from, (uint32_t)sum);
    while ((at -= places[place].weight) >= 0) place++;
    if (!table_of(of, places[place].table)) place = 0;
    int64_t rows = forge_count(of->db, places[place].table);
    content c = { .bytes = make_room(of) };
    if (rows == 0 || !table_of(of, places[place].table)) return;
    int row = (int)forge_below(of->from, (uint32_t)rows);
    if (!read_content(of, place, row, &c)) return;
    forge_tell(of->story, "; %s.%s of row %d", places[place].table, places[place].column, row);
    change_content(of, place, &c, forge_below(of->from, 3) ? 1 : 2 + (int)forge_below(of->from, 8));
    write_content(of, place, row, &c);
}

void forge_same_bytes(forgery *of)
{
    for (int place = 0; place < PLACES; place++) {
        int64_t rows =
            table_of(of, places[place].table) ? forge_count(of->db, places[place].table) : 0;
        for (int row = 0; row < rows; row++) {
            content c = { .bytes = make_room(of) };
            bool there = read_content(of, place, row, &c);
            forge_require(there, "the bytes of a sound library can be read");
            change_content(of, place, &c, 0);
            write_content(of, place, row, &c);
        }
    }
}
