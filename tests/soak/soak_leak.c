/* soak_leak.c - a module that is put before the system's library in the studio's process, to try
   whether the soak sees what leaks: MAREY_SOAK_LEAK names memory, handles or threads. A little of it
   is lost each time that bytes come from a socket. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOST_BYTES = 65536, EVERY = 200 };

static void *rest(void *user)
{
    (void)user;
    for (;;) pause();
    return NULL;
}

static void lose(void)
{
    static atomic_long calls;
    const char *what = getenv("MAREY_SOAK_LEAK");
    long call = atomic_fetch_add(&calls, 1);
    pthread_t thread;
    if (!what) return;
    if (strcmp(what, "memory") == 0) {
        void *volatile lost = malloc(LOST_BYTES);
        if (lost) memset(lost, 1, LOST_BYTES);
    } else if (call % EVERY != 0) {
        return;
    } else if (strcmp(what, "handles") == 0) {
        (void)!dup(STDERR_FILENO);
    } else if (pthread_create(&thread, NULL, rest, NULL) == 0) {
        pthread_detach(thread);
    }
}

__attribute__((visibility("default"))) ssize_t recv(int socket, void *buffer, size_t length,
                                                    int flags)
{
    static ssize_t (*next)(int, void *, size_t, int);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "recv");
    lose();
    return next(socket, buffer, length, flags);
}
