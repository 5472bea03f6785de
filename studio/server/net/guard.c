/* guard.c - the checks of a request's own texts. A page of another site can make a browser send
   requests here, also under a name that it points at this machine (DNS rebinding); Host, Origin and
   Sec-Fetch-Site tell those apart, and the token keeps out every other user of the machine. */
#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { LONGEST_PORT = 5, HIGHEST_PORT = 65535, RANDOM_BYTES = (GUARD_TOKEN_ROOM - 1) / 2 };

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool guard_allow(guard *rules, const char *host)
{
    size_t length = strlen(host), name = 0;
    if (rules->host_count == GUARD_MOST_HOSTS || length >= GUARD_HOST_ROOM) return false;
    /* "name:port" or "[address]:port" */
    if (host[0] == '[') {
        name = 1 + strspn(host + 1, DIGITS "abcdefABCDEF:.");
        if (name == 1 || host[name] != ']') return false;
        name++;
    } else {
        name = strspn(host, LETTERS DIGITS "-._");
    }
    if (name == 0 || host[name] != ':') return false;
    const char *digits = host + name + 1;
    size_t count = strspn(digits, DIGITS);
    int port = 0;
    if (count == 0 || count > LONGEST_PORT || digits[0] == '0' || digits[count] != 0) return false;
    for (size_t i = 0; i < count; i++) port = port * 10 + (digits[i] - '0');
    if (port > HIGHEST_PORT) return false;

    char *kept = rules->hosts[rules->host_count++];
    for (size_t i = 0; i <= length; i++)
        kept[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] - 'A' + 'a' : host[i]);
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

/* Whether a Cookie header has our name with the token. */
static bool has_cookie(const guard *rules, const char *cookie)
{
    size_t name = strlen(rules->cookie_name);
    while (cookie && *cookie && name > 0) {
        cookie += strspn(cookie, " \t;");
        const char *pair = cookie; /* "name=value", without the blanks around it */
        size_t length = strcspn(pair, ";");
        cookie += length;
        while (length > 0 && (pair[length - 1] == ' ' || pair[length - 1] == '\t')) length--;
        char value[GUARD_TOKEN_ROOM];
        if (length <= name || strncmp(pair, rules->cookie_name, name) != 0 || pair[name] != '=' ||
            length - name - 1 >= sizeof value)
            continue;
        snprintf(value, sizeof value, "%.*s", (int)(length - name - 1), pair + name + 1);
        if (guard_same_token(rules->token, value)) return true;
    }
    return false;
}

guard_verdict guard_judge(const guard *rules, const guard_claims *claims)
{
    static const char scheme[] = "http://", bearer[] = "Bearer ";
    const size_t scheme_length = sizeof scheme - 1, bearer_length = sizeof bearer - 1;
    const char *host = claims->host, *origin = claims->origin, *site = claims->fetch_site;
    bool allowed = false;
    for (int i = 0; host && i < rules->host_count; i++)
        allowed = allowed || strcasecmp(rules->hosts[i], host) == 0;
    if (!allowed || claims->hosts > 1 || claims->origins > 1) return GUARD_FOREIGN;
    /* Sandboxed pages and files say "null": that is not this page either. */
    if (origin && (strncasecmp(origin, scheme, scheme_length) != 0 ||
                   strcasecmp(origin + scheme_length, host) != 0))
        return GUARD_FOREIGN;
    /* Pages of another port of this machine are neighbours of a folder, or may be anybody's: they can
       have the page opened, by who has its token or cookie, and read nothing of it. */
    bool next_door =
        rules->has_neighbours && claims->opens_page && site && strcmp(site, "same-site") == 0;
    if (site && !next_door && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return GUARD_FOREIGN;

    const char *authorization = claims->authorization;
    if (authorization && strncasecmp(authorization, bearer, bearer_length) == 0 &&
        guard_same_token(rules->token, authorization + bearer_length))
        return GUARD_LET_IN;
    if (has_cookie(rules, claims->cookie)) return GUARD_LET_IN;
    if (claims->token && guard_same_token(rules->token, claims->token)) return GUARD_BY_LINK;
    return GUARD_STRANGER;
}
