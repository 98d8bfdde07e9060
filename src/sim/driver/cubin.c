#include "cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuobjdump.h"
#include "image.h"

/* Where the tool's text about a kernel begins: a line with a section's name. */
static const char *section_find(const char *text, const char *name)
{
	static const char head[] = "\n.nv.info.";

	for (const char *at = strstr(text, head); at;
	     at = strstr(at + 1, head)) {
		const char *word = at + strlen(head);
		size_t length = strlen(name);

		if (!strncmp(word, name, length) && word[length] == '\n')
			return word + length + 1;
	}
	return NULL;
}

/* Reads "... Ordinal : 0x3 Offset : 0x18 Size : 0x4". */
static bool line_read(const char *line, struct cubin_params *params)
{
	const char *at = strstr(line, "Ordinal");
	const char *end = strchrnul(line, '\n');
	unsigned ordinal;
	size_t place, size;

	if (!at || at > end ||
	    sscanf(at, "Ordinal : %x Offset : %zx Size : %zx", &ordinal, &place,
		   &size) != 3)
		return true;
	if (ordinal >= CUBIN_PARAMS_MOST)
		return false;
	params->places[ordinal] = place;
	params->sizes[ordinal] = size;
	if (params->count <= ordinal)
		params->count = ordinal + 1;
	if (params->bytes < place + size)
		params->bytes = place + size;
	return true;
}

bool cubin_params(struct image *image, const char *name,
		  struct cubin_params *params)
{
	const char *at;
	bool ok = true;

	if (!image->elf && image->kind >= IMAGE_ELF && !image->elf_read)
		image->elf = cuobjdump("-elf", image->bytes, image->first);
	image->elf_read = true;
	at = image->elf ? section_find(image->elf, name) : NULL;
	*params = (struct cubin_params){0};
	if (!at)
		return false;
	while (ok && *at && *at != '.') {
		ok = line_read(at, params);
		at = strchrnul(at, '\n');
		at += *at == '\n';
	}
	for (size_t i = 0; i < params->count; i++)
		ok &= params->sizes[i] != 0;
	return ok;
}
