/* Queues numbered host functions in four streams, one of which waits for half
 * of another's, and prints the order in which they ran. Exits with 1 if CUDA
 * does not allow that order. */
#include <cuda.h>
#include <stdio.h>

enum { STREAMS = 4, EACH = 6 };

static char ran[STREAMS * EACH + 1];
static int count;

/* On a GPU streams run side by side. Host functions run one by one here. */
static void note(void *name)
{
	ran[count++] = *(const char *)name;
}

static int place_of(char name)
{
	for (int i = 0; i < count; i++)
		if (ran[i] == name)
			return i;
	return -1;
}

static CUresult queue(CUstream *streams, const char *names)
{
	CUresult res = CUDA_SUCCESS;
	CUevent half;

	res |= cuEventCreate(&half, CU_EVENT_DISABLE_TIMING);
	for (int i = 0; i < EACH; i++) {
		for (int s = 0; s < STREAMS; s++)
			res |= cuLaunchHostFunc(streams[s], note,
						(void *)&names[s * EACH + i]);
		if (i == EACH / 2 - 1) {
			res |= cuEventRecord(half, streams[0]);
			res |= cuStreamWaitEvent(streams[1], half, 0);
		}
	}
	return res | cuEventDestroy(half);
}

static int is_allowed(const char *names)
{
	if (count != STREAMS * EACH)
		return 0;
	for (int i = 0; i < STREAMS * EACH; i++)
		if (i % EACH && place_of(names[i]) < place_of(names[i - 1]))
			return 0;
	return place_of(names[EACH + EACH / 2]) > place_of(names[EACH / 2 - 1]);
}

int main(void)
{
	static const char names[] = "abcdefghijklmnopqrstuvwx";
	CUstream streams[STREAMS];
	CUcontext ctx;
	CUresult res = cuInit(0);

	_Static_assert(sizeof(names) == sizeof(ran), "a name for each");
	res |= cuDevicePrimaryCtxRetain(&ctx, 0);
	res |= cuCtxSetCurrent(ctx);
	for (int s = 0; s < STREAMS; s++)
		res |= cuStreamCreate(&streams[s], CU_STREAM_NON_BLOCKING);
	res |= queue(streams, names);
	/* A loop that only queries has to end as well. */
	while (cuStreamQuery(streams[2]) == CUDA_ERROR_NOT_READY)
		;
	res |= cuCtxSynchronize();
	printf("%s\n", ran);
	return res || !is_allowed(names);
}
