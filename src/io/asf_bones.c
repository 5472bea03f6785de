/* asf_bones.c - the sections of an ASF file: units, root, bones. Sections begin with a colon and may
   come in any order, but for the hierarchy, which names bones and follows them. Inside a section each
   line is a statement; what is not known is left out and counted. */
#include "base/fail.h"
#include "io/asf_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- which bone hangs on which --------------------------------------------------------------- */

/* Every bone is named as a child exactly once, so what the walk from the root does not reach hangs in a circle. Nothing
   recurses: the walk goes down by first children, on by siblings and up by parents. */

/* ---- names ------------------------------------------------------------------------------------ */

static unsigned hash_name(const char *name, size_t count)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

/* The slot that holds this name, or the free one where it belongs. */
static unsigned find_slot(const mry_asf *asf, const char *name, size_t count)
{
    unsigned at = hash_name(name, count) & (asf->slots - 1);
    for (; asf->table[at]; at = (at + 1) & (asf->slots - 1)) {
        const char *other = asf->bones[asf->table[at] - 1].name;
        if (strncmp(other, name, count) == 0 && !other[count]) break;
    }
    return at;
}

int mry_asf_find(const mry_asf *asf, const char *name, size_t count)
{
    return asf->table[find_slot(asf, name, count)] - 1;
}

static marey_status fail_at_line(mry_scan *scan, int64_t line, const char *name, const char *what)
{
    if (scan->status) return scan->status;
    return scan->status =
               mry_fail_at(scan->error, MAREY_ERR_INPUT, scan->path, line, 0, "%s %s", name, what);
}

static marey_status index_names(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    asf->slots = 64;
    while (asf->slots < 2u * (unsigned)asf->count) asf->slots *= 2;
    asf->table = MRY_NEW(tmp, int, asf->slots);
    if (!asf->table) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    for (int b = 0; b < asf->count; b++) {
        const mry_asf_bone *bone = &asf->bones[b];
        unsigned slot = find_slot(asf, bone->name, strlen(bone->name));
        if (asf->table[slot]) {
            return fail_at_line(scan, bone->line, bone->name, "is the name of another bone too");
        }
        asf->table[slot] = b + 1;
    }
    return MAREY_OK;
}

/* ---- the :hierarchy section ------------------------------------------------------------------- */

static marey_status read_known_bone(mry_scan *scan, const mry_asf *asf, const char *what, int *bone)
{
    const char *name;
    size_t count = 0;
    marey_status status = mry_asf_read_name(scan, what, &name, &count);
    if (status) return status;
    *bone = mry_asf_find(asf, name, count);
    if (*bone < 0) return mry_scan_expected(scan, what);
    return MAREY_OK;
}

static marey_status hang_up(mry_scan *scan, mry_asf *asf, int parent, int child)
{
    mry_asf_bone *above = &asf->bones[parent], *bone = &asf->bones[child];
    if (child == 0) return mry_scan_fail(scan, MAREY_ERR_INPUT, "the root hangs on no bone");
    if (bone->child_line) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "%s hangs on %s already", bone->name,
                             asf->bones[bone->parent].name);
    }
    bone->parent = parent;
    bone->child_line = scan->line;
    if (above->first_child < 0) {
        above->first_child = child;
    } else {
        asf->bones[above->last_child].next_sibling = child;
    }
    above->last_child = child;
    return MAREY_OK;
}

/* "lwrist lhand lthumb": the first carries the others. */
static marey_status read_children(mry_scan *scan, mry_asf *asf)
{
    int parent = 0, child = 0;
    marey_status status = read_known_bone(scan, asf, "root or the name of a bone", &parent);
    if (status) return status;
    mry_scan_take(scan, strlen(asf->bones[parent].name));
    while (!mry_asf_at_line_end(scan)) {
        status = read_known_bone(scan, asf, "the name of a bone", &child);
        if (!status) status = hang_up(scan, asf, parent, child);
        if (status) return status;
        mry_scan_take(scan, strlen(asf->bones[child].name));
    }
    return MAREY_OK;
}

