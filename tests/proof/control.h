/* mnm's control socket, as the program in this process asks it. */
#ifndef TESTS_PROOF_CONTROL_H
#define TESTS_PROOF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/* Asks in words: "stat", "swap no_pool", "set fence sync". The answer is JSON.
 * False: nobody listens. */
bool control_ask(const char *words, char *answer, size_t size);
/* The sum of a figure over all devices in the answer to stat; -1 if it is not
 * there. */
long control_figure(const char *answer, const char *name);

#endif
