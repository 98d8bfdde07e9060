#include "trace_options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: trace_job [options] TRACE.csv|TRACE.csv.zst\n"
	"Runs an allocation trace as a CUDA job (examples/traces/FORMAT.md).\n"
	"\n"
	"  --fill pages|all|none  what kernels write and check of each "
	"buffer:\n"
	"                         4 pages of it (the default), every byte,\n"
	"                         or nothing\n"
	"  --compute              keep the device busy as long as the "
	"network's own\n"
	"                         kernels would, by the trace's "
	"t4_step_ms\n"
	"  --iterations N         stop after N whole iterations\n"
	"  --streams N            spread the buffers over N streams, 1 to 8: "
	"inputs\n"
	"                         have the last one, runs of 16 others take\n"
	"                         turns on the rest [as the trace says]\n"
	"  --second-thread        a second thread runs each iteration from its "
	"live\n"
	"                         peak on, as PyTorch's runs the backward "
	"pass\n"
	"  --mark                 tell mnm of each iteration, by mnm/mnm.h\n"
	"  --every N --run CMD    after each N iterations run CMD by the "
	"shell,\n"
	"                         the number of iterations so far in "
	"ITERATION\n"
	"  --times                print the time of each iteration, ms\n"
	"  --progress             show progress without a terminal, too\n"
	"  --help                 this text\n"
	"\n"
	"Exit status: 0; 1 after a CUDA error or a mismatch; 2 for a bad "
	"option\n"
	"or trace.\n";

static const struct fill {
	const char *name;
	size_t most_pages;
} fills[] = {{"pages", 4}, {"all", SIZE_MAX}, {"none", 0}, {NULL, 0}};

static const struct option rows[] = {
	{"fill", required_argument, NULL, 'f'},
	{"compute", no_argument, NULL, 'c'},
	{"iterations", required_argument, NULL, 'i'},
	{"streams", required_argument, NULL, 's'},
	{"second-thread", no_argument, NULL, 'b'},
	{"mark", no_argument, NULL, 'm'},
	{"every", required_argument, NULL, 'e'},
	{"run", required_argument, NULL, 'r'},
	{"times", no_argument, NULL, 't'},
	{"progress", no_argument, NULL, 'p'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static bool fill_parse(const char *name, size_t *most_pages)
{
	for (const struct fill *fill = fills; fill->name; fill++) {
		if (!strcmp(fill->name, name)) {
			*most_pages = fill->most_pages;
			return true;
		}
	}
	fprintf(stderr, "trace_job: --fill %s: not pages, all or none\n", name);
	return false;
}

static bool count_parse(const char *name, const char *text, long *count)
{
	char *end;

	errno = 0;
	*count = strtol(text, &end, 10);
	if (!errno && end != text && !*end && *count >= 1)
		return true;
	fprintf(stderr, "trace_job: --%s %s: not a number from 1\n", name,
		text);
	return false;
}

static bool streams_parse(const char *text, long *streams)
{
	if (!count_parse("streams", text, streams))
		return false;
	if (*streams <= STREAMS_MOST)
		return true;
	fprintf(stderr, "trace_job: --streams %s: more than %d\n", text,
		STREAMS_MOST);
	return false;
}

static bool option_parse(struct options *options, int option)
{
	switch (option) {
	case 'f':
		return fill_parse(optarg, &options->most_pages);
	case 'c':
		options->compute = true;
		return true;
	case 'i':
		return count_parse("iterations", optarg, &options->iterations);
	case 's':
		return streams_parse(optarg, &options->streams);
	case 'b':
		options->second = true;
		return true;
	case 'm':
		options->mark = true;
		return true;
	case 'e':
		return count_parse("every", optarg, &options->every);
	case 'r':
		options->run = optarg;
		return true;
	case 't':
		options->times = true;
		return true;
	case 'p':
		options->progress = true;
		return true;
	default: /* getopt has said what is wrong */
		return false;
	}
}

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	int option;

	*options = (struct options){
		.most_pages = fills[0].most_pages,
		.iterations = LONG_MAX,
		.every = 1,
		.progress = isatty(STDERR_FILENO),
	};
	*status = 2;
	while ((option = getopt_long(argc, argv, "", rows, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			*status = 0;
			return false;
		}
		if (!option_parse(options, option))
			return false;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "trace_job: needs one trace; see --help\n");
		return false;
	}
	options->path = argv[optind];
	return true;
}
