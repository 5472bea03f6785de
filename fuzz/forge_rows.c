/* forge_rows.c - choices, and what they change in the rows of a library: one cell, a row that goes,
   one that is there twice, values that change places. And the order of it all: a copy of a sound
   library is opened in memory, changed, and written as a file whose pages have their sums. */
#include "forge.h"
#include "store/page_sums.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choices --------------------------------------------------------------------------------- */

/* Vigna's splitmix64. */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Eight bytes and fewer only seed what follows. */
forge_choices forge_choices_of(const uint8_t *data, size_t size)
{
    return (forge_choices){ .data = data,
                            .size = size,
                            .at = size <= 8 ? size : 0,
                            .state = mry_hash64(size ? data : (const uint8_t *)"", size, 49) };
}

static uint64_t take(forge_choices *from, int bytes)
{
    uint64_t out = 0;
    if (from->size - from->at < (size_t)bytes) {
        from->at = from->size;
        return next_number(&from->state) >> (64 - 8 * bytes);
    }
    while (bytes-- > 0) out = out << 8 | from->data[from->at++];
    return out;
}

uint32_t forge_below(forge_choices *from, uint32_t count)
{
    int bytes = count <= 0x100 ? 1 : count <= 0x10000 ? 2 : 4;
    return (uint32_t)(take(from, bytes) * count >> 8 * bytes);
}

bool forge_picks(forge_choices *from, uint32_t one_in)
{
    return forge_below(from, one_in) == 0 || from->all;
}

uint64_t forge_bits(forge_choices *from)
{
    return take(from, 8);
}

int64_t forge_integer(forge_choices *from, int64_t old)
{
    static const int64_t edges[] = { 0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     127,
                                     128,
                                     255,
                                     256,
                                     32767,
                                     65535,
                                     65536,
                                     INT32_MAX,
                                     INT32_MIN,
                                     -INT32_MAX,
                                     (int64_t)INT32_MAX + 1,
                                     UINT32_MAX,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_MAX - 1,
                                     1000000,
                                     100000000,
                                     1000000000,
                                     (int64_t)1 << 53,
                                     -2,
                                     -1000000,
                                     (int64_t)1 << 40,
                                     10,
                                     100,
                                     1000,
                                     -100,
                                     1 << 30 };
    int64_t way = forge_below(from, 8);
    uint64_t was = (uint64_t)old; /* may overflow */
    switch (way) {
    case 0: return (int64_t)(was + 1);
    case 1: return (int64_t)(was - 1);
    case 2: return (int64_t)(was * 2);
    case 3: return (int64_t)(0 - was);
    case 4: return old / 2;
    case 5: return (int64_t)(was ^ (uint64_t)1 << forge_below(from, 64));
    default: return edges[forge_below(from, sizeof edges / sizeof *edges)];
    }
}

double forge_number(forge_choices *from, double old)
{
    static const double edges[] = { 0,   -0.0, 1,      -1,     0.5,  2,      1e-9,   1e-300,
                                    1e9, 1e18, 1e300,  -1e300, 1e38, 3.5e38, 1e-45,  -1e-9,
                                    100, 1000, 0.0001, 4e9,    3e9,  -3e9,   5e-324, 1e6 };
    uint64_t bits;
    double out;
    switch (forge_below(from, 10)) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return -old;
    case 4: return old * 1.0001 + 1e-6;
    case 5: return old * 1000;
    case 6: return old / 1000;
    case 7:
        bits = forge_bits(from);
        memcpy(&out, &bits, sizeof out);
        return out;
    default: return edges[forge_below(from, sizeof edges / sizeof *edges)];
    }
}

