/* ink.c - colours and letters. */
#include "picture/ink.h"

#include <cairo.h>
#include <string.h>

mry_colour mry_colour_mix(mry_colour a, mry_colour b, double t)
{
    return (mry_colour){ a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b) };
}

mry_colour mry_colour_of(mry_group group)
{
    switch (group) {
    case MRY_GROUP_LEFT_ARM:
    case MRY_GROUP_LEFT_LEG: return MRY_LEFT;
    case MRY_GROUP_RIGHT_ARM:
    case MRY_GROUP_RIGHT_LEG: return MRY_RIGHT;
    default: return MRY_NEUTRAL;
    }
}

void mry_ink(cairo_t *cr, mry_colour colour)
{
    cairo_set_source_rgb(cr, colour.r, colour.g, colour.b);
}

/* Length of the UTF-8 character at text, or 0 if it is none, or one that shows nothing. */
static size_t character(const unsigned char *text)
{
    if (text[0] < 0x80) return text[0] >= 0x20 && text[0] != 0x7f;
    size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool outside = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

/* cairo refuses a whole drawing for one wrong byte, and file names may hold any. */
static void clean(char *out, size_t room, const char *text)
{
    size_t used = 0;
    while (*text && used + 5 < room) {
        size_t length = character((const unsigned char *)text);
        if (length) {
            memcpy(out + used, text, length);
        } else {
            out[used] = '?';
        }
        used += length ? length : 1;
        text += length ? length : 1;
    }
    out[used] = 0;
}

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

static void cut(cairo_t *cr, char *text, double most)
{
    static const char dots[] = "\xe2\x80\xa6";
    size_t length = strlen(text);
    while (length > 0 && width_of(cr, text) > most) {
        do {
            length--;
        } while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80);
        memcpy(text + length, dots, sizeof dots);
    }
}

/* The font lies in the library as a whole. */
__asm__(".pushsection .rodata, \"a\"\n"
        "mry_font_begin: .incbin \"" MAREY_FONT "\"\n"
        "mry_font_end: .byte 0\n"
        ".popsection\n");
extern const unsigned char mry_font_begin[] __attribute__((visibility("hidden")));
extern const unsigned char mry_font_end[] __attribute__((visibility("hidden")));

const unsigned char *mry_font(size_t *count)
{
    *count = (size_t)(mry_font_end - mry_font_begin);
    return mry_font_begin;
}

/* Letters are placed and drawn without hints, so that they are the same at every place and size. */
static void choose_letters(cairo_t *cr, double size)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_set_font_size(cr, size);
}

double mry_text(cairo_t *cr, double x, double y, double size, mry_colour colour, double align,
                double most, const char *text)
{
    char letters[512];
    clean(letters, sizeof letters - 4, text);
    choose_letters(cr, size);
    double width = width_of(cr, letters);
    if (most > 0 && width > most) {
        cut(cr, letters, most);
        width = width_of(cr, letters);
    }
    mry_ink(cr, colour);
    cairo_move_to(cr, x - align * width, y);
    cairo_show_text(cr, letters);
    return width;
}
