/* fuzz_map.c - a map of joints from anything: bytes from 128 on are words of a map, others stand for
   themselves. What is read must be a map, and must be written and read back as what it was. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = { "{\"pairs\": [",
                                     "{\"role\": \"left_knee\", ",
                                     "{\"role\": \"hips\", ",
                                     "{",
                                     "\"from\": \"Hips\", ",
                                     "\"from\": \"LeftLeg\", ",
                                     "\"from\": \"RightFoot\", ",
                                     "\"to\": \"Hips\"}, ",
                                     "\"to\": \"LeftLeg\"}, ",
                                     "\"to\": \"Spine\"}",
                                     "\"conflict\": \"order\"",
                                     "]}" };
enum { WORDS = sizeof words / sizeof *words, LONGEST = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip[0]) make_walks(1);
    marey_ctx *ctx = open_ctx();
    marey_clip *clip = NULL;
    marey_body_map map = { 0 }, back = { 0 };
    marey_error error = { 0 };
    char *text = malloc(LONGEST * size + 1), *end = text;
    require(text != NULL, "there is memory");
    for (size_t i = 0; i < size; i++) {
        if (data[i] < 128)
            *end++ = (char)data[i];
        else
            end = stpcpy(end, words[(data[i] - 128) % WORDS]);
    }
    *end = 0;
    load_clips(ctx, 1, &clip);
    int joints = marey_clip_skeleton(clip)->joint_count;
    marey_status status = marey_body_map_parse(clip, clip, "any", text, &map, &error);
    if (status) {
        require(!map.pairs && error.message[0], "it is refused in words");
    } else {
        char written[8192];
        size_t length;
        require(map.count <= joints, "no joint is there twice");
        require(!marey_body_map_text(clip, clip, &map, written, sizeof written, &length) &&
                    length < sizeof written,
                "it is written");
        require(!marey_body_map_parse(clip, clip, "back", written, &back, NULL), "and read back");
        require(back.count == map.count, "with as many pairs");
        for (int i = 0; i < map.count; i++)
            require(memcmp(&back.pairs[i], &map.pairs[i], sizeof *map.pairs) == 0,
                    "each as it was");
    }
    marey_body_map_free(&map);
    marey_body_map_free(&back);
    free(text);
    marey_clip_free(clip);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
