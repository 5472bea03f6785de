/* cmd_studio.c - `marey studio`: the local web studio. The one file of the program that sees the
   studio. */
#include "commands.h"
#include "folder.h"
#include "json.h"
#include "studio.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_HOSTS = 16, CLOSING_MS = 10000 };

/* ---- the browser ----------------------------------------------------------------------------- */

/* The desktop's own way; returns its process, or 0 if there is none. */
static pid_t open_browser(const char *url)
{
    static const char opener[] = "xdg-open";
    posix_spawn_file_actions_t files;
    char name[sizeof opener], at[STUDIO_LINK_ROOM];
    char *args[] = { name, at, NULL };
    pid_t child = 0;
    snprintf(name, sizeof name, "%s", opener);
    snprintf(at, sizeof at, "%s", url);
    if (posix_spawn_file_actions_init(&files) != 0) return 0;
    /* What a browser says is not for this terminal. */
    bool silent = true;
    for (int handle = STDIN_FILENO; handle <= STDERR_FILENO; handle++)
        silent &= posix_spawn_file_actions_addopen(&files, handle, "/dev/null",
                                                   handle ? O_WRONLY : O_RDONLY, 0) == 0;
    if (!silent || posix_spawnp(&child, opener, &files, NULL, args, environ) != 0) child = 0;
    posix_spawn_file_actions_destroy(&files);
    return child;
}

/* ---- until it must stop ---------------------------------------------------------------------- */

/* The address goes out at once: other programs wait for that line. */
static int serve(session *run, const request *options, studio *host, bool is_new)
{
    const struct timespec moment = { .tv_nsec = 100000000 };
    char link[STUDIO_LINK_ROOM];
    pid_t browser = 0;
    if (run->json) {
        json to = json_make(&run->out);
        json_open(&to, NULL, '{');
        json_put_string(&to, "address", studio_address(host));
        json_put_integer(&to, "port", studio_port(host));
        json_put_string(&to, "token", studio_token(host));
        json_close(&to, '}');
    } else {
        buffer_text(&run->out, studio_address(host));
    }
    buffer_byte(&run->out, '\n');
    if (!session_flush(run)) return PROGRAM_MACHINE;
    if (is_new && !run->quiet) {
        session_say(run, "%s was not there: it is new and empty; drop motion files on the page",
                    options->operands[0]);
    }
    if (!request_has(options, OPTION_NO_BROWSER)) {
        /* Every user of this machine can read the command line of the opener: it gets no token. */
        if (studio_link(host, link, sizeof link)) browser = open_browser(link);
        if (!browser) session_say(run, "open this address in a browser");
    }
    if (!run->json && !run->quiet) session_say(run, "press Ctrl-C to stop");
    while (!marey_ctx_cancelled(run->ctx)) {
        nanosleep(&moment, NULL); /* a signal ends it early */
        if (browser > 0 && waitpid(browser, NULL, WNOHANG) == browser) browser = 0;
    }
    return PROGRAM_INTERRUPTED;
}

/* ---- a library that is not there ------------------------------------------------------------- */

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 || errno != ENOENT;
}

/* A new one can begin only in a folder that is there: a slip in its name differs from one in the
   library's. */
static marey_status check_folder(const char *path, marey_error *error)
{
    const char *slash = strrchr(path, '/');
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    int length = slash && slash > path ? (int)(slash - path) : 0;
    if (length == 0 || (size_t)length >= sizeof error->path) return MAREY_OK;
    snprintf(error->path, sizeof error->path, "%.*s", length, path);
    if (is_there(error->path)) return MAREY_OK;
    snprintf(error->message, sizeof error->message,
             "there is no such folder to begin the library %.200s in; make it first", slash + 1);
    return MAREY_ERR_REQUEST;
}

int command_studio(session *run, const request *options)
{
    const char *hosts[MOST_HOSTS];
    int64_t port = 0;
    studio *host = NULL;
    studio_folder *several = NULL;
    marey_error error;
    studio_def def = { .library_path = options->operands[0],
                       .allowed_hosts = hosts,
                       .threads = marey_ctx_threads(run->ctx),
                       .byte_limit = run->most_bytes,
                       .most_seconds = run->most_seconds };
    int status = options_whole(run, options, OPTION_PORT, 1, 65535, &port);
    if (status != PROGRAM_DONE) return status;
    const char *allowed;
    for (int at = 0; (allowed = request_next(options, OPTION_ALLOW_HOST, &at));) {
        if (def.allowed_host_count == MOST_HOSTS)
            return session_usage(run, "--allow-host may be given %d times", MOST_HOSTS);
        hosts[def.allowed_host_count++] = allowed;
    }
    def.port = (int)port;
    bool is_new = !is_there(def.library_path);
    if (is_new && check_folder(def.library_path, &error) != MAREY_OK)
        return session_fail(run, &error);
    bool is_folder = folder_is(def.library_path);
    if ((is_folder ? studio_folder_open(&def, &several, &error)
                   : studio_open(&def, &host, &error)) != MAREY_OK)
        return session_fail(run, &error);
    if (is_folder) host = studio_folder_first(several);
    status = serve(run, options, host, is_new);
    if (is_folder ? !studio_folder_close_within(several, CLOSING_MS)
                  : !studio_close_within(host, CLOSING_MS)) {
        /* Its threads use memory that returning would free. The library's log is safe against a
           sudden end. */
        session_say(run, "what was running does not stop, and is ended; the library is as it was "
                         "before it");
        session_flush(run);
        _exit(status);
    }
    return session_finish(run, status);
}
