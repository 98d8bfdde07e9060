/* Usage: proof [--first N] [--count N] [--jobs N] [--forever] [--native]
 *              [--pool POOL] [--level LEVEL] [--kind KIND] [--seed N]
 *        proof --races[=NAME] [--every-way]
 *
 * Generated CUDA programs under libmnm.so on the simulated device; see
 * README.md. Ends with a line of counts; the exit status is 0 if none failed.
 */
#include <ctype.h>
#include <dirent.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "choice.h"
#include "fleet.h"
#include "kind.h"
#include "races.h"

#ifdef PROOF_FREE
enum { COUNT = 1000 }; /* a sanitizer is slow */
#else
enum { COUNT = 6000 };
#endif

static const struct option options[] = {
	{"first", required_argument, NULL, 'f'},
	{"count", required_argument, NULL, 'c'},
	{"jobs", required_argument, NULL, 'j'},
	{"seed", required_argument, NULL, 's'},
	{"pool", required_argument, NULL, 'p'},
	{"level", required_argument, NULL, 'l'},
	{"kind", required_argument, NULL, 'k'},
	{"races", optional_argument, NULL, 'r'},
	{"every-way", no_argument, NULL, 'w'},
	{"native", no_argument, NULL, 'n'},
	{"forever", no_argument, NULL, 'e'},
	{NULL, 0, NULL, 0},
};

static const char *const levels[] = {"fence", "sync", "none", NULL};

static int usage(void)
{
	fprintf(stderr, "usage: proof [--first N] [--count N] [--jobs N] "
			"[--forever] [--native]\n             [--pool POOL] "
			"[--level LEVEL] [--kind KIND] [--seed N]\n"
			"       proof --races[=NAME] [--every-way]\n");
	return 2;
}

/* Whether a word that was given is in the list. */
static bool is_known(const char *what, const char *word,
		     const char *const *list)
{
	const char *const *known = list;

	while (word && *known && strcmp(*known, word))
		known++;
	if (!word || *known)
		return true;
	fprintf(stderr, "proof: no %s \"%s\", want", what, word);
	for (known = list; *known; known++)
		fprintf(stderr, " %s", *known);
	fprintf(stderr, "\n");
	return false;
}

/* A number of 0 and more; -1 if the text is none. */
static long long number_read(const char *text)
{
	char *end;
	long long number = strtoll(text, &end, 10);

	if (isdigit((unsigned char)*text) && !*end && number < LLONG_MAX)
		return number;
	fprintf(stderr, "proof: \"%s\" is no number\n", text);
	return -1;
}

static bool kind_is_known(const struct fleet *fleet)
{
	const char *kind = fleet->wish.kind;

	if (!kind || kind_find(kind) < KIND_COUNT)
		return true;
	fprintf(stderr, "proof: no kind \"%s\", want", kind);
	for (unsigned i = 0; i < KIND_COUNT; i++)
		fprintf(stderr, " %s", kind_name((enum kind)i));
	fprintf(stderr, "\n");
	return false;
}

static bool options_read(struct fleet *fleet, struct races *races, int argc,
			 char **argv)
{
	long long number = 0;
	int option;

	while (number >= 0 &&
	       (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			fleet->verbose = true;
			fleet->count = 1; /* fall through */
		case 'f':
			number = number_read(optarg);
			fleet->first = (uint64_t)number;
			break;
		case 'c':
			number = number_read(optarg);
			fleet->count = (unsigned long)number;
			if (!number)
				return false;
			break;
		case 'j':
			fleet->jobs = atoi(optarg);
			break;
		case 'p':
			fleet->wish.pool = optarg;
			break;
		case 'l':
			fleet->wish.level = optarg;
			break;
		case 'k':
			fleet->wish.kind = optarg;
			break;
		case 'r':
			races->wanted = true;
			races->name = optarg;
			break;
		case 'w':
			races->every = true;
			break;
		case 'n':
			fleet->native = true;
			break;
		case 'e':
			fleet->count = 0;
			break;
		default:
			return false;
		}
	}
	return number >= 0 && optind == argc && fleet->jobs > 0 &&
	       (races->wanted || !races->every) && kind_is_known(fleet) &&
	       (getenv("MNM_POOL_PLUGINS") ||
		is_known("pool", fleet->wish.pool, choices)) &&
	       is_known("level", fleet->wish.level, levels);
}

