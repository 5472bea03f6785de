/* page_sums.h - a layer below SQLite (a VFS) that ends every page of the database in a checksum and
   checks it on every read. A page whose sum is wrong is an error of that read (SQLITE_IOERR_DATA),
   never changed data. SQLite must be told to leave the last MRY_PAGE_SUM_BYTES of each page alone
   (SQLITE_FCNTL_RESERVE_BYTES). Read by the rest of the store. */
#ifndef MRY_PAGE_SUMS_H
#define MRY_PAGE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MRY_PAGE_BYTES = 4096, MRY_PAGE_SUM_BYTES = 8 };

/* Name of the VFS to open files with; registered on first use, on top of the default one at that
   time. NULL when SQLite is out of memory; the next call tries again. Safe from any thread. */
const char *mry_page_sums_vfs(void);

/* Is the sum of this whole page (MRY_PAGE_BYTES) right? `index` counts pages from 0. It goes into
   the sum, so that a page that was written to another page's place is found as well. The page that
   SQLite locks and never writes may also be all zero. */
bool mry_page_sum_holds(const unsigned char *page, int64_t index);

struct sqlite3;

/* What the disk refused to read of the database or its log since this was last asked: SQLite's result,
   or SQLITE_OK. For what SQLite says in words only: PRAGMA integrity_check lists a page that was not
   read beside those that are damaged. */
int mry_page_sums_refused(struct sqlite3 *db);

void mry_page_sum_put(unsigned char *page, int64_t index); /* writes the last 8 bytes of the page */

#endif
