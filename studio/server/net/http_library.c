/* http_library.c - finds libmicrohttpd and its functions. STUDIO_HTTP_LIBRARY is the file name,
   with the number of the interface that the header was written for: another one is not taken. */
#include "http_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

http_library_calls http_library;

marey_status http_library_open(marey_error *error)
{
    static const char *const names[] = {
#define CALL(name) "MHD_" #name,
        HTTP_LIBRARY_CALLS(CALL)
#undef CALL
    };
    enum { COUNT = sizeof names / sizeof names[0] };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_open;
    void *found[COUNT]; /* laid out as the table: one pointer for each row of the list */
    _Static_assert(sizeof found == sizeof http_library, "a table of pointers and nothing else");
    pthread_mutex_lock(&lock);
    if (!is_open) {
        const char *missing = NULL;
        void *library = dlopen(STUDIO_HTTP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        for (int i = 0; library && !missing && i < COUNT; i++) {
            found[i] = dlsym(library, names[i]);
            if (!found[i]) missing = names[i];
        }
        is_open = library && !missing;
        if (is_open) {
            memcpy(&http_library, found, sizeof found);
        } else if (error) {
            *error = (marey_error){ .status = MAREY_ERR_REQUEST };
            snprintf(error->message, sizeof error->message,
                     "the studio needs %s%s%s; on Debian and Ubuntu: apt-get install "
                     "libmicrohttpd12",
                     STUDIO_HTTP_LIBRARY, missing ? " with " : "", missing ? missing : "");
        }
        if (library && missing) dlclose(library);
    }
    bool opened = is_open;
    pthread_mutex_unlock(&lock);
    return opened ? MAREY_OK : MAREY_ERR_REQUEST;
}
