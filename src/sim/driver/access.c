#include "access.h"

#include <stdlib.h>

#include "alias.h"
#include "device.h"
#include "op.h"
#include "owner.h"
#include "stream.h"
#include "violation.h"
#include "world.h"

static bool is_over(const struct access *access)
{
	return past_has(&world.known, access->lane, access->position);
}

/* Cuts [addr, end) out of the access if that leaves one piece: a later
 * operation on these bytes is compared with the one that touches them now.
 * Returns false if nothing is left. */
static bool access_cut(struct access *access, CUdeviceptr addr, CUdeviceptr end)
{
	if (addr <= access->addr && end >= access->end)
		return false;
	if (addr <= access->addr)
		access->addr = end;
	else if (end >= access->end)
		access->end = addr;
	return true;
}

/* Checks one access to an owner's memory, which the operation reaches at the
 * addresses of `at`. Returns false if nothing is left to remember of it. */
static bool access_check(const struct op *op, const struct side *now,
			 const struct alias *at, struct access *access,
			 const struct owner *owner)
{
	struct side before = {&access->site, owner, access->addr, access->end};

	if (is_over(access))
		return false;
	if (access->end <= at->addr || at->end <= access->addr)
		return true;
	if (past_has(&op->before.past, access->lane, access->position))
		return access_cut(access, at->addr, at->end);
	violation_report(op->frees ? "freed, not ordered after earlier work"
				   : "reused, not ordered after earlier work",
			 now, &before);
	return false; /* reported once */
}

/* Whether two sides are one: its races are its own business. Memory that the
 * driver has mapped twice, and of which nobody has a part, has one owner. */
static bool is_one_owner(const struct side *now, const struct owner *owner,
			 const struct alias *at)
{
	return owner == now->owner || (now->owner && !now->owner->named &&
				       !owner->named && at->addr != now->addr);
}

/* Checks against all owners but the present one. Only a free is checked against
 * that one too. */
static void owners_check(const struct op *op, const struct side *now,
			 const struct alias *at)
{
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];
		unsigned kept = 0;

		if (is_one_owner(now, owner, at) && !op->frees)
			continue;
		/* NOLINTNEXTLINE(*-core.NullDereference): no owner is NULL */
		for (unsigned k = 0; k < owner->count; k++)
			if (access_check(op, now, at, &owner->last[k], owner))
				owner->last[kept++] = owner->last[k];
		owner->count = kept;
	}
}

void access_unwaited(CUdeviceptr addr, CUdeviceptr end,
		     const struct owner *owner, const char *what)
{
	struct site here = site_here();
	struct side now = {&here, owner, addr, end};

	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *former = owners.all[i];
		unsigned kept = 0;

		for (unsigned k = 0; k < former->count; k++) {
			struct access *last = &former->last[k];
			struct side before = {&last->site, former, last->addr,
					      last->end};

			if (is_over(last))
				continue;
			if (last->end <= addr || end <= last->addr)
				former->last[kept++] = *last;
			else
				violation_report(what, &now, &before);
		}
		former->count = kept;
	}
}

void access_unfinished(struct owner *owner, const char *what)
{
	struct site here = site_here();
	struct side now = {&here, owner, owner->addr, owner->end};

	for (unsigned k = 0; k < owner->count; k++) {
		struct access *last = &owner->last[k];
		struct side before = {&last->site, owner, last->addr,
				      last->end};

		if (!is_over(last))
			violation_report(what, &now, &before);
	}
	owner->count = 0;
}

static bool access_note(struct owner *owner, const struct access *access)
{
	for (unsigned i = 0; i < owner->count; i++) {
		struct access *last = &owner->last[i];
		struct access had = *last;

		if (last->lane != access->lane)
			continue;
		*last = *access;
		if (had.addr < last->addr)
			last->addr = had.addr;
		if (had.end > last->end)
			last->end = had.end;
		return true;
	}
	if (owner->count == owner->room) {
		unsigned room = owner->room ? 2 * owner->room : 4;
		struct access *more =
			realloc(owner->last, room * sizeof(*more));

		if (!more)
			return false;
		owner->last = more;
		owner->room = room;
	}
	owner->last[owner->count++] = *access;
	return true;
}

static void nobody_report(const struct side *now)
{
	const struct owner *former = owner_former(now->addr);
	struct side before = {former ? &former->ended : NULL, former, 0, 0};

	if (!former) {
		violation_report("outside of any allocation", now, NULL);
		return;
	}
	before.addr = former->addr;
	before.end = former->end;
	violation_report("used after it was freed", now, &before);
}

static void past_end_report(const struct side *now)
{
	const struct owner *owner = now->owner;
	struct side before = {&owner->begun, owner, owner->addr, owner->end};

	violation_report("past the end of its allocation", now, &before);
}

/* A named owner has all of a range that begins in its memory. */
static struct owner *touch_owner(struct touch *touch)
{
	struct owner *memory;
	struct owner *whole = owner_find(touch->begin, &memory);
	struct owner *owner = owner_find(touch->addr, &touch->memory);

	return whole && whole->named ? whole : owner;
}

static bool touch_check(struct op *op, struct touch *touch, unsigned lane)
{
	struct owner *owner = touch_owner(touch);
	struct side now = {&op->site, owner, touch->addr, touch->end};
	struct access access = {lane, op->site.place, touch->addr, touch->end,
				op->site};
	struct alias at;

	if (touch->memory)
		touch->memory->users++;
	if (!owner && !touch->memory && !device_owns(touch->addr))
		return true; /* pageable host memory */
	if (!owner && !op->frees)
		nobody_report(&now);
	else if (owner && touch->end > owner->end && touch->addr <= owner->end)
		past_end_report(&now);
	alias_first(&at, touch->addr, touch->end);
	do
		owners_check(op, &now, &at);
	while (alias_next(&at));
	/* A pool or graph may use the memory before it is free. */
	if (op->frees && op->release.stays && touch->memory)
		return access_note(touch->memory, &access);
	if (!owner || op->frees)
		return true;
	return access_note(owner, &access);
}

bool access_submit(struct op *op, struct stream *stream)
{
	bool ok = true;

	op->site = site_in(stream);
	if (op->touch)
		ok = op->touch(op);
	for (unsigned i = 0; i < op->touched_count; i++)
		ok &= touch_check(op, &op->touched[i], stream->lane);
	owner_sweep();
	return ok;
}

bool access_start(const struct op *op)
{
	bool runs = true;

	for (unsigned i = 0; i < op->touched_count; i++) {
		const struct touch *touch = &op->touched[i];
		const struct owner *memory = touch->memory;
		struct side now = {&op->site, NULL, touch->addr, touch->end};
		struct side before;

		if (!memory || !memory->gone)
			continue;
		before = (struct side){&memory->ended, memory, memory->addr,
				       memory->end};
		violation_report("runs after its memory went back to the "
				 "driver",
				 &now, &before);
		runs = op->frees;
	}
	return runs;
}

void access_end(struct op *op)
{
	for (unsigned i = 0; i < op->touched_count; i++)
		if (op->touched[i].memory)
			op->touched[i].memory->users--;
	free(op->touched);
}
