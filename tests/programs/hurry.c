/* A preload under which a second goes by with each look that mnm's control
 * thread takes at the clock, so that what it does once in a while is due each
 * time; and under which a thread that reads the end of an answer takes a moment
 * to go on, so that the control thread is at it by then. */
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
	static time_t ahead;
	char name[16] = "";
	int res = (int)syscall(SYS_clock_gettime, clock, now);

	prctl(PR_GET_NAME, name);
	if (!res && clock == CLOCK_MONOTONIC && !strcmp(name, "mnm-control"))
		now->tv_sec += ++ahead;
	return res;
}

EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	ssize_t got = syscall(SYS_read, fd, bytes, size);

	if (!got)
		nanosleep(&moment, NULL);
	return got;
}
