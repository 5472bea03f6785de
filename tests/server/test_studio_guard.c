/* test_studio_guard.c - the studio's pure parts on their own: who may ask, addresses, queries,
   memory that is counted, names of dropped files, the key of a WebSocket. Where a rule can be said
   in a second way, it is, and both must agree on everything that chance makes up. */
#include "guard.h"
#include "heap.h"
#include "hub.h"
#include "json_body.h"
#include "json_look.h"
#include "memory_files.h"
#include "operation.h"
#include "routes.h"
#include "sha1.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* A small generator of its own: the same on every machine. */
static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* ---- guard ----------------------------------------------------------------------------------- */

static const char token[] = "0123456789abcdef0123456789abcdef";

static guard make_guard(void)
{
    guard by = { 0 };
    assert_true(guard_allow(&by, "127.0.0.1:8421"));
    assert_true(guard_allow(&by, "LocalHost:8421"));
    snprintf(by.token, sizeof by.token, "%s", token);
    snprintf(by.cookie_name, sizeof by.cookie_name, "marey-8421");
    return by;
}

TEST(hosts_are_names_with_a_port)
{
    static const char *const good[] = {
        "localhost:9000",     "a:1",        "a-b.c:65535", "[::1]:80",
        "[2001:db8::7]:8080", "10.0.0.7:1", "X.Y:9",       "a_b:5"
    };
    static const char *const bad[] = { "",           "localhost",   ":80",      "a:",      "a:0",
                                       "a:65536",    "a:99999",     "a:100000", "a:080",   "a:8o",
                                       "a:80 ",      " a:80",       "a b:80",   "a:80/",   "a/b:80",
                                       "u@a:80",     "http://a:80", "*:80",     "a:80:90", "[::1]",
                                       "[::1]x:80",  "[]:80",       "[::1:80",  "::1:80",  "a\n:80",
                                       "[::1%lo]:80" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        guard by = { 0 };
        if (!guard_allow(&by, good[i])) fail_msg("refused: %s", good[i]);
        assert_int_equal(strcasecmp(by.hosts[0], good[i]), 0);
        for (const char *c = by.hosts[0]; *c; c++) assert_false(*c >= 'A' && *c <= 'Z');
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        guard by = { 0 };
        if (guard_allow(&by, bad[i])) fail_msg("taken: %s", bad[i]);
        assert_int_equal(by.host_count, 0);
    }
}

TEST(only_so_many_hosts_of_such_a_length_are_taken)
{
    guard by = { 0 };
    char name[400], host[420];
    for (int length = GUARD_HOST_ROOM - 3; length <= GUARD_HOST_ROOM; length++) {
        by.host_count = 0;
        memset(name, 'a', sizeof name);
        name[length - 3] = 0;
        snprintf(host, sizeof host, "%s:80", name);
        assert_int_equal(strlen(host), length);
        assert_int_equal(guard_allow(&by, host), length < GUARD_HOST_ROOM);
    }
    by.host_count = 0;
    for (int i = 0; i <= GUARD_MOST_HOSTS; i++) {
        snprintf(host, sizeof host, "a%d:80", i);
        assert_int_equal(guard_allow(&by, host), i < GUARD_MOST_HOSTS);
    }
}

TEST(tokens_are_the_same_or_not)
{
    char other[64];
    assert_true(guard_same_token(token, token));
    for (size_t i = 0; i < strlen(token); i++) {
        for (int bit = 0; bit < 8; bit++) {
            snprintf(other, sizeof other, "%s", token);
            other[i] = (char)(other[i] ^ 1 << bit);
            assert_false(guard_same_token(token, other));
        }
        snprintf(other, sizeof other, "%.*s", (int)i, token);
        assert_false(guard_same_token(token, other));
    }
    snprintf(other, sizeof other, "%s0", token);
    assert_false(guard_same_token(token, other));
    assert_false(guard_same_token("", ""));
    assert_false(guard_same_token("", token));
}

