/* near_name.c - how far apart two words are. */
#include "near_name.h"

#include <string.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Wagner & Fischer 1974, one row kept. */
int edit_distance(const char *a, const char *b)
{
    int row[LONGEST_NAME + 1];
    int rows = (int)strlen(a), columns = (int)strlen(b);
    if (rows > LONGEST_NAME || columns > LONGEST_NAME) return LONGEST_NAME;
    for (int j = 0; j <= columns; j++) row[j] = j;
    for (int i = 1; i <= rows; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(change, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[columns];
}

bool is_near(const char *typed, const char *name)
{
    int length = (int)strlen(name);
    return edit_distance(typed, name) <= (length < 3 ? 0 : length < 6 ? 2 : 3);
}
