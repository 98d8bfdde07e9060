/* What the targets have in common. A target is one parser: a function over the
 * bytes of one input, which libFuzzer calls with bytes that it draws (make
 * fuzz), and replay.c with those of the corpus (make check). */
#ifndef MNM_TEST_FUZZ_H
#define MNM_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The target; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, with a line that says what is not so. */
void claim(bool holds, const char *what);

/* The bytes and a NUL, to be freed. */
char *input_text(const uint8_t *data, size_t size);

/* The path of a file of these bytes; the same one each time. */
const char *input_file(const uint8_t *data, size_t size);

/* What is printed between the two, instead of to the stream: stdout or stderr.
 */
struct capture {
	FILE **stream, *before;
	char *text;
	size_t size;
};

void capture_begin(struct capture *capture, FILE **stream);

/* The text, to be freed. */
char *capture_end(struct capture *capture);

/* Whether it is printable ASCII, and whole lines. */
bool is_plain(const char *text);

/* The lines in it. */
size_t lines_of(const char *text);

#endif
