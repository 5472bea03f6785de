/* sqlite_faults.h - a disk that fails or is watched, and a memory that refuses, below SQLite. Both
   are the process's, as SQLite's own are: install them once, before the first store is opened, then
   set what is to fail. Counting is safe from several threads. The memory goes first: it restarts
   SQLite, which forgets that the disk is its default. */
#ifndef MAREY_TEST_SQLITE_FAULTS_H
#define MAREY_TEST_SQLITE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TEST_DISK_OPEN = 1,
    TEST_DISK_READ = 2,
    TEST_DISK_WRITE = 4,
    TEST_DISK_SYNC = 8,
    TEST_DISK_TRUNCATE = 16,
    TEST_DISK_DELETE = 32,
    TEST_DISK_SHM = 64,   /* mapping the shared memory beside the file */
    TEST_DISK_LOCK = 128, /* taking a lock; giving one back never fails */
    TEST_DISK_SIZE = 256,
    TEST_DISK_ALL = 511,
    TEST_DISK_FOLDER = 512 /* syncing a folder, which is only watched */
};

/* What SQLite had done to a file, and how. */
typedef struct test_disk_deed {
    int kind; /* OPEN where that may make a file, WRITE, TRUNCATE, SYNC, DELETE, FOLDER */
    const char *path;
    const void *bytes; /* that were written, so many, from `start` on */
    int64_t start;     /* also: the size that a file was cut to */
    int count;
} test_disk_deed;

typedef struct test_disk {
    int kinds;
    long fail; /* call number of the chosen kinds that fails, counted from 0; -1: none */
    bool from_then_on;
    bool full;       /* writes say that the disk is full, not that it is broken */
    bool kill;       /* instead of failing, the process ends by SIGKILL in front of the call */
    long calls;      /* of the chosen kinds so far */
    long open_files; /* now */
    /* Called for each deed that was done, of deletions and folders that is about to be done. */
    void (*watch)(void *user, const test_disk_deed *deed);
    void *watch_user;
} test_disk;

test_disk *test_disk_install(void); /* the same object on every call */
void test_disk_heal(void);          /* nothing fails; counts from 0 */

typedef struct test_sqlite_memory {
    long refuse; /* as in test_memory */
    bool from_then_on;
    long calls;
    long live;
} test_sqlite_memory;

/* Ends and restarts SQLite, so nothing may be open. */
test_sqlite_memory *test_sqlite_memory_install(void);

#endif
