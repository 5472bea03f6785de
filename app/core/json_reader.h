/* json_reader.h - JSON files (RFC 8259) read value by value, with messages that say where one is
   wrong. No tree is made: who reads a file walks it and keeps what it looks for. Read after
   buffer.h. */
#ifndef MAREY_TOOL_JSON_READER_H
#define MAREY_TOOL_JSON_READER_H

#include "buffer.h"

enum { JSON_WORD = 32 }; /* room for the keys and words that are looked for */

typedef struct json_reader {
    const char *at; /* the text ends with a zero */
    const char *line_start;
    int64_t line;
    int depth;
    const char *path;
    marey_error *error;
    void *user; /* the caller's */
} json_reader;

json_reader json_reader_make(const buffer *text, const char *path, marey_error *error, void *user);

/* Says what is wrong here, and is false. */
__attribute__((format(printf, 2, 3))) bool json_wrong(json_reader *r, const char *format, ...);
bool json_expected(json_reader *r, const char *value);

/* The sign if it is next, and the blanks around it. */
bool json_takes(json_reader *r, char sign);

/* Keeps what fits; a word with escapes, or a longer one, matches no key. */
bool json_read_word(json_reader *r, char word[JSON_WORD]);
/* A text with its escapes resolved; one that needs more room is wrong. */
bool json_read_text(json_reader *r, char *out, size_t room);
bool json_read_number(json_reader *r, double *out);
bool json_read_frame(json_reader *r, int *out); /* a whole number from 0 on */

/* Calls member(r, key, user) behind every colon of an object, or before every value of an array
   (key NULL): the bracket that opens it is next. */
typedef bool json_member(json_reader *r, const char *key, void *user);
bool json_each(json_reader *r, json_member *member, void *user);
bool json_skip(json_reader *r);

/* The object that the whole text must be: json_each over it, and nothing behind. `form` is what
   it should look like. */
bool json_read_all(json_reader *r, const buffer *text, const char *form, json_member *member);

#endif
