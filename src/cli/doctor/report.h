/* Findings, and where they go. */
#ifndef MNM_REPORT_H
#define MNM_REPORT_H

#include <stdbool.h>

#include <jansson.h>

enum level { LEVEL_OK, LEVEL_WARNING, LEVEL_PROBLEM };

struct report {
	json_t *findings; /* NULL if each is printed as it comes */
	bool problem;     /* there was one */
};

/* Adds one finding. advice says what to do, or is NULL. */
void report_add(struct report *report, enum level level, const char *subject,
		const char *advice, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
