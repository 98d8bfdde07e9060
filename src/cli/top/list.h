/* A list on the screen, of which one item may be chosen. */
#ifndef MNM_LIST_H
#define MNM_LIST_H

#include "common/pool_choice.h"

struct top;

struct list_item {
	char name[POOL_CHOICE_SIZE], help[96];
};

struct list {
	char title[96];
	struct list_item *items;
	int count;
	int selected, top; /* indexes; top is the first on screen */
	/* NULL if the list is only to be read. */
	void (*choose)(struct top *top, int index);
};

/* Empties the list, and gives it its title. */
void list_begin(struct list *list, const char *title,
		void (*choose)(struct top *top, int index));

void list_add(struct list *list, const char *name, const char *help);
void list_move(struct list *list, int items);

/* As table_scroll. */
void list_scroll(struct list *list, int height);

void list_free(struct list *list);

#endif
