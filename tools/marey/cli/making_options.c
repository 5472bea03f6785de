/* making_options.c - the options of the commands that make motion out of motion. */
#include "command_options.h"
#include "shared_options.h"

#define SLOPE_OPTION                                                                               \
    {                                                                                              \
        .name = "slope", .value = "L",                                                             \
        .help = "at most this many steps in a row along one clip alone, 1 to 8 (default: 2)",      \
        .key = OPTION_SLOPE                                                                        \
    }

#define HALF_OPTION                                                                                \
    {                                                                                              \
        .name = "half", .value = "N",                                                              \
        .help = "frames on each side of the centre that are blended (default: a quarter of a "     \
                "second)",                                                                         \
        .key = OPTION_HALF                                                                         \
    }

#define REFERENCE_OPTION                                                                           \
    {                                                                                              \
        .name = "reference", .value = "N",                                                         \
        .help = "align the others with clip N, counted from 1 (default: the one that is nearest "  \
                "to all)",                                                                         \
        .key = OPTION_REFERENCE                                                                    \
    }

#define METHOD_OPTION(METHODS)                                                                     \
    {                                                                                              \
        .name = "method", .value = "METHOD",                                                       \
        .help = "how the clips are combined (default: registered)", .key = OPTION_METHOD,          \
        .words = METHODS                                                                           \
    }

#define COUNT_OPTION(HELP)                                                                         \
    {                                                                                              \
        .name = "count", .value = "N", .help = HELP, .key = OPTION_COUNT                           \
    }

#define FEET_OPTIONS NO_CLEAN_OPTION, STRETCH_OPTION

/* What everybody has in the end who compares clips to make one of them. */
#define MAKING_OPTIONS                                                                             \
    OUT_PROVENANCE_OPTION, METRIC_OPTIONS_FOR_MAKING, FOUND_OPTION, READING_OPTIONS(WORDS_UNITS),  \
        LIBRARY_OPTION

const option_row align_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "of two clips: the path as .npy, or the grid with the path over it as .png, .svg or "
              ".pdf (default: nothing is written)",
      .key = OPTION_OUTPUT },
    SLOPE_OPTION,
    { .name = "from",
      .value = "I,J",
      .help = "start at frame I of A and frame J of B, and end where the mean cost is best",
      .key = OPTION_FROM },
    { .name = "to",
      .value = "I,J",
      .help = "end there, and start where the mean cost is best; with --from, from there to here",
      .key = OPTION_TO },
    { .name = "through",
      .value = "I,J",
      .help = "go through this pair, and start and end where the mean cost is best",
      .key = OPTION_THROUGH },
    { .name = "save",
      .value = "NAME",
      .help = "keep the registration of the clips in the library of -L under this name",
      .key = OPTION_SAVE },
    REFERENCE_OPTION,
    METRIC_OPTIONS,
    RATE_OPTION,
    FOUND_OPTION,
    READING_OPTIONS(WORDS_UNITS_OR_RAW),
    LIBRARY_OPTION,
    { 0 },
};

const option_row transition_options[] = {
    CLIP_OUTPUT_OPTION("write the first clip, the transition and the second clip as one, as a file "
                       "or LIB.marey:NAME (default: cuts are only listed)"),
    { .name = "sheet",
      .value = "FILE",
      .help = "draw the second around each cut of the list: .png, .svg or .pdf",
      .key = OPTION_SHEET },
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

const option_row blend_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    { .name = "weights",
      .value = "W,W,...",
      .help = "how much of each clip, in their order; scaled to sum 1; may be negative",
      .key = OPTION_WEIGHTS },
    { .name = "weights-file",
      .value = "FILE",
      .help = "weights over time: lines of the time in seconds, then a weight for each clip, with "
              "commas between them",
      .key = OPTION_WEIGHTS_FILE },
    { .name = "curve",
      .value = "NAME",
      .help = "the registration that the library of -L keeps under this name, with its clips",
      .key = OPTION_CURVE },
    METHOD_OPTION(WORDS_METHODS),
    { .name = "fps",
      .value = "N",
      .help = "frames a second of what is made (default: those of the first clip)",
      .key = OPTION_FPS },
    { .name = "place",
      .value = "N",
      .help = "start on the floor where clip N starts, counted from 1 (default: the one that has "
              "all the weight, else the first)",
      .key = OPTION_PLACE },
    FEET_OPTIONS,
    REFERENCE_OPTION,
    SLOPE_OPTION,
    MAKING_OPTIONS,
    { 0 },
};

const option_row clean_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

const option_row loop_options[] = {
    CLIP_OUTPUT_OPTION("write the best loop, as a file or LIB.marey:NAME (default: loops are only "
                       "listed)"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

const option_row curves_options[] = {
    { .name = "rm",
      .value = "NAME",
      .help = "forget the registration of this name; its clips stay",
      .key = OPTION_RM },
    { 0 },
};
