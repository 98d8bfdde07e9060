/* Texture and surface objects: what memory they show, and how. They belong to a
 * context, and do not keep their memory. What this had queued before an object
 * is destroyed still sees it. All calls need the lock. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include <stdbool.h>

#include <cuda.h>

#include "../kernel_table.h"

#include "array.h"
#include "fence.h"

enum { LINEAR_MOST = 1 << 28 }; /* elements of linear memory */

struct context;
struct op;

struct texture {
	struct sim_texture shown;             /* the handle is its address */
	struct sim_level levels[LEVELS_MOST]; /* what it shows of them */
	struct texture *prev, *next;
	struct context *ctx;
	bool is_surface;
	bool has_view;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture; /* of no surface */
	CUDA_RESOURCE_VIEW_DESC view;
	CUdeviceptr memory;
	size_t size;       /* bytes from there on */
	struct fence work; /* of a destroyed one: what may still use it */
};

/* The object with this handle, or NULL; any number may be asked for. */
const struct texture *texture_live(unsigned long long handle);
/* The same for an operation that runs. */
const struct texture *texture_for(const struct op *op,
				  unsigned long long handle);
/* Fills in what an object shows, from its resource and view. */
CUresult texture_show(struct texture *texture);
/* Destroys those of a context. */
void textures_close(struct context *ctx);

#endif
