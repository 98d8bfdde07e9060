#include "control.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "schedule.h"

/* The control thread can act for one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifndef PROOF_FREE
#define EXPORT __attribute__((visibility("default")))

static bool is_own(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       peer.pid == getpid();
}

/* The control thread calls this instead of libc's function. An `mnm ps` of
 * somebody else on this machine gets no answer: the answer would be made
 * outside the schedule, and could wait for a lock whose holder waits for its
 * turn. */
EXPORT int accept4(int listener, struct sockaddr *restrict address,
		   socklen_t *restrict size, int flags)
{
	int fd = (int)syscall(SYS_accept4, listener, address, size, flags);

	if (fd < 0 || is_own(fd))
		return fd;
	close(fd);
	errno = ECONNABORTED;
	return -1;
}

/* What a plan may cost is counted by how often it is looked at, so that the
 * plan follows from the seed. */
static int work_time(struct timespec *now)
{
	static __thread long looks;
	const long look_ns = 1000000;

	looks++;
	*now = (struct timespec){.tv_sec = looks / 1000,
				 .tv_nsec = looks % 1000 * look_ns};
	return 0;
}

/* Time stands still for mnm's threads. What they would do once in a while by
 * themselves, such as a look whether memory is unused, would be outside the
 * schedule as well. */
EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return work_time(now);
	if (clock != CLOCK_MONOTONIC || !schedule_is_mnms_thread())
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){.tv_sec = 1};
	return 0;
}
#endif

static int control_open(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%d.sock",
		 getenv("MNM_SOCKET_DIR"), (int)getpid());
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void answer_read(int fd, char *answer, size_t size)
{
	size_t used = 0;
	ssize_t got;

	while (used < size - 1) {
		/* NOLINTNEXTLINE(*.BlockInCriticalSection): all wait for it */
		got = read(fd, answer + used, size - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	answer[used] = '\0';
}

/* Writes the line that mnm sends for these words, and returns its length. */
static int request_write(const char *words, char *request, size_t size)
{
	char name[16] = "", first[64] = "", second[64] = "";

	sscanf(words, "%15s %63s %63s", name, first, second);
	if (*second)
		return snprintf(request, size,
				"{\"command\":\"%s\",\"option\":\"%s\","
				"\"value\":\"%s\"}\n",
				name, first, second);
	if (*first)
		return snprintf(request, size,
				"{\"command\":\"%s\",\"pool\":\"%s\"}\n", name,
				first);
	return snprintf(request, size, "{\"command\":\"%s\"}\n", name);
}

bool control_ask(const char *words, char *answer, size_t size)
{
	char request[256];
	int fd, length;

	pthread_mutex_lock(&lock);
	fd = control_open();
	if (fd >= 0) {
		length = request_write(words, request, sizeof(request));
		schedule_ask();
		if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length)
			perror("send to mnm's socket");
		answer_read(fd, answer, size);
		schedule_answered();
		close(fd);
	}
	pthread_mutex_unlock(&lock);
	return fd >= 0;
}

long control_figure(const char *answer, const char *name)
{
	char key[64];
	long sum = -1;

	snprintf(key, sizeof(key), "\"%s\":", name);
	while ((answer = strstr(answer, key))) {
		answer += strlen(key);
		sum = (sum < 0 ? 0 : sum) + strtol(answer, NULL, 10);
	}
	return sum;
}
