#include <stdio.h>
#include <string.h>

#include "acts.h"
#include "top.h"

/* The row that an order is about; it is kept, as the selection may move.
 * Returns false, and says so, if there is none, or an order waits already. */
static bool target_take(struct top *top)
{
	const struct row *row = table_selected(&top->table);

	if (!row) {
		top_say(top, "there is no program to do that to");
		return false;
	}
	if (top->order) {
		top_say(top, "pid %d has not answered yet", top->order->pid);
		return false;
	}
	top->target = *row;
	return true;
}

static void order_send(struct top *top, struct order *order)
{
	if (order && errand_start(&order->errand)) {
		top->order = order;
		top_say(top, "waiting for pid %d ...", order->pid);
		return;
	}
	if (order)
		order_free(order);
	top_say(top, "no memory, or no thread, for that");
}

/* Tells what an order has done. What it has changed is to be seen at once. */
static void told(struct errand *errand, void *arg)
{
	struct order *order = (struct order *)errand;
	struct top *top = arg;

	top->order = NULL;
	top->due_ms = 0;
	top_say(top, "%s", order->said);
	order_free(order);
}

/* An order about the device of the target, if it is on one. */
static struct order *order_about(const struct top *top, const char *command)
{
	struct order *order = order_new(command, top->target.pid, told);

	if (order && strcmp(top->target.device, "-"))
		memcpy(order->device, top->target.device,
		       sizeof(order->device));
	return order;
}

void act_trim(struct top *top)
{
	if (target_take(top))
		order_send(top, order_about(top, "trim"));
}

static void pool_choose(struct top *top, int index)
{
	struct order *order = order_about(top, "swap");

	if (order)
		snprintf(order->pool, sizeof(order->pool), "%s",
			 top->list.items[index].name);
	order_send(top, order);
}

/* Adds a pool, and each backing that it may have on the target's device. */
static void pool_add(struct top *top, const json_t *pool)
{
	const json_t *backings = json_object_get(pool, "backings");
	size_t count = field_count(pool, "backings", BACKING_COUNT);
	bool host = !strcmp(top->target.device, "host");
	char name[POOL_CHOICE_SIZE], summary[128], choice[POOL_CHOICE_SIZE];
	const char *backing;

	if (json_is_true(json_object_get(pool, "off")))
		return;
	list_add(&top->list, field_text(pool, "name", name, sizeof(name)),
		 field_text(pool, "summary", summary, sizeof(summary)));
	for (size_t i = 1; i < count && !host; i++) {
		backing = json_string_value(json_array_get(backings, i));
		if (!backing || !strcmp(backing, "host"))
			continue;
		snprintf(choice, sizeof(choice), "%.50s@%.20s", name, backing);
		list_add(&top->list, choice, "");
	}
}

/* Shows the list, unless something else has been begun meanwhile. */
static void pools_told(struct errand *errand, void *arg)
{
	enum { POOLS_MOST = 256 };
	struct order *order = (struct order *)errand;
	struct top *top = arg;
	char title[96];
	size_t count = json_array_size(order->pools);

	top->order = NULL;
	top_say(top, "%s", order->said);
	if (order->pools && top->mode == MODE_TABLE) {
		snprintf(title, sizeof(title), "Swap the pool of %d %.40s (%s)",
			 order->pid, top->target.command, top->target.device);
		list_begin(&top->list, title, pool_choose);
		for (size_t i = 0; i < count && i < POOLS_MOST; i++)
			pool_add(top, json_array_get(order->pools, i));
		for (int i = 0; i < top->list.count; i++)
			if (!strcmp(top->list.items[i].name, top->target.pool))
				top->list.selected = i;
		top->mode = MODE_LIST;
	}
	order_free(order);
}

void act_swap(struct top *top)
{
	if (target_take(top))
		order_send(top,
			   order_new("pools", top->target.pid, pools_told));
}

static void record(struct top *top, const char *action, const char *to)
{
	struct order *order = order_new("record", top->target.pid, told);

	if (order) {
		order->action = action;
		snprintf(order->to, sizeof(order->to), "%s", to);
	}
	order_send(top, order);
}

static void file_typed(struct top *top, const char *file)
{
	if (*file)
		record(top, "start", file);
}

void act_record(struct top *top)
{
	char label[32], file[64];

	if (!target_take(top))
		return;
	if (*top->target.recording) {
		record(top, "stop", "");
		return;
	}
	snprintf(label, sizeof(label), "Record %d to: ", top->target.pid);
	snprintf(file, sizeof(file), "mnm-%d.rec", top->target.pid);
	prompt_begin(&top->prompt, label, file);
	top->prompt.done = file_typed;
	top->mode = MODE_PROMPT;
}
