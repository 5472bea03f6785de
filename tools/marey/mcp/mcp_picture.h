/* mcp_picture.h - a picture in memory, behind the library's hook for all file access: what tools draw
   lands here, and no name that a client gives leads to the disk. Read after buffer.h. */
#ifndef MAREY_MCP_PICTURE_H
#define MAREY_MCP_PICTURE_H

#include "buffer.h"

#define MCP_PICTURE_NAME "picture.png"

typedef struct mcp_picture {
    marey_io io;
    buffer bytes;
    bool open, whole; /* is being written; was written */
} mcp_picture;

/* `picture` must not be moved while its `io` is used. */
void mcp_picture_make(mcp_picture *picture, const marey_ctx_def *memory);
void mcp_picture_free(mcp_picture *picture); /* it can be drawn again */

/* The bytes as base64, behind what is there. */
void buffer_base64(buffer *out, const char *bytes, size_t count);

#endif
