/* page.c - the bundled page, taken into the program by the assembler: a compiler would need minutes
   and gigabytes for the same bytes as an array. STUDIO_PAGE_DIR is the folder that the bundle was
   written to. */
#include "page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Hidden global symbols, so that the addresses are the same wherever the compiler moves this
   statement to. */
#define TAKE_IN(name, file)                                                                        \
    __asm__(".pushsection .rodata, \"a\", %progbits\n"                                             \
            ".global " #name "_begin\n.hidden " #name "_begin\n"                                   \
            ".global " #name "_end\n.hidden " #name "_end\n"                                       \
            ".balign 16\n" #name "_begin:\n"                                                       \
            ".incbin \"" STUDIO_PAGE_DIR "/" file "\"\n" #name "_end:\n"                           \
            ".byte 0\n.balign 16\n.popsection\n");                                                 \
    extern const uint8_t name##_begin[] __attribute__((visibility("hidden")));                     \
    extern const uint8_t name##_end[] __attribute__((visibility("hidden")))

/* A row for each file, written by the bundler beside them. */
#define PAGE_FILE(name, file, path, type) TAKE_IN(name, file);
#include <page_files.inc>
#undef PAGE_FILE

static void fill(page_file *file, const char *path, const char *type, const uint8_t *begin,
                 const uint8_t *end)
{
    *file = (page_file){ path, type, begin, (size_t)((uintptr_t)end - (uintptr_t)begin), "" };
    /* FNV-1a: two builds differ in their tags; a collision gains an attacker nothing. */
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < file->count; i++) hash = (hash ^ file->data[i]) * 0x100000001b3u;
    snprintf(file->tag, sizeof file->tag, "\"%016" PRIx64 "\"", hash);
}

#define PAGE_FILE(name, file, path, type) +1
enum {
    ROWS = 0
#include <page_files.inc>
};
#undef PAGE_FILE
_Static_assert(ROWS <= (int)PAGE_FILES, "the page has more files than there is room for");

void page_fill(page_file files[PAGE_FILES])
{
    int count = 0;
    memset(files, 0, PAGE_FILES * sizeof *files);
#define PAGE_FILE(name, file, path, type)                                                          \
    fill(&files[count++], path, type, name##_begin, name##_end);
#include <page_files.inc>
#undef PAGE_FILE
}

const page_file *page_find(const page_file files[PAGE_FILES], const char *path)
{
    for (int i = 0; i < PAGE_FILES && files[i].path; i++)
        if (strcmp(files[i].path, path) == 0) return &files[i];
    return NULL;
}
