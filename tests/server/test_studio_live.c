/* test_studio_live.c - the studio's WebSocket: what is announced, poses by the clock, and clients
   that break the rules. */
#include "hub.h"
#include "live_wire.h"

#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>

/* ---- what is announced ----------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(studio_bench_set_up, studio_bench_tear_down, studio_bench *b, name)

CASE(a_change_by_another_program_is_announced_within_one_and_a_half_seconds)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    double worst = 0;
    OWNED(http_wire) wire = studio_live(b);
    assert_int_equal(marey_library_open(ctx, b->path, MAREY_LIBRARY_WRITE, &library, NULL), 0);
    for (int i = 0; i < 4; i++) {
        char label[16];
        snprintf(label, sizeof label, "l%d", i);
        double start = wire_now();
        assert_int_equal(marey_library_label(library, bench_names, 1, label, true, NULL), 0);
        const json_t *heard = studio_hear(&wire, "library", 1.5);
        if (!heard) fail_msg("change %d was not announced", i);
        if (wire_now() - start > worst) worst = wire_now() - start;
        int64_t version = 0;
        assert_int_equal(marey_library_version(library, &version, NULL), 0);
        assert_int_equal(whole(heard, "version"), version);
    }
    print_message("worst time until a change by another program was announced: %.2f s\n", worst);
}

CASE(a_change_is_announced_to_every_client_at_once)
{
    http_wire wires[5];
    for (int i = 0; i < 5; i++) wires[i] = studio_live(b);
    studio_post(b, 200, "/api/do/label", "{'clips':[%lld],'add':['x']}", (long long)b->ids[0]);
    for (int i = 0; i < 5; i++) {
        assert_non_null(studio_hear(&wires[i], "library", 1));
        wire_close(&wires[i]);
    }
}

/* Reads messages of one job until it is over. */
static json_t *follow_job(http_wire *wire, int64_t job, int *messages)
{
    for (;;) {
        json_t *now = studio_hear(wire, "job", 30);
        if (!now) fail_msg("job %lld is not reported any more", (long long)job);
        if (whole(now, "job") != job) continue;
        ++*messages;
        const char *at = word(now, "state");
        if (strcmp(at, "waiting") != 0 && strcmp(at, "running") != 0) return now;
        assert_true(whole(now, "done") <= whole(now, "total") || whole(now, "total") == 0);
    }
}

CASE(a_job_reports_how_far_it_is)
{
    int messages = 0;
    OWNED(http_wire) wire = studio_live(b);
    double start = wire_now();
    const json_t *last = follow_job(&wire, studio_import(b, 10, 800), &messages);
    double seconds = wire_now() - start;
    expect(last, "{'state': 'done', 'kind': 'add'}");
    assert_int_equal(size_of(json_object_get(last, "result"), "added"), 10);
    assert_true(messages >= 2 && messages <= 4 + (int)(seconds * 10));
}

/* Each file that is no motion is reported with its name; enough of them pass 64 KiB. */
CASE(a_long_result_is_announced_by_its_address)
{
    enum { FILES = 700 };
    OWNED(studio_upload) all = { 0 };
    int count = 0;
    for (int i = 0; i < FILES; i++) {
        char name[200];
        snprintf(name, sizeof name, "%03d-%0120d.txt", i, 0);
        studio_upload_add(&all, name, "no motion");
    }
    studio_upload_end(&all);
    OWNED(http_wire) wire = studio_live(b);
    int64_t job = studio_upload_send(b, &all);
    expect(follow_job(&wire, job, &count),
           "{'state': 'done', 'result': null, 'result_at': '/api/jobs/%lld'}", (long long)job);
    const json_t *full = studio_get(b, 200, "/api/jobs/%lld", (long long)job);
    assert_int_equal(size_of(json_object_get(full, "result"), "skipped"), FILES);
    assert_null(json_object_get(full, "result_at"));
    say(&wire, "{'type':'stop','stream':99}"); /* it still listens */
    assert_non_null(studio_hear(&wire, "error", 5));
}

CASE(a_job_can_be_cancelled_by_message)
{
    int messages = 0;
    OWNED(http_wire) wire = studio_live(b);
    int64_t job = studio_import(b, 40, 1500);
    say(&wire, "{'type':'cancel','job':%lld}", (long long)job);
    expect(follow_job(&wire, job, &messages), "{'state': 'cancelled'}");
    assert_int_equal(size_of(studio_get(b, 200, "/api/clips"), "clips"), BENCH_CLIPS);
}

/* ---- poses ----------------------------------------------------------------------------------- */

