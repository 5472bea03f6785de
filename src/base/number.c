/* number.c - decimal numbers. The common ones (up to 19 digits, no exponent) are an integer divided
   by a power of ten; if the integer is below 2^53 and the power at most 10^22 both are exact and
   one division rounds correctly (Clinger 1990). Everything else goes to strtod on a cleaned
   copy. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double mry_power_of_ten[23] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool ends_number(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == 0 || c == '\f' || c == '\v';
}

typedef struct parts {
    uint64_t digits; /* all digits as one integer */
    int digit_count; /* without leading zeros */
    int decimals;
    int exponent;
    bool negative, comma, any;
} parts;

static const char *read_digits(const char *p, const char *end, parts *n, bool behind_point)
{
    for (; p < end && is_digit(*p); p++) {
        n->any = true;
        if (n->digit_count < 19) n->digits = n->digits * 10 + (uint64_t)(*p - '0');
        if (n->digits) n->digit_count++;
        if (behind_point) n->decimals++;
    }
    return p;
}

size_t mry_number_read(const char *text, const char *end, mry_decimal *out)
{
    parts n = { 0 };
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+')) n.negative = *p++ == '-';
    p = read_digits(p, end, &n, false);
    if (p < end && (*p == '.' || *p == ',')) {
        n.comma = *p == ',';
        p = read_digits(p + 1, end, &n, true);
    }
    if (!n.any) return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *digit = p + 1;
        bool negative = digit < end && *digit == '-';
        if (digit < end && (*digit == '-' || *digit == '+')) digit++;
        /* Without a digit the 'e' is not of the number, and p stays in front of it. */
        for (; digit < end && is_digit(*digit); p = ++digit) {
            if (n.exponent < 100000) n.exponent = n.exponent * 10 + (*digit - '0');
        }
        if (negative) n.exponent = -n.exponent;
    }
    size_t count = (size_t)(p - text);
    if ((p < end && !ends_number(*p)) || count > MRY_NUMBER_LONGEST) return 0;

    int places = n.decimals - n.exponent;
    out->decimal_comma = n.comma;
    out->decimals = places < 0 ? 0 : places;
    if (n.digit_count <= 19 && n.digits < (UINT64_C(1) << 53) && places >= 0 && places <= 22) {
        double size = (double)n.digits / mry_power_of_ten[places];
        out->value = n.negative ? -size : size;
    } else {
        /* strtod reads the point of the program's locale; marey's text always has '.'. */
        char copy[MRY_NUMBER_LONGEST + 1] = { 0 }, point = *localeconv()->decimal_point;
        for (size_t i = 0; i < count; i++)
            copy[i] = text[i] == ',' || text[i] == '.' ? point : text[i];
        out->value = strtod(copy, NULL);
    }
    return count;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Digits of n with a point before the last `decimals`, zeros behind the point cut. */
static size_t write_scaled(char *out, bool negative, uint64_t n, int decimals)
{
    while (decimals > 0 && n % 10 == 0) {
        n /= 10;
        decimals--;
    }
    char reversed[32];
    size_t count = 0, used = 0;
    do {
        if (decimals > 0 && count == (size_t)decimals) reversed[count++] = '.';
        reversed[count++] = (char)('0' + n % 10);
        n /= 10;
    } while (n || (decimals > 0 && count < (size_t)decimals + 2));
    if (negative) out[used++] = '-';
    while (count) out[used++] = reversed[--count];
    return used;
}

static size_t write_by_library(char *out, double value)
{
    char text[40];
    int count = 0;
    for (int digits = 15; digits <= 17; digits++) {
        count = snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    char point = *localeconv()->decimal_point;
    for (int i = 0; i < count; i++) out[i] = text[i] == point ? '.' : text[i];
    return (size_t)count;
}

size_t mry_number_write(char *out, double value, int decimals)
{
    if (value == 0) {
        out[0] = '0';
        return 1;
    }
    double size = fabs(value);
    if (decimals >= 0 && decimals <= 15 && size >= 1e-4) { /* below, an exponent is shorter */
        double scaled = nearbyint(size * mry_power_of_ten[decimals]);
        if (scaled < 9007199254740992.0 && scaled / mry_power_of_ten[decimals] == size) {
            return write_scaled(out, value < 0, (uint64_t)scaled, decimals);
        }
    }
    return write_by_library(out, value);
}

size_t mry_number_write_rounded(char *out, double value, int decimals)
{
    double scaled = nearbyint(fabs(value) * mry_power_of_ten[decimals]);
    if (!(scaled < 9007199254740992.0)) return write_by_library(out, value);
    return write_scaled(out, value < 0 && scaled > 0, (uint64_t)scaled, decimals);
}
