/* power_disk.h - what lies on a disk whose power fails. What SQLite does to one file, and to those
   beside it whose names begin with its name, is noted below SQLite; then, for every moment of it,
   disks are made that a power loss may leave there.

   What was synced is there. Of what was not, anything may be: each write or cut by itself, all or
   part of it, in any order, sector by sector; in sectors that were being written, old, new and
   random bytes. Bytes that were not written stay: the system's VFS says
   SQLITE_IOCAP_POWERSAFE_OVERWRITE, and SQLite relies on that (https://www.sqlite.org/psow.html). A
   file that became longer may have its new size and random bytes there, since the VFS does not say
   SQLITE_IOCAP_SAFE_APPEND. New and deleted names are certain once their folder was synced, and
   until then each may be there or not, whatever happened to the file's bytes. */
#ifndef MAREY_TEST_POWER_DISK_H
#define MAREY_TEST_POWER_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- noting ---------------------------------------------------------------------------------- */

typedef struct power_record power_record;

/* What is there at the beginning is certain. `path` is absolute and free of links;
   test_disk_install comes first, before any file is opened. Deaf: no sync counts, as on a disk that
   only says that it did. */
power_record *power_record_begin(const char *path, bool deaf);
void power_record_end(power_record *record); /* of noting; the record stays */
void power_record_free(power_record *record);
int power_record_events(const power_record *record);
int power_record_syncs(const power_record *record);

/* ---- what is left ---------------------------------------------------------------------------- */

/* How the power fails. What is left to chance differs with the seed. */
typedef enum power_loss {
    POWER_ALL,     /* nothing is lost: the program was killed */
    POWER_NONE,    /* what was not synced is lost */
    POWER_TORN,    /* all up to some write, which is torn between two sectors of 512 bytes */
    POWER_SOME,    /* each write or not */
    POWER_LATE,    /* the last ones, and none before these */
    POWER_FILES,   /* all of some files, nothing of others */
    POWER_SECTORS, /* each sector of 512 bytes as it was at some moment since the last sync */
    POWER_PAGES,   /* the same of 4096 bytes */
    POWER_BYTES,   /* the same of 512, some of them torn inside or random where they were written */
    POWER_SIZES,   /* files as long as they were, nothing but random bytes in what is new */
    POWER_LOSSES
} power_loss;

extern const char *const power_loss_names[POWER_LOSSES];

enum { POWER_FILES_MOST = 8 };

typedef struct power_file {
    const char *ending; /* behind the name of the file, "" of itself */
    unsigned char *bytes;
    size_t size;
} power_file;

typedef struct power_image {
    power_file files[POWER_FILES_MOST];
    int count;
    uint64_t hash; /* of names and bytes */
} power_image;

/* A disk on which the record happens again, event by event; none has at first. */
typedef struct power_disk power_disk;

power_disk *power_disk_make(const power_record *record);
void power_disk_free(power_disk *disk);
bool power_disk_next(power_disk *disk);         /* false: the record is at its end */
int power_disk_at(const power_disk *disk);      /* events that happened */
bool power_disk_synced(const power_disk *disk); /* the last of them was a sync of a file */
/* It was SQLite's word that all before it is there for good: that a transaction was committed. */
bool power_disk_promised(const power_disk *disk);
const char *power_disk_last(const power_disk *disk); /* the last of them, for messages */

void power_disk_fail(const power_disk *disk, power_loss loss, uint64_t seed, power_image *out);
void power_image_free(power_image *image);
void power_image_write(const power_image *image, const char *path); /* in place of what is there */

#endif
