/* Textures and surfaces. What they are is the caller's. */
#include <string.h>

#include "exec.h"

enum { COORDINATES = 3, CHANNELS = 4 };

static uint64_t object_of(const struct ptx_warp *warp, const struct ptx_op *op,
			  unsigned int lane)
{
	return ((const uint64_t *)ptx_slot(warp, op->a))[lane];
}

static void illegal(struct ptx_warp *warp, const struct ptx_op *op,
		    unsigned int lane)
{
	ptx_run_fail(warp, op, lane, PTX_ILLEGAL_ADDRESS,
		     "0x%llx is no texture or surface",
		     (unsigned long long)object_of(warp, op, lane));
}

/* Layers are numbers whatever the coordinates are. */
static struct ptx_spot spot_of(const struct ptx_warp *warp,
			       const struct ptx_op *op, unsigned int lane)
{
	struct ptx_spot spot = {
		.layers = (op->mode & (PTX_TEXTURE_LAYERS |
				       PTX_TEXTURE_CUBE)) == PTX_TEXTURE_LAYERS,
		.whole = op->from_type != PTX_F32,
	};

	for (unsigned int i = 0; i < COORDINATES; i++) {
		const void *slot = ptx_slot(warp, op->list[i]);

		if (spot.whole || (i == 2 && spot.layers))
			spot.at[i] = ((const int32_t *)slot)[lane];
		else
			spot.at[i] = (double)((const float *)slot)[lane];
	}
	return spot;
}

static double number_at(const struct ptx_warp *warp, uint32_t slot,
			unsigned int lane)
{
	return (double)((const float *)ptx_slot(warp, slot))[lane];
}

/* Whether it is no plain fetch, and if so what is asked for. */
static bool detail_of(const struct ptx_warp *warp, const struct ptx_op *op,
		      unsigned int lane, struct ptx_detail *detail)
{
	const uint32_t *list = op->list + PTX_TEXTURE_LEVEL;

	if (!op->target && !(op->mode & PTX_TEXTURE_CUBE))
		return false;
	*detail = (struct ptx_detail){
		.how = (enum ptx_detail_how)op->target,
		.cube = (op->mode & PTX_TEXTURE_CUBE) != 0,
		.layer = ((const int32_t *)ptx_slot(
			warp, op->list[PTX_TEXTURE_CUBE_LAYER]))[lane],
		.channel = op->e,
	};
	if (op->target == PTX_DETAIL_LEVEL)
		detail->level = number_at(warp, *list, lane);
	for (unsigned int i = 0;
	     op->target == PTX_DETAIL_SLOPES && i < 2 * COORDINATES; i++)
		detail->slopes[i / COORDINATES][i % COORDINATES] =
			number_at(warp, list[i], lane);
	return true;
}

static uint32_t channel_bits(double value, enum ptx_type type)
{
	float single = (float)value;
	uint32_t bits;

	if (type != PTX_F32)
		return value >= 0x1p32   ? UINT32_MAX
		       : value > -0x1p31 ? (uint32_t)(int64_t)value
					 : UINT32_C(1) << 31;
	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

void ptx_exec_texture(struct ptx_warp *warp, const struct ptx_op *op,
		      uint32_t mask)
{
	const struct ptx_host *host = warp->run->host;

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		struct ptx_spot spot = spot_of(warp, op, i);
		struct ptx_detail detail;
		double values[CHANNELS];

		if (detail_of(warp, op, i, &detail))
			spot.detail = &detail;
		if (!host->texture ||
		    !host->texture(host->user, object_of(warp, op, i), &spot,
				   values)) {
			illegal(warp, op, i);
			return;
		}
		for (unsigned int k = 0; k < CHANNELS; k++)
			((uint32_t *)ptx_slot(warp,
					      op->list[COORDINATES + k]))[i] =
				channel_bits(values[k],
					     (enum ptx_type)op->type);
	}
}

/* Where a lane's element is. NULL: outside, or the run has ended. */
static unsigned char *element_at(struct ptx_warp *warp, const struct ptx_op *op,
				 unsigned int lane)
{
	const struct ptx_host *host = warp->run->host;
	struct ptx_spot spot = spot_of(warp, op, lane);
	size_t size = (size_t)op->bytes * op->count;
	void *at = NULL;

	if (!host->surface ||
	    !host->surface(host->user, object_of(warp, op, lane), &spot, size,
			   op->target == PTX_SURFACE_CLAMP, &at))
		illegal(warp, op, lane);
	else if (!at && op->target == PTX_SURFACE_TRAP)
		ptx_run_fail(warp, op, lane, PTX_ILLEGAL_ADDRESS,
			     "%g, %g, %g is outside of the surface", spot.at[0],
			     spot.at[1], spot.at[2]);
	return at;
}

static unsigned char *slot_at(const struct ptx_warp *warp,
			      const struct ptx_op *op, unsigned int lane,
			      unsigned int k)
{
	return (unsigned char *)ptx_slot(warp, op->list[COORDINATES + 2 * k]) +
	       (size_t)lane * op->list[COORDINATES + 2 * k + 1];
}

void ptx_exec_surface_load(struct ptx_warp *warp, const struct ptx_op *op,
			   uint32_t mask)
{
	for (uint32_t left = mask; left && !warp->run->result;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		const unsigned char *at = element_at(warp, op, i);

		for (unsigned int k = 0; k < op->count; k++) {
			unsigned char *to = slot_at(warp, op, i, k);

			memset(to, 0, op->list[COORDINATES + 2 * k + 1]);
			if (at)
				memcpy(to, at + (size_t)k * op->bytes,
				       op->bytes);
		}
	}
}

void ptx_exec_surface_store(struct ptx_warp *warp, const struct ptx_op *op,
			    uint32_t mask)
{
	for (uint32_t left = mask; left && !warp->run->result;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		unsigned char *at = element_at(warp, op, i);

		for (unsigned int k = 0; at && k < op->count; k++)
			memcpy(at + (size_t)k * op->bytes,
			       slot_at(warp, op, i, k), op->bytes);
	}
}

void ptx_exec_texture_size(struct ptx_warp *warp, const struct ptx_op *op,
			   uint32_t mask)
{
	const struct ptx_host *host = warp->run->host;

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);
		uint32_t sizes[COORDINATES];

		if (!host->texture_size ||
		    !host->texture_size(host->user, object_of(warp, op, i),
					sizes)) {
			illegal(warp, op, i);
			return;
		}
		((uint32_t *)ptx_slot(warp, op->d))[i] = sizes[op->target];
	}
}
