/* near_name.h - which name was meant by one that there is not. Read alone. */
#ifndef MAREY_APP_NEAR_NAME_H
#define MAREY_APP_NEAR_NAME_H

#include <stdbool.h>

/* Longer names are not compared. */
enum { LONGEST_NAME = 32 };

/* How many letters must be put in, taken out or changed to turn one word into the other. */
int edit_distance(const char *a, const char *b);
bool is_near(const char *typed, const char *name); /* near enough to be what was meant */

#endif
