/* param_about.c - writing and reading what is known of a kept family. */
#include "param_about.h"

#include <stdlib.h>
#include <string.h>

/* Examples are kept with the family; where and how the answer is told says nothing about it. */
static bool is_setting(option_key key)
{
    return key != OPTION_FEATURE && key != OPTION_CLIPS;
}

void about_write(const char *made_by, const marey_family *family, const option_row *rows,
                 const request *asked, buffer *out)
{
    json to = json_make(out);
    int samples;
    marey_family_samples(family, &samples);
    json_open(&to, NULL, '{');
    json_put_string(&to, "made_by", made_by);
    json_put_string(&to, "version", marey_version());
    json_features(&to, family);
    json_put_integer(&to, "samples", samples);
    json_open(&to, "settings", '{');
    for (const option_row *row = rows; asked && row->name; row++) {
        if (!request_has(asked, row->key) || !is_setting(row->key)) continue;
        if (row->value) {
            json_put_string(&to, row->name, asked->values[row->key]);
        } else {
            json_put_boolean(&to, row->name, true);
        }
    }
    json_close(&to, '}');
    json_close(&to, '}');
    buffer_byte(out, 0);
}

bool about_next_feature(const char *about, const char **at, char *text, size_t room)
{
    static const char key[] = "\"features\":[";
    size_t used = 0;
    if (!*at) {
        const char *found = strstr(about, key);
        *at = found ? found + sizeof key - 1 : "";
    } else if (**at == ',') {
        ++*at;
    }
    if (**at != '"') return false;
    for (++*at; **at && **at != '"'; ++*at) {
        if (**at == '\\' && (*at)[1]) ++*at;
        if (used + 1 < room) text[used++] = **at;
    }
    text[used] = 0;
    if (**at) ++*at;
    return true;
}

int64_t about_samples(const char *about)
{
    static const char key[] = "\"samples\":";
    const char *found = strstr(about, key);
    return found ? strtoll(found + sizeof key - 1, NULL, 10) : -1;
}
