/* hub_land.c - what workers have done for the hub, on its way back to the hub's thread. */
#include "hub_inside.h"

void hub_land(hub *all, landed *what)
{
    pthread_mutex_lock(&all->lock);
    what->next = all->landed;
    all->landed = what;
    pthread_mutex_unlock(&all->lock);
    hub_wake(all);
}

/* In the order in which they came. */
void hub_take_landed(landed *last)
{
    landed *first = NULL;
    while (last) {
        landed *before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    while (first) {
        landed *one = first;
        first = one->next;
        one->take(one);
    }
}
