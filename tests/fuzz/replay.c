/* The main program where libFuzzer's is not: REPLAY FILE... */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_MAX = 1 << 20 };

static int replay(const char *path)
{
	uint8_t *data = malloc(INPUT_MAX);
	FILE *in = fopen(path, "rbe");
	size_t size;

	if (!data || !in) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return EXIT_FAILURE;
	}
	size = fread(data, 1, INPUT_MAX, in);
	fclose(in);
	/* At their own size, so that a read past their end is seen. */
	data = realloc(data, size ? size : 1);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	int status = argc > 1 ? EXIT_SUCCESS : 2;

	for (int i = 1; i < argc; i++) {
		/* Said first, so that a crash is known by its input. */
		printf("%s\n", argv[i]);
		fflush(stdout);
		status |= replay(argv[i]);
	}
	return status;
}
