/* What mnm says of itself: that nothing is left at the end, and whether plans
 * were followed. */
#include <string.h>

#include "run.h"

/* Makes calls in which mnm gives back what it keeps. Frees are tried again, as
 * a failure may have been injected. */
static void idle_return(void)
{
	CUdeviceptr addr;
	void *pinned;

	for (int d = 0; d < run.program->device_count; d++) {
		if (!run_enter(NULL, run.program->devices[d].keeper) ||
		    !OK_OR(NULL, CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2, &addr,
			   512))
			continue;
		for (int tries = TRIES; tries; tries--)
			if (OK(NULL, cuMemFree_v2, addr))
				break;
	}
	/* With several devices, pinned memory goes back only in frees of pinned
	 * memory. */
	if (OK(NULL, cuMemHostAlloc, &pinned, 512, 0))
		OK(NULL, cuMemFreeHost, pinned);
}

bool run_may_plan(void)
{
	const struct setting *setting = &run.program->setting;

	return !run.native && setting->kind == LAPS &&
	       !strncmp(setting->pool, "tstack", strlen("tstack"));
}

void run_plan_note(const char *answer)
{
	long steps;

	if (!run_may_plan())
		return;
	if (control_figure(answer, "plans") > 0)
		__atomic_store_n(&run.tally->planned, 1, __ATOMIC_RELAXED);
	if (control_figure(answer, "templates") > 1)
		__atomic_store_n(&run.tally->several, 1, __ATOMIC_RELAXED);
	if (control_figure(answer, "placed_bytes") > 0)
		__atomic_store_n(&run.tally->placed, 1, __ATOMIC_RELAXED);
	steps = control_figure(answer, "steps");
	if (steps > 0) /* of the pool that is in use; the others' are lost */
		__atomic_store_n(&run.tally->stepped, (unsigned long)steps,
				 __ATOMIC_RELAXED);
}

void run_stat_check(void)
{
	static const char *const zero[] = {"live_bytes", "retired_bytes",
					   "pending_bytes"};
	char answer[8192];
	long figure;

	if (!control_ask("trim", answer, sizeof(answer))) {
		/* Without an allocation nobody listens. A library that does
		 * nothing proves nothing. */
		if (__atomic_load_n(&run.tally->allocs, __ATOMIC_RELAXED))
			run_failed(NULL, "memory was asked for, and mnm has "
					 "not served it");
		return;
	}
	idle_return();
	control_ask("stat", answer, sizeof(answer));
	/* Each fault makes mnm fail once. What was refused then goes back with
	 * the next free. */
	for (int i = 0; i < run.program->setting.fault_count &&
			control_figure(answer, "pending_bytes");
	     i++) {
		idle_return();
		control_ask("stat", answer, sizeof(answer));
	}
	run_plan_note(answer);
	for (unsigned i = 0; i < sizeof(zero) / sizeof(zero[0]); i++) {
		figure = control_figure(answer, zero[i]);
		if (figure)
			run_failed(NULL, "%s is %ld at the end", zero[i],
				   figure);
	}
	if (control_figure(answer, "reserved_bytes") !=
	    control_figure(answer, "idle_bytes"))
		run_failed(NULL, "reserved is not what is idle at the end: %s",
			   answer);
	run.tally->reuses += (unsigned long)control_figure(answer, "hits");
	run.tally->syncs += (unsigned long)control_figure(answer, "syncs");
	figure = control_figure(answer, "fences");
	run.tally->fences += figure > 0 ? (unsigned long)figure : 0;
}
