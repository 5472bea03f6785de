/* demo_family.h - the family that the demo's library has: right reaches of the larger body, by where the wrist goes. Read by
   cmd_demo.c. */
#ifndef MAREY_TOOL_DEMO_FAMILY_H
#define MAREY_TOOL_DEMO_FAMILY_H

#include "families.h"
#include "session.h"

#define DEMO_FAMILY "reach"

typedef struct demo_reaches {
    int count;
    struct {
        const char *take;
        int start, end;
    } items[APP_MOST_EXAMPLES];
} demo_reaches;

/* Notes the reaches of a take; where they are is known from its truth. `name` lives as long. */
void demo_reaches_note(demo_reaches *all, const marey_demo_take *take, const char *name);

/* Builds the family and keeps it. Too few reaches make none, and *kept is false. The same bytes for any number of threads. */
marey_status demo_reaches_keep(const demo_reaches *all, session *run, marey_library *library,
                               bool *kept, marey_error *error);

/* Is this kept thing one that demo made, and not somebody's work? */
bool demo_made_it(const marey_kept_entry *entry);

#endif
