/* json_look.h - a number or a word out of a JSON object, for tests of what the studio answers. Read after cmocka. */
#ifndef MAREY_TEST_JSON_LOOK_H
#define MAREY_TEST_JSON_LOOK_H

#include <jansson.h>

static inline double number(const json_t *of, const char *key)
{
    const json_t *value = json_object_get(of, key);
    if (!json_is_number(value)) fail_msg("%s is no number", key);
    return json_number_value(value);
}

static inline const char *word(const json_t *of, const char *key)
{
    const char *text = json_string_value(json_object_get(of, key));
    return text ? text : "(none)";
}

#endif
