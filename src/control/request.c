#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context/context.h"
#include "request.h"

json_t *fail(struct request *request, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(request->error, ERROR_SIZE, format, args);
	va_end(args);
	return NULL;
}

static bool until_read(struct request *request, const char *text)
{
	char *end = NULL;

	if (text)
		request->until = strtoll(text, &end, 10);
	if (text && !*end && request->until > 0)
		return true;
	fail(request,
	     "--until '%.20s' is no time; allowed: milliseconds since "
	     "1970",
	     text ? text : "");
	return false;
}

/* The ordinal of --device; -1 where it is none in use. */
static int device_read(struct request *request, const char *text)
{
	int ordinal = text ? device_parse(text) : -1;

	if (ordinal >= 0 && device_at(ordinal)->used)
		return ordinal;
	fail(request,
	     "--device '%.20s': no device in use has that name; see "
	     "stat",
	     text ? text : "");
	return -1;
}

bool request_parse(struct request *request, char *line)
{
	const char *word;
	char *rest;

	for (word = strtok_r(line, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		if (!strcmp(word, "--json")) {
			request->json = true;
		} else if (!strcmp(word, "--all-figures")) {
			request->all_figures = true;
		} else if (!strcmp(word, "--until")) {
			if (!until_read(request,
					strtok_r(NULL, " \t\r", &rest)))
				return false;
		} else if (!strcmp(word, "--device")) {
			request->device = device_read(
				request, strtok_r(NULL, " \t\r", &rest));
			if (request->device < 0)
				return false;
		} else if (!request->name) {
			request->name = word;
		} else if (request->words == WORDS_MAX) {
			fail(request, "more than %d words", WORDS_MAX);
			return false;
		} else {
			request->word[request->words++] = word;
		}
	}
	if (!request->name)
		fail(request, "an empty request; try: help");
	return request->name;
}

/* One that will send no more may still read. */
static bool client_gone(int client)
{
	struct pollfd end = {client, 0, 0};

	return client >= 0 && poll(&end, 1, 0) > 0 &&
	       end.revents & (POLLHUP | POLLERR | POLLNVAL);
}

static int64_t ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool request_awaited(struct request *request)
{
	int64_t late = request->until ? ms_now() - request->until : 0;

	if (client_gone(request->client))
		fail(request, "its client is gone; nothing has changed");
	else if (late > 0)
		fail(request,
		     "too late by %lld ms for its client; nothing has changed",
		     (long long)late);
	else
		return true;
	return false;
}
