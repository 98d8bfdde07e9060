/* The run-time compiler, as the simulated device needs it: where a program
 * wants code of one architecture, which only a device of that runs, it gets
 * PTX. The driver takes either. All else is the toolkit's own compiler's. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

#define EXPORT __attribute__((visibility("default")))

/* A program whose code is PTX, though it asked for that of a device. */
struct program {
	struct program *next;
	nvrtcProgram handle;
};

static struct program *programs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define PASS(name, params, args) \
	EXPORT nvrtcResult nvrtc##name params \
	{ \
		const struct nvrtc_real *real = nvrtc_real(); \
\
		return real ? real->name args : NVRTC_ERROR_INTERNAL_ERROR; \
	}
NVRTC_PASSED(PASS)

EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
	const struct nvrtc_real *real = nvrtc_real();

	return real ? real->GetErrorString(result)
		    : "the toolkit's compiler is not there";
}

static struct program **program_find(nvrtcProgram handle)
{
	struct program **at = &programs;

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

static bool program_is_ptx(nvrtcProgram handle)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = *program_find(handle) != NULL;
	pthread_mutex_unlock(&lock);
	return is;
}

static void program_forget(nvrtcProgram handle)
{
	struct program **at, *gone;

	pthread_mutex_lock(&lock);
	at = program_find(handle);
	gone = *at;
	if (gone)
		*at = gone->next;
	pthread_mutex_unlock(&lock);
	free(gone);
}

static bool program_note(nvrtcProgram handle)
{
	struct program *program = malloc(sizeof(*program));

	if (!program)
		return false;
	program->handle = handle;
	pthread_mutex_lock(&lock);
	program->next = programs;
	programs = program;
	pthread_mutex_unlock(&lock);
	return true;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	const struct nvrtc_real *real = nvrtc_real();

	if (!real)
		return NVRTC_ERROR_INTERNAL_ERROR;
	if (program)
		program_forget(*program);
	return real->DestroyProgram(program);
}

/* The architecture in an option, as sm_75 in -arch=sm_75, or NULL. `before` is
 * the option in front of it: the two may be one. */
static const char *arch_in(const char *option, const char *before)
{
	static const char *const names[] = {"--gpu-architecture", "-arch"};

	for (int i = 0; i < 2; i++) {
		size_t length = strlen(names[i]);

		if (before && !strcmp(before, names[i]))
			return option;
		if (!strncmp(option, names[i], length) && option[length] == '=')
			return option + length + 1;
	}
	return NULL;
}

/* The option for PTX instead of code, or NULL: then it stays as it is. The
 * caller frees it. */
static char *option_for_ptx(const char *option, const char *before)
{
	static const char code[] = "sm_", ptx[] = "compute_";
	const char *arch = arch_in(option, before);
	size_t head;
	char *made;

	if (!arch || strncmp(arch, code, strlen(code)) != 0)
		return NULL;
	head = (size_t)(arch - option);
	made = malloc(strlen(option) + sizeof(ptx));
	if (!made)
		return NULL;
	memcpy(made, option, head);
	strcpy(made + head, ptx);
	strcpy(made + head + strlen(ptx), arch + strlen(code));
	return made;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
				       const char *const *options)
{
	const struct nvrtc_real *real = nvrtc_real();
	const char **own = NULL;
	char *made = NULL;
	int place = 0;
	nvrtcResult res;

	if (!real)
		return NVRTC_ERROR_INTERNAL_ERROR;
	for (; options && place < count && !made; place++)
		if (options[place])
			made = option_for_ptx(options[place],
					      place ? options[place - 1]
						    : NULL);
	program_forget(program);
	if (!made)
		return real->CompileProgram(program, count, options);
	own = calloc((size_t)count, sizeof(*own));
	if (own) {
		memcpy(own, options, (size_t)count * sizeof(*own));
		own[place - 1] = made;
	}
	res = own && program_note(program)
		      ? real->CompileProgram(program, count, own)
		      : NVRTC_ERROR_OUT_OF_MEMORY;
	free(own);
	free(made);
	return res;
}

EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
	const struct nvrtc_real *real = nvrtc_real();

	if (!real)
		return NVRTC_ERROR_INTERNAL_ERROR;
	return program_is_ptx(program) ? real->GetPTXSize(program, size)
				       : real->GetCUBINSize(program, size);
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
	const struct nvrtc_real *real = nvrtc_real();

	if (!real)
		return NVRTC_ERROR_INTERNAL_ERROR;
	return program_is_ptx(program) ? real->GetPTX(program, code)
				       : real->GetCUBIN(program, code);
}
