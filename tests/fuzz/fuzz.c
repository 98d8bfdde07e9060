#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* Writes past the streams, as they may be captured. */
void claim(bool holds, const char *what)
{
	if (holds)
		return;
	dprintf(STDERR_FILENO, "not so: %s\n", what);
	abort();
}

char *input_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	claim(text, "there is memory");
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

const char *input_file(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	claim(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size,
	      "the input's file can be written");
	return path;
}

void capture_begin(struct capture *capture, FILE **stream)
{
	capture->stream = stream;
	capture->before = *stream;
	*stream = open_memstream(&capture->text, &capture->size);
	claim(*stream, "there is memory");
}

char *capture_end(struct capture *capture)
{
	claim(!fclose(*capture->stream), "there is memory");
	*capture->stream = capture->before;
	claim(strlen(capture->text) == capture->size, "no NUL is printed");
	return capture->text;
}

bool is_plain(const char *text)
{
	const char *c = text;

	while (*c == '\n' || (*c >= ' ' && *c <= '~'))
		c++;
	return !*c && (c == text || c[-1] == '\n');
}

size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}
