/* mnm/record.h */
#include "mnm/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frame.h"
#include "read_stacks.h"
#include "record_file.h"

enum { ERROR_SIZE = 256, POOLS = 256, NAME_SIZE = 64 };

struct mnm_record {
	FILE *file;
	FILE *after; /* the part that follows, or NULL */
	char *path;  /* if it is followed: where parts that follow will be */
	char *about;
	char pools[POOLS][NAME_SIZE];
	struct frame frame;
	size_t next;     /* of its events */
	uint64_t frames; /* that were read */
	uint64_t dropped;
	uint8_t *stored;
	struct read_stacks stacks;
	char error[ERROR_SIZE]; /* empty: nothing is wrong */
};

/* The second line of a file, from malloc; or NULL, and why. */
static char *head_read(FILE *file, const char **why)
{
	char first[sizeof(RECORD_FIRST_LINE)];
	char *line = malloc(RECORD_LINE_MOST);

	*why = "no memory";
	if (!line)
		return NULL;
	*why = "it is no recording";
	if (!fgets(first, sizeof(first), file)) {
		if (ferror(file))
			*why = strerror(errno); /* a folder */
		goto wrong;
	}
	if (strncmp(first, RECORD_FIRST_LINE, sizeof(RECORD_MAGIC) - 1))
		goto wrong;
	*why = "it has another version than 1";
	if (strcmp(first, RECORD_FIRST_LINE))
		goto wrong;
	*why = "it breaks off in its second line";
	if (!fgets(line, RECORD_LINE_MOST, file) || !strchr(line, '\n'))
		goto wrong;
	*strchr(line, '\n') = '\0';
	return line;
wrong:
	free(line);
	return NULL;
}

static bool part_of(const char *line, unsigned long long *id,
		    unsigned int *part)
{
	return line && sscanf(line, RECORD_SECOND_LINE, id, part) == 2;
}

/* The part before, and its second line; or NULL. */
static FILE *before_find(const char *path, char **line)
{
	size_t size = strlen(path) + sizeof(RECORD_BEFORE);
	char *before = malloc(size);
	const char *why;
	FILE *file = NULL;

	*line = NULL;
	if (before) {
		snprintf(before, size, "%s%s", path, RECORD_BEFORE);
		file = fopen(before, "re");
	}
	if (file)
		*line = head_read(file, &why);
	if (file && !*line) {
		fclose(file);
		file = NULL;
	}
	free(before);
	return file;
}

/* If the part before is there, that comes first. */
static void before_open(struct mnm_record *record, const char *path)
{
	unsigned long long id, other_id;
	unsigned int part, other;
	char *line;
	FILE *file = before_find(path, &line);

	if (part_of(record->about, &id, &part) &&
	    part_of(line, &other_id, &other) && id == other_id &&
	    other + 1 == part) {
		record->after = record->file;
		record->file = file;
		file = NULL;
	}
	if (file)
		fclose(file);
	free(line);
}

/* The program was killed as a part began: the one before is all there is. */
static bool before_replaces(struct mnm_record *record, const char *path)
{
	FILE *file = before_find(path, &record->about);

	if (!file)
		return false;
	if (record->file)
		fclose(record->file);
	record->file = file;
	return true;
}

/* What is read may be gone back to, and is read again by whoever asks for it
 * twice, as `mnm report`: neither can be done with a pipe. */
static bool is_pipe(FILE *file)
{
	struct stat st;

	return file && !fstat(fileno(file), &st) && S_ISFIFO(st.st_mode);
}

/* Whether a file is not there, or nothing is in it. */
static bool is_nothing(FILE *file)
{
	bool nothing = !file || getc(file) == EOF;

	if (file)
		rewind(file);
	return nothing;
}

/* The names in "pools":["a","b"], in their order. A name has no quotes. */
static void pools_read(struct mnm_record *record)
{
	const char *at = strstr(record->about, "\"pools\":[");
	size_t length;

	if (!at)
		return;
	at = strchr(at, '[') + 1;
	for (int i = 0; i < POOLS && *at == '"'; i++) {
		length = strcspn(++at, "\"");
		snprintf(record->pools[i], NAME_SIZE, "%.*s",
			 (int)(length < NAME_SIZE ? length : NAME_SIZE - 1),
			 at);
		at += length;
		at += *at == '"';
		at += *at == ',';
	}
}

struct mnm_record *mnm_record_follow(const char *path, char *error,
				     size_t error_size)
{
	struct mnm_record *record = calloc(1, sizeof(*record));
	const char *why = "no memory";

	if (record)
		record->path = strdup(path);
	if (record && record->path) {
		record->file = fopen(path, "re");
		why = strerror(errno);
	}
	if (record && record->file)
		record->about = head_read(record->file, &why);
	if (record && record->about) {
		pools_read(record);
		return record;
	}
	snprintf(error, error_size, "%s: %s", path, why);
	mnm_record_close(record);
	return NULL;
}

