/* http_upgrade.c - a request that becomes a WebSocket (RFC 6455, section 4.2.1). */
#include "http_inside.h"

#include "hub.h"

#include <string.h>
#include <strings.h>

/* Whether a list such as "keep-alive, Upgrade" has a word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list && *list) {
        list += strspn(list, " \t,");
        size_t part = strcspn(list, ",");
        size_t end = part;
        while (end > 0 && (list[end - 1] == ' ' || list[end - 1] == '\t')) end--;
        if (end == length && strncasecmp(list, word, length) == 0) return true;
        list += part;
    }
    return false;
}

static enum MHD_Result refuse(http_request *one, int status, const char *word, const char *message)
{
    answer_refuse(&one->reply, status, word, "%s", message);
    return http_send(one, true);
}

static void let_go(void *user)
{
    MHD_upgrade_action(user, MHD_UPGRADE_ACTION_CLOSE);
}

static void take_over(void *user, struct MHD_Connection *carrier, void *of_request,
                      const char *early, size_t early_count, MHD_socket socket,
                      struct MHD_UpgradeResponseHandle *handle)
{
    http *host = user;
    (void)carrier, (void)of_request;
    if (!hub_add(host->of->hub, socket, early, early_count, let_go, handle)) let_go(handle);
}

enum MHD_Result http_send_upgrade(http_request *one)
{
    char accept[32];
    const char *key = http_header(one, MHD_HTTP_HEADER_SEC_WEBSOCKET_KEY);
    const char *version = http_header(one, MHD_HTTP_HEADER_SEC_WEBSOCKET_VERSION);
    if (!has_word(http_header(one, MHD_HTTP_HEADER_UPGRADE), "websocket") ||
        !has_word(http_header(one, MHD_HTTP_HEADER_CONNECTION), "upgrade"))
        return refuse(one, 426, "request", "this address is a WebSocket");
    if (!version || strcmp(version, "13") != 0)
        return refuse(one, 426, "request", "only version 13 of WebSocket is spoken");
    if (!key || !hub_accept_key(key, accept))
        return refuse(one, 400, "request", "the key of the WebSocket is none");
    if (one->is_head || one->is_old)
        return refuse(one, 400, "request", "a WebSocket begins with GET and HTTP/1.1");
    if (hub_is_full(one->host->of->hub))
        return refuse(one, 503, "limit", "32 WebSockets are open already");
    struct MHD_Response *what = MHD_create_response_for_upgrade(take_over, one->host);
    if (!what) return MHD_NO;
    MHD_add_response_header(what, MHD_HTTP_HEADER_UPGRADE, "websocket");
    MHD_add_response_header(what, MHD_HTTP_HEADER_SEC_WEBSOCKET_ACCEPT, accept);
    enum MHD_Result result = MHD_queue_response(one->carrier, MHD_HTTP_SWITCHING_PROTOCOLS, what);
    MHD_destroy_response(what);
    return result;
}
