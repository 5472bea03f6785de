/* fuzz_library.c - a sound library, changed at the places that the input names, with every sum put
   right again: those of pages, of blobs, inside blobs, of pictures, and the hashes of clips. What
   they would catch is let through, so that SQLite, the tables, the records and the makers of kept
   things must cope. The first byte chooses: the bytes of the whole file, the records of one clip,
   the unpacked bytes of one blob, or cells of tables. */
#include "library/clip_record.h"
#include "store/page_sums.h"
#include "store/store_inside.h"

#include <marey/marey.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char small_clip[] = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition "
                                 "Yposition Zposition Zrotation Xrotation "
                                 "Yrotation\nJOINT Spine\n{\nOFFSET 0 40 1\nCHANNELS 3 Zrotation "
                                 "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 "
                                 "20 0\n}\n}\n}\nMOTION\nFrames: 4\nFrame Time: 0.04\n1 90 2 3 4 5 "
                                 "6 7 8\n1.5 91 2 3 4 5 6 7 8\n2 92 2 3 4.25 "
                                 "5 6 7 8\n3 93 2.125 3 4 5 6 7 8\n";

/* Made once; the fuzzer runs in one thread. */
static struct {
    char folder[64], path[80];
    char *bytes;
    size_t size;
} base;

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_library: not so: %s\n", what);
    abort();
}

/* ---- files that go nowhere ------------------------------------------------------------------- */

/* So few frames of so few joints must not become more than this. */
static const size_t most_written = (size_t)64 << 20;
static size_t written;

static int nowhere_open(void *user, const char *path, marey_io_mode mode)
{
    (void)user;
    (void)path;
    return mode == MAREY_IO_CREATE ? 1 : -ENOENT;
}

static int64_t nowhere_size(void *user, int handle)
{
    (void)user;
    (void)handle;
    return 0;
}

static int64_t nowhere_read(void *user, int handle, void *bytes, size_t count)
{
    (void)user;
    (void)handle;
    (void)bytes;
    (void)count;
    return 0;
}

static int64_t nowhere_write(void *user, int handle, const void *bytes, size_t count)
{
    (void)user;
    (void)handle;
    (void)bytes;
    written += count;
    require(written < most_written, "an export ends");
    return (int64_t)count;
}

static int nowhere_done(void *user, int handle)
{
    (void)user;
    (void)handle;
    return 0;
}

static int nowhere_rename(void *user, const char *from, const char *to)
{
    (void)user;
    (void)from;
    (void)to;
    return 0;
}

static int nowhere_remove(void *user, const char *path)
{
    (void)user;
    (void)path;
    return 0;
}

static int nowhere_resolve(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    return (size_t)snprintf(resolved, room, "%s", path) < room ? 0 : -ENAMETOOLONG;
}

static const marey_io nowhere = { .open = nowhere_open,
                                  .size = nowhere_size,
                                  .read = nowhere_read,
                                  .write = nowhere_write,
                                  .sync = nowhere_done,
                                  .close = nowhere_done,
                                  .rename = nowhere_rename,
                                  .remove = nowhere_remove,
                                  .resolve = nowhere_resolve };

/* ---- the sound library ----------------------------------------------------------------------- */

static marey_ctx *open_ctx(void)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)128 << 20, .io = &nowhere };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    return ctx;
}

/* A registration of the clip with a part of itself, a puppet, a picture, contacts, an index, and
   something that only rows are looked at of. */
