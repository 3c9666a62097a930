/* json_in.h - just enough JSON reading for one request line of the benchmark protocol */
#ifndef WK_BENCH_JSON_IN_H
#define WK_BENCH_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    char *key;  /* member name inside an object */
    char *text; /* STRING: decoded */
    size_t text_len;
    double number;
    bool truth;
    struct json_value *first, *next; /* children of ARRAY and OBJECT; siblings */
};

/* The value of a whole line, or NULL when it is not JSON. Free with json_free. */
struct json_value *json_parse(const char *s, size_t n);
void json_free(struct json_value *v);
/* Member of an object; NULL when there is none. */
const struct json_value *json_get(const struct json_value *v, const char *key);

#endif
