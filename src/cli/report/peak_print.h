/* Who held the most that lived, or what lived at another moment, as text. */
#ifndef MNM_PEAK_PRINT_H
#define MNM_PEAK_PRINT_H

#include <stdint.h>

#include "report.h"

double peak_percent(uint64_t part, uint64_t whole);

/* By the code that has called CUDA; by stacks, if there are some; and by
 * ranges. */
void peak_print(const struct report *report,
		const struct device_summary *device);

#endif
