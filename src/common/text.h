/* Text of other processes, made fit for a terminal and a column. */
#ifndef MNM_TEXT_H
#define MNM_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Copies as much as fits, with a ? for each character that is not printable
 * ASCII: controls, those in UTF-8 as well, characters that change a line's
 * direction, bytes that are not text. A character of several bytes becomes one
 * ?. from may be NULL, and may be the same as to. Returns to. */
char *text_plain(const char *from, char *to, size_t size);

/* Cuts a plain text to so many characters, at least three: dots are the last
 * ones then. Returns it. */
char *text_cut(char *text, size_t most);

/* What people call a program: the file name of words[0], or, for a Python
 * interpreter, that of its script or module. It is written to `to` as by
 * text_plain; "" if there are no words. Returns to. */
char *text_title(const char *const *words, int count, char *to, size_t size);

/* A number of bytes in at most 8 characters: "0 B", "1.21 GiB"; "?" if it is
 * negative. */
enum { TEXT_BYTES_SIZE = 16 };
char *text_bytes(int64_t bytes, char to[TEXT_BYTES_SIZE]);

#endif
