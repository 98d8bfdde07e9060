/* The server polls, so that no client can hold up another, and a client that is
 * silent or slow is dropped in the end. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "listener.h"
#include "guarded_fd.h"
#include "common/protocol.h"
#include "server.h"

enum {
	CLIENTS_MAX = 128,
	CLIENT_SECONDS = 10, /* from its connection to the end of its answer */
	PAUSE_MS = 100,      /* don't spin, as when out of descriptors */
};

struct client {
	struct guarded_fd socket; /* a free place if its fd is -1 */
	time_t deadline;
	size_t used;
	char line[REQUEST_MAX];
	char *answer; /* NULL until the request is complete */
	size_t size, sent;
};

static struct guarded_fd listener = {-1, 0};
static struct client *clients; /* CLIENTS_MAX of them */

static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

static void client_close(struct client *client)
{
	guarded_fd_close(&client->socket);
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
	size_t size;
	char *text = command_refuse(why, &size);

	client_answer(client, text, size);
}

static void client_read(struct client *client)
{
	ssize_t got = recv(client->socket.fd, client->line + client->used,
			   sizeof(client->line) - client->used, MSG_DONTWAIT);
	char *end, *text;
	size_t size;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (!got && client->used) {
		client_refuse(client, "the request's line has no end");
		return;
	}
	if (got <= 0) {
		client_close(client);
		return;
	}
	client->used += (size_t)got;
	end = memchr(client->line, '\n', client->used);
	if (memchr(client->line, '\0', client->used)) {
		client_refuse(client, "a request is a line of text");
	} else if (end) {
		*end = '\0';
		text = command_run(client->line, client->socket.fd, &size);
		client_answer(client, text, size);
	} else if (client->used == sizeof(client->line)) {
		client_refuse(client, "a request is one line of at most 1023 "
				      "bytes");
	}
}

/* A process answers its own user, and root. */
static bool peer_allowed(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       steer_allowed(peer.uid, geteuid());
}

/* A free place. If there is none, the client that has waited longest is
 * dropped. */
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
	struct timespec pause = {0, PAUSE_MS * 1000000L};
	struct client *client;
	int fd = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			nanosleep(&pause, NULL);
		return;
	}
	client = client_place();
	client->socket = guarded_fd_open(fd);
	client->used = 0;
	client->deadline = seconds_now() + CLIENT_SECONDS;
	if (!peer_allowed(client->socket.fd))
		client_refuse(client, "this process belongs to another user");
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
	if (!guarded_fd_is_ours(&client->socket)) {
		client_close(client);
		return;
	}
	if (!client->answer)
		client_read(client);
	if (client->socket.fd >= 0 && client->answer)
		client_write(client);
}

static void polls_handle(const struct pollfd *polls, struct client **polled,
			 int count)
{
	for (int i = 0; i < count; i++)
		if (polls[i].revents)
			client_ready(polled[i]);
	if (polls[count].revents)
		client_accept();
}

/* Fills in the descriptors to wait for: the clients', then the listener's. */
static int polls_fill(struct pollfd *polls, struct client **polled)
{
	int count = 0;

	for (int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &clients[i];

		if (client->socket.fd < 0)
			continue;
		polls[count] = (struct pollfd){
			.fd = client->socket.fd,
			.events = client->answer ? POLLOUT : POLLIN};
		polled[count++] = client;
	}
	polls[count] = (struct pollfd){.fd = listener.fd, .events = POLLIN};
	return count;
}

bool server_turn(int wake, int timeout_ms)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};
	struct pollfd polls[CLIENTS_MAX + 2];
	struct client *polled[CLIENTS_MAX];
	int count = polls_fill(polls, polled), ready;

	/* poll ignores a descriptor of -1. */
	polls[count + 1] = (struct pollfd){.fd = wake, .events = POLLIN};
	ready = poll(polls, (nfds_t)count + 2, timeout_ms);
	if (ready < 0 && errno != EINTR)
		nanosleep(&pause, NULL); /* RLIMIT_NOFILE fell */
	if (ready > 0 && polls[count].revents && !guarded_fd_is_ours(&listener))
		return false;
	if (ready > 0)
		polls_handle(polls, polled, count);
	clients_expire();
	return true;
}

bool server_open(char *error, size_t size)
{
	clients = calloc(CLIENTS_MAX, sizeof(*clients));
	if (!clients) {
		snprintf(error, size, "no memory");
		return false;
	}
	for (int i = 0; i < CLIENTS_MAX; i++)
		clients[i].socket.fd = -1;
	return listener_open(&listener, CLIENTS_MAX, error, size);
}

void server_close(void)
{
	for (int i = 0; clients && i < CLIENTS_MAX; i++)
		if (clients[i].socket.fd >= 0)
			client_close(&clients[i]);
	guarded_fd_close(&listener);
}
