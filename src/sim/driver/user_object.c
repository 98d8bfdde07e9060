#include "user_object.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "graph.h"
#include "node.h"
#include "op.h"
#include "thread.h"
#include "world.h"

enum { OBJECT_MAGIC = 0x75736572 };

struct user_object {
	unsigned magic;           /* 0 once destroyed; it is used again */
	struct user_object *next; /* the next one that is dead, or spare */
	unsigned count;
	CUhostFn destroy;
	void *what;
};

static struct user_object *spare;
static struct user_object *dead, **dead_last = &dead;
static bool destroying; /* a thread takes the dead ones */

/* The program's function must not call CUDA, and holds up none who do. */
static void *destroyer(void *unused)
{
	(void)unused;
	self.worker = true;
	pthread_mutex_lock(&world.lock);
	while (dead) {
		struct user_object *object = dead;

		dead = object->next;
		if (!dead)
			dead_last = &dead;
		pthread_mutex_unlock(&world.lock);
		object->destroy(object->what);
		pthread_mutex_lock(&world.lock);
		object->next = spare;
		spare = object;
	}
	destroying = false;
	pthread_mutex_unlock(&world.lock);
	return NULL;
}

/* Without a thread the object waits for the next one that dies. */
static void object_end(struct user_object *object)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;

	object->magic = 0;
	object->next = NULL;
	*dead_last = object;
	dead_last = &object->next;
	if (destroying)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	destroying = !pthread_create(&thread, &attr, destroyer, NULL);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void object_release(struct user_object *object, unsigned count)
{
	object->count -= count;
	if (!object->count)
		object_end(object);
}

static CUresult object_find(CUuserObject handle, unsigned count,
			    struct user_object **out)
{
	struct user_object *object = (struct user_object *)handle;

	if (!object || object->magic != OBJECT_MAGIC || !count ||
	    count > INT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*out = object;
	return CUDA_SUCCESS;
}

CUresult sim_cuUserObjectCreate(CUuserObject *out, void *what, CUhostFn destroy,
				unsigned count, unsigned flags)
{
	struct user_object *object = spare;

	if (!out || !destroy || !count || count > INT_MAX ||
	    flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return CUDA_ERROR_INVALID_VALUE;
	if (object)
		spare = object->next;
	else
		object = malloc(sizeof(*object));
	if (!object)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*object = (struct user_object){.magic = OBJECT_MAGIC,
				       .count = count,
				       .destroy = destroy,
				       .what = what};
	*out = (CUuserObject)object;
	return CUDA_SUCCESS;
}

CUresult sim_cuUserObjectRetain(CUuserObject handle, unsigned count)
{
	struct user_object *object;
	CUresult res = object_find(handle, count, &object);

	if (!res)
		object->count += count;
	return res;
}

CUresult sim_cuUserObjectRelease(CUuserObject handle, unsigned count)
{
	struct user_object *object;
	CUresult res = object_find(handle, count, &object);

	if (!res && count > object->count)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		object_release(object, count);
	return res;
}

static struct user_share **share_find(struct graph *graph,
				      const struct user_object *object)
{
	struct user_share **at = &graph->shares;

	while (*at && (*at)->object != object)
		at = &(*at)->next;
	return at;
}

/* Does not count the references: the caller has, or gives up its own. */
static bool share_add(struct graph *graph, struct user_object *object,
		      unsigned count)
{
	struct user_share **at = share_find(graph, object);

	if (!*at)
		*at = calloc(1, sizeof(**at));
	if (!*at)
		return false;
	(*at)->object = object;
	(*at)->count += count;
	return true;
}

CUresult sim_cuGraphRetainUserObject(CUgraph where, CUuserObject handle,
				     unsigned count, unsigned flags)
{
	bool moves = flags == CU_GRAPH_USER_OBJECT_MOVE;
	struct user_object *object;
	struct graph *graph;
	CUresult res = graph_find(where, &graph);

	if (!res)
		res = object_find(handle, count, &object);
	if (!res && ((flags && !moves) || (moves && count > object->count)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	if (!share_add(graph, object, count))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!moves)
		object->count += count;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphReleaseUserObject(CUgraph where, CUuserObject handle,
				      unsigned count)
{
	struct user_object *object;
	struct user_share **at, *share;
	struct graph *graph;
	CUresult res = graph_find(where, &graph);

	if (!res)
		res = object_find(handle, count, &object);
	if (res)
		return res;
	at = share_find(graph, object);
	share = *at;
	if (!share || share->count < count)
		return CUDA_ERROR_INVALID_VALUE;
	share->count -= count;
	if (!share->count) {
		*at = share->next;
		free(share);
	}
	object_release(object, count);
	return CUDA_SUCCESS;
}

bool user_objects_copy(const struct graph *from, struct graph *to)
{
	for (const struct user_share *s = from->shares; s; s = s->next) {
		if (!share_add(to, s->object, 1))
			return false;
		s->object->count++;
	}
	return true;
}

void user_objects_close(struct graph *graph)
{
	while (graph->shares) {
		struct user_share *share = graph->shares;

		graph->shares = share->next;
		object_release(share->object, share->count);
		free(share);
	}
}

/* The objects of a graph and of the graphs in it, as often as they are there.
 * If `into` is not NULL, stores them there and counts a reference to each. */
static size_t objects_list(const struct graph *graph, struct user_object **into)
{
	struct graph *inner;
	size_t count = 0;

	for (const struct user_share *s = graph->shares; s; s = s->next) {
		if (into) {
			into[count] = s->object;
			s->object->count++;
		}
		count++;
	}
	for (const struct node *n = graph->first; n; n = n->next)
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			count +=
				objects_list(inner, into ? into + count : NULL);
	return count;
}

static void hold_run(struct op *op)
{
	(void)op;
}

/* The list ends with NULL. */
static void hold_ended(struct op *op)
{
	for (struct user_object **at = op->owned; *at; at++)
		object_release(*at, 1);
}

bool user_objects_hold(const struct graph *graph, struct stream *stream)
{
	size_t count = objects_list(graph, NULL);
	struct op *op;

	if (!count)
		return true;
	op = op_new(hold_run);
	if (!op)
		return false;
	op->owned = calloc(count + 1, sizeof(struct user_object *));
	if (!op->owned) {
		op_drop(op);
		return false;
	}
	op->ended = hold_ended;
	objects_list(graph, op->owned);
	return !op_submit(op, stream, 0);
}
