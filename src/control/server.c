/* The thread that answers: it polls, so that no client can hold up another,
 * and a client that is silent or slow is dropped in the end. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "control.h"
#include "file_stat.h"
#include "host.h"
#include "listener.h"
#include "log.h"
#include "own_fd.h"
#include "protocol.h"
#include "stat_file.h"
#include "thread.h"

enum {
	CLIENTS_MAX = 128,
	CLIENT_SECONDS = 10, /* from its connection to the end of its answer */
	STACK_SIZE = 256 << 10,
	LOOK_AROUND_MS = 2000, /* for a program that ended, unused memory */
	ACCEPT_PAUSE_MS = 100, /* out of descriptors, say: don't spin */
};

struct client {
	struct own_fd socket; /* fd -1: a free place */
	time_t deadline;
	size_t used;
	char line[REQUEST_MAX];
	char *answer; /* NULL until the request is complete */
	size_t size, sent;
};

static struct own_fd listener = {-1, 0};
static struct client *clients; /* CLIENTS_MAX of them */

static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

static void client_close(struct client *client)
{
	own_fd_close(&client->socket);
	free(client->answer);
	client->answer = NULL;
}

static void client_answer(struct client *client, char *text, size_t size)
{
	client->answer = text;
	client->size = size;
	client->sent = 0;
	if (!text)
		client_close(client);
}

static void client_write(struct client *client)
{
	ssize_t sent =
		send(client->socket.fd, client->answer + client->sent,
		     client->size - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	client->sent += sent > 0 ? (size_t)sent : 0;
	if (sent <= 0 || client->sent == client->size)
		client_close(client);
}

static void client_refuse(struct client *client, const char *why)
{
	char *text = strdup(why);

	client_answer(client, text, text ? strlen(text) : 0);
}

static void client_read(struct client *client)
{
	ssize_t got = recv(client->socket.fd, client->line + client->used,
			   sizeof(client->line) - client->used, MSG_DONTWAIT);
	char *end, *text;
	size_t size;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		client_close(client);
		return;
	}
	client->used += (size_t)got;
	end = memchr(client->line, '\n', client->used);
	if (memchr(client->line, '\0', client->used)) {
		client_refuse(client, "error: a request is a line of text\n");
	} else if (end) {
		*end = '\0';
		text = command_run(client->line, &size);
		client_answer(client, text, size);
	} else if (client->used == sizeof(client->line)) {
		client_refuse(client, "error: a request is one line of at most "
				      "1023 bytes\n");
	}
}

/* A process answers its own user, and root. */
static bool peer_allowed(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

/* A free place; where there is none, the client that waits longest goes. */
static struct client *client_place(void)
{
	struct client *oldest = &clients[0];

	for (int i = 0; i < CLIENTS_MAX; i++) {
		if (clients[i].socket.fd < 0)
			return &clients[i];
		if (clients[i].deadline < oldest->deadline)
			oldest = &clients[i];
	}
	client_close(oldest);
	return oldest;
}

static void client_accept(void)
{
	struct timespec pause = {0, ACCEPT_PAUSE_MS * 1000000L};
	struct client *client;
	int fd = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			nanosleep(&pause, NULL);
		return;
	}
	client = client_place();
	client->socket = own_fd_open(fd);
	client->used = 0;
	client->deadline = seconds_now() + CLIENT_SECONDS;
	if (!peer_allowed(client->socket.fd))
		client_refuse(client, "error: this process belongs to another "
				      "user\n");
}

static void clients_expire(void)
{
	time_t now = seconds_now();

	for (int i = 0; i < CLIENTS_MAX; i++)
		if (clients[i].socket.fd >= 0 && clients[i].deadline < now)
			client_close(&clients[i]);
}

static void client_ready(struct client *client)
{
	if (!own_fd_is_ours(&client->socket)) {
		client_close(client);
		return;
	}
	if (!client->answer)
		client_read(client);
	if (client->socket.fd >= 0 && client->answer)
		client_write(client);
}

/* Whether this is the last thread of a program whose main has ended by
 * pthread_exit: then the process ends with this thread. Takes no descriptor,
 * as a program may count on the lowest being free. */
static bool program_ended(void)
{
	struct stat st;
	char path[1];

	/* Main, ended, has no program any more. A folder has a link for
	 * itself, its parent, and each in it: here main and this thread. */
	return readlink("/proc/self/exe", path, sizeof(path)) < 0 &&
	       !file_stat("/proc/self/task", &st, 0) && st.st_nlink <= 4;
}

static void *control_thread(void *arg)
{
	struct pollfd polls[CLIENTS_MAX + 1];
	struct client *polled[CLIENTS_MAX];
	int count, ready;

	(void)arg;
	prctl(PR_SET_NAME, "mnm-control");
	for (;;) {
		count = 0;
		for (int i = 0; i < CLIENTS_MAX; i++) {
			if (clients[i].socket.fd < 0)
				continue;
			polls[count].fd = clients[i].socket.fd;
			polls[count].events =
				clients[i].answer ? POLLOUT : POLLIN;
			polled[count++] = &clients[i];
		}
		polls[count].fd = listener.fd;
		polls[count].events = POLLIN;
		ready = poll(polls, (nfds_t)count + 1, LOOK_AROUND_MS);
		if (ready < 1 && program_ended())
			break;
		if (ready < 0)
			continue;
		for (int i = 0; i < count; i++)
			if (polls[i].revents)
				client_ready(polled[i]);
		if (polls[count].revents && !own_fd_is_ours(&listener))
			break;
		if (polls[count].revents)
			client_accept();
		clients_expire();
		host_trim_unused();
	}
	listener_unlink();
	return NULL;
}

/* In a forked child: the socket belongs to the parent. */
static void child_forget(void)
{
	for (int i = 0; clients && i < CLIENTS_MAX; i++)
		own_fd_close(&clients[i].socket);
	own_fd_close(&listener);
}

static void server_open(void)
{
	char error[256] = "no memory";
	int res;

	clients = calloc(CLIENTS_MAX, sizeof(*clients));
	for (int i = 0; clients && i < CLIENTS_MAX; i++)
		clients[i].socket.fd = -1;
	pthread_atfork(NULL, NULL, child_forget);
	if (clients &&
	    listener_open(&listener, CLIENTS_MAX, error, sizeof(error))) {
		res = thread_start(control_thread, STACK_SIZE);
		if (!res) {
			atexit(listener_unlink);
			return;
		}
		listener_unlink();
		own_fd_close(&listener);
		snprintf(error, sizeof(error), "no thread: %s", strerror(res));
	}
	log_warn("no control socket: %s", error);
}

static void control_open(void)
{
	int saved = errno; /* the program's: its call did not fail */

	server_open();
	stat_file_promise();
	errno = saved;
}

void control_open_once(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, control_open);
}
