/* Ways to a row by its name: both versions of cuGetProcAddress, and the
 * runtime's calls that end there. */
#include <dlfcn.h>
#include <stdio.h>

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include "echo.h"
#include "walk.h"

typedef enum cudaDriverEntryPointQueryResult point_status;
typedef cudaError_t point(const char *name, void **out,
			  unsigned long long flags, point_status *status);
typedef cudaError_t point_of_version(const char *name, void **out,
				     unsigned int version,
				     unsigned long long flags,
				     point_status *status);

/* What is asked for. */
struct question {
	const char *name;
	int version;
	unsigned int flags;
};

static void answer(const char *door, const struct question *question,
		   void *found)
{
	const char *symbol = echo_meant(
		question->name, question->version,
		question->flags ==
			CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	char route[128];

	snprintf(route, sizeof(route), "%s:%s:%d:%u", door, question->name,
		 question->version, question->flags);
	if (symbol || found)
		walk_found(route, symbol, found, false);
}

static void ask_driver(const struct question *question)
{
	PFN_cuGetProcAddress_v11030 first;
	PFN_cuGetProcAddress_v12000 second;
	void *found = NULL;

	*(void **)&first = dlsym(RTLD_DEFAULT, "cuGetProcAddress");
	*(void **)&second = dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2");
	first(question->name, &found, question->version, question->flags);
	answer("v1", question, found);
	found = NULL;
	second(question->name, &found, question->version, question->flags,
	       NULL);
	answer("v2", question, found);
}

static void *runtime_entry(const char *name)
{
	static void *library;

	if (!library)
		library = dlopen("libcudart.so.13", RTLD_NOW);
	return library ? dlsym(library, name) : NULL;
}

static void ask_runtime(const struct question *question)
{
	point *newest = (point *)runtime_entry("cudaGetDriverEntryPoint");
	point_of_version *at = (point_of_version *)runtime_entry(
		"cudaGetDriverEntryPointByVersion");
	point_status status;
	struct question now = *question;
	void *found = NULL;

	if (!newest || !at)
		return;
	at(now.name, &found, (unsigned int)now.version, now.flags, &status);
	answer("runtime", &now, found);
	found = NULL;
	now.version = CUDART_VERSION;
	newest(now.name, &found, now.flags, &status);
	answer("newest", &now, found);
}

void walk_asked(const struct row *row)
{
	const int versions[] = {row->from - 1, row->from, row->until - 1};
	const unsigned int flags[] = {
		CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
		CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM};
	struct question question = {row->name, 0, 0};

	if (row->from >= row->until) /* a twin: its base and a flag mean it */
		return;
	for (int i = 0; i < 9; i++) {
		question.version = versions[i / 3];
		question.flags = flags[i % 3];
		ask_driver(&question);
		ask_runtime(&question);
	}
}
