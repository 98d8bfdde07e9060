/* Video instructions: arithmetic of bytes and halves of registers. */
#include "exec.h"
#include "video.h"

/* A part of two words that stand side by side. */
static int64_t part_read(const struct ptx_video_part *part, unsigned int i,
			 uint64_t words)
{
	uint64_t bits = words >> part->at[i] * part->bits;
	unsigned int unused = 64 - part->bits;

	return part->has_sign ? (int64_t)(bits << unused) >> unused
			      : (int64_t)(bits << unused >> unused);
}

static int64_t shifted(const struct ptx_video *video, int64_t x, int64_t y)
{
	int64_t by = video->wraps ? y & 31 : y > 32 || y < 0 ? 32 : y;

	return video->what == PTX_VIDEO_SHR ? x >> by
					    : (int64_t)((uint64_t)x << by);
}

static int64_t computed(const struct ptx_video *video, int64_t x, int64_t y)
{
	switch (video->what) {
	case PTX_VIDEO_ADD:
		return x + y;
	case PTX_VIDEO_SUB:
		return x - y;
	case PTX_VIDEO_ABSDIFF:
		return x < y ? y - x : x - y;
	case PTX_VIDEO_MIN:
		return x < y ? x : y;
	case PTX_VIDEO_MAX:
		return x > y ? x : y;
	case PTX_VIDEO_AVERAGE:
		return (x + y + (x + y >= 0)) >> 1;
	case PTX_VIDEO_SET:
		return ((x < y    ? PTX_LESS
			 : x == y ? PTX_EQUAL
				  : PTX_GREATER) &
			video->accept) != 0;
	default:
		return shifted(video, x, y);
	}
}

static int64_t saturated(const struct ptx_video *video, int64_t value)
{
	int64_t most =
		(INT64_C(1) << (video->to.bits - video->to.has_sign)) - 1;
	int64_t least = video->to.has_sign ? -most - 1 : 0;

	if (!video->saturates)
		return value;
	return value < least ? least : value > most ? most : value;
}

/* The third operand after a result. */
static uint32_t then(const struct ptx_video *video, uint32_t c, int64_t value,
		     unsigned int i)
{
	int64_t other = video->to.has_sign ? (int64_t)(int32_t)c : (int64_t)c;
	unsigned int place = video->to.at[i] * video->to.bits;
	uint32_t part = UINT32_MAX >> (32 - video->to.bits) << place;

	switch (video->then) {
	case PTX_VIDEO_THEN_ADD:
		return c + (uint32_t)value;
	case PTX_VIDEO_THEN_MIN:
		return value < other ? (uint32_t)value : c;
	case PTX_VIDEO_THEN_MAX:
		return value > other ? (uint32_t)value : c;
	case PTX_VIDEO_THEN_MERGE:
		return (c & ~part) | ((uint32_t)value << place & part);
	default:
		return (uint32_t)value;
	}
}

static uint32_t result_of(const struct ptx_video *video, uint64_t words,
			  uint32_t c)
{
	for (unsigned int i = 0; i < video->parts; i++) {
		int64_t x = part_read(&video->a, i, words);
		int64_t y = part_read(&video->b, i, words);

		if (video->mask >> i & 1)
			c = then(video, c,
				 saturated(video, computed(video, x, y)), i);
	}
	return c;
}

void ptx_exec_video(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	const struct ptx_video *video = (const void *)op->list;
	const uint32_t *a = ptx_slot(warp, op->a);
	const uint32_t *b = ptx_slot(warp, op->b);
	const uint32_t *c = ptx_slot(warp, op->c);
	uint32_t *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, {
		d[i] = result_of(video, (uint64_t)b[i] << 32 | a[i],
				 video->then ? c[i] : 0);
	});
}
