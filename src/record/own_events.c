#include "own_events.h"

#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "stacks.h"

enum {
	TEXT_BYTES = 1 << 15, /* that are written together */
	STACKS_AT_ONCE = TEXT_BYTES / STACK_TEXT_SIZE,
};

static struct {
	struct mnm_record_event *events; /* NULL: none are taken */
	size_t room, count, texts;       /* texts: their bytes */
	void (*write)(struct mnm_record_event *events, size_t count);
	char stacks[STACKS_AT_ONCE][STACK_TEXT_SIZE];
	size_t stack_count;
} own;

bool own_open(size_t room,
	      void (*write)(struct mnm_record_event *events, size_t count))
{
	own.events = calloc(room, sizeof(*own.events));
	own.room = room;
	own.write = write;
	return own.events;
}

void own_close(void)
{
	free(own.events);
	own.events = NULL;
	own.count = own.texts = own.stack_count = 0;
}

void own_flush(void)
{
	size_t count = own.count;

	own.count = own.texts = 0;
	if (count)
		own.write(own.events, count);
}

void own_add(const struct mnm_record_event *event)
{
	if (own.count == own.room || own.texts > TEXT_BYTES)
		own_flush();
	if (!own.events) /* to write may have ended it */
		return;
	own.events[own.count++] = *event;
	if (event->text)
		own.texts += strlen(event->text);
}

static void tell(enum mnm_record_kind kind, uint64_t address, const char *text,
		 uint64_t time)
{
	own_add(&(struct mnm_record_event){.kind = (uint8_t)kind,
					   .device = MNM_RECORD_NOWHERE,
					   .time = time,
					   .address = address,
					   .text = text});
}

void own_module(const struct module *module)
{
	own_add(&(struct mnm_record_event){
		.kind = MNM_RECORD_MODULE,
		.device = MNM_RECORD_NOWHERE,
		.address = module->start,
		.size = module->end - module->start,
		.span = module->offset,
		.text = module->path,
	});
	if (*module->build)
		tell(MNM_RECORD_BUILD, module->start, module->build, 0);
}

void own_name(uint64_t site, const char *text)
{
	own_add(&(struct mnm_record_event){.kind = MNM_RECORD_NAME,
					   .device = MNM_RECORD_NOWHERE,
					   .site = site,
					   .text = text});
}

void own_stack(uint32_t number, uint64_t time)
{
	char *text;

	if (own.stack_count == STACKS_AT_ONCE) {
		own_flush();
		own.stack_count = 0;
	}
	text = own.stacks[own.stack_count++];
	record_stack_write(number, text);
	tell(MNM_RECORD_STACK, number, text, time);
}
