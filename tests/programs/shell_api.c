/* What a program asks of mnm by mnm/mnm.h. Each answer starts with the call's
 * result; a call that has failed leaves its outputs as they were. */
#include <mnm/mnm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

enum { BATCH_MOST = 128, UNTOUCHED = 77 };

static int device_of(const char *word)
{
	return strcmp(word, "host") ? atoi(word) : MNM_HOST;
}

/* A word that stands for a NULL. */
static const char *text_of(const char *word)
{
	return strcmp(word, "NULL") ? word : NULL;
}

static void run_version(char **words)
{
	(void)words;
	printf("%u", mnm_version());
}

static void run_error(char **words)
{
	(void)words;
	printf("%s", mnm_error());
}

static void run_init_pool(char **words)
{
	printf("%d",
	       (int)mnm_init_pool(device_of(words[0]), text_of(words[1])));
}

static void run_remove_pool(char **words)
{
	printf("%d", (int)mnm_remove_pool(device_of(words[0])));
}

/* Takes a device and the size of the text. */
static void run_pool_name(char **words)
{
	char name[MNM_POOL_NAME_SIZE] = "untouched";
	CUresult result =
		mnm_pool_name(device_of(words[0]), name, shell_size(words[1]));

	printf("%d %s", (int)result, name);
}

static void run_alloc_bytes(char **words)
{
	size_t bytes = UNTOUCHED;
	CUresult result = mnm_alloc_bytes(device_of(words[0]),
					  shell_size(words[1]), &bytes);

	printf("%d %zu", (int)result, bytes);
}

static void run_pool_size(char **words)
{
	size_t used = UNTOUCHED, reserved = UNTOUCHED;
	CUresult result = mnm_pool_size(device_of(words[0]), &used, &reserved);

	printf("%d %zu %zu", (int)result, used, reserved);
}

/* Takes a device, and how many bytes more or less than it is the program says
 * that the struct has. */
static void run_stats(char **words)
{
	struct {
		struct mnm_stats stats;
		uint64_t later;
	} given;
	struct mnm_stats *stats = &given.stats;
	CUresult result;

	memset(&given, 0xff, sizeof(given));
	stats->size = (size_t)((long)sizeof(*stats) + atol(words[1]));
	result = mnm_device_stats(device_of(words[0]), stats);
	printf("%d live %lld reserved %lld allocs %lld hits %lld frees %lld "
	       "iterations %lld syncs %lld later %lld size %ld",
	       (int)result, (long long)stats->live_bytes,
	       (long long)stats->reserved_bytes, (long long)stats->allocs,
	       (long long)stats->hits, (long long)stats->frees,
	       (long long)stats->iterations, (long long)stats->syncs,
	       (long long)given.later,
	       (long)stats->size - (long)sizeof(*stats));
}

static void keep(struct shell_memory *memory, CUdeviceptr addr, size_t size)
{
	memory->addr = addr;
	memory->size = size;
}

static struct shell_memory *member(const char *name, size_t at)
{
	char full[16];

	snprintf(full, sizeof(full), "%.8s%zu", name, at);
	return shell_memory(full);
}

/* Takes a name, the number of buffers, and their sizes, of which the last one
 * is that of all further ones. The buffers are NAME0, NAME1 ... */
static void run_alloc_batch(char **words)
{
	size_t count = shell_size(words[1]), sizes[BATCH_MOST] = {0};
	CUdeviceptr ptrs[BATCH_MOST] = {0};
	char **size = words + 2;
	CUresult result;

	for (size_t i = 0; i < count && i < BATCH_MOST; i++) {
		sizes[i] = shell_size(*size);
		size += size[1] != NULL;
	}
	result = mnm_alloc_batch(count, sizes, ptrs);
	printf("%d", (int)result);
	for (size_t i = 0; i < count && i < BATCH_MOST; i++) {
		if (result)
			printf(" %llu", ptrs[i]);
		else
			keep(member(words[0], i), ptrs[i], sizes[i]);
	}
}

/* Takes a name and the number of buffers. */
static void run_free_batch(char **words)
{
	size_t count = shell_size(words[1]);
	CUdeviceptr ptrs[BATCH_MOST] = {0};

	for (size_t i = 0; i < count && i < BATCH_MOST; i++)
		ptrs[i] = member(words[0], i)->addr;
	printf("%d", (int)mnm_free_batch(count, ptrs));
}

static void run_trim(char **words)
{
	size_t bytes = UNTOUCHED;
	CUresult result = mnm_trim(device_of(words[0]), &bytes);

	printf("%d %zu", (int)result, bytes);
}

