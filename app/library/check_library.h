/* check_library.h - what is answered when a library's bytes are checked. Read after operation.h. */
#ifndef MAREY_APP_CHECK_LIBRARY_H
#define MAREY_APP_CHECK_LIBRARY_H

#include "operation.h"

typedef struct app_verify_params {
    app_params given;
    bool hash;
} app_verify_params;

typedef struct app_verify_result {
    app_texts problems; /* a sentence each */
    bool hashed;        /* content was asked for, and there are no problems */
    marey_content content;
} app_verify_result;

#endif