static marey_status read_tree(mry_scan *scan, mry_asf *asf)
{
    if (!mry_asf_next(scan) || !mry_scan_keyword(scan, "begin")) {
        return mry_scan_expected(scan, "begin");
    }
    while (mry_asf_next(scan)) {
        if (mry_scan_keyword(scan, "end")) return MAREY_OK;
        marey_status status = read_children(scan, asf);
        if (status) return status;
    }
    return mry_scan_expected(scan, "end of the hierarchy");
}

/* ---- the order of joints ---------------------------------------------------------------------- */

static int next_in_walk(const mry_asf *asf, int b)
{
    if (asf->bones[b].first_child >= 0) return asf->bones[b].first_child;
    while (b >= 0 && asf->bones[b].next_sibling < 0) b = asf->bones[b].parent;
    return b < 0 ? -1 : asf->bones[b].next_sibling;
}

static marey_status order_joints(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    int reached = 0;
    asf->joint = MRY_NEW(tmp, int, asf->count);
    asf->bone = MRY_NEW(tmp, int, asf->count);
    if (!asf->joint || !asf->bone) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    for (int b = 0; b >= 0; b = next_in_walk(asf, b)) {
        asf->joint[b] = reached;
        asf->bone[reached++] = b;
    }
    for (int b = 1; b < asf->count && reached < asf->count; b++) {
        const mry_asf_bone *bone = &asf->bones[b];
        if (!bone->child_line) {
            return fail_at_line(scan, bone->line, bone->name, "is not in the hierarchy");
        }
        if (asf->joint[b] == 0) {
            return fail_at_line(scan, bone->child_line, bone->name, "does not hang on the root");
        }
    }
    return MAREY_OK;
}

/* ---- bones ----------------------------------------------------------------------------------- */

typedef struct parser {
    mry_scan *scan;
    mry_arena *tmp;
    mry_asf *asf;
    mry_asf_bone *bone; /* whose statements are read */
    double direction[3], length;
    unsigned given; /* bit i: statement i of the table was there */
} parser;

typedef struct statement {
    const char *word;
    marey_status (*read)(parser *p);
    bool needed;
} statement;

/* ---- pieces of statements --------------------------------------------------------------------- */

static marey_status read_numbers(parser *p, const char *what, int count, double *numbers)
{
    mry_row_notes notes = { 0 };
    char text[80];
    int got = mry_scan_row(p->scan, numbers, count, MRY_MOST_NUMBER, &notes);
    p->asf->commas += notes.commas;
    if (got == count) return MAREY_OK;
    snprintf(text, sizeof text, "a number for %s", what);
    return mry_scan_expected(p->scan, text);
}

/* 0, 1, 2 for a letter x, y, z in any case; else -1. */
static int axis_of(char letter)
{
    const char *found = strchr("xyzXYZ", letter);
    return letter && found ? (int)(found - "xyzXYZ") % 3 : -1;
}

/* "XYZ": the order in which the three angles apply. */
static marey_status read_letters(parser *p)
{
    const char *word;
    int seen = 0;
    mry_scan_skip_blanks(p->scan);
    size_t count = mry_scan_word(p->scan, 0, &word);
    for (size_t i = 0; i < count && count == 3; i++) {
        int axis = axis_of(word[i]);
        if (axis < 0) break;
        p->bone->letters[i] = (uint8_t)axis;
        seen |= 1 << axis;
    }
    if (seen != 7) return mry_scan_expected(p->scan, "the order of the axes, such as XYZ");
    mry_scan_take(p->scan, count);
    return MAREY_OK;
}

