/* Memory that is asked for and freed in the order of streams. Each case of
 * ordered_*.c prints what it found. Work that lasts until `go` stands for a
 * long kernel: what is in use under it must not be handed out to others, and no
 * call may wait for it. */
#ifndef MNM_TESTS_ORDERED_H
#define MNM_TESTS_ORDERED_H

#include <stdatomic.h>
#include <stddef.h>

#include <cuda.h>

#include "sim/check.h"

#pragma weak sim_own
#pragma weak sim_disown

/* The device has 64 MiB, of which the program's context takes some. */
enum { SIZE = 100000, MEBI = 1 << 20, SHORT = 24 * MEBI };

#define MUST(call) must(call, #call)
void must(CUresult res, const char *call);

extern CUcontext context; /* device 0's */
extern atomic_bool go;

/* For cuLaunchHostFunc: lasts until `go`, and for a tenth of a second. */
void held(void *unused);
void lasting(void *unused);
void nothing(void *unused);

/* A thread that lets the work go on after a while. */
void *lets_go(void *unused);

CUstream made(unsigned int flags);
CUstream apart(void); /* does not wait for the legacy stream */
CUevent event_new(void);

/* Retains the device's context, makes it current and returns it. */
CUcontext device_entered(int device);

/* The checker is to know that the program has asked for that block. */
CUdeviceptr begun(CUdeviceptr block, size_t size);

/* A block of SIZE bytes; and one with work on it in that stream that lasts. */
CUdeviceptr asked(CUstream stream);
CUdeviceptr asked_and_used(CUstream stream);

/* Uses a block that was just asked for. The simulated device's checker looks
 * whether anything else may still use it. */
void used(CUdeviceptr block, CUstream stream);

/* The checker is to know that the block's life is over. */
CUdeviceptr over(CUdeviceptr block);

/* From now on the system does that instead of a call of that number. */
void forbid(unsigned int call, unsigned int action);

/* Several streams have had work, one after the other. */
void mix(void);

void compare(CUdeviceptr block, CUdeviceptr before);
void end(void);

unsigned long long figure(CUmemoryPool pool, CUmemPool_attribute what);
size_t free_bytes(void);

struct ordered_case {
	const char *name;
	void (*run)(void);
};
#define CASE(name) \
	{ \
#name, name \
	}

extern const struct ordered_case ordered_streams[], ordered_legacy[],
	ordered_launches[], ordered_events[], ordered_devices[],
	ordered_pools[], ordered_peers[], ordered_room[], ordered_waits[],
	ordered_figures[], ordered_larger[], ordered_marks[],
	ordered_captures[], ordered_unseen[], ordered_guards[];

#endif
