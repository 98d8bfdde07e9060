/* Text of other processes, made fit for a terminal and a column. */
#ifndef MNM_TEXT_H
#define MNM_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Copies as much as fits, with a ? for what is not printable ASCII: controls,
 * also those that UTF-8 spells, what turns lines around, bytes that are no
 * text. A character of several bytes is one ?. from may be NULL, and may be
 * to. Returns to. */
char *text_plain(const char *from, char *to, size_t size);

/* What people call a program: the file name of words[0], or, for an
 * interpreter of Python, that of its script or module. Plain, in to, which it
 * returns; "" without words. */
char *text_title(const char *const *words, int count, char *to, size_t size);

/* Bytes in at most 8 characters: "0 B", "1.21 GiB". What can't be is "?". */
enum { TEXT_BYTES_SIZE = 16 };
char *text_bytes(int64_t bytes, char to[TEXT_BYTES_SIZE]);

#endif
