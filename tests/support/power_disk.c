/* power_disk.c - a list of what was done to files, and files that are made of its beginning. A file
   is not its name: a log that is deleted and made again is two files, and the name may lead to
   either until its folder was synced.

       durable bytes   writes and cuts since the last sync, in their order
       [..........] + [w][w][cut][w]...                                     one for each file
       durable file    files that the name led to since the folder was synced
       3            + [none][4]...                                          one for each name */
#include "power_disk.h"

#include "sqlite_faults.h"
#include "store/store.h"
#include "support.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum event_kind { MADE, WRITTEN, CUT, SYNCED, DELETED, FOLDER, PROMISED } event_kind;

typedef struct event {
    event_kind kind;
    int name, file; /* FOLDER, PROMISED: neither */
    int64_t start;  /* CUT: the size */
    size_t count;
    unsigned char *bytes;
} event;

typedef struct name {
    char ending[40];
    int file; /* now; -1: there is none */
} name;

struct power_record {
    char path[512];
    bool deaf;
    name names[POWER_FILES_MOST];
    int first[POWER_FILES_MOST]; /* the file that a name led to at the beginning */
    int name_count, file_count;
    struct {
        unsigned char *bytes;
        size_t size;
    } found[POWER_FILES_MOST]; /* bytes of the first files */
    int found_count;
    event *events;
    int count, room, syncs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* several threads may use files */

/* ---- noting ---------------------------------------------------------------------------------- */

static void *grown(void *old, size_t size)
{
    void *fresh = realloc(old, size ? size : 1);
    if (!fresh) abort();
    return fresh;
}

static int name_of(power_record *r, const char *path)
{
    size_t length = strlen(r->path);
    if (strncmp(path, r->path, length) != 0) return -1;
    for (int i = 0; i < r->name_count; i++)
        if (strcmp(path + length, r->names[i].ending) == 0) return i;
    if (r->name_count == POWER_FILES_MOST || strlen(path + length) >= sizeof r->names->ending)
        abort();
    name *fresh = &r->names[r->name_count];
    strcpy(fresh->ending, path + length);
    fresh->file = -1;
    r->first[r->name_count] = -1;
    return r->name_count++;
}

static void note(power_record *r, event one)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->events = grown(r->events, (size_t)r->room * sizeof *r->events);
    }
    r->events[r->count++] = one;
}

static void watch(void *user, const test_disk_deed *deed)
{
    power_record *r = user;
    pthread_mutex_lock(&lock);
    int i = name_of(r, deed->path);
    name *of = i >= 0 ? &r->names[i] : NULL;
    event one = { .name = i, .file = of ? of->file : -1, .start = deed->start };
    if (of && deed->kind == TEST_DISK_OPEN && of->file < 0) {
        one.kind = MADE;
        one.file = of->file = r->file_count++;
        note(r, one);
    } else if (of && of->file >= 0 && deed->kind == TEST_DISK_WRITE) {
        one.kind = WRITTEN;
        one.count = (size_t)deed->count;
        one.bytes = grown(NULL, one.count);
        memcpy(one.bytes, deed->bytes, one.count);
        note(r, one);
    } else if (of && of->file >= 0 && deed->kind == TEST_DISK_TRUNCATE) {
        one.kind = CUT;
        note(r, one);
    } else if (of && of->file >= 0 && deed->kind == TEST_DISK_SYNC) {
        one.kind = SYNCED;
        r->syncs++;
        note(r, one);
    } else if (of && of->file >= 0 && deed->kind == TEST_DISK_DELETE) {
        one.kind = DELETED;
        of->file = -1;
        note(r, one);
    } else if (of && deed->kind == TEST_DISK_FOLDER) {
        one.kind = FOLDER;
        note(r, one);
    }
    pthread_mutex_unlock(&lock);
}

/* A statement ended outside of any transaction: what it and all before it did is promised. SQLite
   says so behind the commit; hooks that ask for less are SQLite's own, or are called before it. */
static power_record *noting;

