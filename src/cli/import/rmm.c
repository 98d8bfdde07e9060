/* What the logging adaptor of RMM writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "fields.h"
#include "import.h"

#define HEADER "Thread,Time,Action,Pointer,Size,Stream"

enum { FIELDS = 6 };
enum field { THREAD, TIME, ACTION, POINTER, SIZE, STREAM };

static const uint64_t second = 1000000; /* in microseconds */
static const uint64_t day = 86400 * UINT64_C(1000000);

struct rmm {
	struct import *import;
	bool began;
	uint64_t first, last, days; /* microseconds */
};

bool import_is_rmm(const char *line)
{
	return !strncmp(line, HEADER, sizeof(HEADER) - 1);
}

/* Up to six digits of a fraction of a second. */
static bool fraction_read(const char *text, uint64_t *microseconds)
{
	uint64_t part = second;

	for (*microseconds = 0; *text >= '0' && *text <= '9'; text++) {
		part /= 10;
		*microseconds += part * (uint64_t)(*text - '0');
	}
	return !*text;
}

/* HH:MM:SS.micros, as RMM writes now, or with a colon, as it wrote before; or
 * seconds since 1970. */
static bool time_read(const char *text, uint64_t *time, bool *of_day)
{
	unsigned int hours, minutes, seconds;
	uint64_t fraction, whole;
	char *end;
	int length = 0;

	*of_day = sscanf(text, "%2u:%2u:%2u%n", &hours, &minutes, &seconds,
			 &length) == 3 &&
		  (text[length] == '.' || text[length] == ':');
	if (*of_day) {
		*time = (hours * 3600 + minutes * 60 + seconds) * second;
		return fraction_read(text + length + 1, &fraction) &&
		       (*time += fraction, *time < day);
	}
	if (*text < '0' || *text > '9')
		return false;
	whole = strtoull(text, &end, 10);
	if (whole > UINT32_MAX * UINT64_C(1000) || (*end && *end != '.'))
		return false;
	*time = whole * second;
	if (*end && !fraction_read(end + 1, &fraction))
		return false;
	*time += *end ? fraction : 0;
	return true;
}

/* The time of a line, in nanoseconds since the first. A time of day that goes
 * back by hours has passed midnight. */
static bool time_follow(struct rmm *rmm, const char *text, uint64_t *time)
{
	uint64_t now;
	bool of_day;

	if (!time_read(text, &now, &of_day))
		return false;
	if (of_day && rmm->began && now + day / 2 < rmm->last)
		rmm->days++;
	if (of_day || !rmm->began)
		rmm->last = now;
	now += rmm->days * day;
	if (!rmm->began) {
		rmm->first = now;
		rmm->import->began = (double)now * 1e-6;
	}
	rmm->began = true;
	*time = now > rmm->first ? (now - rmm->first) * 1000 : 0;
	return true;
}

static const char *field_wrong(struct rmm *rmm, const char *name,
			       const char *text)
{
	char plain[40];

	return import_wrong(rmm->import, "%s '%s' is not what it may be", name,
			    text_plain(text, plain, sizeof(plain)));
}

static const char *action_read(struct rmm *rmm, const char *action,
			       uint8_t *kind)
{
	if (!strcmp(action, "allocate"))
		*kind = MNM_RECORD_ALLOC;
	else if (!strcmp(action, "free") || !strcmp(action, "deallocate"))
		*kind = MNM_RECORD_FREE;
	else if (!strcmp(action, "allocate failure"))
		*kind = MNM_RECORD_FAILED;
	else
		return field_wrong(rmm, "Action", action);
	return NULL;
}

static const char *event_read(struct rmm *rmm, char **fields,
			      struct mnm_record_event *event)
{
	uint64_t thread, stream;
	const char *wrong = action_read(rmm, fields[ACTION], &event->kind);

	if (wrong)
		return wrong;
	if (!number_field(fields[THREAD], 10, UINT64_MAX, &thread))
		return field_wrong(rmm, "Thread", fields[THREAD]);
	if (!time_follow(rmm, fields[TIME], &event->time))
		return field_wrong(rmm, "Time", fields[TIME]);
	if (event->kind != MNM_RECORD_FAILED &&
	    !number_field(fields[POINTER], 16, UINT64_MAX, &event->address))
		return field_wrong(rmm, "Pointer", fields[POINTER]);
	if (!number_field(fields[SIZE], 10, import_size_most(event->kind),
			  &event->size))
		return field_wrong(rmm, "Size", fields[SIZE]);
	if (!number_field(fields[STREAM], 16, UINT64_MAX, &stream))
		return field_wrong(rmm, "Stream", fields[STREAM]);
	event->thread = (uint32_t)(thread ^ thread >> 32);
	event->flags = MNM_RECORD_SERVED;
	event->flags |= stream ? MNM_RECORD_ORDERED : 0;
	return import_stream(rmm->import, stream, &event->stream);
}

static const char *line_read(struct rmm *rmm, char *line)
{
	struct mnm_record_event event = {0};
	char *fields[FIELDS];
	const char *wrong;
	int count;

	if (import_is_rmm(line) || !*line)
		return NULL;
	count = fields_cut(line, fields, FIELDS);
	if (count != FIELDS)
		return "not " HEADER;
	wrong = event_read(rmm, fields, &event);
	return wrong ? wrong : import_event(rmm->import, &event);
}

const char *import_rmm(struct import *import)
{
	struct rmm rmm = {.import = import};
	const char *wrong = NULL;
	char *line;

	while (!wrong && (line = text_line(import->text))) {
		wrong = line_read(&rmm, line);
		if (import->text->number % 4096 == 0)
			import_progress(import,
					(uint64_t)ftell(import->text->file));
	}
	return wrong ? wrong : import_text_end(import);
}
