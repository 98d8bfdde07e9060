/* A CUDA program that makes the calls named on its standard input, one per
 * line, and answers each line with one line. So a test decides what happens
 * when. The program knows nothing of mnm. */
#ifndef TESTS_PROGRAMS_SHELL_H
#define TESTS_PROGRAMS_SHELL_H

#include <stddef.h>
#include <stdint.h>

struct shell_command {
	const char *name;
	int words; /* arguments after the name */
	/* Prints the answer, without its newline. */
	void (*run)(char **words);
};

/* Device memory that was named on a line. */
struct shell_memory {
	char name[16];
	uint64_t addr;
	size_t size; /* bytes asked for */
};

/* A form's own commands; the table ends with a NULL name. */
extern const struct shell_command shell_form[];

/* The driver's commands on streams and graphs. */
extern const struct shell_command shell_graphs[];

/* The driver's commands on pinned memory, and on what it says of memory. */
extern const struct shell_command shell_pinned[];
extern const struct shell_command shell_answers[];

/* The driver's commands on green contexts. */
extern const struct shell_command shell_green[];

/* The driver's copies and fills that may reach memory of another device. */
extern const struct shell_command shell_visits[];

/* Ways to change the current context. */
extern const struct shell_command shell_doors[];

/* Kinds of memory, and the calls that take them. */
extern const struct shell_command shell_kinds[];

/* Memory that two programs share. */
extern const struct shell_command shell_ipc[];

/* What a program asks of mnm. */
extern const struct shell_command shell_api[];

/* CUDA's own pools. */
extern const struct shell_command shell_mempools[];

/* Commands on processes and threads, shared by all forms. */
extern const struct shell_command shell_process[];
extern const struct shell_command shell_threads[];

/* The further tables of a form; ends with NULL. */
extern const struct shell_command *const shell_more[];

/* Returns the memory of that name, which is made if there is none. */
struct shell_memory *shell_memory(const char *name);

size_t shell_size(const char *word);
uint64_t shell_address(const char *word);

/* Prints what became of a pointer: null, kept as it was before, or set. */
void shell_print_pointer(uint64_t addr, uint64_t before);

/* Returns whether every byte of host memory has that value. */
int shell_all(const unsigned char *bytes, size_t size, int value);

/* Runs the command on one line and prints its answer, with the newline. */
void shell_answer(char *line);
void shell_line(char *line);

/* Serves standard input up to its end, or up to the line "leave". */
__attribute__((visibility("default"))) int shell_run(void);

#endif
