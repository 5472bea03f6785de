/* forge_base.c - the sound libraries that forgeries begin with. The first is made by commands, so
   that it has whatever these write today; the others are the kept files of earlier schemas. */
#include "changed_bytes.h"
#include "forge.h"
#include "library/library_data.h"
#include "program.h"
#include "store/page_sums.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

forge_bases forge_sound;

/* ---- commands -------------------------------------------------------------------------------- */

typedef struct said {
    char *bytes;
    size_t used;
} said;

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    (void)user, (void)old_size;
    if (size) return realloc(old, size);
    free(old);
    return NULL;
}

static int keep(void *user, const char *bytes, size_t count)
{
    said *to = user;
    to->bytes = realloc(to->bytes, to->used + count + 1);
    require(to->bytes != NULL, "there is memory");
    memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
    to->bytes[to->used] = 0;
    return 0;
}

/* '@' stands for the folder, quotes keep blanks. The answer is to be freed. */
static char *command(const char *line)
{
    char room[2048], *words[48], *to = room;
    said out = { 0 }, err = { 0 };
    int count = 0;
    for (const char *at = line; *at; at++) {
        forge_require(to < room + sizeof room - sizeof forge_sound.folder, "a command fits");
        if (*at == '@')
            to += snprintf(to, sizeof forge_sound.folder, "%s", forge_sound.folder);
        else
            *to++ = *at;
    }
    *to = 0;
    for (char *at = room; *(at += strspn(at, " "));) {
        char end = *at == '\'' ? *at++ : ' ';
        words[count++] = at;
        at += strcspn(at, (char[]){ end, 0 });
        if (*at) *at++ = 0;
    }
    words[count] = NULL;
    program_host host = { .def = { .resize = resize, .threads = 1 },
                          .out = { keep, &out },
                          .err = { keep, &err } };
    keep(&out, "", 0);
    keep(&err, "", 0);
    int status = program_run(&host, count, words);
    if (status != 0) fprintf(stderr, "%s: %s\n", line, err.bytes);
    forge_require(status == 0, "a command that makes the sound library is done");
    free(err.bytes);
    return out.bytes;
}

static void write_text(const char *name, const char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", forge_sound.folder, name);
    FILE *file = fopen(path, "wb");
    require(file && fwrite(text, 1, size, file) == size && fclose(file) == 0, "a file is written");
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0, "a file can be read");
    *size = (size_t)ftell(file);
    char *bytes = malloc(*size + 1);
    rewind(file);
    require(bytes && fread(bytes, 1, *size, file) == *size, "a file can be read whole");
    fclose(file);
    bytes[*size] = 0;
    return bytes;
}

/* ---- the one with everything ----------------------------------------------------------------- */

/* Bodies: of the demo (a, b, k), with few joints (w0 to w2), of three joints (dot). Purging comes
   first, since it clears the history; what is undone last can be redone. pair3 has lost a clip. */
