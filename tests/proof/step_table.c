#include <string.h>

#include "step.h"

const struct step_row step_rows[] = {
#define STEP(name, weight) {#name, weight, draw_##name, run_##name},
	STEP_LIST
#undef STEP
	{NULL, 0, NULL, NULL},
};

const struct step_row *step_row_find(const char *name)
{
	const struct step_row *row = step_rows;

	while (row->name && strcmp(row->name, name))
		row++;
	return row->name ? row : NULL;
}
