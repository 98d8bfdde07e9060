#include "claims.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { LATER_US = 50000 };

static sem_t ended;
static pthread_t ended_by;

/* Ends an object, whose value is the number of its ends. */
static void CUDA_CB object_end(void *ends)
{
	ended_by = pthread_self();
	__atomic_add_fetch((int *)ends, 1, __ATOMIC_RELEASE);
	sem_post(&ended);
}

static int ends_of(const int *ends)
{
	return __atomic_load_n(ends, __ATOMIC_ACQUIRE);
}

static CUuserObject object_new(int *ends, unsigned count)
{
	CUuserObject object;

	sem_init(&ended, 0, 0);
	ck_assert_ok(cuUserObjectCreate(&object, ends, object_end, count,
					CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	return object;
}

START_TEST(last_release_ends_the_object_in_another_thread)
{
	CUuserObject object;
	int ends = 0;

	claims_open();
	object = object_new(&ends, 2);
	ck_assert_ok(cuUserObjectRetain(object, 1));
	ck_assert_ok(cuUserObjectRelease(object, 2));
	ck_assert_int_eq(ends_of(&ends), 0);
	ck_assert_ok(cuUserObjectRelease(object, 1));
	sem_wait(&ended);
	ck_assert_int_eq(ends_of(&ends), 1);
	ck_assert(!pthread_equal(ended_by, pthread_self()));
}
END_TEST

START_TEST(object_without_a_destructor_or_a_count_is_none)
{
	CUuserObject object;
	int ends = 0;

	claims_open();
	ck_assert_cu(cuUserObjectCreate(&object, &ends, NULL, 1,
					CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuUserObjectCreate(&object, &ends, object_end, 0,
					CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuUserObjectCreate(&object, &ends, object_end, 1, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(graph_keeps_its_object)
{
	CUuserObject object;
	CUgraph graph;
	int ends = 0;

	claims_open();
	object = object_new(&ends, 1);
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphRetainUserObject(graph, object, 1, 0));
	ck_assert_ok(cuUserObjectRelease(object, 1));
	ck_assert_int_eq(ends_of(&ends), 0);
	ck_assert_ok(cuGraphDestroy(graph));
	sem_wait(&ended);
	ck_assert_int_eq(ends_of(&ends), 1);
}
END_TEST

START_TEST(graph_takes_over_a_reference)
{
	CUuserObject object;
	CUgraph graph;
	int ends = 0;

	claims_open();
	object = object_new(&ends, 1);
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphRetainUserObject(graph, object, 1,
					     CU_GRAPH_USER_OBJECT_MOVE));
	ck_assert_int_eq(ends_of(&ends), 0);
	ck_assert_ok(cuGraphReleaseUserObject(graph, object, 1));
	sem_wait(&ended);
	ck_assert_int_eq(ends_of(&ends), 1);
	ck_assert_ok(cuGraphDestroy(graph));
}
END_TEST

static sem_t go;
static int gone, gone_at_end;

static void CUDA_CB wait_for_go(void *unused)
{
	(void)unused;
	sem_wait(&go);
}

static void *go_later(void *unused)
{
	(void)unused;
	usleep(LATER_US);
	__atomic_store_n(&gone, 1, __ATOMIC_RELEASE);
	sem_post(&go);
	return NULL;
}

static void CUDA_CB object_end_late(void *unused)
{
	(void)unused;
	gone_at_end = __atomic_load_n(&gone, __ATOMIC_ACQUIRE);
	sem_post(&ended);
}

/* The function may run in any of the calls below: another thread lets it go
 * on. */
START_TEST(launch_keeps_the_object_until_it_is_over)
{
	CUDA_HOST_NODE_PARAMS host = {.fn = wait_for_go};
	CUuserObject object;
	CUgraphExec exec;
	CUgraphNode node;
	CUstream stream;
	pthread_t later;
	CUgraph graph;

	claims_open();
	sem_init(&go, 0, 0);
	sem_init(&ended, 0, 0);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuUserObjectCreate(&object, NULL, object_end_late, 1,
					CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddHostNode(&node, graph, NULL, 0, &host));
	ck_assert_ok(cuGraphRetainUserObject(graph, object, 1,
					     CU_GRAPH_USER_OBJECT_MOVE));
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_int_eq(pthread_create(&later, NULL, go_later, NULL), 0);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuStreamSynchronize(stream));
	sem_wait(&ended);
	ck_assert_int_eq(gone_at_end, 1);
	ck_assert_int_eq(pthread_join(later, NULL), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		last_release_ends_the_object_in_another_thread,
		object_without_a_destructor_or_a_count_is_none,
		graph_keeps_its_object,
		graph_takes_over_a_reference,
		launch_keeps_the_object_until_it_is_over,
		NULL,
	};

	return claims_run("user_object", tests);
}
