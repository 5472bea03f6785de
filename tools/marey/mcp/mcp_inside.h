/* mcp_inside.h - what the files of `marey mcp` share: the server, and its steps from a line to an
   answer. Read after mcp_input.h, mcp_picture.h and the session. */
#ifndef MAREY_MCP_INSIDE_H
#define MAREY_MCP_INSIDE_H

#include "json.h"
#include "mcp_input.h"
#include "mcp_picture.h"
#include "operation.h"
#include "saved.h"
#include "session.h"

struct json_t;

/* A library that was named when the server began: tools open no other. */
typedef struct mcp_library {
    const char *path;
    char name[256]; /* what clients call it */
    marey_library *library;
    app_cache cache;
} mcp_library;

typedef struct mcp {
    session *run; /* its `out` has what is not sent yet */
    marey_ctx_def def;
    marey_ctx *ctx;
    mcp_picture picture; /* the one file that tools can write, in memory */
    bool writes;         /* tools may change the libraries */
    mcp_library *libraries;
    int library_count;
    const app_operation **only; /* the tools to offer; none: all */
    int only_count;
    mcp_input *input; /* NULL: nothing is cancelled */
    int version;      /* of the protocol: a row of mcp_version; -1 before `initialize` */
    bool broken;      /* nothing more can be sent */
    /* Of the call that runs. */
    char progress_token[MCP_ID_ROOM]; /* JSON; "": progress is not asked for */
    double progress, progress_s;      /* what was sent last, and when */
    double phase;                     /* steps that were done before this one */
    const char *phase_text;
} mcp;

/* What versions differ in, the newest first; name NULL ends the table. */
typedef struct mcp_version {
    const char *name;
    bool structured; /* answers of tools are values, too */
    bool messages;   /* progress has words */
} mcp_version;
extern const mcp_version mcp_versions[];

/* ---- mcp_tools.c ----------------------------------------------------------------------------- */

/* A tool is an operation; NULL past the last. Those that work on files by their names are none:
   a client gets libraries, not the disk. */
const app_operation *mcp_tool_at(int index);
/* By the name that clients use, "graph_walk"; NULL: there is none. */
const app_operation *mcp_tool_find(const char *name);
/* Does it change libraries whatever is asked for? */
bool mcp_tool_writes(const app_operation *operation);
/* Is it one of those that this server offers? Not whether it may write. */
bool mcp_tool_offered(const mcp *of, const app_operation *operation);
/* A parameter that clients are not shown, and cannot give. */
bool mcp_row_hidden(const app_operation *operation, const app_param *row);
/* A parameter that the server gives; NULL: none. */
const char *mcp_tool_given(const app_operation *operation, const char **value);
/* "tools": [...], those that `of` offers. */
void mcp_tools_write(const mcp *of, json *out);

/* ---- mcp_call.c ------------------------------------------------------------------------------ */

/* The result of tools/call, an object, put under the key "result". *error: the request itself is
   wrong, and nothing was put. CANCELLED: as the client asked. */
marey_status mcp_call(mcp *of, const struct json_t *params, json *out, marey_error *error);
void mcp_progress(void *user, const char *text, int64_t done, int64_t total);

/* ---- mcp_protocol.c -------------------------------------------------------------------------- */

/* Answers a line: what is to be sent is in run->out. */
void mcp_answer(mcp *of, const mcp_line *line);

/* ---- mcp_info.c ------------------------------------------------------------------------------ */

extern const app_operation mcp_info; /* all that is known of one clip */

#endif
