#ifndef SIM_ERROR_H
#define SIM_ERROR_H

#include <cuda.h>

struct error_row {
	int value;
	const char *name;
	const char *words;
};

extern const struct error_row error_rows[]; /* written by gen_entries */
extern const unsigned error_count;

#endif
