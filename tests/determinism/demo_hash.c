/* demo_hash.c - one line per demo take: a hash of all its numbers and of its truth.
   scripts/check_determinism builds this with several compilers and levels of optimisation and
   compares what they print. */
#include <marey/demo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

static uint64_t hash_take(const marey_demo_take *take)
{
    const marey_clip *clip = marey_demo_clip(take);
    size_t row = sizeof(double) * (size_t)marey_clip_skeleton(clip)->channel_count;
    int contacts, segments;
    const marey_contact *c = marey_demo_contacts(take, &contacts);
    const marey_demo_segment *s = marey_demo_segments(take, &segments);
    uint64_t hash = 14695981039346656037u;
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        hash = mix(hash, marey_clip_channels(clip, f), row);
        hash = mix(hash, marey_clip_rotations(clip, f),
                   sizeof(float) * 4 * (size_t)marey_clip_skeleton(clip)->joint_count);
    }
    for (int i = 0; i < contacts; i++) hash = mix(hash, &c[i], sizeof c[i]);
    for (int i = 0; i < segments; i++) {
        hash = mix(hash, &s[i].start, sizeof s[i].start);
        hash = mix(hash, s[i].param_values, sizeof s[i].param_values);
    }
    return hash;
}

int main(void)
{
    marey_ctx *ctx;
    if (marey_ctx_open(NULL, &ctx)) return 3;
    for (int n = 0; n < marey_demo_count(); n++) {
        marey_demo_take *take;
        if (marey_demo_build(ctx, n, 1, &take, NULL)) return 3;
        printf("%s %016llx\n", marey_demo_name(n), (unsigned long long)hash_take(take));
        marey_demo_free(take);
    }
    marey_ctx_close(ctx);
    return 0;
}
