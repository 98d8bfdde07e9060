/* The files that are loaded, and how a caller is found from a place in their
 * code. To be used by one thread at a time that holds the loader's lock. */
#ifndef MNM_RECORD_EH_MODULES_H
#define MNM_RECORD_EH_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "eh_frame.h"

/* Looks which there are, if that has changed: first of all. */
void eh_modules_look(const struct dl_phdr_info *info);

/* NULL: the code at pc is of none. Valid until they are looked for again. */
const struct eh_module *eh_modules_find(uint64_t pc);

/* The same, and the rule for that place; NULL: nothing is known about it. */
const struct eh_rule *eh_modules_rule(uint64_t pc,
				      const struct eh_module **module);

/* Whether the file of that path is a shared runtime of CUDA's. */
bool eh_module_is_runtime(const char *path);

#endif
