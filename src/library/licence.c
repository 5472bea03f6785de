/* licence.c - what a licence says in its name. */
#include <marey/library.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word_at(const char *text, const char *at, size_t length)
{
    bool begins = at == text || !isalnum((unsigned char)at[-1]);
    return begins && !isalnum((unsigned char)at[length]);
}

bool marey_licence_is_non_commercial(const char *licence)
{
    static const char *const words[] = { "nc", "non-commercial", "noncommercial",
                                         "non commercial" };
    for (const char *at = licence; *at; at++) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t length = strlen(words[i]);
            if (strncasecmp(at, words[i], length) == 0 && is_word_at(licence, at, length))
                return true;
        }
    }
    return false;
}
