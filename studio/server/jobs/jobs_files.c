/* jobs_files.c - the files that jobs made, kept in memory until they are fetched or old. */
#include "jobs_inside.h"

#include <stdio.h>

static void forget_file(kept_file *file)
{
    held_drop(file->content);
    *file = (kept_file){ 0 };
}

void jobs_expire_files(jobs *all)
{
    int64_t now = jobs_now_ms();
    for (int i = 0; i < LIMIT_FILES; i++)
        if (all->files[i].job && now - all->files[i].made_ms > LIMIT_FILE_MS)
            forget_file(&all->files[i]);
}

bool jobs_have_files(const jobs *all)
{
    for (int i = 0; i < LIMIT_FILES; i++)
        if (all->files[i].job) return true;
    return false;
}

void jobs_drop_files(jobs *all)
{
    for (int i = 0; i < LIMIT_FILES; i++)
        if (all->files[i].job) forget_file(&all->files[i]);
}

static kept_file *oldest_file(jobs *all)
{
    kept_file *oldest = NULL;
    for (int i = 0; i < LIMIT_FILES; i++) {
        kept_file *file = &all->files[i];
        if (file->job && (!oldest || file->job < oldest->job)) oldest = file;
    }
    return oldest;
}

static size_t bytes_kept(const jobs *all)
{
    size_t sum = 0;
    for (int i = 0; i < LIMIT_FILES; i++)
        if (all->files[i].job) sum += all->files[i].content->content.count;
    return sum;
}

static kept_file *free_place(jobs *all)
{
    for (int i = 0; i < LIMIT_FILES; i++)
        if (!all->files[i].job) return &all->files[i];
    return NULL;
}

marey_status jobs_keep_file(studio_worker *worker, const char *name, const char *type,
                            studio_bytes *content, marey_error *error)
{
    jobs *all = worker->job->all;
    if (content->count > LIMIT_FILES_BYTES) {
        bytes_free(content);
        *error = (marey_error){ .status = MAREY_ERR_LIMIT };
        snprintf(error->message, sizeof error->message,
                 "the file would be larger than 1 GiB; export fewer frames");
        return MAREY_ERR_LIMIT;
    }
    size_t count = content->count;
    held *kept = held_make(content);
    if (!kept) {
        bytes_free(content);
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    pthread_mutex_lock(&all->lock);
    if (worker->job->number < 0) { /* it was left: its file has no address */
        pthread_mutex_unlock(&all->lock);
        held_drop(kept);
        *error = (marey_error){ .status = MAREY_ERR_CANCELLED, .message = "cancelled" };
        return MAREY_ERR_CANCELLED;
    }
    jobs_expire_files(all);
    while (!free_place(all) || bytes_kept(all) > LIMIT_FILES_BYTES - count)
        forget_file(oldest_file(all));
    kept_file *file = free_place(all);
    *file = (kept_file){
        .job = worker->job->number, .made_ms = jobs_now_ms(), .type = type, .content = kept
    };
    snprintf(file->name, sizeof file->name, "%s", name);
    pthread_mutex_unlock(&all->lock);
    return MAREY_OK;
}

bool jobs_file(jobs *all, int64_t number, studio_response *response)
{
    bool found = false;
    pthread_mutex_lock(&all->lock);
    jobs_expire_files(all);
    for (int i = 0; i < LIMIT_FILES && number > 0; i++) {
        const kept_file *file = &all->files[i];
        if (file->job != number) continue;
        found = true;
        answer_clear(response);
        response->lent = held_share(file->content);
        response->status = 200;
        response->type = file->type;
        snprintf(response->file_name, sizeof response->file_name, "%s", file->name);
    }
    pthread_mutex_unlock(&all->lock);
    return found;
}