static int note_end(unsigned kind, void *db, void *statement, void *unused)
{
    pthread_mutex_lock(&lock);
    const char *file = sqlite3_db_filename(db, "main");
    bool ours = noting && file && strcmp(file, noting->path) == 0 && sqlite3_get_autocommit(db);
    if (ours && noting->count > 0 && noting->events[noting->count - 1].kind != PROMISED)
        note(noting, (event){ .kind = PROMISED, .name = -1, .file = -1 });
    pthread_mutex_unlock(&lock);
    (void)kind;
    (void)statement;
    (void)unused;
    return 0;
}

static int trace_database(sqlite3 *db, char **error, const void *functions)
{
    (void)error;
    (void)functions;
    return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, note_end, db);
}

power_record *power_record_begin(const char *path, bool deaf)
{
    static const char *const endings[] = { "", "-wal", "-journal" };
    test_disk *disk = test_disk_install();
    power_record *r = calloc(1, sizeof *r);
    snprintf(r->path, sizeof r->path, "%s", path);
    r->deaf = deaf;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char file[600];
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        if (access(file, F_OK) != 0) continue;
        int at = name_of(r, file);
        r->first[at] = r->names[at].file = r->file_count++;
        r->found[r->found_count].bytes =
            (unsigned char *)test_file_read(file, &r->found[r->found_count].size);
        r->found_count++;
    }
    noting = r;
    sqlite3_auto_extension((void (*)(void))trace_database);
    disk->watch_user = r;
    disk->watch = watch;
    return r;
}

void power_record_end(power_record *r)
{
    if (noting == r) noting = NULL;
    sqlite3_cancel_auto_extension((void (*)(void))trace_database);
    test_disk_install()->watch = NULL;
}

void power_record_free(power_record *r)
{
    for (int i = 0; i < r->count; i++) free(r->events[i].bytes);
    for (int i = 0; i < r->found_count; i++) free(r->found[i].bytes);
    free(r->events);
    free(r);
}

int power_record_events(const power_record *r)
{
    return r->count;
}

int power_record_syncs(const power_record *r)
{
    return r->syncs;
}

/* ---- happening again ------------------------------------------------------------------------- */

typedef struct waiting { /* for a sync: numbers, of events or files */
    int *items;
    int count, room;
} waiting;

typedef struct disk_file {
    unsigned char *bytes; /* durable */
    size_t size;
    waiting events;
} disk_file;

typedef struct disk_name {
    int file; /* durable; -1: none */
    waiting files;
} disk_name;

struct power_disk {
    const power_record *record;
    disk_file *files;
    disk_name names[POWER_FILES_MOST];
    int at;
};

static void wait_for_sync(waiting *list, int item)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->items = grown(list->items, (size_t)list->room * sizeof *list->items);
    }
    list->items[list->count++] = item;
}

power_disk *power_disk_make(const power_record *r)
{
    power_disk *d = calloc(1, sizeof *d);
    d->record = r;
    d->files = calloc((size_t)r->file_count + 1, sizeof *d->files);
    for (int i = 0; i < r->found_count; i++) {
        d->files[i].size = r->found[i].size;
        d->files[i].bytes = grown(NULL, r->found[i].size);
        memcpy(d->files[i].bytes, r->found[i].bytes, r->found[i].size);
    }
    for (int i = 0; i < POWER_FILES_MOST; i++) d->names[i].file = r->first[i];
    return d;
}

void power_disk_free(power_disk *d)
{
    for (int i = 0; i < d->record->file_count; i++) {
        free(d->files[i].bytes);
        free(d->files[i].events.items);
    }
    for (int i = 0; i < POWER_FILES_MOST; i++) free(d->names[i].files.items);
    free(d->files);
    free(d);
}

int power_disk_at(const power_disk *d)
{
    return d->at;
}

bool power_disk_synced(const power_disk *d)
{
    return d->at > 0 && d->record->events[d->at - 1].kind == SYNCED;
}

bool power_disk_promised(const power_disk *d)
{
    return d->at > 0 && d->record->events[d->at - 1].kind == PROMISED;
}

