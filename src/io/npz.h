/* npz.h - arrays as NumPy stores them: one in a .npy file, several by name in a .npz, which is a zip
   archive of them. Nothing that such a file says is believed: sizes are compared with the bytes that
   are there, and bounded, before memory is taken. Readers of points and of AMASS files use it.

       mry_npz zip;
       mry_array poses;
       status = mry_npz_open(&zip, tmp, bytes, count, path, error);
       int found = status ? -1 : mry_npz_find(&zip, "poses");
       if (found >= 0) status = mry_npz_array(&zip, found, &poses);
       .. poses.dims == 2: mry_array_number(&poses, frame * poses.shape[1] + column) .. */
#ifndef MRY_NPZ_H
#define MRY_NPZ_H

#include "base/arena.h"

enum { MRY_ARRAY_DIMS = 4 };

typedef struct mry_array {
    /* 'f': floats of 4 or 8 bytes. 'i', 'u', 'b': integers of 1, 2, 4 or 8, the last of 0 and 1.
       'U': texts of 4 bytes a character, 'S': of one. */
    char kind;
    /* Bytes of an item; of a text all of its characters. */
    int size;
    bool high_first, fortran;
    int dims;
    int64_t shape[MRY_ARRAY_DIMS], items;
    const uint8_t *data;
} mry_array;

/* Reads an array's header; its data stay where they are. Returns what is wrong with it, or NULL. With
   `header_only` the data need not be there. */
const char *mry_npy_parse(const uint8_t *bytes, size_t count, bool header_only, mry_array *out);

/* Makes the header of an array in C order, "<f4" or so; `room` must be 256 or more. Its length. */
size_t mry_npy_header(char *header, size_t room, const char *type, const int64_t *shape, int dims);

/* Item `i` as a number, counted in C order whatever the order in the file; NAN if it is a text. */
double mry_array_number(const mry_array *array, int64_t i);

/* Item `i` of a list of texts, as UTF-8 in `mem`; NULL: out of memory. */
char *mry_array_text(const mry_array *array, int64_t i, mry_arena *mem);

typedef struct mry_npz_entry {
    const char *name; /* of the array, without .npy */
    int method;       /* 0: stored; 8: deflate */
    bool encrypted;
    uint32_t sum;
    uint64_t packed, size, offset;
} mry_npz_entry;

typedef struct mry_npz {
    mry_arena *tmp; /* everything lives in it */
    const uint8_t *bytes;
    size_t count;
    const char *path;
    marey_error *error;
    mry_npz_entry *entries;
    int entry_count;
} mry_npz;

/* Lists what an archive holds. The bytes are borrowed.
   Errors: INPUT: no zip archive, or damaged. LIMIT: too many entries. MEMORY. */
marey_status mry_npz_open(mry_npz *zip, mry_arena *tmp, const uint8_t *bytes, size_t count,
                          const char *path, marey_error *error);

/* The number of the first array of this name, in any case, or -1. */
int mry_npz_find(const mry_npz *zip, const char *name);

/* Unpacks an array, one that mry_npz_find found.
   Errors: INPUT: damaged, or of a kind that is not read, such as pickled objects. LIMIT: it would
     become too large, or grow too much. MEMORY. */
marey_status mry_npz_array(mry_npz *zip, int entry, mry_array *out);

/* Its header alone, with no data; its kind is 0 if it has none that is read.
   Errors: MEMORY. */
marey_status mry_npz_look(const mry_npz *zip, int entry, mry_array *out);

#endif
