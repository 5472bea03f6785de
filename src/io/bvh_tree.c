/* bvh_tree.c - the HIERARCHY part of a BVH file. No recursion: the open joints are the chain of
   parents of the current one, so depth costs nothing. */
#include "io/bvh_parse.h"

#include "base/fail.h"
#include "base/grow.h"
#include "base/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static marey_status out_of_memory(mry_scan *scan)
{
    return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
}

/* A complaint about a keyword that was just read points at the keyword. */
static void step_back(mry_scan *scan, const char *keyword)
{
    scan->p -= strlen(keyword);
}

/* ---- words ----------------------------------------------------------------------------------- */

static marey_status read_brace(mry_scan *scan, const char *keyword)
{
    char text[80];
    mry_scan_skip_space(scan);
    if (mry_scan_keyword(scan, "{")) return MAREY_OK;
    snprintf(text, sizeof text, "{ after %s", keyword);
    return mry_scan_expected(scan, text);
}

static marey_status read_vector(mry_scan *scan, mry_bvh_tree *tree, double *vector)
{
    mry_row_notes notes = { 0 };
    static const char *const numbers[] = { "a number for the x of OFFSET",
                                           "a number for the y of OFFSET",
                                           "a number for the z of OFFSET" };
    int count = mry_scan_row(scan, vector, 3, MRY_MOST_NUMBER, &notes);
    tree->commas += notes.commas;
    if (count == 3) return MAREY_OK;
    mry_decimal number;
    if (mry_number_read(scan->p, scan->end, &number)) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "an OFFSET of %.3g is too large", number.value);
    }
    return mry_scan_expected(scan, numbers[count]);
}

/* ---- one statement each ---------------------------------------------------------------------- */

static marey_status read_channels(mry_scan *scan, mry_bvh_tree *tree, mry_bvh_joint *joint)
{
    mry_decimal number;
    const char *word;
    if (joint->has_channels || joint->has_children) {
        step_back(scan, "CHANNELS");
        return mry_scan_fail(scan, MAREY_ERR_INPUT,
                             joint->has_channels ? "a second CHANNELS for %s"
                                                 : "the CHANNELS of %s stand behind its children",
                             joint->name);
    }
    joint->has_channels = true;
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_NUMBER_LONGEST + 1);
    size_t bytes = mry_number_read(scan->p, scan->end, &number);
    bool whole = bytes && number.decimals == 0 && number.value >= 0;
    if (!whole) return mry_scan_expected(scan, "the number of channels");
    if (number.value > MAREY_CHANNEL_COUNT) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT,
                             "%.0f channels for one joint; at most %d make sense", number.value,
                             MAREY_CHANNEL_COUNT);
    }
    int count = (int)number.value;
    mry_scan_take(scan, bytes);
    for (int i = 0; i < count; i++) {
        mry_scan_skip_blanks(scan);
        size_t length = mry_scan_word(scan, &word);
        marey_channel channel = MAREY_CHANNEL_X_POSITION;
        for (; channel < MAREY_CHANNEL_COUNT; channel++) {
            const char *name = marey_channel_name(channel);
            if (strlen(name) == length && strncasecmp(name, word, length) == 0) break;
        }
        if (channel == MAREY_CHANNEL_COUNT)
            return mry_scan_expected(scan, "a channel name such as Xrotation");
        for (int k = 0; k < joint->channel_count; k++) {
            if (joint->channels[k] == channel)
                return mry_scan_fail(scan, MAREY_ERR_INPUT, "%s twice for %s",
                                     marey_channel_name(channel), joint->name);
        }
        mry_scan_take(scan, length);
        joint->channels[joint->channel_count++] = channel;
        tree->scales += channel >= MAREY_CHANNEL_X_SCALE;
    }
    tree->channel_count += count;
    bool ends = mry_scan_at_line_end(scan) || *scan->p == '}';
    return ends ? MAREY_OK : mry_scan_expected(scan, "the end of the line after the channels");
}

static marey_status read_end_site(mry_scan *scan, mry_bvh_tree *tree, mry_bvh_joint *joint)
{
    double end[3] = { 0 };
    while (scan->p < scan->end && *scan->p != '{' && *scan->p != '\n' && *scan->p != '\r') {
        mry_scan_take(scan, 1);
        mry_scan_need(scan, 1);
    }
    marey_status status = read_brace(scan, "End Site");
    if (status) return status;
    mry_scan_skip_space(scan);
    if (mry_scan_keyword(scan, "OFFSET")) {
        status = read_vector(scan, tree, end);
        if (status) return status;
        mry_scan_skip_space(scan);
    } else {
        tree->offsets_missing++;
    }
    if (!mry_scan_keyword(scan, "}")) return mry_scan_expected(scan, "OFFSET or } in an End Site");
    joint->has_children = true;
    if (joint->has_end) {
        tree->ends_dropped++;
        return MAREY_OK;
    }
    joint->has_end = true;
    memcpy(joint->end, end, sizeof end);
    return MAREY_OK;
}

