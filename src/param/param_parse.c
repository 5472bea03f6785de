/* param_parse.c - parameters as people write them, "position(RightHand, apex, start)", and back.
   Every mistake is answered with what was expected. */
#include "base/fail.h"
#include "param/param_data.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_WORD = MAREY_PARAM_NAME_ROOM };

typedef struct reader {
    const char *text, *at;
    marey_error *error;
} reader;

__attribute__((format(printf, 2, 3))) static marey_status wrong(const reader *r, const char *format,
                                                                ...)
{
    char rule[320], text[80];
    va_list args;
    va_start(args, format);
    vsnprintf(rule, sizeof rule, format, args);
    va_end(args);
    mry_quote(text, sizeof text, r->text, strlen(r->text));
    return mry_fail(r->error, MAREY_ERR_REQUEST, NULL, "\"%s\": %s", text, rule);
}

/* Up to a comma or bracket, without the blanks around it. */
static marey_status read_word(reader *r, char *word)
{
    r->at += strspn(r->at, " \t");
    size_t length = strcspn(r->at, "(),");
    const char *end = r->at + length;
    while (end > r->at && isspace((unsigned char)end[-1])) end--;
    size_t used = (size_t)(end - r->at);
    if (used >= MOST_WORD) return wrong(r, "a word of more than %d letters", MOST_WORD - 1);
    memset(word, 0, MOST_WORD); /* all of it is kept, so that equal texts make equal parameters */
    memcpy(word, r->at, used);
    r->at += length;
    return MAREY_OK;
}

/* The names that a word in a slot may be; before the brackets, which are no slot, those of
   parameters. NULL: no more. */
static const char *name_of(mry_slot slot, int index)
{
    const marey_param_kind *kind = marey_param_kind_find(index);
    switch (slot) {
    case MRY_SLOT_WHEN: return marey_param_when_name((marey_param_when)index, NULL);
    case MRY_SLOT_FROM: return marey_param_from_name((marey_param_from)index, NULL);
    case MRY_SLOT_AMOUNT: return marey_param_amount_name((marey_param_amount)index);
    default: return kind ? kind->name : NULL;
    }
}

/* What a word there is, for messages. */
static const char *const subjects[] = { [MRY_SLOT_END] = "parameter",
                                        [MRY_SLOT_WHEN] = "moment",
                                        [MRY_SLOT_FROM] = "place to tell from",
                                        [MRY_SLOT_AMOUNT] = "amount" };

/* The row with this name; -1: none. */
static int row_of(const char *word, mry_slot slot)
{
    const char *name;
    for (int i = 0; (name = name_of(slot, i)); i++) {
        if (*name && strcasecmp(word, name) == 0) return i;
    }
    return -1;
}

/* Letters that differ, where two that changed places count as one; at most as many as names
   have. */
static int letters_off(const char *a, const char *b)
{
    int rows = (int)strlen(a), cols = (int)strlen(b), sums[3][MOST_WORD + 1] = { 0 };
    for (int j = 0; j <= cols; j++) sums[0][j] = j;
    for (int i = 1; i <= rows; i++) {
        int *now = sums[i % 3], *before = sums[(i + 2) % 3], *second = sums[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= cols; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = before[j - 1] + !same;
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                second[j - 2] + 1 < best)
                best = second[j - 2] + 1;
            now[j] = best;
        }
    }
    return sums[rows % 3][cols];
}

static marey_status unknown(const reader *r, const char *word, mry_slot slot)
{
    char names[200] = { 0 };
    const char *nearest = NULL, *subject = subjects[slot], *name;
    int least = MOST_WORD;
    size_t used = 0;
    /* Up to a third of its letters may be wrong. */
    for (int i = 0; (name = name_of(slot, i)); i++) {
        if (!*name || strlen(name) >= MOST_WORD) continue;
        int off = letters_off(word, name);
        if (off >= least || 3 * off > (int)strlen(name)) continue;
        least = off;
        nearest = name;
    }
    if (nearest) return wrong(r, "%s is no %s; did you mean %s?", word, subject, nearest);
    /* All of them; the row of moments that stands for a number is described in words. */
    for (int i = 0; (name = name_of(slot, i)) && used < sizeof names; i++) {
        bool number = slot == MRY_SLOT_WHEN && i == MAREY_WHEN_FRAME;
        if (!*name) continue;
        int length = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                              number ? "or the number of a frame" : name);
        used += length > 0 ? (size_t)length : 0;
    }
    return wrong(r, "%s is no %s; there are %s", *word ? word : "nothing", subject, names);
}

static marey_status read_slot(const reader *r, mry_slot slot, const char *word, marey_param *param)
{
    int row = -1;
    char *end;
    switch (slot) {
    case MRY_SLOT_JOINT:
        if (!*word) return wrong(r, "a joint is missing: %s", param->kind->form);
        memcpy(param->joint, word, MOST_WORD);
        return MAREY_OK;
    case MRY_SLOT_LABEL:
        if (!*word) return wrong(r, "the label's name is missing: %s", param->kind->form);
        memcpy(param->label, word, MOST_WORD);
        return MAREY_OK;
    case MRY_SLOT_OWN:
        if (!*word) return wrong(r, "the feature's name is missing: %s", param->kind->form);
        memcpy(param->own_name, word, MOST_WORD);
        return MAREY_OK;
    case MRY_SLOT_WHEN: {
        long frame = strtol(word, &end, 10);
        bool number = end != word && *end == 0;
        if (number && (frame < 0 || frame > 100000000)) return wrong(r, "%s is no frame", word);
        row = number ? MAREY_WHEN_FRAME : row_of(word, slot);
        if (row < 0 || (row == MAREY_WHEN_FRAME && !number)) return unknown(r, word, slot);
        param->when = (marey_param_when)row;
        if (number) param->frame = (int)frame;
        return MAREY_OK;
    }
    case MRY_SLOT_FROM:
        row = row_of(word, slot);
        if (row < 0) return unknown(r, word, slot);
        param->from = (marey_param_from)row;
        return MAREY_OK;
    case MRY_SLOT_AMOUNT:
        row = row_of(word, slot);
        if (row < 0) return unknown(r, word, slot);
        param->amount = (marey_param_amount)row;
        return MAREY_OK;
    case MRY_SLOT_END: break;
    }
    return wrong(r, "nothing more is expected behind it: %s", param->kind->form);
}

