/* A CUDA program that makes the calls its standard input names, a line each,
 * and answers each line with one: so a test decides what happens when. It
 * knows nothing of mnm. */
#ifndef TESTS_PROGRAMS_SHELL_H
#define TESTS_PROGRAMS_SHELL_H

#include <stddef.h>
#include <stdint.h>

struct shell_command {
	const char *name;
	int words; /* past the name */
	/* Prints the answer, without its newline. */
	void (*run)(char **words);
};

/* Device memory that a line named. */
struct shell_memory {
	char name[16];
	uint64_t addr;
	size_t size; /* bytes asked for */
};

/* A form's own commands; the last has a NULL name. */
extern const struct shell_command shell_form[];

/* The driver's commands on streams and graphs. */
extern const struct shell_command shell_graphs[];

/* The driver's on pinned memory, and on what it says of memory. */
extern const struct shell_command shell_pinned[];
extern const struct shell_command shell_answers[];

/* Its green contexts. */
extern const struct shell_command shell_green[];

/* Its copies and fills that may reach memory of another device. */
extern const struct shell_command shell_visits[];

/* Doors to a current context. */
extern const struct shell_command shell_doors[];

/* Kinds of memory, and calls that take some. */
extern const struct shell_command shell_kinds[];

/* Those of processes and threads, shared by all forms. */
extern const struct shell_command shell_process[];
extern const struct shell_command shell_threads[];

/* What a form has besides its own; the last is NULL. */
extern const struct shell_command *const shell_more[];

/* The memory of that name, made at first sight. */
struct shell_memory *shell_memory(const char *name);

size_t shell_size(const char *word);
uint64_t shell_address(const char *word);

/* Prints what became of a pointer: null, kept as it was before, or set. */
void shell_print_pointer(uint64_t addr, uint64_t before);

/* Whether every byte of host memory has that value. */
int shell_all(const unsigned char *bytes, size_t size, int value);

/* Runs one line's command, which prints its answer; with the answer's end. */
void shell_answer(char *line);
void shell_line(char *line);

/* Serves standard input up to its end, or to the line "leave". */
__attribute__((visibility("default"))) int shell_run(void);

#endif
