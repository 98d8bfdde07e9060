/* Puts a recording together. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "import.h"
#include "record/frame.h"
#include "record/record_file.h"

enum {
	/* A frame is written once its texts take so much. */
	TEXTS_MOST = 1 << 24,
	/* Larger handles of streams are addresses. */
	STREAM_SMALL = 1 << 16,
	/* CUDA's own streams have the handles 0 to 2. */
	STREAM_OWN = 2,
	POOL_NAME_MOST = 63,
};

static const char no_memory[] = "no memory to read it";

struct import_site {
	uint64_t site;
	UT_hash_handle hh;
	char name[];
};

struct import_stream {
	uint64_t handle;
	uint32_t stream;
	UT_hash_handle hh;
};

bool import_begin(struct import *import, const char *path)
{
	*import = (struct import){.path = path, .stream_last = STREAM_OWN};
	import->events = calloc(FRAME_EVENTS, sizeof(*import->events));
	import->pools = json_pack("[s]", "");
	return import->events && import->pools;
}

static void events_clear(struct import *import)
{
	for (size_t i = 0; i < import->count; i++)
		free((char *)import->events[i].text);
	import->count = import->text_bytes = 0;
}

void import_end(struct import *import)
{
	struct import_stream *stream, *next_stream;
	struct import_site *site, *next;

	HASH_ITER (hh, import->sites, site, next) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(import->sites, site);
		free(site);
	}
	HASH_ITER (hh, import->streams, stream, next_stream) {
		/* NOLINTNEXTLINE(*-unix.Malloc): uthash moves the table on */
		HASH_DEL(import->streams, stream);
		free(stream);
	}
	events_clear(import);
	free(import->events);
	frame_writer_close(import->writer);
	bytes_release(&import->frames);
	json_decref(import->pools);
	json_decref(import->header);
}

const char *import_wrong(struct import *import, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(import->wrong, sizeof(import->wrong), format, args);
	va_end(args);
	return import->wrong;
}

const char *import_flush(struct import *import)
{
	const struct bytes *frame;

	if (!import->count)
		return NULL;
	if (!import->writer)
		import->writer = frame_writer_open();
	frame = import->writer ? frame_write(import->writer, import->events,
					     import->count, 0)
			       : NULL;
	events_clear(import);
	if (!frame)
		return no_memory;
	bytes_put(&import->frames, frame->at, frame->size);
	return import->frames.lost ? no_memory : NULL;
}

const char *import_event(struct import *import,
			 const struct mnm_record_event *event)
{
	struct mnm_record_event *own = &import->events[import->count];

	*own = *event;
	own->text = NULL;
	if (kind_has_text(event->kind)) {
		own->text = strdup(event->text ? event->text : "");
		if (!own->text)
			return no_memory;
		import->text_bytes += strlen(own->text);
	}
	if (++import->count == FRAME_EVENTS || import->text_bytes > TEXTS_MOST)
		return import_flush(import);
	return NULL;
}

static struct import_site *site_add(struct import *import, const char *name)
{
	size_t length = strlen(name);
	struct import_site *site = malloc(sizeof(*site) + length + 1);

	if (!site)
		return NULL;
	memset(site, 0, sizeof(*site));
	memcpy(site->name, name, length + 1);
	HASH_ADD_KEYPTR(hh, import->sites, site->name, length, site);
	if (!site->hh.tbl) {
		free(site);
		return NULL;
	}
	site->site = HASH_COUNT(import->sites);
	return site;
}

const char *import_name(struct import *import, const char *name, uint64_t time,
			uint64_t *site)
{
	struct import_site *found;

	/* NOLINTNEXTLINE(*-core.*): uthash sets found */
	HASH_FIND(hh, import->sites, name, strlen(name), found);
	if (found) {
		*site = found->site;
		return NULL;
	}
	found = site_add(import, name);
	if (!found)
		return no_memory;
	*site = found->site;
	return import_event(import, &(struct mnm_record_event){
					    .kind = MNM_RECORD_NAME,
					    .time = time,
					    .device = MNM_RECORD_NOWHERE,
					    .site = found->site,
					    .text = name,
				    });
}

const char *import_pool(struct import *import, const char *name, uint8_t *pool)
{
	size_t count = json_array_size(import->pools);

	for (size_t i = 0; i < count; i++) {
		json_t *other = json_array_get(import->pools, i);

		if (!strcmp(json_string_value(other), name)) {
			*pool = (uint8_t)i;
			return NULL;
		}
	}
	for (const char *at = name; *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '"' || *at == '\\')
			return "the name of the pool is none";
	if (strlen(name) > POOL_NAME_MOST)
		return "the name of the pool is too long";
	if (count == IMPORT_POOLS)
		return "there are more than 255 pools";
	*pool = (uint8_t)count;
	return json_array_append_new(import->pools, json_string(name))
		       ? no_memory
		       : NULL;
}

const char *import_stream(struct import *import, uint64_t handle,
			  uint32_t *stream)
{
	struct import_stream *found;

	*stream = (uint32_t)handle;
	if (handle < STREAM_SMALL)
		return NULL;
	/* NOLINTNEXTLINE(*-core.*): uthash sets found */
	HASH_FIND(hh, import->streams, &handle, sizeof(handle), found);
	if (!found) {
		found = calloc(1, sizeof(*found));
		if (!found)
			return no_memory;
		found->handle = handle;
		HASH_ADD(hh, import->streams, handle, sizeof(handle), found);
		if (!found->hh.tbl) {
			free(found);
			return no_memory;
		}
		found->stream = ++import->stream_last;
	}
	*stream = found->stream;
	return NULL;
}

char *import_head(const struct import *import, const char *format)
{
	const char *slash = strrchr(import->path, '/');
	const char *name = slash ? slash + 1 : import->path;
	json_t *file = json_string(name); /* NULL if it is not UTF-8 */
	json_t *program;
	char *text, *head = NULL;
	int length;

	if (!file)
		file = json_string("?");
	program = json_pack("{s:O,s:i,s:f,s:O,s:{s:s,s:O,s:O?}}", "program",
			    file, "pid", 0, "began", import->began, "pools",
			    import->pools, "source", "format", format, "file",
			    file, "header", import->header);
	text = json_dumps(program, JSON_COMPACT | JSON_ENSURE_ASCII |
					   JSON_REAL_PRECISION(17));
	length = text ? asprintf(&head,
				 RECORD_FIRST_LINE RECORD_SECOND_LINE
				 "\"program\":%s}\n",
				 0ULL, 0U, text)
		      : -1;
	free(text);
	json_decref(program);
	json_decref(file);
	return length < 0 ? NULL : head;
}
