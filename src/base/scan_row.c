/* scan_row.c - rows of numbers, the hot loop of every text reader. Most numbers in motion files fit
   in eight bytes behind their sign. Those are read as one 64-bit word: one mask finds the point and
   the end, two shifts take the point out and align the digits, three multiplications make the
   integer (Lemire 2018). Whatever does not fit that pattern, and every processor that is not
   little-endian, goes to mry_number_read, which is the truth. */
#include "base/scan.h"

#include <math.h>
#include <string.h>

enum { MOST_BYTES = MRY_NUMBER_LONGEST + MRY_NUMBER_SLACK };

static inline uint64_t eight_digits(uint64_t digits)
{
    const uint64_t pairs = 0x000000ff000000ff;
    digits = digits * 10 + (digits >> 8);
    return ((digits & pairs) * 0x000f424000000064 +
            ((digits >> 16) & pairs) * 0x0000271000000001) >>
           32;
}

/* Bytes taken, or 0 if the number is not of the short kind. */
static inline size_t read_short(const char *p, mry_decimal *out)
{
    size_t negative = *p == '-';
    uint64_t word;
    p += negative;
    memcpy(&word, p, 8);
    uint64_t digits = word ^ 0x3030303030303030;
    /* The high bit of every byte that is no digit; 0x7f.. keeps a carry inside its byte. */
    uint64_t other =
        (((digits & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | digits) & 0x8080808080808080;
    if (!other) return 0;
    unsigned whole = (unsigned)__builtin_ctzll(other) >> 3, end = whole, decimals = 0;
    if (p[whole] == '.') {
        other &= other - 1;
        end = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
        if (whole == 7 || end < 2) return 0;
        decimals = end - whole - 1;
        uint64_t before = digits & ((UINT64_C(1) << (8 * whole)) - 1);
        uint64_t behind = digits >> (8 * whole + 8);
        digits = (before | behind << (8 * whole)) << (64 - 8 * (end - 1));
    } else {
        if (whole == 0) return 0;
        digits <<= 64 - 8 * whole;
    }
    if (!(p[end] == ' ' || p[end] == '\n' || p[end] == '\r' || p[end] == '\t' || p[end] == 0))
        return 0;
    double size = (double)eight_digits(digits) / mry_power_of_ten[decimals];
    out->value = negative ? -size : size;
    out->decimals = (int)decimals;
    return negative + end;
}

int mry_scan_row(mry_scan *scan, double *row, int count, double most, mry_row_notes *notes)
{
    mry_decimal number = { 0 };
    int n = 0;
    for (; n < count; n++) {
        while (*scan->p == ' ') scan->p++;
        if ((unsigned char)*scan->p < ' ' || scan->p == scan->end) mry_scan_skip_blanks(scan);
        mry_scan_need(scan, MOST_BYTES); /* only now: blanks may have used the window up */
        size_t bytes = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        bytes = read_short(scan->p, &number);
#endif
        if (!bytes) bytes = mry_number_read(scan->p, scan->end, &number);
        if (!bytes || !(fabs(number.value) <= most)) break;
        row[n] = number.value;
        if (number.decimals > notes->decimals) notes->decimals = number.decimals;
        if (number.decimal_comma) {
            notes->commas++;
            number.decimal_comma = false;
        }
        scan->p += bytes;
    }
    return n;
}