/* Text that is none of what names, labels, kinds and JSON are. */
static const char *odd_text(forge_choices *from, mry_arena *mem, int *size)
{
    static const char *const texts[] = {
        "",
        " ",
        "a",
        "#1",
        "#2",
        "#99999999999999999999",
        "a/b",
        "a#5-10",
        "..",
        "../../etc",
        "\xff\xfe\xfd",
        "\xc3",
        "\xed\xa0\x80",
        "\x01\x1b[2J",
        "\n\r\t",
        "\"",
        "'",
        "\\",
        "%s%n%d",
        "{}",
        "[]",
        "null",
        "{\"sources\":[]}",
        "{\"sources\":[{\"clip\":\"a\"}]}",
        "{\"sources\":[{\"clip\":7,\"start\":-5,\"end\":1e99,\"layer_sum\":\"x\"}]}",
        "{\"made_by\":[[[[[[[[[[[[]]]]]]]]]]]],\"made_by\":1}",
        "{\"a\":",
        "-",
        "-1",
        "1e999",
        "NaN",
        "registration",
        "family",
        "graph",
        "policy",
        "cluster",
        "puppet",
        "map",
        "web",
        "motion",
        "kept/graph",
        "rate",
        "units",
        "up",
        "role",
        "mark",
        "unmark",
        "turn",
        "shift",
        "bone",
        "level",
        "raise",
        "fill",
        "first_frame",
        "flip",
        "hips",
        "left_foot",
        "cm2",
        "all",
        "\xf0\x9f\xa6\xb5",
        "a b c",
        "x.marey",
        "CC BY-NC 4.0",
        "*",
        "?",
        "--json",
        "-o"
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    uint32_t which = forge_below(from, TEXTS + 6);
    if (which < TEXTS) {
        *size = (int)strlen(texts[which]);
        return texts[which];
    }
    static const int lengths[] = { 64, 200, 201, 1025, 40000, 8 };
    *size = lengths[which - TEXTS];
    char *out = mry_arena_take(mem, (size_t)*size, 1);
    forge_require(out != NULL, "there is memory");
    memset(out, which % 2 ? 'y' : '{', (size_t)*size);
    if (which == TEXTS + 5) memcpy(out, "a\0b\0\0\0\0c", 8);
    return out;
}

/* ---- statements ------------------------------------------------------------------------------ */

static sqlite3_stmt *prepare(sqlite3 *db, const char *format, va_list args)
{
    sqlite3_stmt *made = NULL;
    char *sql = sqlite3_vmprintf(format, args);
    forge_require(sql != NULL, "there is memory");
    sqlite3_prepare_v2(db, sql, -1, &made, NULL);
    sqlite3_free(sql);
    return made;
}

sqlite3_stmt *forge_prepare(sqlite3 *db, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *made = prepare(db, format, args);
    va_end(args);
    return made;
}

bool forge_run(sqlite3 *db, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    forge_require(sql != NULL, "there is memory");
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

int64_t forge_count(sqlite3 *db, const char *table)
{
    sqlite3_stmt *row = forge_prepare(db, "SELECT count(*) FROM \"%s\"", table);
    int64_t count = row && sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return count;
}

void forge_tell(forge_story *story, const char *format, ...)
{
    va_list args;
    if (story->used + 1 >= sizeof story->text) return;
    va_start(args, format);
    int used = vsnprintf(story->text + story->used, sizeof story->text - story->used, format, args);
    va_end(args);
    if (used > 0) story->used += (size_t)used;
    if (story->used >= sizeof story->text) story->used = sizeof story->text - 1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const forge_table *choose_table(forgery *of)
{
    return &of->base->tables[forge_below(of->from, (uint32_t)of->base->table_count)];
}

/* Some row, by number. */
static int choose_row(forgery *of, const forge_table *table)
{
    int64_t count = forge_count(of->db, table->name);
    return count > 0 ? (int)forge_below(of->from, (uint32_t)count) : 0;
}

void forge_row_where(const forge_table *table, int row, char *room)
{
    snprintf(room, FORGE_WHERE, "(%s) = (SELECT %s FROM \"%s\" ORDER BY %s LIMIT 1 OFFSET %d)",
             table->key, table->key, table->name, table->key, row);
}

static void step(sqlite3_stmt *statement)
{
    if (statement) sqlite3_step(statement);
    sqlite3_finalize(statement);
}

/* Binds a value of some kind, near what is there. */
static const char *bind_odd(forgery *of, sqlite3_stmt *to, int index, sqlite3_value *old)
{
    int size, was = sqlite3_value_type(old);
    double number;
    uint64_t bits[4];
    /* Mostly of the type that is there. */
    uint32_t way = forge_below(of->from, 8);
    if (way >= 4 && was == SQLITE_INTEGER) way = 0;
    if (way >= 4 && was == SQLITE_FLOAT) way = 1;
    if (way >= 4 && was == SQLITE_TEXT) way = 2;
    switch (way) {
    case 0:
        sqlite3_bind_int64(to, index, forge_integer(of->from, sqlite3_value_int64(old)));
        return "an integer";
    case 1:
        number = forge_number(of->from, sqlite3_value_double(old));
        sqlite3_bind_double(to, index, number);
        return isfinite(number) ? "a number" : "a number that is not finite";
    case 2: {
        const char *text = odd_text(of->from, &of->mem, &size);
        sqlite3_bind_text(to, index, text, size, SQLITE_STATIC);
        return "a text";
    }
    case 3: sqlite3_bind_null(to, index); return "NULL";
    default:
        for (int i = 0; i < 4; i++) bits[i] = forge_bits(of->from);
        sqlite3_bind_blob(to, index, bits, (int)forge_below(of->from, sizeof bits + 1),
                          SQLITE_TRANSIENT);
        return "bytes";
    }
}

static void change_cell(forgery *of)
{
    const forge_table *t = choose_table(of);
    const char *column = t->columns[forge_below(of->from, (uint32_t)t->column_count)];
    int row = choose_row(of, t), all = forge_below(of->from, 16) == 0;
    char where[FORGE_WHERE];
    forge_row_where(t, row, where);
    sqlite3_stmt *old =
        forge_prepare(of->db, "SELECT \"%s\" FROM \"%s\" WHERE %s", column, t->name, where);
    sqlite3_stmt *change = forge_prepare(of->db, "UPDATE OR IGNORE \"%s\" SET \"%s\" = ?1 WHERE %s",
                                         t->name, column, all ? "true" : where);
    if (old && change && sqlite3_step(old) == SQLITE_ROW) {
        const char *what = bind_odd(of, change, 1, sqlite3_column_value(old, 0));
        sqlite3_step(change);
        forge_tell(of->story, "; %s.%s of row %d%s is %s", t->name, column, row,
                   all ? " and all" : "", what);
    }
    sqlite3_finalize(change);
    sqlite3_finalize(old);
}

/* A cell gets what another row, or another column, has there. */
static void take_over_cell(forgery *of)
{
    const forge_table *t = choose_table(of);
    const char *column = t->columns[forge_below(of->from, (uint32_t)t->column_count)];
    const char *other = t->columns[forge_below(of->from, (uint32_t)t->column_count)];
    int row = choose_row(of, t), from = choose_row(of, t);
    char where[FORGE_WHERE], there[FORGE_WHERE];
    if (forge_below(of->from, 4)) other = column;
    forge_row_where(t, row, where);
    forge_row_where(t, from, there);
    step(forge_prepare(of->db,
                       "UPDATE OR IGNORE \"%s\" SET \"%s\" = (SELECT \"%s\" FROM \"%s\" WHERE %s)"
                       " WHERE %s",
                       t->name, column, other, t->name, there, where));
    forge_tell(of->story, "; %s.%s of row %d is %s of row %d", t->name, column, row, other, from);
}

static void drop_rows(forgery *of)
{
    const forge_table *t = choose_table(of);
    int row = choose_row(of, t), all = forge_below(of->from, 8) == 0;
    char where[FORGE_WHERE];
    forge_row_where(t, row, where);
    step(forge_prepare(of->db, "DELETE FROM \"%s\" WHERE %s", t->name, all ? "true" : where));
    forge_tell(of->story, "; %s loses row %d%s", t->name, row, all ? " and all" : "");
}

/* A row again, under another key; or as many as a list can hardly hold. */
static void repeat_row(forgery *of)
{
    const forge_table *t = choose_table(of);
    char columns[1024] = "", *to = columns, where[FORGE_WHERE];
    int row = choose_row(of, t), times = forge_below(of->from, 12) ? 1 : 300;
    int changed = (int)forge_below(of->from, (uint32_t)t->column_count);
    bool numbered = strcmp(t->key, "rowid") == 0 && strcmp(t->columns[0], "id") == 0;
    for (int i = 0; i < t->column_count; i++) {
        const char *name = t->columns[i], *comma = i ? ", " : "";
        if (i == 0 && numbered)
            to += sprintf(to, "NULL");
        else if (i == changed)
            to += sprintf(to, "%s?1 + n", comma);
        else
            to += sprintf(to, "%s\"%s\"", comma, name);
    }
    forge_row_where(t, row, where);
    sqlite3_stmt *add = forge_prepare(
        of->db,
        "WITH RECURSIVE many(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM many WHERE n < %d)"
        " INSERT OR IGNORE INTO \"%s\" SELECT %s FROM \"%s\", many WHERE %s",
        times - 1, t->name, columns, t->name, where);
    if (add) sqlite3_bind_int64(add, 1, forge_integer(of->from, row));
    step(add);
    forge_tell(of->story, "; %s has row %d %d times more, %s another", t->name, row, times,
               t->columns[changed]);
}

/* References that go round, or all to one. */
static void turn_references(forgery *of)
{
    static const char *const ways[] = {
        "UPDATE OR IGNORE kept_part SET clip = (SELECT max(id) FROM clip)",
        "UPDATE OR IGNORE kept SET blob = (SELECT blob FROM kept LIMIT 1 OFFSET 1)",
        "UPDATE OR IGNORE clip SET motion = (SELECT motion FROM clip LIMIT 1 OFFSET 2)",
        "UPDATE OR IGNORE clip SET skeleton = (SELECT skeleton FROM clip ORDER BY id DESC LIMIT 1)",
        "UPDATE OR IGNORE clip SET removed = 1 - removed",
        "UPDATE OR IGNORE web SET a = b",
        "UPDATE OR IGNORE web SET a = b, b = a",
        "UPDATE OR IGNORE kept SET kind = 'graph', name = name || kind",
        "UPDATE OR IGNORE kept SET kind = 'family', name = name || kind",
        "UPDATE OR IGNORE clip SET provenance = '{\"made_by\":\"cut\",\"sources\":[{\"clip\":\"' ||"
        " name || '\",\"start\":0,\"end\":9}]}'",
        "UPDATE OR IGNORE clip SET provenance = '{\"made_by\":\"cut\",\"sources\":[{\"clip\":\"' ||"
        " (SELECT name FROM clip AS c WHERE c.id > clip.id) || '\",\"start\":0,\"end\":9}]}'",
        "UPDATE OR IGNORE history SET undone = 1 - undone",
        "UPDATE OR IGNORE history_part SET step = (SELECT max(id) FROM history)",
        "UPDATE OR IGNORE history_part SET place = -place",
        "UPDATE OR IGNORE layer SET clip = (SELECT min(id) FROM clip)",
        "UPDATE OR IGNORE edition SET last_clip = 9223372036854775807",
        "UPDATE OR IGNORE edition SET last_kept = 9223372036854775807, last_step ="
        " 9223372036854775807, number = 9223372036854775807",
        "UPDATE OR IGNORE clip SET id = id + 9223372036854775800 WHERE id < 8",
        "UPDATE OR IGNORE clip SET id = -id",
        "UPDATE OR IGNORE kept_part SET place = place - 1",
        "UPDATE OR IGNORE kept_part SET stop = start + 1",
        "UPDATE OR IGNORE kept_part SET start = start + 1, stop = stop + 1",
        "UPDATE OR IGNORE clip SET fps = fps * 1000",
        "UPDATE OR IGNORE clip SET frames = frames * 100000",
        "UPDATE OR IGNORE clip SET name = upper(name) || '\xcc\x81'",
        "UPDATE OR IGNORE contact SET stop = start + 1000000",
        "UPDATE OR IGNORE stretch SET start = 0, stop = 2147483647",
        "UPDATE OR IGNORE label SET label = clip || label",
    };
    uint32_t way = forge_below(of->from, sizeof ways / sizeof *ways);
    step(forge_prepare(of->db, "%s", ways[way]));
    forge_tell(of->story, "; %s", ways[way]);
}

void forge_rows(forgery *of)
{
    switch (forge_below(of->from, 10)) {
    case 0: drop_rows(of); break;
    case 1: repeat_row(of); break;
    case 2:
    case 3: take_over_cell(of); break;
    case 4: turn_references(of); break;
    default: change_cell(of);
    }
}

/* ---- a whole forgery ------------------------------------------------------------------------- */

enum { WRITE_VERSION = 18, READ_VERSION = 19, WAL = 2 };

static sqlite3 *open_base(forgery *of, bool loose)
{
    sqlite3 *db = NULL;
    size_t size = loose ? of->base->loose_size : of->base->size;
    unsigned char *copy = sqlite3_malloc64(size);
    forge_require(copy &&
                      sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                      NULL) == SQLITE_OK,
                  "a database in memory");
    memcpy(copy, loose ? of->base->loose : of->base->bytes, size);
    forge_require(sqlite3_deserialize(db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                      SQLITE_DESERIALIZE_FREEONCLOSE |
                                          SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK,
                  "the bytes are a database");
    return db;
}

static void step_with(sqlite3 *db, const char *sql, sqlite3_value *first, sqlite3_value *second)
{
    sqlite3_stmt *statement = forge_prepare(db, "%s", sql);
    if (statement) sqlite3_bind_value(statement, 1, first);
    if (statement) sqlite3_bind_value(statement, 2, second);
    step(statement);
}

/* What the columns of a loose one may be again, since the file must say so. */
static void tighten(forgery *of)
{
    sqlite3 *sound = open_base(of, false);
    sqlite3_stmt *row =
        forge_prepare(sound, "SELECT name, sql FROM sqlite_master WHERE type = 'table'");
    forge_run(of->db, "PRAGMA writable_schema = ON");
    while (sqlite3_step(row) == SQLITE_ROW)
        step_with(of->db, "UPDATE sqlite_master SET sql = ?1 WHERE type = 'table' AND name = ?2",
                  sqlite3_column_value(row, 1), sqlite3_column_value(row, 0));
    sqlite3_finalize(row);
    sqlite3_close(sound);
}

/* Bytes of pages, whatever they mean: of the first one seldom, which has the schema. */
static void change_pages(forgery *of, unsigned char *bytes, size_t size)
{
    int count = 1 + (int)forge_below(of->from, 6);
    forge_tell(of->story, "; pages:");
    for (int i = 0; i < count && size > MRY_PAGE_BYTES; i++) {
        uint32_t pages = (uint32_t)(size / MRY_PAGE_BYTES);
        size_t page = forge_below(of->from, 8) ? forge_below(of->from, pages) : 0;
        /* Most of what steers SQLite is at the beginning of a page. */
        uint32_t within = forge_below(of->from, 2) ? 64 : MRY_PAGE_BYTES;
        size_t at = page * MRY_PAGE_BYTES + forge_below(of->from, within);
        bytes[at] = forge_below(of->from, 2) ? (uint8_t)forge_integer(of->from, bytes[at])
                                             : (uint8_t)forge_bits(of->from);
        forge_tell(of->story, " %zu", at);
        of->story->schema |= page == 0;
    }
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    forge_require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0,
                  "a library can be written");
}

static void change_all(forgery *of, bool *pages)
{
    int times = forge_below(of->from, 4) ? 1 : 2 + (int)forge_below(of->from, 3);
    for (int i = 0; i < times; i++) {
        uint32_t kind = forge_below(of->from, 100);
        if (kind < 40)
            forge_rows(of);
        else if (kind < 86)
            forge_bytes(of);
        else if (kind < 93)
            forge_schema(of);
        else
            *pages = true;
    }
}

void forge_write(forge_choices *from, const char *path, forge_story *story)
{
    int which = from && forge_below(from, 16) == 0
                    ? (int)forge_below(from, (uint32_t)forge_sound.count)
                    : 0;
    forgery of = { .from = from, .story = story, .base = &forge_sound.items[which] };
    sqlite3_int64 size = 0;
    bool loose = from && forge_below(from, 16) == 0, pages = false;
    forge_tell(story, "base %d%s", which, loose ? ", loose" : "");
    forge_require(marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &of.ctx) == MAREY_OK,
                  "a context");
    of.mem = mry_arena_make(of.ctx);
    of.db = open_base(&of, loose);
    forge_run(of.db, "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; BEGIN");
    if (from)
        change_all(&of, &pages);
    else
        forge_same_bytes(&of);
    if (!sqlite3_get_autocommit(of.db)) forge_run(of.db, "COMMIT");
    if (loose) tighten(&of);
    unsigned char *bytes = sqlite3_serialize(of.db, "main", &size, 0);
    forge_require(bytes != NULL && size >= MRY_PAGE_BYTES, "a library can be put in a file");
    if (pages) change_pages(&of, bytes, (size_t)size);
    if (!story->schema || forge_below(from, 4)) bytes[WRITE_VERSION] = bytes[READ_VERSION] = WAL;
    for (int64_t i = 0; i < size / MRY_PAGE_BYTES; i++)
        mry_page_sum_put(bytes + i * MRY_PAGE_BYTES, i);
    write_file(path, bytes, (size_t)size);
    sqlite3_free(bytes);
    sqlite3_close(of.db);
    mry_arena_free(&of.mem);
    marey_ctx_close(of.ctx);
}
