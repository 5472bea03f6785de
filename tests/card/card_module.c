/* card_module.c - the stand-in as a module to be loaded; with CARD_VERSION another version's. */
#include "card_plain.h"

const mry_card_module *marey_card_module(void);

__attribute__((visibility("default"))) const mry_card_module *marey_card_module(void)
{
    static mry_card_module module;
    module = mry_card_plain;
#ifdef CARD_VERSION
    module.version = CARD_VERSION;
#endif
    return &module;
}