static marey_clip *load_clip(const studio_bench *b, marey_ctx *ctx, int which)
{
    OWNED(marey_library) *library = NULL;
    marey_clip *clip = NULL;
    assert_int_equal(marey_library_open(ctx, b->path, MAREY_LIBRARY_READ, &library, NULL), 0);
    assert_int_equal(marey_library_load(library, bench_names[which], &clip, NULL), 0);
    return clip;
}

/* v turned by q. */
static void turn(const double q[4], const double v[3], double out[3])
{
    double t[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = 2 * (q[1 + j] * v[k] - q[1 + k] * v[j]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = v[i] + q[0] * t[i] + q[1 + j] * t[k] - q[1 + k] * t[j];
    }
}

/* Places are those of the clip; a joint's offset, turned by its parent's global rotation, leads
   from one to the other. */
static void check_pose(const marey_clip *clip, const ws_frame *pose, uint32_t stream)
{
    const marey_skeleton *body = marey_clip_skeleton(clip);
    double places[3 * 64];
    assert_int_equal(pose->count, 8 + (size_t)body->joint_count * 28);
    assert_int_equal(word_at(pose->bytes), stream);
    uint32_t frame = word_at(pose->bytes + 4);
    assert_true(frame < (uint32_t)marey_clip_frames(clip) && body->joint_count <= 64);
    marey_clip_positions(clip, (int)frame, 1, places);
    for (int j = 0; j < body->joint_count; j++) {
        const uint8_t *at = pose->bytes + 8 + 28 * j;
        for (int i = 0; i < 3; i++) test_near(float_at(at + 4 * i), places[3 * j + i], 0.001);
        if (body->joints[j].parent < 0) continue;
        const uint8_t *up = pose->bytes + 8 + 28 * body->joints[j].parent;
        double q[4], step[3];
        for (int i = 0; i < 4; i++) q[i] = float_at(up + 12 + 4 * i);
        turn(q, body->joints[j].offset_cm, step);
        for (int i = 0; i < 3; i++)
            test_near(float_at(at + 4 * i) - float_at(up + 4 * i), step[i], 0.01);
    }
}

typedef struct heard_poses {
    int count;
    int64_t first, last; /* frames */
    bool backwards;
    bool ended; /* by stream-end */
} heard_poses;

static heard_poses hear_poses(http_wire *wire, const marey_clip *clip, int stream, double seconds)
{
    heard_poses heard = { .first = -1, .last = -1 };
    for (double end = wire_now() + seconds; wire_now() < end && !heard.ended;) {
        OWNED(ws_frame) frame = ws_read(wire, end - wire_now());
        if (frame.kind == WS_BINARY) {
            check_pose(clip, &frame, (uint32_t)stream);
            int64_t at = word_at(frame.bytes + 4);
            if (heard.count++ == 0) heard.first = at;
            if (at < heard.last) heard.backwards = true;
            heard.last = at;
        } else if (frame.kind == WS_TEXT) {
            heard.ended = strstr((const char *)frame.bytes, "stream-end") != NULL;
        }
        if (frame.kind == WS_ENDED) fail_msg("the server ended it");
    }
    return heard;
}

static void play(http_wire *wire, int stream, int64_t clip, const char *more)
{
    say(wire, "{'type':'play','stream':%d,'clip':%lld%s}", stream, (long long)clip, more);
}

CASE(poses_come_by_the_clock_and_are_those_of_the_clip)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = load_clip(b, ctx, 0); /* 120 frames at 60 a second */
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    OWNED(http_wire) wire = studio_live(b);
    play(&wire, 3, b->ids[0], ", 'start': 10, 'end': 100, 'rate': 30, 'speed': 1");
    const json_t *begun = studio_hear(&wire, "stream", 5);
    double start = wire_now();
    expect(begun, "{'stream': 3, 'clip': %lld, 'start': 10, 'end': 100, 'joints': %d}",
           (long long)b->ids[0], skeleton->joint_count);
    for (int j = 0; j < skeleton->joint_count; j++)
        assert_int_equal(json_integer_value(item(begun, "parents", (size_t)j)),
                         skeleton->joints[j].parent);
    heard_poses heard = hear_poses(&wire, clip, 3, 10);
    double seconds = wire_now() - start;
    assert_true(heard.ended && !heard.backwards);
    assert_true(heard.first >= 10 && heard.first < 20 && heard.last >= 90 && heard.last < 100);
    /* one and a half seconds of motion; a machine that is busy may leave poses out, but never send
       more */
    assert_true(heard.count >= 10 && heard.count <= 46);
    assert_true(seconds > 1.3);
}