static void keep_things(marey_ctx *ctx, marey_library *library)
{
    static const marey_part parts[] = { { 1, 0, 4 }, { 1, 0, 3 } };
    static const marey_keep_def def = { .about = "{}", .parts = parts, .part_count = 2 };
    static const marey_contact contact = { MAREY_CONTACT_LEFT_TOE, 1, 3 };
    static const marey_puppet_sample samples[] = {
        { 0, { 0, 0, 0 }, { 0, 0, 0 } },
        { 0.1, { 1, 2, 0.5 }, { 3, 4, 0 } },
        { 0.2, { 2, 3, 0.6 }, { 4, 5, 1 } },
        { 0.3, { 3, 3, 0.7 }, { 4, 6, 1 } },
    };
    static const marey_demonstration shown = { samples, sizeof samples / sizeof *samples };
    marey_parts *opened;
    marey_registration *made;
    marey_puppet *puppet;
    require(!marey_library_parts(library, parts, 2, 0, &opened, NULL), "its parts open");
    require(!marey_registration_build(ctx, opened->clips, 2, opened->contacts, NULL, &made, NULL),
            "they are registered");
    require(!marey_library_keep_registration(library, "both", made, parts, NULL, NULL),
            "a registration is kept");
    require(!marey_library_keep(library, "web", "all", "bytes", 5, &def, NULL),
            "something is kept");
    require(!marey_puppet_train(ctx, &shown, 1, NULL, &puppet, NULL), "a puppet is trained");
    require(!marey_library_keep_puppet(library, "pet", puppet, parts, 2, "of small", NULL),
            "a puppet is kept");
    require(!marey_library_keep_picture(library, 1, "strip", 0, "picture", 7, NULL),
            "a picture is kept");
    require(!marey_library_set_contacts(library, "small", &contact, 1, NULL), "contacts are set");
    require(!marey_library_index(library, NULL, NULL, NULL), "it is indexed");
    marey_puppet_free(puppet);
    marey_registration_free(made);
    marey_parts_free(opened);
}

static void make_base(void)
{
    marey_ctx *ctx = open_ctx();
    marey_library *library;
    marey_clip *clip;
    marey_put_def put = { .licence = "CC BY 4.0", .description = "to and fro" };
    const char *names[] = { "small" };
    snprintf(base.folder, sizeof base.folder, "%s/marey-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    require(mkdtemp(base.folder) != NULL, "there is a folder to work in");
    snprintf(base.path, sizeof base.path, "%s/l.marey", base.folder);
    require(!marey_library_open(ctx, base.path, MAREY_LIBRARY_CREATE, &library, NULL),
            "a library is made");
    require(
        !marey_clip_load_bytes(ctx, "small.bvh", small_clip, strlen(small_clip), NULL, &clip, NULL),
        "the small clip loads");
    require(!marey_library_put(library, clip, "small", &put, NULL, 0, NULL), "it can be put in");
    require(!marey_library_label(library, names, 1, "label", true, NULL), "it can be labelled");
    require(!marey_library_cut(library, "small", 0, 2, "gone", NULL, 0, NULL), "it can be cut");
    names[0] = "gone";
    require(!marey_library_remove(library, names, 1, NULL), "a clip can be removed");
    const marey_repair repairs[] = {
        { .layer = { MAREY_LAYER_RATE, -1, 0, 0, { 50 } } },
        { .layer = { MAREY_LAYER_TURN, 1, 1, 3, { 0.8, 0.6 } }, .flaw = "flip", .unit = "degrees" },
        { .layer = { MAREY_LAYER_MARK, -1, 3, 4, { 1 } } }
    };
    marey_repair_def repair = { .clip = "small", .add = repairs, .add_count = 3 };
    require(!marey_library_repair(library, &repair, 1, NULL, NULL), "it can be repaired");
    keep_things(ctx, library);
    marey_clip_free(clip);
    marey_library_close(library);
    marey_ctx_close(ctx);
    FILE *file = fopen(base.path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0, "it can be read");
    base.size = (size_t)ftell(file);
    base.bytes = malloc(base.size);
    rewind(file);
    require(base.bytes && fread(base.bytes, 1, base.size, file) == base.size,
            "it can be read whole");
    fclose(file);
}

/* ---- what is done with it -------------------------------------------------------------------- */

/* Four bytes name a change: where (three), and what to add there. */
static void change_bytes(uint8_t *bytes, size_t size, const uint8_t *data, size_t count)
{
    for (; count >= 4 && size; data += 4, count -= 4) {
        size_t at = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % size;
        bytes[at] = (uint8_t)(bytes[at] + data[3]);
    }
}

static void ignore(void *user, const char *problem)
{
    (void)user;
    (void)problem;
}

static void use_kept(marey_library *library)
{
    marey_kept *kept;
    marey_parts *parts;
    marey_registration *registration;
    marey_puppet *puppet;
    marey_puppet_sources *sources;
    marey_index_state state;
    char picture[64];
    size_t count;
    if (!marey_library_kept_list(library, NULL, &kept, NULL)) marey_kept_free(kept);
    if (!marey_library_kept(library, "web", "all", &kept, NULL)) marey_kept_free(kept);
    if (!marey_library_registration(library, "both", &parts, &registration, NULL)) {
        double first, last, rows[64];
        marey_registration_range(registration, &first, &last);
        marey_registration_times(registration, (first + last) / 2, rows, NULL);
        marey_registration_free(registration);
        marey_parts_free(parts);
    }
    if (!marey_library_puppet(library, "pet", &puppet, NULL)) marey_puppet_free(puppet);
    if (!marey_library_puppet_sources(library, "pet", &sources, NULL)) {
        marey_puppet_sources_free(sources);
    }
    marey_library_picture(library, 1, "strip", picture, sizeof picture, &count, NULL);
    marey_library_index_state(library, &state, NULL);
    marey_library_forget(library, "web", "all", NULL);
}

/* Whatever opens is a sound clip: it can be written, and its numbers are finite. */
static void use_clip(const marey_clip *clip)
{
    static const char *const files[] = { "out.bvh", "out.glb" };
    int joints = marey_clip_skeleton(clip)->joint_count;
    double *places = malloc((size_t)joints * 3 * sizeof *places);

    require(places != NULL, "there is memory");
    marey_clip_positions(clip, 0, 1, places);
    for (int i = 0; i < 3 * joints; i++) require(isfinite(places[i]), "a clip's places are finite");
    free(places);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        written = 0;
        marey_clip_save_with(clip, files[i], "{}", NULL);
    }
}

