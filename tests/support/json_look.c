/* json_look.c - see json_look.h. */
#include "json_look.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* several clients may be answered at once */
static json_t *pool;

json_t *json_hold(json_t *value)
{
    pthread_mutex_lock(&lock);
    if (!pool) pool = json_array();
    json_array_append_new(pool, value);
    pthread_mutex_unlock(&lock);
    return value;
}

json_t *json_hold_text(const char *text, size_t count)
{
    json_error_t error;
    json_t *value = json_loadb(text, count, JSON_REJECT_DUPLICATES, &error);
    if (!value) fail_msg("no JSON: %s: %.*s", error.text, (int)(count < 300 ? count : 300), text);
    return json_hold(value);
}

void json_drop_held(void)
{
    json_decref(pool);
    pool = NULL;
}

void json_quote(char *text)
{
    for (; *text; text++)
        if (*text == '\'') *text = '"';
}

double number(const json_t *of, const char *key)
{
    const json_t *value = json_object_get(of, key);
    if (!json_is_number(value)) fail_msg("%s is no number", key);
    return json_number_value(value);
}

int64_t whole(const json_t *of, const char *key)
{
    const json_t *value = json_object_get(of, key);
    if (!json_is_integer(value)) fail_msg("%s is no whole number", key);
    return json_integer_value(value);
}

const char *word(const json_t *of, const char *key)
{
    const char *text = json_string_value(json_object_get(of, key));
    return text ? text : "(none)";
}

bool is_true(const json_t *of, const char *key)
{
    return json_is_true(json_object_get(of, key));
}

bool is_null(const json_t *of, const char *key)
{
    return json_is_null(json_object_get(of, key));
}

size_t size_of(const json_t *of, const char *key)
{
    return json_array_size(json_object_get(of, key));
}

json_t *item(const json_t *of, const char *key, size_t i)
{
    return json_array_get(json_object_get(of, key), i);
}

double number_at(const json_t *list, size_t i)
{
    if (!json_is_number(json_array_get(list, i))) fail_msg("item %zu is no number", i);
    return json_number_value(json_array_get(list, i));
}

/* `extra`: objects of `a` may have keys that `b` has not. */
static bool is_like(const json_t *a, const json_t *b, double off, bool extra)
{
    const char *key;
    json_t *value;
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= off * fabs(y);
    }
    if (json_is_array(a) && json_is_array(b)) {
        bool same = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; i < json_array_size(a) && same; i++)
            same = is_like(json_array_get(a, i), json_array_get(b, i), off, extra);
        return same;
    }
    if (!json_is_object(a) || !json_is_object(b)) return a && b && json_equal(a, b);
    bool same = extra || json_object_size(a) == json_object_size(b);
    json_object_foreach((json_t *)(uintptr_t)b, key, value)
    {
        same = same && is_like(json_object_get(a, key), value, off, extra);
    }
    return same;
}

bool same_json(const json_t *a, const json_t *b)
{
    return is_like(a, b, 1e-6, false);
}

void expect(const json_t *value, const char *format, ...)
{
    char text[4096];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    assert_true(length < (int)sizeof text);
    json_quote(text);
    const json_t *wanted = json_hold_text(text, (size_t)length);
    if (is_like(value, wanted, 1e-12, true)) return;
    char *got = json_dumps(value, JSON_ENCODE_ANY);
    fail_msg("%.1000s has not all of %s", got ? got : "nothing", text);
}

void same_values(const json_t *one, const json_t *other, const char *keys)
{
    char text[512], *rest = text;
    assert_true(snprintf(text, sizeof text, "%s", keys) < (int)sizeof text);
    for (const char *key; (key = strsep(&rest, " "));) {
        if (!same_json(json_object_get(one, key), json_object_get(other, key)))
            fail_msg("%s differs", key);
    }
}

void same_numbers(const json_t *list, const double *values, int count)
{
    assert_int_equal(json_array_size(list), count);
    for (int i = 0; i < count; i++) assert_true(number_at(list, (size_t)i) == values[i]);
}
