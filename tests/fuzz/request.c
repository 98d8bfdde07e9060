/* What a client sends to the control socket: how many bytes it sends at first,
 * then the bytes. The server and all that it calls are the library's own. There
 * is no CUDA, as before a program's first request. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <jansson.h>

#include "control/about.h"
#include "control/command.h"
#include "control/listener.h"
#include "control/server.h"
#include "mem/config.h"
#include "context/context.h"
#include "fuzz.h"
#include "common/log.h"
#include "common/protocol.h"

enum { TURNS_MAX = 100, ANSWER_SIZE = 1 << 16 };

static struct sockaddr_un address;
static socklen_t address_size = sizeof(address);

/* Replaces src/control/listener.c. The kernel chooses the address, so that no
 * file stays behind. */
bool listener_open(struct guarded_fd *listener, int backlog, char *error,
		   size_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)error;
	(void)size;
	address.sun_family = AF_UNIX;
	*listener = guarded_fd_open(fd);
	return !bind(listener->fd, (struct sockaddr *)&address,
		     sizeof(address.sun_family)) &&
	       !getsockname(listener->fd, (struct sockaddr *)&address,
			    &address_size) &&
	       !listen(listener->fd, backlog);
}

const char *listener_path(void)
{
	return "";
}

bool listener_folder(char *folder, size_t size)
{
	(void)folder;
	(void)size;
	return false;
}

void listener_keep(void)
{
}

void listener_sweep(void)
{
}

bool listener_unlink(void)
{
	return true;
}

void listener_leave(void)
{
}

static void log_check(const char *line, size_t length)
{
	char *text = input_text((const uint8_t *)line, length);

	claim(is_plain(text) && lines_of(text) == 1, "a log line is plain");
	free(text);
}

static void server_begin(void)
{
	static bool begun;
	char error[256];

	if (begun)
		return;
	begun = true;
	setenv("MNM_LOG", "info", 1);
	setenv("MNM_FORCE", "1", 1);
	log_through(log_check);
	claim(config_once(), "the library serves");
	about_open();
	claim(server_open(error, sizeof(error)), "the server listens");
}

#define SET_LINE(option, value) \
	"{\"command\":\"set\",\"option\":\"" option "\",\"value\":\"" value \
	"\"}"

/* Undoes what an input has changed. */
static void state_reset(void)
{
	static const char *const orders[] = {
		"{\"command\":\"reset\"}",
		SET_LINE("fence", "fence"),
		SET_LINE("quarantine", "auto"),
	};
	size_t size;

	for (int i = 0; i < DEVICE_ALL; i++)
		device_at(i)->used = i < 2 || i == DEVICE_HOST;
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		free(command_run(orders[i], -1, &size));
	for (int i = 0; i < DEVICE_ALL; i++)
		device_at(i)->used = i < 2;
}

/* Reads all that comes up to the end, and adds a NUL. */
static size_t answer_read(int fd, char answer[ANSWER_SIZE])
{
	const int wake = -1;
	size_t used = 0;
	ssize_t got = 1;

	for (int i = 0; i < TURNS_MAX && got; i++) {
		claim(server_turn(wake, 0), "the server listens");
		got = recv(fd, answer + used, ANSWER_SIZE - 1 - used,
			   MSG_DONTWAIT);
		used += got > 0 ? (size_t)got : 0;
		claim(used < ANSWER_SIZE - 1, "an answer is short");
	}
	claim(!got, "an answer has an end");
	answer[used] = '\0';
	claim(strlen(answer) == used, "an answer is text");
	return used;
}

static bool is_printable(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

static void answer_check(const char *answer)
{
	json_t *value = json_loads(answer, 0, NULL), *error;

	claim(lines_of(answer) == 1, "an answer is a line");
	claim(json_is_object(value), "an answer is an object of JSON");
	claim(json_is_integer(json_object_get(value, "schema")),
	      "an answer says its schema");
	error = json_object_get(value, "error");
	claim(!error || is_printable(json_string_value(error)),
	      "an error is plain text");
	json_decref(value);
}

/* Sends the bytes, `first` of them before the rest, and reads the answer. */
static size_t client_ask(const char *bytes, size_t size, size_t first,
			 char answer[ANSWER_SIZE])
{
	const int wake = -1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t used;

	claim(!connect(fd, (struct sockaddr *)&address, address_size),
	      "the server listens");
	first = first < size ? first : size;
	send(fd, bytes, first, MSG_NOSIGNAL);
	server_turn(wake, 0);
	server_turn(wake, 0);
	send(fd, bytes + first, size - first, MSG_NOSIGNAL);
	server_turn(wake, 0);
	shutdown(fd, SHUT_WR);
	used = answer_read(fd, answer);
	close(fd);
	return used;
}

/* Whether an input might begin a recording, in whatever file it names: by its
 * words, or by characters that are written as numbers. */
static bool may_write(const char *line)
{
	return strstr(line, "start") || strstr(line, "\\u00");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char answer[ANSWER_SIZE];
	char *line;
	size_t used;

	if (!size || size > 2 * REQUEST_MAX)
		return 0;
	server_begin();
	state_reset();
	line = input_text(data + 1, size - 1);
	if (may_write(line)) {
		free(line);
		return 0;
	}
	used = client_ask(line, size - 1, data[0], answer);
	if (size > 1)
		claim(used, "what is sent is answered");
	if (used)
		answer_check(answer);
	free(line);
	return 0;
}