/* Channels up to the end of the line: "rx ry rz", with `translations` also "TX". */
static marey_status read_channels(parser *p, bool translations)
{
    mry_asf_bone *bone = p->bone;
    while (!mry_asf_at_line_end(p->scan)) {
        const char *word;
        size_t count = mry_scan_word(p->scan, 0, &word);
        int axis = count == 2 ? axis_of(word[1]) : -1, kind = count ? word[0] | 32 : 0;
        bool known = axis >= 0 && (kind == 'r' || (kind == 't' && translations));
        if (!known) {
            return mry_scan_expected(p->scan, translations
                                                  ? "one of TX TY TZ RX RY RZ"
                                                  : "one of rx ry rz (marey reads rotations only)");
        }
        int first = (int)(kind == 'r' ? MAREY_CHANNEL_X_ROTATION : MAREY_CHANNEL_X_POSITION);
        marey_channel channel = (marey_channel)(first + axis);
        for (int i = 0; i < bone->channel_count; i++) {
            if (bone->channels[i] != channel) continue;
            return mry_scan_fail(p->scan, MAREY_ERR_INPUT, "%s twice", marey_channel_name(channel));
        }
        bone->channels[bone->channel_count++] = channel;
        mry_scan_take(p->scan, count);
    }
    return MAREY_OK;
}

static marey_status skip_statement(parser *p)
{
    mry_asf_skip_line(p->scan);
    return MAREY_OK;
}

/* ---- the statements of a bone ----------------------------------------------------------------- */

/* A name must not look like something else in an AMC or in a BVH that is written later. */
static bool is_fit(const char *name, size_t count)
{
    mry_decimal number;
    char text[256 + MRY_NUMBER_SLACK] = { 0 };
    memcpy(text, name, count);
    if (mry_number_read(text, text + count, &number)) return false;
    return !strchr("#:", *name) && !memchr(name, '{', count) && !memchr(name, '}', count);
}

static marey_status read_bone_name(parser *p)
{
    const char *name;
    size_t count;
    marey_status status = mry_asf_read_name(p->scan, "a name", &name, &count);
    if (status) return status;
    if (!is_fit(name, count)) {
        return mry_scan_expected(p->scan, "a name that is no number and has no # : { } in it");
    }
    p->bone->line = p->scan->line;
    p->bone->name = mry_arena_text(p->tmp, name, count);
    if (!p->bone->name) return mry_scan_fail(p->scan, MAREY_ERR_MEMORY, "out of memory");
    mry_scan_take(p->scan, count);
    return MAREY_OK;
}

static marey_status read_direction(parser *p)
{
    return read_numbers(p, "the direction", 3, p->direction);
}

static marey_status read_length(parser *p)
{
    return read_numbers(p, "the length", 1, &p->length);
}

static marey_status read_axis(parser *p)
{
    marey_status status = read_numbers(p, "the axis", 3, p->bone->angles);
    return status ? status : read_letters(p);
}

static marey_status read_dof(parser *p)
{
    return read_channels(p, false);
}

/* "(-160 20)" for every dof, each on a line of its own but perhaps the first. marey does not use them. */
static marey_status skip_limits(parser *p)
{
    do {
        mry_asf_skip_line(p->scan);
    } while (mry_asf_next(p->scan) && *p->scan->p == '(');
    return MAREY_OK;
}

static const statement bone_statements[] = {
    { "name", read_bone_name, true },     { "direction", read_direction, true },
    { "length", read_length, true },      { "axis", read_axis, true },
    { "dof", read_dof, false },           { "limits", skip_limits, false },
    { "id", skip_statement, false },      { "bodymass", skip_statement, false },
    { "cofmass", skip_statement, false },
};
enum { BONE_STATEMENTS = sizeof bone_statements / sizeof *bone_statements };

/* ---- the statements of the root --------------------------------------------------------------- */

static marey_status read_order(parser *p)
{
    return read_channels(p, true);
}

static marey_status read_position(parser *p)
{
    return read_numbers(p, "the position", 3, p->asf->position);
}

static marey_status read_orientation(parser *p)
{
    return read_numbers(p, "the orientation", 3, p->bone->angles);
}

