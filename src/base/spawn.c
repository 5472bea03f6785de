/* spawn.c - starts another program. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

int mry_spawn(const char *program, char *const *words, const int *handles, int count, pid_t *pid)
{
    static const int signals[] = { SIGPIPE, SIGINT, SIGTERM, SIGXCPU };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (int i = 0; i < 4; i++) sigaddset(&usual, signals[i]);
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    int failed = 0;
    for (int i = 0; i < count && !failed; i++)
        failed = handles[i] >= 0
                     ? posix_spawn_file_actions_adddup2(&files, handles[i], i)
                     : posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
    if (!failed) failed = posix_spawnp(pid, program, &files, &how, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}
