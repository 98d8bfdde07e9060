#include "code_texture.h"

#include "../kernel_levels.h"
#include "extent.h"
#include "texture.h"
#include "world.h"

/* Objects do not keep their memory, so it may have gone. */
static bool show(struct shown *shown, uint64_t object)
{
	const struct texture *found;
	CUdeviceptr memory = 0;
	size_t size = 0;

	if (shown->object == object && object)
		return true;
	pthread_mutex_lock(&world.lock);
	found = texture_for(shown->op, object);
	if (found) {
		shown->texture = found->shown;
		shown->is_surface = found->is_surface;
		memory = found->memory;
		size = found->size;
	}
	pthread_mutex_unlock(&world.lock);
	shown->object = found && extent_has(memory, size, false) ? object : 0;
	return shown->object;
}

enum { SIDES = 6 };

static void detail_fetch(const struct sim_texture *texture,
			 const struct ptx_spot *spot, double values[4])
{
	const struct ptx_detail *detail = spot->detail;
	double at[3] = {spot->at[0], spot->at[1], spot->at[2]};
	struct sim_texture shown = *texture;
	double level = detail->level;

	if (detail->cube) {
		at[2] = sim_cube_side(spot->at, &at[0], &at[1]) +
			(double)SIDES * detail->layer;
		shown.flags |= SIM_NORMALIZED;
	}
	if (detail->how == PTX_DETAIL_SLOPES)
		level = sim_level_of(texture, detail->slopes);
	if (detail->how == PTX_DETAIL_GATHER)
		sim_gather(&shown, at, detail->channel, values);
	else if (detail->how)
		sim_fetch_level(&shown, at, spot->layers || detail->cube, level,
				values);
	else
		sim_fetch(&shown, at[0], at[1], at[2],
			  spot->layers || detail->cube, values);
}

bool shown_fetch(struct shown *shown, uint64_t object,
		 const struct ptx_spot *spot, double values[4])
{
	if (!show(shown, object) || shown->is_surface)
		return false;
	if (spot->detail)
		detail_fetch(&shown->texture, spot, values);
	else if (spot->whole)
		sim_fetch_whole(&shown->texture, (long)spot->at[0],
				(long)spot->at[1], (long)spot->at[2], values);
	else
		sim_fetch(&shown->texture, spot->at[0], spot->at[1],
			  spot->at[2], spot->layers, values);
	return true;
}

static long clamped(long at, size_t count)
{
	return at < 0 ? 0 : at < (long)count ? at : count ? (long)count - 1 : 0;
}

bool shown_place(struct shown *shown, uint64_t object,
		 const struct ptx_spot *spot, size_t size, bool clamp,
		 void **at)
{
	const struct sim_texture *t = &shown->texture;
	long x = (long)spot->at[0], y = (long)spot->at[1],
	     z = (long)spot->at[2];
	size_t row;

	if (!show(shown, object) || !shown->is_surface)
		return false;
	row = t->width * t->channels * sim_channel_bytes(t->format);
	if (clamp) {
		x = x < 0 ? 0
		    : (size_t)x + size > row
			    ? (long)(row / size * size) - (long)size
			    : x;
		y = clamped(y, t->height);
		z = clamped(z, t->depth);
	}
	*at = sim_surface_at(t, x, y, z, size);
	return true;
}

bool shown_size(struct shown *shown, uint64_t object, uint32_t sizes[3])
{
	if (!show(shown, object))
		return false;
	sizes[0] = (uint32_t)shown->texture.width;
	sizes[1] = (uint32_t)shown->texture.height;
	sizes[2] = (uint32_t)shown->texture.depth;
	return true;
}
