/* What frees wait for, what they give back, and what the legacy stream orders:
 * questions that CUDA's documents leave open, with waits_questions.c.
 *
 *     waits [MILLISECONDS]    how long a kernel keeps a stream busy, 300
 *
 * Prints a line of JSON for each: its text; "yes", "no", or "unknown" where the
 * kernel was over before it could be told; and how many ms the call took, or 0.
 * Each is asked in a process of its own, so that a call that fails leaves the
 * other answers. Exit status: 1 if a call failed, 2 for wrong usage, 77 if the
 * device has no memory pools. */
#include "waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_BROKEN = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 77 };
enum { TRIES = 3, LONGER = 5 };
enum { MS_DEFAULT = 300, MS_MOST = 10000, NS_OF_MS = 1000000 };
static const char *const answers[] = {"no", "yes", "unknown"};

/* linger(unsigned long long ns) and touch(unsigned int *at), written by hand: a
 * program of the driver alone has nothing that nvcc makes. The simulated device
 * takes only their names. */
static const char ptx[] = ".version 6.4\n.target sm_75\n.address_size 64\n"
			  ".visible .entry linger(.param .u64 length)\n"
			  "{\n"
			  "  .reg .pred %early;\n"
			  "  .reg .u64 %length, %start, %gone;\n"
			  "  ld.param.u64 %length, [length];\n"
			  "  mov.u64 %start, %globaltimer;\n"
			  "again:\n"
			  "  mov.u64 %gone, %globaltimer;\n"
			  "  sub.u64 %gone, %gone, %start;\n"
			  "  setp.lt.u64 %early, %gone, %length;\n"
			  "  @%early bra again;\n"
			  "  ret;\n"
			  "}\n"
			  ".visible .entry touch(.param .u64 place)\n"
			  "{\n"
			  "  .reg .u64 %place;\n"
			  "  .reg .u32 %one;\n"
			  "  ld.param.u64 %place, [place];\n"
			  "  mov.u32 %one, 1;\n"
			  "  st.u32 [%place], %one;\n"
			  "  ret;\n"
			  "}\n";

CUmodule waits_module(void)
{
	CUmodule module;

	CHECK(cuModuleLoadData(&module, ptx));
	return module;
}

void waits_check(CUresult res, const char *call, int line)
{
	const char *name = "an unknown error";

	if (!res)
		return;
	cuGetErrorName(res, &name);
	fprintf(stderr, "waits: line %d: %s: %s\n", line, call, name);
	exit(EXIT_BROKEN);
}

/* The first kernel, fill and wait of a process take longer, and may wait for
 * more, than all later ones. */
static void warm_up(struct world *world)
{
	unsigned long long ns = 1;
	void *arguments[] = {&ns};
	const CUstream streams[] = {world->busy, world->apart, world->first,
				    world->second, CU_STREAM_LEGACY};

	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		CHECK(cuLaunchKernel(world->linger, 1, 1, 1, 1, 1, 1, 0,
				     streams[i], arguments, NULL));
		CHECK(cuMemsetD8Async(world->keep, 1, KEEP, streams[i]));
		CHECK(cuStreamSynchronize(streams[i]));
		CHECK(cuStreamQuery(streams[i]));
	}
}

static void world_open(struct world *world)
{
	size_t unused, total;
	CUcontext ctx;
	CUdevice dev;
	int pools;

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&dev, 0));
	CHECK(cuDeviceGetAttribute(
		&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, dev));
	if (!pools) {
		printf("the device has no memory pools\n");
		exit(EXIT_SKIPPED);
	}
	CHECK(cuDevicePrimaryCtxRetain(&ctx, dev));
	CHECK(cuCtxSetCurrent(ctx));
	CHECK(cuStreamCreate(&world->busy, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&world->apart, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&world->first, CU_STREAM_DEFAULT));
	CHECK(cuStreamCreate(&world->second, CU_STREAM_DEFAULT));
	CHECK(cuModuleGetFunction(&world->linger, waits_module(), "linger"));
	CHECK(cuMemAlloc(&world->keep, KEEP));
	warm_up(world);
	CHECK(cuMemGetInfo(&unused, &total));
	world->large = unused / 5 * 3;
}

/* Leaves nothing of a question behind. */
static void tidy(struct world *world)
{
	CHECK(cuCtxSynchronize());
	if (world->block)
		CHECK(cuMemFree(world->block));
	if (world->other)
		CHECK(cuMemFree(world->other));
	if (world->pool)
		CHECK(cuMemPoolDestroy(world->pool));
	world->block = world->other = 0;
	world->pool = NULL;
	CHECK(cuCtxSynchronize());
}

/* Asks again where the host may have been late, and with a longer kernel where
 * nothing could be told. */
static enum answer ask(struct world *world, const struct question *question,
		       double *took)
{
	enum answer answer = UNKNOWN;
	int tries = TRIES, longer = LONGER;

	while (answer != YES && tries && longer) {
		enum answer next;

		world->took = 0;
		next = question->ask(world);
		if (world->spoilt)
			return next;
		tidy(world);
		if (next == UNKNOWN) {
			world->linger_ns *= 2;
			longer--;
			continue;
		}
		answer = next;
		*took = world->took;
		tries--;
	}
	return answer;
}

static void answer_print(const struct question *question, long ms)
{
	struct world world = {.linger_ns = (unsigned long long)ms * NS_OF_MS};
	enum answer answer;
	double took = 0;

	world_open(&world);
	answer = ask(&world, question, &took);
	printf("{\"question\": \"%s\", \"answer\": \"%s\", \"ms\": %.3f}\n",
	       question->text, answers[answer], took / NS_OF_MS);
}

/* Returns the exit status of the process that asked. */
static int question_run(const struct question *question, long ms)
{
	pid_t child = fork();
	int status;

	if (!child) {
		answer_print(question, ms);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("waits");
		return EXIT_BROKEN;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BROKEN;
}

int main(int argc, char **argv)
{
	char *end = "";
	long ms = argc > 1 ? strtol(argv[1], &end, 10) : MS_DEFAULT;
	int worst = 0;

	if (argc > 2 || ms < 1 || ms > MS_MOST || *end) {
		fprintf(stderr, "usage: waits [MILLISECONDS], 1 to %d\n",
			MS_MOST);
		return EXIT_USAGE;
	}
	for (const struct question *row = questions; row->text; row++) {
		int status = question_run(row, ms);

		if (status == EXIT_SKIPPED)
			return status;
		if (status)
			worst = EXIT_BROKEN;
	}
	return worst;
}
