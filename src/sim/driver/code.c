#include "code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "image.h"
#include "kernel.h"

enum { USES_FIRST = 32 };

const struct ptx_variable *code_variable(struct image *image, const char *name,
					 const struct ptx_module **module)
{
	struct ptx_text *text =
		kernel_mode(KERNELS_INTERPRET) ? image_ptx(image) : NULL;

	*module = image_module(text, NULL);
	return *module ? ptx_variable_find(*module, name) : NULL;
}

const char *code_name(struct image *image, size_t index)
{
	struct ptx_text *text = image_ptx(image);

	while (text && !image_module(text, NULL))
		text = text->next;
	return text && index < ptx_kernel_count(text->module)
		       ? ptx_kernel_at(text->module, index)->name
		       : NULL;
}

/* The kernel in the PTX of an image; *text is where. */
static const struct ptx_kernel *kernel_in(struct image *image, const char *name,
					  struct ptx_text **text,
					  struct ptx_error *error)
{
	const struct ptx_kernel *kernel = NULL;

	for (*text = image_ptx(image); *text; *text = (*text)->next) {
		const struct ptx_module *module = image_module(*text, error);

		if (module)
			kernel = ptx_kernel_find(module, name);
		if (kernel)
			return kernel;
	}
	return NULL;
}

static void code_free(struct code *code)
{
	ptx_program_free(code->program);
	free((void *)code->row.arg_sizes);
	free(code->places);
	free(code->uses);
	free(code);
}

void codes_free(struct code *codes)
{
	while (codes) {
		struct code *code = codes;

		codes = code->next;
		code_free(code);
	}
}

void code_keep(const struct code *code)
{
	if (code)
		image_keep(code->image);
}

void code_leave(const struct code *code)
{
	if (code)
		image_leave(code->image);
}

/* Room for a kernel's name and parameters. The name is its copy's. */
static struct code *code_new(const char *name, size_t count)
{
	struct code *code = calloc(1, sizeof(*code) + strlen(name) + 1);
	size_t *sizes = calloc(count + 1, sizeof(*sizes));

	if (code)
		code->places = calloc(count + 1, sizeof(*code->places));
	if (!sizes || !code || !code->places) {
		free(sizes);
		if (code)
			free(code->places);
		free(code);
		return NULL;
	}
	memcpy(code + 1, name, strlen(name) + 1);
	code->row = (struct sim_kernel){.name = (const char *)(code + 1),
					.arg_count = count,
					.arg_sizes = sizes};
	return code;
}

static bool uses_read(struct code *code)
{
	unsigned elsewhere = 0;
	size_t room = USES_FIRST;

	for (;;) {
		struct ptx_use *more =
			realloc(code->uses, room * sizeof(*more));

		if (!more)
			return false;
		code->uses = more;
		code->use_count = ptx_kernel_uses(code->ptx, code->kernel, more,
						  room, &elsewhere);
		if (code->use_count <= room || code->use_count == SIZE_MAX)
			return code->use_count <= room;
		room = code->use_count;
	}
}

static struct code *code_of_ptx(const struct ptx_text *text,
				const struct ptx_kernel *kernel)
{
	struct code *code = code_new(kernel->name, kernel->param_count);

	if (!code)
		return NULL;
	code->ptx = text->module;
	code->kernel = kernel;
	for (size_t i = 0; i < kernel->param_count; i++) {
		((size_t *)code->row.arg_sizes)[i] = kernel->params[i].size;
		code->places[i] = kernel->params[i].offset;
	}
	ptx_body_read(text->text, kernel->name, &code->body);
	if (uses_read(code))
		return code;
	code_free(code);
	return NULL;
}

/* A kernel without PTX is a stand-in: each argument that is an address is read
 * and written. */
static struct code *code_of_cubin(struct image *image, const char *name)
{
	struct cubin_params params;
	struct code *code;

	if (!cubin_params(image, name, &params))
		return NULL;
	code = code_new(name, params.count);
	if (!code)
		return NULL;
	code->uses =
		calloc(params.bytes / sizeof(void *) + 1, sizeof(*code->uses));
	if (!code->uses) {
		code_free(code);
		return NULL;
	}
	for (size_t i = 0; i < params.count; i++) {
		((size_t *)code->row.arg_sizes)[i] = params.sizes[i];
		code->places[i] = params.places[i];
		for (size_t at = 0; at + sizeof(void *) <= params.sizes[i];
		     at += sizeof(void *))
			code->uses[code->use_count++] = (struct ptx_use){
				.param = i,
				.offset = at,
				.flags = PTX_USE_READ | PTX_USE_WRITE};
	}
	code->body =
		(struct ptx_body){.element = sizeof(double), .repeats = true};
	return code;
}

static CUresult refuse(const char *name, const char *why)
{
	fprintf(stderr,
		"mnm-sim: no host function for kernel %s%s "
		"(see src/sim/README.md)\n",
		name, why);
	return CUDA_ERROR_NOT_FOUND;
}

static CUresult refuse_ptx(const char *name, const struct ptx_error *error)
{
	fprintf(stderr,
		"mnm-sim: no host function for kernel %s, and it cannot be "
		"interpreted: %s",
		name, error->text);
	if (error->line)
		fprintf(stderr, " (line %u of its PTX)", error->line);
	fprintf(stderr, "; MNM_SIM_KERNELS=interpret:standin makes up its "
			"result\n");
	return CUDA_ERROR_NOT_FOUND;
}

static CUresult code_make(struct image *image, const char *name,
			  struct code **out)
{
	struct ptx_error error = {.text = "it cannot be read"};
	struct ptx_text *text;
	const struct ptx_kernel *kernel = kernel_in(image, name, &text, &error);

	*out = NULL;
	if (kernel) {
		*out = code_of_ptx(text, kernel);
		if (*out && kernel_mode(KERNELS_INTERPRET))
			(*out)->program =
				ptx_prepare(text->module, kernel, &error);
		if (*out && !(*out)->program && !kernel_mode(KERNELS_STANDIN)) {
			code_free(*out);
			*out = NULL;
			return refuse_ptx(name, &error);
		}
		return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	for (text = image_ptx(image); text; text = text->next)
		if (!text->module)
			return refuse_ptx(name, &error);
	if (!kernel_mode(KERNELS_STANDIN))
		return refuse(name,
			      image->failed
				      ? ", and its image could not be read"
				      : ", and its image has no PTX of it");
	*out = code_of_cubin(image, name);
	return *out ? CUDA_SUCCESS
		    : refuse(name, ", and its image tells no parameters of it");
}

CUresult code_find(struct image *image, const char *name,
		   const struct code **out)
{
	struct code *code;
	CUresult res;

	if (!kernel_mode(KERNELS_INTERPRET | KERNELS_STANDIN))
		return refuse(name, "");
	for (code = image->codes; code; code = code->next)
		if (!strcmp(code->row.name, name))
			break;
	if (!code) {
		res = code_make(image, name, &code);
		if (res)
			return res;
		code->image = image;
		code->next = image->codes;
		image->codes = code;
	}
	*out = code;
	return CUDA_SUCCESS;
}

unsigned code_threads(const struct code *code)
{
	unsigned threads = 1;

	if (!code || !code->kernel || !code->kernel->max_threads[0])
		return 0;
	for (int i = 0; i < 3; i++)
		if (code->kernel->max_threads[i])
			threads *= code->kernel->max_threads[i];
	return threads;
}

size_t code_shared(const struct code *code)
{
	return code && code->kernel ? code->kernel->shared_bytes : 0;
}
