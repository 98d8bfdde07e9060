#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "list.h"

void list_free(struct list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

void list_begin(struct list *list, const char *title,
		void (*choose)(struct top *top, int index))
{
	list_free(list);
	text_plain(title, list->title, sizeof(list->title));
	list->choose = choose;
}

void list_add(struct list *list, const char *name, const char *help)
{
	struct list_item *grown = realloc(
		list->items, (size_t)(list->count + 1) * sizeof(*grown));

	if (!grown)
		return;
	list->items = grown;
	grown += list->count++;
	text_plain(name, grown->name, sizeof(grown->name));
	text_plain(help, grown->help, sizeof(grown->help));
}

void list_move(struct list *list, int items)
{
	int64_t at = (int64_t)list->selected + items;

	if (at >= list->count)
		at = list->count - 1;
	list->selected = at > 0 ? (int)at : 0;
}

void list_scroll(struct list *list, int height)
{
	if (list->selected >= list->top + height)
		list->top = list->selected - height + 1;
	if (list->top > list->selected)
		list->top = list->selected;
}
