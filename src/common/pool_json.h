/* What the command and the control socket say of a pool. */
#ifndef MNM_POOL_JSON_H
#define MNM_POOL_JSON_H

#include <limits.h>

#include <jansson.h>

#include "pool_choice.h"
#include "pool_list.h"
#include "text.h"

/* A path need not be UTF-8. */
static inline json_t *path_json(const char *path)
{
	char plain[PATH_MAX];
	json_t *text = path ? json_string(path) : NULL;

	return text || !path
		       ? text
		       : json_string(text_plain(path, plain, sizeof(plain)));
}

/* An object with the pool's name, its summary, and the backings that it may
 * have, its own first; of a plug-in's pool also its file, and whether it is
 * switched off. */
static inline json_t *pool_json(const struct pool_row *row)
{
	json_t *backings = json_array();
	const char *word;

	for (int i = 0; (word = pool_backing(row, i)); i++)
		json_array_append_new(backings, json_string(word));
	return json_pack("{s:s,s:s,s:o,s:o*,s:o*}", "name", row->name,
			 "summary", row->summary, "backings", backings, "file",
			 path_json(row->file), "off",
			 pool_row_is_off(row) ? json_true() : NULL);
}

#endif
