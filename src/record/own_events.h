/* What a recorder writes besides the notes of threads: what lives, files of
 * code, stacks, names. They are collected, and written together. */
#ifndef MNM_RECORD_OWN_EVENTS_H
#define MNM_RECORD_OWN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mnm/record.h"

struct module;

/* Room for that many at a time; `write` gets them. Those without a time are of
 * now. Returns false without memory. */
bool own_open(size_t room,
	      void (*write)(struct mnm_record_event *events, size_t count));
/* Those that were not written are lost, as is what is added later. */
void own_close(void);

void own_add(const struct mnm_record_event *event);
void own_module(const struct module *module);
/* The text has to stay until it is written. */
void own_name(uint64_t site, const char *text);

/* A stack, which comes before the requests that have it: these are not older
 * than `time`. */
void own_stack(uint32_t number, uint64_t time);

void own_flush(void);

#endif
