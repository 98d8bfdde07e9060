#include "shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned int shares_find(struct shares *shares, const char *name,
			 const char *file)
{
	unsigned int i = 0;
	struct share *share;

	for (; i < shares->count && i < SHARES_MOST - 1; i++)
		if (!strcmp(shares->shares[i].name, name) &&
		    !strcmp(shares->shares[i].file, file))
			return i;
	share = &shares->shares[i];
	if (i == SHARES_MOST - 1)
		name = file = "others";
	snprintf(share->name, sizeof(share->name), "%s", name);
	snprintf(share->file, sizeof(share->file), "%s", file);
	shares->count = i + 1;
	return i;
}

void shares_count(struct shares *shares, unsigned int share, uint64_t bytes,
		  bool comes)
{
	struct share *counted = &shares->shares[share];

	counted->bytes += comes ? bytes : -bytes;
	counted->blocks += comes ? 1 : -(uint64_t)1;
}

bool shares_keep(struct shares *shares, bool anew)
{
	uint64_t *row;

	if (shares->row_count == shares->room) {
		size_t room = shares->room ? 2 * shares->room : 64;
		void *more =
			realloc(shares->rows, room * sizeof(*shares->rows));

		if (!more)
			return false;
		shares->rows = more;
		shares->room = room;
	}
	shares->row_count += anew || !shares->row_count;
	row = shares->rows[shares->row_count - 1];
	for (unsigned int i = 0; i < SHARES_MOST; i++)
		row[i] = shares->shares[i].bytes;
	return true;
}

struct rank {
	uint64_t bytes;
	unsigned int share;
};

static int compare(const void *a, const void *b)
{
	const struct rank *first = a, *second = b;

	if (first->bytes == second->bytes)
		return first->share < second->share ? -1 : 1;
	return first->bytes < second->bytes ? 1 : -1;
}

static json_t *share_json(const struct shares *shares, unsigned int share)
{
	return json_pack("{s:i,s:s,s:s}", "share", (int)share, "name",
			 shares->shares[share].name, "file",
			 shares->shares[share].file);
}

/* The values over time of the shares from that rank on, of which there are so
 * many. */
static json_t *values_json(const struct shares *shares,
			   const struct rank *ranks, unsigned int count)
{
	json_t *values = json_array();

	for (size_t at = 0; at < shares->row_count; at++) {
		uint64_t bytes = 0;

		for (unsigned int i = 0; i < count; i++)
			bytes += shares->rows[at][ranks[i].share];
		json_array_append_new(values, json_integer((json_int_t)bytes));
	}
	return values;
}

json_t *shares_rows(const struct shares *shares)
{
	struct rank ranks[SHARES_MOST] = {0};
	json_t *list = json_array(), *json;

	for (unsigned int i = 0; i < shares->count; i++) {
		ranks[i] = (struct rank){0, i};
		for (size_t at = 0; at < shares->row_count; at++)
			if (shares->rows[at][i] > ranks[i].bytes)
				ranks[i].bytes = shares->rows[at][i];
	}
	qsort(ranks, shares->count, sizeof(*ranks), compare);
	for (unsigned int i = 0; i < shares->count && ranks[i].bytes; i++) {
		bool rest = i == SHARES_SHOWN && i + 1 < shares->count;

		json = rest ? json_pack("{s:s,s:s}", "name", "others", "file",
					"")
			    : share_json(shares, ranks[i].share);
		json_object_set_new(json, "v",
				    values_json(shares, &ranks[i],
						rest ? shares->count - i : 1));
		json_array_append_new(list, json);
		if (rest)
			break;
	}
	return list;
}

json_t *shares_now(const struct shares *shares)
{
	struct rank ranks[SHARES_MOST] = {0};
	json_t *list = json_array(), *json;

	for (unsigned int i = 0; i < shares->count; i++)
		ranks[i] = (struct rank){shares->shares[i].bytes, i};
	qsort(ranks, shares->count, sizeof(*ranks), compare);
	for (unsigned int i = 0; i < shares->count && ranks[i].bytes; i++) {
		const struct share *share = &shares->shares[ranks[i].share];

		json = share_json(shares, ranks[i].share);
		json_object_set_new(json, "bytes",
				    json_integer((json_int_t)share->bytes));
		json_object_set_new(json, "blocks",
				    json_integer((json_int_t)share->blocks));
		json_array_append_new(list, json);
	}
	return list;
}
