/* This file does not include the headers, as they declare some of these
 * otherwise. */
#include "walk.h"

#include "cuda/hook_list.h"
#include "work_list.h"

#define VERSION_MAX (CUDA_VERSION + 1)

/* clang-format off */
const struct row rows[] = {
#define HOOK(symbol, name, from, until) {#symbol, name, from, until},
	DRIVER_HOOK_LIST
#undef HOOK
};
/* clang-format on */

const unsigned int row_count = sizeof(rows) / sizeof(*rows);
