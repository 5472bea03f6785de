/* test_studio_paths.c - nothing outside the library is ever opened, however an address or a file's
   name is spelt. Beside the library lies a canary that no answer may show; and, except under the
   sanitizers, which have these functions themselves, this program puts its own in the place of open
   and its kind, so that every file that anything in it opens is seen. */
#include "studio_rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- what opens which file ------------------------------------------------------------------- */

#if !TEST_SANITIZED
#include <pthread.h>

/* Globals, since open has no place for more arguments. */
static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static char watch_library[300]; /* "": nothing is watched */
static int watch_good, watch_bad;
static char watch_worst[512];

/* The library, what SQLite puts beside it, and their folder, which it syncs; randomness; what a
   font needs that is drawn with. */
static bool may_open(const char *path)
{
    static const char *const fine[] = { "/dev/urandom",         "/proc/",      "/sys/",
                                        "/etc/fonts",           "/usr/share/", "/usr/local/share/",
                                        "/var/cache/fontconfig" };
    size_t length = strlen(watch_library);
    const char *name = strrchr(watch_library, '/');
    if (strlen(path) == (size_t)(name - watch_library) &&
        strncmp(path, watch_library, strlen(path)) == 0) {
        return true;
    }
    if (strncmp(path, watch_library, length) == 0) {
        static const char *const behind[] = { "", "-wal", "-shm", "-journal", "-migrating" };
        for (size_t i = 0; i < COUNT(behind); i++) {
            if (strcmp(path + length, behind[i]) == 0) return true;
        }
    }
    for (size_t i = 0; i < COUNT(fine); i++) {
        if (strncmp(path, fine[i], strlen(fine[i])) == 0 && !strstr(path, "..")) return true;
    }
    return false;
}

static void watch(const char *path)
{
    pthread_mutex_lock(&watch_lock);
    if (watch_library[0] && may_open(path)) watch_good++;
    if (watch_library[0] && !may_open(path)) {
        watch_bad++;
        snprintf(watch_worst, sizeof watch_worst, "%s", path);
    }
    pthread_mutex_unlock(&watch_lock);
}

static int really_open(int folder, const char *path, int flags, va_list more)
{
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    watch(path);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* Seen by the shared libraries too, SQLite before all, or they would go on using the others. */
#pragma GCC visibility push(default)

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int handle = really_open(AT_FDCWD, path, flags, more);
    va_end(more);
    return handle;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int handle = really_open(folder, path, flags, more);
    va_end(more);
    return handle;
}

FILE *fopen(const char *path, const char *how)
{
    int flags = strchr(how, 'w') ? O_CREAT | O_TRUNC : strchr(how, 'a') ? O_CREAT | O_APPEND : 0;
    flags |= strchr(how, '+') ? O_RDWR : flags ? O_WRONLY : O_RDONLY;
    watch(path);
    int handle = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
    return handle < 0 ? NULL : fdopen(handle, how);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));
FILE *fopen64(const char *path, const char *how) __attribute__((alias("fopen")));

#pragma GCC visibility pop

static void watch_start(const studio_bench *b)
{
    pthread_mutex_lock(&watch_lock);
    snprintf(watch_library, sizeof watch_library, "%s", b->path);
    watch_good = watch_bad = 0;
    pthread_mutex_unlock(&watch_lock);
}

static void watch_end(const char *what)
{
    pthread_mutex_lock(&watch_lock);
    watch_library[0] = 0;
    int bad = watch_bad, good = watch_good;
    pthread_mutex_unlock(&watch_lock);
    assert_true(good > 0); /* or nothing was watched */
    if (bad) fail_msg("%d other files were opened; the last: %s", bad, watch_worst);
    print_message("%d opens of the library, none of anything else: %s\n", good, what);
}
#else
static void watch_start(const studio_bench *b)
{
    (void)b;
}
static void watch_end(const char *what)
{
    (void)what;
}
#endif

static int open_bench(void **state)
{
    static studio_bench bench; /* one at a time; setup and teardown see to that */
    bench = (studio_bench){ 0 };
    studio_bench_library(&bench);
    watch_start(&bench);
    studio_bench_start(&bench,
                       &(studio_def){ .header_ms = 3000, .body_ms = 3000, .idle_ms = 3000 });
    *state = &bench;
    return 0;
}

/* ---- addresses that look like paths ---------------------------------------------------------- */

