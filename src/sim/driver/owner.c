#include "owner.h"

#include <stdio.h>
#include <stdlib.h>

#include "../check.h"
#include "access.h"
#include "alias.h"
#include "device.h"
#include "host.h"
#include "thread.h"
#include "violation.h"
#include "world.h"

struct owners owners;

static uint64_t generations;

static bool overlaps(const struct owner *owner, CUdeviceptr addr,
		     CUdeviceptr end)
{
	return owner->addr < end && addr < owner->end;
}

static struct owner *owner_add(CUdeviceptr addr, size_t size, const char *label)
{
	struct owner *owner;

	if (owners.count == owners.room) {
		unsigned room = owners.room ? 2 * owners.room : 64;
		struct owner **all = realloc(owners.all, room * sizeof(*all));

		if (!all)
			return NULL;
		owners.all = all;
		owners.room = room;
	}
	owner = calloc(1, sizeof(*owner));
	if (!owner)
		return NULL;
	owner->addr = addr;
	owner->end = addr + size;
	owner->generation = ++generations;
	owner->live = true;
	owner->named = label;
	owner->begun = site_here();
	if (label)
		snprintf(owner->label, sizeof(owner->label), "%s", label);
	owners.all[owners.count++] = owner;
	return owner;
}

static void owner_stop(struct owner *owner)
{
	if (!owner->live)
		return;
	owner->live = false;
	owner->ended = site_here();
}

struct owner *owner_find(CUdeviceptr addr, struct owner **memory)
{
	struct owner *named = NULL;

	*memory = NULL;
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (!owner->live || !overlaps(owner, addr, addr + 1))
			continue;
		if (owner->named)
			named = owner;
		else
			*memory = owner;
	}
	if (!named && *memory && !(*memory)->carved)
		return *memory;
	return named;
}

struct owner *owner_former(CUdeviceptr addr)
{
	struct owner *best = NULL;

	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (!owner->live && overlaps(owner, addr, addr + 1) &&
		    (!best || owner->generation > best->generation))
			best = owner;
	}
	return best;
}

void owner_sweep(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (owner->live || owner->count || owner->users ||
		    (owner->addr < owner->end && !owner->gone)) {
			owners.all[kept++] = owner;
			continue;
		}
		free(owner->last);
		free(owner);
	}
	owners.count = kept;
}

void owner_give(CUdeviceptr addr, size_t size)
{
	if (world.checking)
		owner_add(addr, size, NULL);
}

/* The driver's block that starts at addr and has not gone back; the last one if
 * a pool has used the memory again meanwhile. */
static struct owner *memory_find(CUdeviceptr addr)
{
	struct owner *best = NULL;

	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (!owner->named && !owner->gone && owner->addr == addr &&
		    (!best || owner->generation > best->generation))
			best = owner;
	}
	return best;
}

static void holder_report(const struct owner *holder, const struct owner *to,
			  CUdeviceptr addr, CUdeviceptr end, const char *what)
{
	struct site here = site_here();
	struct side now = {&here, to, addr, end};
	struct side before = {&holder->begun, holder, holder->addr,
			      holder->end};

	violation_report(what, &now, &before);
}

void owner_ask(CUdeviceptr addr)
{
	struct owner *memory = world.checking ? memory_find(addr) : NULL;

	for (unsigned i = 0; memory && i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (owner->live && owner->named &&
		    overlaps(owner, memory->addr, memory->end))
			holder_report(owner, NULL, memory->addr, memory->end,
				      "memory that has an owner is given back");
	}
}

void owner_close(CUdeviceptr addr)
{
	struct owner *memory = world.checking ? memory_find(addr) : NULL;

	if (memory)
		owner_stop(memory);
}

/* Cuts [addr, end) out of a former owner's range: a report of a use after free
 * should name the owner that was there last. */
static void former_cut(struct owner *owner, CUdeviceptr addr, CUdeviceptr end)
{
	if (addr <= owner->addr && end >= owner->end)
		owner->end = owner->addr;
	else if (addr <= owner->addr)
		owner->addr = end;
	else if (end >= owner->end)
		owner->end = addr;
}

