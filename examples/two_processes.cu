/* Two processes share device memory by CUDA IPC. The first makes values in a
 * buffer and sends its handle. The second opens it, mixes the values into a
 * buffer of its own, and answers with their sum. */
#include <unistd.h>

#include <sys/wait.h>

#include "cuda_check.h"
#include "round_kernels.cuh"
#include "rounds.h"

struct task {
	cudaIpcMemHandle_t handle;
	unsigned count;
};

/* Returns false at the end of what the other side writes. */
static bool bytes_read(int fd, void *bytes, size_t size)
{
	ssize_t got = read(fd, bytes, size);

	if (got && got != (ssize_t)size) {
		perror("two_processes: read");
		exit(1);
	}
	return got;
}

static void bytes_write(int fd, const void *bytes, size_t size)
{
	if (write(fd, bytes, size) != (ssize_t)size) {
		perror("two_processes: write");
		exit(1);
	}
}

static unsigned task_sum(const struct task *task)
{
	unsigned blocks = round_blocks(task->count), *theirs, *mixed, *sum;
	unsigned result;

	CUDA(cudaIpcOpenMemHandle((void **)&theirs, task->handle,
				  cudaIpcMemLazyEnablePeerAccess));
	CUDA(cudaMalloc(&mixed, task->count * sizeof(*mixed)));
	CUDA(cudaMalloc(&sum, sizeof(*sum)));
	CUDA(cudaMemset(sum, 0, sizeof(*sum)));
	values_mix<<<blocks, ROUND_THREADS>>>(theirs, mixed, task->count);
	CUDA(cudaGetLastError());
	values_sum<<<blocks, ROUND_THREADS>>>(mixed, task->count, sum);
	CUDA(cudaGetLastError());
	CUDA(cudaMemcpy(&result, sum, sizeof(result), cudaMemcpyDeviceToHost));
	CUDA(cudaIpcCloseMemHandle(theirs));
	CUDA(cudaFree(mixed));
	CUDA(cudaFree(sum));
	return result;
}

static void second_run(int tasks, int sums)
{
	struct task task;

	while (bytes_read(tasks, &task, sizeof(task))) {
		unsigned sum = task_sum(&task);

		bytes_write(sums, &sum, sizeof(sum));
	}
}

/* Under mnm shared memory is not reused, but the first buffer is. */
static void round_run(int tasks, int sums, unsigned seed)
{
	unsigned count = round_count(seed), *first, *shared, result;
	size_t bytes = count * sizeof(*first);
	struct task task = {};

	CUDA(cudaMalloc(&first, bytes));
	CUDA(cudaMalloc(&shared, bytes));
	values_make<<<round_blocks(count), ROUND_THREADS>>>(first, seed, count);
	CUDA(cudaGetLastError());
	values_mix<<<round_blocks(count), ROUND_THREADS>>>(first, shared,
							   count);
	CUDA(cudaGetLastError());
	CUDA(cudaFree(first));
	task.count = count;
	CUDA(cudaIpcGetMemHandle(&task.handle, shared));
	CUDA(cudaDeviceSynchronize());
	bytes_write(tasks, &task, sizeof(task));
	if (!bytes_read(sums, &result, sizeof(result))) {
		fprintf(stderr, "two_processes: the second one has ended\n");
		exit(1);
	}
	CUDA(cudaFree(shared));
	round_end(seed, result, values_expected(seed, count, 2));
}

static void first_run(int tasks, int sums)
{
	unsigned seed;

	while (round_next(&seed))
		round_run(tasks, sums, seed);
}

int main(int argc, char **argv)
{
	int tasks[2], sums[2], status;
	pid_t second;

	(void)argv;
	rounds_open(argc, 0, "two_processes");
	/* Forks before the first CUDA call, as a child can't use its parent's
	 * CUDA. */
	if (pipe(tasks) || pipe(sums) || (second = fork()) < 0) {
		perror("two_processes");
		return 1;
	}
	close(tasks[second ? 0 : 1]);
	close(sums[second ? 1 : 0]);
	if (!second) {
		second_run(tasks[0], sums[1]);
		return 0;
	}
	first_run(tasks[1], sums[0]);
	close(tasks[1]);
	if (waitpid(second, &status, 0) < 0 || status) {
		fprintf(stderr, "two_processes: the second one failed\n");
		return 1;
	}
	return 0;
}
