/* fuzz_studio.c - everything of ours that reads what a stranger sent to the studio. The first byte
   chooses: addresses and queries, what a request says of itself, JSON bodies, WebSocket frames,
   names of dropped files. Where a rule can be checked on the result, it is. */
#include "guard.h"
#include "json_body.h"
#include "live.h"
#include "memory_files.h"
#include "operation.h"
#include "puppets.h"
#include "routes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_studio: not so: %s\n", what);
    abort();
}

/* A copy with a zero behind; what is behind a zero of its own is not seen, as with
   libmicrohttpd. */
static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL, "there is memory");
    if (size) memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void check_query(const studio_request *by)
{
    int64_t number = -7;
    require(by->query_count >= 0 && by->query_count <= LIMIT_QUERY, "the query has a limit");
    for (int i = 0; i < by->query_count; i++) {
        require(query_text(by, by->query[i].name) != NULL, "what is there is found");
        if (query_number(by, by->query[i].name, 0, 1000, &number)) {
            require(number >= 0 && number <= 1000, "a number is in its range");
        }
    }
}

static void try_address(const uint8_t *data, size_t size)
{
    studio_request by = { 0 };
    const route *found = NULL;
    int64_t ids[ROUTE_NUMBERS] = { 0 };
    char *target = text_of(data, size), *query = strchr(target, '?');
    if (query) *query++ = 0;
    if (query && query_parse(&by, query)) check_query(&by);
    const char *method = size % 2 ? "GET" : "POST";
    if (route_find(method, target, &found, ids) == ROUTE_FOUND) {
        require(found && strcmp(found->method, method) == 0, "the method is the row's");
        require((strchr(found->path, '#') != NULL) == (ids[0] > 0), "a number where there is one");
        require(strchr(found->path, '*') || ids[1] == 0, "no second number without its place");
        for (int i = 0; i < ROUTE_NUMBERS; i++)
            require(ids[i] >= 0 && ids[i] < 1000000000000000, "numbers of at most 15 digits");
        require(!strstr(target, "..") && !strstr(target, "//"), "no way up");
    }
    free(target);
}

/* ---- who asks -------------------------------------------------------------------------------- */

static const char token[] = "0123456789abcdef0123456789abcdef";

