/* encoder.c - starting, feeding and ending ffmpeg. No shell is involved. Frames go through a socket, because a
   write to a socket can be told not to raise SIGPIPE, and a library must not change a program's signals. The
   video is written to a file without a name and copied from there by the library's writer. If this program is
   killed, ffmpeg reads the end of its frames and ends too, and its file vanishes with it. */
#include "picture/encoder.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { VIDEO_HANDLE = 3, ABOVE = 16 }; /* in ffmpeg; where handles are out of the way of 0 .. 3 */

extern char **environ;

/* The same handle with a number that dup2 onto 0 .. 3 cannot hit. */
static int lift(int handle)
{
    if (handle < 0) return handle;
    int lifted = fcntl(handle, F_DUPFD_CLOEXEC, ABOVE);
    close(handle);
    return lifted;
}

static int nameless_file(void)
{
    int handle = open(P_tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return lift(handle >= 0 ? handle : memfd_create("marey-video", MFD_CLOEXEC));
}

static void close_all(mry_encoder *encoder)
{
    int *handles[] = { &encoder->feed, &encoder->video, &encoder->words };
    for (int i = 0; i < 3; i++) {
        if (*handles[i] >= 0) close(*handles[i]);
        *handles[i] = -1;
    }
}

static int open_all(mry_encoder *encoder, int *input)
{
    int ends[2];
    *encoder = (mry_encoder){ .pid = -1, .feed = -1, .video = -1, .words = -1 };
    *input = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
    encoder->feed = lift(ends[0]);
    *input = lift(ends[1]);
    encoder->video = nameless_file();
    encoder->words = lift(memfd_create("marey-words", MFD_CLOEXEC));
    bool ok = encoder->feed >= 0 && *input >= 0 && encoder->video >= 0 && encoder->words >= 0;
    return ok ? 0 : -errno;
}

/* A process group of its own: the interrupt key is for this program, which then stops ffmpeg itself. */
static int spawn(mry_encoder *encoder, int input, char *const *arguments)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    int failed = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, encoder->words, STDOUT_FILENO);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, encoder->words, STDERR_FILENO);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, encoder->video, VIDEO_HANDLE);
    if (!failed) failed = posix_spawnp(&encoder->pid, "ffmpeg", &files, &how, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}

#define WORD(text) ((char *)(uintptr_t)(text)) /* execve does not write to its arguments */

marey_status mry_encoder_start(mry_encoder *encoder, const char *path, int width, int height,
                               double fps, marey_error *error)
{
    char size[32], rate[32];
    int input, failed = open_all(encoder, &input);
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.9g", fps);
    /* clang-format off */
    char *arguments[] = {
        WORD("ffmpeg"), WORD("-nostdin"), WORD("-loglevel"), WORD("error"), WORD("-y"),
        WORD("-f"), WORD("rawvideo"), WORD("-pix_fmt"), WORD("bgr0"), WORD("-video_size"), size,
        WORD("-framerate"), rate, WORD("-i"), WORD("pipe:0"),
        WORD("-an"), WORD("-c:v"), WORD("libx264"), WORD("-preset"), WORD("veryfast"),
        WORD("-crf"), WORD("20"), WORD("-pix_fmt"), WORD("yuv420p"),
        WORD("-fflags"), WORD("+bitexact"), WORD("-flags:v"), WORD("+bitexact"),
        WORD("-movflags"), WORD("+faststart"), WORD("-f"), WORD("mp4"), WORD("/dev/fd/3"), NULL
    };
    /* clang-format on */
    if (!failed) failed = -spawn(encoder, input, arguments);
    if (input >= 0) close(input);
    if (!failed) return MAREY_OK;
    encoder->pid = -1;
    close_all(encoder);
    if (failed == -ENOENT || failed == -EACCES || failed == -ENOTDIR) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a video needs the program ffmpeg, which is not on the PATH; on Debian and "
                        "Ubuntu: apt-get install ffmpeg");
    }
    return mry_fail_errno(error, failed, "start ffmpeg for", path);
}

bool mry_encoder_feed(mry_encoder *encoder, const void *bytes, size_t count)
{
    const char *next = bytes;
    while (count > 0) {
        ssize_t put = send(encoder->feed, next, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        next += put;
        count -= (size_t)put;
    }
    return true;
}

/* The exit status; 0 too where the program has told the system that it does not want to know. */
static int wait_for(mry_encoder *encoder)
{
    int state = 0;
    pid_t got;
    do {
        got = waitpid(encoder->pid, &state, 0);
    } while (got < 0 && errno == EINTR);
    encoder->pid = -1;
    if (got < 0) return 0;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

/* The last line that ffmpeg said. */
static void last_words(const mry_encoder *encoder, char *out, size_t room)
{
    char tail[400];
    off_t size = lseek(encoder->words, 0, SEEK_END);
    off_t from = size > (off_t)sizeof tail ? size - (off_t)sizeof tail : 0;
    ssize_t got = size > 0 ? pread(encoder->words, tail, sizeof tail, from) : 0;
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\r')) got--;
    ssize_t start = got;
    while (start > 0 && tail[start - 1] != '\n') start--;
    mry_quote(out, room, tail + start, got > start ? (size_t)(got - start) : 0);
}

static marey_status copy_bytes(const mry_encoder *encoder, char *piece, size_t room,
                               mry_writer *writer, const char *path, marey_error *error)
{
    off_t at = 0;
    while (!mry_writer_failed(writer)) {
        ssize_t got = pread(encoder->video, piece, room, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return mry_fail_errno(error, -errno, "read the video for", path);
        if (got == 0) break;
        mry_writer_bytes(writer, piece, (size_t)got);
        at += got;
    }
    if (at > 0 || mry_writer_failed(writer)) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_IO, path, "ffmpeg left no video");
}

static marey_status save_video(const mry_encoder *encoder, mry_arena *tmp, const char *path,
                               marey_error *error)
{
    enum { PIECE = 256 * 1024 };
    char *piece = mry_arena_take(tmp, PIECE, 1);
    off_t size = lseek(encoder->video, 0, SEEK_END);
    mry_writer writer;
    if (!piece) return mry_fail_memory(error, path);
    if (size < 0) return mry_fail_errno(error, -errno, "read the video for", path);
    marey_status status = mry_writer_open(&writer, tmp, path, (uint64_t)size, error);
    if (status) return status;
    status = copy_bytes(encoder, piece, PIECE, &writer, path, error);
    if (!status) return mry_writer_commit(&writer, error);
    mry_writer_abandon(&writer);
    return status;
}

marey_status mry_encoder_finish(mry_encoder *encoder, mry_arena *tmp, const char *path,
                                marey_error *error)
{
    close(encoder->feed); /* the end of the frames */
    encoder->feed = -1;
    int result = wait_for(encoder);
    marey_status status;
    if (result) {
        char words[300];
        last_words(encoder, words, sizeof words);
        status = mry_fail(error, MAREY_ERR_IO, path, "ffmpeg failed: %s",
                          *words ? words : "it does not say why");
    } else {
        status = save_video(encoder, tmp, path, error);
    }
    close_all(encoder);
    return status;
}

void mry_encoder_stop(mry_encoder *encoder)
{
    if (encoder->pid > 0) {
        kill(encoder->pid, SIGKILL);
        wait_for(encoder);
    }
    close_all(encoder);
}
