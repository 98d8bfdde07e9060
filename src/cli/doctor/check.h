/* What doctor checks: a row each in doctor.c. */
#ifndef MNM_CHECK_H
#define MNM_CHECK_H

#include "report.h"

/* What becomes of what a program asks for by cudaMallocAsync. */
struct async_answer {
	enum level level;
	const char *words;  /* after "asks" */
	const char *advice; /* or NULL */
};
const struct async_answer *async_answer(void);

void library_check(struct report *report);    /* libmnm.so */
void toolkit_check(struct report *report);    /* CUDA's */
void options_check(struct report *report);    /* MNM_ variables */
void plugins_check(struct report *report);    /* of MNM_POOL_PLUGINS */
void allocators_check(struct report *report); /* frameworks' variables */
void preloads_check(struct report *report);   /* other libraries */
void sockets_check(struct report *report);    /* the sockets' folder */
void limits_check(struct report *report);     /* ulimit */
void container_check(struct report *report);  /* the container, if any */
void proof_check(struct report *report);      /* allocates a few blocks */

/* Reports the file of option `plan`. Returns false if it is not right. */
bool plan_check(struct report *report, const char *path);

/* Looks at a program, its libraries and, for a script, its interpreter. The
 * program is not run. */
void program_check(struct report *report, const char *name);

/* Reports modules of this Python that keep device memory themselves. */
void python_check(struct report *report, const char *path);

/* Reports what a framework does that a command of that name starts. To be asked
 * where the Python is not known. */
void python_starter_check(struct report *report, const char *path);

/* Reports how a file brings CUDA. Returns whether it does. */
bool cuda_check(struct report *report, const char *path);

#endif
