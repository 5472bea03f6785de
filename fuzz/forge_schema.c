/* forge_schema.c - what a library says that it consists of is changed: other tables and columns,
   triggers, views, generated columns, functions and checks that would run, indexes that lie, counts
   for the planner, versions. */
#include "forge.h"

#include <string.h>

/* Statements that SQLite runs itself. */
static const char *const added[] = {
    "CREATE TABLE more(a, b)",
    "CREATE TABLE more(a INTEGER PRIMARY KEY, b AS (a + 1), c DEFAULT (hex(randomblob(9999))))",
    "CREATE TRIGGER evil AFTER UPDATE ON clip BEGIN DELETE FROM clip; END",
    "CREATE TRIGGER evil AFTER INSERT ON label BEGIN UPDATE clip SET removed = 1; END",
    "CREATE TRIGGER evil BEFORE DELETE ON kept BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE TRIGGER evil AFTER INSERT ON edition BEGIN INSERT INTO edition SELECT * FROM edition;"
    " END",
    "CREATE VIEW look AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
    " max(i) FROM n",
    "ALTER TABLE clip ADD COLUMN more TEXT",
    "ALTER TABLE clip ADD COLUMN more AS (randomblob(1000000))",
    "ALTER TABLE label ADD COLUMN more DEFAULT 5",
    "ALTER TABLE clip DROP COLUMN licence",
    "ALTER TABLE kept RENAME COLUMN about TO aside",
    "ALTER TABLE label RENAME TO tag",
    "ALTER TABLE blob RENAME TO blobs",
    "DROP TABLE label",
    "DROP TABLE edition",
    "DROP TABLE words",
    "DROP TABLE history_part",
    "DROP TABLE web_settings",
    "DROP INDEX clip_name",
    "DROP INDEX clip_hash",
    "DROP INDEX kept_blob",
    "DROP TABLE picture; CREATE VIEW picture AS SELECT id AS clip, name AS kind, 5 AS sum, about AS"
    " bytes FROM clip",
    "DROP TABLE edition; CREATE TABLE edition(id, number, last_clip, last_kept, last_step)",
    "DROP TABLE contact; CREATE TABLE contact(clip TEXT, joint TEXT, start TEXT, stop TEXT)",
    "DROP TABLE stretch; CREATE TABLE stretch(clip INTEGER NOT NULL REFERENCES clip(id) ON DELETE"
    " CASCADE, label TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER AS (start + 1), PRIMARY"
    " KEY(clip, label, start)) WITHOUT ROWID",
    "CREATE INDEX odd ON clip(abs(frames))",
    "CREATE INDEX odd ON clip(name) WHERE length(hex(zeroblob(frames))) > 5",
    "CREATE UNIQUE INDEX odd ON label(label)",
    "CREATE VIRTUAL TABLE vt USING fts5(a, b, tokenize = 'porter')",
    "CREATE VIRTUAL TABLE vt USING fts5vocab('words', 'row')",
    "CREATE VIRTUAL TABLE vt USING rtree(a, b, c)",
    "CREATE TABLE more(a CHECK(a IN (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM"
    " n) SELECT i FROM n)))",
    "ANALYZE",
    "ANALYZE; UPDATE sqlite_stat1 SET stat = '1'",
    "ANALYZE; UPDATE sqlite_stat1 SET stat = '9223372036854775807 9999999999 1 1 1 1 1 1'",
    "ANALYZE; UPDATE sqlite_stat1 SET stat = '-5 x unordered noskipscan sz=0', idx = 'nothing'",
    "ANALYZE; UPDATE sqlite_stat1 SET tbl = idx",
    "ANALYZE; INSERT INTO sqlite_stat1 SELECT 'clip', 'clip_name', zeroblob(100000) FROM clip",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 5",
    "PRAGMA user_version = 7",
    "PRAGMA user_version = 9",
    "PRAGMA user_version = -1",
    "PRAGMA user_version = 2147483647",
    "PRAGMA application_id = 5",
    "PRAGMA application_id = 0",
    "INSERT INTO words(words, rank) VALUES('pgsz', 64)",
    "INSERT INTO words(words, rank) VALUES('usermerge', 16)",
    "INSERT INTO words(words) VALUES('delete-all')",
};

