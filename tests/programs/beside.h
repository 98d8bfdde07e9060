/* Calls beside one that waits, or fails: each case is a call that CUDA answers
 * at once, whatever another thread waits for. The work that the other waits
 * for ends only after that. Prints what was found; hangs where a call waits. */
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
/* The last has no name. */
extern const struct beside beside_ends[], beside_frees[], beside_waits[];

#define MUST(call) must(call, #call)
void must(CUresult res, const char *call);

extern atomic_bool go;   /* work that was held up goes on */
void held(void *unused); /* such work, and other */
void nothing(void *unused);
void go_on(void);

/* A thread that makes one call. */
struct caller {
	pthread_t thread;
	void (*call)(void);
	atomic_int id;
};

/* Starts a call, and returns once its thread sleeps in it, or has ended. */
void caller_start(struct caller *caller, void (*call)(void));
void caller_end(struct caller *caller);

/* What the cases use: a device or two, a context of each, a stream of each. */
extern CUdevice one, two;
extern CUcontext first, second;
extern CUstream stream, other;
extern CUdeviceptr block, spare;
extern void *pinned;
void open_unused(void); /* one of each; nobody has had work */
void open_first(void);  /* the same; now somebody has */
void open_both(void);
CUstream stream_new(void);
CUdeviceptr alloc(size_t size);
CUcontext context_new(CUdevice device);
void free_under_work(bool waits);

#endif
