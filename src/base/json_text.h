/* json_text.h - JSON that comes from somewhere else (a library, a caller) and goes into a file:
   parsed, and written again. Read by the library and by writers. */
#ifndef MRY_JSON_TEXT_H
#define MRY_JSON_TEXT_H

#include "base/arena.h"

enum { MRY_JSON_DEPTH = 32 };

/* Bytes of the UTF-8 character at p (RFC 3629), or 0 if there is none: cut short, longer than need
   be, a surrogate, or past the last. The text ends in a zero byte, behind which nothing is looked
   at. */
size_t mry_utf8_length(const unsigned char *p);

/* Writes a JSON object (RFC 8259) again, in `mem`: every value and key as it is spelled, without
   the blanks between them. INPUT: the text is not one, or one that readers differ about: text that
   is no UTF-8, half of a surrogate pair, \u0000, a number that no double holds, more than
   MRY_JSON_DEPTH levels, anything behind it. MEMORY. */
marey_status mry_json_rewrite(mry_arena *mem, const char *text, const char **out);

#endif
