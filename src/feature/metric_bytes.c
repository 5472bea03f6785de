/* metric_bytes.c - a metric with its joint weights as bytes and back. One layout is written; two
   are read, since indexes once had one of their own. */
#include "feature/metric_bytes.h"

#include <string.h>

enum { NAME_ROOM = 64 };

void mry_put_metric(mry_bytes_writer *out, const marey_metric_def *def)
{
    mry_put_text(out, def->metric->name);
    mry_put_integer(out, def->window);
    mry_put_integer(out, def->tapered);
    mry_put_integer(out, def->common_size);
    mry_put_integer(out, def->fixed_root);
    mry_put_integer(out, def->normalised);
    mry_put_integer(out, 0); /* once: another way to compute the same */
    mry_put_number(out, def->candidates);
    mry_put_number(out, def->smooth_s);
    mry_put_integer(out, def->attributes_given);
    for (int i = 0; def->attributes_given && i < MAREY_MOST_ATTRIBUTES; i++)
        mry_put_number(out, def->attributes[i]);
    mry_put_text(out, def->joints->name);
    mry_put_integer(out, def->joints->every_joint);
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) mry_put_number(out, def->joints->roles[r]);
}

/* Without memory, so that its want is not taken for damage. */
static void get_name(mry_bytes_reader *reader, char name[NAME_ROOM])
{
    int64_t count = mry_get_integer(reader, 0, NAME_ROOM - 1);
    reader->failed |= reader->end - reader->p < count;
    for (int64_t i = 0; i < count && !reader->failed; i++) *name++ = (char)*reader->p++;
    *name = 0;
}

static const marey_metric *get_row(mry_bytes_reader *reader)
{
    char name[NAME_ROOM];
    get_name(reader, name);
    return reader->failed ? NULL : marey_metric_named(name);
}

/* A name of the table lives forever; any other becomes "own". `always`: the roles' weights follow
   in any case. */
static bool get_joints(mry_bytes_reader *reader, bool always, marey_joint_weights *joints)
{
    char name[NAME_ROOM];
    double sum = 0;
    get_name(reader, name);
    if (reader->failed) return false;
    *joints = (marey_joint_weights){ .name = "own", .description = "" };
    const marey_joint_weights *row;
    for (int i = 0; (row = marey_joint_weights_find(i)); i++)
        if (strcmp(row->name, name) == 0) *joints = *row;
    joints->every_joint = mry_get_integer(reader, 0, 1) != 0;
    for (int r = 0; r < MAREY_ROLE_COUNT && (always || !joints->every_joint); r++) {
        joints->roles[r] = mry_get_number(reader);
        if (!(joints->roles[r] >= 0)) return false;
        sum += joints->roles[r];
    }
    return !reader->failed && (joints->every_joint || sum > 0);
}

bool mry_get_metric(mry_bytes_reader *reader, marey_metric_def *def, marey_joint_weights *joints)
{
    def->metric = get_row(reader);
    def->window = (int)mry_get_integer(reader, 0, MAREY_MOST_WINDOW);
    def->tapered = mry_get_integer(reader, 0, 1) != 0;
    def->common_size = mry_get_integer(reader, 0, 1) != 0;
    def->fixed_root = mry_get_integer(reader, 0, 1) != 0;
    def->normalised = mry_get_integer(reader, 0, 1) != 0;
    mry_get_integer(reader, 0, 1);
    def->candidates = mry_get_number(reader);
    def->smooth_s = mry_get_number(reader);
    def->attributes_given = mry_get_integer(reader, 0, 1) != 0;
    for (int i = 0; def->attributes_given && i < MAREY_MOST_ATTRIBUTES; i++)
        def->attributes[i] = mry_get_number(reader);
    def->joints = joints;
    return def->metric && !reader->failed && get_joints(reader, true, joints);
}

bool mry_get_metric_of_index2(mry_bytes_reader *reader, marey_metric_def *def,
                              marey_joint_weights *joints)
{
    def->metric = get_row(reader);
    def->joints = joints;
    if (!def->metric || !get_joints(reader, false, joints)) return false;
    def->window = (int)mry_get_integer(reader, 1, MAREY_MOST_WINDOW);
    def->tapered = mry_get_integer(reader, 0, 1) != 0;
    def->attributes_given = def->metric->attribute_count > 0;
    for (int i = 0; i < def->metric->attribute_count; i++)
        def->attributes[i] = mry_get_number(reader);
    def->fixed_root = mry_get_integer(reader, 0, 1) != 0;
    def->common_size = mry_get_integer(reader, 0, 1) != 0;
    def->candidates = mry_get_number(reader);
    def->smooth_s = mry_get_number(reader);
    def->normalised = mry_get_integer(reader, 0, 1) != 0;
    mry_get_integer(reader, 0, 1);
    return !reader->failed;
}