static const statement root_statements[] = {
    { "order", read_order, true },
    { "axis", read_letters, false },
    { "position", read_position, false },
    { "orientation", read_orientation, false },
};
enum { ROOT_STATEMENTS = sizeof root_statements / sizeof *root_statements };

/* ---- the statements of the units -------------------------------------------------------------- */

static marey_status read_angle(parser *p)
{
    mry_scan *scan = p->scan;
    mry_scan_skip_blanks(scan);
    if (mry_scan_keyword(scan, "deg") || mry_scan_keyword(scan, "degrees")) return MAREY_OK;
    p->asf->radians = mry_scan_keyword(scan, "rad") || mry_scan_keyword(scan, "radians");
    return p->asf->radians ? MAREY_OK : mry_scan_expected(scan, "deg or rad");
}

/* The length's unit is not always true, so units are guessed from the body as for every format. */
static const statement unit_statements[] = {
    { "mass", skip_statement, false },
    { "length", skip_statement, false },
    { "angle", read_angle, false },
};
enum { UNIT_STATEMENTS = sizeof unit_statements / sizeof *unit_statements };

/* ---- from statements to sections -------------------------------------------------------------- */

static marey_status read_statement(parser *p, const statement *rows, int count)
{
    mry_scan *scan = p->scan;
    for (int i = 0; i < count; i++) {
        if (!mry_asf_sees(scan, rows[i].word)) continue;
        if (p->given & 1u << i) {
            return mry_scan_fail(scan, MAREY_ERR_INPUT, "a second %s", rows[i].word);
        }
        p->given |= 1u << i;
        mry_scan_take(scan, strlen(rows[i].word));
        marey_status status = rows[i].read(p);
        if (status || rows[i].read == skip_limits || mry_asf_at_line_end(scan)) return status;
        return mry_scan_expected(scan, "the end of the line");
    }
    p->asf->skipped++;
    return skip_statement(p);
}

static marey_status check_needed(parser *p, const statement *rows, int count, const char *where)
{
    char text[80];
    for (int i = 0; i < count; i++) {
        if (!rows[i].needed || (p->given & 1u << i)) continue;
        snprintf(text, sizeof text, "%s %s", rows[i].word, where);
        return mry_scan_expected(p->scan, text);
    }
    return MAREY_OK;
}

/* Statements up to the next section. */
static marey_status read_section(parser *p, const statement *rows, int count)
{
    p->bone = &p->asf->bones[0];
    p->given = 0;
    while (mry_asf_next(p->scan) && *p->scan->p != ':') {
        marey_status status = read_statement(p, rows, count);
        if (status) return status;
    }
    return MAREY_OK;
}

static marey_status read_units(parser *p)
{
    return read_section(p, unit_statements, UNIT_STATEMENTS);
}

static marey_status read_root(parser *p)
{
    marey_status status = read_section(p, root_statements, ROOT_STATEMENTS);
    return status ? status : check_needed(p, root_statements, ROOT_STATEMENTS, "of the root");
}

/* ---- bones ------------------------------------------------------------------------------------ */

static marey_status add_bone(parser *p)
{
    mry_asf *asf = p->asf;
    if (asf->count == MRY_MOST_JOINTS) {
        return mry_scan_fail(p->scan, MAREY_ERR_LIMIT, "more than %d bones", MRY_MOST_JOINTS - 1);
    }
    if (asf->count == asf->room) {
        int room = asf->room ? 2 * asf->room : 64;
        mry_asf_bone *longer = MRY_NEW_RAW(p->tmp, mry_asf_bone, room);
        if (!longer) return mry_scan_fail(p->scan, MAREY_ERR_MEMORY, "out of memory");
        if (asf->count) memcpy(longer, asf->bones, (size_t)asf->count * sizeof *longer);
        asf->bones = longer;
        asf->room = room;
    }
    p->bone = &asf->bones[asf->count++];
    *p->bone = (mry_asf_bone){ .name = "root",
                               .letters = { 0, 1, 2 },
                               .line = p->scan->line,
                               .parent = -1,
                               .first_child = -1,
                               .last_child = -1,
                               .next_sibling = -1 };
    p->given = 0;
    return MAREY_OK;
}

