/* test_gltf_odd.c - a sound glTF file with one thing in it otherwise: what is odd but allowed is
   read, what is wrong is refused by the sentence that says what. */
#include "reader_bench.h"

#include <math.h>
#include <stdlib.h>

/* Three keys at 0, 0.5 and 1 s: the root is lifted by 0, 1 and 4 m, the arm turned about z by 0, 90
   and 0 degrees. ' stands for ". */
#define TIMES "AAAAAAAAAD8AAIA/"
#define PLACES "AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgEAAAAAA"
#define TURNS "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAA8wQ1P/MENT8AAAAAAAAAAAAAAAAAAIA/"
#define PLACE_VIEW "'byteOffset':12,'byteLength':36"
#define PLACE_NUMBERS "'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'"
#define SAMPLE_PLACES "'input':0,'output':1"
#define PUT_PLACES "'sampler':0,'target':{'node':0,'path':'translation'}"
#define SKINS "'skins':[{'joints':[0,1,2]}],"

static const char sound[] =
    "{'asset':{'version':'2.0'},'buffers':[{'byteLength':96,'uri':'data:;base64," TIMES PLACES TURNS
    "'}],'bufferViews':[{'buffer':0,'byteLength':12},{'buffer':0," PLACE_VIEW "},"
    "{'buffer':0,'byteOffset':48,'byteLength':48}],'accessors':[{'bufferView':0,'componentType':"
    "5126,'count':3,'type':'SCALAR'},{" PLACE_NUMBERS "},{'bufferView':2,'componentType':5126,"
    "'count':3,'type':'VEC4'}],'nodes':[{'name':'root','children':[1]},{'name':'arm',"
    "'translation':[1,0,0],'rotation':[0,0,0,1],'scale':[1,1,1],'children':[2]},"
    "{'name':'hand','translation':[1,0,0]}]," SKINS "'animations':[{'channels':[{" PUT_PLACES "},"
    "{'sampler':1,'target':{'node':1,'path':'rotation'}}],'samplers':[{" SAMPLE_PLACES "},"
    "{'input':0,'output':2}]}]}";

typedef struct change {
    const char *from, *to;
    const char *said; /* NULL: it is read */
} change;

