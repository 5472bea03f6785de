/* mcp_input.h - the lines that a client sends, read by a thread of its own, so that a call can be
   cancelled while it runs. Read after program.h. */
#ifndef MAREY_MCP_INPUT_H
#define MAREY_MCP_INPUT_H

#include "program.h"

/* Bytes of a line, of all lines that wait, and of the text of a request's id. */
enum { MCP_MOST_LINE = 4 << 20, MCP_MOST_WAITING = 32 << 20, MCP_ID_ROOM = 256 };

typedef struct mcp_line {
    struct mcp_line *next;
    char *bytes; /* without the line's end */
    size_t count, room;
    bool too_long; /* `bytes` is its beginning, and the rest is lost */
} mcp_line;

typedef struct mcp_input mcp_input;

/* Starts to read. A cancelled request cancels `ctx`. NULL: out of memory, or of threads. */
mcp_input *mcp_input_open(const program_host *host, marey_ctx *ctx);
void mcp_input_close(mcp_input *input);

/* Waits for the next line, which mcp_line_free frees; NULL: there will be no more, or `ctx` was
   cancelled. */
mcp_line *mcp_input_next(mcp_input *input);
void mcp_line_free(const program_host *host, mcp_line *line);

/* Why there is no more: 0 at the end, else what failed. */
int mcp_input_failed(const mcp_input *input);

/* A request with this id, as JSON, runs from here on. False: it was cancelled already. */
bool mcp_input_begin(mcp_input *input, const char *id);
/* It has ended. True: it was cancelled, and `ctx` is as if it had not been. */
bool mcp_input_end(mcp_input *input);

/* The id of a request as JSON, compact; false: it is none that a request can have. */
struct json_t;
bool mcp_id_text(const struct json_t *id, char text[MCP_ID_ROOM]);

#endif
