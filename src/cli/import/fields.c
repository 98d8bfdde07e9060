#include "fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Moves what is between quotes to the front. Returns what follows, or NULL. */
static char *quotes_take(char *field)
{
	char *to = field;

	for (char *at = field + 1; *at; at++) {
		if (*at == '"' && at[1] != '"') {
			*to = '\0';
			return at + 1;
		}
		at += *at == '"';
		*to++ = *at;
	}
	return NULL;
}

int fields_cut(char *line, char **fields, int most)
{
	char *field = line;

	for (int count = 1;; count++) {
		char *end = *field == '"' ? quotes_take(field)
					  : field + strcspn(field, ",");
		char after;

		if (!end || (*end && *end != ','))
			return -1;
		if (count <= most)
			fields[count - 1] = field;
		after = *end;
		*end = '\0';
		if (!after)
			return count;
		field = end + 1;
	}
}

bool number_field(const char *field, int base, uint64_t most, uint64_t *number)
{
	char *end;

	if (!strncmp(field, "0x", 2))
		base = 16;
	if (!isxdigit((unsigned char)*field))
		return false;
	errno = 0;
	*number = strtoull(field, &end, base);
	return end != field && !*end && !errno && *number <= most;
}
