#include "descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

bool descriptors_suffice(void)
{
	int fds[DESCRIPTORS_SPARE], count = 0;
	bool suffice;

	while (count < DESCRIPTORS_SPARE &&
	       (fds[count] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	suffice = count == DESCRIPTORS_SPARE;
	while (count)
		close(fds[--count]);
	return suffice;
}
