/* Sizes, as options have them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "option.h"

/* Reads K, M or G, alone or as in MiB or MB: all are powers of 1024. */
static bool unit_parse(const char *text, int *shift)
{
	static const char letters[] = "KMG";
	const char *letter = strchr(letters, toupper((unsigned char)*text));

	*shift = 0;
	if (!*text)
		return true;
	if (!letter)
		return false;
	*shift = 10 * (int)(letter - letters + 1);
	text++;
	return !*text || !strcasecmp(text, "B") || !strcasecmp(text, "iB");
}

/* Reads a point and the digits after it, as that share of the unit, in
 * bytes. */
static size_t fraction_parse(const char **text, int shift)
{
	size_t unit = (size_t)1 << shift, part;
	double share = 0, digit = 1;

	while (isdigit((unsigned char)*++*text))
		share += (**text - '0') * (digit /= 10);
	part = (size_t)(share * (double)unit);
	return part < unit ? part : unit - 1; /* many nines are rounded up */
}

bool size_parse(const char *text, size_t *size)
{
	const char *unit = text + strspn(text, "0123456789.");
	unsigned long long value;
	size_t fraction = 0;
	const char *end;
	int shift;

	if (!isdigit((unsigned char)*text) || !unit_parse(unit, &shift))
		return false;
	errno = 0;
	value = strtoull(text, (char **)&end, 10);
	if (errno || value > SIZE_MAX >> shift)
		return false;
	if (*end == '.' && shift && isdigit((unsigned char)end[1]))
		fraction = fraction_parse(&end, shift);
	if (end != unit)
		return false;
	*size = ((size_t)value << shift) + fraction;
	return true;
}
