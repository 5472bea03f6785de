/* asf_bones.c - the words of ASF and AMC files, and the sections of an ASF file: units, root,
   bones. Sections begin with a colon and may come in any order, but for the hierarchy, which names
   bones and follows them. Inside a section each line is a statement; what is not known is left out
   and counted. */
#include "base/fail.h"
#include "base/grow.h"
#include "io/asf_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- words of both formats ------------------------------------------------------------------- */

/* Lines, comments and names as ASF and AMC files have them: a line says one thing, and one that
   begins with # says nothing. */

static const char word_ends[] = " \t\r\n\f\v"; /* and the zero behind the file */

void mry_asf_skip_line(mry_scan *scan)
{
    for (;;) {
        while (scan->p < scan->end && *scan->p != '\n' && *scan->p != '\r') scan->p++;
        if (scan->p < scan->end) return;
        mry_scan_need(scan, 1);
        if (scan->p >= scan->end) return;
    }
}

/* Comments may hold any bytes, also such as are no text. */
bool mry_asf_next(mry_scan *scan)
{
    for (;;) {
        mry_scan_skip_space(scan);
        if (scan->p >= scan->end) return false;
        if (*scan->p != '#') break;
        mry_asf_skip_line(scan);
    }
    mry_scan_need(scan, MRY_NUMBER_LONGEST + 1); /* longer than any keyword */
    return true;
}

marey_status mry_asf_read_name(mry_scan *scan, const char *subject, const char **name,
                               size_t *count)
{
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_LONGEST_JOINT_NAME + 1);
    *count = mry_scan_word(scan, name);
    if (*count == 0) return mry_scan_expected(scan, subject);
    if (*count < MRY_LONGEST_JOINT_NAME || strchr(word_ends, scan->p[MRY_LONGEST_JOINT_NAME]))
        return MAREY_OK;
    return mry_scan_fail(scan, MAREY_ERR_LIMIT, "a name of more than %d bytes",
                         MRY_LONGEST_JOINT_NAME);
}

bool mry_asf_sees(const mry_scan *scan, const char *word)
{
    size_t count = strlen(word);
    if ((size_t)(scan->end - scan->p) < count) return false;
    return strncasecmp(scan->p, word, count) == 0 && strchr(word_ends, scan->p[count]);
}

int mry_asf_find(const mry_asf *asf, const char *name, size_t count)
{
    const mry_name *found = mry_names_find(&asf->names, name, count);
    return found->name ? found->number : -1;
}

static marey_status fail_at_line(mry_scan *scan, int64_t line, const char *name, const char *fault)
{
    if (scan->status) return scan->status;
    return scan->status =
               mry_fail_at(scan->error, MAREY_ERR_INPUT, scan->path, line, 0, "%s %s", name, fault);
}

/* ---- statements ------------------------------------------------------------------------------ */

typedef struct parser {
    mry_scan *scan;
    mry_arena *tmp;
    mry_asf *asf;
    mry_asf_bone *bone; /* whose statements are read */
    double direction[3], length, angles[3], position[3];
    unsigned given; /* bit i: statement i of the table was there */
} parser;

/* Numbers come first, then what `read` reads; a statement of neither says nothing to marey. */
typedef struct statement {
    const char *word;
    bool needed;
    marey_status (*read)(parser *p);
    const char *numbers; /* what they are, for messages */
    int count;
    size_t offset;    /* where they go in the parser */
    bool ends_itself; /* `read` goes on behind the line */
} statement;

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
    size_t count = mry_scan_word(p->scan, &word);
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