static marey_status finish_bone(parser *p)
{
    marey_status status = check_needed(p, bone_statements, BONE_STATEMENTS, "of this bone");
    if (status) return status;
    double squared = 0;
    for (int i = 0; i < 3; i++) {
        squared += p->direction[i] * p->direction[i];
        p->bone->vector[i] = p->direction[i] * p->length;
        if (fabs(p->bone->vector[i]) > MRY_MOST_NUMBER) {
            return mry_scan_fail(p->scan, MAREY_ERR_INPUT, "%s is too long", p->bone->name);
        }
    }
    p->asf->slanted += p->length != 0 && fabs(sqrt(squared) - 1) > 0.01;
    return MAREY_OK;
}

static marey_status read_bone(parser *p)
{
    marey_status status = add_bone(p);
    while (!status) {
        if (!mry_asf_next(p->scan) || *p->scan->p == ':') {
            return mry_scan_expected(p->scan, "end of this bone");
        }
        if (mry_asf_sees(p->scan, "end")) {
            status = finish_bone(p);
            if (!status) mry_scan_keyword(p->scan, "end");
            return status;
        }
        status = read_statement(p, bone_statements, BONE_STATEMENTS);
    }
    return status;
}

static marey_status read_bones(parser *p)
{
    marey_status status = MAREY_OK;
    while (!status && mry_asf_next(p->scan) && *p->scan->p != ':') {
        if (!mry_scan_keyword(p->scan, "begin")) return mry_scan_expected(p->scan, "begin");
        status = read_bone(p);
    }
    return status ? status : index_names(p->scan, p->tmp, p->asf);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static marey_status read_hierarchy(parser *p)
{
    if (p->asf->table) return read_tree(p->scan, p->asf);
    return mry_scan_expected(p->scan, ":bonedata in front of the hierarchy");
}

/* The text of a section that says nothing to marey. */
static marey_status skip_section(parser *p)
{
    do {
        mry_asf_skip_line(p->scan);
    } while (mry_asf_next(p->scan) && *p->scan->p != ':');
    return MAREY_OK;
}

static const statement sections[] = {
    { ":version", skip_section, false },    { ":name", skip_section, false },
    { ":units", read_units, false },        { ":documentation", skip_section, false },
    { ":root", read_root, true },           { ":bonedata", read_bones, true },
    { ":hierarchy", read_hierarchy, true },
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static marey_status read_one_section(parser *p, unsigned *seen)
{
    if (*p->scan->p != ':') return mry_scan_expected(p->scan, "a section such as :bonedata");
    for (int i = 0; i < SECTIONS; i++) {
        if (!mry_asf_sees(p->scan, sections[i].word)) continue;
        if (*seen & 1u << i) {
            return mry_scan_fail(p->scan, MAREY_ERR_INPUT, "a second %s", sections[i].word);
        }
        *seen |= 1u << i;
        mry_scan_take(p->scan, strlen(sections[i].word));
        return sections[i].read(p);
    }
    p->asf->skipped++;
    return skip_section(p);
}

marey_status mry_asf_read_skeleton(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    parser p = { .scan = scan, .tmp = tmp, .asf = asf };
    unsigned seen = 0;
    *asf = (mry_asf){ 0 };
    marey_status status = mry_asf_start(scan);
    if (!status) status = add_bone(&p); /* the root */
    while (!status && mry_asf_next(scan)) {
        status = read_one_section(&p, &seen);
        if (!status) status = scan->status;
    }
    if (!status) status = scan->status;
    if (status) return status;
    p.given = seen;
    status = check_needed(&p, sections, SECTIONS, "in this file");
    return status ? status : order_joints(scan, tmp, asf);
}
