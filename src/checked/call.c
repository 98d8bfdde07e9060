#include "call.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call_signal.h"
#include "call_watch.h"
#include "checked.h"
#include "preload/thread.h"

static struct call *calls; /* linked by next; atomic */
static __thread struct call *own;
static struct thread_key key;
static bool begun; /* atomic; calls have records */
static bool watched;

static int code_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct code *code = arg;
	uintptr_t begin, end;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		end = begin + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    code->begin >= begin && code->begin < end) {
			code->begin = begin;
			code->end = end;
			return 1;
		}
	}
	return 0;
}

struct code code_of(const void *function, const char *pool)
{
	struct code code = {(uintptr_t)function, (uintptr_t)function, pool};

	dl_iterate_phdr(code_visit, &code);
	return code;
}

/* If the thread calls again, in a destructor that runs later, it takes another
 * record: this one may be another thread's by then. */
static void call_ended(void *arg)
{
	struct call *call = arg;

	own = NULL; /* the thread may still call pools: its caches end later */
	__atomic_store_n(&call->thread, 0, __ATOMIC_RELEASE);
}

void pool_calls_watch(void)
{
	if (__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
		return;
	thread_key_open(&key, call_ended);
	if (!key.open)
		return;
	watched = call_watch_start(&calls);
	__atomic_store_n(&begun, true, __ATOMIC_RELEASE);
}

/* One that a thread which has ended has left, or a new one. */
static struct call *call_take(int thread)
{
	struct call *call = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
	int none = 0;

	for (; call; call = call->next, none = 0)
		if (__atomic_compare_exchange_n(&call->thread, &none, thread,
						false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return call;
	call = calloc(1, sizeof(*call));
	if (!call)
		return NULL;
	call->thread = thread;
	call->next = __atomic_load_n(&calls, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&calls, &call->next, call, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return call;
}

static struct call *call_own(void)
{
	if (own || !__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
		return own;
	own = call_take((int)syscall(SYS_gettid));
	if (!own)
		return NULL;
	own->blocks = watched && call_signals_blocked();
	thread_key_set(&key, own);
	return own;
}

struct call *call_begin(const struct code *code)
{
	struct call *call = call_own();

	if (!call)
		return NULL;
	call->error = errno;
	call->let = call->blocks ? call_signal_let() : 0;
	__atomic_store_n(&call->number, call->number + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&call->code, code, __ATOMIC_RELEASE);
	return call;
}

void call_end(struct call *call)
{
	if (!call)
		return;
	__atomic_store_n(&call->code, NULL, __ATOMIC_RELEASE);
	call_signal_stop(call->let);
	errno = call->error;
}

/* In the handler of a signal, so only what is ours is looked at. */
struct call *call_to_leave(uintptr_t instruction)
{
	struct call *call = own;
	const struct code *code =
		call ? __atomic_load_n(&call->code, __ATOMIC_RELAXED) : NULL;

	if (!code || instruction < code->begin || instruction >= code->end ||
	    __atomic_load_n(&call->left, __ATOMIC_RELAXED) != call->number)
		return NULL;
	return call;
}
