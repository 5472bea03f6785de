/* torture.c - put under the shipped program by LD_PRELOAD. Counts what the program and its libraries
   ask of the C library by kind, and fails the call that it is asked to, as a machine without memory,
   disk or handles would. scripts/torture.py is the other side; a page of memory that both see says
   what fails, and what was seen.

   The program starts once: where main would begin it waits for requests, and a copy of the process
   runs main for each of them. So a run costs no loading of libraries, and all runs have their code
   at the same addresses, so that places can be compared between them. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is counted ------------------------------------------------------------------------- */

#define KINDS(X)                                                                                   \
    X(memory), X(map), X(open), X(read), X(write), X(sync), X(truncate), X(rename), X(link),       \
        X(unlink), X(close), X(status), X(seek), X(folder), X(list), X(lock), X(mode), X(resolve), \
        X(access), X(wait), X(channel), X(accept), X(receive), X(send), X(spawn), X(thread),       \
        X(random)
#define KIND_NUMBER(name) KIND_##name
#define KIND_NAME(name) #name
enum { KINDS(KIND_NUMBER) };

/* A fault that is no errno: fewer bytes than were asked for. */
enum { SHORT = 10000 };
enum { STACK_MOST = 40, PLACES_MOST = 1 << 21, REQUEST_ROOM = 1 << 16, LONGEST_S = 60 };

/* scripts/torture.py knows this layout. */
typedef struct torture_page {
    int64_t kind;    /* of the calls that fail */
    int64_t number;  /* the first of its kind that fails, from 1 on; 0: none */
    int64_t fault;   /* an errno, or SHORT */
    int64_t lasting; /* all later ones fail, too */
    int64_t noting;  /* places are noted */
    int64_t target;  /* only calls from this place count, where threads share the numbers; 0: all */
    /* what the run saw */
    _Atomic int64_t failed;
    int64_t handle;         /* of the first call that failed, -1: it has none */
    int64_t blocks;         /* in use when main returned */
    int64_t handles;        /* open then */
    int64_t returned;       /* main did */
    int64_t process;        /* that runs it */
    _Atomic int64_t hits;   /* calls from the target */
    _Atomic int64_t places; /* how many were noted */
    _Atomic int64_t calls[32];
    uint64_t stack[STACK_MOST];  /* of the first call that failed */
    char names[512];             /* of the kinds, in their order */
    uint64_t place[PLACES_MOST]; /* a hash of where a call came from; its kind in the low 8 bits */
} torture_page;

static torture_page *page;
static _Atomic int64_t blocks;
static __thread int inside __attribute__((tls_model("initial-exec")));

static int stack_now(void **stack)
{
    inside++;
    int depth = backtrace(stack, STACK_MOST);
    inside--;
    return depth;
}

