/* What `mnm top` shows: rows, their order, and which of them is selected. It
 * knows no terminal. */
#ifndef MNM_TABLE_H
#define MNM_TABLE_H

#include <stdbool.h>

#include "column.h"
#include "row.h"

enum { TABLE_FILTER_SIZE = 64 };

struct table {
	struct rows rows; /* of the last look */
	int *shown;       /* indexes of rows, as they are ordered */
	int count;        /* of shown */
	enum column sort;
	bool falling; /* the highest comes first */
	bool all; /* programs that have asked for no memory are shown, too */
	/* Only programs whose command has it in it are shown; case does not
	 * count. */
	char filter[TABLE_FILTER_SIZE];
	int selected;      /* index in shown; 0 if there is none */
	struct row anchor; /* the selected row, where it is found again */
	int top;           /* index in shown of the first that is on screen */
};

void table_open(struct table *table);
void table_close(struct table *table);

/* Shows the rows of a new look, which the table then owns. The selection stays
 * at its row; if that has gone, at its place. */
void table_update(struct table *table, struct rows *rows);

const struct row *table_row(const struct table *table, int index);

/* The selected row, or NULL if none is shown. */
const struct row *table_selected(const struct table *table);

/* Moves the selection by so many rows, as far as there are any. */
void table_move(struct table *table, int rows);

/* Scrolls as little as shows the selected row on a screen of so many rows. */
void table_scroll(struct table *table, int height);

/* Orders the rows by that column, from its usual end. */
void table_sort(struct table *table, enum column column);

/* Orders them by the next column to the right (1) or left (-1). */
void table_sort_next(struct table *table, int step);

void table_sort_turn(struct table *table);
void table_filter(struct table *table, const char *text);

/* Shows all programs, or only those that have asked for memory. */
void table_show_all(struct table *table, bool all);

/* What all programs have of the devices of one number. */
struct device_sum {
	char device[DEVICE_NAME_SIZE];
	int programs;
	int64_t live, reserved, idle;
	int64_t peak;  /* the sum of their peaks */
	int64_t limit; /* the sum of their limits; 0 if one has none */
	int64_t total; /* of the largest of the devices; 0: not known */
};

/* Sums up the rows, also those that are not shown. Fills at most that many, in
 * the order of the devices. Returns how many there are. */
int table_sums(const struct table *table, struct device_sum *sums, int most);

struct program_sum {
	int programs; /* that have asked for memory */
	int silent;   /* of these, that no longer answer */
	int waiting;  /* that have asked for none yet */
};

/* Counts the programs, also those that are not shown. */
struct program_sum table_programs(const struct table *table);

#endif
