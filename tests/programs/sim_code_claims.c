/* What only the simulated driver promises about device code: that it survives
 * any, and gives its memory back. */
#include "../conformance/claims.h"

#include <elf.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static CUmodule loaded(const char *text)
{
	CUmodule module;
	CUcontext ctx = NULL;

	if (cuCtxGetCurrent(&ctx) || !ctx)
		claims_open();
	ck_assert_ok(cuModuleLoadData(&module, text));
	return module;
}

/* A module that is another one for each number. */
static CUmodule numbered(int number)
{
	static char text[1 << 16];

	sprintf(text,
		HEAD ".visible .global .u32 v = %d;\n"
		     ".visible .entry k(.param .u64 to) { .reg .u32 r;\n"
		     ".reg .u64 a; ld.param.u64 a, [to];\n"
		     "ld.global.u32 r, [v]; st.global.u32 [a], r; ret; }\n",
		number);
	return loaded(text);
}

static CUresult k_try(CUmodule module, CUdeviceptr to)
{
	void *args[] = {&to};
	CUfunction k;

	ck_assert_ok(cuModuleGetFunction(&k, module, "k"));
	return cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
}

static void k_launch(CUmodule module, CUdeviceptr to)
{
	ck_assert_ok(k_try(module, to));
}

START_TEST(the_memory_of_modules_is_given_back)
{
	CUdeviceptr to;
	size_t before = 0;
	int value;

	claims_open();
	ck_assert_ok(cuMemAlloc(&to, sizeof(value)));
	for (int i = 0; i < 300; i++) {
		CUmodule module = numbered(i);

		k_launch(module, to);
		ck_assert_ok(cuModuleUnload(module));
		ck_assert_ok(cuMemcpyDtoH(&value, to, sizeof(value)));
		ck_assert_int_eq(value, i);
		if (i == 20)
			before = mallinfo2().uordblks + mallinfo2().hblkhd;
	}
	ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd,
			  before + (1 << 20));
}
END_TEST

/* A graph may be launched though the program has unloaded what it launches;
 * only the module's variables are gone. */
START_TEST(a_graph_keeps_the_code_of_its_kernels)
{
	CUmodule module =
		loaded(HEAD ".visible .entry k(.param .u64 to) {\n"
			    ".reg .u64 a; ld.param.u64 a, [to];\n"
			    "atom.global.add.u32 _, [a], 1; ret; }\n");
	CUgraphExec exec;
	CUdeviceptr to;
	CUstream stream;
	CUfunction k;
	CUgraph graph;
	void *args[] = {&to};
	int value;

	ck_assert_ok(cuMemAlloc(&to, sizeof(value)));
	ck_assert_ok(cuMemsetD32(to, 0, 1));
	ck_assert_ok(cuCtxSynchronize()); /* the stream waits for no other */
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuModuleGetFunction(&k, module, "k"));
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	ck_assert_ok(
		cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_ok(cuModuleUnload(module));
	for (int i = 0; i < 20; i++) /* others take its place */
		ck_assert_ok(cuModuleUnload(numbered(i)));
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuMemcpyDtoH(&value, to, sizeof(value)));
	ck_assert_int_eq(value, 32);
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
}
END_TEST

/* Each wrong number in turn, in a file that would have a symbol. */
START_TEST(tables_of_an_elf_file_may_lie)
{
	static const struct {
		size_t place, bytes;
	} fields[] = {
		{offsetof(Elf64_Ehdr, e_shstrndx), 2},
		{64 + offsetof(Elf64_Shdr, sh_name), 4},
		{64 + offsetof(Elf64_Shdr, sh_link), 4},
		{64 + offsetof(Elf64_Shdr, sh_size), 8},
		{128 + offsetof(Elf64_Shdr, sh_addr), 8},
		{192 + offsetof(Elf64_Sym, st_name), 4},
		{192 + offsetof(Elf64_Sym, st_shndx), 2},
		{192 + offsetof(Elf64_Sym, st_size), 8},
		{192 + offsetof(Elf64_Sym, st_value), 8},
	};
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[2];
		Elf64_Sym symbol;
	} file = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				     ELFCLASS64},
			 .e_shoff = 64,
			 .e_shentsize = 64,
			 .e_shnum = 2},
		.sections = {{.sh_type = SHT_SYMTAB,
			      .sh_offset = 192,
			      .sh_size = sizeof(Elf64_Sym)},
			     {.sh_type = SHT_PROGBITS, .sh_size = 192}},
		.symbol = {.st_info = STT_OBJECT, .st_size = 8, .st_shndx = 1},
	};

	claims_open();
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		char *copy = calloc(1, 4096); /* it may say more */
		CUmodule module;
		CUdeviceptr addr;

		memcpy(copy, &file, sizeof(file));
		/* Sizes of sections say how long the file is. */
		memset(copy + fields[i].place,
		       fields[i].bytes < 8 ? 0xff : 0x7f,
		       fields[i].bytes == 8 ? 1 : fields[i].bytes);
		ck_assert_ok(cuModuleLoadData(&module, copy));
		ck_assert_cu(cuModuleGetGlobal(&addr, NULL, module, "v"),
			     CUDA_ERROR_NOT_FOUND);
		ck_assert_ok(cuModuleUnload(module));
		free(copy);
	}
}
END_TEST

