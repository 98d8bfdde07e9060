/* Shared by all targets. A target is one parser: a function over the bytes of
 * one input. libFuzzer calls it with bytes that it draws (make fuzz), and
 * replay.c with those of the corpus (make check). */
#ifndef MNM_TEST_FUZZ_H
#define MNM_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The target. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* If `holds` is false, ends the process with a line that says what is not
 * so. */
void claim(bool holds, const char *what);

/* Returns the bytes and a NUL, to be freed. */
char *input_text(const uint8_t *data, size_t size);

/* Returns the path of a file of these bytes, the same one each time. */
const char *input_file(const uint8_t *data, size_t size);

/* Captures what is printed to a stream, stdout or stderr, between the two
 * calls. */
struct capture {
	FILE **stream, *before;
	char *text;
	size_t size;
};

void capture_begin(struct capture *capture, FILE **stream);

/* Returns the captured text, to be freed. */
char *capture_end(struct capture *capture);

/* Returns whether a text is printable ASCII in whole lines. */
bool is_plain(const char *text);

/* Returns how many lines a text has. */
size_t lines_of(const char *text);

#endif