/* The rules once more, as plainly as they can be said. */
static guard_verdict judge_again(const guard *by, const guard_claims *c)
{
    char own_origin[300], bearer[100];
    if (!c->host || c->hosts != 1 || c->origins > 1) return GUARD_FOREIGN;
    if (strcasecmp(c->host, "127.0.0.1:8421") != 0 && strcasecmp(c->host, "localhost:8421") != 0)
        return GUARD_FOREIGN;
    snprintf(own_origin, sizeof own_origin, "http://%s", c->host);
    if (c->origin && strcasecmp(c->origin, own_origin) != 0) return GUARD_FOREIGN;
    bool leads_here = by->has_neighbours && c->opens_page;
    if (c->fetch_site && strcmp(c->fetch_site, "same-origin") != 0 &&
        strcmp(c->fetch_site, "none") != 0 &&
        !(leads_here && strcmp(c->fetch_site, "same-site") == 0))
        return GUARD_FOREIGN;
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    if (c->authorization && strncasecmp(c->authorization, bearer, 7) == 0 &&
        strcmp(c->authorization + 7, token) == 0)
        return GUARD_LET_IN;
    char cookies[300] = "", *rest = cookies;
    if (c->cookie) snprintf(cookies, sizeof cookies, "%s", c->cookie);
    for (char *pair; (pair = strsep(&rest, ";"));) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "marey-8421=%s", token);
        pair += strspn(pair, " \t");
        pair[strcspn(pair, " \t")] = 0; /* no blank is inside ours */
        if (strcmp(pair, wanted) == 0) return GUARD_LET_IN;
    }
    return c->token && strcmp(c->token, token) == 0 ? GUARD_BY_LINK : GUARD_STRANGER;
}

TEST(the_guard_judges_as_the_documentation_says)
{
    static const char *const hosts[] = { NULL, "127.0.0.1:8421", "LOCALHOST:8421", "evil:8421",
                                         "" };
    static const char *const origins[] = {
        NULL,   "http://127.0.0.1:8421",      "http://localhost:8421",
        "null", "http://127.0.0.1:8421.evil", ""
    };
    static const char *const sites[] = {
        NULL, "same-origin", "none", "cross-site", "same-site", ""
    };
    static const char *const bearers[] = { NULL,
                                           "Bearer 0123456789abcdef0123456789abcdef",
                                           "bearer 0123456789abcdef0123456789abcdef",
                                           "Bearer 0123456789abcdef0123456789abcdee",
                                           "Bearer ",
                                           "Basic x",
                                           "" };
    static const char *const cookies[] = { NULL,
                                           "marey-8421=0123456789abcdef0123456789abcdef",
                                           "a=b; marey-8421=0123456789abcdef0123456789abcdef ;c",
                                           "xmarey-8421=0123456789abcdef0123456789abcdef",
                                           "marey-842=0123456789abcdef0123456789abcdef",
                                           "marey-8421=0123456789abcdef0123456789abcdef0",
                                           ";;;=;marey-8421=;",
                                           "" };
    static const char *const links[] = { NULL, token, "x" };
    guard by = make_guard();
    long tried = 0;
    const int all = 5 * 6 * 6 * 7 * 8 * 3 * 9;
    for (int n = 0; n < 4 * all; n++) {
        int left = n % all;
        guard_claims c = { 0 };
        c.host = hosts[left % 5], left /= 5;
        c.origin = origins[left % 6], left /= 6;
        c.fetch_site = sites[left % 6], left /= 6;
        c.authorization = bearers[left % 7], left /= 7;
        c.cookie = cookies[left % 8], left /= 8;
        c.token = links[left % 3], left /= 3;
        c.hosts = c.host ? 1 + left % 3 : 0;
        c.origins = c.origin ? 1 + left / 3 : 0;
        c.opens_page = n / all % 2;
        by.has_neighbours = n / all / 2;
        if (guard_judge(&by, &c) != judge_again(&by, &c)) {
            fail_msg("host %s, origin %s, site %s, %s, %s: %d, not %d", c.host, c.origin,
                     c.fetch_site, c.authorization, c.cookie, guard_judge(&by, &c),
                     judge_again(&by, &c));
        }
        tried++;
    }
    print_message("%ld claims judged twice\n", tried);
}

