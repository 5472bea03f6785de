/* http_library.h - libmicrohttpd, loaded when a studio opens. It brings GnuTLS, which makes 1,300
   allocations before `main`; were it linked, every command would pay for what only `studio` uses.
   Its header gives the types, as ever; the functions in use are looked up by name, and their names
   lead to what was found. */
#ifndef STUDIO_HTTP_LIBRARY_H
#define STUDIO_HTTP_LIBRARY_H

#include <marey/base.h>

#include <microhttpd.h>

/* A function that is used and not listed here does not link: add it here and below. */
#define HTTP_LIBRARY_CALLS(CALL)                                                                   \
    CALL(add_response_header)                                                                      \
    CALL(create_post_processor)                                                                    \
    CALL(create_response_for_upgrade)                                                              \
    CALL(create_response_from_buffer)                                                              \
    CALL(create_response_from_buffer_with_free_callback_cls)                                       \
    CALL(destroy_post_processor)                                                                   \
    CALL(destroy_response)                                                                         \
    CALL(get_connection_info)                                                                      \
    CALL(get_connection_values)                                                                    \
    CALL(get_reason_phrase_for)                                                                    \
    CALL(lookup_connection_value)                                                                  \
    CALL(post_process)                                                                             \
    CALL(queue_response)                                                                           \
    CALL(resume_connection)                                                                        \
    CALL(start_daemon)                                                                             \
    CALL(stop_daemon)                                                                              \
    CALL(suspend_connection)                                                                       \
    CALL(upgrade_action)

typedef struct http_library_calls {
#define CALL(name) __typeof__(MHD_##name) *name;
    HTTP_LIBRARY_CALLS(CALL)
#undef CALL
} http_library_calls;

/* Like the library itself there is one for the whole process; filled by http_library_open, constant
   from then on. */
extern http_library_calls http_library;

/* Before the first call of any function below; again is fine, from any thread. REQUEST: the library
   is not installed, or lacks a function; says what to install. It stays loaded until the process
   ends. */
marey_status http_library_open(marey_error *error);

#define MHD_add_response_header http_library.add_response_header
#define MHD_create_post_processor http_library.create_post_processor
#define MHD_create_response_for_upgrade http_library.create_response_for_upgrade
#define MHD_create_response_from_buffer http_library.create_response_from_buffer
#define MHD_create_response_from_buffer_with_free_callback_cls                                     \
    http_library.create_response_from_buffer_with_free_callback_cls
#define MHD_destroy_post_processor http_library.destroy_post_processor
#define MHD_destroy_response http_library.destroy_response
#define MHD_get_connection_info http_library.get_connection_info
#define MHD_get_connection_values http_library.get_connection_values
#define MHD_get_reason_phrase_for http_library.get_reason_phrase_for
#define MHD_lookup_connection_value http_library.lookup_connection_value
#define MHD_post_process http_library.post_process
#define MHD_queue_response http_library.queue_response
#define MHD_resume_connection http_library.resume_connection
#define MHD_start_daemon http_library.start_daemon
#define MHD_stop_daemon http_library.stop_daemon
#define MHD_suspend_connection http_library.suspend_connection
#define MHD_upgrade_action http_library.upgrade_action

#endif
