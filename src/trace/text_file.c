#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What some programs write before text in UTF-8. */
static const char bom[] = "\xef\xbb\xbf";
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

/* Reads the next compressed bytes. Returns false at the end of the file. */
static bool text_read(struct text_file *text)
{
	text->in.size = fread(text->in_bytes, 1, text->in_size, text->file);
	text->in.pos = 0;
	if (!text->in.size && ferror(text->file))
		text->error = "can't be read";
	return text->in.size > 0;
}

static void text_decompress(struct text_file *text)
{
	ZSTD_outBuffer out = {text->out_bytes, sizeof(text->out_bytes), 0};

	while (!out.pos) {
		size_t left;

		if (text->in.pos == text->in.size && !text_read(text)) {
			if (text->inside_frame && !text->error) {
				text->error = "the zstd data ends too early";
				text->cut = true;
			}
			return;
		}
		left = ZSTD_decompressStream(text->zstd, &out, &text->in);
		if (ZSTD_isError(left)) {
			text->error = ZSTD_getErrorName(left);
			return;
		}
		text->inside_frame = left > 0;
	}
	text->out_end = out.pos;
}

/* Makes the next decoded bytes ready. Returns false at the end and on an
 * error. */
static bool text_fill(struct text_file *text)
{
	text->out_at = text->out_end = 0;
	if (text->error)
		return false;
	if (text->zstd) {
		text_decompress(text);
	} else {
		text->out_end = fread(text->out_bytes, 1,
				      sizeof(text->out_bytes), text->file);
		if (ferror(text->file))
			text->error = "can't be read";
	}
	return text->out_end > 0;
}

int text_open(struct text_file *text, const char *path)
{
	size_t got;
	int error;

	memset(text, 0, sizeof(*text));
	text->file = fopen(path, "rbe");
	if (!text->file)
		return -1;
	got = fread(text->out_bytes, 1, sizeof(zstd_magic), text->file);
	text->out_end = got;
	error = ferror(text->file) ? errno : 0; /* as of a folder */
	if (!error && (got != sizeof(zstd_magic) ||
		       memcmp(text->out_bytes, zstd_magic, got) != 0))
		return 0;
	text->out_end = 0;
	text->in_size = ZSTD_DStreamInSize();
	text->in_bytes = malloc(text->in_size);
	text->zstd = ZSTD_createDCtx();
	text->in = (ZSTD_inBuffer){text->in_bytes, got, 0};
	if (!error && text->in_bytes && text->zstd) {
		memcpy(text->in_bytes, zstd_magic, got);
		return 0;
	}
	text_close(text);
	errno = error ? error : ENOMEM;
	return -1;
}

/* Ends a line of that length; `whole` says whether a newline followed. */
static char *line_end(struct text_file *text, size_t length, bool whole)
{
	text->number++;
	text->line[length] = '\0';
	if (text->number == 1 && !strncmp(text->line, bom, sizeof(bom) - 1)) {
		length -= sizeof(bom) - 1;
		memmove(text->line, text->line + sizeof(bom) - 1, length + 1);
	}
	if (length && text->line[length - 1] == '\r')
		text->line[--length] = '\0';
	text->cut = !whole && !text->end_optional;
	if (text->cut)
		text->error = "the last line has no end";
	else if (memchr(text->line, '\0', length))
		text->error = "there is a NUL in it";
	return text->error ? NULL : text->line;
}

char *text_line(struct text_file *text)
{
	size_t used = 0;

	if (text->again) {
		text->again = false;
		return text->line;
	}
	while (used < sizeof(text->line)) {
		const char *from = text->out_bytes + text->out_at;
		size_t have = text->out_end - text->out_at;
		size_t room = sizeof(text->line) - used;
		const char *end;
		size_t take;

		if (!have) {
			if (text_fill(text))
				continue;
			if (text->error || !used)
				return NULL;
			return line_end(text, used, false);
		}
		take = have < room ? have : room;
		end = memchr(from, '\n', take);
		if (end)
			take = (size_t)(end - from) + 1;
		memcpy(text->line + used, from, take);
		text->out_at += take;
		used += take;
		if (end)
			return line_end(text, used - 1, true);
	}
	text->number++;
	text->error = "the line is too long";
	return NULL;
}

void text_close(struct text_file *text)
{
	ZSTD_freeDCtx(text->zstd);
	free(text->in_bytes);
	if (text->file)
		fclose(text->file);
}
