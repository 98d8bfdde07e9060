/* A file for mnm import: as what it looks like, and as each of the formats. */
#include <stdlib.h>
#include <string.h>

#include "cli/import/import.h"
#include "fuzz.h"
#include "record/frame.h"

/* What was made is read again, frame by frame. */
static void frames_check(const struct bytes *frames)
{
	const uint8_t *at = frames->at, *end = at ? at + frames->size : at;
	struct frame_head head = {0};
	struct frame frame;

	while (at != end) {
		claim(end - at >= FRAME_HEAD && frame_head_read(at, &head),
		      "a frame begins as one");
		at += FRAME_HEAD;
		claim(end - at >= head.stored, "it is whole");
		claim(!frame_read(&frame, &head, at), "and can be read");
		claim(frame.count, "and has events");
		frame_release(&frame);
		at += head.stored;
	}
}

static void head_check(const struct import *import, const char *format)
{
	char *head = import_head(import, format);

	claim(head, "there is a head");
	claim(is_plain(head) && lines_of(head) == 2, "of two plain lines");
	free(head);
}

static void format_check(const char *path, const struct import_format *format)
{
	struct capture capture;
	struct import import;
	char *said;
	bool done;

	claim(import_begin(&import, path), "there is memory");
	capture_begin(&capture, &stderr);
	done = import_file(&import, &format);
	said = capture_end(&capture);
	claim(lines_of(said) == (done ? 0 : 1),
	      "a line says what is wrong, and nothing else is said");
	claim(is_plain(said), "it is plain");
	free(said);
	if (done) {
		frames_check(&import.frames);
		head_check(&import, format->name);
	}
	import_end(&import);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = input_file(data, size);

	format_check(path, NULL);
	for (const struct import_format *row = import_formats; row->name; row++)
		format_check(path, row);
	return 0;
}
