/* Reads the lines of a text file, plain or compressed by zstd, one after the
 * other. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <zstd.h>

enum { TEXT_LINE_SIZE = 4096 }; /* longest line, with its newline */

struct text_file {
	FILE *file;
	ZSTD_DCtx *zstd; /* NULL if the file is plain */
	ZSTD_inBuffer in;
	char *in_bytes;      /* what in.src points at */
	size_t in_size;      /* room in in_bytes */
	bool inside_frame;   /* a zstd frame has begun and not yet ended */
	unsigned int number; /* of the line returned last, from 1 */
	const char *error;   /* what is wrong, or NULL */
	bool cut;            /* that is its end: it has a part of a line */
	bool again;          /* text_line returns the last line once more */
	bool end_optional;   /* the last line may lack its newline */
	size_t out_at;       /* next byte of out_bytes to return */
	size_t out_end;      /* bytes in out_bytes */
	char out_bytes[16384];
	char line[TEXT_LINE_SIZE];
};

/* Opens a file, which may be a pipe. Returns -1, with errno set, if it can't be
 * opened or read. */
int text_open(struct text_file *text, const char *path);

/* Returns the next line without its newline, and without what Windows writes
 * before that, valid until the next call. Returns
 * NULL at the end of the file, and on an error, which text->error then
 * names. */
char *text_line(struct text_file *text);

void text_close(struct text_file *text);

#endif
