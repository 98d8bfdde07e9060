/* What `mnm` makes of the answers of a process, which may be any: the answer to
 * the first request, an empty line, and the answer to the next. A byte before
 * them may choose a command, a row of commands_run; otherwise all commands
 * run. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define main mnm_main
int mnm_main(int argc, char **argv);
#include "cli/main.c"
#undef main

#include "cli/job.h"
#include "fuzz.h"

enum { WORDS = 6, ENDS_MAX = 8, COLUMNS = 79 };

enum { COMMANDS = 10 };

/* clang-format off */
static const char *const commands_run[COMMANDS][WORDS] = {
	{"ps"},
	{"ps", "--json"},
	{"stat", "1"},
	{"stat", "--all", "--all-figures"},
	{"stat", "1", "--json"},
	{"set", "--all", "fence"},
	{"swap", "1", "--no-wait", "no_pool"},
	{"swap", "--all", "--no-wait", "--json", "no_pool"},
	{"trim", "--all", "--no-wait"},
	{"plan", "1", "--save", "/dev/null"},
};
/* clang-format on */

/* The parts of the input, one for each answer. */
static const char *part[2];
static size_t part_size[2];

static int ends[ENDS_MAX]; /* the process's ends of connections */
static int end_count;

/* Returns the caller's end of a connection that this part has come through. */
static int connection_open(int which)
{
	int fds[2];

	claim(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds),
	      "there are sockets");
	claim(write(fds[1], part[which], part_size[which]) ==
		      (ssize_t)part_size[which],
	      "an answer fits");
	shutdown(fds[1], SHUT_WR);
	claim(end_count < ENDS_MAX, "no request is sent again and again");
	ends[end_count++] = fds[1];
	return fds[0];
}

static void ends_close(void)
{
	while (end_count)
		close(ends[--end_count]);
}

/* These replace functions of src/cli/job.c. There is one job: this process. */
void __wrap_jobs_find(struct jobs *jobs);
bool __wrap_jobs_find_one(struct jobs *jobs, int pid);
bool __wrap_job_reconnect(struct job *job);

void __wrap_jobs_find(struct jobs *jobs)
{
	jobs->list = calloc(1, sizeof(*jobs->list));
	claim(jobs->list, "there is memory");
	jobs->count = 1;
	jobs->failed = false;
	*jobs->list = (struct job){.pid = getpid(),
				   .uid = geteuid(),
				   .folder = -1,
				   .fd = connection_open(0)};
}

bool __wrap_jobs_find_one(struct jobs *jobs, int pid)
{
	(void)pid;
	__wrap_jobs_find(jobs);
	return true;
}

bool __wrap_job_reconnect(struct job *job)
{
	job->fd = connection_open(1);
	return true;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0, length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		longest = length > longest ? length : longest;
	}
	return longest;
}

static void output_check(const char *const *words, const char *printed)
{
	bool json = false;
	json_t *value;

	for (int i = 0; i < WORDS && words[i]; i++)
		json |= !strcmp(words[i], "--json");
	claim(is_plain(printed), "what is printed is plain");
	if (!strcmp(words[0], "ps") && !json)
		claim(longest_line(printed) <= COLUMNS, "ps has 79 columns");
	if (!json || !*printed)
		return;
	value = json_loads(printed, 0, NULL);
	claim(value, "what is printed is JSON");
	json_decref(value);
}

static void command_check(const char *const *words)
{
	char *argv[WORDS + 2] = {"mnm"}, *printed, *said;
	struct capture out, error;
	int argc = 1, status;

	while (argc <= WORDS && words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	optind = 0;
	capture_begin(&out, &stdout);
	capture_begin(&error, &stderr);
	status = mnm_main(argc, argv);
	said = capture_end(&error);
	printed = capture_end(&out);
	ends_close();
	claim(status == EXIT_DONE || status == EXIT_FAILED,
	      "a command succeeds or fails");
	claim(is_plain(said), "what is said is plain");
	claim(*said || *printed, "something is said");
	output_check(words, printed);
	free(printed);
	free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool one = size && *data < COMMANDS;
	int first = one ? *data : 0, last = one ? *data : COMMANDS - 1;
	char *text, *gap;

	data += one;
	size -= one;
	text = input_text(data, size);
	gap = memmem(text, size, "\n\n", 2);
	setenv("NO_COLOR", "1", 1);
	part[0] = part[1] = text;
	part_size[0] = part_size[1] = size;
	if (gap) {
		part_size[0] = (size_t)(gap - text) + 1;
		part[1] = gap + 2;
		part_size[1] = size - part_size[0] - 1;
	}
	for (int i = first; i <= last; i++)
		command_check(commands_run[i]);
	free(text);
	return 0;
}
