/* gltf_file.h - the container of a glTF 2.0 file (.glb or .gltf): its JSON, its buffers, and numbers
   out of them. Read by gltf_read.c. Nothing in the file is believed: every offset, length and index
   is checked before it is used. */
#ifndef MRY_GLTF_FILE_H
#define MRY_GLTF_FILE_H

#include "base/scan.h"

#include <jansson.h>

typedef struct mry_gltf_buffer {
    const uint8_t *bytes; /* NULL: not looked for yet */
    size_t count;
} mry_gltf_buffer;

typedef struct mry_gltf_file {
    mry_scan *scan;
    mry_arena *tmp;
    json_t *root;
    mry_gltf_buffer own; /* the BIN chunk of a .glb */
    mry_gltf_buffer *buffers;
    int buffer_count;
    size_t size;  /* bytes that were read, all files together */
    double taken; /* bytes that mry_gltf_numbers made of them */
} mry_gltf_file;

/* Reads the file at `scan`. Close with mry_gltf_close, on failure too. INPUT, IO, MEMORY,
   CANCELLED. */
marey_status mry_gltf_open(mry_gltf_file *file, mry_scan *scan, mry_arena *tmp);
void mry_gltf_close(mry_gltf_file *file);

/* Fails for the file with a message. */
__attribute__((format(printf, 2, 3))) marey_status mry_gltf_fail(const mry_gltf_file *file,
                                                                 const char *format, ...);

/* The items of a list of the object, NULL if it has none; and how many there are. */
const json_t *mry_gltf_list(const json_t *object, const char *key, int *count);

/* A whole number of an object that lies in [0, most]; -1: there is none; -2: it is something else. */
int64_t mry_gltf_index(const json_t *object, const char *key, int64_t most);

/* Up to `count` finite numbers of a list of the object; false: it has none, or not so many, or
   others. */
bool mry_gltf_values(const json_t *object, const char *key, double *values, int count);

/* The numbers of an accessor whose elements have so many components, as floats: integers that are
   said to be normalised become -1 .. 1 or 0 .. 1, sparse ones are put in. *count elements; they live
   in file->tmp. INPUT, IO, MEMORY. */
marey_status mry_gltf_numbers(mry_gltf_file *file, int64_t accessor, int components, float **out,
                              int *count);

#endif
