/* page.c - the bundled page, taken into the program by the assembler: a compiler would need minutes and gigabytes for
   the same bytes as an array. STUDIO_PAGE_DIR is the folder that the bundle was written to. */
#include "page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Hidden global symbols, so that the addresses are the same wherever the compiler moves this statement to. */
#define TAKE_IN(name, file)                                                                        \
    __asm__(".pushsection .rodata, \"a\", %progbits\n"                                             \
            ".global " #name "_begin\n.hidden " #name "_begin\n"                                   \
            ".global " #name "_end\n.hidden " #name "_end\n"                                       \
            ".balign 16\n" #name "_begin:\n"                                                       \
            ".incbin \"" STUDIO_PAGE_DIR "/" file "\"\n" #name "_end:\n"                           \
            ".byte 0\n.balign 16\n.popsection\n");                                                 \
    extern const uint8_t name##_begin[] __attribute__((visibility("hidden")));                     \
    extern const uint8_t name##_end[] __attribute__((visibility("hidden")))

TAKE_IN(studio_page_html, "index.html.gz");
TAKE_IN(studio_page_js, "app.js.gz");
TAKE_IN(studio_page_css, "app.css.gz");

/* FNV-1a: two builds differ in their tags; nobody gains by a collision. */
static uint64_t hash(const uint8_t *data, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) sum = (sum ^ data[i]) * 0x100000001b3u;
    return sum;
}

static void fill(page_file *file, const char *path, const char *type, const uint8_t *begin,
                 const uint8_t *end)
{
    *file = (page_file){ path, type, begin, (size_t)((uintptr_t)end - (uintptr_t)begin), "" };
    snprintf(file->tag, sizeof file->tag, "\"%016" PRIx64 "\"", hash(file->data, file->count));
}

void page_fill(page_file files[PAGE_FILES])
{
    fill(&files[0], "/", "text/html; charset=utf-8", studio_page_html_begin, studio_page_html_end);
    fill(&files[1], "/app.js", "text/javascript; charset=utf-8", studio_page_js_begin,
         studio_page_js_end);
    fill(&files[2], "/app.css", "text/css; charset=utf-8", studio_page_css_begin,
         studio_page_css_end);
}

const page_file *page_find(const page_file files[PAGE_FILES], const char *path)
{
    for (int i = 0; i < PAGE_FILES; i++)
        if (strcmp(files[i].path, path) == 0) return &files[i];
    return NULL;
}
