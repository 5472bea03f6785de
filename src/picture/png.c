/* png.c - a picture as PNG (ISO/IEC 15948): 8 bits a colour, no alpha, rows unfiltered. */
#include "picture/canvas.h"

#include <string.h>
#include <zlib.h>

enum { LEVEL = 3, PIECE = 32 * 1024 };

static void *take(void *arena, unsigned int count, unsigned int size)
{
    return mry_arena_take(arena, count, size);
}

static void leave(void *arena, void *piece) /* the arena is freed as a whole */
{
    (void)arena;
    (void)piece;
}

static void put_number(uint8_t *out, uint32_t number)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void write_chunk(mry_writer *writer, const char *kind, const uint8_t *bytes, size_t count)
{
    uint8_t head[8], tail[4];
    put_number(head, (uint32_t)count);
    memcpy(head + 4, kind, 4);
    uLong sum = crc32(crc32(0, NULL, 0), head + 4, 4);
    if (count) sum = crc32(sum, bytes, (uInt)count);
    put_number(tail, (uint32_t)sum);
    mry_writer_bytes(writer, head, sizeof head);
    if (count) mry_writer_bytes(writer, bytes, count);
    mry_writer_bytes(writer, tail, sizeof tail);
}

/* Compresses what the stream has been given; every full piece becomes a chunk. */
static void squeeze(mry_writer *writer, z_stream *stream, uint8_t *piece, int flush)
{
    int result;
    do {
        result = deflate(stream, flush);
        if (stream->avail_out == 0 || result == Z_STREAM_END) {
            write_chunk(writer, "IDAT", piece, PIECE - stream->avail_out);
            stream->next_out = piece;
            stream->avail_out = PIECE;
        }
    } while (stream->avail_in > 0 || (flush == Z_FINISH && result == Z_OK));
}

/* A filter byte 0, then red, green, blue. */
static void fill_row(uint8_t *row, const uint8_t *pixels, int width)
{
    *row++ = 0;
    for (int x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * (size_t)x, sizeof pixel);
        *row++ = (uint8_t)(pixel >> 16);
        *row++ = (uint8_t)(pixel >> 8);
        *row++ = (uint8_t)pixel;
    }
}

bool mry_png_write(mry_writer *writer, mry_arena *tmp, const uint8_t *pixels, int width, int height,
                   int stride)
{
    static const uint8_t signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    uint8_t header[13] = { [8] = 8, [9] = 2 }; /* bits, true colour */
    size_t bytes = 3 * (size_t)width + 1;
    uint8_t *piece = mry_arena_take(tmp, PIECE, 1), *row = mry_arena_take(tmp, bytes, 1);
    z_stream stream = { .zalloc = take, .zfree = leave, .opaque = tmp };
    if (!piece || !row || deflateInit(&stream, LEVEL) != Z_OK) return false;
    put_number(header, (uint32_t)width);
    put_number(header + 4, (uint32_t)height);
    mry_writer_bytes(writer, signature, sizeof signature);
    write_chunk(writer, "IHDR", header, sizeof header);
    stream.next_out = piece;
    stream.avail_out = PIECE;
    for (int y = 0; y < height && !mry_writer_failed(writer); y++) {
        fill_row(row, pixels + (size_t)y * (size_t)stride, width);
        stream.next_in = row;
        stream.avail_in = (uInt)bytes;
        squeeze(writer, &stream, piece, y == height - 1 ? Z_FINISH : Z_NO_FLUSH);
    }
    deflateEnd(&stream);
    write_chunk(writer, "IEND", NULL, 0);
    return true;
}
