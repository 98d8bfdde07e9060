#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

void json_print(const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);

	/* DEL is ASCII, but a control character as well. */
	for (const char *c = text; c && *c; c++)
		if (*c == 0x7f)
			fputs("\\u007f", stdout);
		else
			putchar(*c);
	putchar('\n');
	free(text);
}

bool output_obeys(void)
{
	const char *terminal = getenv("TERM");

	return terminal && strcmp(terminal, "dumb") && isatty(STDOUT_FILENO);
}

const char *highlight(enum highlight highlight)
{
	static const char *const sequences[] = {"\033[m", "\033[1m", "\033[33m",
						"\033[31m"};
	const char *colour = getenv("NO_COLOR");

	return (colour && *colour) || !output_obeys() ? ""
						      : sequences[highlight];
}

void output_open(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			/* This opens the lowest number that is free, which is
			 * fd. */
			open("/dev/null",
			     (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

int output_close(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !failed)
		return status;
	failure("standard output: %s",
		errno ? strerror(errno) : "it can't be written");
	return EXIT_FAILED;
}