static const char *const lines[] = {
    "marey demo @/demo --take walk_left --take kicks --quiet",
    "marey convert @/demo/walk_left.bvh @/a.bvh --trim 0.5s-1.75s --fps 24 --quiet",
    "marey convert @/demo/walk_left.bvh @/b.bvh --trim 1.75s-3s --fps 24 --quiet",
    "marey convert @/demo/kicks.bvh @/k.bvh --trim 1s-2s --fps 24 --quiet",
    "marey add @/all.marey @/a.bvh @/b.bvh @/k.bvh @/w0.bvh @/w1.bvh @/w2.bvh @/dot.bvh --label"
    " gait --licence 'CC BY-NC 4.0' --quiet",
    "marey convert @/k.bvh @/all.marey:lost --mirror --quiet",
    "marey blend -L @/all.marey w0 w1 --weights 0.5,0.5 -o @/all.marey:mix --quiet",
    "marey clean -L @/all.marey lost -o @/all.marey:round --quiet",
    "marey puppet train -L @/all.marey --clips a lost -o shy --quiet",
    "marey align -L @/all.marey a lost --save pair3 --quiet",
    "marey rm @/all.marey lost --purge --quiet",
    "marey convert @/w0.bvh @/all.marey:gone --quiet",
    "marey label @/all.marey a#5-20 k#3-15 --add step --quiet",
    "marey label @/all.marey k --add kick --describe 'a front kick' --quiet",
    "marey doctor @/all.marey dot w2 --fix all --quiet",
    "marey set @/all.marey w1 --mark 0-3 --source-fps 25 --quiet",
    "marey contacts -L @/all.marey a --set @/plants.json --quiet",
    "marey map -L @/all.marey a w0 --set @/map.json --quiet",
    "marey index @/all.marey --web --ceiling none --quiet",
    "marey align -L @/all.marey a b --save pair --quiet",
    "marey align -L @/all.marey w0 w1 w2 --save three --quiet",
    "marey param build @/all.marey fam --clips a#0-20,a#9-29,b#0-20,b#9-29 --samples 20 --keep-all"
    " --feature 'position(right_wrist)' --quiet",
    "marey graph build @/all.marey g a b --threshold 3000 --quiet",
    "marey graph train @/all.marey g --directions 8 --speeds 0,100 --quiet",
    "marey graph build @/all.marey joined w0 w2 --kind connected --threshold 1000 --quiet",
    "marey cluster build @/all.marey c a b k --threshold 60 --quiet",
    "marey puppet train -L @/all.marey --ready follower --rate 10 -o dog --quiet",
    "marey cut @/all.marey a#5-25 part --quiet",
    "marey rm @/all.marey gone --quiet",
    "marey rename @/all.marey part piece --quiet",
    "marey undo @/all.marey --quiet",
};

static void put_picture(const char *path)
{
    marey_ctx *ctx = open_ctx();
    marey_library *library;
    require(!marey_library_open(ctx, path, MAREY_LIBRARY_WRITE, &library, NULL), "it opens");
    require(!marey_library_keep_picture(library, 1, "strip-480x96-1", 0, "a picture", 9, NULL),
            "a picture is kept");
    marey_library_close(library);
    marey_ctx_close(ctx);
}

/* Of a walk: the root is lost in some frames, as dropouts leave it. */
static void write_dot(void)
{
    static const char skeleton[] =
        HEAD JOINT("Spine", "0 40 1") END("0 20 0") "}\n}\nMOTION\nFrames: 40\nFrame Time: 0.04\n";
    char text[sizeof skeleton + 40 * 80];
    int used = snprintf(text, sizeof text, "%s", skeleton);
    for (int f = 0; f < 40; f++) {
        bool lost = f >= 20 && f < 23;
        used += snprintf(text + used, sizeof text - (size_t)used, "%.2f %.3f 2 0 0 5 %.3f 5 0\n",
                         lost ? 0 : 2.0 * f, lost ? 0 : 90 + 2 * sin(f * 0.4),
                         lost ? 0 : 20 * sin(f * 0.4));
    }
    write_text("dot.bvh", text, (size_t)used);
}

static void make_first(char *path, size_t room)
{
    char file[96];
    enum { PLANTS = 16, MAP = 17 };
    make_walks(3);
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "w%d.bvh", i);
        write_text(file, base.clip[i], strlen(base.clip[i]));
    }
    forge_sound.clip = base.clip[0];
    write_dot();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *answer = NULL;
        if (i == PLANTS) answer = command("marey contacts -L @/all.marey a --json");
        if (i == MAP) answer = command("marey map -L @/all.marey a w0 --json");
        if (answer) write_text(i == PLANTS ? "plants.json" : "map.json", answer, strlen(answer));
        free(answer);
        free(command(lines[i]));
    }
    snprintf(path, room, "%s/all.marey", forge_sound.folder);
    put_picture(path);
    free(command("marey index @/all.marey --web --ceiling none --shard 1/1 --out @/webs --quiet"));
    snprintf(file, sizeof file, "%s/webs", forge_sound.folder);
    forge_sound.shard = read_all(file, &forge_sound.shard_size);
}