/* The sound text with the first `from` changed; free() it. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(sound, from);
    assert_non_null(at);
    char *text = malloc(sizeof sound + strlen(to));
    sprintf(text, "%.*s%s%s", (int)(at - sound), sound, to, at + strlen(from));
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return text;
}

static void check_changes(reader_bench *b, const change *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        FREED char *text = changed(rows[i].from, rows[i].to);
        bool is_read = !rows[i].said;
        reader_row row = { rows[i].to, NULL, is_read ? ACCEPTED : REFUSED, 0, 0, rows[i].said };
        int frames = reader_check(b, ".gltf", text, strlen(text), &row, 1);
        if (is_read && frames != 11) fail_msg("%s: %d frames", rows[i].to, frames);
    }
}
#define CHECK(rows) check_changes(b, rows, sizeof rows / sizeof *rows)

TEST_OF(reader_bench *b, buffers_and_views_must_be_there)
{
    static const change rows[] = {
        { "2.0", "2.0", NULL },
        { "'buffer':0,", "'buffer':3,", "buffer 3 is not there" },
        { "'buffer':0,", "", "buffer -1 is not there" },
        { "'uri'", "'was'", "buffer 0 has no bytes" },
        { "data:;base64,", "data:;base32,", "not as base64" },
        { "data:;base64,", "data:;base64", "not as base64" },
        { "data:;base64,", "data:,", "not as base64" },
        { TIMES, "AAAAAAAAAD8AAI*/", "a buffer is no base64" },
        { TIMES, "AAAAAAAAAD8AAI\x7f/", "a buffer is no base64" },
        { TIMES, "AAAAAAAAAD8AAI\\u0001/", "a buffer is no base64" },
        { TIMES, "AAAAAAAAAD8AAI\\u005b/", "a buffer is no base64" },
        { TIMES, "AAAAAAAAAD8AAI\\u003a/", "a buffer is no base64" },
        { TIMES, "AAAAAAAAAD8AAIA_", NULL },
        { TIMES "AAAA", TIMES "++++", NULL }, /* a very small number */
        { TIMES "AAAA", TIMES "----", NULL },
        { "data:;base64," TIMES PLACES TURNS, "times.bin", "which is not at hand" },
        { "'bufferView':1,", "'bufferView':9,", "buffer view 9 is not there" },
        { "'bufferView':1,", "'bufferView':-4,", "buffer view -2 is not there" },
        { PLACE_VIEW, "'byteOffset':-12,'byteLength':36", "view 1 is not as it should be" },
        { PLACE_VIEW, "'byteOffset':'x','byteLength':36", "view 1 is not as it should be" },
        { PLACE_VIEW, "'byteOffset':12", "view 1 is not as it should be" },
        { PLACE_VIEW, PLACE_VIEW ",'byteStride':4", "view 1 is not as it should be" },
        { PLACE_VIEW, PLACE_VIEW ",'byteStride':12", NULL },
        { PLACE_VIEW, PLACE_VIEW ",'byteStride':0", NULL },
        { PLACE_VIEW, PLACE_VIEW ",'byteStride':13", "view 1 leads past" },
        { PLACE_VIEW, "'byteOffset':98,'byteLength':36", "view 1 leads past" },
        { PLACE_VIEW, "'byteOffset':12,'byteLength':86", "view 1 leads past" },
        { PLACE_VIEW, "'byteOffset':12,'byteLength':35", "view 1 leads past" },
        { PLACE_VIEW, "'byteOffset':12,'byteLength':11", "view 1 leads past" },
        { "'bufferView':1,", "'bufferView':1,'byteOffset':37,", "view 1 leads past" },
        { "'bufferView':1,", "'bufferView':1,'byteOffset':0,", NULL },
        { "'bufferView':1,", "'bufferView':1,'byteOffset':-2,", "accessor 1 is not as it should" },
        { "'bufferView':1,", "", NULL }, /* all of them 0 */
        { "'bufferViews':[", "'bufferViews':7,'others':[", "view 0 is not there" },
        { "'buffers':[", "'buffers':7,'others':[", "buffer 0 is not there" },
    };
    CHECK(rows);
}

TEST_OF(reader_bench *b, accessors_must_be_what_they_are_used_for)
{
    static const change rows[] = {
        { "'VEC3'", "'VEC2'", "VEC3 are needed" },
        { ",'type':'VEC3'", "", "VEC3 are needed" },
        { "'count':3,'type':'VEC3'", "'count':0,'type':'VEC3'", "VEC3 are needed" },
        { "'count':3,'type':'VEC3'", "'count':1.5,'type':'VEC3'", "VEC3 are needed" },
        { "'count':3,'type':'VEC3'", "'count':2147483647,'type':'VEC3'", "VEC3 are needed" },
        { "'count':3,'type':'VEC3'", "'count':1,'type':'VEC3'", "has 3 keys and 1 values" },
        { "5126,'count':3,'type':'VEC3'", "5124,'count':3,'type':'VEC3'", "VEC3 are needed" },
        { "5126,'count':3,'type':'VEC3'", "5119,'count':3,'type':'VEC3'", "VEC3 are needed" },
        { TIMES "AAAAAAAA", TIMES "AADAfwAA", "numbers that are not finite" },
        { TIMES "AAAAAAAA", TIMES "AACAfwAA", "numbers that are not finite" },
        { TIMES, "AAAAAAAAgD8AAAA/", "the keys of channel 0 go back in time" },
        { SAMPLE_PLACES, "'output':1", "accessor -1" },
        { SAMPLE_PLACES, "'input':0", "accessor -1" },
        { SAMPLE_PLACES, "'input':0,'output':99", "accessor 99" },
        { SAMPLE_PLACES, SAMPLE_PLACES ",'interpolation':'LINEAR'", NULL },
        { SAMPLE_PLACES, SAMPLE_PLACES ",'interpolation':'CUBICSPLINE'", "3 keys and 3 values" },
        { PUT_PLACES, "'sampler':9,'target':{'node':0,'path':'translation'}", "channel 0 of" },
        { PUT_PLACES, "'target':{'node':0,'path':'translation'}", "channel 0 of" },
        { PUT_PLACES, "'sampler':0,'target':{'node':0,'path':'weights'}", NULL },
        { PUT_PLACES, "'sampler':0,'target':{'node':0}", NULL },
        { PUT_PLACES, "'sampler':0,'target':{'path':'translation'}", NULL },
        { PUT_PLACES, "'sampler':0", NULL },
    };
    CHECK(rows);
}

