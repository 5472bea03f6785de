/* json_reserve.c - see json_reserve.h. One piece after the other; when the last one that is in use
   came back, the next begins at the start. */
#include "json_reserve.h"

#include <jansson.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { RESERVE = 4 << 20, STEP = 16 };

static _Alignas(STEP) unsigned char room[RESERVE];
static size_t used, pieces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *lend(size_t size)
{
    void *piece = NULL;
    pthread_mutex_lock(&lock);
    if (pieces == 0) used = 0;
    if (size <= RESERVE - used) {
        piece = room + used;
        used += (size + STEP - 1) / STEP * STEP;
        pieces++;
    }
    pthread_mutex_unlock(&lock);
    return piece;
}

static void *take(size_t size)
{
    void *block = malloc(size);
    return block || size > RESERVE ? block : lend(size);
}

static void give(void *block)
{
    uintptr_t at = (uintptr_t)block, start = (uintptr_t)room;
    if (at < start || at >= start + RESERVE) {
        free(block);
        return;
    }
    pthread_mutex_lock(&lock);
    pieces--;
    pthread_mutex_unlock(&lock);
}

void json_reserve_lend(void)
{
    json_set_alloc_funcs(take, give);
}