static const char *const spellings[] = {
    "/../canary.bvh",
    "/../../../../../../etc/passwd",
    "/./../canary.bvh",
    "/api/../canary.bvh",
    "/api/../../canary.bvh",
    "/api/clips/../../canary.bvh",
    "/api/clips/../about",
    "/api/./about",
    "/./api/about",
    "/api/about/",
    "/api/about/.",
    "/api/about/..",
    "/api/about/../about",
    "//api/about",
    "/api//about",
    "///",
    "//",
    "/.",
    "/..",
    "/...",
    "/....//canary.bvh",
    "/%2e%2e/canary.bvh",
    "/%2e%2e%2fcanary.bvh",
    "/%2E%2E%2Fcanary.bvh",
    "/..%2fcanary.bvh",
    "/%2e./canary.bvh",
    "/.%2e/canary.bvh",
    "/..%5ccanary.bvh",
    "/..\\canary.bvh",
    "/..\\..\\etc\\passwd",
    "\\..\\canary.bvh",
    "/%5c..%5ccanary.bvh",
    "/%252e%252e%252fcanary.bvh",
    "/%252e%252e/canary.bvh",
    "/%25252e%25252e/canary.bvh",
    "/%c0%ae%c0%ae/canary.bvh",
    "/%c0%ae%c0%ae%c0%afcanary.bvh",
    "/%e0%80%ae%e0%80%ae/canary.bvh",
    "/%f0%80%80%ae/canary.bvh",
    "/\xc0\xae\xc0\xae/canary.bvh",
    "/%uff0e%uff0e/canary.bvh",
    "/%ef%bc%8e%ef%bc%8e/canary.bvh",
    "/..%c0%af..%c0%afetc/passwd",
    "/..%00/canary.bvh",
    "/canary.bvh",
    "/canary.bvh%00",
    "/canary.bvh%00.png",
    "/canary%2ebvh",
    "/moves.marey",
    "/moves.marey-wal",
    "/etc/passwd",
    "/%2fetc%2fpasswd",
    "//etc/passwd",
    "/C:/canary.bvh",
    "/C:\\canary.bvh",
    "/file:///etc/passwd",
    "file:///etc/passwd",
    "http://127.0.0.1:{port}/api/about",
    "http://evil.example/api/about",
    "https://127.0.0.1:{port}/",
    "//evil.example/api/about",
    "127.0.0.1:{port}/api/about",
    "api/about",
    "*",
    "?token={token}",
    "/~root",
    "/~/canary.bvh",
    "/proc/self/environ",
    "/dev/zero",
    "/api",
    "/api/",
    "/API/about",
    "/Api/About",
    "/api/about;x=y",
    "/api;x/about",
    "/api/about%20",
    "/api/about%09",
    "/api/about.",
    "/api/about..",
    "/api/about%2e",
    "/api/about%00",
    "/api/about.json",
    "/api/about%3ftext=",
    "/api%2fabout",
    "/%61pi/about",
    "/api/abou%74",
    "/api/aboutx",
    "/api/abou",
    "/api/about#x",
    "/api/clips/",
    "/api/clips/+{id}",
    "/api/clips/-{id}",
    "/api/clips/0{id}",
    "/api/clips/{id}x",
    "/api/clips/{id}.0",
    "/api/clips/{id}/",
    "/api/clips/ {id}",
    "/api/clips/%20{id}",
    "/api/clips/%3{id}",
    "/api/clips/{id}%00",
    "/api/clips/{id},2",
    "/api/clips/0",
    "/api/clips/0x{id}",
    "/api/clips/1e0",
    "/api/clips/run",
    "/api/clips/canary.bvh",
    "/api/clips/9999999999",
    "/api/clips/999999999999999",
    "/api/clips/1000000000000000",
    "/api/clips/9223372036854775807",
    "/api/clips/9223372036854775808",
    "/api/clips/18446744073709551617",
    "/api/clips/99999999999999999999999999999999999999999999999999",
    "/api/clips/\xd9\xa1",
    "/api/clips/{id}/frames/..",
    "/api/clips/{id}/../{id}",
    "/api/clips/{id}/strip.png",
    "/api/clips/{id}/strip/../../../canary.bvh",
    "/api/jobs/..",
    "/api/jobs/1/../../about",
    "/api/jobs/0",
    "/api/jobs/1/file",
    "/api/jobs/-1",
    "/api/jobs/99999999999999999999",
    "/api/live/../about",
    "/index.html",
    "/favicon.ico/..",
};

#define CASE(name) TEST_OF_IN(open_bench, studio_bench_tear_down, studio_bench *b, name)

CASE(no_spelling_of_an_address_leads_to_a_file)
{
    struct stat before, after;
    int wrong = 0;
    assert_int_equal(stat(b->canary, &before), 0);
    for (size_t i = 0; i < COUNT(spellings); i++) {
        char pattern[512];
        size_t count;
        const int expect[3] = { 404, 400, strchr(spellings[i], ' ') ? CUT_OFF : 405 };
        snprintf(pattern, sizeof pattern, "GET %s HTTP/1.1\r\n" HOST BEARER END, spellings[i]);
        FREED char *get = studio_fill(b, pattern, &count);
        if (!studio_row_try(b, spellings[i], get, count, expect)) wrong++;
        snprintf(pattern, sizeof pattern,
                 "POST %s HTTP/1.1\r\n" HOST BEARER JSON "Content-Length: 2\r\n\r\n{}",
                 spellings[i]);
        FREED char *post = studio_fill(b, pattern, &count);
        if (!studio_row_try(b, spellings[i], post, count, expect)) wrong++;
    }
    assert_int_equal(stat(b->canary, &after), 0);
    assert_int_equal(before.st_atim.tv_sec, after.st_atim.tv_sec);
    assert_int_equal(before.st_atim.tv_nsec, after.st_atim.tv_nsec);
    if (wrong) fail_msg("%d of %zu spellings went wrong", wrong, COUNT(spellings));
    watch_end("addresses");
    print_message("%zu spellings lead nowhere\n", COUNT(spellings));
}

