#include "trace_second.h"

#include <stdint.h>

#include "trace/trace_file.h"

static void *second_main(void *arg)
{
	struct second *second = arg;

	pthread_mutex_lock(&second->lock);
	while (!second->ends) {
		if (second->run) {
			second->result = second->run(second->arg);
			second->run = NULL;
			pthread_cond_broadcast(&second->changed);
		}
		pthread_cond_wait(&second->changed, &second->lock);
	}
	pthread_mutex_unlock(&second->lock);
	return NULL;
}

int second_start(struct second *second)
{
	*second = (struct second){.lock = PTHREAD_MUTEX_INITIALIZER,
				  .changed = PTHREAD_COND_INITIALIZER};
	return pthread_create(&second->thread, NULL, second_main, second);
}

void second_end(struct second *second)
{
	pthread_mutex_lock(&second->lock);
	second->ends = true;
	pthread_cond_broadcast(&second->changed);
	pthread_mutex_unlock(&second->lock);
	pthread_join(second->thread, NULL);
}

int second_run(struct second *second, int (*run)(void *arg), void *arg)
{
	int result;

	pthread_mutex_lock(&second->lock);
	second->arg = arg;
	second->run = run;
	pthread_cond_broadcast(&second->changed);
	while (second->run)
		pthread_cond_wait(&second->changed, &second->lock);
	result = second->result;
	pthread_mutex_unlock(&second->lock);
	return result;
}

/* Frees of buffers that are older than the iteration count as well: it is the
 * change since its begin that has a peak. */
size_t iteration_peak(const struct trace_file *trace, size_t mark, size_t *end)
{
	const struct trace_event *events = trace->events;
	int64_t live = 0, most = 0;
	size_t peak = mark + 1, i;

	for (i = mark; i < trace->count; i++) {
		if (events[i].kind == TRACE_MARK &&
		    events[i].iteration != events[mark].iteration)
			break;
		if (events[i].kind == TRACE_MALLOC)
			live += (int64_t)events[i].bytes;
		if (events[i].kind == TRACE_FREE)
			live -= (int64_t)events[i].bytes;
		if (live > most) {
			most = live;
			peak = i + 1;
		}
	}
	*end = i;
	return peak;
}