CASE(a_loop_goes_on_until_it_is_stopped)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = load_clip(b, ctx, 1); /* a second */
    OWNED(http_wire) wire = studio_live(b);
    play(&wire, 0, b->ids[1], ", 'loop': true, 'speed': 4, 'rate': 60");
    heard_poses heard = hear_poses(&wire, clip, 0, 1.2);
    assert_true(heard.count > 10 && heard.backwards && !heard.ended);
    say(&wire, "{'type':'stop','stream':0}");
    heard = hear_poses(&wire, clip, 0, 2);
    assert_true(heard.ended);
    ws_frame silence = ws_read(&wire, 0.5);
    assert_int_equal(silence.kind, WS_TIME_OUT);
    play(&wire, 0, b->ids[1], ", 'loop': true"); /* and again, and replaced */
    studio_hear(&wire, "stream", 5);
    play(&wire, 0, b->ids[0], "");
    expect(studio_hear(&wire, "stream", 5), "{'clip': %lld}", (long long)b->ids[0]);
}

CASE(eight_streams_play_and_a_ninth_does_not)
{
    bool seen[8] = { false };
    OWNED(http_wire) wire = studio_live(b);
    for (int i = 0; i < 8; i++)
        play(&wire, i, b->ids[i % BENCH_CLIPS], ", 'loop': true, 'rate': 10");
    play(&wire, 8, b->ids[0], "");
    assert_true(word(studio_hear(&wire, "error", 5), "message")[0]);
    int count = 0;
    for (double end = wire_now() + 5; wire_now() < end && count < 8;) {
        OWNED(ws_frame) frame = ws_read(&wire, 1);
        uint32_t stream = frame.kind == WS_BINARY ? word_at(frame.bytes) : 99;
        if (stream < 8 && !seen[stream]) seen[stream] = true, count++;
    }
    assert_int_equal(count, 8);
}

CASE(invalid_streams_are_refused)
{
    static const char *const bad[] = {
        "'stream':-1,'clip':1",
        "'stream':1.5,'clip':1",
        "'stream':'1','clip':1",
        "'clip':1",
        "'stream':1",
        "'stream':1,'clip':99999",
        "'stream':1,'clip':-1",
        "'stream':1,'clip':1e300",
        "'stream':1,'clip':1,'start':-1",
        "'stream':1,'clip':1,'start':1000000",
        "'stream':1,'clip':1,'start':5,'end':5",
        "'stream':1,'clip':1,'end':100000000",
        "'stream':1,'clip':1,'rate':0",
        "'stream':1,'clip':1,'rate':1e9",
        "'stream':1,'clip':1,'rate':-30",
        "'stream':1,'clip':1,'speed':0",
        "'stream':1,'clip':1,'speed':1e300",
        "'stream':1,'clip':1,'speed':'fast'",
    };
    OWNED(http_wire) wire = studio_live(b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        say(&wire, "{'type':'play',%s}", bad[i]);
        if (!studio_hear(&wire, "error", 5)) fail_msg("not refused: %s", bad[i]);
    }
}

/* It says which, and what played there before is over. */
CASE(a_stream_whose_replacement_is_invalid_ends)
{
    static const int bad[] = { 99999, -1 };
    OWNED(http_wire) wire = studio_live(b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        play(&wire, 3, b->ids[0], ", 'loop': true");
        assert_non_null(studio_hear(&wire, "stream", 5));
        play(&wire, 3, bad[i], "");
        expect(studio_hear(&wire, "error", 5), "{'stream': 3}");
        expect(studio_hear(&wire, "stream-end", 5), "{'stream': 3}");
    }
}

/* ---- clients that break the rules ------------------------------------------------------------ */

CASE(messages_that_are_none_are_answered)
{
    static const char *const bad[] = { "",
                                       "x",
                                       "[]",
                                       "{}",
                                       "null",
                                       "1",
                                       "'play'",
                                       "{'type':1}",
                                       "{'type':'fly'}",
                                       "{'type':'play'",
                                       "{'type':'cancel'}",
                                       "{'type':'cancel','job':77}",
                                       "{'type':'cancel','job':'x'}",
                                       "{'type':'stop'}",
                                       "{'type':'stop','stream':9}",
                                       "{'type':'stop','type':'play'}" };
    OWNED(http_wire) wire = studio_live(b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        say(&wire, "%s", bad[i]);
        if (!studio_hear(&wire, "error", 5)) fail_msg("not answered: %s", bad[i]);
    }
    assert_true(ws_send(&wire, 0x80 | WS_BINARY, "abc", 3));
    studio_hear(&wire, "error", 5);
}

/* The server says goodbye with this code, or whatever if it is 0. A protocol error may end it
   without a word: bytes that it did not read any more can take the goodbye with them. */
