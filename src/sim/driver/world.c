#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copied.h"
#include "entries.h"
#include "kernel.h"
#include "quick.h"
#include "stream.h"
#include "thread.h"
#include "threads.h"

enum { DEVICES_MAX = 64 }; /* a bit each in context.peers */

struct world world = {.lock = PTHREAD_MUTEX_INITIALIZER,
		      .done = PTHREAD_COND_INITIALIZER};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CUresult opened;
static bool dead;

bool world_is_dead(void)
{
	return dead;
}

void world_busy(void)
{
	__atomic_fetch_add(&world.busy, 1, __ATOMIC_RELAXED);
}

void world_calm(void)
{
	__atomic_fetch_sub(&world.busy, 1, __ATOMIC_RELEASE);
}

/* Calls must not be quick any more: what they pass over, such as the record of
 * an event when nothing is queued, is order that a pool asks for. */
void world_track(void)
{
	if (world.tracking)
		return;
	world.tracking = true;
	world_busy();
	for (int i = 0; i < world.device_count; i++) {
		struct device *dev = &world.devices[i];

		stream_lanes_open(&dev->primary);
		for (struct context *c = dev->contexts; c; c = c->next)
			stream_lanes_open(c);
	}
}

/* The child has no workers, and the lock may be held by a thread that the child
 * does not have. */
static void forked(void)
{
	dead = true;
	world.ready = world.quick = false;
}

static int device_count(void)
{
	const char *text = getenv("MNM_SIM_DEVICES");
	char *end;
	long count;

	if (!text || !*text)
		return 1;
	count = strtol(text, &end, 10);
	if (!*end && count >= 1 && count <= DEVICES_MAX)
		return (int)count;
	fprintf(stderr, "mnm-sim: MNM_SIM_DEVICES: \"%s\" is not 1 to %d\n",
		text, DEVICES_MAX);
	return 0;
}

static void device_open(struct device *dev, int ordinal, size_t capacity)
{
	dev->ordinal = ordinal;
	dev->arena.capacity = capacity;
	dev->arena.ideal = world.profile.ideal;
	mempool_open(&dev->pool, dev);
	dev->pool.standard = true;
	dev->pool_current = &dev->pool;
}

static CUresult devices_open(void)
{
	int count = device_count();

	if (!count)
		return CUDA_ERROR_NO_DEVICE;
	world.devices = calloc(count + 1, sizeof(*world.devices));
	if (!world.devices)
		return CUDA_ERROR_OUT_OF_MEMORY;
	world.device_count = count;
	for (int i = 0; i < count; i++) {
		device_open(&world.devices[i], i, world.profile.capacity);
		world.devices[i].primary.dev = &world.devices[i];
		world.devices[i].primary.magic = CONTEXT_MAGIC;
	}
	device_open(world_host(), CU_DEVICE_CPU,
		    (size_t)sysconf(_SC_PHYS_PAGES) *
			    (size_t)sysconf(_SC_PAGESIZE));
	return CUDA_SUCCESS;
}

static void check_open(void)
{
	const char *text = getenv("MNM_SIM_CHECK");

	world.checking = text && *text && strcmp(text, "0");
	world.tracking = world.checking;
}

static void open_once(void)
{
	opened = profile_open(&world.profile);
	if (!opened)
		opened = threads_open();
	if (!opened)
		opened = seed_open();
	if (!opened)
		opened = devices_open();
	if (opened)
		return;
	kernel_open();
	check_open();
	copied_open();
	if (pthread_atfork(NULL, NULL, forked))
		opened = CUDA_ERROR_OUT_OF_MEMORY;
	if (opened)
		return;
	quick_open();
	__atomic_store_n(&world.ready, true, __ATOMIC_RELEASE);
}

CUresult world_open(void)
{
	if (dead)
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_once(&once, open_once);
	return opened;
}

CUresult sim_cuInit(unsigned flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE : world_open();
}

CUresult sim_cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = (int)world.driver_version;
	return CUDA_SUCCESS;
}
