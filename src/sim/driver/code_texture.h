/* Textures and surfaces for interpreted kernels. */
#ifndef SIM_CODE_TEXTURE_H
#define SIM_CODE_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernel_table.h"
#include "../ptx/ptx.h"

struct op;

/* The object that a launch used last. */
struct shown {
	const struct op *op; /* the launch */
	uint64_t object;     /* 0: none */
	bool is_surface;
	struct sim_texture texture;
};

/* See struct ptx_host. These take the lock. */
bool shown_fetch(struct shown *shown, uint64_t object,
		 const struct ptx_spot *spot, double values[4]);
bool shown_place(struct shown *shown, uint64_t object,
		 const struct ptx_spot *spot, size_t size, bool clamp,
		 void **at);
bool shown_size(struct shown *shown, uint64_t object, uint32_t sizes[3]);

#endif
