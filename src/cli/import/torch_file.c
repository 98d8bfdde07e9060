/* Reads the file of a snapshot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torch.h"

enum { READ_SIZE = 1 << 20 };

static const char *file_append(FILE *file, struct bytes *bytes)
{
	uint8_t *part = malloc(READ_SIZE);
	size_t got;

	if (!part)
		return "no memory to read it";
	while ((got = fread(part, 1, READ_SIZE, file)) && !bytes->lost &&
	       bytes->size <= UINT32_MAX)
		bytes_put(bytes, part, got);
	free(part);
	if (ferror(file))
		return strerror(errno);
	if (bytes->size > UINT32_MAX)
		return "it has more than 4 GiB";
	return bytes->lost ? "no memory to read it" : NULL;
}

static const char *file_read(const char *path, struct bytes *bytes)
{
	FILE *file = fopen(path, "rbe");
	const char *wrong;

	if (!file)
		return strerror(errno);
	wrong = file_append(file, bytes);
	fclose(file);
	return wrong;
}

static void progress(void *argument, size_t at)
{
	import_progress(argument, at);
}

const char *import_torch(struct import *import)
{
	struct pickle pickle = {.progress = progress, .argument = import};
	struct bytes bytes = {0};
	const char *wrong = file_read(import->path, &bytes);

	if (!wrong) {
		wrong = pickle_read(&pickle, bytes.at, bytes.size);
		wrong = wrong ? import_wrong(import, "byte %zu: %s", pickle.at,
					     wrong)
			      : torch_take(import, &pickle);
	}
	pickle_release(&pickle);
	bytes_release(&bytes);
	return wrong;
}