/* ---- as SQLite may change them --------------------------------------------------------------- */

enum { WRITE_VERSION = 18, READ_VERSION = 19, ROLLBACK = 1 };

static sqlite3 *open_bytes(const unsigned char *bytes, size_t size)
{
    sqlite3 *db = NULL;
    unsigned char *copy = sqlite3_malloc64(size);
    require(copy && sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK,
            "a database in memory");
    memcpy(copy, bytes, size);
    require(sqlite3_deserialize(db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) ==
                SQLITE_OK,
            "the bytes are a database");
    return db;
}

static void list_columns(sqlite3 *db, forge_table *table)
{
    bool keyed = false;
    sqlite3_stmt *row =
        forge_prepare(db, "SELECT name, pk FROM pragma_table_info('%s')", table->name);
    while (sqlite3_step(row) == SQLITE_ROW && table->column_count < FORGE_MOST_COLUMNS) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        snprintf(table->columns[table->column_count++], sizeof *table->columns, "%s", name);
        if (!sqlite3_column_int(row, 1)) continue;
        strcat(strcat(table->key, keyed ? ", " : ""), name);
        keyed = true;
    }
    sqlite3_finalize(row);
    row = forge_prepare(db, "SELECT rowid FROM \"%s\"", table->name);
    if (row) snprintf(table->key, sizeof table->key, "rowid");
    sqlite3_finalize(row);
}

static void list_tables(sqlite3 *db, forge_base *to)
{
    sqlite3_stmt *row =
        forge_prepare(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE"
                          " 'CREATE TABLE%%' ORDER BY name");
    while (sqlite3_step(row) == SQLITE_ROW && to->table_count < FORGE_MOST_TABLES) {
        forge_table *table = &to->tables[to->table_count];
        snprintf(table->name, sizeof table->name, "%s", (const char *)sqlite3_column_text(row, 0));
        if (forge_count(db, table->name) == 0) continue;
        list_columns(db, table);
        to->table_count++;
    }
    sqlite3_finalize(row);
}

static void take_base(const char *path)
{
    forge_base *to = &forge_sound.items[forge_sound.count++];
    sqlite3_int64 size = 0;
    to->bytes = (unsigned char *)read_all(path, &to->size);
    to->bytes[WRITE_VERSION] = to->bytes[READ_VERSION] = ROLLBACK;
    sqlite3 *db = open_bytes(to->bytes, to->size);
    list_tables(db, to);
    forge_require(forge_run(db, "PRAGMA writable_schema = ON") &&
                      forge_run(db, "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')"
                                    " WHERE sql LIKE 'CREATE TABLE%%'"),
                  "a schema can be loosened");
    to->loose = sqlite3_serialize(db, "main", &size, 0);
    to->loose_size = (size_t)size;
    require(to->loose != NULL, "it can be written");
    sqlite3_close(db);
}

static void remove_below(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char inside[512];
        snprintf(inside, sizeof inside, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && unlink(inside) != 0) remove_below(inside);
        free(names[i]);
    }
    if (count >= 0) free(names);
    rmdir(path);
}

static void forget_folder(void)
{
    remove_below(forge_sound.folder);
}

void forge_make_bases(void)
{
    char path[256];
    if (forge_sound.count > 0) return;
    snprintf(forge_sound.folder, sizeof forge_sound.folder, "%s/marey-forge-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    require(mkdtemp(forge_sound.folder) != NULL, "there is a folder to work in");
    atexit(forget_folder);
    make_first(path, sizeof path);
    take_base(path);
    for (int i = 1; i < mry_library_schema.step_count; i++) {
        snprintf(path, sizeof path, "%s/libraries/schema-%d.marey", MAREY_TEST_DATA, i);
        take_base(path);
    }
}