TEST_OF(reader_bench *b, nodes_and_skins_must_make_a_skeleton)
{
#define ARM "'translation':[1,0,0],'rotation':[0,0,0,1],'scale':[1,1,1]"
#define TURNLESS "{'sampler':1,'target':{'node':1,'path':'rotation'}}"
    static const change rows[] = {
        { "'translation':[1,0,0]", "'translation':[1,0]", "transform of node 1" },
        { "'translation':[1,0,0]", "'translation':[1,0,'x']", "transform of node 1" },
        { "'translation':[1,0,0]", "'translation':[1,0,2e18]", "transform of node 1" },
        { "'translation':[1,0,0]", "'translation':'x'", "transform of node 1" },
        { "'rotation':[0,0,0,1]", "'rotation':[0,0,1]", "transform of node 1" },
        { "'rotation':[0,0,0,1]", "'rotation':[0,0,0,0]", NULL },
        { "'scale':[1,1,1]", "'scale':[1]", "transform of node 1" },
        { ARM, "'matrix':[1,0,0]", "transform of node 1" },
        { ARM, "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,1,0,0,1],'scale':1", "transform of node 1" },
        { ARM, "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,1,0,0,1]", "moves a node that has a matrix" },
        { "'children':[1]", "'children':['x']", "node 0 has a child that is not there" },
        { "'children':[1]", "'children':[-1]", "node 0 has a child that is not there" },
        { "'children':[1]", "'children':[3]", "node 0 has a child that is not there" },
        { "'nodes':[", "'nodes':7,'others':[", "it has no nodes" },
        { "'joints':[0,1,2]", "'joints':['x']", "skin 0 has a joint that is not there" },
        { "'joints':[0,1,2]", "'joints':[3]", "skin 0 has a joint that is not there" },
        { SKINS, "", NULL },
        { SKINS, "'skins':7,", NULL },
        { "'asset':{'version':'2.0'}", "'asset':{'version':'2.0','extras':{'marey':{'fps':0.01}}}",
          NULL },
        { "'asset':{'version':'2.0'}", "'asset':{'version':'2.0','extras':{'marey':{'fps':1e9}}}",
          NULL },
        { "'asset':{'version':'2.0'}", "'asset':{'version':2}", "no asset with a version" },
        { "'asset'", "'extensionsRequired':[7],'asset'", "an extension without a name" },
        { "'asset'", "'extensionsRequired':['KHR_lights_punctual'],'asset'", NULL },
        { "'asset'", "'extensionsRequired':['KHR_x'],'asset'", "it needs KHR_x" },
    };
    CHECK(rows);
}

/* Without skins all that is animated is a joint, and what hangs below it but for leaves that show
   something. */
TEST_OF(reader_bench *b, without_skins_meshes_and_cameras_at_the_end_are_no_joints)
{
    static const struct {
        const char *hand;
        int joints;
    } rows[] = { { "{'name':'hand'", 3 },
                 { "{'mesh':0,'name':'hand'", 2 },
                 { "{'camera':0,'name':'hand'", 2 },
                 { "{'mesh':0,'children':[],'name':'hand'", 3 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FREED char *text = changed("{'name':'hand'", rows[i].hand);
        memcpy(strstr(text, "\"skins\""), "\"other\"", 7);
        OWNED(marey_clip) *clip = reader_load(b, ".gltf", text, strlen(text), 0);
        assert_non_null(clip);
        assert_int_equal(marey_clip_skeleton(clip)->joint_count, rows[i].joints);
    }
}

/* ---- numbers of every type ------------------------------------------------------------------- */

static void put_base64(char *to, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < 4 * ((count + 2) / 3); i++) {
        size_t bit = 6 * i, at = bit / 8;
        unsigned two = (at < count ? (unsigned)bytes[at] << 8 : 0) |
                       (at + 1 < count ? (unsigned)bytes[at + 1] : 0);
        *to++ = at < count ? digits[two >> (10 - bit % 8) & 63] : '=';
    }
    *to = 0;
}