static void use_clips(marey_library *library, bool removed)
{
    marey_listing *listing;
    int count;
    if (marey_library_list(library, &(marey_list_def){ .removed = removed }, &listing, NULL))
        return;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        char number[32];
        marey_clip *clip;
        marey_contact contacts[8];
        int contact_count;
        snprintf(number, sizeof number, "#%lld", (long long)entries[i].id);
        marey_library_contacts(library, number, contacts, 8, &contact_count, NULL);
        if (marey_library_load(library, number, &clip, NULL)) continue;
        use_clip(clip);
        marey_clip_free(clip);
    }
    marey_listing_free(listing);
}

static void use_library(marey_ctx *ctx)
{
    marey_library *library;
    marey_listing *listing;
    const char *names[] = { "gone" };
    int64_t problems;
    marey_library_verify(ctx, base.path, ignore, NULL, &problems, NULL);
    if (marey_library_open(ctx, base.path, MAREY_LIBRARY_WRITE, &library, NULL)) return;
    if (!marey_library_list(library, &(marey_list_def){ .text = "small" }, &listing, NULL)) {
        marey_listing_free(listing);
    }
    use_clips(library, false);
    use_clips(library, true);
    use_kept(library);
    marey_conditions *found;
    if (!marey_library_examine(library, NULL, 0, &found, NULL)) {
        for (int i = 0; i < found->count; i++) {
            const marey_condition *one = &found->items[i];
            marey_repair_def def = { .clip = one->clip.name, .drop_flaws = UINT64_MAX };
            marey_repair first = { .flaw = "" };
            for (int k = 0; k < one->flaw_count && def.add_count == 0; k++) {
                if (!one->flaws[k].mendable) continue;
                first = marey_flaw_repair(&one->flaws[k]);
                def.add = &first;
                def.add_count = 1;
            }
            marey_library_repair(library, &def, 1, NULL, NULL);
        }
        marey_conditions_free(found);
    }
    marey_library_cut(library, "small", 1, 3, "part", NULL, 0, NULL);
    marey_library_restore(library, names, 1, NULL);
    names[0] = "small";
    marey_library_purge(library, names, 1, NULL, NULL);
    use_clips(library, false);
    marey_library_close(library);
}

