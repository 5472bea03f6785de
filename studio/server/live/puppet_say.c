/* puppet_say.c - what clients say to those who react: who is to react, where the main character is, and when it is over. */
#include "puppet_asked.h"
#include "puppet_gather.h"
#include "puppet_live.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NO_REACT = -1,
    PLACE_NUMBERS = 4,
    MESSAGE_WORK = 20000 /* to read a message, in samples */
};

static const double latest_s = 5e9;

static int read_react(live_socket *from, const json_t *message)
{
    int64_t number = 0;
    if (message_whole(message, "react", 0, LIMIT_REACTS - 1, NAN, &number)) return (int)number;
    socket_complain(from, "react must be a number from 0 to 7");
    return NO_REACT;
}

static const char *name_of(const json_t *message, const char *key)
{
    const char *name = json_string_value(json_object_get(message, key));
    return name && strlen(name) < MAREY_NAME_ROOM ? name : NULL;
}

static bool read_order(const json_t *message, reacting *out, marey_error *error)
{
    double time_s = message_number(message, "time_s", 0);
    marey_status status =
        puppet_read_entity(json_object_get(message, "main"), "main", &out->last.at, error);
    if (status == MAREY_OK) status = puppet_read_manner(message, &out->def, error);
    if (status != MAREY_OK) return false;
    out->last.time_s = out->begun_s = time_s;
    snprintf(error->message, sizeof error->message, "time_s must be a time in seconds");
    return fabs(time_s) <= latest_s;
}

/* Its behaviour, and where its body stands. */
static bool find_needs(hub *all, const char *puppet, const char *graph, reacting *out,
                       const char **wrong)
{
    out->by = role_find(all, puppet, wrong);
    if (!out->by) return false;
    if (graph) out->stands = stage_find(all, graph, wrong);
    if (!graph || out->stands) return true;
    role_leave(out->by);
    return false;
}

static const char *order(live_socket *from, const json_t *message, int number, marey_error *error)
{
    hub *all = from->all;
    const json_t *body = json_object_get(message, "graph");
    const char *puppet = name_of(message, "puppet"), *graph = name_of(message, "graph"),
               *wrong = NULL;
    reacting read = { .on = from, .all = all, .number = number };
    if (!puppet) return "puppet must be the name of a puppet";
    if (body && !json_is_null(body) && !graph) return "graph must be the name of a graph";
    if (!read_order(message, &read, error)) return error->message;
    if (all->react_count >= LIMIT_ALL_REACTS || !all->workers)
        return "too many characters react at once";
    reacting *one = heap_resize(&all->of->memory, NULL, 0, sizeof *one);
    if (!one) return "out of memory";
    if (!find_needs(all, puppet, graph, &read, &wrong)) {
        heap_resize(&all->of->memory, one, sizeof *one, 0);
        return wrong;
    }
    *one = read;
    one->work.run = react_open;
    one->back.take = react_back;
    if (one->stands) one->stands->users++;
    all->react_count++;
    react_drop(&from->opening[number]);
    from->opening[number] = one;
    react_try(from, number);
    return NULL;
}

static void react(live_socket *from, const json_t *message)
{
    int number = read_react(from, message);
    marey_error error = { 0 };
    if (number == NO_REACT) return;
    const char *wrong = order(from, message, number, &error);
    if (wrong) react_refuse(from, number, NULL, "%s", wrong);
}

static void dismiss(live_socket *from, const json_t *message)
{
    int number = read_react(from, message);
    if (number == NO_REACT) return;
    if (!from->opening[number] && !from->reacts[number]) {
        react_refuse(from, number, NULL, "nobody reacts under this number");
        return;
    }
    react_drop(&from->opening[number]);
    react_drop(&from->reacts[number]);
    socket_say_json(from, json_pack("{s:s, s:i}", "type", "react-end", "react", number));
}

static bool read_places(const json_t *list, react_place *out, int *count, marey_error *error)
{
    size_t rows = json_array_size(list);
    snprintf(error->message, sizeof error->message,
             "at must be a list of 1 to %d places [time, x, y, direction] of the main character",
             LIMIT_PLACES);
    if (rows < 1 || rows > LIMIT_PLACES) return false;
    for (size_t i = 0; i < rows; i++) {
        double at[PLACE_NUMBERS], before = i > 0 ? out[i - 1].time_s : 0;
        if (puppet_read_row(json_array_get(list, i), PLACE_NUMBERS, "place", (int)i, before, at,
                            error) != MAREY_OK)
            return false;
        out[i] = (react_place){ at[0], { at[1], at[2], at[3] } };
    }
    *count = (int)rows;
    return true;
}

/* Says it once, not with every message. */
static void skip(live_socket *on, reacting *one, const react_place *places, int count)
{
    react_skip(one, places, count);
    if (!one->skipped)
        react_refuse(on, one->number, NULL,
                     "this is too much at once, so no time passes for it: send places more often, "
                     "or let fewer react, by smaller puppets");
    one->skipped = true;
}

static void go(live_socket *from, const react_place *places, int count)
{
    int64_t left = LIMIT_MAIN_WORK;
    for (int i = 0; i < LIMIT_REACTS; i++) {
        reacting *one = from->reacts[i];
        int64_t work = one ? react_work(one, places, count) : 0;
        if (!one) continue;
        if (work > left) {
            skip(from, one, places, count);
            continue;
        }
        react_go(one, places, count);
        one->skipped = false;
        left -= work;
    }
    from->work += LIMIT_MAIN_WORK - left;
}

static void follow(live_socket *from, const json_t *message)
{
    react_place places[LIMIT_PLACES];
    int count = 0;
    studio_bytes shown = { .memory = &from->all->of->memory };
    marey_error error = { 0 };
    if (!read_places(json_object_get(message, "at"), places, &count, &error)) {
        socket_complain(from, error.message);
        return;
    }
    go(from, places, count);
    if (react_write(from, places[count - 1].time_s, &shown))
        socket_show(from, shown.data, shown.count);
    else
        socket_complain(from, "out of memory");
    bytes_free(&shown);
}

bool react_message(live_socket *from, const char *type, const json_t *message)
{
    if (strcmp(type, "main") == 0)
        follow(from, message);
    else if (strcmp(type, "react") == 0)
        react(from, message);
    else if (strcmp(type, "dismiss") == 0)
        dismiss(from, message);
    else
        return false;
    from->work += MESSAGE_WORK;
    return true;
}
