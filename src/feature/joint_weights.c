/* joint_weights.c - the sets of joint weights of the papers, and a user's own. Guan & Yang 2.3: Lee
   et al. 2002 count the joints that carry the pose, Wang & Bodenheimer 2003 (table 1) fitted theirs
   to a user study. */
#include "base/fail.h"
#include "base/number.h"

#include <marey/feature.h>

#include <string.h>

#define BOTH(joint, value) [MAREY_ROLE_LEFT_##joint] = (value), [MAREY_ROLE_RIGHT_##joint] = (value)

static const marey_joint_weights table[] = {
    { .name = "equal", .description = "every joint of the skeleton alike", .every_joint = true },
    { .name = "lee",
      .description = "shoulders, elbows, hips, knees, pelvis and spine (Lee et al. 2002)",
      .roles = { [MAREY_ROLE_HIPS] = 1,
                 [MAREY_ROLE_SPINE] = 1,
                 BOTH(SHOULDER, 1),
                 BOTH(ELBOW, 1),
                 BOTH(HIP, 1),
                 BOTH(KNEE, 1) } },
    { .name = "wang",
      .description = "hips and shoulders, knees and elbows a little (Wang & Bodenheimer 2003)",
      .roles = { BOTH(HIP, 1.0), BOTH(KNEE, 0.0901), BOTH(SHOULDER, 0.7884),
                 BOTH(ELBOW, 0.0247) } },
};

enum { ROWS = sizeof table / sizeof *table, WORD = 64 };

const marey_joint_weights *marey_joint_weights_find(int index)
{
    return index >= 0 && index < ROWS ? &table[index] : NULL;
}

marey_status marey_joint_weights_parse(const char *text, marey_joint_weights *out,
                                       marey_error *error)
{
    for (int row = 0; row < ROWS; row++) {
        if (strcmp(text, table[row].name) == 0) {
            *out = table[row];
            return MAREY_OK;
        }
    }
    marey_joint_weights own = { .name = "own", .description = "as given" };
    double sum = 0;
    for (const char *item = text;; item++) {
        size_t count = strcspn(item, ",");
        /* One "role=weight" of `count` bytes. */
        char word[WORD + MRY_NUMBER_SLACK] = { 0 }, shown[WORD];
        mry_quote(shown, sizeof shown, item, count);
        memcpy(word, item, count < WORD ? count : WORD - 1);
        char *sign = strchr(word, '=');
        if (!sign || count >= WORD) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "expected equal, lee, wang or a list such as hips=1,knee=0.5, found %s",
                            shown);
        }
        *sign = 0;
        /* A plain number >= 0, and nothing behind it. */
        mry_decimal number;
        const char *digits = sign + 1;
        if (mry_number_read(digits, word + WORD, &number) != strlen(digits) || *digits == 0 ||
            !(number.value >= 0 && number.value <= 1e12) || number.decimal_comma) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "weight must be a number of at least 0, got %s", shown);
        }
        /* "knee" without a side means both. */
        int set = 0;
        for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
            const char *full = marey_role_name((marey_role)role), *bare = full;
            if (strncmp(full, "left_", 5) == 0) bare = full + 5;
            if (strncmp(full, "right_", 6) == 0) bare = full + 6;
            if (strcmp(word, full) != 0 && strcmp(word, bare) != 0) continue;
            own.roles[role] = number.value;
            set++;
        }
        if (set == 0) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "there is no role %s; roles are hips, spine, left_knee and so on",
                            word);
        }
        item += count;
        if (*item == 0) break;
    }
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) sum += own.roles[role];
    if (!(sum > 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no joint has a weight in %.200s", text);
    *out = own;
    return MAREY_OK;
}
