/* canvas.c - cairo's surfaces over the library's writer. The same drawing gives the same bytes: PDF
   gets a fixed date, and the running number that cairo puts into an SVG, which counts the surfaces
   of the whole process, is taken out on the way.

   cairo is used in a child process only. Refused memory makes it abort (its rasteriser jumps into a
   function that has returned) or read through a null pointer, in places that change with every
   picture, and the library promises its host neither. So the page is drawn by a fork of the
   process, which has everything that is to be drawn, and sends the file's bytes through a pipe;
   this process puts them into place when the child says that they are all. A child that ends
   without that word ran out of memory. Pixels are made and compressed in the child: a page of them
   through the pipe, and through memory that the fork shares, cost a strip 2 ms.

   A fork of a process with threads has one thread, and locks that another one held are held for
   ever. glibc frees its allocator's; cairo's are held by no thread of ours, since all of ours draw
   in children. A lock that a host's own thread held leaves the child asleep: it is given up after
   STALL_S seconds in which it neither sent nor computed anything.

   A PNG (ISO/IEC 15948) has 8 bits a colour, no alpha, rows unfiltered. */
#include "picture/canvas.h"

#include "base/fail.h"
#include "picture/ink.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum {
    LOOK_MS = 50,
    STALL_S = 60,
    PIECE = 64 * 1024, /* bytes through the pipe at once */
    FRESH = 256 * 1024,
    LEVEL = 3,           /* of a PNG: how hard is compressed .. */
    SQUEEZED = 32 * 1024 /* .. into chunks of so many bytes */
};

/* No drawing comes near it; cairo alone knows what one takes. */
static const uint64_t most_bytes = (uint64_t)4 << 30;

static const struct {
    const char *ending;
    mry_canvas_kind kind;
} kinds[] = {
    { ".png", MRY_CANVAS_PNG },
    { ".svg", MRY_CANVAS_SVG },
    { ".pdf", MRY_CANVAS_PDF },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* What both processes see. */
typedef struct shared {
    bool ended; /* all bytes are sent, or the reason is below */
    marey_status status;
    cairo_status_t drawn;
    _Atomic(const char *) step; /* how far it is; NULL: not said */
    _Atomic int64_t done, total;
} shared;

static void *take(void *arena, unsigned int count, unsigned int size)
{
    return mry_arena_take(arena, count, size);
}

static void leave(void *arena, void *piece) /* the arena is freed as a whole */
{
    (void)arena;
    (void)piece;
}

static void put_number(uint8_t *out, uint32_t number)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void write_chunk(mry_writer *writer, const char *kind, const uint8_t *bytes, size_t count)
{
    uint8_t head[8], tail[4];
    put_number(head, (uint32_t)count);
    memcpy(head + 4, kind, 4);
    uLong sum = crc32(crc32(0, NULL, 0), head + 4, 4);
    if (count) sum = crc32(sum, bytes, (uInt)count);
    put_number(tail, (uint32_t)sum);
    mry_writer_bytes(writer, head, sizeof head);
    if (count) mry_writer_bytes(writer, bytes, count);
    mry_writer_bytes(writer, tail, sizeof tail);
}

/* Writes rows of 0x00RRGGBB pixels. Several times faster than cairo's writer: drawings of few
   colours need no search for the best filter of each row. False: no memory; what the disk refuses
   is the writer's. */
static bool write_png(mry_canvas *canvas)
{
    static const uint8_t signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    mry_writer *writer = &canvas->writer;
    int width = canvas->width, height = canvas->height;
    uint8_t header[13] = { [8] = 8, [9] = 2 }; /* bits, true colour */
    size_t bytes = 3 * (size_t)width + 1;
    uint8_t *piece = mry_arena_take(canvas->tmp, SQUEEZED, 1);
    uint8_t *row = mry_arena_take(canvas->tmp, bytes, 1);
    z_stream stream = { .zalloc = take, .zfree = leave, .opaque = canvas->tmp };
    if (!piece || !row || deflateInit(&stream, LEVEL) != Z_OK) return false;
    put_number(header, (uint32_t)width);
    put_number(header + 4, (uint32_t)height);
    mry_writer_bytes(writer, signature, sizeof signature);
    write_chunk(writer, "IHDR", header, sizeof header);
    stream.next_out = piece;
    stream.avail_out = SQUEEZED;
    for (int y = 0; y < height && !mry_writer_failed(writer); y++) {
        /* A filter byte 0, then red, green, blue. */
        uint8_t *out = row;
        const uint8_t *from = canvas->pixels + (size_t)y * (size_t)canvas->stride;
        *out++ = 0;
        for (int x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, from + 4 * (size_t)x, sizeof pixel);
            *out++ = (uint8_t)(pixel >> 16);
            *out++ = (uint8_t)(pixel >> 8);
            *out++ = (uint8_t)pixel;
        }
        stream.next_in = row;
        stream.avail_in = (uInt)bytes;
        /* Compresses what the stream has been given; every full piece becomes a chunk. */
        int flush = y == height - 1 ? Z_FINISH : Z_NO_FLUSH;
        int result;
        do {
            result = deflate(&stream, flush);
            if (stream.avail_out == 0 || result == Z_STREAM_END) {
                write_chunk(writer, "IDAT", piece, SQUEEZED - stream.avail_out);
                stream.next_out = piece;
                stream.avail_out = SQUEEZED;
            }
        } while (stream.avail_in > 0 || (flush == Z_FINISH && result == Z_OK));
    }
    deflateEnd(&stream);
    write_chunk(writer, "IEND", NULL, 0);
    return true;
}

