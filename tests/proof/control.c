#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "schedule.h"

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

bool control_ask(const char *line, char *answer, size_t size)
{
	int fd = control_open();
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	schedule_ask();
	if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0 ||
	    send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
		perror("send to mnm's socket");
	while (used < size - 1) {
		got = read(fd, answer + used, size - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	answer[used] = '\0';
	schedule_answered();
	close(fd);
	return true;
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
