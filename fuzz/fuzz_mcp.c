/* fuzz_mcp.c - what an agent may send: lines, of which letters above 127 stand for pieces of messages,
   to a server of a library with one small clip. Whatever comes, every answer is one message a line,
   and nothing in the library changes. */
#include "mcp_inside.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char walk[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
    "Zposition Zrotation Xrotation Yrotation\nJOINT LeftUpLeg\n{\nOFFSET 9 -9 "
    "0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -40 "
    "0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.05\n0 90 0 0 0 0 0 0 0\n"
    "1 90 2 0 5 0 3 0 0\n2 90 4 0 9 0 6 0 0\n";

static const char *const words[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":",
    "\"method\":\"tools/call\",\"params\":{\"name\":\"",
    "\"method\":\"tools/list\"",
    "\"method\":\"ping\"",
    "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}",
    "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":",
    "\"arguments\":{",
    "\"_meta\":{\"progressToken\":7}",
    "\"clip\":\"walk\"",
    "\"clips\":[\"walk\"]",
    "\"a\":{\"clip\":\"walk\",\"start\":0,\"end\":2}",
    "\"b\":\"walk\"",
    "\"weights\":[1]",
    "\"picture\":true",
    "\"save_as\":\"x\"",
    "info\"",
    "ls\"",
    "quality\"",
    "similar\"",
    "transition\"",
    "blend\"",
    "label\"",
    "verify\"",
    "}}}\n",
    "},",
    ",",
    "[",
    "]\n",
};
enum { WORDS = sizeof words / sizeof *words, LONGEST = 80, MOST = 64 << 10 };

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_mcp: not so: %s\n", what);
    abort();
}

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    (void)user, (void)old_size;
    if (size) return realloc(old, size);
    free(old);
    return NULL;
}

/* Where the lines of progress go. */
static int drop(void *user, const char *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 0;
}

/* The library, made once. */
static const char *library_path(void)
{
    static char folder[] = "/tmp/marey-fuzz-mcp-XXXXXX", path[64];
    if (path[0]) return path;
    marey_ctx *ctx = NULL;
    marey_library *library = NULL;
    marey_clip *clip = NULL;
    char file[64];
    require(mkdtemp(folder) != NULL, "there is a folder");
    snprintf(file, sizeof file, "%s/walk.bvh", folder);
    snprintf(path, sizeof path, "%s/fuzz.marey", folder);
    FILE *out = fopen(file, "w");
    require(out && fputs(walk, out) >= 0 && fclose(out) == 0, "the clip is written");
    require(!marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx), "a context");
    require(!marey_clip_load(ctx, file, NULL, &clip, NULL), "the clip is read");
    require(!marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, NULL), "a library");
    require(!marey_library_put(library, clip, "walk", NULL, NULL, 0, NULL), "it is put in");
    marey_clip_free(clip);
    marey_library_close(library);
    marey_ctx_close(ctx);
    unlink(file);
    return path;
}

static void check_lines(const buffer *out)
{
    require(!out->failed, "there is memory");
    for (size_t from = 0; from < out->used;) {
        const char *line = out->bytes + from, *end = memchr(line, '\n', out->used - from);
        require(end != NULL, "a line ends");
        json_t *message = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
        require(json_is_object(message) || json_is_array(message), "a line is a message");
        json_decref(message);
        from += (size_t)(end - line) + 1;
    }
}

/* A server stays open from one conversation to the next, as it would. */
static mcp *open_server(void)
{
    static program_host host = { .def = { .resize = resize },
                                 .out = { drop, NULL },
                                 .err = { drop, NULL } };
    static session run = { .host = &host };
    static mcp of = { .run = &run };
    static mcp_library library = { .name = "fuzz", .cache = { .memory = &of.def } };
    if (of.ctx) return &of;
    run.out = buffer_make(&host.def);
    mcp_picture_make(&of.picture, &host.def);
    of.def = host.def;
    of.def.io = &of.picture.io;
    of.def.threads = 1;
    of.def.progress = mcp_progress;
    of.def.progress_user = &of;
    library.path = library_path();
    of.libraries = &library;
    of.library_count = 1;
    require(!marey_ctx_open(&of.def, &of.ctx), "a context");
    require(!marey_library_open(of.ctx, library.path, MAREY_LIBRARY_READ, &library.library, NULL),
            "a library");
    return &of;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mcp *of = open_server();
    marey_library *library = of->libraries->library;
    char *text = malloc(LONGEST * size + 1), *end = text;
    int64_t before = 0, after = 0;
    require(text != NULL, "there is memory");
    for (size_t i = 0; i < size && end - text < MOST; i++) {
        if (data[i] < 128)
            *end++ = (char)data[i];
        else
            end = stpcpy(end, words[(data[i] - 128) % WORDS]);
    }
    of->version = size % 4 ? (int)(size % 4) : -1;
    require(!marey_library_version(library, &before, NULL), "it has a version");
    for (char *line = text; line < end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        mcp_answer(of, &(mcp_line){ .bytes = line, .count = (size_t)(stop - line) });
        check_lines(&of->run->out);
        of->run->out.used = 0;
        line = stop + 1;
    }
    require(!marey_library_version(library, &after, NULL) && after == before,
            "the library is as it was");
    require(!of->picture.open && !of->picture.whole, "pictures are sent and forgotten");
    free(text);
    return 0;
}
