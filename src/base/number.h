/* number.h - decimal numbers from text and back, the same on every machine and in every locale.
   Readers and writers of text formats use it; the scanner is its main customer. */
#ifndef MRY_NUMBER_H
#define MRY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mry_decimal {
    double value;       /* correctly rounded */
    int decimals;       /* digits behind the point; with an exponent, what it would take without */
    bool decimal_comma; /* "1,5" was read as 1.5 */
} mry_decimal;

/* Every number must be followed by this many readable bytes. */
enum { MRY_NUMBER_SLACK = 24, MRY_NUMBER_LONGEST = 64 };

/* Reads one number at text: sign, digits, point or decimal comma, exponent; not "nan", "inf" or
   hexadecimal. Returns the number of bytes it takes, or 0 if there is none. The byte behind it must
   be white space or zero, else it is no number. Numbers of more than MRY_NUMBER_LONGEST bytes are
   no numbers either. A value too large for a double comes back as infinity. */
size_t mry_number_read(const char *text, const char *end, mry_decimal *out);

/* The shortest text that reads back as the same double, without exponent where that is short: at
   most 32 bytes, no ending zero. If value is a whole number of 10^-decimals it is written from that
   integer, which is fast. Returns the length. */
enum { MRY_NUMBER_ROOM = 32 };
size_t mry_number_write(char *out, double value, int decimals);

/* value rounded to `decimals` places, trailing zeros cut. */
size_t mry_number_write_rounded(char *out, double value, int decimals);

extern const double mry_power_of_ten[23]; /* 10^0 .. 10^22, each exact */

#endif
