#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "recorded.h"
#include "preload/thread.h"

struct recorded {
	CUdeviceptr ptr; /* the key */
	struct recorded_streams streams;
	UT_hash_handle hh;
};

static struct recorded *all; /* under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool any;
/* There was no host memory for a record: any memory may be such. */
static _Atomic bool lost;

/* In the child of a fork, which has no memory of the device, another thread of
 * the parent may have had the lock. */
static void child_forget(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	all = NULL;
	atomic_store(&any, false);
}

static void guard_fork(void)
{
	pthread_atfork(NULL, NULL, child_forget);
}

/* Under the lock. NULL without memory. */
static struct recorded *record_new(CUdeviceptr ptr)
{
	struct recorded *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->ptr = ptr;
	HASH_ADD(hh, all, ptr, sizeof(ptr), record);
	if (record->hh.tbl)
		return record;
	free(record);
	return NULL;
}

static void stream_note(struct recorded_streams *streams, CUstream stream)
{
	for (size_t i = 0; i < streams->count && i < RECORDED_MOST; i++)
		if (streams->at[i] == stream)
			return;
	if (streams->count < RECORDED_MOST)
		streams->at[streams->count] = stream;
	if (streams->count <= RECORDED_MOST)
		streams->count++;
}

void recorded_add(CUdeviceptr ptr, CUstream stream)
{
	static struct once once = ONCE_INIT;
	struct recorded *record;

	once_run(&once, guard_fork);
	pthread_mutex_lock(&lock);
	HASH_FIND(hh, all, &ptr, sizeof(ptr), record);
	if (!record)
		record = record_new(ptr);
	if (record)
		stream_note(&record->streams, stream);
	atomic_store(record ? &any : &lost, true);
	pthread_mutex_unlock(&lock);
}

bool recorded_take(CUdeviceptr ptr, struct recorded_streams *streams)
{
	struct recorded *record = NULL;

	if (atomic_load(&any)) {
		pthread_mutex_lock(&lock);
		HASH_FIND(hh, all, &ptr, sizeof(ptr), record);
		if (record)
			HASH_DEL(all, record);
		atomic_store(&any, all != NULL);
		pthread_mutex_unlock(&lock);
	}
	if (record)
		*streams = record->streams;
	if (atomic_load(&lost))
		streams->count = RECORDED_MOST + 1;
	free(record);
	return record || atomic_load(&lost);
}
