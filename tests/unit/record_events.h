/* Events of recordings, drawn from a seed; and how they are compared. */
#ifndef MNM_TEST_RECORD_EVENTS_H
#define MNM_TEST_RECORD_EVENTS_H

#include <string.h>

#include "draw.h"
#include "record/frame.h"
#include "run.h"

enum { MOST_ADDRESSES = 64 };

#define LOW_48 ((UINT64_C(1) << 48) - 1)

/* A number of few bits or of many: each length is as likely. */
static inline uint64_t draw_number(uint64_t *random, uint64_t most)
{
	uint64_t bits = draw(random, 65), number = draw(random, UINT64_MAX);

	number = bits == 64 ? number : number & ((UINT64_C(1) << bits) - 1);
	return number & most;
}

static inline const char *draw_text(uint64_t *random)
{
	static const char *const texts[] = {"",
					    "x",
					    "vmm_pool",
					    "a b\"c\\d\n",
					    "\xff\x01 forward, layer 12",
					    NULL};

	return texts[draw(random, sizeof(texts) / sizeof(*texts))];
}

/* An event of any kind, with what its kind has. */
static inline struct mnm_record_event draw_event(uint64_t *random)
{
	struct mnm_record_event event = {
		.time = draw_number(random, UINT64_MAX),
		.site = draw(random, 2) ? draw_number(random, UINT64_MAX) : 0,
		.thread = (uint32_t)draw_number(random, UINT32_MAX),
		.stream = (uint32_t)draw_number(random, UINT32_MAX),
		.kind = (uint8_t)draw(random, MNM_RECORD_KINDS),
		.flags = (uint8_t)draw(random, 256),
		.device = (uint8_t)draw(random, 256),
		.pool = (uint8_t)draw(random, 256),
	};

	/* Of a few addresses each may be asked for twice, freed twice, or
	 * freed before it was asked for. */
	if (kind_has_address(event.kind) || event.kind == MNM_RECORD_FREE)
		event.address = draw(random, 2)
					? 4096 * draw(random, MOST_ADDRESSES)
					: draw_number(random, LOW_48);
	if (kind_has_size(event.kind))
		event.size = draw_number(random, LOW_48);
	if (kind_has_span(event.kind))
		event.span = draw_number(random, LOW_48);
	if (kind_has_text(event.kind))
		event.text = draw_text(random);
	return event;
}

static inline void events_draw(struct mnm_record_event *events, size_t count,
			       uint64_t seed)
{
	uint64_t random = seed;

	for (size_t i = 0; i < count; i++)
		events[i] = draw_event(&random);
}

/* What was told without a text comes back with an empty one. */
static inline void event_compare(const struct mnm_record_event *one,
				 const struct mnm_record_event *other)
{
	ck_assert_uint_eq(one->time, other->time);
	ck_assert_uint_eq(one->address, other->address);
	ck_assert_uint_eq(one->size, other->size);
	ck_assert_uint_eq(one->span, other->span);
	ck_assert_uint_eq(one->site, other->site);
	ck_assert_uint_eq(one->thread, other->thread);
	ck_assert_uint_eq(one->stream, other->stream);
	ck_assert_uint_eq(one->kind, other->kind);
	ck_assert_uint_eq(one->flags, other->flags);
	ck_assert_uint_eq(one->device, other->device);
	ck_assert_uint_eq(one->pool, other->pool);
	if (kind_has_text(one->kind))
		ck_assert_str_eq(one->text ? one->text : "",
				 other->text ? other->text : "");
	else
		ck_assert_ptr_null(other->text);
}

#endif
