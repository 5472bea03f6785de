/* commands.c - every command of the program, with its options. */
#include "commands.h"

#include <string.h>

/* What a file says about itself can be wrong; these set it right while reading. */
#define READING_OPTIONS(units_words)                                                               \
    { .name = "units",                                                                             \
      .value = "UNITS",                                                                            \
      .help = "the unit of length in the file (default: guessed from the size of the body)",       \
      .key = OPTION_UNITS,                                                                         \
      .words = (units_words) },                                                                    \
        { .name = "up",                                                                            \
          .value = "AXIS",                                                                         \
          .help = "the axis that points up in the file (default: guessed from how the body "       \
                  "stands)",                                                                       \
          .key = OPTION_UP,                                                                        \
          .words = WORDS_UP },                                                                     \
        { .name = "source-fps",                                                                    \
          .value = "N",                                                                            \
          .help = "frames a second, whatever the file claims",                                     \
          .key = OPTION_SOURCE_FPS },                                                              \
    {                                                                                              \
        .name = "skip-first", .help = "drop the first frame, which many converters invent",        \
        .key = OPTION_SKIP_FIRST                                                                   \
    }

#define FPS_OPTION                                                                                 \
    {                                                                                              \
        .name = "fps", .value = "N", .help = "resample to this many frames a second",              \
        .key = OPTION_FPS                                                                          \
    }

static const option_row info_options[] = {
    READING_OPTIONS(WORDS_UNITS),
    { .name = "long",
      .help = "the full report of every clip, however many there are",
      .key = OPTION_LONG },
    { 0 },
};

static const option_row convert_options[] = {
    READING_OPTIONS(WORDS_UNITS),
    FPS_OPTION,
    { .name = "trim",
      .value = "A-B",
      .help = "keep frames A to B, B not included: 120-300, or 1.5s-3s",
      .key = OPTION_TRIM },
    { .name = "mirror", .help = "exchange left and right", .key = OPTION_MIRROR },
    { .name = "in-place",
      .help = "keep the body over the spot where it starts",
      .key = OPTION_IN_PLACE },
    { .name = "scale",
      .value = "F",
      .help = "make the body and its path F times as large",
      .key = OPTION_SCALE },
    { .name = "align",
      .help = "turn and move every further clip to start where the one before it ended",
      .key = OPTION_ALIGN },
    { .name = "out-units",
      .value = "UNITS",
      .help = "the unit of length to write (default: that of the first input)",
      .key = OPTION_OUT_UNITS,
      .words = WORDS_UNITS },
    { .name = "out-up",
      .value = "AXIS",
      .help = "the axis that points up in what is written (default: that of the first input)",
      .key = OPTION_OUT_UP,
      .words = WORDS_UP },
    { 0 },
};

static const option_row positions_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "the NumPy file to write",
      .key = OPTION_OUTPUT },
    READING_OPTIONS(WORDS_UNITS_OR_RAW),
    FPS_OPTION,
    { 0 },
};

const command commands[] = {
    { .verb = "info",
      .usage = "FILE...",
      .summary = "say what is in motion files, and what was noticed while reading them",
      .description = { "Reads each file and reports its frames, rate, skeleton, the joints' roles, "
                       "units and up axis with the reason for each, frames that are no captured "
                       "motion, and warnings.",
                       "A folder stands for all files below it, in sorted order; hidden ones and "
                       "links to folders are left out. Files of no known format are skipped and "
                       "listed. A file that cannot be read is reported, the others are still "
                       "read, and the exit status is 1.",
                       "More than 8 files are shown as a table of one line each." },
      .examples = { "marey info walk.bvh", "marey info takes --json" },
      .options = info_options,
      .operands_least = 1,
      .run = command_info },
    { .verb = "convert",
      .usage = "IN... OUT",
      .summary = "write a clip again, changed or in another format",
      .description = { "IN may name some of its frames: walk.bvh#120-300 (the end is not "
                       "included), walk.bvh#1.5s-3s, walk.bvh#120. Several inputs with the same "
                       "joints are put end to end. The format of OUT goes by its ending.",
                       "The changes are made in this order: frames named by IN, trim, end to "
                       "end, mirror, in place, scale, rate, units and axes. A clip that nothing "
                       "changes is written with the numbers of its file.",
                       "OUT appears when it is whole; it may be the same file as IN." },
      .examples = { "marey convert walk.bvh#1.5s-3s step.bvh",
                    "marey convert walk.bvh small.bvh --fps 30 --mirror",
                    "marey convert walk.bvh run.bvh both.bvh --align" },
      .options = convert_options,
      .operands_least = 2,
      .run = command_convert },
    { .verb = "positions",
      .usage = "CLIP -o FILE.npy",
      .summary = "write the place of every joint in every frame as a NumPy file",
      .description = { "The file holds frames x joints x 3 float32 numbers: centimetres, y up. "
                       "With --units raw they are as in the file, unscaled and unturned. Tips of "
                       "bones (End Sites) are left out.",
                       "CLIP may name some of its frames: walk.bvh#120-300 (the end is not "
                       "included), walk.bvh#1.5s-3s, walk.bvh#120." },
      .examples = { "marey positions walk.bvh -o walk.npy" },
      .options = positions_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_positions },
    { 0 },
};

const command *command_find(const char *verb)
{
    for (const command *row = commands; row->verb; row++) {
        if (strcmp(row->verb, verb) == 0) return row;
    }
    return NULL;
}