/* Where this file begins and ends in memory. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* A hash of all who called, without this file's own functions. */
static uint64_t place_now(int kind)
{
    void *stack[STACK_MOST];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int depth = stack_now(stack), own = 0;
    while (own < depth && (const char *)stack[own] >= __ehdr_start &&
           (const char *)stack[own] < _end)
        own++;
    for (int i = own; i < depth; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)stack[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return (hash & (UINT64_MAX >> 1) & ~UINT64_C(255)) | (uint64_t)kind;
}

static void note_place(int kind)
{
    int64_t at = atomic_fetch_add(&page->places, 1);
    if (at < PLACES_MOST) page->place[at] = place_now(kind);
}

/* Counts a call; the fault that it shall have, or 0. What the user would read an error by is never
   taken away for good: a full disk is not a full terminal. */
static int asked(int kind, int handle)
{
    if (!page || inside || kind < 0) return 0;
    int64_t number = atomic_fetch_add(&page->calls[kind], 1) + 1;
    if (page->noting) note_place(kind);
    if (!page->number || page->kind != kind) return 0;
    if (page->target) {
        /* Once it was reached, all calls are later ones, wherever they come from. */
        bool reached = page->lasting && atomic_load(&page->failed) > 0;
        if (!reached && place_now(kind) != (uint64_t)page->target) return 0;
        number = reached ? page->number + 1 : atomic_fetch_add(&page->hits, 1) + 1;
    }
    if (number < page->number) return 0;
    if (number > page->number && (!page->lasting || handle == STDERR_FILENO)) return 0;
    if (atomic_fetch_add(&page->failed, 1) == 0) {
        void *stack[STACK_MOST] = { 0 };
        page->handle = handle;
        stack_now(stack);
        for (int i = 0; i < STACK_MOST; i++) page->stack[i] = (uint64_t)(uintptr_t)stack[i];
    }
    return (int)page->fault;
}

static void *found(void **next, const char *name)
{
    if (*next) return *next;
    inside++;
    *next = dlsym(RTLD_NEXT, name);
    inside--;
    return *next;
}

/* Counters of the system (eventfd) take and give eight bytes at once, without waiting: nothing
   interrupts that or cuts it short. */
enum { HANDLES_MOST = 1024 };
static _Atomic bool is_counter[HANDLES_MOST];

static int counted_kind(int kind, int handle)
{
    bool counter = handle >= 0 && handle < HANDLES_MOST && atomic_load(&is_counter[handle]);
    return counter && (kind == KIND_read || kind == KIND_write) ? -1 : kind;
}

/* ---- calls that fail with an errno ----------------------------------------------------------- */

#define CALL(result, failure, kind, handle, name, parameters, ...)                                 \
    result name parameters                                                                         \
    {                                                                                              \
        static void *next;                                                                         \
        int fault = asked(KIND_##kind, handle);                                                    \
        if (fault && fault != SHORT) {                                                             \
            errno = fault;                                                                         \
            return failure;                                                                        \
        }                                                                                          \
        return ((result(*) parameters)found(&next, #name))(__VA_ARGS__);                           \
    }

/* Those that say how many bytes they took: half of them, where there are two. */
#define MOVE(kind, name, count, parameters, ...)                                                   \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        static void *next;                                                                         \
        int fault = asked(counted_kind(KIND_##kind, handle), handle);                              \
        if (fault == SHORT && (count) > 1) (count) /= 2;                                           \
        if (fault && fault != SHORT) {                                                             \
            errno = fault;                                                                         \
            return -1;                                                                             \
        }                                                                                          \
        return ((ssize_t(*) parameters)found(&next, #name))(__VA_ARGS__);                          \
    }

/* Those that give the errno back. */
#define SAYS(kind, name, parameters, ...)                                                          \
    int name parameters                                                                            \
    {                                                                                              \
        static void *next;                                                                         \
        int fault = asked(KIND_##kind, -1);                                                        \
        return fault ? fault : ((int(*) parameters)found(&next, #name))(__VA_ARGS__);              \
    }

MOVE(read, read, room, (int handle, void *bytes, size_t room), handle, bytes, room)
MOVE(read, pread, room, (int handle, void *bytes, size_t room, off_t at), handle, bytes, room, at)
MOVE(read, pread64, room, (int handle, void *bytes, size_t room, off64_t at), handle, bytes, room,
     at)
MOVE(write, write, count, (int handle, const void *bytes, size_t count), handle, bytes, count)
MOVE(write, pwrite, count, (int handle, const void *bytes, size_t count, off_t at), handle, bytes,
     count, at)
MOVE(write, pwrite64, count, (int handle, const void *bytes, size_t count, off64_t at), handle,
     bytes, count, at)
MOVE(receive, recv, room, (int handle, void *bytes, size_t room, int flags), handle, bytes, room,
     flags)
MOVE(send, send, count, (int handle, const void *bytes, size_t count, int flags), handle, bytes,
     count, flags)
CALL(ssize_t, -1, send, handle, sendmsg, (int handle, const struct msghdr *message, int flags),
     handle, message, flags)

CALL(int, -1, sync, handle, fsync, (int handle), handle)
CALL(int, -1, sync, handle, fdatasync, (int handle), handle)
CALL(int, -1, truncate, handle, ftruncate, (int handle, off_t size), handle, size)
CALL(int, -1, truncate, handle, ftruncate64, (int handle, off64_t size), handle, size)
CALL(int, -1, rename, -1, rename, (const char *from, const char *to), from, to)
CALL(int, -1, rename, -1, renameat2,
     (int at, const char *from, int beside, const char *to, unsigned flags), at, from, beside, to,
     flags)
CALL(int, -1, link, -1, link, (const char *from, const char *to), from, to)
CALL(int, -1, link, -1, linkat, (int at, const char *from, int beside, const char *to, int flags),
     at, from, beside, to, flags)
CALL(int, -1, unlink, -1, unlink, (const char *path), path)
CALL(int, -1, unlink, -1, unlinkat, (int at, const char *path, int flags), at, path, flags)
CALL(int, -1, status, -1, stat, (const char *path, struct stat *about), path, about)
CALL(int, -1, status, -1, stat64, (const char *path, struct stat64 *about), path, about)
CALL(int, -1, status, -1, lstat, (const char *path, struct stat *about), path, about)
CALL(int, -1, status, -1, lstat64, (const char *path, struct stat64 *about), path, about)
CALL(int, -1, status, handle, fstat, (int handle, struct stat *about), handle, about)
CALL(int, -1, status, handle, fstat64, (int handle, struct stat64 *about), handle, about)
CALL(int, -1, status, -1, fstatat, (int at, const char *path, struct stat *about, int flags), at,
     path, about, flags)
CALL(off_t, -1, seek, handle, lseek, (int handle, off_t by, int from), handle, by, from)
CALL(off64_t, -1, seek, handle, lseek64, (int handle, off64_t by, int from), handle, by, from)
CALL(int, -1, folder, -1, mkdir, (const char *path, mode_t mode), path, mode)
CALL(int, -1, folder, -1, mkdirat, (int at, const char *path, mode_t mode), at, path, mode)
CALL(DIR *, NULL, list, -1, opendir, (const char *path), path)
CALL(struct dirent *, NULL, list, -1, readdir, (DIR * folder), folder)
CALL(int, -1, lock, handle, flock, (int handle, int how), handle, how)
CALL(int, -1, mode, -1, chmod, (const char *path, mode_t mode), path, mode)
CALL(int, -1, mode, handle, fchmod, (int handle, mode_t mode), handle, mode)
CALL(int, -1, mode, handle, fchown, (int handle, uid_t owner, gid_t group), handle, owner, group)
CALL(char *, NULL, resolve, -1, realpath, (const char *path, char *whole), path, whole)
CALL(ssize_t, -1, resolve, -1, readlink, (const char *path, char *text, size_t room), path, text,
     room)
CALL(char *, NULL, resolve, -1, getcwd, (char *text, size_t room), text, room)
CALL(int, -1, access, -1, access, (const char *path, int how), path, how)
CALL(FILE *, NULL, open, -1, fopen, (const char *path, const char *how), path, how)
CALL(FILE *, NULL, open, -1, fopen64, (const char *path, const char *how), path, how)
CALL(void *, MAP_FAILED, map, -1, mmap,
     (void *at, size_t size, int how, int flags, int handle, off_t from), at, size, how, flags,
     handle, from)
CALL(void *, MAP_FAILED, map, -1, mmap64,
     (void *at, size_t size, int how, int flags, int handle, off64_t from), at, size, how, flags,
     handle, from)
CALL(int, -1, wait, -1, poll, (struct pollfd * handles, nfds_t count, int ms), handles, count, ms)
CALL(int, -1, wait, -1, ppoll,
     (struct pollfd * handles, nfds_t count, const struct timespec *most, const sigset_t *mask),
     handles, count, most, mask)
CALL(int, -1, wait, handle, epoll_wait, (int handle, struct epoll_event *events, int room, int ms),
     handle, events, room, ms)
CALL(pid_t, -1, wait, -1, waitpid, (pid_t child, int *status, int flags), child, status, flags)
CALL(int, -1, channel, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
CALL(int, -1, channel, -1, socketpair, (int domain, int type, int protocol, int ends[2]), domain,
     type, protocol, ends)
CALL(int, -1, channel, handle, bind, (int handle, const struct sockaddr *to, socklen_t size),
     handle, to, size)
CALL(int, -1, channel, handle, listen, (int handle, int waiting), handle, waiting)
CALL(int, -1, channel, handle, getsockname, (int handle, struct sockaddr *at, socklen_t *size),
     handle, at, size)
CALL(int, -1, channel, handle, setsockopt,
     (int handle, int level, int name, const void *value, socklen_t size), handle, level, name,
     value, size)
CALL(int, -1, channel, -1, epoll_create1, (int flags), flags)
CALL(int, -1, channel, -1, pipe2, (int ends[2], int flags), ends, flags)
CALL(int, -1, channel, -1, memfd_create, (const char *name, unsigned flags), name, flags)
CALL(int, -1, accept, handle, accept4,
     (int handle, struct sockaddr *from, socklen_t *size, int flags), handle, from, size, flags)
CALL(pid_t, -1, spawn, -1, fork, (void), )
SAYS(spawn, posix_spawnp,
     (pid_t * child, const char *program, const posix_spawn_file_actions_t *files,
      const posix_spawnattr_t *how, char *const words[], char *const around[]),
     child, program, files, how, words, around)
SAYS(thread, pthread_create,
     (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *of), thread, how,
     run, of)
CALL(ssize_t, -1, random, -1, getrandom, (void *bytes, size_t room, unsigned flags), bytes, room,
     flags)

/* Only to watch one more takes memory. */
int epoll_ctl(int handle, int what, int of, struct epoll_event *event)
{
    static void *next;
    int fault = what == EPOLL_CTL_ADD ? asked(KIND_channel, handle) : 0;
    if (fault) errno = fault;
    return fault ? -1
                 : ((int (*)(int, int, int, struct epoll_event *))found(&next, "epoll_ctl"))(
                       handle, what, of, event);
}

int eventfd(unsigned count, int flags)
{
    static void *next;
    int fault = asked(KIND_channel, -1);
    int handle = fault ? -1 : ((int (*)(unsigned, int))found(&next, "eventfd"))(count, flags);
    if (fault) errno = fault;
    if (handle >= 0 && handle < HANDLES_MOST) atomic_store(&is_counter[handle], true);
    return handle;
}

/* What fails to close is closed, as on Linux. */
int close(int handle)
{
    static void *next;
    int fault = asked(KIND_close, handle);
    if (handle >= 0 && handle < HANDLES_MOST) atomic_store(&is_counter[handle], false);
    int result = ((int (*)(int))found(&next, "close"))(handle);
    if (!fault || fault == SHORT) return result;
    errno = fault;
    return -1;
}

#define OPEN(name, last_named, parameters, ...)                                                    \
    int name parameters                                                                            \
    {                                                                                              \
        static void *next;                                                                         \
        mode_t mode = 0;                                                                           \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                     \
            va_list rest;                                                                          \
            va_start(rest, last_named);                                                            \
            mode = va_arg(rest, mode_t);                                                           \
            va_end(rest);                                                                          \
        }                                                                                          \
        int fault = asked(KIND_open, -1);                                                          \
        if (fault && fault != SHORT) {                                                             \
            errno = fault;                                                                         \
            return -1;                                                                             \
        }                                                                                          \
        return ((int(*) parameters)found(&next, #name))(__VA_ARGS__, mode);                        \
    }
OPEN(open, flags, (const char *path, int flags, ...), path, flags)
OPEN(open64, flags, (const char *path, int flags, ...), path, flags)
OPEN(openat, flags, (int at, const char *path, int flags, ...), at, path, flags)

/* Taking a lock fails as a lock, a second handle as opening does; the rest is let through, as giving
   a lock back, which no system refuses. */
#define CONTROL(name)                                                                              \
    int name(int handle, int what, ...)                                                            \
    {                                                                                              \
        static void *next;                                                                         \
        va_list rest;                                                                              \
        va_start(rest, what);                                                                      \
        void *value = va_arg(rest, void *);                                                        \
        va_end(rest);                                                                              \
        bool locks = what == F_SETLK || what == F_SETLKW || what == F_GETLK;                       \
        if (locks && what != F_GETLK) locks = ((const struct flock *)value)->l_type != F_UNLCK;    \
        bool opens = what == F_DUPFD || what == F_DUPFD_CLOEXEC;                                   \
        int fault = locks ? asked(KIND_lock, handle) : opens ? asked(KIND_open, handle) : 0;       \
        if (fault && fault != SHORT) {                                                             \
            errno = fault;                                                                         \
            return -1;                                                                             \
        }                                                                                          \
        return ((int (*)(int, int, ...))found(&next, #name))(handle, what, value);                 \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

/* ---- memory ---------------------------------------------------------------------------------- */

/* While the next malloc is looked for, the one that looks is served from here. */
static char first_room[1 << 16];
static _Atomic size_t first_used;

static void *first(size_t size)
{
    size_t at = atomic_fetch_add(&first_used, (size + 15) & ~(size_t)15);
    return at + size <= sizeof first_room ? first_room + at : NULL;
}

static bool is_first(const void *block)
{
    return (uintptr_t)block >= (uintptr_t)first_room &&
           (uintptr_t)block < (uintptr_t)(first_room + sizeof first_room);
}

static bool starved(void)
{
    if (!asked(KIND_memory, -1)) return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *block)
{
    if (block && !inside) atomic_fetch_add(&blocks, 1);
    return block;
}

static bool looking(void *const *next)
{
    return !*next && inside;
}

void *malloc(size_t size)
{
    static void *next;
    if (looking(&next)) return first(size);
    if (starved()) return NULL;
    return counted(((void *(*)(size_t))found(&next, "malloc"))(size));
}

void *calloc(size_t count, size_t size)
{
    static void *next;
    if (looking(&next)) return first(count * size); /* zero from the start */
    if (starved()) return NULL;
    return counted(((void *(*)(size_t, size_t))found(&next, "calloc"))(count, size));
}

void *realloc(void *old, size_t size)
{
    static void *next;
    if (is_first(old)) {
        size_t left = (size_t)(first_room + sizeof first_room - (char *)old);
        void *fresh = malloc(size);
        if (fresh) memcpy(fresh, old, size < left ? size : left);
        return fresh;
    }
    if (size && starved()) return NULL;
    void *fresh = ((void *(*)(void *, size_t))found(&next, "realloc"))(old, size);
    if (!old) counted(fresh);
    if (old && !size && !inside) atomic_fetch_sub(&blocks, 1);
    return fresh;
}

void free(void *block)
{
    static void *next;
    if (!block || is_first(block)) return;
    if (!inside) atomic_fetch_sub(&blocks, 1);
    ((void (*)(void *))found(&next, "free"))(block);
}

void *aligned_alloc(size_t to, size_t size)
{
    static void *next;
    if (starved()) return NULL;
    return counted(((void *(*)(size_t, size_t))found(&next, "aligned_alloc"))(to, size));
}

int posix_memalign(void **out, size_t to, size_t size)
{
    static void *next;
    if (starved()) return ENOMEM;
    int failed = ((int (*)(void **, size_t, size_t))found(&next, "posix_memalign"))(out, to, size);
    if (!failed) counted(*out);
    return failed;
}

/* ---- a process for every request ------------------------------------------------------------- */

typedef int (*main_function)(int argc, char **argv, char **envp);
static main_function the_main;

static void use_file(const char *path, int flags, int as)
{
    int handle = open(path, flags, 0666);
    if (handle < 0 || dup2(handle, as) < 0) _exit(250);
    close(handle);
}

static int64_t open_handles(void)
{
    int64_t count = 0;
    for (int i = 0; i < 256; i++) count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* The request: folder, input, output, errors, then the words of the command; each ends with a 0. */
static int run_request(char *text, size_t size, int control, char **envp)
{
    enum { WORDS_MOST = 256 };
    char *words[WORDS_MOST + 1] = { 0 };
    int count = 0;
    inside++;
    for (char *at = text; at < text + size && count < WORDS_MOST; at += strlen(at) + 1)
        words[count++] = at;
    struct rlimit seconds = { LONGEST_S, LONGEST_S + 1 }, none = { 0, 0 };
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a studio does not outlive its server */
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    if (count < 5 || chdir(words[0]) != 0) _exit(250);
    use_file(words[1], O_RDONLY, STDIN_FILENO);
    use_file(words[2], O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    use_file(words[3], O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    close(control);
    inside--;
    atomic_store(&blocks, 0);
    int status = the_main(count - 4, words + 4, envp);
    inside++;
    page->blocks = atomic_load(&blocks);
    page->handles = open_handles();
    page->returned = 1;
    inside--;
    return status;
}

/* The reply says how the run ended. */
static int serve(int control, char **envp)
{
    static char request[REQUEST_ROOM];
    for (;;) {
        inside++;
        ssize_t size = recv(control, request, sizeof request - 1, 0);
        if (size <= 0) return 0;
        request[size] = 0;
        pid_t child = fork();
        inside--;
        if (child == 0) return run_request(request, (size_t)size, control, envp);
        int32_t ended = 0;
        inside++;
        page->process = child;
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
        }
        send(control, &ended, sizeof ended, 0);
        inside--;
    }
}

/* MAREY_TORTURE=CONTROL,PAGE: two handles. Programs that the program starts have none of this. */
static int instead_of_main(int argc, char **argv, char **envp)
{
    const char *handles = getenv("MAREY_TORTURE");
    int control, shared;
    if (!handles || sscanf(handles, "%d,%d", &control, &shared) != 2)
        return the_main(argc, argv, envp);
    inside++;
    unsetenv("MAREY_TORTURE");
    unsetenv("LD_PRELOAD");
    void *stack[STACK_MOST];
    backtrace(stack, STACK_MOST); /* loads what it needs now */
    torture_page *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    close(shared);
    if (made == MAP_FAILED) return 250;
    static const char *const names[] = { KINDS(KIND_NAME) };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        strcat(strcat(made->names, names[i]), " ");
    page = made;
    inside--;
    return serve(control, envp);
}

typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void),
                              void (*)(void), void *);
int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*unload)(void), void *stack_end);

int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*unload)(void), void *stack_end)
{
    static void *next;
    the_main = main;
    return ((start_function)found(&next, "__libc_start_main"))(instead_of_main, argc, argv, init,
                                                               fini, unload, stack_end);
}
