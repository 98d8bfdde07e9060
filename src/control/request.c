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

static const char *const field_names[] = {
#define FIELD(name, kind) #name,
	FIELD_LIST
#undef FIELD
};

json_t *fields_json(unsigned int fields)
{
	json_t *list = json_array();

	for (int i = 0; i < FIELD_COUNT; i++)
		if (fields & 1u << i)
			json_array_append_new(list,
					      json_string(field_names[i]));
	return list;
}

/* Adds the names of a set's fields to request->error. */
static void names_add(struct request *request, unsigned int fields)
{
	size_t used = strlen(request->error);

	for (int i = 0; i < FIELD_COUNT && used < ERROR_SIZE; i++)
		if (fields & 1u << i)
			used += (size_t)snprintf(request->error + used,
						 ERROR_SIZE - used, " %s",
						 field_names[i]);
}

static bool text_read(struct request *request, const char *name,
		      const json_t *value, const char **text)
{
	*text = json_string_value(value);
	if (!*text)
		fail(request, "'%s' has to be a text", name);
	return *text;
}

static bool device_read(struct request *request, const char *name,
			const json_t *value, int *device)
{
	const char *text = json_string_value(value);
	json_int_t ordinal = json_integer_value(value); /* 0 if it is a text */
	char digits[24];

	if (!text && !json_is_integer(value)) {
		fail(request, "'%s' has to be a number, or \"host\"", name);
		return false;
	}
	if (text)
		ordinal = strcmp(text, "host") ? -1 : DEVICE_HOST;
	else if (ordinal >= DEVICE_MAX)
		ordinal = -1;
	*device = (int)ordinal;
	if (ordinal >= 0 && device_at(*device)->used)
		return true;
	snprintf(digits, sizeof(digits), "%lld",
		 (long long)json_integer_value(value));
	fail(request,
	     "--device '%.20s': no such device is in use; see mnm stat",
	     text ? text : digits);
	return false;
}

static bool time_read(struct request *request, const char *name,
		      const json_t *value, int64_t *time)
{
	*time = json_integer_value(value); /* 0 if it is of another type */
	if (*time <= 0)
		fail(request,
		     "'%s' is no time; allowed: milliseconds since 1970", name);
	return *time > 0;
}

static bool field_read(struct request *request, const char *name,
		       const json_t *value)
{
	/* A row's kind names its reader; the field's own type must fit it. */
#define READ_TEXT(f)   text_read(request, name, value, &request->f)
#define READ_DEVICE(f) device_read(request, name, value, &request->f)
#define READ_TIME(f)   time_read(request, name, value, &request->f)
#define FIELD(field, kind) \
	if (!strcmp(name, #field)) { \
		request->given |= HAS(field); \
		return READ_##kind(field); \
	}
	FIELD_LIST
#undef FIELD
	fail(request, "unknown field '%.40s'; known:", name);
	names_add(request, ~0u);
	return false;
}

/* Whether the line may be parsed. A request is one object of texts and numbers.
 * If arrays or objects were nested in it, the parser would call itself for each
 * of them, and the control thread has a small stack. */
static bool is_flat(const char *line)
{
	enum { MOST = 16 }; /* texts may hold some of these letters */
	int opened = 0;

	for (; *line; line++)
		opened += *line == '[' || *line == '{';
	return opened <= MOST;
}

bool request_read(struct request *request, const char *line)
{
	json_error_t error = {.text = "it is nested"};
	const char *name;
	json_t *value;

	if (is_flat(line))
		request->json =
			json_loads(line, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(request->json)) {
		fail(request,
		     "a request is an object of JSON in one line, as "
		     "{\"command\":\"help\"}: %.120s",
		     request->json ? "it is an array" : error.text);
		return false;
	}
	json_object_foreach(request->json, name, value)
	{
		if (!field_read(request, name, value))
			return false;
	}
	if (!request->command)
		fail(request, "no 'command'; try: {\"command\":\"help\"}");
	return request->command;
}

json_t *device_name(const struct device *device)
{
	return device_is_host(device) ? json_string("host")
				      : json_integer(device_ordinal(device));
}

bool request_fits(struct request *request, unsigned int needs, unsigned int may)
{
	unsigned int odd = request->given & ~(needs | may);
	unsigned int missing = needs & ~request->given;

	if (!odd && !missing)
		return true;
	fail(request, odd ? "%s takes no" : "%s needs", request->command);
	names_add(request, odd ? odd : missing);
	return false;
}

/* A client that will send no more may still read. */
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