/* Channels up to the end of the line: "rx ry rz", of the root also "TX". */
static marey_status read_channels(parser *p)
{
    mry_asf_bone *bone = p->bone;
    bool is_root = bone == p->asf->bones;
    while (!mry_scan_at_line_end(p->scan)) {
        const char *word;
        size_t count = mry_scan_word(p->scan, &word);
        int axis = count == 2 ? axis_of(word[1]) : -1, kind = count ? word[0] | 32 : 0;
        bool known = axis >= 0 && (kind == 'r' || (kind == 't' && is_root));
        if (!known) {
            return mry_scan_expected(p->scan, is_root
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

/* A name must not look like something else in an AMC or in a BVH that is written later. */
static marey_status read_bone_name(parser *p)
{
    const char *name;
    size_t count;
    mry_decimal number;
    char text[256 + MRY_NUMBER_SLACK] = { 0 };
    marey_status status = mry_asf_read_name(p->scan, "a name", &name, &count);
    if (status) return status;
    memcpy(text, name, count);
    if (mry_number_read(text, text + count, &number) || strchr("#:", *name) ||
        memchr(name, '{', count) || memchr(name, '}', count))
        return mry_scan_expected(p->scan, "a name that is no number and has no # : { } in it");
    p->bone->line = p->scan->line;
    p->bone->name = mry_arena_text(p->tmp, name, count);
    if (!p->bone->name) return mry_scan_fail(p->scan, MAREY_ERR_MEMORY, "out of memory");
    mry_scan_take(p->scan, count);
    return MAREY_OK;
}

/* "(-160 20)" for every dof, each on a line of its own but perhaps the first. marey does not use
   them. */
static marey_status skip_limits(parser *p)
{
    do {
        mry_asf_skip_line(p->scan);
    } while (mry_asf_next(p->scan) && *p->scan->p == '(');
    return MAREY_OK;
}

static marey_status read_angle_unit(parser *p)
{
    mry_scan *scan = p->scan;
    mry_scan_skip_blanks(scan);
    if (mry_scan_keyword(scan, "deg") || mry_scan_keyword(scan, "degrees")) return MAREY_OK;
    p->asf->radians = mry_scan_keyword(scan, "rad") || mry_scan_keyword(scan, "radians");
    return p->asf->radians ? MAREY_OK : mry_scan_expected(scan, "deg or rad");
}

#define NUMBERS(name, many, field)                                                                 \
    .numbers = (name), .count = (many), .offset = offsetof(parser, field)

static const statement bone_statements[] = {
    { .word = "name", .needed = true, .read = read_bone_name },
    { .word = "direction", .needed = true, NUMBERS("the direction", 3, direction) },
    { .word = "length", .needed = true, NUMBERS("the length", 1, length) },
    { .word = "axis", .needed = true, NUMBERS("the axis", 3, angles), .read = read_letters },
    { .word = "dof", .read = read_channels },
    { .word = "limits", .read = skip_limits, .ends_itself = true },
    { .word = "id" },
    { .word = "bodymass" },
    { .word = "cofmass" },
};

static const statement root_statements[] = {
    { .word = "order", .needed = true, .read = read_channels },
    { .word = "axis", .read = read_letters },
    { .word = "position", NUMBERS("the position", 3, position) },
    { .word = "orientation", NUMBERS("the orientation", 3, angles) },
};

/* The length's unit is not always true, so units are guessed from the body as for every format. */
static const statement unit_statements[] = {
    { .word = "mass" },
    { .word = "length" },
    { .word = "angle", .read = read_angle_unit },
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

static marey_status read_statement(parser *p, const statement *rows, int count)
{
    mry_scan *scan = p->scan;
    int i = 0;
    while (i < count && !mry_asf_sees(scan, rows[i].word)) i++;
    if (i == count) {
        p->asf->skipped++;
        mry_asf_skip_line(scan);
        return MAREY_OK;
    }
    const statement *row = &rows[i];
    if (p->given & 1u << i) return mry_scan_fail(scan, MAREY_ERR_INPUT, "a second %s", row->word);
    p->given |= 1u << i;
    mry_scan_take(scan, strlen(row->word));
    if (!row->count && !row->read) mry_asf_skip_line(scan);
    if (row->count) {
        mry_row_notes notes = { 0 };
        double *numbers = (double *)(void *)((char *)p + row->offset);
        int got = mry_scan_row(scan, numbers, row->count, MRY_MOST_NUMBER, &notes);
        p->asf->commas += notes.commas;
        if (got < row->count) {
            char text[80];
            snprintf(text, sizeof text, "a number for %s", row->numbers);
            return mry_scan_expected(scan, text);
        }
    }
    marey_status status = row->read ? row->read(p) : MAREY_OK;
    if (status || row->ends_itself || mry_scan_at_line_end(scan)) return status;
    return mry_scan_expected(scan, "the end of the line");
}

static marey_status check_needed(parser *p, const statement *rows, int count, const char *section)
{
    char text[80];
    for (int i = 0; i < count; i++) {
        if (!rows[i].needed || (p->given & 1u << i)) continue;
        snprintf(text, sizeof text, "%s %s", rows[i].word, section);
        return mry_scan_expected(p->scan, text);
    }
    return MAREY_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

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
    return read_section(p, unit_statements, COUNT(unit_statements));
}

static marey_status read_root(parser *p)
{
    memset(p->position, 0, sizeof p->position);
    memset(p->angles, 0, sizeof p->angles);
    marey_status status = read_section(p, root_statements, COUNT(root_statements));
    memcpy(p->asf->position, p->position, sizeof p->position);
    memcpy(p->bone->angles, p->angles, sizeof p->angles);
    return status ? status
                  : check_needed(p, root_statements, COUNT(root_statements), "of the root");
}

static marey_status add_bone(parser *p)
{
    mry_asf *asf = p->asf;
    if (asf->count == MRY_MOST_JOINTS) {
        return mry_scan_fail(p->scan, MAREY_ERR_LIMIT, "more than %d bones", MRY_MOST_JOINTS - 1);
    }
    if (!mry_grow_in(p->tmp, &asf->bones, &asf->room, asf->count + 1, sizeof *asf->bones))
        return mry_scan_fail(p->scan, MAREY_ERR_MEMORY, "out of memory");
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

static marey_status read_bones(parser *p)
{
    mry_scan *scan = p->scan;
    mry_asf *asf = p->asf;
    while (mry_asf_next(scan) && *scan->p != ':') {
        if (!mry_scan_keyword(scan, "begin")) return mry_scan_expected(scan, "begin");
        marey_status status = add_bone(p);
        while (!status && mry_asf_next(scan) && *scan->p != ':' && !mry_asf_sees(scan, "end"))
            status = read_statement(p, bone_statements, COUNT(bone_statements));
        if (status) return status;
        if (!mry_asf_sees(scan, "end")) return mry_scan_expected(scan, "end of this bone");
        status = check_needed(p, bone_statements, COUNT(bone_statements), "of this bone");
        if (status) return status;
        mry_asf_bone *bone = p->bone;
        double squared = 0;
        memcpy(bone->angles, p->angles, sizeof p->angles);
        for (int i = 0; i < 3; i++) {
            squared += p->direction[i] * p->direction[i];
            bone->vector[i] = p->direction[i] * p->length;
            if (fabs(bone->vector[i]) > MRY_MOST_NUMBER)
                return mry_scan_fail(scan, MAREY_ERR_INPUT, "%s is too long", bone->name);
        }
        asf->slanted += p->length != 0 && fabs(sqrt(squared) - 1) > 0.01;
        mry_scan_keyword(scan, "end");
    }
    /* All names are known now. */
    if (!mry_names_make(&asf->names, p->tmp, asf->count))
        return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    for (int b = 0; b < asf->count; b++) {
        const mry_asf_bone *bone = &asf->bones[b];
        mry_name *slot = mry_names_find(&asf->names, bone->name, strlen(bone->name));
        if (slot->name)
            return fail_at_line(scan, bone->line, bone->name, "is the name of another bone too");
        *slot = (mry_name){ bone->name, b };
    }
    return MAREY_OK;
}

static marey_status read_known_bone(mry_scan *scan, const mry_asf *asf, const char *subject,
                                    int *bone)
{
    const char *name;
    size_t count = 0;
    marey_status status = mry_asf_read_name(scan, subject, &name, &count);
    if (status) return status;
    *bone = mry_asf_find(asf, name, count);
    return *bone < 0 ? mry_scan_expected(scan, subject) : MAREY_OK;
}

static marey_status read_hierarchy(parser *p)
{
    if (!p->asf->names.slots)
        return mry_scan_expected(p->scan, ":bonedata in front of the hierarchy");
    if (!mry_asf_next(p->scan) || !mry_scan_keyword(p->scan, "begin"))
        return mry_scan_expected(p->scan, "begin");
    while (mry_asf_next(p->scan)) {
        if (mry_scan_keyword(p->scan, "end")) return MAREY_OK;
        /* "lwrist lhand lthumb": the first carries the others. */
        mry_scan *scan = p->scan;
        mry_asf *asf = p->asf;
        int parent = 0, child = 0;
        marey_status status = read_known_bone(scan, asf, "root or the name of a bone", &parent);
        if (status) return status;
        mry_asf_bone *above = &asf->bones[parent];
        mry_scan_take(scan, strlen(above->name));
        while (!mry_scan_at_line_end(scan)) {
            status = read_known_bone(scan, asf, "the name of a bone", &child);
            if (status) return status;
            mry_asf_bone *bone = &asf->bones[child];
            if (child == 0)
                return mry_scan_fail(scan, MAREY_ERR_INPUT, "the root hangs on no bone");
            if (bone->child_line)
                return mry_scan_fail(scan, MAREY_ERR_INPUT, "%s hangs on %s already", bone->name,
                                     asf->bones[bone->parent].name);
            bone->parent = parent;
            bone->child_line = scan->line;
            if (above->first_child < 0) {
                above->first_child = child;
            } else {
                asf->bones[above->last_child].next_sibling = child;
            }
            above->last_child = child;
            mry_scan_take(scan, strlen(bone->name));
        }
    }
    return mry_scan_expected(p->scan, "end of the hierarchy");
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
    { .word = ":version", .read = skip_section },
    { .word = ":name", .read = skip_section },
    { .word = ":units", .read = read_units },
    { .word = ":documentation", .read = skip_section },
    { .word = ":root", .needed = true, .read = read_root },
    { .word = ":bonedata", .needed = true, .read = read_bones },
    { .word = ":hierarchy", .needed = true, .read = read_hierarchy },
};

/* ---- the whole ------------------------------------------------------------------------------- */

/* Every bone is named as a child exactly once, so what the walk from the root does not reach hangs
   in a circle. Nothing recurses: the walk goes down by first children, on by siblings and up by
   parents. */
static marey_status order_joints(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    const mry_asf_bone *bones = asf->bones;
    int reached = 0;
    asf->joint = MRY_NEW(tmp, int, asf->count);
    asf->bone = MRY_NEW(tmp, int, asf->count);
    if (!asf->joint || !asf->bone) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    for (int b = 0; b >= 0;) {
        asf->joint[b] = reached;
        asf->bone[reached++] = b;
        if (bones[b].first_child >= 0) {
            b = bones[b].first_child;
        } else {
            while (b >= 0 && bones[b].next_sibling < 0) b = bones[b].parent;
            if (b >= 0) b = bones[b].next_sibling;
        }
    }
    for (int b = 1; b < asf->count && reached < asf->count; b++) {
        if (!bones[b].child_line)
            return fail_at_line(scan, bones[b].line, bones[b].name, "is not in the hierarchy");
        if (asf->joint[b] == 0)
            return fail_at_line(scan, bones[b].child_line, bones[b].name,
                                "does not hang on the root");
    }
    return MAREY_OK;
}

marey_status mry_asf_read_skeleton(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    parser p = { .scan = scan, .tmp = tmp, .asf = asf };
    unsigned seen = 0;
    *asf = (mry_asf){ 0 };
    marey_status status = mry_scan_start(scan);
    if (!status) status = add_bone(&p); /* the root */
    while (!status && mry_asf_next(scan)) {
        if (*scan->p != ':') return mry_scan_expected(scan, "a section such as :bonedata");
        int i = 0;
        while (i < COUNT(sections) && !mry_asf_sees(scan, sections[i].word)) i++;
        if (i == COUNT(sections)) {
            asf->skipped++;
            status = skip_section(&p);
        } else if (seen & 1u << i) {
            return mry_scan_fail(scan, MAREY_ERR_INPUT, "a second %s", sections[i].word);
        } else {
            seen |= 1u << i;
            mry_scan_take(scan, strlen(sections[i].word));
            status = sections[i].read(&p);
        }
        if (!status) status = scan->status;
    }
    if (!status) status = scan->status;
    if (status) return status;
    p.given = seen;
    status = check_needed(&p, sections, COUNT(sections), "in this file");
    return status ? status : order_joints(scan, tmp, asf);
}
