/* The main program for builds without libFuzzer's. Usage: REPLAY FILE... */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_MAX = 1 << 20 };

static int replay(const char *path)
{
	static uint8_t input[INPUT_MAX];
	FILE *in = fopen(path, "rbe");
	uint8_t *data;
	size_t size;

	if (!in) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return EXIT_FAILURE;
	}
	size = fread(input, 1, sizeof(input), in);
	fclose(in);
	/* The copy has exactly that size, so that a read past its end is
	 * seen. */
	data = malloc(size ? size : 1);
	if (!data) {
		fprintf(stderr, "%s: out of memory\n", path);
		return EXIT_FAILURE;
	}
	memcpy(data, input, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	int status = argc > 1 ? EXIT_SUCCESS : 2;

	for (int i = 1; i < argc; i++) {
		/* Printed first, so that after a crash the input is known. */
		printf("%s\n", argv[i]);
		fflush(stdout);
		status |= replay(argv[i]);
	}
	return status;
}