static marey_status add_joint(mry_scan *scan, mry_arena *tmp, mry_bvh_tree *tree, int parent)
{
    if (tree->count == MRY_MOST_JOINTS) {
        return mry_scan_fail(scan, MAREY_ERR_LIMIT, "more than %d joints", MRY_MOST_JOINTS);
    }
    if (!mry_grow_in(tmp, &tree->joints, &tree->room, tree->count + 1, sizeof *tree->joints))
        return out_of_memory(scan);
    mry_bvh_joint *joint = &tree->joints[tree->count];
    *joint = (mry_bvh_joint){ .parent = parent };
    const char *keyword = parent < 0 ? "ROOT" : "JOINT";
    /* Its name is the rest of the line up to a brace, without blanks at either side: names may hold
       blanks. */
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_LONGEST_JOINT_NAME + 1);
    const char *start = scan->p, *p = start;
    while (p < scan->end && *p && *p != '\n' && *p != '\r' && *p != '{') p++;
    const char *stop = p;
    while (p > start && (p[-1] == ' ' || p[-1] == '\t')) p--;
    if (p - start > MRY_LONGEST_JOINT_NAME) {
        return mry_scan_fail(scan, MAREY_ERR_LIMIT, "a name of more than %d bytes",
                             MRY_LONGEST_JOINT_NAME);
    }
    if (p == start) {
        char text[80];
        snprintf(text, sizeof text, "a name after %s", keyword);
        return mry_scan_expected(scan, text);
    }
    joint->name = mry_arena_text(tmp, start, (size_t)(p - start));
    if (!joint->name) return out_of_memory(scan);
    mry_scan_take(scan, (size_t)(stop - start));
    marey_status status = read_brace(scan, keyword);
    if (!status) tree->count++;
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

marey_status mry_bvh_read_tree(mry_scan *scan, mry_arena *tmp, mry_bvh_tree *tree)
{
    *tree = (mry_bvh_tree){ 0 };
    marey_status status = mry_scan_start(scan);
    if (status) return status;
    mry_scan_skip_space(scan);
    if (!mry_scan_keyword(scan, "HIERARCHY")) return mry_scan_expected(scan, "HIERARCHY");
    mry_scan_skip_space(scan);
    if (!mry_scan_keyword(scan, "ROOT")) return mry_scan_expected(scan, "ROOT");
    status = add_joint(scan, tmp, tree, -1);
    for (int current = 0; current >= 0 && !status;) { /* whose braces are open */
        mry_bvh_joint *joint = &tree->joints[current];
        mry_scan_skip_space(scan);
        if (mry_scan_keyword(scan, "OFFSET")) {
            if (joint->has_offset) {
                step_back(scan, "OFFSET");
                return mry_scan_fail(scan, MAREY_ERR_INPUT, "a second OFFSET for %s", joint->name);
            }
            joint->has_offset = true;
            status = read_vector(scan, tree, joint->offset);
        } else if (mry_scan_keyword(scan, "CHANNELS")) {
            status = read_channels(scan, tree, joint);
        } else if (mry_scan_keyword(scan, "End")) {
            status = read_end_site(scan, tree, joint);
        } else if (mry_scan_keyword(scan, "}")) {
            tree->offsets_missing += !joint->has_offset;
            current = joint->parent;
        } else if (mry_scan_keyword(scan, "JOINT")) {
            joint->has_children = true;
            status = add_joint(scan, tmp, tree, current);
            current = tree->count - 1;
        } else {
            return mry_scan_expected(scan, "OFFSET, CHANNELS, JOINT, End Site or }");
        }
        if (!status) status = scan->status;
    }
    if (status) return status;
    mry_scan_skip_space(scan);
    if (mry_scan_keyword(scan, "ROOT")) {
        step_back(scan, "ROOT");
        return mry_scan_fail(scan, MAREY_ERR_INPUT,
                             "a second ROOT: marey reads one skeleton per file; split this one");
    }
    mry_names names;
    if (!mry_names_make(&names, tmp, tree->count)) return out_of_memory(scan);
    for (int j = 0; j < tree->count && !tree->twice; j++) {
        const char *name = tree->joints[j].name;
        mry_name *slot = mry_names_find(&names, name, strlen(name));
        tree->twice = slot->name;
        slot->name = name;
    }
    return MAREY_OK;
}
