/* What threads need of the loader, and when. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/loader.h"
#include "preload/syscall_filter.h"
#include "preload/thread.h"
#include "run.h"

static bool inside, lacks_key;
static int searches, searches_inside;

void *loader_function(const char *symbol)
{
	searches++;
	searches_inside += inside;
	if (lacks_key && !strcmp(symbol, "pthread_key_create"))
		return NULL;
	return dlsym(RTLD_DEFAULT, symbol);
}

bool syscall_filter_kills(void)
{
	return false;
}

static struct thread_key key;

static void ended(void *value)
{
	(void)value;
}

static void *started(void *unused)
{
	thread_detach();
	return unused;
}

static void run(void)
{
	pthread_t thread;

	inside = true;
	thread_key_open(&key, ended);
	thread_key_set(&key, &key);
	ck_assert(!thread_start(started, NULL, 1 << 20, &thread));
	inside = false;
}

START_TEST(nothing_is_searched_for_in_what_is_done_once)
{
	static struct once once = ONCE_INIT;

	once_run(&once, run);
	ck_assert(key.open);
	ck_assert_int_gt(searches, 0);
	ck_assert_int_eq(searches_inside, 0);
}
END_TEST

/* A library that brings threads may be loaded late. */
START_TEST(what_was_not_there_is_searched_for_again)
{
	static struct once once = ONCE_INIT;

	lacks_key = true;
	once_run(&once, run);
	ck_assert(!key.open);
	lacks_key = false;
	thread_key_open(&key, ended);
	ck_assert(key.open);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		nothing_is_searched_for_in_what_is_done_once,
		what_was_not_there_is_searched_for_again, NULL};

	return tests_run("thread", tests);
}