START_TEST(a_stack_has_the_size_of_the_contexts_limit)
{
	CUmodule module = loaded(
		HEAD
		".func (.param .u32 r) f(.param .u32 n) { .reg .u32 %r<5>;\n"
		".reg .pred %p<2>; .local .align 4 .b8 depot[64];\n"
		"ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
		"st.local.u32 [depot], %r1;\n"
		"setp.eq.u32 %p1, %r1, 0; @%p1 bra END; sub.u32 %r3, %r1, 1;\n"
		"{ .param .u32 a; .param .u32 b; st.param.u32 [a], %r3;\n"
		"call (b), f, (a); ld.param.u32 %r2, [b]; }\n"
		"ld.local.u32 %r4, [depot]; add.u32 %r2, %r2, %r4;\n"
		"END: st.param.u32 [r], %r2; ret; }\n"
		".visible .entry k(.param .u64 to) { .reg .u64 a;\n"
		".reg .u32 %r<3>; ld.param.u64 a, [to];\n"
		"{ .param .u32 b; .param .u32 c; st.param.u32 [b], 100;\n"
		"call (c), f, (b); ld.param.u32 %r1, [c]; }\n"
		"st.global.u32 [a], %r1; ret; }\n");
	CUdeviceptr to;
	int value;

	ck_assert_ok(cuMemAlloc(&to, sizeof(value)));
	ck_assert_ok(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16 << 10));
	k_launch(module, to);
	ck_assert_ok(cuMemcpyDtoH(&value, to, sizeof(value)));
	ck_assert_int_eq(value, 5050);
	ck_assert_ok(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
	k_try(module, to); /* may tell it already, if the kernel is quick */
	ck_assert_cu(cuCtxSynchronize(), CUDA_ERROR_HARDWARE_STACK_ERROR);
}
END_TEST

static void flag_wait(void *flag)
{
	while (!__atomic_load_n((int *)flag, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* The launch before it may still use the object, and the calls may not. */
START_TEST(a_launch_behind_the_end_of_a_texture_does_not_see_it)
{
	CUmodule module = loaded(
		HEAD ".visible .entry k(.param .u64 t, .param .u64 to) {\n"
		     ".reg .u64 a, b; .reg .u32 %r<5>; .reg .f32 z;\n"
		     "ld.param.u64 a, [t]; ld.param.u64 b, [to];\n"
		     "mov.f32 z, 0f00000000;\n"
		     "tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [a, {z}];\n"
		     "st.global.u32 [b], %r1; ret; }\n");
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
	CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};
	CUtexObject texture;
	CUdeviceptr *to = &resource.res.linear.devPtr, out;
	CUfunction k;
	void *args[] = {&texture, &out};
	int flag = 0, *seen;

	ck_assert_ok(cuModuleGetFunction(&k, module, "k"));
	ck_assert_ok(cuMemAlloc(to, 512));
	ck_assert_ok(cuMemsetD32(*to, 7, 512 / 4));
	ck_assert_ok(cuMemAllocManaged(&out, 4, CU_MEM_ATTACH_GLOBAL));
	seen = (int *)out;
	resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
	resource.res.linear.numChannels = 1;
	resource.res.linear.sizeInBytes = 512;
	ck_assert_ok(cuTexObjectCreate(&texture, &resource, &how, NULL));
	ck_assert_ok(cuLaunchHostFunc(NULL, flag_wait, &flag));
	ck_assert_ok(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	ck_assert_ok(cuTexObjectDestroy(texture));
	ck_assert_cu(cuTexObjectGetResourceDesc(&resource, texture),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	ck_assert_cu(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	ck_assert_int_eq(*seen, 7);
}
END_TEST

#define HEAP \
	HEAD ".extern .func (.param .b64 r) malloc(.param .b64 s);\n" \
	     ".extern .func free(.param .b64 p);\n"

START_TEST(a_heap_ends_with_its_context)
{
	CUmodule module = loaded(
		HEAP ".visible .entry k(.param .u64 to) { .reg .u64 a;\n"
		     "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 100;\n"
		     "call.uni (r), malloc, (s); ld.param.b64 a, [r]; }\n"
		     "st.u32 [a], 7; ret; }\n");
	size_t before, within, after, total;
	CUdeviceptr to;
	CUcontext ctx;
	CUmodule own;

	ck_assert_ok(cuMemAlloc(&to, 4));
	ck_assert_ok(cuMemGetInfo(&before, &total));
	ck_assert_ok(cuCtxCreate(&ctx, NULL, 0, 0));
	ck_assert_ok(cuModuleLoadData(&own, HEAP ".visible .entry k(.param "
						 ".u64 to) { .param .b64 s;\n"
						 "st.param.b64 [s], 0;\n"
						 "call free, (s); ret; }\n"));
	k_launch(own, to);
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuMemGetInfo(&within, &total));
	ck_assert_uint_eq(within, before - (8 << 20));
	ck_assert_ok(cuCtxDestroy(ctx));
	ck_assert_ok(cuMemGetInfo(&after, &total));
	ck_assert_uint_eq(after, before);
	k_launch(module, to); /* the other context has one of its own */
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
}
END_TEST

START_TEST(a_free_of_what_was_not_taken_is_an_illegal_address)
{
	CUmodule module =
		loaded(HEAP ".visible .entry k(.param .u64 to) {\n"
			    ".param .b64 s; .param .b64 r; .reg .u64 a;\n"
			    "st.param.b64 [s], 64; call (r), malloc, (s);\n"
			    "ld.param.b64 a, [r]; add.s64 a, a, 48;\n"
			    "st.param.b64 [s], a; call free, (s); ret; }\n");

	k_try(module, 0);
	ck_assert_cu(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_memory_of_modules_is_given_back,
		a_graph_keeps_the_code_of_its_kernels,
		tables_of_an_elf_file_may_lie,
		a_stack_has_the_size_of_the_contexts_limit,
		a_launch_behind_the_end_of_a_texture_does_not_see_it,
		a_heap_ends_with_its_context,
		a_free_of_what_was_not_taken_is_an_illegal_address,
		NULL,
	};

	return claims_run("sim_code", tests);
}
