/* command_options.c - the options of every command. */
#include "command_options.h"
#include "shared_options.h"

const option_row demo_options[] = {
    { .name = "seed",
      .value = "N",
      .help = "makes other variations of the same takes (default: 1)",
      .key = OPTION_SEED },
    { .name = "take",
      .value = "NAME",
      .help = "only this take; may be given several times",
      .key = OPTION_TAKE,
      .repeats = true },
    { 0 },
};

const option_row info_options[] = {
    READING_OPTIONS(WORDS_UNITS),
    LIBRARY_OPTION,
    { .name = "long",
      .help = "the full report of every clip, however many there are",
      .key = OPTION_LONG },
    { 0 },
};

const option_row convert_options[] = {
    LIBRARY_OPTION,
    PROVENANCE_OPTION(
        "also write OUT.provenance.json: sources, their frames and licences, settings"),
    { 0 },
};

const option_row library_options[] = {
    LIBRARY_OPTION,
    { 0 },
};

/* ---- how alike frames are ------------------------------------------------------------------------ */

const option_row grid_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help =
          "the numbers as .npy, or a picture as .png, .svg or .pdf (default: nothing is written)",
      .key = OPTION_OUTPUT },
    { .name = "minima",
      .help = "mark in the picture the cells that are less than all four beside them",
      .key = OPTION_MINIMA },
    LIBRARY_OPTION,
    { 0 },
};

const option_row similar_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "draw the grid with the pairs as dots: .png, .svg or .pdf",
      .key = OPTION_OUTPUT },
    { .name = "cut",
      .value = "OUT",
      .help = "write A up to the best pair and B from there on, as a file or LIB.marey:NAME",
      .key = OPTION_CUT },
    PROVENANCE_OPTION(
        "beside the cut's file, OUT.provenance.json: sources, their frames and licences, settings"),
    LIBRARY_OPTION,
    { 0 },
};

/* ---- the library ----------------------------------------------------------------------------- */

const option_row no_options[] = { { 0 } };

const option_row export_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "DIR",
      .help = "the folder to write to; made if it is not there",
      .key = OPTION_OUTPUT },
    { .name = "format",
      .value = "FORMAT",
      .help = "the format to write (default: bvh)",
      .key = OPTION_FORMAT,
      .words = WORDS_FORMATS },
    { .name = "label",
      .value = "LABEL",
      .help = "every clip with this label, instead of names",
      .key = OPTION_LABEL },
    { .name = "all", .help = "every clip, instead of names", .key = OPTION_ALL },
    PROVENANCE_OPTION(
        "beside each clip, NAME.provenance.json: where it comes from, and its licence"),
    { 0 },
};

const option_row studio_options[] = {
    { .name = "port",
      .value = "N",
      .help = "the port to listen on (default: one that is free)",
      .key = OPTION_PORT },
    { .name = "no-browser", .help = "do not open a browser", .key = OPTION_NO_BROWSER },
    { .name = "allow-host",
      .value = "HOST:PORT",
      .help = "also answer to this address, as through a tunnel; may be given several times",
      .key = OPTION_ALLOW_HOST,
      .repeats = true },
    { 0 },
};