static void run_set(char **words)
{
	printf("%d", (int)mnm_set(text_of(words[0]), text_of(words[1])));
}

static void run_mark_iteration(char **words)
{
	(void)words;
	printf("%d", (int)mnm_mark_iteration());
}

static void run_name_work(char **words)
{
	printf("%d", (int)mnm_name_work(text_of(words[0])));
}

static CUstream stream_of(const char *name)
{
	return strcmp(name, "0") ? (CUstream)shell_memory(name)->addr : NULL;
}

/* Takes a name, a size, and a stream's name, or 0. */
static void run_alloc_in(char **words)
{
	CUdeviceptr ptr = UNTOUCHED;
	CUresult result = mnm_alloc_in(
		&ptr, shell_size(words[1]),
		strcmp(words[2], "0") ? (CUstream)shell_memory(words[2])->addr
				      : NULL);

	printf("%d", (int)result);
	if (result)
		printf(" %llu", ptr);
	else
		keep(shell_memory(words[0]), ptr, shell_size(words[1]));
}

/* Takes the names of memory and of a stream, or 0. */
static void run_free_in(char **words)
{
	printf("%d", (int)mnm_free_in(shell_memory(words[0])->addr,
				      stream_of(words[1])));
}

/* Takes a name, a size, a device, and a stream's name, or 0. */
static void run_torch_malloc(char **words)
{
	void *ptr = mnm_torch_malloc((ptrdiff_t)atoll(words[1]), atoi(words[2]),
				     stream_of(words[3]));

	keep(shell_memory(words[0]), (CUdeviceptr)ptr, shell_size(words[1]));
	printf("%s", ptr ? "set" : "null");
}

/* Takes the names of memory and of a stream, or 0, and a device. */
static void run_torch_free(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);

	mnm_torch_free((void *)memory->addr, (ptrdiff_t)memory->size,
		       atoi(words[2]), stream_of(words[1]));
	printf("done");
}

/* Takes the names of memory and of a stream. */
static void run_torch_record(char **words)
{
	mnm_torch_record_stream((void *)shell_memory(words[0])->addr,
				stream_of(words[1]));
	printf("done");
}

/* Takes a name, a size and a device. */
static void run_cupy_malloc(char **words)
{
	void *ptr = mnm_cupy_malloc(NULL, shell_size(words[1]), atoi(words[2]));

	keep(shell_memory(words[0]), (CUdeviceptr)ptr, shell_size(words[1]));
	printf("%s", ptr ? "set" : "null");
}

static void run_cupy_free(char **words)
{
	mnm_cupy_free(NULL, (void *)shell_memory(words[0])->addr,
		      atoi(words[1]));
	printf("done");
}

/* NULL where a pointer belongs. */
static void run_nulls(char **words)
{
	(void)words;
	printf("%d %d %d %d %d %d %d %d", (int)mnm_pool_name(0, NULL, 80),
	       (int)mnm_alloc_bytes(0, 1, NULL),
	       (int)mnm_pool_size(0, NULL, NULL),
	       (int)mnm_device_stats(0, NULL),
	       (int)mnm_alloc_batch(1, NULL, NULL),
	       (int)mnm_free_batch(1, NULL), (int)mnm_trim(0, NULL),
	       (int)mnm_alloc_in(NULL, 1, NULL));
}

const struct shell_command shell_api[] = {
	{"mnm_version", 0, run_version},
	{"mnm_error", 0, run_error},
	{"mnm_init_pool", 2, run_init_pool},
	{"mnm_remove_pool", 1, run_remove_pool},
	{"mnm_pool_name", 2, run_pool_name},
	{"mnm_alloc_bytes", 2, run_alloc_bytes},
	{"mnm_pool_size", 1, run_pool_size},
	{"mnm_device_stats", 2, run_stats},
	{"mnm_alloc_batch", 3, run_alloc_batch},
	{"mnm_free_batch", 2, run_free_batch},
	{"mnm_trim", 1, run_trim},
	{"mnm_set", 2, run_set},
	{"mnm_mark_iteration", 0, run_mark_iteration},
	{"mnm_name_work", 1, run_name_work},
	{"mnm_alloc_in", 3, run_alloc_in},
	{"mnm_free_in", 2, run_free_in},
	{"mnm_torch_malloc", 4, run_torch_malloc},
	{"mnm_torch_free", 3, run_torch_free},
	{"mnm_torch_record_stream", 2, run_torch_record},
	{"mnm_cupy_malloc", 3, run_cupy_malloc},
	{"mnm_cupy_free", 2, run_cupy_free},
	{"mnm_nulls", 0, run_nulls},
	{NULL, 0, NULL},
};
