/* zip.c - after PKWARE's APPNOTE 6.3.3, sections 4.3.7, 4.3.12 and 4.3.16. No entry has a time, so that
   the same files give the same bytes. */
#include "zip.h"

#include <string.h>
#include <zlib.h>

enum { UTF_8 = 1 << 11, VERSION = 20, NO_DATE = 0x21 /* 1 January 1980 */ };

static void put(studio_bytes *out, uint64_t value, int count)
{
    uint8_t bytes[8];
    for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> 8 * i);
    bytes_add(out, bytes, (size_t)count);
}

/* What an entry's own header and the list have in common, from the version on. */
static void put_entry(studio_bytes *out, const char *name, uint32_t sum, size_t size)
{
    put(out, VERSION, 2);
    put(out, UTF_8, 2);
    put(out, 0, 2); /* stored */
    put(out, (uint64_t)NO_DATE << 16, 4);
    put(out, sum, 4);
    put(out, size, 4);
    put(out, size, 4);
    put(out, strlen(name), 2);
    put(out, 0, 2);
}

zip_writer zip_begin(studio_bytes *out)
{
    return (zip_writer){ .out = out, .list = { .memory = out->memory } };
}

void zip_add(zip_writer *zip, const char *name, const studio_bytes *content)
{
    uint32_t sum = (uint32_t)crc32_z(crc32_z(0, NULL, 0), content->data, content->count);
    size_t offset = zip->out->count;
    bytes_add(&zip->list, "PK\1\2", 4);
    put(&zip->list, VERSION, 2);
    put_entry(&zip->list, name, sum, content->count);
    put(&zip->list, 0, 8); /* no note, first disk, .. */
    put(&zip->list, 0, 2); /* .. no attributes */
    put(&zip->list, offset, 4);
    bytes_add(&zip->list, name, strlen(name));
    bytes_add(zip->out, "PK\3\4", 4);
    put_entry(zip->out, name, sum, content->count);
    bytes_add(zip->out, name, strlen(name));
    bytes_add(zip->out, content->data, content->count);
    zip->count++;
}

bool zip_end(zip_writer *zip)
{
    size_t offset = zip->out->count, size = zip->list.count;
    if (!zip->list.failed) bytes_add(zip->out, zip->list.data, size);
    bytes_add(zip->out, "PK\5\6\0\0\0\0", 8);
    for (int i = 0; i < 2; i++) put(zip->out, (uint64_t)zip->count, 2);
    put(zip->out, size, 4);
    put(zip->out, offset, 4);
    put(zip->out, 0, 2);
    bool whole = !zip->list.failed && !zip->out->failed;
    bytes_free(&zip->list);
    return whole;
}
