/* find_kicks.c - finds everything in a library that is like one piece of motion in it.

       find_kicks moves.marey kicks 122 252     frames 122 to 251 of the clip kicks, and all that is like them

   Shows: searching a library. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

static marey_status search(marey_library *library, const marey_query *query, marey_error *error)
{
    marey_searcher *searcher = NULL;
    marey_finding *found = NULL;
    int count = 0;
    marey_status status = marey_searcher_open(library, &searcher, error);
    /* NULL: as near as the query itself asks for, in all clips. */
    if (status == MAREY_OK) status = marey_searcher_find(searcher, query, NULL, &found, error);
    const marey_match *matches = found ? marey_finding_matches(found, &count) : NULL;
    /* The first is the query itself. */
    for (int i = 1; i < count; i++) {
        printf("%s#%d-%d: %.1f cm2\n", matches[i].name, matches[i].start, matches[i].end,
               matches[i].distance);
    }
    marey_finding_free(found);
    marey_searcher_free(searcher);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: find_kicks LIBRARY CLIP START END\n");
        return 2;
    }
    marey_query query = { .clip = argv[2], .start = atoi(argv[3]), .end = atoi(argv[4]) };
    marey_library *library = NULL;
    marey_ctx *ctx;
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) return 3;
    marey_error error;
    marey_status status = marey_library_open(ctx, argv[1], MAREY_LIBRARY_READ, &library, &error);
    if (status == MAREY_OK) status = search(library, &query, &error);
    if (status != MAREY_OK) {
        char text[2048];
        marey_error_text(&error, text, sizeof text);
        fprintf(stderr, "find_kicks: %s\n", text);
    }
    marey_library_close(library);
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
