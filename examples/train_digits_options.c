#include "train_digits_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: train_digits [options]\n"
	"Trains a small network on images of handwritten digits.\n"
	"\n"
	"  --epochs N     times through the training images (default 20)\n"
	"  --steps N      stop after N steps\n"
	"  --batch N      images a step (default 32)\n"
	"  --losses       print the loss of every step, which waits for it\n"
	"  --data PATH    the images (default: data/digits.csv beside the\n"
	"                 program)\n"
	"  --every N      with --run: after each N steps ...\n"
	"  --run COMMAND  ... wait for the device and run COMMAND by the "
	"shell\n"
	"                 with STEP set; the training ends if it fails\n"
	"  --help         this text\n";

static const struct option names[] = {
	{"epochs", required_argument, NULL, 'e'},
	{"steps", required_argument, NULL, 's'},
	{"batch", required_argument, NULL, 'b'},
	{"losses", no_argument, NULL, 'l'},
	{"data", required_argument, NULL, 'd'},
	{"every", required_argument, NULL, 'n'},
	{"run", required_argument, NULL, 'r'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void option_fail(const char *what, const char *value)
{
	fprintf(stderr, "train_digits: %s%s (see --help)\n", what, value);
	exit(2);
}

static int number_read(const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 1 || value > 1000000)
		option_fail("not a number from 1 to 1000000: ", text);
	return (int)value;
}

static void path_set(struct options *options, const char *path)
{
	if (strlen(path) >= sizeof(options->data))
		option_fail("path too long: ", path);
	strcpy(options->data, path);
}

/* Sets the path of the images that the build put beside the program. */
static void path_default(struct options *options)
{
	static const char name[] = "data/digits.csv";
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;

	if (!slash || slash + 1 + sizeof(name) > path + sizeof(path))
		option_fail("no default for ", "--data");
	strcpy(slash + 1, name);
	path_set(options, path);
}

static void option_set(struct options *options, int name)
{
	switch (name) {
	case 'e':
		options->epochs = number_read(optarg);
		break;
	case 's':
		options->steps = number_read(optarg);
		break;
	case 'b':
		options->batch = number_read(optarg);
		break;
	case 'l':
		options->losses = 1;
		break;
	case 'd':
		path_set(options, optarg);
		break;
	case 'n':
		options->every = number_read(optarg);
		break;
	case 'r':
		options->command = optarg;
		break;
	case 'h':
		fputs(help, stdout);
		exit(0);
	default: /* getopt has said what is wrong */
		exit(2);
	}
}

void options_read(struct options *options, int argc, char **argv)
{
	int name;

	memset(options, 0, sizeof(*options));
	options->epochs = 20;
	options->batch = 32;
	while ((name = getopt_long(argc, argv, "", names, NULL)) != -1)
		option_set(options, name);
	if (optind < argc)
		option_fail("unexpected argument: ", argv[optind]);
	if (!options->command != !options->every)
		option_fail("--every and --run belong together", "");
	if (!options->data[0])
		path_default(options);
}
