/* What a preload costs a process that does nothing. The program starts itself
 * again and again, under each of several preloads in turn. It prints the median
 * time of each from start to end, in microseconds, as a JSON list. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "crew.h"
#include "fail.h"

enum { RUNS_MAX = 10000, LIBRARIES_MAX = 8 };

static double took_us[LIBRARIES_MAX][RUNS_MAX];

static double start_us(const char *library)
{
	char *const arguments[] = {"starts", "nothing", NULL};
	char preload[4096], *environment[] = {preload, NULL};
	double start = seconds_now();
	int status;
	pid_t child;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s",
		 strcmp(library, "-") ? library : "");
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments,
			environment) ||
	    waitpid(child, &status, 0) != child || status)
		fail(library, "a process under it did not end well");
	return (seconds_now() - start) * 1e6;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
	int count = argc - 3, runs = argc > 3 ? atoi(argv[1]) : 0;

	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	if (runs < 1 || runs > RUNS_MAX || count > LIBRARIES_MAX) {
		fputs("Usage: starts RUNS CORE LIBRARY...   -: none\n", stderr);
		return 2;
	}
	pin(atoi(argv[2]));
	for (int run = 0; run < runs; run++)
		for (int i = 0; i < count; i++)
			took_us[i][run] = start_us(argv[i + 3]);
	for (int i = 0; i < count; i++) {
		qsort(took_us[i], (size_t)runs, sizeof(double), compare);
		printf("%s%.2f", i ? ", " : "[", took_us[i][runs / 2]);
	}
	printf("]\n");
	return 0;
}
