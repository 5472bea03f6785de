/* shard_file.h - the file of a shard: a head, then a record for each tile, then an end that counts them.
   Numbers are little-endian. Written by shard_write.c, read by shard_read.c.

       head     8 bytes "MRYSHARD", 4 version, 4 number of the shard, 4 of how many, 8 state,
                8 tiles of the whole work, 8 share of its costs, 4 length of `about`, `about`,
                8 hash of all that
       record   8 tile, 8 size, 8 hash of the bytes that begins with the tile, the bytes
       end      8 ones, 8 count of records, 8 hash of the records' hashes */
#ifndef MRY_SHARD_FILE_H
#define MRY_SHARD_FILE_H

#include "base/bytes.h"
#include "store/store.h"

#include <marey/shard.h>

#define MRY_SHARD_MAGIC "MRYSHARD"
#define MRY_SHARD_END UINT64_MAX

enum {
    MRY_SHARD_VERSION = 2, /* 1: webs in the order of rows, without their clips */
    MRY_SHARD_HEAD = 8 + 4 + 4 + 4 + 8 + 8 + 8 + 4, /* up to `about` */
    MRY_SHARD_RECORD = 8 + 8 + 8,
    MRY_SHARD_ABOUT = 1 << 20
};

#endif
