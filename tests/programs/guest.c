/* Things that programs do besides CUDA, or with more of it than one thread and
 * one device. `guest WHAT` does one of them and prints what it sees. That has
 * to be the same with a library preloaded. Where it prints "ready" it waits for
 * a line of input. */
#define __CUDA_API_VERSION_INTERNAL
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

enum { MIB = 1 << 20, BLOCK = 4 * MIB, ROUNDS = 3000, LISTENERS = 100 };

static void *block_new(size_t size)
{
	void *ptr = NULL;

	return cudaMalloc(&ptr, size) ? NULL : ptr;
}

static void input_wait(void)
{
	puts("ready");
	fflush(stdout);
	getchar();
}

/* The process has to end when this thread ends. */
static int main_leaves(void)
{
	block_new(BLOCK);
	puts("main leaves");
	fflush(stdout);
	pthread_exit(NULL);
}

static int keeps_errno(void)
{
	void *ptr;

	cudaFree(0); /* CUDA's own start may set errno */
	errno = 0;
	ptr = block_new(BLOCK);
	cudaFree(ptr);
	printf("errno %d\n", errno);
	return 0;
}

static int has_broken_stderr(void)
{
	int ends[2];

	if (pipe(ends))
		return 1;
	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	printf("alive, block %d\n", block_new(BLOCK) != NULL);
	return 0;
}

/* The lowest free descriptors are the program's, even after it closed a
 * standard stream. */
static int reopens_input(void)
{
	close(STDIN_FILENO);
	block_new(BLOCK);
	printf("input is %d\n", open("/dev/null", O_RDONLY));
	return 0;
}

/* Returns a socket whose number is past those that the listeners take. */
static int socket_high(void)
{
	int low = socket(AF_UNIX, SOCK_STREAM, 0);
	int high = fcntl(low, F_DUPFD, LISTENERS);

	close(low);
	return high;
}

/* Listens on that number, at an address of its own, and connects to it. */
static bool listens(int fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct sockaddr *at = (struct sockaddr *)&address;

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
		 "mnm-guest-%d-%d", (int)getpid(), fd);
	return socket(AF_UNIX, SOCK_STREAM, 0) == fd &&
	       !bind(fd, at, sizeof(address)) && !listen(fd, 4) &&
	       !connect(socket_high(), at, sizeof(address));
}

/* A daemon closes all descriptors that it does not know, and then listens
 * itself. */
static int closes_all_and_listens(void)
{
	struct pollfd ready = {-1, POLLIN, 0};

	block_new(BLOCK);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	/* Take every number that may have been another thread's. */
	for (int fd = 3; fd < LISTENERS; fd++)
		if (!listens(fd))
			return 1;
	usleep(200000); /* so that a thief has time to accept */
	for (int fd = 3; fd < LISTENERS; fd++) {
		ready.fd = fd;
		if (poll(&ready, 1, 0) != 1)
			printf("the client of listener %d is gone\n", fd);
	}
	puts("listened");
	return 0;
}

static atomic_int arrived;

static void meet(void *unused)
{
	(void)unused;
	arrived++;
	while (arrived < 2)
		usleep(1000);
}

static void nothing(void *unused)
{
	(void)unused;
}

/* Work of two devices waits for each other, as the kernels of a collective do.
 * The thread that starts both must not be stopped in between. */
static int devices_meet(int peers)
{
	cudaStream_t streams[2];
	void *ptr, *held = NULL;

	for (int i = 0; i < 2; i++) {
		cudaSetDevice(i);
		cudaStreamCreate(&streams[i]);
		cudaLaunchHostFunc(streams[i], nothing, NULL);
		ptr = block_new(BLOCK);
		held = held ? held : block_new(BLOCK);
		cudaFree(ptr);
	}
	if (peers && (cudaDeviceEnablePeerAccess(0, 0) || cudaSetDevice(0) ||
		      cudaDeviceEnablePeerAccess(1, 0)))
		return 1;
	cudaSetDevice(0);
	cudaLaunchHostFunc(streams[0], meet, NULL);
	input_wait();
	cudaFreeAsync(held, streams[0]); /* in order, and without a wait */
	cudaSetDevice(1);
	ptr = block_new(BLOCK);
	cudaLaunchHostFunc(streams[1], meet, NULL);
	cudaStreamSynchronize(streams[1]);
	printf("met, block %d\n", ptr != NULL);
	return 0;
}

static int two_devices_meet(void)
{
	return devices_meet(0);
}

