/* CUDA's own pools of stream-ordered memory. Whatever is done to them, the
 * order in which memory may be used stays the same. */
#include <stdatomic.h>

#include "model.h"
#include "run.h"
#include "step.h"

enum { FORBID, ALLOW, KEEP, RETURN, TRIM, MAKE, MAKE_SMALL, DROP, CHANGES };

/* By devices: a pool that the program has made, which is the current one. */
static CUmemoryPool _Atomic own[DEVICES_MAX];

bool draw_mempool(struct program *program, struct step *step)
{
	step->context = context_pick(program);
	if (program->setting.tight || !unsafe_allowed(program, step))
		return false;
	step->choice = random_below(&program->random, CHANGES);
	step->value = random_below(&program->random, 3);
	context_use(program, step, step->context);
	unsafe_use(program, step);
	return true;
}

static void reuse_set(const struct step *step, CUmemoryPool pool, int allowed)
{
	static const CUmemPool_attribute reuses[] = {
		CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
		CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
		CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES};

	OK(step, cuMemPoolSetAttribute, pool, reuses[step->value], &allowed);
}

static void keep_set(const struct step *step, CUmemoryPool pool,
		     cuuint64_t bytes)
{
	OK(step, cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
	   &bytes);
}

/* Memory of the former one stays valid. */
static void own_replace(const struct step *step, int device, CUmemoryPool pool)
{
	CUmemoryPool before;

	/* First, as another thread may end it once it is there. */
	if (pool)
		OK(step, cuDeviceSetMemPool, device, pool);
	before = atomic_exchange(&own[device], pool);
	if (before)
		OK(step, cuMemPoolDestroy, before);
}

static void own_make(const struct step *step, int device, size_t most)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, device},
		.maxSize = most};
	CUmemoryPool pool;

	if (OK(step, cuMemPoolCreate, &pool, &props))
		own_replace(step, device, pool);
}

void run_mempool(const struct step *step)
{
	int device = run.program->contexts[step->context].device;
	CUmemoryPool pool;

	if (!run_enter(step, step->context) ||
	    !OK(step, cuDeviceGetDefaultMemPool, &pool, device))
		return;
	switch (step->choice) {
	case FORBID:
	case ALLOW:
		reuse_set(step, pool, step->choice == ALLOW);
		return;
	case KEEP:
	case RETURN:
		keep_set(step, pool, step->choice == KEEP ? UINT64_MAX : 0);
		return;
	case TRIM:
		OK(step, cuMemPoolTrimTo, pool, 0);
		return;
	case MAKE:
		own_make(step, device, 0);
		return;
	case MAKE_SMALL:
		own_make(step, device, (size_t)1 << 30);
		return;
	default:
		own_replace(step, device, NULL);
		return;
	}
}