const char *power_disk_last(const power_disk *d)
{
    static const char *const kinds[] = { "new",      "write",  "cut",    "sync",
                                         "deletion", "folder", "promise" };
    static char text[80];
    if (d->at == 0) return "nothing";
    const event *last = &d->record->events[d->at - 1];
    snprintf(text, sizeof text, "%s of %s", kinds[last->kind],
             last->name >= 0 ? d->record->names[last->name].ending : "");
    return text;
}

/* ---- losing ---------------------------------------------------------------------------------- */

typedef struct losing {
    power_loss loss;
    uint64_t seed;
    int count;     /* events of the file that wait */
    double moment; /* 0 .. 1: where among them the power failed, for losses that have one */
    bool whole;    /* POWER_FILES */
    unsigned char *bytes;
    size_t size, room;
} losing;

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void make_longer(losing *l, size_t size, bool random)
{
    if (size <= l->size) return;
    if (size > l->room) {
        l->room = 2 * size;
        l->bytes = grown(l->bytes, l->room);
    }
    for (size_t i = l->size; i < size; i++)
        l->bytes[i] = random ? (unsigned char)(mixed(l->seed, i) >> 24) : 0;
    l->size = size;
}

static void put(losing *l, size_t start, const unsigned char *bytes, size_t count)
{
    make_longer(l, start + count, false);
    memcpy(l->bytes + start, bytes, count);
}

/* The part of a write that lies in one sector, where each has a moment of its own up to which its
   writes are kept. Later ones may have been under way. */
static void put_in_sector(losing *l, int at, size_t sector, size_t start,
                          const unsigned char *bytes, size_t count)
{
    uint64_t luck = mixed(l->seed, sector), under_way = mixed(luck, (uint64_t)at);
    int kept = (int)(luck % (uint64_t)(l->count + 1));
    if (at < kept) {
        put(l, start, bytes, count);
    } else if (l->loss == POWER_BYTES && under_way >> 63) {
        size_t part = (size_t)(under_way >> 20) % (count + 1);
        put(l, start, bytes, part);
        if (under_way >> 62 == 3) return;
        make_longer(l, start + count, true);
        for (size_t i = part; i < count; i++)
            l->bytes[start + i] = (unsigned char)(mixed(under_way, i) >> 24);
    }
}

static void write_some(losing *l, int at, const event *one)
{
    size_t start = (size_t)one->start, end = start + one->count;
    int failed = (int)(l->moment * (l->count + 1));
    bool kept = false;
    switch (l->loss) {
    case POWER_ALL: kept = true; break;
    case POWER_NONE:
    case POWER_LOSSES: break;
    case POWER_TORN:
        kept = at < failed;
        if (at == failed) {
            size_t sectors = (end + 511) / 512 - start / 512;
            size_t torn = (start / 512 + mixed(l->seed, 5) % (sectors + 1)) * 512;
            if (torn > end) torn = end;
            if (torn > start) put(l, start, one->bytes, torn - start);
        }
        break;
    case POWER_SOME: kept = mixed(l->seed, (uint64_t)at) >> 63; break;
    case POWER_LATE: kept = at >= failed; break;
    case POWER_FILES: kept = l->whole; break;
    case POWER_SECTORS:
    case POWER_PAGES:
    case POWER_BYTES: {
        size_t sector = l->loss == POWER_PAGES ? 4096 : 512;
        for (size_t from = start, to; from < end; from = to) {
            to = (from / sector + 1) * sector < end ? (from / sector + 1) * sector : end;
            put_in_sector(l, at, from / sector, from, one->bytes + (from - start), to - from);
        }
        break;
    }
    case POWER_SIZES: make_longer(l, end, true); break;
    }
    if (kept) put(l, start, one->bytes, one->count);
}

static void cut_some(losing *l, int at, const event *one)
{
    int failed = (int)(l->moment * (l->count + 1));
    bool kept = l->loss == POWER_ALL || (l->loss == POWER_TORN && at < failed) ||
                (l->loss == POWER_LATE && at >= failed) || (l->loss == POWER_FILES && l->whole) ||
                l->loss == POWER_SIZES;
    bool by_chance = l->loss == POWER_SOME || l->loss == POWER_SECTORS || l->loss == POWER_PAGES ||
                     l->loss == POWER_BYTES;
    if (!kept && !(by_chance && mixed(l->seed, (uint64_t)at) >> 63)) return;
    make_longer(l, (size_t)one->start, false);
    l->size = (size_t)one->start;
}

