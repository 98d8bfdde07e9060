/* Shared by waits.c and waits_questions.c. */
#ifndef TESTS_GPU_WAITS_H
#define TESTS_GPU_WAITS_H

#include <cuda.h>

/* Ends the program with one line if a call failed. */
void waits_check(CUresult res, const char *call, int line);
#define CHECK(call) waits_check(call, #call, __LINE__)

/* The streams `busy` and `apart` wait for no other; `first` and `second` wait
 * for the legacy stream. A question may leave work in any of them. */
struct world {
	CUstream busy, apart, first, second;
	CUfunction linger; /* linger(unsigned long long ns) */
	unsigned long long linger_ns;
	CUdeviceptr keep; /* for fills of KEEP bytes */
	size_t large;     /* more than half of the device's memory */
	/* What a question leaves: each is freed after it, unless it is 0. */
	CUmemoryPool pool;
	CUdeviceptr block, other;
	double took; /* how many ns the call took that it is about, or 0 */
	int spoilt;  /* work has failed: nothing can be asked again */
};
enum { KEEP = 4096 };

/* YES is proved by one try. NO may also come of a host that was late, and
 * UNKNOWN means that the kernel was over before anything could be told. */
enum answer { NO, YES, UNKNOWN };

/* The kernels, for the current context. */
CUmodule waits_module(void);

struct question {
	const char *text;
	enum answer (*ask)(struct world *world);
};

/* Ended by a row without a text. */
extern const struct question questions[];

#endif
