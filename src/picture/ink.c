/* ink.c - colours, letters and round numbers. The ramp of shades is made in Oklab (Ottosson 2020),
   whose first coordinate is lightness as it is seen: even steps of it, so that equal differences
   look equal and the picture can be read without seeing colours. */
#include "picture/ink.h"

#include "picture/vec3.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

mry_colour mry_colour_mix(mry_colour a, mry_colour b, double t)
{
    return (mry_colour){ a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b) };
}

void mry_ink(cairo_t *cr, mry_colour colour)
{
    cairo_set_source_rgb(cr, colour.r, colour.g, colour.b);
}

void mry_line(cairo_t *cr, double x0, double y0, double x1, double y1, mry_colour colour,
              double width)
{
    cairo_new_path(cr);
    mry_ink(cr, colour);
    cairo_set_line_width(cr, width);
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

void mry_frame(cairo_t *cr, double x, double y, double width, double height)
{
    mry_ink(cr, MRY_PALE);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x - 0.5, y - 0.5, width + 1, height + 1);
    cairo_stroke(cr);
}

mry_colour mry_palette(int number)
{
    static const mry_colour first[] = { { 0.00, 0.45, 0.70 }, { 0.84, 0.37, 0.00 },
                                        { 0.00, 0.62, 0.45 }, { 0.80, 0.47, 0.65 },
                                        { 0.34, 0.71, 0.91 }, { 0.90, 0.62, 0.00 },
                                        { 0.35, 0.35, 0.35 }, { 0.45, 0.25, 0.60 } };
    enum { COUNT = sizeof first / sizeof *first };
    if (number < 0) number = 0;
    if (number < COUNT) return first[number];
    int rest = number - COUNT;
    /* Of a hue in turns, at one strength and lightness. */
    double hue = fmod(rest * 0.61803398875, 1);
    double light = 0.75 + 0.12 * (rest % 3);
    double part[3];
    for (int i = 0; i < 3; i++) {
        double at = fmod(hue + (3 - i) / 3.0, 1) * 6;
        part[i] = fmin(fmax(fabs(at - 3) - 1, 0), 1);
    }
    mry_colour full = { part[0], part[1], part[2] };
    return mry_colour_mix((mry_colour){ 0.5 * light, 0.5 * light, 0.5 * light }, full, 0.6 * light);
}

/* Linear sRGB of an Oklab colour; false if no screen shows it. */
static bool from_oklab(double light, double a, double b, double *rgb)
{
    double l = light + 0.3963377774 * a + 0.2158037573 * b;
    double m = light - 0.1055613458 * a - 0.0638541728 * b;
    double s = light - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    bool shown = true;
    for (int k = 0; k < 3; k++) shown &= rgb[k] >= 0 && rgb[k] <= 1;
    return shown;
}

void mry_shades(uint32_t *shades)
{
    for (int i = 0; i < MRY_SHADES; i++) {
        double t = (double)i / (MRY_SHADES - 1), light = 0.16 + 0.81 * t;
        double hue = (290 - 185 * t) * M_PI / 180, chroma = 0.06 + 0.22 * t * (1 - 0.75 * t);
        double rgb[3];
        while (!from_oklab(light, chroma * cos(hue), chroma * sin(hue), rgb) && chroma > 1e-3)
            chroma *= 0.97;
        shades[i] = 0;
        for (int k = 0; k < 3; k++) { /* as sRGB encodes light */
            double linear = mry_clamp(rgb[k], 0, 1);
            double level =
                linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
            shades[i] = shades[i] << 8 | (uint32_t)lround(255 * level);
        }
    }
}

void mry_shades_draw(cairo_t *cr, const uint32_t *shades, double x, double y, double width,
                     double height)
{
    for (int i = 0; i < MRY_SHADES; i++) {
        double top = y + height * (1 - (i + 1) / (double)MRY_SHADES);
        cairo_set_source_rgb(cr, (shades[i] >> 16 & 255) / 255.0, (shades[i] >> 8 & 255) / 255.0,
                             (shades[i] & 255) / 255.0);
        /* A little over the next, so that no gap shines through. */
        cairo_rectangle(cr, x, top, width, fmin(height / MRY_SHADES + 1, y + height - top));
        cairo_fill(cr);
    }
}

bool mry_pixels_draw(cairo_t *cr, uint32_t *pixels, int columns, int rows, double x, double y,
                     double width, double height)
{
    cairo_surface_t *image = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, columns, rows, 4 * columns);
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_scale(cr, width / columns, height / rows);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, columns, rows);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
    return cairo_status(cr) == CAIRO_STATUS_SUCCESS;
}

double mry_round_step(double least)
{
    double power = pow(10, floor(log10(least))), share = least / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

mry_ticks mry_ticks_by(mry_span span, double step)
{
    mry_ticks t = { .step = step, .first = ceil(span.low / step) * step };
    t.count = (int)fmin(floor((span.high - t.first) / t.step + 1e-9) + 1, 100);
    return t;
}

mry_ticks mry_ticks_of(mry_span span, double most)
{
    return mry_ticks_by(span, mry_round_step((span.high - span.low) / fmax(most, 1)));
}

double mry_tick_at(const mry_ticks *ticks, int i)
{
    return ticks->first + i * ticks->step;
}

void mry_tick_text(const mry_ticks *ticks, int i, char *text, size_t room)
{
    double at = mry_tick_at(ticks, i);
    snprintf(text, room, "%.6g", fabs(at) < 1e-9 * ticks->step ? 0 : at);
}

/* Length of the UTF-8 character at text, or 0 if it is invalid, or shows nothing. */
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

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
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

double mry_text(cairo_t *cr, double x, double y, double size, mry_colour colour, double align,
                double most, const char *text)
{
    static const char dots[] = "\xe2\x80\xa6";
    char letters[512];
    size_t used = 0;
    /* cairo refuses a whole drawing for one wrong byte, and file names may hold any. */
    while (*text && used + 5 < sizeof letters - 4) {
        size_t length = character((const unsigned char *)text);
        if (length) {
            memcpy(letters + used, text, length);
        } else {
            letters[used] = '?';
            length = 1;
        }
        used += length;
        text += length;
    }
    letters[used] = 0;
    /* Letters are placed and drawn without hints, so that they are the same at every place and
       size. */
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_set_font_size(cr, size);
    double width = width_of(cr, letters);
    for (; most > 0 && used > 0 && width > most; width = width_of(cr, letters)) {
        do {
            used--;
        } while (used > 0 && ((unsigned char)letters[used] & 0xc0) == 0x80);
        memcpy(letters + used, dots, sizeof dots);
    }
    mry_ink(cr, colour);
    cairo_move_to(cr, x - align * width, y);
    cairo_show_text(cr, letters);
    return width;
}
