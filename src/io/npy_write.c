/* npy_write.c - arrays of numbers as NumPy files, format version 1.0, and whole files of bytes. */
#include "base/fail.h"
#include "base/file.h"
#include "io/npz.h"

#include <marey/io.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Magic, version, header length, header; padded so that the data starts at a multiple of 64. */
size_t mry_npy_header(char *header, size_t room, const char *type, const int64_t *shape, int dims)
{
    static const char magic[] = "\x93NUMPY\x01\x00";
    size_t start = 10, n = start;
    memset(header, ' ', room);
    memcpy(header, magic, 8);
    n += (size_t)snprintf(header + n, room - n,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < dims; i++) {
        n += (size_t)snprintf(header + n, room - n, "%" PRId64 ",%s", shape[i],
                              i + 1 < dims ? " " : "");
    }
    n += (size_t)snprintf(header + n, room - n, "), }");
    header[n] = ' ';
    size_t end = (n + 1 + 63) / 64 * 64;
    header[end - 1] = '\n';
    header[8] = (char)((end - start) & 0xff);
    header[9] = (char)((end - start) >> 8);
    return end;
}

/* Rows that lie `stride` numbers apart, each of `row` bytes. */
static marey_status save(marey_ctx *ctx, const char *path, const char *header, size_t header_bytes,
                         const float *values, int64_t rows, size_t row, size_t stride,
                         marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_writer out;
    uint64_t most = header_bytes + (uint64_t)rows * row;
    marey_status status = mry_writer_open(&out, &tmp, path, most, error);
    if (!status) {
        mry_writer_bytes(&out, header, header_bytes);
        for (int64_t i = 0; i < rows && !mry_writer_failed(&out); i++) {
            mry_writer_bytes(&out, values + (size_t)i * stride, row);
        }
        status = mry_writer_commit(&out, error);
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_npy_save(marey_ctx *ctx, const char *path, const float *values,
                            const int64_t *shape, int dims, marey_error *error)
{
    char header[256];
    size_t count = sizeof *values;
    assert(dims >= 1 && dims <= 4);
    for (int i = 0; i < dims; i++) count *= (size_t)shape[i];
    size_t header_bytes = mry_npy_header(header, sizeof header, "<f4", shape, dims);
    return save(ctx, path, header, header_bytes, values, 1, count, 0, error);
}

marey_status marey_npy_save_rows(marey_ctx *ctx, const char *path, const float *values, int rows,
                                 int cols, size_t stride, marey_error *error)
{
    char header[256];
    const int64_t shape[2] = { rows, cols };
    size_t header_bytes = mry_npy_header(header, sizeof header, "<f4", shape, 2);
    return save(ctx, path, header, header_bytes, values, rows, (size_t)cols * sizeof *values,
                stride, error);
}

marey_status marey_file_save(marey_ctx *ctx, const char *path, const void *bytes, size_t count,
                             marey_error *error)
{
    return save(ctx, path, bytes, count, NULL, 0, 0, 0, error);
}
