/* A command's answer as aligned text. */
#ifndef MNM_PRINT_H
#define MNM_PRINT_H

#include <stdio.h>

#include <jansson.h>

void print_stat(FILE *out, const json_t *answer);
void print_swap(FILE *out, const json_t *answer);
void print_trim(FILE *out, const json_t *answer);
void print_set(FILE *out, const json_t *answer);
void print_pools(FILE *out, const json_t *answer);
void print_help(FILE *out, const json_t *answer);

#endif