/* What writes past SQLite's own rules into its list of objects. */
static const char *const rewritten[] = {
    "UPDATE sqlite_master SET sql = replace(sql, 'INTEGER NOT NULL', 'TEXT')",
    "UPDATE sqlite_master SET sql = replace(sql, 'INTEGER', 'BLOB') WHERE name = 'contact'",
    "UPDATE sqlite_master SET sql = replace(sql, ' WITHOUT ROWID', '')",
    "UPDATE sqlite_master SET sql = sql || ' WITHOUT ROWID' WHERE name = 'kept'",
    "UPDATE sqlite_master SET sql = replace(sql, 'name TEXT', 'name AS (hex(zeroblob(1000)))')"
    " WHERE name = 'clip'",
    "UPDATE sqlite_master SET sql = replace(sql, 'name TEXT', 'name DEFAULT (zeroblob(100000000))')"
    " WHERE name = 'clip'",
    "UPDATE sqlite_master SET sql = NULL WHERE name = 'label'",
    "UPDATE sqlite_master SET sql = zeroblob(70000) WHERE name = 'label'",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE ' || hex(zeroblob(40000)) || '(a)' WHERE name ="
    " 'label'",
    "UPDATE sqlite_master SET rootpage = 1 WHERE name = 'label'",
    "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'blob')"
    " WHERE name = 'clip'",
    "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name ="
    " 'clip_name') WHERE name = 'clip_hash'",
    "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = "
    "'stretch')"
    " WHERE name = 'contact'",
    "UPDATE sqlite_master SET rootpage = 2147483647 WHERE name = 'history'",
    "UPDATE sqlite_master SET rootpage = 0 WHERE name = 'kept'",
    "UPDATE sqlite_master SET rootpage = -1 WHERE name = 'kept'",
    "UPDATE sqlite_master SET type = 'view' WHERE name = 'picture'",
    "UPDATE sqlite_master SET type = 'x' WHERE name = 'clip_name'",
    "UPDATE sqlite_master SET name = 'clip' WHERE name = 'label'",
    "UPDATE sqlite_master SET tbl_name = 'clip' WHERE name = 'label'",
    "UPDATE sqlite_master SET name = upper(name), tbl_name = upper(tbl_name)",
    "UPDATE sqlite_master SET sql = upper(sql)",
    "UPDATE sqlite_master SET sql = replace(sql, ' ', char(10))",
    "UPDATE sqlite_master SET sql = replace(sql, 'clip', '\"clip\"') WHERE name = 'label'",
    "UPDATE sqlite_master SET sql = sql || ' -- ' WHERE name = 'clip'",
    "UPDATE sqlite_master SET sql = replace(sql, 'ON DELETE CASCADE', 'ON DELETE SET NULL')",
    "UPDATE sqlite_master SET sql = replace(sql, 'REFERENCES clip(id)', 'REFERENCES label(label)')",
    "UPDATE sqlite_master SET sql = replace(sql, 'fts5(', 'fts5(x, ')",
    "UPDATE sqlite_master SET sql = replace(sql, 'fts5(', 'fts4(')",
    "UPDATE sqlite_master SET sql = replace(sql, 'prefix = ''2 3''', 'content=''clip''')",
    "INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = 'clip'",
    "INSERT INTO sqlite_master VALUES('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT * FROM v')",
    "INSERT INTO sqlite_master VALUES('trigger', 't', 'clip', 0, 'CREATE TRIGGER t AFTER UPDATE ON"
    " clip BEGIN SELECT load_extension(''x''); END')",
    "INSERT INTO sqlite_master VALUES('table', 'sqlite_sequence', 'sqlite_sequence', 2, 'CREATE"
    " TABLE sqlite_sequence(name,seq)')",
    "INSERT INTO sqlite_master VALUES('table', 'sqlite_stat1', 'sqlite_stat1', 2, 'CREATE TABLE"
    " sqlite_stat1(tbl,idx,stat)')",
    "INSERT INTO sqlite_master VALUES('table', 'sqlite_stat4', 'sqlite_stat4', 2, 'CREATE TABLE"
    " sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO"
    " sqlite_master SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || '(a)' FROM n",
    "DELETE FROM sqlite_master WHERE type = 'index'",
    "DELETE FROM sqlite_master WHERE name = 'clip_name'",
    "DELETE FROM sqlite_master WHERE name LIKE 'words%'",
    "DELETE FROM sqlite_master",
};

enum { ADDED = sizeof added / sizeof *added, REWRITTEN = sizeof rewritten / sizeof *rewritten };

/* Statements of several commands end a change and begin the next. */
void forge_schema(forgery *of)
{
    uint32_t way = forge_below(of->from, ADDED + REWRITTEN);
    const char *sql = way < ADDED ? added[way] : rewritten[way - ADDED];
    of->story->schema = true;
    if (strncmp(sql, "PRAGMA", 6) != 0 || sqlite3_get_autocommit(of->db)) {
        forge_run(of->db, "%s", sql);
    } else {
        forge_run(of->db, "COMMIT");
        forge_run(of->db, "%s", sql);
        forge_run(of->db, "BEGIN");
    }
    forge_tell(of->story, "; %s", sql);
}
