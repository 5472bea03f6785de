/* shared_options.h - options that several commands have, as rows for their tables. Read by the tables alone. */
#ifndef MAREY_TOOL_SHARED_OPTIONS_H
#define MAREY_TOOL_SHARED_OPTIONS_H

#include "options.h"

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
        { .name = "skip-first",                                                                    \
          .help = "drop the first frame, which many converters invent",                            \
          .key = OPTION_SKIP_FIRST },                                                              \
    {                                                                                              \
        .name = "skeleton", .value = "FILE",                                                       \
        .help = "the ASF skeleton of AMC files (default: the nearest by name in the file's "       \
                "folder, else in the one above)",                                                  \
        .key = OPTION_SKELETON                                                                     \
    }

#define LIBRARY_OPTION                                                                             \
    {                                                                                              \
        .name = "library", .letter = 'L', .value = "FILE",                                         \
        .help = "take clips by name from this library instead of files", .key = OPTION_LIBRARY     \
    }

#define PROVENANCE_OPTION(text)                                                                    \
    {                                                                                              \
        .name = "provenance", .help = (text), .key = OPTION_PROVENANCE                             \
    }

#define FPS_OPTION                                                                                 \
    {                                                                                              \
        .name = "fps", .value = "N", .help = "resample to this many frames a second",              \
        .key = OPTION_FPS                                                                          \
    }

#define CLIP_OUTPUT_OPTION(text)                                                                   \
    {                                                                                              \
        .name = "output", .letter = 'o', .value = "OUT", .help = (text), .key = OPTION_OUTPUT      \
    }

#define NEEDED_OUTPUT_OPTION(text)                                                                 \
    {                                                                                              \
        .name = "output", .letter = 'o', .value = "OUT", .help = (text), .key = OPTION_OUTPUT,     \
        .needed = true                                                                             \
    }

#define OUT_PROVENANCE_OPTION                                                                      \
    PROVENANCE_OPTION("also write OUT.provenance.json: sources, their frames and licences, "       \
                      "settings")

#define NO_CLEAN_OPTION                                                                            \
    {                                                                                              \
        .name = "no-clean", .help = "do not hold planted feet in place", .key = OPTION_NO_CLEAN    \
    }

#define STRETCH_OPTION                                                                             \
    {                                                                                              \
        .name = "stretch", .value = "SHARE",                                                       \
        .help = "bones of the legs may get longer by this share near full extension, 0 to 0.2 "    \
                "(default: 0.03 where the file has room for that, else 0)",                        \
        .key = OPTION_STRETCH                                                                      \
    }

#define LEAVE_FEET_OPTION                                                                          \
    {                                                                                              \
        .name = "leave-feet", .help = "do not hold planted feet in place", .key = OPTION_NO_CLEAN  \
    }

#define ROUGH_OPTION                                                                               \
    {                                                                                              \
        .name = "rough",                                                                           \
        .help = "the pieces as they are, laid on each other, and nothing more: no spreading of "   \
                "differences, no feet",                                                            \
        .key = OPTION_ROUGH                                                                        \
    }

/* Of query by example. */
#define DOF_OPTION(text)                                                                           \
    {                                                                                              \
        .name = "dof", .value = "JOINT.CHANNEL,...", .help = (text), .key = OPTION_DOF             \
    }

#define JOINTS_OPTION_OF(usual)                                                                    \
    {                                                                                              \
        .name = "joints", .value = "SET",                                                          \
        .help = "how much each joint counts: equal, lee, wang, or roles such as hips=1,knee=0.5 "  \
                "(default: " usual ")",                                                            \
        .key = OPTION_JOINTS                                                                       \
    }

#define NORMALIZE_OPTION                                                                           \
    {                                                                                              \
        .name = "normalize", .value = "LIB",                                                       \
        .help = "positions: divide each term by its largest step in this library's clips, not "    \
                "in the two alone",                                                                \
        .key = OPTION_NORMALIZE                                                                    \
    }

#define RATE_OPTION                                                                                \
    {                                                                                              \
        .name = "fps", .value = "N",                                                               \
        .help = "compare at this many frames a second (default: the lower rate of the two)",       \
        .key = OPTION_FPS                                                                          \
    }

/* --normalize is for commands that measure two clips themselves. */
#define METRIC_OPTIONS METRIC_TERM_OPTIONS("equal"), NORMALIZE_OPTION, METRIC_CURVATURE_OPTIONS
#define METRIC_OPTIONS_FOR_MAKING METRIC_TERM_OPTIONS("equal"), METRIC_CURVATURE_OPTIONS

#define METRIC_TERM_OPTIONS(usual)                                                                 \
    { .name = "metric",                                                                            \
      .value = "METRIC",                                                                           \
      .help = "how frames are compared (default: points)",                                         \
      .key = OPTION_METRIC,                                                                        \
      .words = WORDS_METRICS },                                                                    \
        { .name = "window",                                                                        \
          .value = "N",                                                                            \
          .help = "frames around each frame that are compared, 1 to 31 (default: points 5, "       \
                  "curvature 9)",                                                                  \
          .key = OPTION_WINDOW },                                                                  \
        { .name = "tapered",                                                                       \
          .help = "frames count less towards the ends of the window",                              \
          .key = OPTION_TAPERED },                                                                 \
        JOINTS_OPTION_OF(usual),                                                                   \
        { .name = "attributes",                                                                    \
          .value = "A,B,C",                                                                        \
          .help = "how much each term counts: of angles root, angles, velocities; of positions "   \
                  "positions, velocities, root velocity, root acceleration (default: 1 each)",     \
          .key = OPTION_ATTRIBUTES },                                                              \
    {                                                                                              \
        .name = "fixed-root", .help = "angles: where the root is in the world, not how it moves",  \
        .key = OPTION_FIXED_ROOT                                                                   \
    }

#define METRIC_CURVATURE_OPTIONS                                                                   \
    { .name = "candidates",                                                                        \
      .value = "SHARE",                                                                            \
      .help = "curvature: the share of pairs that the poses let through (default: 0.2)",           \
      .key = OPTION_CANDIDATES },                                                                  \
        { .name = "gaussian",                                                                      \
          .value = "S",                                                                            \
          .help = "curvature: the width of the smoothing, in seconds (default: 0.05)",             \
          .key = OPTION_GAUSSIAN },                                                                \
    {                                                                                              \
        .name = "normalised", .help = "curvature: correlation, not covariance",                    \
        .key = OPTION_NORMALISED                                                                   \
    }

#endif
