/* card_hold.c - looks for a module, opens its card, lets go of both. */
#include "card/card_hold.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One at a time looks for a card; contexts are few and this is rare. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

static void close_hold(marey_ctx *ctx, void *card)
{
    mry_card_hold *hold = card;
    if (hold->card) hold->module->close(hold->card);
    if (hold->loaded) dlclose(hold->loaded);
    mry_release(ctx, hold, sizeof *hold);
}

static mry_card_hold *make_hold(marey_ctx *ctx)
{
    mry_card_hold *hold = mry_alloc(ctx, sizeof *hold);
    if (!hold) return NULL;
    memset(hold, 0, sizeof *hold);
    atomic_init(&hold->bits, 0);
    atomic_init(&hold->given_up, false);
    hold->least = MRY_CARD_LEAST;
    return hold;
}

static bool open_module(mry_card_hold *hold, const mry_card_module *module, const char *path)
{
    if (module->version != MRY_CARD_VERSION || module->bytes != sizeof *module) {
        snprintf(
            hold->text, sizeof hold->text,
            "none: %s is a module of version %u, this marey needs version %d; the processor is "
            "used",
            path, (unsigned)module->version, MRY_CARD_VERSION);
        return false;
    }
    char why[160] = "it does not say why";
    if (module->open(&hold->card, why, sizeof why)) {
        hold->card = NULL;
        snprintf(hold->text, sizeof hold->text, "none: %s: %s; the processor is used", path, why);
        return false;
    }
    hold->module = module;
    snprintf(hold->text, sizeof hold->text, "%s", module->describe(hold->card));
    return true;
}

/* The folder of the file that this function is in, and the module's name. */
static void beside(char *out, size_t room)
{
    Dl_info info;
    const char *slash =
        dladdr((void *)&looking, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (slash)
        snprintf(out, room, "%.*s/libmarey_cuda.so", (int)(slash - info.dli_fname), info.dli_fname);
    else
        snprintf(out, room, "libmarey_cuda.so");
}

static void look(mry_card_hold *hold, const char *wanted)
{
    char path[512];
    if (wanted)
        snprintf(path, sizeof path, "%s", wanted);
    else
        beside(path, sizeof path);
    hold->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!hold->loaded && !wanted) {
        snprintf(path, sizeof path, "libmarey_cuda.so");
        hold->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!hold->loaded) {
        const char *why = dlerror();
        if (wanted)
            snprintf(hold->text, sizeof hold->text, "none: %.180s; the processor is used",
                     why ? why : path);
        else
            snprintf(hold->text, sizeof hold->text, "none: no module libmarey_cuda.so");
        return;
    }
    union {
        void *data;
        mry_card_module_fn *call;
    } symbol = { dlsym(hold->loaded, MRY_CARD_SYMBOL) };
    const mry_card_module *module = symbol.data ? symbol.call() : NULL;
    if (!module)
        snprintf(hold->text, sizeof hold->text, "none: %.160s has no %s; the processor is used",
                 path, MRY_CARD_SYMBOL);
    if (module && open_module(hold, module, path)) return;
    dlclose(hold->loaded);
    hold->loaded = NULL;
}

/* One that was found, or why there is none. NULL: no memory. */
static mry_card_hold *find_hold(marey_ctx *ctx, const char *wanted)
{
    pthread_mutex_lock(&looking);
    mry_card_hold *hold = atomic_load(&ctx->card);
    if (!hold && (hold = make_hold(ctx))) {
        look(hold, wanted);
        ctx->card_close = close_hold;
        atomic_store(&ctx->card, hold);
    }
    pthread_mutex_unlock(&looking);
    return hold;
}

mry_card_hold *mry_card_for(marey_ctx *ctx, int64_t cells)
{
    mry_card_hold *hold = atomic_load(&ctx->card);
    if (!hold) {
        int64_t before = atomic_load(&ctx->card_cells);
        const char *wanted = before == 0 ? getenv("MAREY_CARD") : NULL;
        if (wanted && (!*wanted || strcmp(wanted, "auto") == 0)) wanted = NULL;
        if (before < 0) return NULL;
        if (ctx->def.portable || (wanted && strcmp(wanted, "none") == 0)) {
            atomic_store(&ctx->card_cells, -1);
            return NULL;
        }
        if (!wanted && cells < MRY_CARD_WORTH - before) {
            atomic_fetch_add(&ctx->card_cells, cells);
            return NULL;
        }
        hold = find_hold(ctx, wanted);
    }
    return hold && hold->card && !hold->given_up && cells >= hold->least ? hold : NULL;
}

bool mry_card_take(marey_ctx *ctx, const mry_card_module *module)
{
    mry_card_hold *hold = make_hold(ctx);
    if (!hold) return false;
    hold->least = 0;
    bool opened = open_module(hold, module, "a module that is linked in");
    void *old = atomic_exchange(&ctx->card, hold);
    if (old) close_hold(ctx, old);
    ctx->card_close = close_hold;
    return opened;
}

bool mry_card_did(mry_card_hold *hold, mry_card_result result)
{
    if (result == MRY_CARD_FAILED) hold->given_up = true;
    return result == MRY_CARD_OK;
}

const char *mry_card_text(const marey_ctx *ctx)
{
    const mry_card_hold *hold = atomic_load(&ctx->card);
    if (!hold)
        return atomic_load(&ctx->card_cells) < 0 ? "none: not wanted"
                                                 : "none was looked for: there was too little work";
    return hold->given_up ? "none: the card failed; the processor is used" : hold->text;
}
