/* json_bounds.h - how deep and how much a text of JSON is, before it is parsed: jansson goes 2048 levels
   deep on the stack, and takes many times the memory of the text. Read alone. */
#ifndef MAREY_APP_JSON_BOUNDS_H
#define MAREY_APP_JSON_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* Are brackets nested at most `most` deep? Does not look at anything else. */
bool json_is_shallow(const char *text, size_t count, int most);

/* How many values it has at most; it stops counting above `most`. */
int json_values(const char *text, size_t count, int most);

#endif
