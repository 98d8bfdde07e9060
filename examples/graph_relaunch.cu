/* Captures work into a graph and launches it again and again. Meanwhile buffers
 * of the same size come and go: between the captured calls, between the
 * launches, and while work on them may be queued. */
#include "cuda_check.h"
#include "round_kernels.cuh"
#include "rounds.h"

enum { LAUNCHES = 5, MIXES = 2 };

struct work {
	cudaStream_t stream;
	unsigned count;
	unsigned *here, *next; /* `here` has the newest values */
	unsigned *last;        /* used by the graph alone */
	cudaGraphExec_t exec;
};

static unsigned *values_alloc(unsigned count)
{
	unsigned *values;

	CUDA(cudaMalloc(&values, count * sizeof(*values)));
	return values;
}

static void mix_queue(const struct work *work, const unsigned *from,
		      unsigned *to)
{
	values_mix<<<round_blocks(work->count), ROUND_THREADS, 0,
		     work->stream>>>(from, to, work->count);
	CUDA(cudaGetLastError());
}

static void work_capture(struct work *work)
{
	cudaGraph_t graph;

	/* The mode is relaxed, so cudaMalloc is allowed during the capture. */
	CUDA(cudaStreamBeginCapture(work->stream,
				    cudaStreamCaptureModeRelaxed));
	mix_queue(work, work->here, work->next);
	work->last = values_alloc(work->count);
	mix_queue(work, work->next, work->last);
	CUDA(cudaMemcpyAsync(work->here, work->last,
			     work->count * sizeof(*work->last),
			     cudaMemcpyDeviceToDevice, work->stream));
	CUDA(cudaStreamEndCapture(work->stream, &graph));
	CUDA(cudaGraphInstantiate(&work->exec, graph, 0));
	CUDA(cudaGraphDestroy(graph));
}

/* Adds up the values as they are now. What it allocates is freed while the work
 * is queued. */
static void sum_queue(const struct work *work, unsigned *host_sum)
{
	unsigned *copy = values_alloc(work->count), *sum = values_alloc(1);

	CUDA(cudaMemcpyAsync(copy, work->here, work->count * sizeof(*copy),
			     cudaMemcpyDeviceToDevice, work->stream));
	CUDA(cudaMemsetAsync(sum, 0, sizeof(*sum), work->stream));
	values_sum<<<round_blocks(work->count), ROUND_THREADS, 0,
		     work->stream>>>(copy, work->count, sum);
	CUDA(cudaGetLastError());
	CUDA(cudaFree(copy));
	CUDA(cudaMemcpyAsync(host_sum, sum, sizeof(*sum),
			     cudaMemcpyDeviceToHost, work->stream));
	CUDA(cudaFree(sum));
}

static void round_run(cudaStream_t stream, unsigned *host_sums, unsigned seed)
{
	unsigned result = 0, expected = 0;
	struct work work = {};

	work.stream = stream;
	work.count = round_count(seed);
	work.here = values_alloc(work.count);
	work.next = values_alloc(work.count);
	values_make<<<round_blocks(work.count), ROUND_THREADS, 0, stream>>>(
		work.here, seed, work.count);
	CUDA(cudaGetLastError());
	work_capture(&work);
	for (int launch = 0; launch < LAUNCHES; launch++) {
		CUDA(cudaGraphLaunch(work.exec, stream));
		sum_queue(&work, &host_sums[launch]);
	}
	CUDA(cudaStreamSynchronize(stream));
	CUDA(cudaGraphExecDestroy(work.exec));
	CUDA(cudaFree(work.here));
	CUDA(cudaFree(work.next));
	CUDA(cudaFree(work.last));
	for (int launch = 0; launch < LAUNCHES; launch++) {
		result += host_sums[launch];
		expected +=
			values_expected(seed, work.count, (launch + 1) * MIXES);
	}
	round_end(seed, result, expected);
}

int main(int argc, char **argv)
{
	unsigned seed, *host_sums;
	cudaStream_t stream;

	(void)argv;
	rounds_open(argc, 0, "graph_relaunch");
	CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CUDA(cudaMallocHost(&host_sums, LAUNCHES * sizeof(*host_sums)));
	while (round_next(&seed))
		round_run(stream, host_sums, seed);
	CUDA(cudaFreeHost(host_sums));
	CUDA(cudaStreamDestroy(stream));
	return 0;
}
