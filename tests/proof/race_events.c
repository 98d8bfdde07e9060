/* Races about events that several threads record and wait for, where both
 * threads are left, or the host waits. */
#include "control.h"
#include "race_ordered.h"

static void wait_held(void)
{
	race_hold();
	begun = true;
	DO(cuStreamWaitEvent, waiting, event, 0);
	race_pass();
}

static void host_wait_held(void)
{
	race_hold();
	begun = true;
	DO(cuEventSynchronize, event);
	race_pass();
}

static void record_held(void)
{
	begun_wait();
	race_hold();
	DO(cuEventRecord, event, recording);
	race_pass();
}

static void record_too_held(void)
{
	race_hold();
	begun = true;
	DO(cuEventRecord, event, freeing);
	race_pass();
}

static long fences(void)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	return control_figure(answer, "fences");
}

/* Once nobody else records the event, its order is relied on again. */
static void record_and_reuse(void)
{
	long before_it;

	DO(cuEventRecord, event, freeing);
	DO(cuStreamWaitEvent, waiting, event, 0);
	before_it = fences();
	asked_and_filled(waiting);
	race_expect("fences", fences(), before_it);
}

/* The first record is not followed. While it is under way, the other thread's
 * begins, which is not followed either. So when this thread records the event
 * once more, nobody knows which is the last. */
static void records_held(void)
{
	race_hold();
	begun = true;
	DO(cuEventRecord, event, waiting);
	race_pass();
	freed(asked_and_filled(freeing), freeing);
	DO(cuEventRecord, event, freeing);
}

static void free_and_record_held(void)
{
	begun_wait();
	freed(asked_and_filled(recording), recording);
	race_hold();
	DO(cuEventRecord, event, recording);
	race_pass();
}

const struct race race_events[] = {
	{"wait beside an event that is being recorded", SERVED, 1, 1,
	 before_record, wait_held, record_held, reuse},
	{"host's wait beside an event recorded anew", SERVED, 1, 0,
	 before_record, host_wait_held, record_held, reuse},
	{"event recorded by two threads, and then by one", SERVED, 1, 0,
	 before_record, record_too_held, record_held, record_and_reuse},
	{"records from before the first free in a stream", SERVED, 1, 1,
	 before_any, records_held, free_and_record_held, wait_and_reuse},
	{0},
};
