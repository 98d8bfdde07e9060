/* Which code has called an entry, for the notes of that call (ring.h). */
#ifndef MNM_RECORD_SITE_H
#define MNM_RECORD_SITE_H

#include "ring.h"
#include "stacks.h"
#include "unwind.h"

/* Where the program has called the entry, in it or in what is inlined there. */
#define CALLER __builtin_return_address(0)

/* Of a request whose size is not at hand. */
#define SITE_SIZELESS UINT64_MAX

/* Of two entries, one of which calls the other, the outer one is the program's
 * call. Returns whether this one is. */
static inline bool site_begin(const void *site, uint64_t size)
{
	bool outer = record_may_be_on() && !record_site;

	if (outer)
		record_site = size ? record_site_of((uintptr_t)site, size)
				   : (uintptr_t)site;
	return outer;
}

/* A call that made no note leaves none to the next one. */
static inline void site_end(const bool *outer)
{
	if (*outer)
		record_site = 0;
}

/* The first line of a function: what is noted until it returns was asked for by
 * the code at `site`; or, of an entry, by the code that has called it. size:
 * bytes that it asks for, or 0: it frees some. */
#define NOTES_SITE(site, size) \
	__attribute__((cleanup(site_end), unused)) const bool outermost = \
		site_begin(site, size)
#define NOTES_CALLER(size) NOTES_SITE(CALLER, size)

/* The same of an entry of the driver's, which a runtime calls for the program:
 * then the code that has called the runtime. */
#define NOTES_BEHIND(size) \
	NOTES_SITE(record_is_on() && !record_site \
			   ? (const void *)unwind_behind((uintptr_t)CALLER) \
			   : CALLER, \
		   size)

#endif
