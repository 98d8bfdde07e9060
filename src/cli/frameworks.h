/* Frameworks that variables make ask CUDA for each buffer by cudaMallocAsync,
 * instead of dividing large blocks themselves: a row each in frameworks.c. */
#ifndef MNM_FRAMEWORKS_H
#define MNM_FRAMEWORKS_H

#include <stdbool.h>

struct framework_variable {
	const char *name;
	const char *value; /* that makes the framework ask CUDA */
	const char *older; /* the name that is read without this one, or NULL */
	bool is_list;  /* of KEY:VALUE, with commas: the value is added to it */
	bool is_aside; /* the framework asks CUDA with another value, too */
};

enum { FRAMEWORK_VARIABLES_MAX = 2, FRAMEWORK_BARS_MAX = 2 };

struct framework {
	const char *name, *title;
	bool is_costly; /* a job may need what is lost: set if named only */
	/* Each list ends early with a NULL name. */
	struct framework_variable variables[FRAMEWORK_VARIABLES_MAX];
	/* Variables that say how the framework is to get its memory: if one of
	 * them is set, no other choice is right or allowed beside it. */
	const char *bars[FRAMEWORK_BARS_MAX];
	const char *lost; /* by asking CUDA for each buffer */
};

/* The last has a NULL name. */
extern const struct framework frameworks[];

/* Reads names with commas, or "all", which means all that are not costly, into
 * a bit for each row. Returns EXIT_DONE, or EXIT_USAGE after a line about what
 * is allowed. */
int frameworks_choose(const char *names, unsigned *chosen);

/* Whether each of the names is one that frameworks_choose takes. */
bool frameworks_known(const char *names);

/* Sets the variables of the chosen ones in the environment, but overwrites none
 * of the user's. Says on stderr what it did, in a line for each framework. */
void frameworks_set(unsigned chosen);

/* Whether what frameworks ask for by cudaMallocAsync is left to CUDA, as the
 * environment is. */
bool frameworks_are_left(void);

/* The variable by which the user has chosen that the framework asks in another
 * way, or NULL. */
const char *framework_bar(const struct framework *framework);

/* The first variable by which the framework already asks CUDA for each buffer,
 * or NULL. */
const struct framework_variable *framework_asks(
	const struct framework *framework);

/* The row of that name, or NULL. */
const struct framework *framework_find(const char *name);

/* Prints all rows, for --help. */
void frameworks_help(void);

#endif
