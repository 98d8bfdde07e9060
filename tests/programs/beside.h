/* Calls beside another thread's call that waits or fails. Each case makes a
 * call that CUDA answers at once, although another thread waits. The work that
 * the other thread waits for ends only after that. The program prints what it
 * found, and hangs if the call waits. */
#ifndef TESTS_PROGRAMS_BESIDE_H
#define TESTS_PROGRAMS_BESIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

enum { MIB = 1 << 20 };

struct beside {
	const char *name;
	void (*run)(void);
};
/* Each table ends with a row without a name. */
extern const struct beside beside_ends[], beside_frees[], beside_waits[];

#define MUST(call) must(call, #call)
void must(CUresult res, const char *call);

extern atomic_bool go; /* lets held() go on */
/* Work that lasts until `go`, and work that ends at once. */
void held(void *unused);
void nothing(void *unused);
void go_on(void);

/* A thread that makes one call. */
struct caller {
	pthread_t thread;
	void (*call)(void);
	atomic_int id;
};

/* Starts a call. Returns once its thread sleeps in the call, or has ended. */
void caller_start(struct caller *caller, void (*call)(void));
void caller_end(struct caller *caller);

/* What the cases use: one or two devices, and for each a context and a
 * stream. */
extern CUdevice one, two;
extern CUcontext first, second;
extern CUstream stream, other;
extern CUdeviceptr block, spare;
extern void *pinned;
void open_unused(void); /* one of each, without any work so far */
void open_first(void);  /* the same, after some work */
void open_both(void);
CUstream stream_new(void);
CUdeviceptr alloc(size_t size);
CUcontext context_new(CUdevice device);
void free_under_work(bool waits);

#endif