/* Puts a sanitizer's runtime into the list: it has to be loaded first. */
static int sanitizer_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	char *list = arg;

	(void)size;
	if (!strstr(info->dlpi_name, "/libasan.so") &&
	    !strstr(info->dlpi_name, "/libtsan.so"))
		return 0;
	snprintf(list, PATH_MAX, "%s:", info->dlpi_name);
	return 1;
}

/* Sets the environment and starts this program again, as the loader reads some
 * variables only at the start of a process. */
static void start_again(char **argv, bool native)
{
	char self[PATH_MAX], path[2 * PATH_MAX + 64], program[PATH_MAX], *build;
#ifdef PROOF_FREE
	const char *library = "", *options;
#else
	const char *library = "tests/proof/"; /* see points.c */
#endif
	const char *before = getenv("LD_PRELOAD");
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return;
	self[length] = '\0';
	memcpy(program, self, sizeof(program));
	snprintf(path, sizeof(path), "%s.kernels.so", self);
	setenv("MNM_SIM_KERNELS", path, 1);
	build = dirname(dirname(dirname(self)));
	snprintf(path, sizeof(path), "%s/sim", build);
	setenv("LD_LIBRARY_PATH", path, 1);
	*path = '\0';
	dl_iterate_phdr(sanitizer_visit, path);
	length = (ssize_t)strlen(path);
	snprintf(path + length, sizeof(path) - (size_t)length, "%s/%slibmnm.so",
		 build, library);
	/* Without the library every program would go well. */
	if (!native && access(path + length, R_OK)) {
		perror(path + length);
		return;
	}
	length = (ssize_t)strlen(path);
	if (before) /* the tester's own stays, behind it */
		snprintf(path + length, sizeof(path) - (size_t)length, ":%s",
			 before);
	if (!native)
		setenv("LD_PRELOAD", path, 1);
#ifdef PROOF_FREE
	/* ThreadSanitizer sleeps for a second at each exit. */
	options = getenv("TSAN_OPTIONS");
	snprintf(path, sizeof(path), "%s:atexit_sleep_ms=0",
		 options ? options : "");
	setenv("TSAN_OPTIONS", path, 1);
#endif
	setenv("PROOF_STARTED", "1", 1);
	/* Addresses decide where the index of blocks is searched. */
	personality(ADDR_NO_RANDOMIZE);
	execv(program, argv);
	perror(program);
}

static void folder_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static void sum_print(const struct fleet *fleet, double seconds)
{
	const struct tally *sum = &fleet->sum;

	printf("%lu programs, %lu failures: %lu steps, %lu allocations, %lu "
	       "reuses, %lu fences, %lu syncs, %lu swaps, %lu captures, %lu "
	       "graph launches, %lu contents compared, %lu streams and %lu "
	       "events with the handle of one that ended, %lu threads that "
	       "left work, plans for %lu of %lu programs of laps, followed in "
	       "%lu, several at a time in %lu, %lu requests taken without a "
	       "lock; %.1f s\n",
	       sum->programs, sum->failures, sum->steps, sum->allocs,
	       sum->reuses, sum->fences, sum->syncs, sum->swaps, sum->captures,
	       sum->launches, sum->compared, sum->streams, sum->events,
	       sum->threads, sum->planned, sum->laps, sum->placed, sum->several,
	       sum->stepped, seconds);
}

int main(int argc, char **argv)
{
	struct fleet fleet = {.first = 1, .count = COUNT, .jobs = 2};
	char folder[] = "/tmp/proof-XXXXXX";
	struct timespec start, end;
	struct races races = {0};
	bool good;

	if (!options_read(&fleet, &races, argc, argv))
		return usage();
	if (!getenv("PROOF_STARTED")) {
		start_again(argv, fleet.native);
		return EXIT_FAILURE;
	}
	unsetenv("LD_PRELOAD");
	if (!mkdtemp(folder)) {
		perror(folder);
		return EXIT_FAILURE;
	}
	setenv("MNM_SOCKET_DIR", folder, 1);
	if (races.wanted) {
		good = races_run(&races);
		folder_remove(folder);
		return good ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	good = fleet_run(&fleet);
	clock_gettime(CLOCK_MONOTONIC, &end);
	folder_remove(folder);
	sum_print(&fleet, (double)(end.tv_sec - start.tv_sec) +
				  (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