static int two_peers_meet(void)
{
	return devices_meet(1);
}

static void slow(void *unused)
{
	(void)unused;
	usleep(300000);
}

static void *half_of_the_device(void *unused)
{
	(void)unused;
	printf("half %d\n", block_new((size_t)450 * MIB) != NULL);
	return NULL;
}

/* Two threads need the room of one idle block, which can go once its work is
 * done. */
static int two_threads_want_room(void)
{
	void *ptr = block_new((size_t)600 * MIB);
	cudaStream_t stream;
	pthread_t threads[2];

	cudaStreamCreate(&stream);
	cudaLaunchHostFunc(stream, slow, NULL);
	cudaFree(ptr);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, half_of_the_device, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static atomic_bool over;

static void *retain_and_release(void *unused)
{
	CUcontext context;

	(void)unused;
	while (!over) {
		cuDevicePrimaryCtxRetain(&context, 0);
		cuDevicePrimaryCtxRelease_v2(0);
	}
	return NULL;
}

/* Each request fits only once the idle block of the other size is gone. */
static int room_beside_releases(void)
{
	CUcontext context;
	CUdeviceptr ptr;
	pthread_t thread;
	int failed = 0;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context))
		return 1;
	pthread_create(&thread, NULL, retain_and_release, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		size_t size = (size_t)(600 + i % 2 * 50) * MIB;

		if (cuMemAlloc_v2(&ptr, size))
			failed++;
		else
			cuMemFree_v2(ptr);
	}
	over = true;
	pthread_join(thread, NULL);
	printf("failed %d\n", failed);
	return 0;
}

enum { THREADS = 4, TURNS = 10000, SMALL = 64 << 10 };

static atomic_int wrong;

/* The primary context ends with the last release, and another thread makes it
 * anew at once. Its memory is then new as well. */
static void *context_use(void *unused)
{
	unsigned char got;
	CUcontext context;
	CUdeviceptr ptr;

	(void)unused;
	for (int i = 0; i < TURNS; i++) {
		if (cuDevicePrimaryCtxRetain(&context, 0) ||
		    cuCtxSetCurrent(context) || cuMemAlloc_v2(&ptr, SMALL) ||
		    cuMemsetD8_v2(ptr, (unsigned char)i, SMALL) ||
		    cuMemcpyDtoH_v2(&got, ptr, 1) || got != i % 256 ||
		    cuMemFree_v2(ptr) || cuCtxSetCurrent(NULL) ||
		    cuDevicePrimaryCtxRelease_v2(0))
			wrong++;
	}
	return NULL;
}

/* Each thread has one block at a time, of at most an eighth of the device. */
static void *room_use(void *seed)
{
	unsigned int random = *(unsigned int *)seed;
	void *ptr;

	for (int i = 0; i < TURNS; i++) {
		random = random * 1664525 + 1013904223;
		ptr = block_new((size_t)(50 + (random >> 8) % 50) * MIB);
		wrong += !ptr;
		cudaFree(ptr);
	}
	return NULL;
}

static int threads_run(int count, void *(*work)(void *))
{
	unsigned int seeds[2 * THREADS];
	pthread_t threads[2 * THREADS];

	for (int i = 0; i < count; i++) {
		seeds[i] = (unsigned int)i + 1;
		pthread_create(&threads[i], NULL, work, &seeds[i]);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("wrong %d\n", wrong);
	return 0;
}

static int context_comes_and_goes(void)
{
	cuInit(0);
	return threads_run(2, context_use);
}

static int eight_threads_share_room(void)
{
	return threads_run(2 * THREADS, room_use);
}

static const struct {
	const char *name;
	int (*run)(void);
} guests[] = {
	{"main_leaves", main_leaves},
	{"keeps_errno", keeps_errno},
	{"has_broken_stderr", has_broken_stderr},
	{"reopens_input", reopens_input},
	{"closes_all_and_listens", closes_all_and_listens},
	{"two_devices_meet", two_devices_meet},
	{"two_peers_meet", two_peers_meet},
	{"two_threads_want_room", two_threads_want_room},
	{"room_beside_releases", room_beside_releases},
	{"context_comes_and_goes", context_comes_and_goes},
	{"eight_threads_share_room", eight_threads_share_room},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(guests) / sizeof(*guests); i++)
		if (argc == 2 && !strcmp(argv[1], guests[i].name))
			return guests[i].run();
	fputs("guest: one of the names in its source\n", stderr);
	return 2;
}
