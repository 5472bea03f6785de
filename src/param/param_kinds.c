/* param_kinds.c - what can be asked of a motion, and the words for it: tables that the parser, help
   texts and menus read. */
#include "param/param_data.h"

#include <string.h>

/* In the order of mry_kind. */
static const marey_param_kind kinds[] = {
    { "position",
      "position(JOINT, WHEN, FROM)",
      "where a joint is at a moment",
      "cm",
      3,
      { "x", "y", "z" },
      false },
    { "height", "height(JOINT, WHEN)", "how high a joint is at a moment", "cm", 1, { "y" }, false },
    { "mass",
      "mass(WHEN, FROM)",
      "where the centre of mass is at a moment",
      "cm",
      3,
      { "x", "y", "z" },
      false },
    { "place", "place(FROM)", "where on the floor the hips end", "cm", 2, { "x", "z" }, false },
    { "heading",
      "heading()",
      "how far the body turns to the left, from start to end",
      "deg",
      1,
      { "angle" },
      true },
    { "speed", "speed(JOINT, AMOUNT)", "how fast a joint moves", "cm/s", 1, { "speed" }, true },
    { "turning",
      "turning(JOINT, AMOUNT)",
      "how fast a joint bends or turns, in its parent's axes",
      "deg/s",
      1,
      { "speed" },
      true },
    { "duration", "duration()", "how long it takes", "s", 1, { "time" }, true },
    { "pace",
      "pace()",
      "how fast the hips travel on the floor, on the mean",
      "cm/s",
      1,
      { "speed" },
      true },
    { "curvature",
      "curvature()",
      "how much the way bends to the left, for each metre of it",
      "deg/m",
      1,
      { "bend" },
      true },
    { "label",
      "label(NAME)",
      "a number that people gave the examples as labels, NAME=0.7; blends are not measured",
      "",
      1,
      { "value" },
      true },
    { "own",
      "own(NAME)",
      "a number that the program's own function measures",
      "",
      1,
      { "value" },
      true },
};

const marey_param_kind *const mry_own_kind = &kinds[MRY_KIND_OWN];

const marey_param_kind *marey_param_kind_find(int index)
{
    int count = MRY_KIND_OWN; /* which is a program's own */
    return index >= 0 && index < count ? &kinds[index] : NULL;
}

mry_kind mry_param_kind_of(const marey_param *param)
{
    return (mry_kind)(param->kind - kinds);
}

/* ---- what stands between the brackets -------------------------------------------------------- */

static const mry_slot slots[][MRY_MOST_SLOTS] = {
    [MRY_KIND_POSITION] = { MRY_SLOT_JOINT, MRY_SLOT_WHEN, MRY_SLOT_FROM },
    [MRY_KIND_HEIGHT] = { MRY_SLOT_JOINT, MRY_SLOT_WHEN },
    [MRY_KIND_MASS] = { MRY_SLOT_WHEN, MRY_SLOT_FROM },
    [MRY_KIND_PLACE] = { MRY_SLOT_FROM },
    [MRY_KIND_HEADING] = { MRY_SLOT_END },
    [MRY_KIND_SPEED] = { MRY_SLOT_JOINT, MRY_SLOT_AMOUNT },
    [MRY_KIND_TURNING] = { MRY_SLOT_JOINT, MRY_SLOT_AMOUNT },
    [MRY_KIND_DURATION] = { MRY_SLOT_END },
    [MRY_KIND_PACE] = { MRY_SLOT_END },
    [MRY_KIND_CURVATURE] = { MRY_SLOT_END },
    [MRY_KIND_LABEL] = { MRY_SLOT_LABEL },
    [MRY_KIND_OWN] = { MRY_SLOT_OWN },
};

const mry_slot *mry_param_slots(const marey_param *param)
{
    return slots[mry_param_kind_of(param)];
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct word {
    const char *name, *about;
} word;

static const word whens[MAREY_WHEN_COUNT] = {
    { "", "the whole motion" },
    { "start", "the first frame" },
    { "end", "the last frame" },
    { "apex", "the joint is farthest from where it was beside the body at the start" },
    { "highest", "the joint is highest" },
    { "lowest", "the hips are lowest" },
    { "N", "a frame of the first example, counted from its start" },
};

static const word froms[MAREY_FROM_COUNT] = {
    { "start",
      "from the floor under the hips at the start: x left, y up, z ahead as the body faces then" },
    { "root", "from the hips at that moment: x left, y up, z ahead as the body faces then" },
    { "world", "as the made clip stands in the world" },
};

static const char *const amounts[MAREY_AMOUNT_COUNT] = { "mean", "least", "greatest" };

const char *marey_param_when_name(marey_param_when when, const char **about)
{
    if ((int)when < 0 || when >= MAREY_WHEN_COUNT) return NULL;
    if (about) *about = whens[when].about;
    return whens[when].name;
}

const char *marey_param_from_name(marey_param_from from, const char **about)
{
    if ((int)from < 0 || from >= MAREY_FROM_COUNT) return NULL;
    if (about) *about = froms[from].about;
    return froms[from].name;
}

const char *marey_param_amount_name(marey_param_amount amount)
{
    return (int)amount >= 0 && amount < MAREY_AMOUNT_COUNT ? amounts[amount] : NULL;
}
