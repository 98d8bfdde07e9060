/* mnm's control socket, asked by the program in this process. */
#ifndef TESTS_PROOF_CONTROL_H
#define TESTS_PROOF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/* Sends a request in words: "stat", "swap no_pool", "set fence sync". The
 * answer is JSON. Returns false if nobody listens. */
bool control_ask(const char *words, char *answer, size_t size);
/* The sum of a figure over all devices in the answer to stat; -1 if it is not
 * there. */
long control_figure(const char *answer, const char *name);

#endif
