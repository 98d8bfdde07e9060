/* The columns of `mnm top`, a row each in column.c. */
#ifndef MNM_COLUMN_H
#define MNM_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

struct row;
struct table;

enum column {
	COLUMN_PID,
	COLUMN_USER,
	COLUMN_DEVICE,
	COLUMN_POOL,
	COLUMN_LIVE,
	COLUMN_RESERVED,
	COLUMN_IDLE,
	COLUMN_HITS,
	COLUMN_REQUESTS,
	COLUMN_CALLS,
	COLUMN_FENCES,
	COLUMN_RECORDED,
	COLUMN_COMMAND,
	COLUMN_COUNT
};

struct kind;

struct column_row {
	const char *title, *help;
	const struct kind *kind;
	size_t field;    /* its offset in struct row */
	int least, most; /* width; the widest text that is shown counts */
	bool left;       /* its text begins there */
	bool figure;     /* a note takes its place */
};

/* Indexed by enum column. */
extern const struct column_row columns[COLUMN_COUNT];

/* What the column shows of a row. */
void column_text(enum column column, const struct row *row, char *text,
		 size_t size);

/* Compares two rows as qsort does, for the order in which the column rises. */
int column_compare(enum column column, const struct row *a,
		   const struct row *b);

/* The columns that fit into a line, and where they begin. The line begins with
 * a mark of one character. */
enum { COLUMN_FIRST = 2 };
struct layout {
	int count;
	enum column column[COLUMN_COUNT];
	int at[COLUMN_COUNT], width[COLUMN_COUNT];
};

/* Chooses the columns for lines of that width: from the left as many as fit. */
void layout_choose(struct layout *layout, const struct table *table, int width);

#endif
