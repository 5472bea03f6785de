/* soak_host.c - the studio as a process of its own: begun, killed, measured. */
#include "soak.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 32 };

static atomic_int running; /* the studio's process */

void soak_give_up(const char *what, const char *more)
{
    if (atomic_load(&running)) kill(atomic_load(&running), SIGKILL);
    fprintf(stderr, "soak: %s%s%.300s\n", what, *more ? ": " : "", more);
    exit(3);
}

/* What it prints comes through *out; what it says goes into a file beside the library. */
static pid_t begin(const soak_host *host, char *const *arguments, const char *leak, int *out)
{
    char said[400], preload[400];
    char *with[512];
    int pipes[2], count = 0;
    pid_t child = 0;
    posix_spawn_file_actions_t files;
    snprintf(said, sizeof said, "%s/said.txt", host->folder);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", leak ? leak : "");
    for (char **at = environ; *at && count < 510; at++) with[count++] = *at;
    if (leak) with[count++] = preload;
    with[count] = NULL;
    if (pipe2(pipes, O_CLOEXEC) != 0) soak_give_up("no pipe", "");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, said, O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (posix_spawn(&child, host->program, &files, NULL, arguments, with) != 0)
        soak_give_up("cannot be started", host->program);
    posix_spawn_file_actions_destroy(&files);
    close(pipes[1]);
    *out = pipes[0];
    return child;
}

char *host_run(const soak_host *host, ...)
{
    char *arguments[MOST_ARGUMENTS], program[400];
    int count = 0, out, how = 0;
    va_list values;
    snprintf(program, sizeof program, "%s", host->program);
    arguments[count++] = program;
    va_start(values, host);
    while (count < MOST_ARGUMENTS && (arguments[count] = va_arg(values, char *))) count++;
    va_end(values);
    pid_t child = begin(host, arguments, NULL, &out);
    char *text = NULL, block[4096];
    size_t size = 0;
    ssize_t got;
    FILE *all = open_memstream(&text, &size);
    while ((got = read(out, block, sizeof block)) > 0) fwrite(block, 1, (size_t)got, all);
    fclose(all);
    close(out);
    if (waitpid(child, &how, 0) != child || !WIFEXITED(how) || WEXITSTATUS(how) != 0)
        soak_give_up("a command failed; see said.txt", arguments[1]);
    return text;
}

void host_start(soak_host *host)
{
    char line[512];
    char program[400], library[400], verb[] = "studio", quiet[] = "--no-browser", json[] = "--json";
    char *arguments[] = { program, verb, library, quiet, json, NULL };
    size_t used = 0;
    snprintf(program, sizeof program, "%s", host->program);
    snprintf(library, sizeof library, "%s", host->library);
    host->process = begin(host, arguments, host->leak, &host->out);
    atomic_store(&running, host->process);
    while (used < sizeof line - 1 && read(host->out, line + used, 1) == 1 && line[used] != '\n')
        used++;
    line[used] = 0;
    json_t *said = json_loads(line, 0, NULL);
    host->port = (int)json_integer_value(json_object_get(said, "port"));
    const char *token = json_string_value(json_object_get(said, "token"));
    if (!host->port || !token) soak_give_up("the studio did not say where it is", line);
    snprintf(host->token, sizeof host->token, "%s", token);
    json_decref(said);
}

static int wait_for_end(soak_host *host)
{
    int how = 0;
    if (waitpid(host->process, &how, 0) != host->process)
        soak_give_up("the studio is not there", "");
    close(host->out);
    host->process = 0;
    atomic_store(&running, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

bool host_kill(soak_host *host)
{
    kill(host->process, SIGKILL);
    return wait_for_end(host) == -SIGKILL;
}

bool host_lives(const soak_host *host)
{
    siginfo_t about = { .si_pid = 0 };
    return waitid(P_PID, (id_t)host->process, &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           about.si_pid == 0;
}

int host_stop(soak_host *host)
{
    kill(host->process, SIGINT);
    return wait_for_end(host);
}

/* ---- how large it is ------------------------------------------------------------------------- */

static long read_field(pid_t process, const char *file, const char *name)
{
    char path[64], line[256];
    long value = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
    FILE *from = fopen(path, "r");
    while (from && fgets(line, sizeof line, from))
        if (strncmp(line, name, strlen(name)) == 0) value = atol(line + strlen(name));
    if (from) fclose(from);
    return value;
}

/* All of them, or those that are sockets. */
static int count_handles(pid_t process, bool sockets)
{
    char path[320], to[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)process, entry->d_name);
        ssize_t length = readlink(path, to, sizeof to);
        count += !sockets || (length > 7 && memcmp(to, "socket:", 7) == 0);
    }
    if (folder) closedir(folder);
    return count;
}

soak_size host_size(const soak_host *host)
{
    return (soak_size){ .memory_kib = read_field(host->process, "status", "RssAnon:"),
                        .resident_kib = read_field(host->process, "status", "VmRSS:"),
                        .handles = count_handles(host->process, false),
                        .sockets = count_handles(host->process, true),
                        .threads = (int)read_field(host->process, "status", "Threads:") };
}
