/* joint_weights.c - the sets of joint weights of the papers, and a user's own. Guan & Yang 2.3: Lee et al. 2002 count the
   joints that carry the pose, Wang & Bodenheimer 2003 (table 1) fitted theirs to a user study. */
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

/* "knee" without a side means both. Returns how many roles took the value. */
static int set_role(marey_joint_weights *weights, const char *name, double value)
{
    int set = 0;
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        const char *full = marey_role_name((marey_role)role), *bare = full;
        if (strncmp(full, "left_", 5) == 0) bare = full + 5;
        if (strncmp(full, "right_", 6) == 0) bare = full + 6;
        if (strcmp(name, full) != 0 && strcmp(name, bare) != 0) continue;
        weights->roles[role] = value;
        set++;
    }
    return set;
}

/* A plain number >= 0, and nothing behind it. */
static bool read_weight(const char *text, const char *end, double *value)
{
    mry_decimal number;
    if (mry_number_read(text, end, &number) != strlen(text) || *text == 0) return false;
    *value = number.value;
    return *value >= 0 && *value <= 1e12 && !number.decimal_comma;
}

/* One "role=weight" of `count` bytes. */
static marey_status take_item(const char *item, size_t count, marey_joint_weights *weights,
                              marey_error *error)
{
    char word[WORD + MRY_NUMBER_SLACK] = { 0 }, shown[WORD];
    double value;
    mry_quote(shown, sizeof shown, item, count);
    memcpy(word, item, count < WORD ? count : WORD - 1);
    char *sign = strchr(word, '=');
    if (!sign || count >= WORD) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "expected equal, lee, wang or a list such as hips=1,knee=0.5, found %s",
                        shown);
    }
    *sign = 0;
    if (!read_weight(sign + 1, word + WORD, &value)) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the weight in %s is no number >= 0",
                        shown);
    }
    if (set_role(weights, word, value) == 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there is no role %s; roles are hips, spine, left_knee and so on", word);
    }
    return MAREY_OK;
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
        marey_status status = take_item(item, count, &own, error);
        if (status) return status;
        item += count;
        if (*item == 0) break;
    }
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) sum += own.roles[role];
    if (!(sum > 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no joint has a weight in %.200s", text);
    *out = own;
    return MAREY_OK;
}