/* Lines: host, origin, site, authorization, cookie, token; an empty one is not there. */
static void try_guard(const uint8_t *data, size_t size)
{
    guard by = { .cookie_name = "marey-8421" };
    char *text = text_of(data, size), *rest = text;
    const char *lines[6] = { NULL };
    memcpy(by.token, token, sizeof token);
    require(guard_allow(&by, "127.0.0.1:8421"), "a host can be allowed");
    for (int i = 0; i < 6 && rest; i++) {
        const char *line = strsep(&rest, "\n");
        if (*line) lines[i] = line;
    }
    guard_claims claims = { lines[0], lines[1],         lines[2],         lines[3], lines[4],
                            lines[5], lines[0] ? 1 : 0, lines[1] ? 1 : 0, false };
    guard_verdict verdict = guard_judge(&by, &claims);
    if (verdict == GUARD_LET_IN || verdict == GUARD_BY_LINK) {
        require(memmem(data, size, token, strlen(token)) != NULL, "who is let in has the token");
        require(lines[0] && strcasecmp(lines[0], "127.0.0.1:8421") == 0, "and came to our host");
        require(!lines[1] || strcasecmp(lines[1], "http://127.0.0.1:8421") == 0, "from our page");
    }
    if (lines[0]) guard_allow(&by, lines[0]);
    free(text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void try_json(const uint8_t *data, size_t size)
{
    json_t *root = NULL;
    marey_error error = { 0 };
    if (json_parse(data, size, &root, &error) != MAREY_OK)
        require(error.message[0] != 0, "a refusal says why");
    else
        require(json_is_object(root), "a body is an object");
    bool empty = root && json_object_size(root) == 0;
    require((json_parse_empty(data, size, &error) == MAREY_OK) == empty, "no other field is taken");
    json_decref(root);
}

/* Bodies of operations: refused with a reason, or taken. */
static void try_operations(const uint8_t *data, size_t size)
{
    const app_operation *operation;
    heap memory = { .limit = 1 << 22 };
    marey_ctx_def allocator = { .resize = heap_resize, .resize_user = &memory };
    for (int i = 0; (operation = app_operation_at(i)); i++) {
        app_call call;
        json_t *root = NULL;
        marey_error error = { 0 };
        marey_status status = app_call_open(&call, operation, &allocator, &error);
        if (status == MAREY_OK) status = json_parse(data, size, &root, &error);
        if (status == MAREY_OK)
            status = app_params_json(&call.scope, operation->params, root, call.params, &error);
        if (status == MAREY_OK) status = app_call_check(&call, APP_BODY, &error);
        require(status == MAREY_OK || error.message[0] != 0, "a refusal says why");
        json_decref(root);
        app_call_close(&call);
    }
    require(atomic_load(&memory.used) == 0, "all memory is given back");
}

/* Rows of a path that a puppet reacts to, or is taught by: the same. */
static void try_puppets(const uint8_t *data, size_t size)
{
    heap memory = { .limit = 1 << 22 };
    marey_ctx_def allocator = { .resize = heap_resize, .resize_user = &memory };
    json_t *root = NULL;
    marey_error error = { 0 };
    if (json_parse(data, size, &root, &error) != MAREY_OK) return;
    for (int main_only = 0; main_only < 2; main_only++) {
        app_scope scope = app_scope_open(&allocator);
        app_env env = { .scope = &scope };
        marey_puppet_sample *samples = NULL;
        int count = 0;
        if (app_path_rows_read(&env, json_object_get(root, "main"), "", main_only, &samples, &count,
                               &error) == MAREY_OK) {
            require(count >= 2, "a path");
            for (int i = 1; i < count; i++)
                require(samples[i].time_s > samples[i - 1].time_s, "times rise");
        }
        app_scope_close(&scope);
    }
    json_decref(root);
    require(atomic_load(&memory.used) == 0, "all memory is given back");
}

/* ---- WebSocket ------------------------------------------------------------------------------- */

static void forget(void *user)
{
    (void)user;
}

/* Frames go in at one end of a pair of sockets, through wslay and our messages, and what is said is
   thrown away. No workers: a client that wants poses is refused after its message was read. */
static void try_frames(const uint8_t *data, size_t size)
{
    int ends[2];
    shared common = { .memory = { .limit = 1 << 22 } };
    common.allocator = (marey_ctx_def){ .resize = heap_resize, .resize_user = &common.memory };
    hub all = { .of = &common, .wakes = -1, .take_message = hub_take_message };
    live_socket *one = heap_resize(&common.memory, NULL, 0, sizeof *one);
    require(one && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0,
            "a socket is had");
    memset(one, 0, sizeof *one);
    *one = (live_socket){ .all = &all, .number = 1, .socket = ends[0], .closed = forget };
    one->early.memory = one->waiting.memory = &common.memory;
    size_t early = size % 3 ? 0 : size / 2; /* sometimes a part came behind the request */
    bytes_add(&one->early, data, early);
    require(socket_begin(one), "it begins");
    require(write(ends[1], data + early, size - early) >= 0 || size == early, "it is sent");
    for (int turn = 0; turn < 8 && !socket_is_over(one); turn++) {
        char said[4096];
        socket_turn(one, true);
        if (!one->broken) socket_write(one);
        socket_beat(one, turn * 5000 + hub_now_ns() / 1000000);
        while (read(ends[1], said, sizeof said) > 0) continue;
    }
    socket_free(one);
    close(ends[0]);
    close(ends[1]);
    require(atomic_load(&common.memory.used) == 0, "all memory is given back");
}

/* A whole text message, so that chance need not find the frame around it. A mask of zeros masks
   nothing. */
static void try_message(const uint8_t *data, size_t size)
{
    uint8_t frame[8 + 4096] = { 0x81, 0x80 | 126 };
    size_t head = 8;
    if (size > 4096) size = 4096;
    if (size < 126) {
        frame[1] = (uint8_t)(0x80 | size);
        head = 6;
    } else {
        frame[2] = (uint8_t)(size >> 8);
        frame[3] = (uint8_t)size;
    }
    if (size) memcpy(frame + head, data, size);
    try_frames(frame, head + size);
}

/* ---- names of files -------------------------------------------------------------------------- */

static void check_name(const char *name)
{
    require(name[0] && name[0] != '/' && strlen(name) <= 1000, "a name, and not from the root");
    require(!strchr(name, '\\') && !strstr(name, "//"), "one kind of separator, and one at a time");
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        size_t length = strcspn(part, "/");
        require(length > 0 && length <= 255, "no part is empty or too long");
        require(!(length == 1 && part[0] == '.') && !(length == 2 && memcmp(part, "..", 2) == 0),
                "no way up");
    }
    for (const char *c = name; *c; c++) require((uint8_t)*c >= 32 && *c != 127, "no control");
}

/* One name on each line. */
static void try_names(const uint8_t *data, size_t size)
{
    heap memory = { .limit = 1 << 22 };
    memory_files *files = memory_files_make(&memory);
    char *text = text_of(data, size), *rest = text;
    int put = 0;
    require(files != NULL, "there is memory");
    while (rest && put < 200) {
        studio_bytes content = { .memory = &memory };
        const char *name = strsep(&rest, "\n");
        bytes_add(&content, name, strlen(name));
        int result = memory_files_put(files, name, &content);
        require(result == 0 || result == -EINVAL, "it is in, or has no name");
        put += result == 0;
        bytes_free(&content);
    }
    require(memory_files_count(files) == put, "all are in");
    for (int i = 0; i < put; i++) {
        const char *name = memory_files_name(files, i);
        const marey_io *io = memory_files_io(files);
        check_name(name);
        int handle = io->open(io->user, name, MAREY_IO_READ);
        require(handle >= 0 && io->close(io->user, handle) == 0, "what is there can be opened");
    }
    memory_files_free(files);
    free(text);
    require(atomic_load(&memory.used) == 0, "all memory is given back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    switch (data[0] % 6) {
    case 0: try_address(data + 1, size - 1); break;
    case 1: try_guard(data + 1, size - 1); break;
    case 2:
        try_json(data + 1, size - 1);
        try_operations(data + 1, size - 1);
        try_puppets(data + 1, size - 1);
        break;
    case 3: try_frames(data + 1, size - 1); break;
    case 4: try_message(data + 1, size - 1); break;
    default: try_names(data + 1, size - 1); break;
    }
    return 0;
}
