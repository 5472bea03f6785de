/* hub_queue.c - what workers have done for the hub, on its way back to the hub's thread; its clock
   and contexts; numbers of messages. */
#include "live.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

int64_t hub_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool hub_open_context(hub *h, marey_ctx **out)
{
    marey_ctx_def def = { .resize = heap_resize, .resize_user = &h->of->memory, .threads = 1 };
    bool opened = marey_ctx_open(&def, out) == MAREY_OK;
    if (!opened) *out = NULL;
    return opened;
}

void hub_wake(hub *h)
{
    uint64_t one = 1;
    while (write(h->wakes, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void hub_give_back(hub *h, hub_return *done)
{
    pthread_mutex_lock(&h->lock);
    done->next = h->returned;
    h->returned = done;
    pthread_mutex_unlock(&h->lock);
    hub_wake(h);
}

/* In the order in which they came. */
void hub_take_back(hub_return *last)
{
    hub_return *first = NULL;
    while (last) {
        hub_return *before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    while (first) {
        hub_return *one = first;
        first = one->next;
        one->take(one);
    }
}

double message_number(const json_t *message, const char *name, double absent)
{
    const json_t *value = json_object_get(message, name);
    if (!value || json_is_null(value)) return absent;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool message_whole(const json_t *message, const char *name, double least, double most,
                   double absent, int64_t *out)
{
    double value = message_number(message, name, absent);
    if (!(value >= least && value <= most) || value != floor(value)) return false;
    *out = (int64_t)value;
    return true;
}
