#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "green_context.h"

struct green {
	const struct CUctx_st *handle; /* the key */
	struct context *whole;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct green *greens; /* under lock */
static atomic_int count;

struct context *green_whole(const struct CUctx_st *handle)
{
	struct green *green;

	if (!count)
		return NULL;
	pthread_mutex_lock(&lock);
	HASH_FIND_PTR(greens, &handle, green);
	pthread_mutex_unlock(&lock);
	return green ? green->whole : NULL;
}

bool green_register(const struct CUctx_st *handle, struct context *whole)
{
	struct green *green;

	green_forget(handle); /* a former one ended with a reset */
	green = calloc(1, sizeof(*green));
	if (!green)
		return false;
	green->handle = handle;
	green->whole = whole;
	pthread_mutex_lock(&lock);
	HASH_ADD_PTR(greens, handle, green);
	pthread_mutex_unlock(&lock);
	if (!green->hh.tbl) {
		free(green);
		return false;
	}
	count++;
	return true;
}

void green_forget(const struct CUctx_st *handle)
{
	struct green *green;

	pthread_mutex_lock(&lock);
	HASH_FIND_PTR(greens, &handle, green);
	if (green) {
		HASH_DEL(greens, green);
		count--;
	}
	pthread_mutex_unlock(&lock);
	free(green);
}
