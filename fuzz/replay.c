/* replay.c - feeds files to a fuzzer's entry where there is no libFuzzer: each argument is a file,
   or a folder whose files are fed in sorted order. Every find ever made stays a test this way. A
   fuzzer that can make inputs of its own does so where the first argument begins with "seeded". */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int fuzz_seeded(const char *which);

/* The bytes are copied to their exact size, so that a sanitizer sees a read past the end. */
static int feed_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    size_t size = (size_t)about.st_size;
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes || fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

static int feed(const char *path)
{
    struct stat about;
    struct dirent **names;
    int fed = 0;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return feed_file(path);
    int count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') fed += feed(inside);
        free(names[i]);
    }
    if (count >= 0) free(names);
    return fed;
}

int main(int count, char **arguments)
{
    int fed = 0;
    if (fuzz_seeded && count == 2 && strncmp(arguments[1], "seeded", 6) == 0)
        return fuzz_seeded(arguments[1] + 6);
    for (int i = 1; i < count; i++) fed += feed(arguments[i]);
    printf("%d inputs\n", fed);
    return 0;
}
