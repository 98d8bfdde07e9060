/* What the command and the control socket say of a pool. */
#ifndef MNM_POOL_JSON_H
#define MNM_POOL_JSON_H

#include <jansson.h>

#include "pool_choice.h"
#include "pool_list.h"

/* An object with the pool's name, its summary, and the backings that it may
 * have, its own first; of a plug-in's pool also its file, and whether it is
 * switched off. */
static inline json_t *pool_json(const struct pool_row *row)
{
	json_t *backings = json_array();
	const char *word;

	for (int i = 0; (word = pool_backing(row, i)); i++)
		json_array_append_new(backings, json_string(word));
	return json_pack("{s:s,s:s,s:o,s:s*,s:o*}", "name", row->name,
			 "summary", row->summary, "backings", backings, "file",
			 row->file, "off",
			 pool_row_is_off(row) ? json_true() : NULL);
}

#endif
