/* Linking of device code, as far as a stand-in can: the inputs are kept, and
 * the image is made of them as they are. If any of them is PTX, the image is
 * all the texts of PTX, one behind the other and each with a line feed behind
 * it, with a byte of zero at the end. Otherwise it is the first input. Host
 * functions stand for the kernels in either, as for those of any other image.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "entries.h"
#include "image.h"
#include "jit.h"
#include "module.h"

enum { LINK_MAGIC = 0x6c696e6b };

struct link {
	unsigned magic;    /* 0 once destroyed; the object is used again */
	struct link *next; /* the next spare one */
	struct link *made; /* the one made before: all stay reachable */
	char *image;
	size_t size;
	bool is_text;        /* the image is PTX */
	CUjit_option *names; /* a copy of those in the options */
	struct jit_options options;
};

static struct link *spare, *made;

static struct link *link_new(void)
{
	struct link *link = spare;

	if (link) {
		spare = link->next;
		return link;
	}
	link = malloc(sizeof(*link));
	if (!link)
		return NULL;
	link->made = made;
	made = link;
	return link;
}

static CUresult link_find(CUlinkState handle, struct link **out)
{
	struct link *link = (struct link *)handle;

	if (!link || link->magic != LINK_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = link;
	return CUDA_SUCCESS;
}

/* The values of the options have to stay where they are until the end, but not
 * their names. */
CUresult sim_cuLinkCreate_v2(unsigned count, CUjit_option *options,
			     void **values, CUlinkState *out)
{
	struct jit_options jit = {count, options, values};
	CUjit_option *names;
	struct link *link;
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res && !out)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = jit_options_check(jit);
	if (res)
		return res;
	jit.names = names = calloc(count + 1, sizeof(*names));
	link = names ? link_new() : NULL;
	if (!link) {
		free(names);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (count)
		memcpy(names, options, count * sizeof(*names));
	*link = (struct link){.magic = LINK_MAGIC,
			      .made = link->made,
			      .names = names,
			      .options = jit};
	*out = (CUlinkState)link;
	return CUDA_SUCCESS;
}

CUresult sim_cuLinkDestroy(CUlinkState handle)
{
	struct link *link;
	CUresult res = link_find(handle, &link);

	if (res)
		return res;
	free(link->image);
	free(link->names);
	link->magic = 0;
	link->next = spare;
	spare = link;
	return CUDA_SUCCESS;
}

/* Adds to the image, which replaces one that is no text. */
static CUresult text_add(struct link *link, const char *text, size_t size)
{
	size_t had = link->is_text ? link->size - 1 : 0;
	char *image = realloc(link->image, had + size + 2);

	if (!image)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(image + had, text, size);
	memcpy(image + had + size, "\n", 2);
	link->image = image;
	link->size = had + size + 2;
	link->is_text = true;
	return CUDA_SUCCESS;
}

/* What every text of PTX has; nothing else is looked at. */
static CUresult text_check(struct link *link, const char *name,
			   const char *text, size_t size)
{
	char error[256];

	if (memmem(text, size, ".version", 8) &&
	    memmem(text, size, ".target", 7))
		return CUDA_SUCCESS;
	snprintf(error, sizeof(error),
		 "%.128s: this is no PTX: .version or .target is missing",
		 name ? name : "an input");
	jit_options_answer(link->options, error);
	return CUDA_ERROR_INVALID_PTX;
}

/* A first line says what the kernels may take, since nothing else keeps it. */
static CUresult registers_add(struct link *link)
{
	unsigned most = jit_max_registers(link->options);
	char line[64];

	if (!most || link->is_text)
		return CUDA_SUCCESS;
	return text_add(link, line,
			(size_t)snprintf(line, sizeof(line),
					 IMAGE_REGISTERS "%u", most));
}

static CUresult add(struct link *link, CUjitInputType type, const void *data,
		    size_t size, const char *name)
{
	const char *text = data;
	CUresult res;

	if (!data || !size || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_JIT_INPUT_PTX) {
		size = strnlen(text, size);
		res = text_check(link, name, text, size);
		if (!res)
			res = registers_add(link);
		return res ? res : text_add(link, text, size);
	}
	if (link->image || type == CU_JIT_INPUT_LIBRARY)
		return CUDA_SUCCESS;
	link->image = malloc(size);
	if (!link->image)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(link->image, data, size);
	link->size = size;
	return CUDA_SUCCESS;
}

CUresult sim_cuLinkAddData_v2(CUlinkState handle, CUjitInputType type,
			      void *data, size_t size, const char *name,
			      unsigned count, CUjit_option *options,
			      void **values)
{
	struct link *link;
	CUresult res = link_find(handle, &link);

	if (!res)
		res = jit_options_check(
			(struct jit_options){count, options, values});
	return res ? res : add(link, type, data, size, name);
}

CUresult sim_cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type,
			      const char *path, unsigned count,
			      CUjit_option *options, void **values)
{
	struct link *link;
	char *contents = NULL;
	size_t size;
	CUresult res = link_find(handle, &link);

	if (!res)
		res = jit_options_check(
			(struct jit_options){count, options, values});
	if (!res)
		res = module_file_read(path, &contents, &size);
	if (!res)
		res = add(link, type, contents, size, path);
	free(contents);
	return res;
}

/* The image is the program's until the link is destroyed. */
CUresult sim_cuLinkComplete(CUlinkState handle, void **image, size_t *size)
{
	struct link *link;
	CUresult res = link_find(handle, &link);

	if (res)
		return res;
	if (!image || !link->image)
		return CUDA_ERROR_INVALID_VALUE;
	jit_options_answer(link->options, NULL);
	*image = link->image;
	if (size)
		*size = link->size;
	return CUDA_SUCCESS;
}