struct mnm_record *mnm_record_open(const char *path, char *error,
				   size_t error_size)
{
	struct mnm_record *record = calloc(1, sizeof(*record));
	const char *why = "no memory";

	if (record) {
		record->file = fopen(path, "re");
		why = strerror(errno);
	}
	if (record && is_pipe(record->file))
		why = "a recording can't be read from a pipe";
	else if (record &&
		 (!is_nothing(record->file) ||
		  !before_replaces(record, path)) &&
		 record->file)
		record->about = head_read(record->file, &why);
	if (record && record->about) {
		pools_read(record);
		before_open(record, path);
		return record;
	}
	snprintf(error, error_size, "%s: %s", path, why);
	mnm_record_close(record);
	return NULL;
}

void mnm_record_close(struct mnm_record *record)
{
	if (!record)
		return;
	if (record->file)
		fclose(record->file);
	if (record->after)
		fclose(record->after);
	frame_release(&record->frame);
	read_stacks_close(&record->stacks);
	free(record->stored);
	free(record->about);
	free(record->path);
	free(record);
}

const char *mnm_record_about(const struct mnm_record *record)
{
	return record->about;
}

static bool failed(struct mnm_record *record, const char *why)
{
	snprintf(record->error, sizeof(record->error), "frame %llu: %s",
		 (unsigned long long)record->frames + 1, why);
	return false;
}

/* Whether the next frame, of a record that is being made, is whole. */
static bool frame_is_there(struct mnm_record *record)
{
	uint8_t bytes[FRAME_HEAD];
	struct frame_head head;
	off_t at = ftello(record->file);
	struct stat file;
	bool is = false;

	clearerr(record->file);
	if (fread(bytes, 1, FRAME_HEAD, record->file) == FRAME_HEAD)
		is = !frame_head_read(bytes, &head) ||
		     (!fstat(fileno(record->file), &file) &&
		      file.st_size - at >= (off_t)(FRAME_HEAD + head.stored));
	fseeko(record->file, at, SEEK_SET);
	return is;
}

/* Reads the next frame of the file. Returns false at its end, or if something
 * is wrong. */
static bool frame_next(struct mnm_record *record)
{
	uint8_t bytes[FRAME_HEAD];
	struct frame_head head;
	const char *wrong;
	uint8_t *stored;
	size_t got;

	if (record->path && !frame_is_there(record))
		return false;
	got = fread(bytes, 1, FRAME_HEAD, record->file);
	if (!got && feof(record->file))
		return false;
	if (ferror(record->file))
		return failed(record, "it can't be read");
	if (got < FRAME_HEAD)
		return failed(record, "the file breaks off in it");
	if (!frame_head_read(bytes, &head))
		return failed(record, "it does not begin as one");
	stored = realloc(record->stored, head.stored + (size_t)1);
	if (!stored)
		return failed(record, "there is no memory for it");
	record->stored = stored;
	if (fread(stored, 1, head.stored, record->file) < head.stored)
		return failed(record, "the file breaks off in it");
	frame_release(&record->frame);
	record->next = 0; /* it has none, if it can't be read */
	wrong = frame_read(&record->frame, &head, stored);
	if (wrong)
		return failed(record, wrong);
	record->frames++;
	record->next = 0;
	record->dropped += record->frame.dropped;
	return true;
}

/* The part that has begun in the file's place, or NULL. The last frame of this
 * one was written before that, so it has been read, or comes now. */
static FILE *part_next(struct mnm_record *record)
{
	unsigned long long id, other_id;
	unsigned int part, other;
	struct stat now, own;
	const char *why;
	FILE *file;
	char *line;

	if (stat(record->path, &now) || fstat(fileno(record->file), &own) ||
	    (now.st_ino == own.st_ino && now.st_dev == own.st_dev) ||
	    frame_is_there(record))
		return NULL;
	file = fopen(record->path, "re");
	line = file ? head_read(file, &why) : NULL;
	if (part_of(record->about, &id, &part) &&
	    part_of(line, &other_id, &other) && id == other_id &&
	    other > part) {
		if (other > part + 1)
			failed(record, "parts after it have gone already");
		free(record->about);
		record->about = line;
		return file;
	}
	if (file)
		fclose(file);
	free(line);
	return NULL;
}

/* What comes before is whole, or lost from where it is damaged. */
static bool file_turn(struct mnm_record *record)
{
	if (record->path && !*record->error)
		record->after = part_next(record);
	if (!record->after || *record->error)
		return false;
	fclose(record->file);
	record->file = record->after;
	record->after = NULL;
	return true;
}

const struct mnm_record_event *mnm_record_next(struct mnm_record *record)
{
	struct mnm_record_event *event;

	while (record->next == record->frame.count) {
		if (*record->error)
			return NULL;
		if (!frame_next(record) && !file_turn(record))
			return NULL;
	}
	event = &record->frame.events[record->next++];
	read_stacks_turn(&record->stacks, event);
	return event;
}

const uint64_t *mnm_record_stack(const struct mnm_record *record,
				 uint32_t stack, size_t *count)
{
	return read_stacks_at(&record->stacks, stack, count);
}

const char *mnm_record_pool(const struct mnm_record *record, unsigned int pool)
{
	return pool < POOLS ? record->pools[pool] : "";
}

const char *mnm_record_error(const struct mnm_record *record)
{
	return *record->error ? record->error : NULL;
}

uint64_t mnm_record_dropped(const struct mnm_record *record)
{
	return record->dropped;
}