/* How high the root is in the second key, m, of nine numbers of which the fifth has these bytes. */
static double height_of(reader_bench *b, int type, int size, bool normalised, uint32_t bits)
{
    uint8_t bytes[36] = { 0 };
    char buffer[100], numbers[500];
    for (int i = 0; i < size; i++) bytes[4 * size + i] = (uint8_t)(bits >> 8 * i);
    put_base64(buffer, bytes, 9 * (size_t)size);
    snprintf(numbers, sizeof numbers,
             "'buffers':[{'uri':'data:;base64,%s'},{},{'uri':'data:;base64," TIMES PLACES TURNS
             "'}],'bufferViews':[{'buffer':2,'byteLength':12},{'buffer':0,'byteLength':%d},"
             "{'buffer':2,",
             buffer, 9 * size);
    const char *first = strstr(sound, "'buffers'"), *last = strstr(sound, "'byteOffset':48");
    FREED char *old = strndup(first, (size_t)(last - first));
    FREED char *text = changed(old, numbers);
    char *at = strstr(text, "5126,\"count\":3,\"type\":\"VEC3\"");
    char digits[8];
    snprintf(digits, sizeof digits, "%d", type);
    memcpy(at, digits, 4);
    FREED char *whole = malloc(strlen(text) + 40);
    sprintf(whole, "%.*s\"normalized\":%s,%s", (int)(at - text) - 16, text,
            normalised ? "true" : "false", at - 16);
    OWNED(marey_clip) *clip = reader_load(b, ".gltf", whole, strlen(whole), 0);
    if (!clip) fail_msg("%s", test_error.message);
    double p[9];
    marey_clip_positions(clip, 5, 1, p);
    return p[1]; /* the file's metres are read as centimetres */
}

