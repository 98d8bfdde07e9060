/* Times one work of one contender, and prints what it found as one line of
 * JSON. All contenders go through the same loop. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "fail.h"
#include "work.h"

static const char usage[] =
	"Usage: pair [--seconds S | --plays N] [--cores C,...] DRIVER.so WORK\n"
	"Times allocations and frees of one contender, and prints JSON.\n"
	"  --seconds S    for about so long, warmed up first [0.2]\n"
	"  --plays N      so many whole plays of the work instead, to count by\n"
	"  --cores C,...  cores that the threads are bound to [0]\n"
	"WORK is one of\n";

struct options {
	double seconds;
	unsigned long plays;
};

static void usage_print(FILE *out)
{
	fputs(usage, out);
	for (const struct work *work = works; work->name; work++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s%s", work->name,
			 work->argument ? ":" : "",
			 work->argument ? work->argument : "");
		fprintf(out, "  %-15s%s\n", name, work->help);
	}
}

static void cores_read(struct crew *crew, char *list)
{
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		char *end;
		long core = strtol(word, &end, 10);

		if (*end || core < 0 || core >= 1024 ||
		    crew->core_count == CORES_MAX)
			fail("--cores", "numbers of cores, as 0,1");
		crew->cores[crew->core_count++] = (int)core;
	}
}

static void options_read(struct options *options, struct crew *crew, int argc,
			 char **argv)
{
	static const struct option known[] = {
		{"seconds", required_argument, NULL, 's'},
		{"plays", required_argument, NULL, 'p'},
		{"cores", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) >= 0) {
		if (option == 's')
			options->seconds = strtod(optarg, NULL);
		if (option == 'p')
			options->plays = number_read("--plays", optarg, 100000);
		if (option == 'c')
			cores_read(crew, optarg);
		if (option == 'h') {
			usage_print(stdout);
			exit(0);
		}
		if (option == '?' || argc - optind < 0) {
			usage_print(stderr);
			exit(2);
		}
	}
	if (!(options->seconds > 0 && options->seconds <= 60))
		fail("--seconds", "more than 0, at most 60");
	if (!crew->core_count)
		crew->cores[crew->core_count++] = 0;
}

/* text is NAME or NAME:ARGUMENT */
static void work_build(struct crew *crew, const char *text)
{
	size_t length = strcspn(text, ":");

	for (const struct work *work = works; work->name; work++) {
		if (strlen(work->name) != length ||
		    strncmp(work->name, text, length))
			continue;
		work->build(crew, text[length] ? text + length + 1 : NULL);
		return;
	}
	fail(text, "no such work; --help lists them");
}

/* Lets the contender start what it starts with its first block, before this
 * thread is bound to a core, as its helper threads are not to be bound. */
static void first_pair(const struct contender *who)
{
	void *block = who->alloc(4096);

	if (!block)
		fail(who->version, "out of memory at the first block");
	who->free(block, 4096);
}

static void crew_print(const struct crew *crew, const char *work)
{
	const char *comma = "";

	printf("{\"work\": \"%s\", \"version\": \"%s\", \"threads\": %u, "
	       "\"pairs\": %zu, \"plays\": %lu, \"mallocs\": ",
	       work, crew->who->version, crew->count, crew->pairs, crew->plays);
	if (crew->mallocs < 0)
		printf("null");
	else
		printf("%g", crew->mallocs);
	printf(", \"ns_per_pair\": [");
	for (unsigned int i = 0; i < crew->repetitions; i++, comma = ", ")
		printf("%s%.3f", comma, crew->ns[i]);
	printf("]}\n");
}

int main(int argc, char **argv)
{
	struct options options = {.seconds = 0.2};
	static struct contender who;
	static struct crew crew = {.who = &who};

	options_read(&options, &crew, argc, argv);
	if (argc - optind != 2) {
		usage_print(stderr);
		return 2;
	}
	for (unsigned int i = 0; i < WORKERS_MAX; i++) {
		crew.workers[i].crew = &crew;
		crew.workers[i].index = i;
	}
	work_build(&crew, argv[optind + 1]);
	for (unsigned int i = 0; i < crew.count; i++)
		crew.pairs += crew.workers[i].timed.pairs;
	contender_open(&who, argv[optind]);
	first_pair(&who);
	crew_run(&crew, options.seconds, options.plays);
	crew_print(&crew, argv[optind + 1]);
	crew_close(&crew);
	return 0;
}