static void write_file(const uint8_t *bytes)
{
    FILE *file = fopen(base.path, "wb");
    require(file && fwrite(bytes, 1, base.size, file) == base.size && fclose(file) == 0,
            "it can be written");
}

static void use_file(void)
{
    char beside[100];
    marey_ctx *ctx = open_ctx();
    use_library(ctx);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    snprintf(beside, sizeof beside, "%s-wal", base.path);
    unlink(beside);
    snprintf(beside, sizeof beside, "%s-shm", base.path);
    unlink(beside);
}

static void try_file(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(base.size);
    require(bytes != NULL, "there is memory");
    memcpy(bytes, base.bytes, base.size);
    change_bytes(bytes, base.size, data, size);
    for (size_t page = 0; page < base.size / MRY_PAGE_BYTES; page++) {
        mry_page_sum_put(bytes + page * MRY_PAGE_BYTES, (int64_t)page);
    }
    write_file(bytes);
    free(bytes);
    use_file();
}

/* ---- blobs and cells ------------------------------------------------------------------------- */

/* A connection that keeps page sums right and obeys nothing else. */
static sqlite3 *connect_base(marey_ctx *ctx)
{
    sqlite3 *db = NULL;
    mry_arena tmp = mry_arena_make(ctx);
    write_file((const uint8_t *)base.bytes);
    require(mry_connect(&tmp, base.path, SQLITE_OPEN_READWRITE, "", &db) == SQLITE_OK,
            "the sound library opens");
    require(sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON; BEGIN", NULL, NULL, NULL) ==
                SQLITE_OK,
            "a change begins");
    mry_arena_free(&tmp);
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *made = NULL;
    require(sqlite3_prepare_v2(db, sql, -1, &made, NULL) == SQLITE_OK, sql);
    return made;
}

/* Kept things end in a sum over what is before it, which begins with their version. */
static void mend_inside(uint8_t *bytes, size_t size, const uint8_t *sound, size_t sound_size)
{
    enum { SUM_BYTES = 8, MOST_VERSIONS = 16 };
    if (size < SUM_BYTES || sound_size < SUM_BYTES) return;
    uint64_t stored = 0;
    for (int i = SUM_BYTES - 1; i >= 0; i--) {
        stored = stored << 8 | sound[sound_size - SUM_BYTES + (size_t)i];
    }
    for (uint64_t version = 0; version < MOST_VERSIONS; version++) {
        if (mry_hash64(sound, sound_size - SUM_BYTES, version) != stored) continue;
        uint64_t sum = mry_hash64(bytes, size - SUM_BYTES, version);
        for (int i = 0; i < SUM_BYTES; i++)
            bytes[size - SUM_BYTES + (size_t)i] = (uint8_t)(sum >> 8 * i);
    }
}

static void set_blob(sqlite3 *db, int64_t id, const mry_packed *packed)
{
    sqlite3_stmt *change =
        prepare(db, "UPDATE blob SET size = ?1, sum = ?2, bytes = ?3 WHERE id = ?4");
    sqlite3_bind_int64(change, 1, (int64_t)packed->size);
    sqlite3_bind_int64(change, 2, (int64_t)packed->sum);
    sqlite3_bind_blob64(change, 3, packed->bytes, packed->packed_size, SQLITE_STATIC);
    sqlite3_bind_int64(change, 4, id);
    sqlite3_step(change);
    sqlite3_finalize(change);
}

