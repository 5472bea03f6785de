/* hub_queue.c - what workers have done for the hub, on its way back to the hub's thread; its clock; numbers of messages. */
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

void hub_wake(hub *all)
{
    uint64_t one = 1;
    while (write(all->wakes, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void hub_give_back(hub *all, hub_return *done)
{
    pthread_mutex_lock(&all->lock);
    done->next = all->returned;
    all->returned = done;
    pthread_mutex_unlock(&all->lock);
    hub_wake(all);
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