/* The bytes that a file has; `seed` differs from file to file. */
static losing lose(const power_disk *d, int file, power_loss loss, uint64_t seed)
{
    const disk_file *of = &d->files[file];
    losing l = { .loss = loss, .seed = mixed(seed, (uint64_t)file), .count = of->events.count };
    l.moment = (double)(mixed(l.seed, 1) >> 11) * 0x1p-53;
    l.whole = mixed(l.seed, 2) >> 63;
    l.room = l.size = of->size;
    l.bytes = grown(NULL, of->size);
    if (of->size) memcpy(l.bytes, of->bytes, of->size);
    for (int i = 0; i < of->events.count; i++) {
        const event *one = &d->record->events[of->events.items[i]];
        if (one->kind == WRITTEN) write_some(&l, i, one);
        if (one->kind == CUT) cut_some(&l, i, one);
    }
    return l;
}

bool power_disk_next(power_disk *d)
{
    const power_record *r = d->record;
    if (d->at == r->count) return false;
    const event *one = &r->events[d->at++];
    switch (one->kind) {
    case MADE: wait_for_sync(&d->names[one->name].files, one->file); break;
    case DELETED: wait_for_sync(&d->names[one->name].files, -1); break;
    case WRITTEN:
    case CUT: wait_for_sync(&d->files[one->file].events, d->at - 1); break;
    case SYNCED: {
        if (r->deaf) break;
        disk_file *of = &d->files[one->file];
        losing all = lose(d, one->file, POWER_ALL, 0);
        free(of->bytes);
        of->bytes = all.bytes;
        of->size = all.size;
        of->events.count = 0;
        break;
    }
    case PROMISED: break;
    case FOLDER:
        for (int i = 0; i < r->name_count && !r->deaf; i++) {
            waiting *files = &d->names[i].files;
            if (files->count) d->names[i].file = files->items[files->count - 1];
            files->count = 0;
        }
        break;
    }
    return true;
}

void power_disk_fail(const power_disk *d, power_loss loss, uint64_t seed, power_image *out)
{
    *out = (power_image){ .hash = 1 };
    for (int i = 0; i < d->record->name_count; i++) {
        const disk_name *of = &d->names[i];
        int count = of->files.count, kept = loss == POWER_ALL ? count : 0;
        if (loss > POWER_NONE)
            kept = (int)(mixed(seed, 1000 + (uint64_t)i) % (uint64_t)(count + 1));
        int file = kept ? of->files.items[kept - 1] : of->file;
        if (file < 0) continue;
        losing left = lose(d, file, loss, seed);
        const char *ending = d->record->names[i].ending;
        out->files[out->count++] = (power_file){ ending, left.bytes, left.size };
        out->hash = mry_hash64(ending, strlen(ending), out->hash);
        out->hash = mry_hash64(left.bytes, left.size, out->hash);
    }
}

void power_image_free(power_image *image)
{
    for (int i = 0; i < image->count; i++) free(image->files[i].bytes);
}

void power_image_write(const power_image *image, const char *path)
{
    static const char *const endings[] = { "",         "-wal",       "-shm",
                                           "-journal", "-migrating", "-migrating-journal" };
    char file[600];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
    for (int i = 0; i < image->count; i++) {
        snprintf(file, sizeof file, "%s%s", path, image->files[i].ending);
        test_file_write(file, image->files[i].bytes, image->files[i].size);
    }
    /* What a program shared with others through memory may be there, or anything else. */
    if (image->hash % 2) {
        unsigned char shared[32768];
        for (size_t i = 0; i < sizeof shared; i++)
            shared[i] = (unsigned char)(mixed(image->hash, i) >> 24);
        snprintf(file, sizeof file, "%s-shm", path);
        test_file_write(file, shared, sizeof shared);
    }
}

const char *const power_loss_names[POWER_LOSSES] = {
    "nothing lost", "all lost",    "torn",       "some lost", "late kept",
    "files lost",   "512 sectors", "4096 pages", "bytes",     "sizes kept",
};
