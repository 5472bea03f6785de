/* test_library_schema.c - libraries whose schema was forged: views in place of tables, triggers,
   tables that are missing, changed or too many. Libraries are files that people send each other, so
   SQL inside one is hostile. Nothing of it is ever run: the library is refused before a table is
   touched, by every command, and verify says what differs. */
#include "program_lines.h"

#include "library/library_data.h"
#include "store/store_inside.h"

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("walk.bvh", 12);
    write_person("step.bvh", 9);
    test_run_well("marey add base.marey walk.bvh --label gait --quiet");
    *state = &place;
    return 0;
}

/* Runs SQL that may do anything, on a connection that keeps page sums right. */
static void forge(const char *path, const char *sql)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    sqlite3 *db = NULL;
    char *why = NULL;
    assert_int_equal(mry_connect(&tmp, path, SQLITE_OPEN_READWRITE, "", &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", sql, why);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- the corpus ------------------------------------------------------------------------------ */

#define SCHEMA(name, from, to)                                                                     \
    "UPDATE sqlite_master SET sql = replace(sql, '" from "', '" to "') WHERE name = '" name "'"
#define ROW(type, name, sql)                                                                       \
    "INSERT INTO sqlite_master VALUES('" type "', '" name "', '" name "', 0, '" sql "')"
#define WHAT "the library's schema "

static const struct {
    const char *sql, *says;
} corpus[] = {
    /* SQL that would be run */
    { "CREATE TRIGGER evil AFTER INSERT ON label BEGIN DELETE FROM clip; END",
      WHAT "has an unexpected trigger evil" },
    { "CREATE TRIGGER label AFTER UPDATE ON clip BEGIN DELETE FROM blob; END",
      WHAT "has an unexpected trigger label" },
    { "DROP TABLE label; CREATE VIEW label(clip, label) AS WITH RECURSIVE r(x) AS"
      " (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x, 'a' FROM r",
      WHAT "has an unexpected view label (and 2 more differences)" },
    { "CREATE VIEW sly AS SELECT 1", WHAT "has an unexpected view sly" },
    { "ALTER TABLE label ADD COLUMN sly TEXT AS (upper(label))", WHAT "has a changed table label" },
    { "CREATE INDEX sly ON clip(abs(fps)) WHERE frames > 1", WHAT "has an unexpected index sly" },
    { SCHEMA("clip", "contacts_set INTEGER NOT NULL DEFAULT 0",
             "contacts_set INTEGER NOT NULL DEFAULT (random())"),
      WHAT "has a changed table clip" },
    { SCHEMA("label", "label TEXT NOT NULL", "label TEXT NOT NULL CHECK(length(label) > 9)"),
      WHAT "has a changed table label" },
    { SCHEMA("clip_name", "removed = 0", "removed + 1"), WHAT "has a changed index clip_name" },
    /* tables that are there no more, or are others */
    { "DROP TABLE words", WHAT "lacks the table words (and " },
    { "DROP TABLE words_docsize", WHAT "lacks the table words_docsize" },
    { "DROP INDEX clip_name", WHAT "lacks the index clip_name" },
    { "CREATE TABLE extra(x)", WHAT "has an unexpected table extra" },
    { "CREATE TABLE \"e\x1b[31m\"(x)", WHAT "has an unexpected table e?[31m" },
    { "CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT)",
      WHAT "has an unexpected table counted (and 1 more difference)" },
    { "CREATE INDEX sly ON clip(description)", WHAT "has an unexpected index sly" },
    { "CREATE VIRTUAL TABLE sly USING fts5(x)", WHAT "has an unexpected table sly (and " },
    { SCHEMA("clip", "fps REAL", "fps TEXT"), WHAT "has a changed table clip" },
    { SCHEMA("clip", "name TEXT", "name TEXT COLLATE NOCASE"), WHAT "has a changed table clip" },
    { SCHEMA("label", "ON DELETE CASCADE", ""), WHAT "has a changed table label" },
    { SCHEMA("kept", "UNIQUE(kind, name)", "UNIQUE(name, kind)"), WHAT "has a changed table kept" },
    { "ALTER TABLE clip RENAME COLUMN source TO origin", WHAT "has a changed table clip" },
    { SCHEMA("words", "name, labels", "name, content = clip, labels"),
      WHAT "has a changed table words" },
    { SCHEMA("words_data", "block BLOB", "block TEXT"), WHAT "has a changed table words_data" },
    { SCHEMA("words_idx", "PRIMARY KEY(segid, term)", "PRIMARY KEY(term, segid)"),
      WHAT "has a changed table words_idx" },
    /* rows that lie about what they are; some of these SQLite finds by itself */
    { "UPDATE sqlite_master SET type = 'view' WHERE name = 'contact'", WHAT },
    { "UPDATE sqlite_master SET type = 'spy' WHERE name = 'contact'", WHAT },
    { "UPDATE sqlite_master SET tbl_name = 'clip' WHERE name = 'skeleton'", WHAT },
    { "INSERT INTO sqlite_master SELECT type, 'sqlite_schema', 'sqlite_schema', rootpage,"
      " 'CREATE TABLE sqlite_schema(type, name, tbl_name, rootpage, sql)' FROM sqlite_master"
      " WHERE name = 'contact'",
      WHAT },
    { ROW("table", "sqlite_stat1", "CREATE VIEW sqlite_stat1(tbl, idx, stat) AS SELECT 1, 2, 3"),
      WHAT },
    { ROW("view", "sqlite_stat4", "CREATE VIEW sqlite_stat4 AS SELECT 1"),
      WHAT "has an unexpected view sqlite_stat4" },
    { ROW("table", "skeleton", "CREATE VIEW sly AS SELECT 1"), WHAT },
    { "UPDATE sqlite_master SET sql = 'CREATE TABLE label(' WHERE name = 'label'",
      WHAT "is damaged: malformed database schema (label)" },
    { "UPDATE sqlite_master SET name = NULL WHERE name = 'label'", WHAT },
    /* more than any library has */
    { "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000)"
      " INSERT INTO sqlite_master SELECT 'view', 'v' || x, 'v' || x, 0,"
      " 'CREATE VIEW v' || x || ' AS SELECT 1' FROM n",
      WHAT "is larger than that of any library" },
    { "INSERT INTO sqlite_master VALUES('view', 'long', 'long', 0,"
      " 'CREATE VIEW long AS SELECT ''' || replace(hex(zeroblob(500000)), '0', 'x') || '''')",
      WHAT "is larger than that of any library" },
    { "INSERT INTO sqlite_master VALUES('view', replace(hex(zeroblob(500000)), '0', 'x'), 'long',"
      " 0, 'CREATE VIEW long AS SELECT 1')",
      WHAT "is larger than that of any library" },
    /* the list of one version under the number of another */
    { "PRAGMA user_version = 7", WHAT "has a changed table edition (and " },
    { "PRAGMA user_version = 6", WHAT "has a changed table clip (and " },
    { "PRAGMA user_version = 5", WHAT "has a changed table clip (and " },
    { "PRAGMA user_version = 4", WHAT "has a changed table clip (and " },
    { "PRAGMA user_version = 3", WHAT "has a changed table clip (and " },
    { "PRAGMA user_version = 0", "not a marey library" },
    { "PRAGMA user_version = 9",
      "made by a newer marey (schema 9; this one knows 8); open it with that one, or " },
    { "PRAGMA user_version = -2147483648", "not a marey library" },
};
enum { CORPUS = sizeof corpus / sizeof *corpus };

typedef struct heard {
    int count;
    char said[400]; /* the last one */
} heard;

static void hear(void *user, const char *problem)
{
    heard *to = user;
    to->count++;
    snprintf(to->said, sizeof to->said, "%s", problem);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(a_forged_schema_is_refused_before_any_table_is_touched)
{
    for (int i = 0; i < CORPUS; i++) {
        test_file_copy("base.marey", "lib.marey");
        forge("lib.marey", corpus[i].sql);
        test_file_copy("lib.marey", "forged.marey");
        OWNED(marey_ctx) *ctx = test_ctx();
        for (int mode = MAREY_LIBRARY_READ; mode <= MAREY_LIBRARY_CREATE; mode++) {
            marey_library *library = NULL;
            test_refused_about(marey_library_open(ctx, "lib.marey", (marey_library_mode)mode,
                                                  &library, &test_error),
                               MAREY_ERR_INPUT, corpus[i].says);
            assert_null(library);
            assert_int_equal(marey_ctx_bytes(ctx), 0);
        }
        heard found = { 0 };
        int64_t problems = 0;
        test_ok(marey_library_verify(ctx, "lib.marey", hear, &found, &problems, &test_error));
        if (problems != 1 || found.count != 1 || !strstr(found.said, corpus[i].says))
            fail_msg("%s: verify: %s", corpus[i].sql, found.said);
        test_same_file("lib.marey", "forged.marey");
        assert_int_not_equal(access("lib.marey-wal", F_OK), 0);
    }
}

/* What was forged is refused by the same words where another library says what it should be; one of
   the corpus that was analyzed, or is of an earlier version, is opened beside it. */
CASE(a_forged_schema_is_refused_beside_a_sound_one)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *sound = NULL;
    test_file_copy("base.marey", "sound.marey");
    forge("sound.marey", "ANALYZE");
    test_ok(marey_library_open(ctx, "sound.marey", MAREY_LIBRARY_READ, &sound, &test_error));
    for (int i = 0; i < CORPUS; i++) {
        marey_library *library = NULL;
        test_file_copy("base.marey", "lib.marey");
        forge("lib.marey", corpus[i].sql);
        test_refused_about(marey_library_open_beside(sound, "lib.marey", MAREY_LIBRARY_READ,
                                                     &library, &test_error),
                           MAREY_ERR_INPUT, corpus[i].says);
        assert_null(library);
    }
    for (int version = 1; version <= 9; version++) {
        OWNED(marey_library) *library = NULL;
        char path[300] = "base.marey";
        if (version < 9)
            snprintf(path, sizeof path, "%s/libraries/schema-%d.marey", MAREY_TEST_DATA, version);
        test_file_copy(path, "lib.marey");
        test_ok(marey_library_open_beside(sound, "lib.marey", MAREY_LIBRARY_READ, &library,
                                          &test_error));
        int count = 0;
        test_ok(marey_library_count(library, false, &count, &test_error));
        assert_true(count > 0);
    }
}

/* Around the number at which reading it is given up, wherever that happens. */
CASE(a_schema_of_any_size_is_refused_as_input)
{
    for (int count = 1; count < 3000; count += 1 + count / 8) {
        char sql[400];
        test_file_copy("base.marey", "lib.marey");
        snprintf(sql, sizeof sql,
                 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < %d)"
                 " INSERT INTO sqlite_master SELECT 'view', 'v' || x, 'v' || x, 0,"
                 " 'CREATE VIEW v' || x || ' AS SELECT 1' FROM n",
                 count);
        forge("lib.marey", sql);
        test_fails("marey ls lib.marey", 1, WHAT);
    }
}

static const char *const lines[] = {
    "marey ls lib.marey",
    "marey ls lib.marey gait --json",
    "marey info -L lib.marey walk",
    "marey positions -L lib.marey walk -o out.npy",
    "marey export lib.marey --all -o out",
    "marey convert -L lib.marey walk out.bvh",
    "marey convert step.bvh lib.marey:made",
    "marey add lib.marey step.bvh",
    "marey cut lib.marey walk#1-3 part",
    "marey label lib.marey walk --add evil",
    "marey rename lib.marey walk run",
    "marey rm lib.marey walk",
    "marey rm lib.marey walk --purge",
    "marey restore lib.marey walk",
    "marey index lib.marey",
    "marey compare -L lib.marey walk walk",
    "marey loop -L lib.marey walk -o out.bvh",
    "marey render -L lib.marey walk -o out.png",
    "marey graph ls lib.marey",
    "marey param ls lib.marey",
    "marey cluster ls lib.marey",
    "marey puppet ls lib.marey",
};

/* A view that never ends, a trigger that deletes every clip, a missing table. */
CASE(every_command_refuses_a_forged_schema_and_changes_nothing)
{
    static const int rows[] = { 0, 2, 9 };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        test_file_copy("base.marey", "lib.marey");
        forge("lib.marey", corpus[rows[k]].sql);
        test_file_copy("lib.marey", "forged.marey");
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            test_fails(lines[i], 1, corpus[rows[k]].says);
        test_run run = test_run_make();
        assert_int_equal(test_run_line(&run, "marey verify lib.marey --json"), 1);
        assert_non_null(strstr(run.out.bytes, "\"ok\":false"));
        assert_non_null(strstr(run.out.bytes, corpus[rows[k]].says));
        test_run_free(&run);
        test_same_file("lib.marey", "forged.marey");
    }
    assert_int_not_equal(access("out.bvh", F_OK), 0);
    assert_int_not_equal(access("out", F_OK), 0);
}

