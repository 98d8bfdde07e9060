#include "claims.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A value that the host and the device see; 64 bits of it are zero. */
static _Atomic uint32_t *value_new(CUdeviceptr *addr)
{
	void *value;

	ck_assert_ok(cuMemHostAlloc(&value, 64, CU_MEMHOSTALLOC_DEVICEMAP));
	memset(value, 0, 64);
	ck_assert_ok(cuMemHostGetDevicePointer(addr, value, 0));
	return value;
}

START_TEST(write_of_a_value_comes_after_earlier_work)
{
	_Atomic uint32_t *value;
	CUdeviceptr addr;
	CUstream stream;

	claims_open();
	value = value_new(&addr);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuStreamWaitValue32(stream, addr + 4, 1,
					 CU_STREAM_WAIT_VALUE_GEQ));
	ck_assert_ok(cuStreamWriteValue32(stream, addr, 7, 0));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	ck_assert_uint_eq(*value, 0);
	value[1] = 1;
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(*value, 7);
}
END_TEST

START_TEST(wait_for_a_value_holds_the_stream_until_the_host_writes_it)
{
	CUdeviceptr addr, numbers;
	_Atomic uint32_t *value;
	CUstream stream;

	claims_open();
	value = value_new(&addr);
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamWaitValue32(stream, addr, 5, CU_STREAM_WAIT_VALUE_GEQ));
	ck_assert_ok(claims_work(numbers, stream));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	*value = 4;
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	*value = 6;
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

START_TEST(write_in_one_stream_lets_another_go_on)
{
	CUstream first, second;
	CUdeviceptr flag;

	claims_open();
	flag = claims_numbers();
	first = claims_stream(CU_STREAM_NON_BLOCKING);
	second = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuStreamWaitValue64(second, flag, 1ULL << 40,
					 CU_STREAM_WAIT_VALUE_EQ));
	ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
	ck_assert_ok(cuStreamWriteValue64(first, flag, 1ULL << 40, 0));
	ck_assert_ok(cuStreamSynchronize(second));
}
END_TEST

/* Whether a wait with these flags passes when the value is `found`. */
static bool passes(_Atomic uint32_t *value, CUdeviceptr addr, uint32_t found,
		   uint32_t wanted, unsigned flags)
{
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUresult res;

	*value = found;
	ck_assert_ok(cuStreamWaitValue32(stream, addr, wanted, flags));
	res = cuStreamQuery(stream);
	ck_assert(!res || res == CUDA_ERROR_NOT_READY);
	return !res;
}

START_TEST(waits_compare_as_their_flags_say)
{
	_Atomic uint32_t *value;
	CUdeviceptr addr;
	CUstream stream;

	claims_open();
	value = value_new(&addr);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	*value = 0x80000001;
	/* It is behind this one on the circle. */
	ck_assert_ok(cuStreamWaitValue32(stream, addr, 0x7fffffff,
					 CU_STREAM_WAIT_VALUE_GEQ));
	ck_assert_ok(cuStreamWaitValue32(stream, addr, 0x80000001,
					 CU_STREAM_WAIT_VALUE_EQ));
	ck_assert_ok(
		cuStreamWaitValue32(stream, addr, 3, CU_STREAM_WAIT_VALUE_AND));
	ck_assert_ok(cuStreamWaitValue32(stream, addr, 0x7ffffffd,
					 CU_STREAM_WAIT_VALUE_NOR));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert(!passes(value, addr, 1, 2, CU_STREAM_WAIT_VALUE_EQ));
	ck_assert(!passes(value, addr, 1, 2, CU_STREAM_WAIT_VALUE_AND));
	ck_assert(!passes(value, addr, 1, ~1U, CU_STREAM_WAIT_VALUE_NOR));
}
END_TEST

START_TEST(batch_does_its_operations_in_order)
{
	CUstreamBatchMemOpParams parts[3] = {0};
	_Atomic uint32_t *value;
	CUdeviceptr addr;
	CUstream stream;

	claims_open();
	value = value_new(&addr);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	parts[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	parts[0].waitValue.address = addr;
	parts[0].waitValue.value = 1;
	parts[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	parts[1].writeValue.address = addr + 8;
	parts[1].writeValue.value = 2;
	parts[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	parts[2].writeValue.address = addr + 8;
	parts[2].writeValue.value = 3;
	value[2] = 0;
	ck_assert_ok(cuStreamBatchMemOp(stream, 3, parts, 0));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	ck_assert_uint_eq(value[2], 0);
	*value = 1;
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(value[2], 3);
}
END_TEST

START_TEST(address_has_to_be_aligned_and_visible)
{
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_cu(cuStreamWriteValue32(stream, numbers + 2, 1, 0),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuStreamWriteValue64(stream, numbers + 4, 1, 0),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuStreamWriteValue32(stream, 0, 1, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(node_does_a_batch)
{
	CUstreamBatchMemOpParams part = {0};
	CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = 1,
						.paramArray = &part},
				      told;
	_Atomic uint32_t *value;
	CUgraphExec exec;
	CUgraphNode node;
	CUdeviceptr addr;
	CUgraph graph;

	params.ctx = claims_open();
	value = value_new(&addr);
	part.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	part.writeValue.address = addr;
	part.writeValue.value = 9;
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
	ck_assert_ok(cuGraphBatchMemOpNodeGetParams(node, &told));
	ck_assert_uint_eq(told.count, 1);
	ck_assert_uint_eq(told.paramArray[0].writeValue.value, 9);
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_uint_eq(*value, 9);
	part.writeValue.value = 10;
	ck_assert_ok(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_uint_eq(*value, 10);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		write_of_a_value_comes_after_earlier_work,
		wait_for_a_value_holds_the_stream_until_the_host_writes_it,
		write_in_one_stream_lets_another_go_on,
		waits_compare_as_their_flags_say,
		batch_does_its_operations_in_order,
		address_has_to_be_aligned_and_visible,
		node_does_a_batch,
		NULL,
	};

	return claims_run("memop", tests);
}
