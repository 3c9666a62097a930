/* standalone.c - runs a fuzz target over files and directories, without libFuzzer
 *
 * fuzz_NAME FILE|DIRECTORY…: each file once, in order of name. A directory that is not there counts
 * as empty, so a target without a corpus passes.
 */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "standalone: cannot read %s\n", path);
        return 1;
    }
    uint8_t *data = NULL;
    size_t n = 0, cap = 0, got;
    do {
        if (n == cap) {
            uint8_t *p = realloc(data, cap = cap ? cap * 2 : 4096);
            if (!p) {
                free(data);
                fclose(f);
                return 1;
            }
            data = p;
        }
        got = fread(data + n, 1, cap - n, f);
        n += got;
    } while (got);
    fclose(f);
    /* A block of just this size, so that a sanitizer sees reads past the end. */
    uint8_t *exact = malloc(n ? n : 1);
    if (exact) {
        memcpy(exact, data, n);
        LLVMFuzzerTestOneInput(exact, n);
    }
    free(exact);
    free(data);
    return exact ? 0 : 1;
}

static int run_directory(const char *dir, size_t *count)
{
    struct dirent **names;
    int n = scandir(dir, &names, NULL, alphasort), bad = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        int len = snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && len > 0 && (size_t)len < sizeof path) {
            bad |= run_file(path);
            ++*count;
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return bad;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            bad |= run_directory(argv[i], &count);
        } else {
            bad |= run_file(argv[i]);
            count++;
        }
    }
    printf("%zu inputs\n", count);
    return bad;
}
