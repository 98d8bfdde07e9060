/* Kernels that may run on several threads, in tests that count these. */
#ifndef MNM_TEST_PTX_CREW_H
#define MNM_TEST_PTX_CREW_H

#include <errno.h>
#include <pthread.h>

#include "ptx_run.h"

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"
/* Each thread of the grid computes a number in a loop of %n rounds, which takes
 * 4 operations a round, and stores it at its place. %b is the block. */
#define BEGIN \
	HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 " \
	     "a);\n.shared .align 8 .b8 s[64]; .global .align 8 .u64 g;\n" \
	     ".entry k(.param .u64 to, .param .u32 rounds) {\n" \
	     ".reg .u32 %r<9>, %x, %i, %n, %b; .reg .u64 %a<9>;\n" \
	     ".reg .pred %p<9>; .param .b64 f, a; .param .b32 r;\n" \
	     "ld.param.u64 %a1, [to]; ld.param.u32 %n, [rounds];\n" \
	     "mov.u32 %b, %ctaid.x; mov.u32 %r1, %tid.x;\n" \
	     "mov.u32 %r2, %ntid.x; mad.lo.u32 %x, %b, %r2, %r1;\n" \
	     "mad.wide.u32 %a1, %x, 4, %a1; mov.u32 %i, 0;\n"
#define END \
	"LOOP: mad.lo.u32 %x, %x, 1664525, 1013904223;\n" \
	"add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, %n; @%p1 bra LOOP;\n" \
	"st.global.u32 [%a1], %x; ret; }"

enum { THREADS = 32, BLOCKS = 200, ROUNDS = 1500 };

/* How many threads were made; none is made from `refused` on. */
static unsigned int made, refused = 1000;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *of);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *of);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *of)
{
	if (made >= refused)
		return EAGAIN;
	made++;
	return __real_pthread_create(thread, attr, run, of);
}

static uint32_t to[BLOCKS * THREADS];

static inline uint32_t expected(uint32_t x, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

struct job {
	const char *text;
	unsigned int blocks, rounds, threads;
	struct ptx_host host;
	struct ptx_error error;
};

static inline enum ptx_result run(struct job *job)
{
	void *place = to;
	struct ptx_launch launch = {
		.grid = {job->blocks, 1, 1},
		.block = {THREADS, 1, 1},
		.threads = job->threads,
		.args = (void *[]){&place, &job->rounds},
	};
	struct ptx_module *module =
		ptx_parse(job->text, strlen(job->text), &job->error);
	struct ptx_program *program;
	enum ptx_result result;

	ck_assert_msg(module, "%u: %s", job->error.line, job->error.text);
	program = ptx_prepare(module, ptx_kernel_at(module, 0), &job->error);
	ck_assert_msg(program, "%u: %s", job->error.line, job->error.text);
	if (!job->host.user)
		job->host.user = module;
	memset(to, 0, sizeof(to));
	made = 0;
	result = ptx_run(program, &launch, &job->host, &job->error);
	ptx_program_free(program);
	ptx_module_free(module);
	return result;
}

static inline struct job job_of(const char *text, unsigned int threads)
{
	return (struct job){
		.text = text,
		.blocks = BLOCKS,
		.rounds = ROUNDS,
		.threads = threads,
		.host = {.variable = host_variable, .print = host_print},
	};
}

static inline void results_check(const struct job *job)
{
	for (unsigned int i = 0; i < job->blocks * THREADS; i++)
		ck_assert_uint_eq(to[i], expected(i, job->rounds));
}

#endif