bool mry_path_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
    mry_canvas *canvas = user;
    mry_writer_bytes(&canvas->writer, bytes, count);
    return mry_writer_failed(&canvas->writer) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* Leaves out what cairo puts a running number of the whole process behind. No picture of ours has
   two of one kind. Letters that are shown are outlines in cairo's SVG, so these words come from
   cairo alone; in the base64 of an image there are neither quotes nor '#'. Pieces may end anywhere,
   so how much of each word was just seen is kept in the canvas. */
static cairo_status_t write_svg(void *user, const unsigned char *bytes, unsigned int count)
{
    static const char *const numbered[MRY_CANVAS_NUMBERED] = { "surface", "\"image", "#image" };
    mry_canvas *canvas = user;
    unsigned int start = 0;
    for (unsigned int i = 0; i < count; i++) {
        bool digit = bytes[i] >= '0' && bytes[i] <= '9', found = false;
        for (int w = 0; w < MRY_CANVAS_NUMBERED; w++) {
            int *matched = &canvas->matched[w];
            unsigned char next = (unsigned char)numbered[w][*matched];
            if (next == 0 && digit) {
                found = true;
            } else if (next && bytes[i] == next) {
                (*matched)++;
            } else {
                *matched = bytes[i] == (unsigned char)numbered[w][0];
            }
        }
        if (!found) continue;
        mry_writer_bytes(&canvas->writer, bytes + start, i - start);
        start = i + 1;
    }
    return write_bytes(user, bytes + start, count - start);
}

static void note_progress(void *user, const char *step, int64_t done, int64_t total)
{
    shared *report = user;
    atomic_store(&report->done, done);
    atomic_store(&report->total, total);
    atomic_store(&report->step, step);
}