marey_status marey_param_parse(const char *text, marey_param *out, marey_error *error)
{
    reader r = { .text = text, .at = text, .error = error };
    marey_param param = { 0 };
    char word[MOST_WORD] = { 0 };
    marey_status status = read_word(&r, word);
    if (status) return status;
    int row = row_of(word, MRY_SLOT_END);
    bool own = row < 0 && strcmp(word, mry_own_kind->name) == 0;
    if (row < 0 && !own) return unknown(&r, word, MRY_SLOT_END);
    param.kind = own ? mry_own_kind : marey_param_kind_find(row);
    const mry_slot *slots = mry_param_slots(&param), *slot = slots;
    for (; *slot != MRY_SLOT_END; slot++) {
        if (*slot == MRY_SLOT_WHEN) param.when = MAREY_WHEN_APEX;
    }
    if (mry_param_kind_of(&param) == MRY_KIND_PLACE) param.when = MAREY_WHEN_END;
    if (mry_param_kind_of(&param) == MRY_KIND_MASS) param.when = MAREY_WHEN_LOWEST;
    if (*r.at == '(') {
        slot = slots;
        do {
            bool first = *r.at++ == '(';
            status = read_word(&r, word);
            if (status) return status;
            if (first && !*word && *r.at == ')') break;
            status = read_slot(&r, *slot, word, &param);
            if (status) return status;
            slot++;
        } while (*r.at == ',');
        if (*r.at != ')') return wrong(&r, "a closing bracket is missing: %s", param.kind->form);
        r.at++;
    }
    r.at += strspn(r.at, " \t");
    if (*r.at) return wrong(&r, "nothing is expected behind the bracket");
    /* What has no default must be there. */
    for (slot = slots; *slot != MRY_SLOT_END; slot++) {
        if ((*slot == MRY_SLOT_JOINT && !*param.joint) ||
            (*slot == MRY_SLOT_LABEL && !*param.label) ||
            (*slot == MRY_SLOT_OWN && !*param.own_name))
            return read_slot(&r, *slot, "", &param);
    }
    *out = param;
    return MAREY_OK;
}

size_t marey_param_text(const marey_param *param, char *text, size_t room)
{
    char whole[4 * MOST_WORD], number[16];
    int used = snprintf(whole, sizeof whole, "%s(", param->kind->name);
    const mry_slot *first = mry_param_slots(param);
    for (const mry_slot *slot = first; *slot != MRY_SLOT_END; slot++) {
        const char *word = "";
        switch (*slot) {
        case MRY_SLOT_JOINT: word = param->joint; break;
        case MRY_SLOT_LABEL: word = param->label; break;
        case MRY_SLOT_OWN: word = param->own_name; break;
        case MRY_SLOT_WHEN:
            snprintf(number, sizeof number, "%d", param->frame);
            word = param->when == MAREY_WHEN_FRAME ? number : name_of(*slot, (int)param->when);
            break;
        case MRY_SLOT_FROM: word = name_of(*slot, (int)param->from); break;
        case MRY_SLOT_AMOUNT: word = name_of(*slot, (int)param->amount); break;
        case MRY_SLOT_END: break;
        }
        used += snprintf(whole + used, sizeof whole - (size_t)used, "%s%s",
                         slot > first ? ", " : "", word);
    }
    used += snprintf(whole + used, sizeof whole - (size_t)used, ")");
    if (room) snprintf(text, room, "%s", whole);
    return (size_t)used;
}

/* Letters in a row from the start that two names share, without case and '_'. */
static size_t alike(const char *a, const char *b)
{
    size_t count = 0;
    for (;; a++, b++, count++) {
        while (*a == '_') a++;
        while (*b == '_') b++;
        if (!*a || tolower((unsigned char)*a) != tolower((unsigned char)*b)) return count;
    }
}

marey_status marey_param_joint(const marey_param *param, const marey_skeleton *skeleton, int *joint,
                               marey_error *error)
{
    const char *name = param->joint, *nearest = skeleton->joints[0].name;
    int count = skeleton->joint_count, found = -1;
    if (!*name) {
        *joint = -1;
        return MAREY_OK;
    }
    for (int j = 0; j < count && found < 0; j++) {
        if (strcmp(skeleton->joints[j].name, name) == 0) found = j;
    }
    for (int role = 0; role < MAREY_ROLE_COUNT && found < 0; role++) {
        if (strcasecmp(marey_role_name((marey_role)role), name) == 0) found = skeleton->roles[role];
    }
    for (int j = 0; j < count && found < 0; j++) {
        if (strcasecmp(skeleton->joints[j].name, name) == 0) found = j;
    }
    if (found >= 0) {
        *joint = found;
        return MAREY_OK;
    }
    for (int j = 0; j < count; j++) {
        if (alike(skeleton->joints[j].name, name) > alike(nearest, name))
            nearest = skeleton->joints[j].name;
    }
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "there is no joint %s, and none in such a role; is it %s?", name, nearest);
}
