/* studio_limits.h - how much the studio takes from anybody. All of them are in docs/studio-api.md,
   and each is tried by the tests at the limit and one past it. */
#ifndef STUDIO_LIMITS_H
#define STUDIO_LIMITS_H

enum {
    LIMIT_TARGET_BYTES = 4096,
    LIMIT_HEADER_BYTES = 16384,
    LIMIT_HEADERS = 64,
    LIMIT_QUERY = 16, /* names in a query */
    LIMIT_JSON_BYTES = 1 << 20,
    LIMIT_LONG_JSON_BYTES = 8 << 20, /* with demonstrations, or paths */
    LIMIT_JSON_VALUES = 1 << 20,     /* each takes some 50 bytes once it is read */
    LIMIT_JSON_DEPTH = 32,
    LIMIT_UPLOAD_BYTES = 256 << 20,
    LIMIT_UPLOAD_FILES = 4096,
    LIMIT_HEADER_MS = 10000,
    LIMIT_BODY_MS = 10000, /* and LIMIT_BODY_MS_PER_MIB for each MiB announced */
    LIMIT_BODY_MS_PER_MIB = 1000,
    LIMIT_IDLE_MS = 30000,
    LIMIT_SEND_MS = 10000, /* and LIMIT_SEND_MS_PER_MIB for each MiB of the answer */
    LIMIT_SEND_MS_PER_MIB = 1000,
    LIMIT_UNSENT_BYTES = 512 << 20, /* answers that wait to be read; kept files are none of them */
    LIMIT_UNSENT_SMALL = 65536,     /* shorter ones always go */
    LIMIT_CONNECTIONS = 256,
    LIMIT_CROWDED_MS = 500, /* in place of LIMIT_HEADER_MS, for who takes the last place */
    LIMIT_CODE_MS = 30000,  /* of the one-time code that a browser is opened with */
    LIMIT_SOCKETS = 32,     /* WebSockets */
    LIMIT_MESSAGE_BYTES = 65536,
    LIMIT_FRAMES_BYTES = 64 << 20,
    LIMIT_CURVES = 16,
    LIMIT_BLEND_FRAMES = 131072,      /* of all clips that something is made of */
    LIMIT_BLEND_PAIRS = 64 << 20,     /* of frames that one request compares */
    LIMIT_KEPT_FRAMES = 32768,        /* of the clips that a worker keeps ready to be mixed */
    LIMIT_FINDINGS = 8,               /* searches whose edges can be asked for */
    LIMIT_FOUND_BYTES = 64 << 20,     /* of what one search answers */
    LIMIT_STREAMS = 8,                /* of one WebSocket */
    LIMIT_STREAM_BYTES = 16 << 20,    /* poses of one stream, computed before it begins */
    LIMIT_MAKING = 2 * LIMIT_STREAMS, /* streams of one WebSocket that are being computed */
    LIMIT_KEPT_NODES =
        65536, /* of graphs that a worker keeps open, together; four frames of cluster graphs count as one */
    LIMIT_WALK_STEPS = 300000,    /* of a search for a way along a path, which takes seconds */
    LIMIT_ARCS = 20000,           /* of a graph, in an answer */
    LIMIT_SEGMENTS = 4096,        /* likewise; and pieces of a walk */
    LIMIT_CLOSURE_FRAMES = 32768, /* of a graph whose closure is sent: 128 MiB of bits */
    LIMIT_CLOSURE_SIDE = 1024,
    LIMIT_EXAMPLE_FRAMES = 16384,    /* of a query that is a clip */
    LIMIT_EXAMPLE_SETS = 4,          /* of fragments, that are kept */
    LIMIT_EXAMPLE_BYTES = 256 << 20, /* of these together */
    LIMIT_CLUSTER_NODES = 4096,      /* of a cluster graph, in an answer */
    LIMIT_PLAYS = 4,                 /* characters that one WebSocket steers */
    LIMIT_ALL_PLAYS = 32,            /* and all together */
    LIMIT_STAGES = 4,                /* different graphs that are open for them */
    LIMIT_STAGE_NODES = 200000,
    LIMIT_STAGE_MOTIONS = 64, /* families and actions that characters of one graph are asked for */
    LIMIT_PUPPET_SAMPLES = 1 << 20, /* shown to one, and of it, those before its runs too */
    LIMIT_REACTS = 8,               /* who react to one WebSocket's main character */
    LIMIT_ALL_REACTS = 64,          /* and all together */
    LIMIT_ROLES = 8,                /* different behaviours that are open for them .. */
    LIMIT_ROLE_SAMPLES = 2 << 20,   /* .. and samples of these together: some 180 bytes each */
    LIMIT_REACT_SAMPLES = 32 << 20, /* of those who react, each with its own sums: 4 bytes each */
    LIMIT_PLACES = 64,              /* of the main character in one message */
    LIMIT_MAIN_WORK = 8 << 20,      /* steps times samples of one message: some 17 ms */
    LIMIT_TURN_WORK = 2 << 20,      /* behind it a WebSocket waits for its next turn */
    /* A graph or behaviour that is open is the one of a version of the library: those in use may be
       of earlier ones, each with a place of its own. */
    LIMIT_STAGE_PLACES = LIMIT_ALL_PLAYS + LIMIT_ALL_REACTS + LIMIT_STAGES,
    LIMIT_ROLE_PLACES = LIMIT_ALL_REACTS + LIMIT_ROLES,
    LIMIT_JOBS = 64,           /* remembered */
    LIMIT_DEAF_MS = 10000,     /* that a cancelled job may take to end */
    LIMIT_LEFT_JOBS = 2,       /* that took longer, and still run */
    LIMIT_SENT_RESULT = 65536, /* longer results are fetched, not told */
    LIMIT_FILES = 8,           /* exports kept */
    LIMIT_FILES_BYTES = 1 << 30,
    LIMIT_FILE_MS = 600000
};

#endif
