/* fuzz_library.c - a sound library, changed at the places that the input names, with its page sums put right
   again: what the sums would catch is let through, so that SQLite, the tables and the records must cope. The
   first byte chooses: a whole file, or the records of one clip. */
#include "library/clip_record.h"
#include "store/page_sums.h"

#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static marey_ctx *open_ctx(void)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)128 << 20 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    return ctx;
}

/* A registration of the clip with a part of itself, and something that only rows are looked at of. */
static void keep_things(marey_ctx *ctx, marey_library *library)
{
    static const marey_part parts[] = { { 1, 0, 4 }, { 1, 0, 3 } };
    static const marey_keep_def def = { .about = "{}", .parts = parts, .part_count = 2 };
    marey_parts *opened;
    marey_registration *made;
    require(!marey_library_parts(library, parts, 2, &opened, NULL), "its parts open");
    require(!marey_registration_build(ctx, opened->clips, 2, opened->contacts, NULL, &made, NULL),
            "they are registered");
    require(!marey_library_keep_registration(library, "both", made, parts, NULL, NULL),
            "a registration is kept");
    require(!marey_library_keep(library, "web", "all", "bytes", 5, &def, NULL),
            "something is kept");
    marey_registration_free(made);
    marey_parts_free(opened);
}

static void make_base(void)
{
    marey_ctx *ctx = open_ctx();
    marey_library *library;
    marey_clip *clip;
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
    require(!marey_library_put(library, clip, "small", NULL, NULL, 0, NULL), "it can be put in");
    require(!marey_library_label(library, names, 1, "label", true, NULL), "it can be labelled");
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
    if (!marey_library_kept_list(library, NULL, &kept, NULL)) marey_kept_free(kept);
    if (!marey_library_kept(library, "web", "all", &kept, NULL)) marey_kept_free(kept);
    if (!marey_library_registration(library, "both", &parts, &registration, NULL)) {
        double first, last, rows[64];
        marey_registration_range(registration, &first, &last);
        marey_registration_times(registration, (first + last) / 2, rows, NULL);
        marey_registration_free(registration);
        marey_parts_free(parts);
    }
    marey_library_forget(library, "web", "all", NULL);
}

static void use_library(marey_ctx *ctx)
{
    marey_library *library;
    marey_listing *listing;
    marey_clip *clip;
    int64_t problems;
    marey_library_verify(ctx, base.path, ignore, NULL, &problems, NULL);
    if (marey_library_open(ctx, base.path, MAREY_LIBRARY_WRITE, &library, NULL)) return;
    if (!marey_library_list(library, &(marey_list_def){ .text = "small" }, &listing, NULL)) {
        marey_listing_free(listing);
    }
    if (!marey_library_load(library, "small", &clip, NULL)) {
        double place[3 * 2];
        if (marey_clip_skeleton(clip)->joint_count == 2) marey_clip_positions(clip, 0, 1, place);
        marey_clip_free(clip);
    }
    use_kept(library);
    marey_library_cut(library, "small", 1, 3, "part", NULL, 0, NULL);
    marey_library_close(library);
}

static void try_file(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(base.size);
    char beside[100];
    require(bytes != NULL, "there is memory");
    memcpy(bytes, base.bytes, base.size);
    change_bytes(bytes, base.size, data, size);
    for (size_t page = 0; page < base.size / MRY_PAGE_BYTES; page++) {
        mry_page_sum_put(bytes + page * MRY_PAGE_BYTES, (int64_t)page);
    }
    FILE *file = fopen(base.path, "wb");
    require(file && fwrite(bytes, 1, base.size, file) == base.size && fclose(file) == 0,
            "it can be written");
    free(bytes);
    marey_ctx *ctx = open_ctx();
    use_library(ctx);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    snprintf(beside, sizeof beside, "%s-wal", base.path);
    unlink(beside);
    snprintf(beside, sizeof beside, "%s-shm", base.path);
    unlink(beside);
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
    if (!mry_record_open(ctx, &stored, &back, NULL)) marey_clip_free(back);
    free(columns);
    mry_arena_free(&mem);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.bytes) make_base();
    if (size < 1) return 0;
    if (data[0] % 4 == 3) {
        try_file(data + 1, size - 1);
    } else {
        try_record(data + 1, size - 1, data[0] % 4);
    }
    return 0;
}