CASE(what_analyze_vacuum_and_other_blanks_leave_is_no_difference)
{
    static const char *const harmless[] = { "ANALYZE", "VACUUM", SCHEMA("label", " ", "   ") };
    FREED char *before = test_answer("marey ls base.marey --json");
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        test_file_copy("base.marey", "lib.marey");
        forge("lib.marey", harmless[i]);
        FREED char *after = test_answer("marey ls lib.marey --json");
        assert_string_equal(after, before);
        test_run_well("marey verify lib.marey --quiet");
        test_run_well("marey label lib.marey walk --add more --quiet");
        test_run_well("marey rm lib.marey walk --purge --quiet");
    }
}

/* A step would run what a trigger, or a view in place of a table, says. */
CASE(an_earlier_schema_is_compared_before_it_is_brought_up_to_date)
{
    for (int version = 1; version <= mry_library_schema.step_count; version++) {
        char kept[600], lower[64];
        snprintf(kept, sizeof kept, "%s/libraries/schema-%d.marey", MAREY_TEST_DATA, version);
        test_file_copy(kept, "lib.marey");
        test_run_well("marey ls lib.marey --quiet");
        test_run_well("marey verify lib.marey --quiet");
        test_run_well("marey label lib.marey wave --add old --quiet"); /* climbs */
        test_run_well("marey verify lib.marey --quiet");
        for (int i = 0; i < CORPUS; i++) {
            if (strstr(corpus[i].sql, "kept") || strstr(corpus[i].sql, "user_version")) continue;
            if (!test_is_long() && (i + version) % 3) continue; /* each row with some versions */
            test_file_copy(kept, "lib.marey");
            forge("lib.marey", corpus[i].sql);
            test_file_copy("lib.marey", "forged.marey");
            test_fails("marey ls lib.marey", 1, corpus[i].says);
            test_fails("marey label lib.marey wave --add old", 1, corpus[i].says);
            test_same_file("lib.marey", "forged.marey");
        }
        snprintf(lower, sizeof lower, "PRAGMA user_version = %d", version - 1);
        test_file_copy(kept, "lib.marey");
        forge("lib.marey", lower);
        test_fails("marey ls lib.marey", 1,
                   version > 1 ? "the library's schema has" : "not a marey");
    }
}

TEST_GROUP_OF_CASES(test_library_schema, NULL, NULL)
