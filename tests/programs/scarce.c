/* Preloaded: makes allocations and thread starts of libmnm.so fail. Its calls
 * are counted from 0. SCARCE_AT is the number of the one that fails; if
 * SCARCE_ON is set, all later ones fail as well. SCARCE_REPORT gets the number
 * of calls at the program's end. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* libc's own function, as it exports it. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static uintptr_t begin, end; /* addresses of libmnm.so */
static long at = -1;
static bool on;
static atomic_long calls;

static int library_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t past;

	(void)size;
	(void)arg;
	if (!strstr(info->dlpi_name, "/libmnm.so"))
		return 0;
	begin = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		past = begin + info->dlpi_phdr[i].p_vaddr +
		       info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && past > end)
			end = past;
	}
	return 1;
}

/* Called when libmnm.so's own exit handlers have run. What runs later in
 * libmnm.so counts the lines that tests reach, and is no part of mnm. */
static void scarce_end(void)
{
	const char *path = getenv("SCARCE_REPORT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	at = -1;
	if (fd >= 0) {
		dprintf(fd, "%ld\n", calls);
		close(fd);
	}
}

__attribute__((constructor)) static void scarce_open(void)
{
	const char *word = getenv("SCARCE_AT");

	at = word ? atol(word) : -1;
	on = getenv("SCARCE_ON");
	dl_iterate_phdr(library_visit, NULL);
	atexit(scarce_end);
}

/* Returns whether a call that returns to `to` has to fail. */
static bool fails(const void *to)
{
	long number;

	if ((uintptr_t)to < begin || (uintptr_t)to >= end)
		return false;
	number = atomic_fetch_add(&calls, 1);
	if (at < 0 || number < at || (number > at && !on))
		return false;
	errno = ENOMEM;
	return true;
}

EXPORT void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL
						  : __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL
						  : __libc_realloc(old, size);
}

EXPORT void *mmap(void *addr, size_t size, int protection, int flags, int fd,
		  off_t offset)
{
	if (fails(__builtin_return_address(0)))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, addr, size, protection, flags, fd,
			       offset);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg)
{
	__typeof__(&pthread_create) next =
		(__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");

	return fails(__builtin_return_address(0))
		       ? EAGAIN
		       : next(thread, attr, run, arg);
}