/* Fills the page and sends it. */
static void draw_page(mry_canvas *canvas, mry_canvas_fn *draw, void *user, shared *report)
{
    double unit = canvas->kind == MRY_CANVAS_PDF ? 72.0 / 96.0 : 1;
    double width = unit * canvas->width, height = unit * canvas->height;
    FT_Library library;
    FT_Face face;
    size_t font_size;
    const unsigned char *font = mry_font(&font_size);
    errno = 0;
    report->status = MAREY_ERR_MEMORY;
    /* The library's own letters, so that a picture looks the same wherever it is drawn and
       fontconfig, which waits for ever when memory is refused, is not asked for any. They live
       until the child ends. */
    if (FT_Init_FreeType(&library) ||
        FT_New_Memory_Face(library, font, (FT_Long)font_size, 0, &face))
        return;
    canvas->letters = cairo_ft_font_face_create_for_ft_face(face, 0);
    switch (canvas->kind) {
    case MRY_CANVAS_SVG:
        canvas->surface = cairo_svg_surface_create_for_stream(write_svg, canvas, width, height);
        break;
    case MRY_CANVAS_PDF:
        canvas->surface = cairo_pdf_surface_create_for_stream(write_bytes, canvas, width, height);
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "2000-01-01T00:00:00Z");
        break;
    case MRY_CANVAS_PNG:
        canvas->stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, canvas->width);
        canvas->pixels =
            mry_arena_take(canvas->tmp, (size_t)canvas->stride, (size_t)canvas->height);
        if (!canvas->pixels) return;
        canvas->surface = cairo_image_surface_create_for_data(
            canvas->pixels, CAIRO_FORMAT_RGB24, canvas->width, canvas->height, canvas->stride);
        break;
    }
    canvas->cr = cairo_create(canvas->surface);
    if (cairo_status(canvas->cr)) return;
    cairo_set_font_face(canvas->cr, canvas->letters);
    cairo_scale(canvas->cr, unit, unit);
    cairo_set_source_rgb(canvas->cr, 1, 1, 1);
    cairo_rectangle(canvas->cr, 0, 0, canvas->width, canvas->height);
    cairo_fill(canvas->cr);
    report->status = draw(canvas, user);
    report->drawn = cairo_status(canvas->cr);
    if (report->status || report->drawn) return;
    cairo_show_page(canvas->cr);
    if (canvas->kind == MRY_CANVAS_PNG) {
        cairo_surface_flush(canvas->surface);
        if (!write_png(canvas)) report->status = MAREY_ERR_MEMORY;
    } else {
        cairo_surface_finish(canvas->surface);
        report->drawn = cairo_surface_status(canvas->surface);
    }
    /* Where memory was refused while it put the end of a PDF together, cairo leaves parts out and
       finds that well. */
    if (errno == ENOMEM) report->status = MAREY_ERR_MEMORY;
}

_Noreturn static void draw_in_child(mry_canvas *canvas, mry_canvas_fn *draw, void *user,
                                    shared *report, int pipe_end, pid_t host)
{
    /* Nothing of the host may run or be held here: its handlers, its files, its terminal. What the
       terminal sends to all is for the host, which then ends the child. */
    static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP };
    const struct rlimit no_core = { 0, 0 };
    sigset_t none;
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != host) _exit(1);
    setrlimit(RLIMIT_CORE, &no_core);
    if (pipe_end < 3) pipe_end = fcntl(pipe_end, F_DUPFD, 3); /* out of the streams' way */
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nothing >= 0; i++) dup2(nothing, i);
    if (pipe_end > 3) close_range(3, (unsigned)pipe_end - 1, 0);
    close_range((unsigned)pipe_end + 1, ~0u, 0);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    /* Large pieces are fresh pages: in the host's freed ones each would be copied at the first
       touch. */
    mallopt(M_MMAP_THRESHOLD, FRESH);
    marey_ctx *ctx = canvas->tmp->ctx; /* this process's own copy */
    canvas->writer.handle = pipe_end;
    ctx->pool = NULL; /* its threads are the host's */
    ctx->def.resize =
        mry_resize_system; /* the host's may be locked; nothing of its is freed here */
    ctx->def.io = marey_io_system();
    ctx->def.progress = note_progress;
    ctx->def.progress_user = report;
#ifdef MAREY_ONE_THREAD_AFTER_FORK
    ctx->def.threads = 1;
#endif
    draw_page(canvas, draw, user, report);
    mry_writer_reserve(&canvas->writer, MRY_WRITER_ROOM); /* sends what is left */
    report->ended = !mry_writer_failed(&canvas->writer);
#ifdef MAREY_COVERAGE
    extern void __gcov_dump(void);
    __gcov_dump();
#endif
    _exit(0);
}

