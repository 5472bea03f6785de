/* page.h - the page, as it was bundled when the program was built: files in the program itself. */
#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>
#include <stdint.h>

enum { PAGE_FILES = 64 }; /* at most */

typedef struct page_file {
    const char *path;    /* its address */
    const char *type;    /* Content-Type */
    const uint8_t *data; /* compressed by gzip */
    size_t count;
    char tag[24]; /* ETag, by content */
} page_file;

/* What is left over has no path. */
void page_fill(page_file files[PAGE_FILES]);

/* NULL if there is none at this path. */
const page_file *page_find(const page_file files[PAGE_FILES], const char *path);

#endif
