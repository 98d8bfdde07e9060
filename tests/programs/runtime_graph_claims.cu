/* What the CUDA runtime promises about stream capture and graphs. It is true of
 * NVIDIA's runtime and of the simulated one. */
#include "claims.h"
#include "runtime_graph_claims_kernels.cuh"

enum { COUNT = 1000 };

static int *zeros_alloc()
{
	int *values;

	ck_assert_success(cudaMalloc((void **)&values, COUNT * sizeof(int)));
	ck_assert_success(cudaMemset(values, 0, COUNT * sizeof(int)));
	ck_assert_success(cudaDeviceSynchronize());
	return values;
}

static int value_read(const int *values)
{
	int value = -1;

	ck_assert_success(cudaMemcpy(&value, values, sizeof(value),
				     cudaMemcpyDeviceToHost));
	return value;
}

static cudaStream_t stream_new()
{
	cudaStream_t stream;

	ck_assert_success(
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return stream;
}

static void launch_all(cudaGraph_t graph, cudaStream_t stream)
{
	cudaGraphExec_t exec;

	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_success(cudaGraphDestroy(graph));
	ck_assert_success(cudaGraphLaunch(exec, stream));
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_success(cudaGraphExecDestroy(exec));
}

START_TEST(captured_step_runs_at_each_launch)
{
	int *values = zeros_alloc();
	cudaStream_t stream = stream_new();
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	ck_assert_success(
		cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add_step<<<8, 128, 0, stream>>>(values, 3, COUNT);
	ck_assert_success(cudaGetLastError());
	add_step<<<8, 128, 0, stream>>>(values, 4, COUNT);
	ck_assert_success(cudaStreamEndCapture(stream, &graph));
	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_int_eq(value_read(values), 0);
	for (int i = 0; i < 10; i++)
		ck_assert_success(cudaGraphLaunch(exec, stream));
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_int_eq(value_read(values), 70);
	ck_assert_success(cudaGraphExecDestroy(exec));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(fork_and_join_are_captured)
{
	int *first = zeros_alloc(), *second = zeros_alloc();
	cudaStream_t stream = stream_new(), other = stream_new();
	cudaEvent_t forked, joined;
	cudaGraph_t graph;

	ck_assert_success(cudaEventCreate(&forked));
	ck_assert_success(cudaEventCreate(&joined));
	ck_assert_success(cudaStreamBeginCapture(
		stream, cudaStreamCaptureModeThreadLocal));
	ck_assert_success(cudaEventRecord(forked, stream));
	ck_assert_success(cudaStreamWaitEvent(other, forked, 0));
	add_step<<<8, 128, 0, stream>>>(first, 1, COUNT);
	add_step<<<8, 128, 0, other>>>(second, 2, COUNT);
	ck_assert_success(cudaEventRecord(joined, other));
	ck_assert_success(cudaStreamWaitEvent(stream, joined, 0));
	ck_assert_success(cudaMemcpyAsync(first, second, COUNT * sizeof(int),
					  cudaMemcpyDeviceToDevice, stream));
	ck_assert_success(cudaStreamEndCapture(stream, &graph));
	launch_all(graph, stream);
	ck_assert_int_eq(value_read(first), 2);
}
END_TEST

START_TEST(capture_is_told)
{
	enum cudaStreamCaptureStatus status;
	cudaStream_t stream = stream_new();
	unsigned long long id = 0;
	cudaGraph_t graph, inside = NULL;

	ck_assert_success(
		cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	ck_assert_success(cudaStreamIsCapturing(stream, &status));
	ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
	ck_assert_success(cudaStreamGetCaptureInfo(stream, &status, &id,
						   &inside, NULL, NULL, NULL));
	ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
	ck_assert_success(cudaStreamEndCapture(stream, &graph));
	ck_assert_ptr_eq(graph, inside);
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(allocation_makes_a_global_capture_invalid)
{
	cudaStream_t stream = stream_new();
	cudaGraph_t graph;
	void *ptr;

	ck_assert_success(
		cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	ck_assert_cuda(cudaMalloc(&ptr, COUNT),
		       cudaErrorStreamCaptureUnsupported);
	ck_assert_cuda(cudaStreamEndCapture(stream, &graph),
		       cudaErrorStreamCaptureInvalidated);
	ck_assert_cuda(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
	ck_assert_success(cudaMalloc(&ptr, COUNT));
}
END_TEST

START_TEST(relaxed_thread_allocates_in_a_capture)
{
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	cudaStream_t stream = stream_new();
	cudaGraph_t graph;
	void *ptr;

	ck_assert_success(
		cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	ck_assert_success(cudaThreadExchangeStreamCaptureMode(&mode));
	ck_assert_success(cudaMalloc(&ptr, COUNT));
	ck_assert_success(cudaThreadExchangeStreamCaptureMode(&mode));
	ck_assert_success(cudaStreamEndCapture(stream, &graph));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(device_cannot_be_waited_for_in_a_capture)
{
	cudaStream_t stream = stream_new();
	cudaGraph_t graph;

	ck_assert_success(
		cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	ck_assert_cuda(cudaDeviceSynchronize(),
		       cudaErrorStreamCaptureUnsupported);
	ck_assert_cuda(cudaStreamEndCapture(stream, &graph),
		       cudaErrorStreamCaptureInvalidated);
	cudaGetLastError();
	ck_assert_success(cudaDeviceSynchronize());
}
END_TEST

static void note(void *user)
{
	*(int *)user += 1;
}

START_TEST(graph_is_made_by_hand)
{
	int *values = zeros_alloc(), noted = 0, step = 5, count = COUNT;
	void *args[] = {&values, &step, &count};
	cudaKernelNodeParams kernel = {};
	cudaMemsetParams fill = {};
	cudaHostNodeParams host = {note, &noted};
	cudaGraphNode_t filled, added, copied, last;
	cudaStream_t stream = stream_new();
	cudaGraph_t graph;
	size_t count_before = 1;
	int result = 0;

	kernel.func = (void *)add_step;
	kernel.gridDim = dim3(8);
	kernel.blockDim = dim3(128);
	kernel.kernelParams = args;
	fill.dst = values;
	fill.value = 0;
	fill.elementSize = 4;
	fill.width = COUNT;
	fill.height = 1;
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(
		cudaGraphAddMemsetNode(&filled, graph, NULL, 0, &fill));
	ck_assert_success(
		cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
	ck_assert_success(cudaGraphAddMemcpyNode1D(
		&copied, graph, &added, 1, &result, values, sizeof(result),
		cudaMemcpyDeviceToHost));
	ck_assert_success(
		cudaGraphAddHostNode(&last, graph, &copied, 1, &host));
	ck_assert_success(cudaGraphNodeGetDependencies(last, &filled, NULL,
						       &count_before));
	ck_assert_uint_eq(count_before, 1);
	ck_assert_ptr_eq(filled, copied);
	launch_all(graph, stream);
	ck_assert_int_eq(result, 5);
	ck_assert_int_eq(noted, 1);
}
END_TEST

START_TEST(graphs_hold_no_memory)
{
	unsigned long long bytes = 1;

	ck_assert_success(cudaDeviceGetGraphMemAttribute(
		0, cudaGraphMemAttrReservedMemCurrent, &bytes));
	ck_assert_uint_eq(bytes, 0);
	ck_assert_success(cudaDeviceSetGraphMemAttribute(
		0, cudaGraphMemAttrReservedMemHigh, &bytes));
}
END_TEST

START_TEST(update_keeps_the_executable)
{
	int *values = zeros_alloc();
	cudaStream_t stream = stream_new();
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExec_t exec = NULL;
	cudaGraph_t graph;

	for (int i = 1; i <= 3; i++) {
		ck_assert_success(cudaStreamBeginCapture(
			stream, cudaStreamCaptureModeGlobal));
		add_step<<<8, 128, 0, stream>>>(values, i, COUNT);
		ck_assert_success(cudaStreamEndCapture(stream, &graph));
		if (exec)
			ck_assert_success(
				cudaGraphExecUpdate(exec, graph, &info));
		else
			ck_assert_success(
				cudaGraphInstantiate(&exec, graph, 0));
		ck_assert_success(cudaGraphDestroy(graph));
		ck_assert_success(cudaGraphLaunch(exec, stream));
	}
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_int_eq(value_read(values), 6);
	ck_assert_success(cudaGraphExecDestroy(exec));
}
END_TEST

static const TTest *const tests[] = {
	captured_step_runs_at_each_launch,
	fork_and_join_are_captured,
	capture_is_told,
	allocation_makes_a_global_capture_invalid,
	relaxed_thread_allocates_in_a_capture,
	device_cannot_be_waited_for_in_a_capture,
	graph_is_made_by_hand,
	graphs_hold_no_memory,
	update_keeps_the_executable,
	NULL,
};

int main(void)
{
	return claims_run("runtime graph", tests);
}
