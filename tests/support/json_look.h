/* json_look.h - JSON that a studio answered: held until the bench is closed, looked into by keys,
   and compared. */
#ifndef MAREY_TEST_JSON_LOOK_H
#define MAREY_TEST_JSON_LOOK_H

#include "support.h"

#include <jansson.h>

/* Takes a value over and gives it back: it lives until json_drop_held. So an answer is never freed
   where it is read. */
json_t *json_hold(json_t *value);
json_t *json_hold_text(const char *text, size_t count); /* the same for text, which must be JSON */
void json_drop_held(void);

/* A text with " for each ', as JSON wants it. */
void json_quote(char *text);

/* What an object has under a key; a number and a whole number must be there, a word is "(none)"
   otherwise. */
double number(const json_t *of, const char *key);
int64_t whole(const json_t *of, const char *key);
const char *word(const json_t *of, const char *key);
bool is_true(const json_t *of, const char *key);
bool is_null(const json_t *of, const char *key); /* it is there, and null */
size_t size_of(const json_t *of, const char *key);
json_t *item(const json_t *of, const char *key, size_t i);
double number_at(const json_t *list, size_t i);

/* Fails unless a value has all that the JSON has, in which ' stands for ": objects may have more
   keys, lists not. Numbers are the same but for their last digit. */
void expect(const json_t *value, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers are the same but for their last digits, and 30 is 30.0. */
bool same_json(const json_t *a, const json_t *b);

/* Fails unless both have the same under these keys, which are words with a blank between them. */
void same_values(const json_t *one, const json_t *other, const char *keys);

/* Fails unless these are the numbers of a list. */
void same_numbers(const json_t *list, const double *values, int count);

#endif
