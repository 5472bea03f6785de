/* fuzz_family.c - a sound family as bytes, changed at the places that the input names, with its sum
   and that of the registration inside of it put right again: what the sums would catch is let
   through, so that reading must cope. What is read is asked, and a motion is made of it. The first
   byte chooses what the family is about. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    VERSION = 1,
    CURVE_VERSION = 1,
    KINDS = 3
}; /* as family_bytes.c and registration_bytes.c have them */

static size_t curve_size; /* of the registration, which lies before the sum */

static void make_families(void)
{
    static const char *const texts[KINDS][2] = { { "position(LeftFoot, end, start)", NULL },
                                                 { "duration()", "height(Hips, highest)" },
                                                 { "label(mood)", NULL } };
    static const double moods[MOST_CLIPS] = { 0, 0.5, 1 };
    marey_ctx *ctx = open_ctx();
    marey_clip *clips[MOST_CLIPS];
    load_clips(ctx, MOST_CLIPS, clips);
    for (int kind = 0; kind < KINDS; kind++) {
        marey_param params[2];
        marey_family_def def = { .params = params, .samples = 20, .label_values = moods };
        marey_family *family;
        uint8_t *bytes;
        size_t size;
        for (; def.param_count < 2 && texts[kind][def.param_count]; def.param_count++)
            require(
                !marey_param_parse(texts[kind][def.param_count], &params[def.param_count], NULL),
                "parameters are known");
        require(!marey_family_build(ctx, (const marey_clip *const *)clips, MOST_CLIPS, NULL, &def,
                                    &family, NULL),
                "a family is made");
        require(!marey_family_write(family, &bytes, &size, NULL, NULL), "and written");
        keep_bytes(ctx, kind, bytes, size);
        require(
            !marey_registration_write(marey_family_registration(family), &bytes, &curve_size, NULL),
            "so is its registration");
        marey_registration_bytes_free(ctx, bytes, curve_size);
        marey_family_free(family);
    }
    free_clips(MOST_CLIPS, clips);
    marey_ctx_close(ctx);
}

static void use(marey_ctx *ctx, const marey_family *family)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS], wanted[MAREY_MOST_PARAM_DIMS];
    double delta = fmax(0, marey_family_settings(family)->delta),
           weights[MAREY_MOST_PARAM_DIMS + 1];
    int samples, motions[MAREY_MOST_PARAM_DIMS + 1], dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &samples);
    marey_answer answer;
    marey_made made = { 0 };
    for (int i = 0; i < samples; i++) {
        double sum = 0;
        int count = marey_family_weights(family, i, motions, weights);
        for (int k = 0; k < count; k++) {
            require(motions[k] >= 0 && motions[k] < MOST_CLIPS, "samples are of the examples");
            require(weights[k] >= -delta - 1e-6 && weights[k] <= 1 + delta + 1e-6, "valid weights");
            sum += weights[k];
        }
        require(fabs(sum - 1) < 1e-9, "weights sum to one");
        for (int d = 0; d < dims; d++)
            require(isfinite(values[i * dims + d]), "values are numbers");
    }
    marey_family_box(family, low, high);
    for (int d = 0; d < dims; d++) wanted[d] = low[d] / 2 + high[d] / 2;
    marey_ask_def ask = { .steps = 2 };
    marey_family_make_def def = { .ask = &ask };
    if (marey_family_make(ctx, family, wanted, &def, &made, &answer, NULL)) return;
    for (int i = 0; i < answer.count; i++)
        require(answer.motions[i] >= 0 && answer.motions[i] < MOST_CLIPS &&
                    answer.weights[i] >= -delta - 1e-6 && answer.weights[i] <= 1 + delta + 1e-6,
                "answers are valid");
    marey_made_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip[0]) {
        make_walks(MOST_CLIPS);
        make_families();
    }
    if (size < 1) return 0;
    int kind = data[0] % KINDS;
    size_t whole;
    uint8_t *bytes = changed_bytes(kind, data, size, VERSION, &whole), *again;
    if (whole == base.size[kind]) {
        put_sum(bytes + whole - SUM_BYTES - curve_size, curve_size, CURVE_VERSION);
        put_sum(bytes, whole, VERSION);
    }
    marey_ctx *ctx = open_ctx();
    marey_clip *clips[MOST_CLIPS];
    load_clips(ctx, MOST_CLIPS, clips);
    marey_family *family = NULL;
    bool read = !marey_family_read(ctx, bytes, whole, (const marey_clip *const *)clips, MOST_CLIPS,
                                   NULL, &family, NULL);
    require(read || size > 1 || whole < base.size[kind], "what was not changed is read");
    if (read) {
        use(ctx, family);
        if (!marey_family_write(family, &again, &whole, NULL, NULL))
            marey_family_bytes_free(ctx, again, whole);
    }
    marey_family_free(family);
    free(bytes);
    free_clips(MOST_CLIPS, clips);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