static void expect_end(http_wire *wire, int code, const char *what)
{
    int got = 0;
    for (;;) {
        OWNED(ws_frame) frame = ws_read(wire, 5);
        if (frame.kind == WS_TIME_OUT) fail_msg("%s: it is still open", what);
        if (frame.kind == WS_CLOSE && frame.count >= 2) got = frame.bytes[0] << 8 | frame.bytes[1];
        int kind = frame.kind;
        if (kind == WS_CLOSE) ws_send(wire, 0x80 | WS_CLOSE, "\x03\xe8", 2);
        if (kind == WS_ENDED) break;
    }
    if (code && got != code && !(code == 1002 && !got))
        fail_msg("%s: closed with %d, not %d", what, got, code);
    wire_close(wire);
}

CASE(frames_that_break_the_protocol_end_the_socket_and_nothing_else)
{
    http_wire wire;
    static const struct {
        const char *what, *bytes;
        size_t count;
        int code;
    } rows[] = {
        { "an unmasked frame", "\x81\x02{}", 4, 1002 },
        { "a reserved bit", "\xc1\x80\0\0\0\0", 6, 1002 },
        { "a reserved kind", "\x83\x80\0\0\0\0", 6, 1002 },
        { "a reserved control", "\x8b\x80\0\0\0\0", 6, 1002 },
        { "a long ping", "\x89\xfe\0\x80\0\0\0\0", 8, 1002 },
        { "a ping in pieces", "\x09\x80\0\0\0\0", 6, 1002 },
        { "a piece of nothing", "\x80\x81\0\0\0\0x", 7, 1002 },
        { "a text inside a text", "\x01\x81\0\0\0\0{\x81\x81\0\0\0\0}", 14, 1002 },
        { "a length with its highest bit", "\x81\xff\x80\0\0\0\0\0\0\1\0\0\0\0", 14, 1002 },
        { "a length that needed no more bytes", "\x81\xfe\0\5\0\0\0\0hello", 13, 1002 },
        { "bytes that are no UTF-8", "\x81\x82\0\0\0\0\xc0\xae", 8, 1007 },
        { "a huge frame", "\x81\xff\0\0\0\1\0\0\0\0\0\0\0\0x", 15, 1009 },
        { "a frame over the limit", "\x81\xff\0\0\0\0\0\1\0\1\0\0\0\0x", 15, 1009 },
        { "a goodbye", "\x88\x82\0\0\0\0\x03\xe8", 8, 1000 },
        { "a goodbye without a word", "\x88\x80\0\0\0\0", 6, 0 },
        { "a goodbye of half a word", "\x88\x81\0\0\0\0\x03", 7, 1002 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wire = studio_live(b);
        assert_true(wire_send(&wire, rows[i].bytes, rows[i].count));
        expect_end(&wire, rows[i].code, rows[i].what);
    }
    wire = studio_live(b);
    wire_close(&wire);
}

CASE(messages_may_come_in_pieces_up_to_64_kib)
{
    FREED char *text = malloc(65537);
    memset(text, ' ', 65537);
    memcpy(text, "{\"type\":\"none\"}", 15);
    OWNED(http_wire) wire = studio_live(b);
    assert_true(ws_send(&wire, WS_TEXT, "{\"ty", 4));
    assert_true(ws_send(&wire, 0x80 | WS_PING, "echo", 4)); /* may come in between */
    assert_true(ws_send(&wire, WS_MORE, "pe\":", 4));
    assert_true(ws_send(&wire, 0x80, "\"none\"}", 7));
    OWNED(ws_frame) pong = ws_read(&wire, 5);
    assert_int_equal(pong.kind, WS_PONG);
    assert_string_equal((const char *)pong.bytes, "echo");
    studio_hear(&wire, "error", 5);
    assert_true(ws_send(&wire, 0x80 | WS_TEXT, text, 65536)); /* as long as may be */
    json_t *told = studio_hear(&wire, "error", 5);
    assert_non_null(told);
    assert_true(ws_send(&wire, WS_TEXT, text, 40000)); /* too long in two pieces */
    ws_send(&wire, 0x80, text, 40000);
    expect_end(&wire, 1009, "too long in pieces");
}

CASE(thirty_two_sockets_are_open_and_a_33rd_is_refused)
{
    http_wire wires[32];
    size_t count;
    for (int i = 0; i < 32; i++) wires[i] = studio_live(b);
    FREED char *text =
        studio_fill(b,
                    "GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
                    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
                    "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    &count);
    OWNED(http_answer) got = wire_ask(b->port, text, count, 5);
    assert_int_equal(got.status, 503);
    wire_close(&wires[7]);
    usleep(300000);
    wires[7] = studio_live(b);
    for (int i = 0; i < 32; i++) wire_close(&wires[i]);
}

/* A client that takes nothing: its poses are left out, the others' are not. */
CASE(a_client_that_does_not_read_holds_up_no_other)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = load_clip(b, ctx, 0);
    OWNED(http_wire) lazy = studio_live(b);
    OWNED(http_wire) other = studio_live(b);
    for (int i = 0; i < 8; i++) play(&lazy, i, b->ids[2], ", 'loop': true, 'rate': 60");
    for (int i = 0; i < 3000; i++) { /* each is answered, and the answers are not read either */
        if (!ws_say(&lazy, "{\"type\":\"nonsense that is answered with a sentence\"}")) break;
    }
    play(&other, 1, b->ids[0], ", 'rate': 30, 'loop': true");
    heard_poses heard = hear_poses(&other, clip, 1, 1.5);
    assert_true(heard.count >= 15);
    wire_abort(&lazy);
    studio_get(b, 200, "/api/about");
}

/* ---- what is not read ------------------------------------------------------------------------ */

/* One end of a WebSocket that the hub has, and whether it has given it up. */
typedef struct hub_end {
    int socket;
    atomic_int closed;
} hub_end;

static void note_closed(void *user)
{
    hub_end *one = user;
    close(one->socket);
    one->closed++;
}

/* Sockets whose way holds little, so that what is not read is with the hub. */
static void join_hub(hub *all, hub_end *end, http_wire *wire)
{
    int pair[2], few = 4096;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &few, sizeof few);
    *end = (hub_end){ .socket = pair[0] };
    *wire = (http_wire){ .socket = pair[1] };
    assert_true(hub_add(all, pair[0], NULL, 0, note_closed, end));
}