/* Takes what the child sends until it ends, is cancelled, or is given up. False: cancelled. */
static bool receive(mry_canvas *canvas, pid_t child, int pipe_end, char *piece, shared *report)
{
    marey_ctx *ctx = canvas->tmp->ctx;
    struct timespec used = { 0 }, before = { 0 };
    clockid_t clock;
    int idle_ms = 0;
    bool has_clock = clock_getcpuclockid(child, &clock) == 0, goes_on = true;
    while (goes_on && !mry_writer_failed(&canvas->writer)) {
        struct pollfd ready = { .fd = pipe_end, .events = POLLIN };
        int found = poll(&ready, 1, LOOK_MS);
        const char *step = atomic_load(&report->step);
        goes_on =
            step ? mry_progress(ctx, step, atomic_load(&report->done), atomic_load(&report->total))
                 : !mry_cancelled(ctx);
        if (found > 0) {
            ssize_t got = read(pipe_end, piece, PIECE);
            if (got == 0 || (got < 0 && errno != EINTR)) break;
            if (got > 0) mry_writer_bytes(&canvas->writer, piece, (size_t)got);
            idle_ms = 0;
        } else if (found == 0) {
            idle_ms += LOOK_MS;
            if (has_clock && clock_gettime(clock, &used) == 0 &&
                (used.tv_sec != before.tv_sec || used.tv_nsec != before.tv_nsec))
                idle_ms = 0;
            before = used;
            if (idle_ms > STALL_S * 1000) break;
        }
    }
    return goes_on;
}

marey_status mry_canvas_draw(mry_arena *tmp, const char *path, int width, int height,
                             mry_canvas_fn *draw, void *user, marey_error *error)
{
    mry_canvas canvas = { .width = width, .height = height, .tmp = tmp };
    size_t row = 0;
    while (row < KINDS && !mry_path_ends(path, kinds[row].ending)) row++;
    if (row == KINDS)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a picture's name must end in .png, .svg or .pdf");
    canvas.kind = kinds[row].kind;
    if (width > MRY_CANVAS_MOST || height > MRY_CANVAS_MOST) {
        return mry_fail(error, MAREY_ERR_LIMIT, path,
                        "a picture has at most %d pixels on a side, this needs %d x %d",
                        MRY_CANVAS_MOST, width, height);
    }
    char *piece = mry_arena_take(tmp, PIECE, 1);
    if (!piece) return mry_fail_memory(error, path);
    marey_status status = mry_writer_open(&canvas.writer, tmp, path, most_bytes, error);
    if (status) return status;

    sigset_t all, before;
    int ends[2] = { -1, -1 };
    pid_t child = -1, host = getpid();
    shared *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool begun = report != MAP_FAILED && pipe2(ends, O_CLOEXEC) == 0;
    if (begun) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the host runs in the child */
        child = fork();
        if (child == 0) draw_in_child(&canvas, draw, user, report, ends[1], host);
        int why = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = why;
    }
    if (child < 0) {
        status = mry_fail_errno(error, -errno, "draw", path);
        if (ends[0] >= 0) close(ends[0]);
        if (ends[1] >= 0) close(ends[1]);
        if (report != MAP_FAILED) munmap(report, sizeof *report);
        mry_writer_abandon(&canvas.writer);
        return status;
    }
    close(ends[1]);
    bool cancelled = !receive(&canvas, child, ends[0], piece, report);
    close(ends[0]);
    if (!report->ended) kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) { /* a host may have waited for it */
    }
    shared result = *report;
    munmap(report, sizeof *report);
    if (mry_writer_failed(&canvas.writer) ||
        (result.ended && !result.status && !result.drawn && !cancelled))
        return mry_writer_commit(&canvas.writer, error);
    mry_writer_abandon(&canvas.writer);
    if (cancelled) return mry_fail_cancelled(error);
    if (!result.ended || result.status == MAREY_ERR_MEMORY ||
        result.drawn == CAIRO_STATUS_NO_MEMORY ||
        result.drawn == CAIRO_STATUS_FREETYPE_ERROR) /* the font is sound: it had no memory */
        return mry_fail_memory(error, path);
    if (result.status)
        return mry_fail(error, result.status, path, "%s", marey_status_name(result.status));
    return mry_fail(error, MAREY_ERR_IO, path, "cannot draw this picture: %s",
                    cairo_status_to_string(result.drawn));
}
