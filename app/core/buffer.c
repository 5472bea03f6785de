/* buffer.c - growing bytes by the host's resize hook. */
#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 512 };

void buffer_free(buffer *out)
{
    if (out->memory && out->bytes) {
        out->memory->resize(out->memory->resize_user, out->bytes, out->room, 0);
    }
    *out = buffer_make(out->memory);
}

static bool reserve(buffer *out, size_t count)
{
    if (out->failed) return false;
    if (count <= out->room - out->used) return true;
    size_t room = out->room ? out->room : FIRST_ROOM;
    while (out->memory && room - out->used < count && room <= SIZE_MAX / 2) room *= 2;
    char *fresh = NULL;
    if (out->memory && room - out->used >= count) {
        fresh = out->memory->resize(out->memory->resize_user, out->bytes, out->room, room);
    }
    if (!fresh) {
        out->failed = true;
        return false;
    }
    out->bytes = fresh;
    out->room = room;
    return true;
}

void buffer_reserve(buffer *out, size_t count)
{
    reserve(out, count);
}

void buffer_bytes(buffer *out, const char *bytes, size_t count)
{
    if (count == 0 || !reserve(out, count)) return;
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
}

void buffer_text(buffer *out, const char *text)
{
    buffer_bytes(out, text, strlen(text));
}

void buffer_byte(buffer *out, char byte)
{
    buffer_bytes(out, &byte, 1);
}

void buffer_print(buffer *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    /* One more for the zero that vsnprintf puts behind; it is not counted as used. */
    if (length <= 0 || !reserve(out, (size_t)length + 1)) return;
    va_start(args, format);
    vsnprintf(out->bytes + out->used, (size_t)length + 1, format, args);
    va_end(args);
    out->used += (size_t)length;
}

void buffer_shown(buffer *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        buffer_byte(out, byte < 0x20 || byte == 0x7f ? '?' : *text);
    }
}

void buffer_named(buffer *out, const char *before, const char *shown, const char *after)
{
    buffer_text(out, before);
    buffer_shown(out, shown);
    buffer_text(out, after);
}

void buffer_blanks(buffer *out, int count)
{
    for (; count > 0; count--) buffer_byte(out, ' ');
}