TEST_OF(reader_bench *b, integers_of_every_size_are_numbers_or_shares_of_one)
{
    enum { INT8 = 5120, UINT8, INT16, UINT16, UINT32 = 5125, FLOAT };
    static const struct {
        int type, size;
        uint32_t bits;
        double plain, share;
    } rows[] = {
        { INT8, 1, 0x7f, 127, 1 },          { INT8, 1, 0x80, -128, -1 },
        { UINT8, 1, 0xff, 255, 1 },         { UINT8, 1, 0x33, 51, 0.2 },
        { INT16, 2, 0x7fff, 32767, 1 },     { INT16, 2, 0x8000, -32768, -1 },
        { UINT16, 2, 0xffff, 65535, 1 },    { UINT16, 2, 0x3333, 13107, 0.2 },
        { UINT32, 4, 100000, 100000, 1e5 }, { FLOAT, 4, 0x3fc00000, 1.5, 1.5 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_near(height_of(b, rows[i].type, rows[i].size, false, rows[i].bits), rows[i].plain,
                  1e-5 * fabs(rows[i].plain));
        test_near(height_of(b, rows[i].type, rows[i].size, true, rows[i].bits), rows[i].share,
                  1e-5 * fabs(rows[i].share));
    }
}

/* Numbers that are put in by their places: the bytes of the first view are the places, 0 0 0 0. */
TEST_OF(reader_bench *b, sparse_numbers_must_be_in_the_list)
{
#define SPARSE(count, kind, view, values)                                                          \
    "'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':" count                        \
    ",'indices':{'bufferView':" view ",'componentType':" kind "},'values':{" values "}}"
#define PUT "'bufferView':1"
    static const change rows[] = {
        { PLACE_NUMBERS, SPARSE("1", "5121", "0", PUT), NULL },
        { PLACE_NUMBERS, SPARSE("1", "5123", "0", PUT), NULL },
        { PLACE_NUMBERS, SPARSE("1", "5125", "0", PUT), NULL },
        { PLACE_NUMBERS, SPARSE("1", "5125", "0", PUT ",'byteOffset':12"), NULL },
        { PLACE_NUMBERS, SPARSE("0", "5125", "0", PUT), NULL },
        { PLACE_NUMBERS, SPARSE("1", "5126", "0", PUT), "sparse numbers are not as they should" },
        { PLACE_NUMBERS, SPARSE("4", "5125", "0", PUT), "sparse numbers are not as they should" },
        { PLACE_NUMBERS, SPARSE("-1", "5125", "0", PUT), "sparse numbers are not as they should" },
        { PLACE_NUMBERS, SPARSE("1", "5125", "9", PUT), "buffer view 9 is not there" },
        { PLACE_NUMBERS, SPARSE("1", "5125", "0", ""), "buffer view -1 is not there" },
        { PLACE_NUMBERS, SPARSE("1", "5125", "0", PUT ",'byteOffset':-2"), "not as it should be" },
        { PLACE_NUMBERS, SPARSE("2", "5125", "0", PUT), "a sparse number belongs nowhere" },
    };
    CHECK(rows);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static void put_word(uint8_t *p, uint32_t word)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(word >> 8 * i);
}

TEST_OF(reader_bench *b, chunks_must_lie_in_the_file_and_further_ones_are_passed_over)
{
    enum { JSON = 0x4e4f534a, BIN = 0x004e4942, OTHER = 0x20202020 };
    static const uint8_t times[] = { 0, 0, 0, 0, 0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f };
    /* The times are in the file's own buffer, the places in no view. */
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":12}],\"bufferViews\":[{"
        "\"buffer\":0,\"byteLength\":12}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":3,\"type\":\"SCALAR\"},{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"nodes\":[{}],\"skins\":[{\"joints\":[0]}],\"animations\":[{\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":0,\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,"
        "\"output\":1}]}]}";
    static const struct {
        const char *what;
        uint32_t kinds[4]; /* of chunks; 0: no more */
        uint32_t version, cut, longer;
        const char *said;
    } rows[] = {
        { "as it should be", { JSON, BIN }, 2, 0, 0, NULL },
        { "something else first", { OTHER, JSON, OTHER, BIN }, 2, 0, 0, NULL },
        { "two of each", { JSON, JSON, BIN, BIN }, 2, 0, 0, NULL },
        { "no numbers", { JSON }, 2, 0, 0, "buffer 0 has no bytes" },
        { "no text", { BIN }, 2, 0, 0, "it has no JSON chunk" },
        { "an old version", { JSON, BIN }, 1, 0, 0, "this version of .glb" },
        { "cut", { JSON, BIN }, 2, 1, 0, "the file is cut short" },
        { "a chunk that is too long", { JSON, BIN }, 2, 0, 1, "leads past the end" },
        { "nothing", { 0 }, 2, 0, 0, "ends before its first chunk" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[4096];
        size_t count = 12, last = 12;
        memcpy(bytes, "glTF", 4);
        put_word(bytes + 4, rows[i].version);
        for (int k = 0; k < 4 && rows[i].kinds[k]; k++) {
            const void *of = rows[i].kinds[k] == JSON ? (const void *)text : times;
            size_t size = rows[i].kinds[k] == JSON ? sizeof text - 1 : sizeof times;
            put_word(bytes + count, (uint32_t)size);
            put_word(bytes + count + 4, rows[i].kinds[k]);
            memcpy(bytes + count + 8, of, size);
            last = count;
            count += 8 + size;
        }
        put_word(bytes + 8, (uint32_t)count);
        if (rows[i].longer) put_word(bytes + last, (uint32_t)(sizeof times + rows[i].longer));
        reader_row row = {
            rows[i].what, NULL, rows[i].said ? REFUSED : ACCEPTED, 0, 0, rows[i].said
        };
        reader_check(b, ".glb", (const char *)bytes, count - rows[i].cut, &row, 1);
    }
}

/* Every allocation of every row that is read. */
TEST_OF(reader_bench *b, refused_memory_for_buffers_and_sparse_numbers_is_reported)
{
    FREED char *text = changed(PLACE_NUMBERS, SPARSE("1", "5125", "0", PUT));
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &b->memory, .each = true };
         test_refuse(&sweep, status);) {
        OWNED(marey_clip) *clip = NULL;
        status = marey_clip_load_bytes(b->ctx, "a.gltf", text, strlen(text), NULL, &clip, NULL);
    }
}

TEST_GROUP_OF_CASES(test_gltf_odd, reader_bench_make, reader_bench_free)
