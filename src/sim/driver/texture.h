/* Texture and surface objects: what memory they show, and how. They belong to a
 * context, and do not keep their memory. All calls need the lock. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include <stdbool.h>

#include <cuda.h>

#include "../kernel_table.h"

struct context;

struct texture {
	struct sim_texture shown; /* the handle is its address */
	struct texture *prev, *next;
	struct context *ctx;
	bool is_surface;
	bool has_view;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture; /* of no surface */
	CUDA_RESOURCE_VIEW_DESC view;
	CUdeviceptr memory;
	size_t size; /* bytes from there on */
};

/* The object with this handle, or NULL; any number may be asked for. */
const struct texture *texture_live(unsigned long long handle);
/* Destroys those of a context. */
void textures_close(struct context *ctx);

#endif