/* An owner's memory has gone back: all of it, or one mapping of several. */
static void owner_part(struct owner *owner, const struct owner *memory)
{
	CUdeviceptr addr = memory->addr, end = memory->end;

	owner_stop(owner);
	if (addr <= owner->addr && owner->end <= end)
		owner->gone = true;
	else
		former_cut(owner, addr, end);
}

void owner_take(CUdeviceptr addr)
{
	struct owner *memory = world.checking ? memory_find(addr) : NULL;

	if (!memory)
		return;
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (overlaps(owner, memory->addr, memory->end))
			owner_part(owner, memory);
	}
	owner_sweep();
}

/* Marks what the program named in a driver's block, if it is no more. */
static void named_end(const struct owner *memory)
{
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (owner->named && !owner->live &&
		    overlaps(owner, memory->addr, memory->end))
			owner->gone = true;
	}
}

void owner_leave(CUdeviceptr addr)
{
	struct owner *memory = world.checking ? memory_find(addr) : NULL;

	if (!memory)
		return;
	access_unfinished(memory, "freed, earlier work not waited for");
	owner_stop(memory);
	/* Else what is queued would be told of a second time. */
	if (!memory->users)
		owner_retire(memory);
	owner_sweep();
}

void owner_retire(struct owner *memory)
{
	memory->gone = true;
	named_end(memory);
}

/* Whether the host can use the memory without a call. */
static bool is_the_hosts(CUdeviceptr addr)
{
	const struct block *block = device_block(addr);

	return host_find((const void *)addr) ||
	       (block && (block_is_managed(block) || block_is_pinned(block)));
}

/* From now on these bytes belong to `to` alone. */
static void owners_part_with(const struct owner *to, const struct alias *at)
{
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (owner == to || !overlaps(owner, at->addr, at->end))
			continue;
		if (owner->live && owner->named) {
			holder_report(owner, to, to->addr, to->end,
				      "memory is given out twice");
			owner_stop(owner);
		}
		owner->carved |= !owner->named;
	}
}

static void owner_name(CUdeviceptr addr, size_t size, const char *label,
		       bool is_for_host)
{
	struct owner *to = owner_add(addr, size, label);
	CUdeviceptr end = addr + size;
	struct alias at;

	if (!to)
		return;
	alias_first(&at, addr, end);
	do
		owners_part_with(to, &at);
	while (alias_next(&at));
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (owner != to && owner->named && overlaps(owner, addr, end))
			former_cut(owner, addr, end);
	}
	if (is_for_host && is_the_hosts(addr))
		access_unwaited(addr, end, to,
				"given to the host, earlier work not waited "
				"for");
	owner_sweep();
}

static bool check_enter(const char *call)
{
	if (!__atomic_load_n(&world.ready, __ATOMIC_ACQUIRE) ||
	    !world.checking || world_is_dead())
		return false;
	pthread_mutex_lock(&world.lock);
	self.call = call;
	return true;
}

static void own(const char *call, CUdeviceptr addr, size_t size,
		const char *label, bool is_for_host)
{
	if (!check_enter(call))
		return;
	if (size)
		owner_name(addr, size, label ? label : "", is_for_host);
	pthread_mutex_unlock(&world.lock);
}

__attribute__((visibility("default"))) void sim_own(unsigned long long addr,
						    size_t size,
						    const char *label)
{
	own(__func__, addr, size, label, true);
}

__attribute__((visibility("default"))) void sim_own_device(
	unsigned long long addr, size_t size, const char *label)
{
	own(__func__, addr, size, label, false);
}

__attribute__((visibility("default"))) void sim_disown(unsigned long long addr)
{
	if (!check_enter(__func__))
		return;
	for (unsigned i = 0; i < owners.count; i++) {
		struct owner *owner = owners.all[i];

		if (owner->live && owner->named && owner->addr == addr)
			owner_stop(owner);
	}
	pthread_mutex_unlock(&world.lock);
}

__attribute__((visibility("default"))) unsigned long sim_violations(void)
{
	return violation_count();
}