/* Until the studio knows its port its cookie has no name. */
TEST(a_cookie_without_a_name_lets_nobody_in)
{
    guard by = make_guard();
    char cookie[80];
    const guard_claims claims = { .host = "127.0.0.1:8421", .cookie = cookie, .hosts = 1 };
    snprintf(cookie, sizeof cookie, "marey-8421=%s", token);
    assert_int_equal(guard_judge(&by, &claims), GUARD_LET_IN);
    by.cookie_name[0] = 0;
    assert_int_equal(guard_judge(&by, &claims), GUARD_STRANGER);
    snprintf(cookie, sizeof cookie, "=%s", token);
    assert_int_equal(guard_judge(&by, &claims), GUARD_STRANGER);
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* One part of a path against one of a pattern, neither with a slash. */
static bool part_fits(const char *pattern, const char *part, int64_t *id)
{
    bool from_zero = strcmp(pattern, "*") == 0;
    size_t length = strlen(part);
    if (strcmp(pattern, "@") == 0) {
        const app_operation *operation;
        for (int i = 0; (operation = app_operation_at(i)); i++) {
            char name[64];
            snprintf(name, sizeof name, "%s", operation->name);
            for (char *c = name; *c; c++) *c = *c == ' ' ? '-' : *c;
            if (strcmp(name, part) != 0) continue;
            *id = i + 1;
            return true;
        }
        return false;
    }
    if (!from_zero && strcmp(pattern, "#") != 0) return strcmp(pattern, part) == 0;
    *id = strtoll(part, NULL, 10);
    if (from_zero && strcmp(part, "0") == 0) return true;
    return length >= 1 && length <= 15 && part[0] != '0' && strspn(part, "0123456789") == length;
}

/* Both cut at their slashes. */
static bool fits_again(const char *pattern, const char *path, int64_t ids[ROUTE_NUMBERS])
{
    char left[256], right[256], *a = left, *b = right;
    int numbers = 0;
    snprintf(left, sizeof left, "%s", pattern);
    snprintf(right, sizeof right, "%s", path);
    while (a && b) {
        const char *x = strsep(&a, "/"), *y = strsep(&b, "/");
        int64_t unused;
        bool is_number = strlen(x) == 1 && strchr("#*@", *x);
        if (!part_fits(x, y, is_number ? &ids[numbers++] : &unused)) return false;
    }
    return !a && !b;
}

static route_match find_again(const char *method, const char *path, const route **found,
                              int64_t ids[ROUTE_NUMBERS])
{
    bool any = false;
    for (const route *row = routes; row->method; row++) {
        int64_t numbers[ROUTE_NUMBERS] = { 0 };
        if (!fits_again(row->path, path, numbers)) continue;
        any = true;
        if (strcmp(row->method, method) != 0) continue;
        *found = row;
        memcpy(ids, numbers, sizeof numbers);
        return ROUTE_FOUND;
    }
    return any ? ROUTE_NO_METHOD : ROUTE_NO_ADDRESS;
}

static void make_path(unsigned *seed, char *path, size_t room)
{
    static const char *const parts[] = { "/",
                                         "api",
                                         "clips",
                                         "jobs",
                                         "#",
                                         "1",
                                         "42",
                                         "frames",
                                         "file",
                                         "0",
                                         "007",
                                         "..",
                                         "",
                                         "about",
                                         "cancel",
                                         "x",
                                         "strip",
                                         "search/3/edges",
                                         "do/graph-rm",
                                         "do/graph rm",
                                         "grid",
                                         "999999999999999",
                                         "1000000000000000",
                                         "-1" };
    int count = 1 + (int)(next_random(seed) % 8);
    path[0] = 0;
    for (int i = 0; i < count; i++) {
        size_t used = strlen(path);
        const char *part = parts[next_random(seed) % (sizeof parts / sizeof *parts)];
        snprintf(path + used, room - used, "%s%s", next_random(seed) % 4 ? "/" : "", part);
    }
}

TEST(addresses_are_found_as_they_stand)
{
    static const char *const methods[] = { "GET", "POST", "get", "PUT", "" };
    unsigned seed = 7;
    long found = 0;
    int trials = test_trials(300000, 300000);
    for (int n = 0; n < trials; n++) {
        char path[256];
        const route *row = NULL, *again = NULL;
        int64_t ids[ROUTE_NUMBERS] = { -1, -1 }, numbers[ROUTE_NUMBERS] = { -1, -1 };
        const char *method = methods[next_random(&seed) % 5];
        make_path(&seed, path, sizeof path);
        route_match match = route_find(method, path, &row, ids);
        if (match != find_again(method, path, &again, numbers) || row != again ||
            memcmp(ids, numbers, sizeof ids) != 0) {
            fail_msg("%s %s: %d, id %lld %lld, not %lld %lld", method, path, match,
                     (long long)ids[0], (long long)ids[1], (long long)numbers[0],
                     (long long)numbers[1]);
        }
        found += match == ROUTE_FOUND;
    }
    assert_true(found > 100);
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool parse(studio_request *by, char *room, const char *text)
{
    *by = (studio_request){ 0 };
    strcpy(room, text);
    return query_parse(by, room);
}

TEST(queries_are_split_and_decoded)
{
    studio_request by;
    char room[4096];
    assert_true(parse(&by, room, "a=1&b=%20x+y&c&d=&=e&f=g=h"));
    assert_string_equal(query_text(&by, "a"), "1");
    assert_string_equal(query_text(&by, "b"), " x y");
    assert_string_equal(query_text(&by, "c"), "");
    assert_string_equal(query_text(&by, "d"), "");
    assert_string_equal(query_text(&by, ""), "e");
    assert_string_equal(query_text(&by, "f"), "g=h");
    assert_null(query_text(&by, "A"));
    assert_true(parse(&by, room, ""));
    assert_int_equal(by.query_count, 0);
    assert_true(parse(&by, room, "t%65xt=%E2%82%ac"));
    assert_string_equal(query_text(&by, "text"), "\xe2\x82\xac");
    static const char *const bad[] = {
        "a=%",      "a=%4",   "a=%g0",    "a=%0g",       "a=%00",
        "%00=a",    "a=%ff",  "a=%c0%ae", "a=%ed%a0%80", "a=%f4%90%80%80",
        "a=%e2%82", "a=\xff", "a=%+1",    "a=% 1",       "a=%f8%88%80%80%80"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (parse(&by, room, bad[i])) fail_msg("taken: %s", bad[i]);
    }
}

TEST(numbers_of_a_query_are_whole_and_in_range)
{
    studio_request by;
    char room[4096];
    static const char *const bad[] = { "n=",
                                       "n=x",
                                       "n=1x",
                                       "n=+1",
                                       "n= 1",
                                       "n=1 ",
                                       "n=1.0",
                                       "n=0x1",
                                       "n=1e3",
                                       "n=--1",
                                       "n=101",
                                       "n=-1",
                                       "n=99999999999999999999999",
                                       "n=%201",
                                       "n=-" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        assert_true(parse(&by, room, bad[i]));
        if (query_number(&by, "n", 0, 100, &value)) fail_msg("taken: %s", bad[i]);
        assert_int_equal(value, 77);
    }
    int64_t value = 77;
    assert_true(parse(&by, room, "n=100"));
    assert_true(query_number(&by, "n", 0, 100, &value) && value == 100);
    assert_true(query_number(&by, "m", 0, 100, &value) && value == 100);
    assert_true(parse(&by, room, "n=-5"));
    assert_true(query_number(&by, "n", -5, 0, &value) && value == -5);
}

/* ---- counted memory -------------------------------------------------------------------------- */

TEST(memory_is_counted_to_the_byte_and_never_passes_its_limit)
{
    heap memory = { .limit = 100000 };
    void *taken[50] = { 0 };
    size_t size[50] = { 0 }, sum = 0;
    unsigned seed = 3;
    int refused = 0;
    for (int n = 0; n < 20000; n++) {
        unsigned which = next_random(&seed) % 50;
        size_t want = next_random(&seed) % 3 ? next_random(&seed) % 6000 : 0;
        void *got = heap_resize(&memory, taken[which], size[which], want);
        if (!got && want) {
            assert_true(sum - size[which] + want > memory.limit);
            refused++;
            continue; /* as it was */
        }
        sum = sum - size[which] + want;
        taken[which] = got;
        size[which] = want;
        if (want) memset(got, 1, want);
        assert_int_equal(atomic_load(&memory.used), sum);
        assert_true(sum <= memory.limit);
    }
    assert_true(refused > 100);
    for (int i = 0; i < 50; i++) heap_resize(&memory, taken[i], size[i], 0);
    assert_int_equal(atomic_load(&memory.used), 0);
    assert_null(heap_resize(&memory, NULL, 0, SIZE_MAX));
    assert_int_equal(atomic_load(&memory.used), 0);
}

TEST(bytes_grow_until_they_cannot_and_then_say_so)
{
    heap memory = { .limit = 1000 };
    studio_bytes all = { .memory = &memory };
    for (int i = 0; i < 1000; i++) bytes_add(&all, &(uint8_t){ (uint8_t)i }, 1);
    assert_false(all.failed);
    assert_int_equal(all.count, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(all.data[i], (uint8_t)i);
    bytes_add(&all, "x", 1);
    assert_true(all.failed);
    assert_null(bytes_extend(&all, 0));
    bytes_free(&all);
    assert_int_equal(atomic_load(&memory.used), 0);
    assert_false(all.failed);
    assert_null(bytes_extend(&all, SIZE_MAX));
    assert_true(all.failed);
    bytes_free(&all);
    assert_int_equal(atomic_load(&memory.used), 0);
}

/* ---- names of dropped files ------------------------------------------------------------------ */

static int put(memory_files *files, heap *memory, const char *name)
{
    studio_bytes content = { .memory = memory };
    bytes_add(&content, "abc", 3);
    int result = memory_files_put(files, name, &content);
    bytes_free(&content);
    return result;
}

static void check_harmless(const char *name)
{
    size_t part = 0;
    assert_true(name[0] && name[0] != '/' && strlen(name) <= 1000);
    for (const char *c = name;; c++) {
        if (*c && *c != '/') {
            assert_true((unsigned char)*c >= 32 && *c != 127 && *c != '\\');
            part++;
            continue;
        }
        assert_true(part > 0 && part <= 255);
        assert_false(part == 1 && c[-1] == '.');
        assert_false(part == 2 && c[-1] == '.' && c[-2] == '.');
        part = 0;
        if (!*c) return;
    }
}

TEST(names_that_chance_makes_are_harmless_sorted_and_different)
{
    heap memory = { .limit = 64 << 20 };
    unsigned seed = 11;
    static const char letters[] = "ab./\\.\x01-2 \xc3";
    for (int round = 0; round < test_trials(300, 300); round++) {
        memory_files *files = memory_files_make(&memory);
        for (int n = 0; n < 40; n++) {
            char name[3000];
            size_t length = next_random(&seed) % (round % 10 ? 12 : sizeof name - 1);
            for (size_t i = 0; i < length; i++) {
                name[i] = letters[next_random(&seed) % (sizeof letters - 1)];
            }
            name[length] = 0;
            put(files, &memory, name);
        }
        for (int i = 0; i < memory_files_count(files); i++) {
            check_harmless(memory_files_name(files, i));
            for (int k = 0; k < i; k++) {
                assert_string_not_equal(memory_files_name(files, k), memory_files_name(files, i));
            }
        }
        memory_files_free(files);
        assert_int_equal(atomic_load(&memory.used), 0);
    }
}

TEST(four_thousand_files_of_one_name_take_no_time)
{
    heap memory = { .limit = 64 << 20 };
    memory_files *files = memory_files_make(&memory);
    char name[1001];
    memset(name, 'a', sizeof name);
    for (int i = 200; i < 1000; i += 200) name[i] = '/';
    name[900] = 0;
    clock_t start = clock();
    for (int i = 0; i < LIMIT_UPLOAD_FILES; i++) assert_int_equal(put(files, &memory, name), 0);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(memory_files_count(files), LIMIT_UPLOAD_FILES);
    memory_files_free(files);
    /* Counting from 2 for each of them took 90 s; the sanitizers take their time too. */
    if (took > 10) fail_msg("%.1f s", took);
}

/* ---- JSON, the key of a WebSocket ------------------------------------------------------------ */

TEST(brackets_are_counted_outside_of_texts_only)
{
    static const struct {
        const char *text;
        int depth; /* as deep as it is */
    } rows[] = { { "{}", 1 },
                 { "[[]]", 2 },
                 { "[[],[[]]]", 3 },
                 { "\"[[[[\"", 0 },
                 { "[\"\\\"[[[\"]", 1 },
                 { "[\"\\\\\",[[]]]", 3 },
                 { "{\"a\":[{}]}", 3 },
                 { "12", 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int most = 0; most < 5; most++) {
            if (json_is_shallow(rows[i].text, strlen(rows[i].text), most) !=
                (rows[i].depth <= most))
                fail_msg("%s is not %d deep for %d", rows[i].text, rows[i].depth, most);
        }
    }
}

/* A message may quote a file of any bytes, and is cut to its room: the answer is JSON all the
   same. */
TEST(messages_that_are_no_utf8_are_sent_in_ascii)
{
    char cut[513], kept[513];
    memset(cut, 'a', 510);
    strcpy(cut + 510, "\xc3\xa9"); /* its second byte has no room */
    memset(kept, 'a', 510);
    strcpy(kept + 510, "?");
    const char *const rows[][2] = { { "caf\xc3\xa9", "caf\xc3\xa9" },
                                    { "caf\xe9 \xc3\xa9", "caf? ??" },
                                    { "a \"quote\" \\ and\na line", "a \"quote\" \\ and\na line" },
                                    { cut, kept } };
    heap memory = { .limit = 1 << 16 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int by_status = 0; by_status < 2; by_status++) {
            studio_response to = { .body = { .memory = &memory } };
            marey_error error = { .status = MAREY_ERR_INPUT };
            snprintf(error.message, sizeof error.message, "%s", rows[i][0]);
            if (by_status && strlen(rows[i][0]) >= sizeof error.message) continue;
            if (by_status)
                answer_fail(&to, &error);
            else
                answer_refuse(&to, 400, "input", "%s", rows[i][0]);
            const json_t *value = json_hold_text((char *)to.body.data, to.body.count);
            const json_t *said = json_object_get(value, "error");
            assert_string_equal(word(said, "status"), "input");
            assert_string_equal(word(said, "message"), rows[i][1]);
            answer_clear(&to);
        }
    }
    assert_int_equal(atomic_load(&memory.used), 0);
    json_drop_held();
}

TEST(digests_are_those_of_the_standard)
{
    static const char *const rows[][2] = {
        { "abc", "a9993e364706816aba3e25717850c26c9cd0d89d" },
        { "", "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t digest[SHA1_BYTES];
        char text[41];
        sha1(rows[i][0], strlen(rows[i][0]), digest);
        for (int k = 0; k < SHA1_BYTES; k++) snprintf(text + 2 * k, 3, "%02x", digest[k]);
        assert_string_equal(text, rows[i][1]);
    }
    FREED char *million = malloc(1000000);
    uint8_t digest[SHA1_BYTES];
    memset(million, 'a', 1000000);
    sha1(million, 1000000, digest);
    assert_memory_equal(
        digest, "\x34\xaa\x97\x3c\xd4\xc4\xda\xa4\xf6\x1e\xeb\x2b\xdb\xad\x27\x31\x65\x34\x01\x6f",
        20);
}

TEST(the_key_is_answered_as_rfc_6455_says)
{
    char accept[29];
    assert_true(hub_accept_key("dGhlIHNhbXBsZSBub25jZQ==", accept));
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    static const char *const bad[] = { "",
                                       "abcd",
                                       "dGhlIHNhbXBsZSBub25jZQ=",
                                       "dGhlIHNhbXBsZSBub25jZQ===",
                                       "dGhlIHNhbXBsZSBub25jZQa=",
                                       "dGhlIHNhbXBsZSBub25j!Q==",
                                       "dGhlIHNhbXBsZSBub25jZQ== ",
                                       "                        " };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (hub_accept_key(bad[i], accept)) fail_msg("taken: %s", bad[i]);
    }
}

TEST_GROUP_OF_CASES(test_studio_guard, NULL, NULL)