/* ---- names of dropped files ------------------------------------------------------------------ */

static const char *const names[] = {
    "../escaped.bvh",
    "../../../../tmp/escaped.bvh",
    "/tmp/escaped.bvh",
    "..\\escaped.bvh",
    "C:\\escaped.bvh",
    "./escaped.bvh",
    "a/../../escaped.bvh",
    "a//escaped.bvh",
    "%2e%2e/escaped.bvh",
    "~/escaped.bvh",
    "moves.marey",
    "../moves.marey",
    "canary.bvh",
    "../canary.bvh",
    "/etc/passwd",
    "file:///escaped.bvh",
    " ",
    "escaped.bvh ",
    "a\tb.bvh",
    "nul",
    "-rf.bvh",
    "\xff\xfe.bvh",
    "\xe2\x80\xaezvb.bvh",
    "CON.bvh",
    "a:b.bvh",
    "|true.bvh",
    "`true`.bvh",
};

CASE(no_name_of_a_dropped_file_leads_to_the_disk)
{
    OWNED(studio_upload) all = { 0 };
    FREED char *person = test_person(2);
    int there = test_folder_count(b->folder);
    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *other = test_person(3 + (int)i);
        studio_upload_add(&all, names[i], i % 3 ? other : "no motion");
    }
    studio_upload_add(&all, "good.bvh", person);
    studio_upload_end(&all);
    const json_t *job = studio_job_wait(b, studio_upload_send(b, &all));
    assert_string_equal(word(job, "state"), "done");
    assert_true(size_of(json_object_get(job, "result"), "added") >= 10);
    /* SQLite's two files may come and go while the library is open. */
    assert_true(test_folder_count(b->folder) <= there + 2);
    assert_int_not_equal(access("/tmp/escaped.bvh", F_OK), 0);
    watch_end("names of dropped files");
}

CASE(a_file_without_a_name_is_refused)
{
    static const char *const nothing[] = { "..", ".", "/", "../..", "\\", "\x01" };
    for (size_t i = 0; i < COUNT(nothing); i++) {
        OWNED(studio_upload) all = { 0 };
        studio_upload_add(&all, nothing[i], "x");
        studio_upload_end(&all);
        OWNED(http_wire) wire = wire_to(b->port);
        assert_true(studio_upload_head(&wire, b, all.count));
        wire_send(&wire, all.text, all.count);
        OWNED(http_answer) got = wire_read(&wire, 10);
        assert_int_equal(got.status, 400);
    }
}

/* An AMC looks for its skeleton in its folder and in the one above: those of the dropped files, not
   of the disk. */
CASE(a_motion_finds_no_skeleton_on_the_disk)
{
    OWNED(studio_upload) all = { 0 };
    static const char motion[] = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n";
    studio_upload_add(&all, "s07/07_01.amc", motion);
    studio_upload_add(&all, "../07_02.amc", motion);
    studio_upload_add(&all, "/07_03.amc", motion);
    studio_upload_end(&all);
    const json_t *job = studio_job_wait(b, studio_upload_send(b, &all));
    assert_int_equal(size_of(json_object_get(job, "result"), "errors"), 3);
    watch_end("a motion without skeleton");
}

static void wait_export(const studio_bench *b, const char *format)
{
    char target[64];
    bool drawn = strcmp(format, "png") == 0;
    const json_t *begun =
        studio_post(b, 202, drawn ? "/api/do/render" : "/api/do/convert",
                    "{'clips':[{'clip':%lld,'start':0,'end':10}],'output':'walk.%s'}",
                    (long long)b->ids[0], format);
    int64_t number_of = whole(begun, "job");
    expect(studio_job_wait(b, number_of), "{'state': 'done'}");
    snprintf(target, sizeof target, "/api/jobs/%lld/file", (long long)number_of);
    OWNED(http_answer) got = studio_ask(b, target, NULL);
    assert_int_equal(got.status, 200);
    assert_true(got.whole && got.count > 100);
}

CASE(what_is_right_opens_nothing_else_either)
{
    static const char *const targets[] = { "/api/about",
                                           "/api/clips",
                                           "/api/clips/{id}",
                                           "/api/clips/{id}/frames",
                                           "/api/clips/{id}/curves?of=Hips.speed",
                                           "/api/clips/{id}/strip",
                                           "/" };
    for (size_t i = 0; i < COUNT(targets); i++) {
        size_t count;
        FREED char *target = studio_fill(b, targets[i], &count);
        OWNED(http_answer) got = studio_ask(b, target, NULL);
        if (got.status != 200) fail_msg("%s: %d %s", target, got.status, got.body);
        assert_null(studio_head_fault(&got));
    }
    wait_export(b, "bvh");
    wait_export(b, "glb");
    wait_export(b, "png");
    watch_end("what the page asks for");
}

TEST_GROUP_OF_CASES(test_studio_paths, NULL, NULL)
