#include <cuda.h>

#include "cuda/backing.h"
#include "order/capture.h"
#include "config.h"
#include "context/context.h"
#include "order/fence.h"
#include "heap/acquire.h"
#include "heap/reclaim.h"
#include "heap/limit.h"
#include "refusal.h"
#include "mem.h"
#include "room.h"
#include "stats/counter.h"

/* What can be done, in this order. STEP_OTHER gives back pinned memory; for a
 * call that pins, the first two do so, and STEP_OTHER gives back that of
 * devices. */
enum { STEP_NEED, STEP_ALL, STEP_OTHER, STEP_MAX };

static uint64_t room_bit(int ordinal)
{
	return (uint64_t)1 << ordinal;
}

void room_device(struct room *room, int ordinal)
{
	if (ordinal >= 0 && ordinal < DEVICE_MAX)
		room->devices |= room_bit(ordinal);
}

void room_everywhere(struct room *room)
{
	room->devices = UINT64_MAX;
}

void room_captures(struct room *room)
{
	room->spoiled = capture_any();
}

/* Whether anything could go back. */
static bool has_idle(const struct device *device)
{
	return device->used && (counter_get(device, COUNTER_idle_bytes) ||
				counter_get(device, COUNTER_held_bytes));
}

static bool any_idle(uint64_t devices)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (devices & room_bit(i) && has_idle(device_at(i)))
			return true;
	return false;
}

/* Whether the driver may be asked what is free on the device, and has
 * answered. */
static bool driver_has(const struct device *device, size_t *free)
{
	const struct context *context = context_current();

	/* No document says that a capture allows this question. */
	return context && context->device == device && !capture_any() &&
	       !device_check(context->device, backing_free_bytes(free));
}

/* The least bytes that have to go back for a request of that many bytes, as far
 * as is known. */
static size_t room_need(const struct device *device, size_t bytes)
{
	size_t free;

	return driver_has(device, &free) && free < bytes ? bytes - free : bytes;
}

static void room_press(struct room *room, struct device *device, bool begins)
{
	bool host = device_is_host(device);
	uint64_t own = host ? 0 : room_bit(device_ordinal(device));

	if ((host ? room->host_pressed : (room->pressed & own) != 0) == begins)
		return;
	room->pressed ^= own;
	room->host_pressed ^= host;
	if (begins)
		pressure_begin(device);
	else
		pressure_end(device);
}

/* Whether anything was there to go back; what another thread gives back
 * counts. */
static bool room_give(struct room *room, struct device *device, size_t bytes)
{
	if (!has_idle(device) || !device_can_hold(device, room->bytes))
		return false;
	room_press(room, device, true);
	reclaim_now(device, bytes);
	return true;
}

static bool give_devices(struct room *room, bool all)
{
	struct device *device;
	bool given = false;

	for (int i = 0; i < DEVICE_MAX; i++) {
		device = device_at(i);
		if (room->devices & room_bit(i))
			given |=
				room_give(room, device,
					  all ? SIZE_MAX
					      : room_need(device, room->bytes));
	}
	return given;
}

static bool give_host(struct room *room, bool all)
{
	return room_give(room, device_at(DEVICE_HOST),
			 all ? SIZE_MAX : room->bytes);
}

static bool room_step(struct room *room, unsigned int number)
{
	bool pinned = room->pinned != (number == STEP_OTHER);

	if (number == STEP_NEED && !room->bytes)
		return false;
	/* A free of pinned memory may wait for every device. */
	if (pinned && !room->pinned && device_count() > 1)
		return false;
	return pinned ? give_host(room, number != STEP_NEED)
		      : give_devices(room, number != STEP_NEED);
}

/* The devices of a call that names none. */
static void find_devices(struct room *room)
{
	const struct context *context = context_current();

	if (context)
		room_device(room, device_ordinal(context->device));
	else
		room_everywhere(room);
}

static bool can_begin(struct room *room)
{
	if (room->spoiled || !config_once() ||
	    !(any_idle(UINT64_MAX) || has_idle(device_at(DEVICE_HOST))))
		return false;
	if (!room->devices)
		find_devices(room);
	return true;
}

static void room_end(struct room *room, int res)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (room->pressed & room_bit(i))
			room_press(room, device_at(i), false);
	room_press(room, device_at(DEVICE_HOST), false);
	if (res == CUDA_ERROR_OUT_OF_MEMORY && !room->spoiled)
		refusal_of_room(room);
}

/* The call has failed for want of memory alone, so a capture did not forbid it:
 * it does not end one when it is made again. */
static void room_relax(struct room *room)
{
	room->relaxed = capture_any();
	if (room->relaxed)
		room->mode = backing_relax();
}

static void room_unrelax(struct room *room)
{
	if (room->relaxed)
		backing_unrelax(room->mode);
	room->relaxed = false;
}

bool room_make(struct room *room, int res)
{
	room_unrelax(room);
	if (res == CUDA_ERROR_OUT_OF_MEMORY && (room->step || can_begin(room)))
		while (room->step < STEP_MAX)
			if (room_step(room, room->step++)) {
				room_relax(room);
				return true;
			}
	room_end(room, res);
	return false;
}
