/* buffer.h - bytes that grow. Everything the program prints is put together here before it is sent,
   so that a refused allocation is noticed in one place: `failed` stays set, later calls do nothing.
   Read first; every other file of the program uses it. */
#ifndef MAREY_TOOL_BUFFER_H
#define MAREY_TOOL_BUFFER_H

#include <marey/marey.h>

typedef struct buffer {
    const marey_ctx_def *memory; /* whose resize hook is used; NULL: `bytes` is a fixed room */
    char *bytes;
    size_t used;
    size_t room;
    bool failed; /* something did not fit; what is there is not whole */
} buffer;

static inline buffer buffer_make(const marey_ctx_def *memory)
{
    return (buffer){ .memory = memory };
}

static inline buffer buffer_fixed(char *bytes, size_t room)
{
    return (buffer){ .bytes = bytes, .room = room };
}

void buffer_free(buffer *out); /* what grew; the buffer can be used again */

/* Room for so many more bytes, so that the next calls cannot fail. */
void buffer_reserve(buffer *out, size_t count);

void buffer_bytes(buffer *out, const char *bytes, size_t count);
void buffer_text(buffer *out, const char *text);
void buffer_byte(buffer *out, char byte);
__attribute__((format(printf, 2, 3))) void buffer_print(buffer *out, const char *format, ...);

/* Text that came from a file or the command line, with control characters shown as '?', so that a
   joint's name cannot send commands to a terminal. */
void buffer_shown(buffer *out, const char *text);

/* buffer_text, buffer_shown, buffer_text: "wrote ", path, "\n". */
void buffer_named(buffer *out, const char *before, const char *shown, const char *after);

/* `count` blanks; none if count is negative. */
void buffer_blanks(buffer *out, int count);

#endif