/* The unpacked bytes of a blob as it is in `db`; NULL: it has none. */
static uint8_t *unpack(sqlite3 *db, mry_arena *mem, int64_t id, size_t *size)
{
    uint8_t *out = NULL;
    sqlite3_stmt *row = prepare(db, "SELECT bytes FROM blob WHERE id = ?1");
    sqlite3_bind_int64(row, 1, id);
    if (sqlite3_step(row) == SQLITE_ROW) {
        const void *packed = sqlite3_column_blob(row, 0);
        size_t count = (size_t)sqlite3_column_bytes(row, 0);
        unsigned long long whole = ZSTD_getFrameContentSize(packed, count);
        if (whole < 1 << 20) out = mry_arena_take(mem, (size_t)whole + 1, 1);
        if (out) *size = ZSTD_decompress(out, (size_t)whole, packed, count);
        if (out && ZSTD_isError(*size)) out = NULL;
    }
    sqlite3_finalize(row);
    return out;
}

/* The sums that lie beside what they are of: of blobs and pictures, and the hashes and lengths of
   the clips that open. */
static void mend_rows(marey_ctx *ctx, sqlite3 *db, mry_arena *mem)
{
    sqlite3_stmt *row = prepare(db, "SELECT id FROM blob");
    while (sqlite3_step(row) == SQLITE_ROW) {
        mry_packed packed;
        size_t size = 0;
        int64_t id = sqlite3_column_int64(row, 0);
        uint8_t *bytes = unpack(db, mem, id, &size);
        if (bytes && mry_blob_pack(mem, bytes, size, 1, &packed)) set_blob(db, id, &packed);
    }
    sqlite3_finalize(row);
    static const char *const sums[][2] = {
        { "SELECT rowid, bytes FROM picture", "UPDATE picture SET sum = ?1 WHERE rowid = ?2" },
        { "SELECT clip, bytes FROM flaw", "UPDATE flaw SET sum = ?1 WHERE clip = ?2" }
    };
    sqlite3_stmt *change;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        row = prepare(db, sums[i][0]);
        change = prepare(db, sums[i][1]);
        while (sqlite3_step(row) == SQLITE_ROW) {
            const void *bytes = sqlite3_column_blob(row, 1);
            size_t count = (size_t)sqlite3_column_bytes(row, 1);
            sqlite3_bind_int64(change, 1, (int64_t)mry_hash64(bytes ? bytes : "", count, 0));
            sqlite3_bind_int64(change, 2, sqlite3_column_int64(row, 0));
            sqlite3_step(change);
            sqlite3_reset(change);
        }
        sqlite3_finalize(change);
        sqlite3_finalize(row);
    }
    row = prepare(db, "SELECT clip.id, pack, about, motion FROM clip JOIN skeleton"
                      " ON skeleton.id = clip.skeleton");
    change = prepare(db, "UPDATE clip SET hash = ?1, frames = ?2 WHERE id = ?3");
    while (sqlite3_step(row) == SQLITE_ROW) {
        marey_clip *clip = NULL;
        uint8_t hash[16];
        mry_stored stored = { .name = "fuzz" };
        stored.columns = unpack(db, mem, sqlite3_column_int64(row, 3), &stored.columns_size);
        stored.skeleton = sqlite3_column_blob(row, 1);
        stored.skeleton_size = (size_t)sqlite3_column_bytes(row, 1);
        stored.about = sqlite3_column_blob(row, 2);
        stored.about_size = (size_t)sqlite3_column_bytes(row, 2);
        if (!stored.columns || !stored.skeleton || !stored.about) continue;
        if (mry_record_open(ctx, &stored, 0, &clip, NULL)) continue;
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

static void end_change(marey_ctx *ctx, sqlite3 *db)
{
    require(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK, "a change ends");
    require(sqlite3_close(db) == SQLITE_OK, "nothing is left open");
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    use_file();
}

/* (which, how, ..): the bytes of one blob are changed at places, cut, or are the rest of the
   input. */
static void try_blob(const uint8_t *data, size_t size)
{
    if (size < 2) return;
    marey_ctx *ctx = open_ctx();
    mry_arena mem = mry_arena_make(ctx);
    sqlite3 *db = connect_base(ctx);
    sqlite3_stmt *row = prepare(db, "SELECT id FROM blob ORDER BY id LIMIT 1"
                                    " OFFSET ?1 % (SELECT count(*) FROM blob)");
    sqlite3_bind_int(row, 1, data[0]);
    int64_t id = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    size_t sound_size = 0, changed_size, rest = size - 2;
    uint8_t *sound = unpack(db, &mem, id, &sound_size);
    require(sound != NULL, "a sound blob unpacks");
    uint8_t *changed = mry_arena_take(&mem, sound_size + rest + 1, 1);
    require(changed != NULL, "there is memory");
    memcpy(changed, sound, sound_size);
    changed_size = sound_size;
    if (data[1] % 4 == 3) {
        memcpy(changed, data + 2, rest);
        changed_size = rest;
    } else {
        if (data[1] % 4 == 2 && sound_size) changed_size = (data[1] / 4) % sound_size;
        change_bytes(changed, changed_size, data + 2, rest);
    }
    mry_packed packed;
    mend_inside(changed, changed_size, sound, sound_size);
    require(mry_blob_pack(&mem, changed, changed_size, 1, &packed), "it packs");
    set_blob(db, id, &packed);
    mend_rows(ctx, db, &mem);
    mry_arena_free(&mem);
    end_change(ctx, db);
}

/* (column, row, what, count, ..) each: one cell gets a number, a text or bytes, or its own bytes
   are changed at places. */
static void change_cell(sqlite3 *db, mry_arena *mem, const uint8_t *data, size_t count)
{
    const uint8_t *value = data + 4;
    uint64_t number = 0;
    double real;
    char pick[256], sql[512];
    sqlite3_stmt *row =
        prepare(db, "SELECT m.name, p.name FROM main.sqlite_master AS m,"
                    " pragma_table_info(m.name) AS p WHERE m.type = 'table' AND m.sql LIKE"
                    " 'CREATE TABLE%' ORDER BY m.name, p.cid LIMIT 1 OFFSET ?1");
    sqlite3_bind_int(row, 1, data[0]);
    bool there = sqlite3_step(row) == SQLITE_ROW;
    if (there) {
        const char *table = (const char *)sqlite3_column_text(row, 0);
        const char *column = (const char *)sqlite3_column_text(row, 1);
        snprintf(pick, sizeof pick,
                 "(SELECT %s FROM %s LIMIT 1 OFFSET ?2 %% (SELECT count(*) FROM %s))", column,
                 table, table);
        snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s = ?1 WHERE %s = %s", table, column,
                 column, pick);
    }
    sqlite3_finalize(row);
    if (!there) return;
    for (size_t i = 0; i < 8 && i < count; i++) number = number << 8 | value[i];
    memcpy(&real, &number, sizeof real);
    sqlite3_stmt *change = prepare(db, sql);
    sqlite3_bind_int(change, 2, data[1]);
    switch (data[2] % 5) {
    case 0: sqlite3_bind_int64(change, 1, (int64_t)number); break;
    case 1: sqlite3_bind_double(change, 1, real); break;
    case 2:
        sqlite3_bind_text64(change, 1, (const char *)value, count, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case 3: sqlite3_bind_blob64(change, 1, value, count, SQLITE_STATIC); break;
    default:
        snprintf(sql, sizeof sql, "SELECT %s", pick);
        sqlite3_stmt *old = prepare(db, sql);
        sqlite3_bind_int(old, 2, data[1]);
        if (sqlite3_step(old) == SQLITE_ROW) {
            const void *from = sqlite3_column_blob(old, 0);
            size_t length = from ? (size_t)sqlite3_column_bytes(old, 0) : 0;
            uint8_t *bytes = mry_arena_take(mem, length + 1, 1);
            require(bytes != NULL, "there is memory");
            if (length) memcpy(bytes, from, length);
            change_bytes(bytes, length, value, count);
            sqlite3_bind_blob64(change, 1, bytes, length, SQLITE_STATIC);
        }
        sqlite3_finalize(old);
    }
    sqlite3_step(change);
    sqlite3_finalize(change);
}

static void try_cells(const uint8_t *data, size_t size)
{
    marey_ctx *ctx = open_ctx();
    mry_arena mem = mry_arena_make(ctx);
    sqlite3 *db = connect_base(ctx);
    while (size >= 4) {
        size_t count = data[3] < size - 4 ? data[3] : size - 4;
        change_cell(db, &mem, data, count);
        data += 4 + count;
        size -= 4 + count;
    }
    mend_rows(ctx, db, &mem);
    mry_arena_free(&mem);
    end_change(ctx, db);
}

/* One of the three records of a clip is changed; the clip opens and can be used, or is refused. */
static void try_record(const uint8_t *data, size_t size, int which)
{
    marey_ctx *ctx = open_ctx();
    mry_arena mem = mry_arena_make(ctx);
    mry_record record;
    marey_clip *clip, *back = NULL;
    uint8_t *columns = NULL;
    require(
        !marey_clip_load_bytes(ctx, "small.bvh", small_clip, strlen(small_clip), NULL, &clip, NULL),
        "the small clip loads");
    require(mry_record_make(clip, &mem, &record), "it has a record");
    marey_clip_free(clip);
    uint8_t *skeleton = mry_arena_take(&mem, record.skeleton_size, 1);
    uint8_t *about = mry_arena_take(&mem, record.about_size, 1);
    require(skeleton && about, "there is memory");
    memcpy(skeleton, record.skeleton, record.skeleton_size);
    memcpy(about, record.about, record.about_size);
    size_t columns_size = size;
    if (which == 0) change_bytes(skeleton, record.skeleton_size, data, size);
    if (which == 1) change_bytes(about, record.about_size, data, size);
    columns = malloc(size + 1); /* columns are the input itself */
    require(columns != NULL, "there is memory");
    memcpy(columns, data, size);
    mry_stored stored = { "small",      skeleton,          columns, about, record.skeleton_size,
                          columns_size, record.about_size, 0 };
    if (!mry_record_open(ctx, &stored, 0, &back, NULL)) marey_clip_free(back);
    free(columns);
    mry_arena_free(&mem);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
}

static void count_problem(void *user, const char *problem)
{
    fprintf(stderr, "fuzz_library: %s\n", problem);
    ++*(int *)user;
}

/* Where sums are put right and nothing is changed, nothing may be wrong, or what is behind them is
   never reached. */
static void check_mending(void)
{
    marey_ctx *ctx = open_ctx();
    mry_arena mem = mry_arena_make(ctx);
    sqlite3 *db = connect_base(ctx);
    int64_t problems = -1;
    int told = 0;
    mend_rows(ctx, db, &mem);
    mry_arena_free(&mem);
    require(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK, "a change ends");
    sqlite3_close(db);
    require(!marey_library_verify(ctx, base.path, count_problem, &told, &problems, NULL) &&
                problems == 0 && told == 0,
            "a library without changes is sound");
    marey_ctx_close(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.bytes) {
        make_base();
        check_mending();
    }
    if (size < 1) return 0;
    if (data[0] >= 0xc0) {
        try_cells(data + 1, size - 1);
    } else if (data[0] >= 0x80) {
        try_blob(data + 1, size - 1);
    } else if (data[0] % 4 == 3) {
        try_file(data + 1, size - 1);
    } else {
        try_record(data + 1, size - 1, data[0] % 4);
    }
    return 0;
}
