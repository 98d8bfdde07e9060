/* Shared by the programs of claims about the driver. A claim must hold for
 * every driver from CUDA 13.0 on, simulated or NVIDIA's. Check runs each test
 * in a process of its own, so each one starts with cuInit. */
#ifndef TESTS_CONFORMANCE_CLAIMS_H
#define TESTS_CONFORMANCE_CLAIMS_H

#include <check.h>
#include <cuda.h>

/* Compares results by name, so that a failed claim can be read. */
#define ck_assert_cu(call, expected) \
	ck_assert_str_eq(claims_name(call), #expected)
#define ck_assert_ok(call) ck_assert_cu(call, CUDA_SUCCESS)

const char *claims_name(CUresult res);
/* Initialises the driver and makes device 0's primary context current. Returns
 * that context. */
CUcontext claims_open(void);
/* Runs a NULL-ended list of tests and returns main's status. */
int claims_run(const char *name, const TTest *const *tests);

/* The text of a module with this kernel. */
extern const char claims_ptx[];
/* A kernel `add(int *numbers, int step, unsigned count)`. Waits for all work of
 * the context, so it is called before a stream is held. */
CUfunction claims_kernel(void);
/* Runs that kernel in a stream: it adds step to count numbers. */
CUresult claims_add(CUfunction add, CUdeviceptr numbers, int step,
		    unsigned count, CUstream stream);
enum { CLAIMS_COUNT = 1000 };
/* A launch of it as a node, for all of those numbers. */
struct claims_step {
	CUdeviceptr numbers;
	int step;
	unsigned count;
	void *args[3];
	CUDA_KERNEL_NODE_PARAMS params;
};
void claims_step_init(struct claims_step *step, CUfunction add,
		      CUdeviceptr numbers, int by);
/* CLAIMS_COUNT zeros on the device, and the value of one of them. */
CUdeviceptr claims_numbers(void);
int claims_number(CUdeviceptr numbers, int at);

CUstream claims_stream(unsigned flags);
/* An event that records no time. */
CUevent claims_event(void);
CUstreamCaptureStatus claims_capturing(CUstream stream);

/* Keeps a stream busy with a host function that waits for claims_release(). No
 * other host function of the context runs meanwhile, whatever its stream. */
void claims_hold(CUstream stream);
void claims_release(void);
/* Waits until the stream is held, if nothing is queued before that. */
void claims_held(void);
/* The same after some time, by another thread. */
void claims_release_later(void);
/* Queues work that is no host function: it writes to numbers. */
CUresult claims_work(CUdeviceptr numbers, CUstream stream);

#endif
