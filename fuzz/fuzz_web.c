/* fuzz_web.c - any bytes with a right sum behind them, read as a match web. What is read must be
   made of steps inside its grid, and must be the same after it was written and read again. */
#include "match/web_bits.h"
#include "store/store.h"

#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_web: not so: %s\n", what);
    abort();
}

static void check_step(marey_cell from, marey_cell to)
{
    int down = to.row - from.row, across = to.col - from.col;
    require(down >= 0 && across >= 0 && down <= 1 && across <= 1 && down + across > 0, "steps");
}

static void check_path(const marey_web *web, marey_web_path path)
{
    int rows, cols, chains, bridges;
    int64_t cells;
    marey_web_size(web, &rows, &cols, &chains, &bridges, &cells);
    for (int i = 0; i < path.count; i++) {
        marey_cell at = path.cells[i];
        require(at.row >= 0 && at.row < rows && at.col >= 0 && at.col < cols, "inside the grid");
        require(path.costs[i] >= 0 && isfinite(path.costs[i]), "costs that can be");
        if (i > 0) check_step(path.cells[i - 1], at);
    }
    if (!path.bridge) return;
    require(path.from >= 0 && path.from < chains && path.to >= 0 && path.to < chains, "chains");
    marey_web_path from = marey_web_path_at(web, path.from), to = marey_web_path_at(web, path.to);
    require(path.from_cell < from.count && path.to_cell < to.count, "cells of chains");
    marey_cell left = from.cells[path.from_cell];
    check_step(path.count ? path.cells[path.count - 1] : left, to.cells[path.to_cell]);
    if (path.count) check_step(left, path.cells[0]);
}

/* Returns what it is as bytes; NULL: not enough memory, which is allowed. */
static uint8_t *write_again(marey_ctx *ctx, const uint8_t *bytes, size_t size, size_t *written)
{
    marey_web *web = NULL;
    uint8_t *again = NULL;
    marey_status status = marey_web_read(ctx, bytes, size, &web, NULL);
    require((status == MAREY_OK) == (web != NULL), "nothing is made on failure");
    require(!status || marey_status_group(status) == MAREY_ERR_INPUT || status == MAREY_ERR_MEMORY,
            "known failures");
    if (!web) return NULL;
    for (int i = 0; i < marey_web_paths(web); i++) check_path(web, marey_web_path_at(web, i));
    if (marey_web_write(web, &again, written, NULL) != MAREY_OK) again = NULL;
    marey_web_free(web);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)256 << 20 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    uint8_t *bytes = malloc(size + MRY_WEB_SUM_BYTES);
    require(bytes != NULL, "memory can be had");
    if (size > 0) memcpy(bytes, data, size);
    uint64_t hash = mry_hash64(bytes, size, MRY_WEB_VERSION);
    for (int i = 0; i < MRY_WEB_SUM_BYTES; i++) bytes[size + (size_t)i] = (uint8_t)(hash >> 8 * i);
    size_t once = 0, twice = 0;
    uint8_t *first = write_again(ctx, bytes, size + MRY_WEB_SUM_BYTES, &once);
    if (first) {
        uint8_t *second = write_again(ctx, first, once, &twice);
        require(!second || (once == twice && memcmp(first, second, once) == 0), "the same bytes");
        marey_web_bytes_free(ctx, second, twice);
    }
    marey_web_bytes_free(ctx, first, once);
    free(bytes);
    marey_ctx_close(ctx);
    return 0;
}
