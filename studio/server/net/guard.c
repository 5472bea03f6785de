/* guard.c - the checks of a request's own texts. A page of another site can make a browser send requests here, also
   under a name that it points at this machine (DNS rebinding); Host, Origin and Sec-Fetch-Site tell those apart, and the
   token keeps out whoever else is on the machine. */
#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { LONGEST_PORT = 5, HIGHEST_PORT = 65535, RANDOM_BYTES = (GUARD_TOKEN_ROOM - 1) / 2 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
           c == '.' || c == '_';
}

static bool is_port(const char *text)
{
    size_t length = strlen(text);
    int port = 0;
    if (length == 0 || length > LONGEST_PORT || text[0] == '0') return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i])) return false;
        port = port * 10 + (text[i] - '0');
    }
    return port <= HIGHEST_PORT;
}

/* "name:port" or "[address]:port". */
static bool can_be_host(const char *host)
{
    size_t length = 0;
    if (host[0] == '[') {
        length = 1 + strspn(host + 1, "0123456789abcdefABCDEF:.");
        if (length == 1 || host[length] != ']') return false;
        length++;
    } else {
        while (is_name_part(host[length])) length++;
    }
    return length > 0 && host[length] == ':' && is_port(host + length + 1);
}

bool guard_allow(guard *by, const char *host)
{
    size_t length = strlen(host);
    if (by->host_count == GUARD_MOST_HOSTS || length >= GUARD_HOST_ROOM || !can_be_host(host))
        return false;
    char *to = by->hosts[by->host_count++];
    for (size_t i = 0; i <= length; i++)
        to[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] - 'A' + 'a' : host[i]);
    return true;
}

bool guard_same_token(const char *token, const char *given)
{
    size_t length = strlen(token), count = strlen(given);
    unsigned differs = length != count || length == 0;
    for (size_t i = 0; i < count; i++)
        differs |= (unsigned char)given[i] ^ (unsigned char)token[i < length ? i : 0];
    return differs == 0;
}

bool guard_draw(char text[GUARD_TOKEN_ROOM])
{
    uint8_t random[RANDOM_BYTES];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
    for (int i = 0; i < RANDOM_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", random[i]);
    return true;
}

bool guard_take_code(guard_code *code, const char *given, int64_t now_ms)
{
    if (!given || !guard_same_token(code->text, given)) return false;
    code->text[0] = 0;
    return now_ms < code->until_ms;
}

static bool is_allowed(const guard *by, const char *host)
{
    for (int i = 0; i < by->host_count; i++)
        if (strcasecmp(by->hosts[i], host) == 0) return true;
    return false;
}

/* Sandboxed pages and files say "null": that is not this page either. */
static bool is_own_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return strncasecmp(origin, scheme, sizeof scheme - 1) == 0 &&
           strcasecmp(origin + sizeof scheme - 1, host) == 0;
}

static bool has_bearer(const guard *by, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    return authorization && strncasecmp(authorization, scheme, sizeof scheme - 1) == 0 &&
           guard_same_token(by->token, authorization + sizeof scheme - 1);
}

/* One "name=value" of a Cookie header, without the blanks around it. */
static bool is_our_cookie(const guard *by, const char *pair, size_t length)
{
    char value[GUARD_TOKEN_ROOM];
    size_t name = strlen(by->cookie_name);
    if (name == 0 || length <= name || strncmp(pair, by->cookie_name, name) != 0 ||
        pair[name] != '=' || length - name - 1 >= sizeof value)
        return false;
    snprintf(value, sizeof value, "%.*s", (int)(length - name - 1), pair + name + 1);
    return guard_same_token(by->token, value);
}

static bool has_cookie(const guard *by, const char *cookie)
{
    while (cookie && *cookie) {
        cookie += strspn(cookie, " \t;");
        size_t length = strcspn(cookie, ";");
        const char *next = cookie + length;
        while (length > 0 && (cookie[length - 1] == ' ' || cookie[length - 1] == '\t')) length--;
        if (is_our_cookie(by, cookie, length)) return true;
        cookie = next;
    }
    return false;
}

guard_verdict guard_judge(const guard *by, const guard_claims *claims)
{
    const char *site = claims->fetch_site;
    if (!claims->host || claims->hosts > 1 || !is_allowed(by, claims->host)) return GUARD_FOREIGN;
    if (claims->origins > 1) return GUARD_FOREIGN;
    if (claims->origin && !is_own_origin(claims->origin, claims->host)) return GUARD_FOREIGN;
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) return GUARD_FOREIGN;
    if (has_bearer(by, claims->authorization) || has_cookie(by, claims->cookie))
        return GUARD_LET_IN;
    if (claims->token && guard_same_token(by->token, claims->token)) return GUARD_BY_LINK;
    return GUARD_STRANGER;
}
