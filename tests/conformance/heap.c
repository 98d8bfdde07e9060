/* What CUDA promises about malloc() and free() in kernels. */
#include "claims.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, SIZE = 100, HEAP = 8 << 20, ALIGN = 16 };

/* take(out, size) stores an address for each thread, and there its number;
 * look(from, to) copies the numbers; give(from) frees. swap(from, many) takes
 * and frees many times, and stores how often there was memory. */
static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".extern .func (.param .b64 r) malloc(.param .b64 s);\n"
	".extern .func free(.param .b64 p);\n"
	".visible .entry take(.param .u64 out, .param .u64 size) {\n"
	".reg .u64 %a<6>; .reg .u32 i; .reg .pred p;\n"
	"ld.param.u64 %a1, [out]; ld.param.u64 %a2, [size];\n"
	"mov.u32 i, %tid.x; mul.wide.u32 %a3, i, 8; add.u64 %a1, %a1, %a3;\n"
	"{ .param .b64 s; .param .b64 r; st.param.b64 [s], %a2;\n"
	"call.uni (r), malloc, (s); ld.param.b64 %a4, [r]; }\n"
	"st.global.u64 [%a1], %a4; setp.ne.u64 p, %a4, 0;\n"
	"@p st.u32 [%a4], i; ret; }\n"
	".visible .entry look(.param .u64 from, .param .u64 to) {\n"
	".reg .u64 %a<6>; .reg .u32 %r<3>;\n"
	"ld.param.u64 %a1, [from]; ld.param.u64 %a2, [to];\n"
	"mov.u32 %r1, %tid.x; mul.wide.u32 %a3, %r1, 8;\n"
	"add.u64 %a1, %a1, %a3; ld.global.u64 %a4, [%a1];\n"
	"ld.u32 %r2, [%a4]; mul.wide.u32 %a3, %r1, 4;\n"
	"add.u64 %a2, %a2, %a3; st.global.u32 [%a2], %r2; ret; }\n"
	".visible .entry give(.param .u64 from) {\n"
	".reg .u64 %a<4>; .reg .u32 i; ld.param.u64 %a1, [from];\n"
	"mov.u32 i, %tid.x; mul.wide.u32 %a3, i, 8; add.u64 %a1, %a1, %a3;\n"
	"ld.global.u64 %a2, [%a1]; { .param .b64 p; st.param.b64 [p], %a2;\n"
	"call.uni free, (p); } ret; }\n"
	".visible .entry swap(.param .u64 to, .param .u32 many) {\n"
	".reg .u64 %a<4>; .reg .u32 %r<4>; .reg .pred p;\n"
	"ld.param.u64 %a1, [to]; ld.param.u32 %r1, [many]; mov.u32 %r2, 0;\n"
	"L: { .param .b64 s; .param .b64 r; st.param.b64 [s], 1000000;\n"
	"call.uni (r), malloc, (s); ld.param.b64 %a2, [r]; }\n"
	"setp.ne.u64 p, %a2, 0; @p add.u32 %r2, %r2, 1;\n"
	"{ .param .b64 p; st.param.b64 [p], %a2; call.uni free, (p); }\n"
	"sub.u32 %r1, %r1, 1; setp.ne.u32 p, %r1, 0; @p bra L;\n"
	"st.global.u32 [%a1], %r2; ret; }\n";

static CUmodule module;

/* Memory for the addresses of all threads. */
static CUdeviceptr open_all(void)
{
	CUdeviceptr out;

	claims_open();
	ck_assert_ok(cuModuleLoadData(&module, text));
	ck_assert_ok(cuMemAlloc(&out, THREADS * sizeof(CUdeviceptr)));
	return out;
}

static void launch(const char *name, unsigned threads, void **args)
{
	CUfunction function;

	ck_assert_ok(cuModuleGetFunction(&function, module, name));
	ck_assert_ok(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL,
				    args, NULL));
	ck_assert_ok(cuCtxSynchronize());
}

static void take(CUdeviceptr out, unsigned threads, size_t size,
		 CUdeviceptr *addrs)
{
	void *args[] = {&out, &size};

	launch("take", threads, args);
	ck_assert_ok(cuMemcpyDtoH(addrs, out, threads * sizeof(*addrs)));
}

static int by_address(const void *a, const void *b)
{
	const CUdeviceptr *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

START_TEST(each_thread_has_memory_of_its_own)
{
	CUdeviceptr out = open_all(), addrs[THREADS];

	take(out, THREADS, SIZE, addrs);
	qsort(addrs, THREADS, sizeof(*addrs), by_address);
	for (int i = 0; i < THREADS; i++) {
		ck_assert_uint_ne(addrs[i], 0);
		ck_assert_uint_eq(addrs[i] % ALIGN, 0);
		ck_assert(!i || addrs[i] - addrs[i - 1] >= SIZE);
	}
}
END_TEST

START_TEST(memory_outlives_the_kernel_that_took_it)
{
	CUdeviceptr out = open_all(), addrs[THREADS], to;
	void *args[] = {&out, &to};
	unsigned numbers[THREADS];

	ck_assert_ok(cuMemAlloc(&to, sizeof(numbers)));
	take(out, THREADS, SIZE, addrs);
	launch("look", THREADS, args);
	ck_assert_ok(cuMemcpyDtoH(numbers, to, sizeof(numbers)));
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_uint_eq(numbers[i], i);
	launch("give", THREADS, args);
}
END_TEST

START_TEST(full_heap_gives_no_address)
{
	CUdeviceptr out = open_all(), addrs[THREADS];
	int found = 0;

	take(out, 1, HEAP + 1, addrs);
	ck_assert_uint_eq(addrs[0], 0);
	take(out, THREADS, 100000, addrs); /* more than it has */
	for (int i = 0; i < THREADS; i++)
		found += addrs[i] != 0;
	ck_assert_int_gt(found, 10);
	ck_assert_int_lt(found, HEAP / 100000 + 1);
}
END_TEST

START_TEST(freed_memory_serves_again)
{
	CUdeviceptr out = open_all();
	unsigned many = 100, found;
	void *args[] = {&out, &many};

	launch("swap", 1, args);
	ck_assert_ok(cuMemcpyDtoH(&found, out, sizeof(found)));
	ck_assert_uint_eq(found, many);
}
END_TEST

START_TEST(heap_is_as_large_as_the_limit)
{
	CUdeviceptr out = open_all(), addrs[1];
	size_t limit;

	ck_assert_ok(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
	ck_assert_uint_eq(limit, HEAP);
	ck_assert_ok(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 4 * HEAP));
	take(out, 1, 2 * HEAP, addrs);
	ck_assert_uint_ne(addrs[0], 0);
	ck_assert_cu(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 8 * HEAP),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(calls_of_the_host_do_not_take_its_memory)
{
	CUdeviceptr out = open_all(), addrs[1];
	unsigned number;

	take(out, 1, SIZE, addrs);
	ck_assert_cu(cuMemFree(addrs[0]), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemcpyDtoH(&number, addrs[0], sizeof(number)),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemsetD32(addrs[0], 0, 1), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		each_thread_has_memory_of_its_own,
		memory_outlives_the_kernel_that_took_it,
		full_heap_gives_no_address,
		freed_memory_serves_again,
		heap_is_as_large_as_the_limit,
		calls_of_the_host_do_not_take_its_memory,
		NULL,
	};

	return claims_run("heap", tests);
}
