/* methods.c - the table of ways to combine frames. */
#include <marey/blend.h>

#include <assert.h>

typedef struct method {
    const char *name;
    const char *about;
} method;

static const method methods[MAREY_BLEND_METHOD_COUNT] = {
    [MAREY_BLEND_REGISTERED] = { "registered",
                                 "along a registration curve: frames that belong together, laid on "
                                 "each other on the floor" },
    [MAREY_BLEND_UNTIMED] = { "untimed", "frame with frame, laid on each other on the floor" },
    [MAREY_BLEND_LINEAR] = { "linear",
                             "frame with frame, where they are: root positions and joint turns "
                             "averaged" },
};

const char *marey_blend_method_name(marey_blend_method of)
{
    assert(of >= 0 && of < MAREY_BLEND_METHOD_COUNT);
    return methods[of].name;
}

const char *marey_blend_method_about(marey_blend_method of)
{
    assert(of >= 0 && of < MAREY_BLEND_METHOD_COUNT);
    return methods[of].about;
}