static hub *open_hub(studio_bench *b, shared *item)
{
    hub *all = NULL;
    *b = (studio_bench){ .host = NULL };
    studio_bench_library(b);
    *item = (shared){ .library_path = b->path };
    item->memory.limit = 64 << 20;
    assert_int_equal(hub_open(item, &all, NULL), MAREY_OK);
    return all;
}

static void close_hub(studio_bench *b, hub *all)
{
    hub_stop(all);
    hub_close(all);
    test_folder_remove(b->folder);
}

/* The one that does not read is the first of the two: when the other has a message, the first one's
   was queued, and when it has the next one, the hub has seen what became of that. */
TEST(a_client_that_leaves_a_mebibyte_unread_is_given_up)
{
    enum { MESSAGE = 60000, KEPT = (1 << 20) / MESSAGE - 1, GIVEN_UP = KEPT + 5 };
    static char text[MESSAGE];
    studio_bench b;
    shared of;
    hub_end lazy_end, other_end;
    http_wire lazy, other;
    hub *all = open_hub(&b, &of);
    memset(text, 'a', sizeof text);
    join_hub(all, &lazy_end, &lazy);
    join_hub(all, &other_end, &other);
    studio_hear(&other, "hello", 10);
    for (int i = 0; i < GIVEN_UP; i++) {
        hub_broadcast(all, text, sizeof text);
        OWNED(ws_frame) frame = ws_read(&other, 10);
        assert_int_equal(frame.kind, WS_TEXT);
        assert_int_equal(frame.count, sizeof text);
        if (i < KEPT) assert_int_equal(lazy_end.closed, 0);
    }
    assert_int_equal(lazy_end.closed, 1);
    assert_int_equal(other_end.closed, 0);
    wire_close(&lazy);
    close_hub(&b, all);
    assert_int_equal(other_end.closed, 1);
    wire_close(&other);
    assert_int_equal(atomic_load(&of.memory.used), 0);
}

/* Answers to empty pings have no bytes that would be counted. */
TEST(a_client_that_leaves_thousands_of_messages_unread_is_given_up)
{
    studio_bench b;
    shared of;
    hub_end end;
    http_wire wire;
    hub *all = open_hub(&b, &of);
    join_hub(all, &end, &wire);
    for (int i = 0; i < 6000 && ws_send(&wire, 0x80 | WS_PING, "", 0); i++) continue;
    struct pollfd gone = { .fd = wire.socket };
    if (poll(&gone, 1, 10000) != 1 || !(gone.revents & POLLHUP)) fail_msg("it is still served");
    wire_close(&wire);
    close_hub(&b, all);
    assert_int_equal(end.closed, 1);
    assert_int_equal(atomic_load(&of.memory.used), 0);
}

TEST_GROUP_OF_CASES(test_studio_live, NULL, NULL)
