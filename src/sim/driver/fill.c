#include "fill.h"

#include <string.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "copy.h"
#include "entries.h"
#include "host.h"
#include "stream.h"
#include "touch.h"
#include "world.h"

static void fill_row(char *row, const struct fill *fill)
{
	if (fill->element == 1) {
		memset(row, (int)fill->value, fill->width);
		return;
	}
	for (size_t x = 0; x < fill->width; x++)
		memcpy(row + x * fill->element, &fill->value, fill->element);
}

static void fill_run(struct op *op)
{
	for (size_t y = 0; y < op->fill.height; y++)
		fill_row(op->fill.dst + y * op->fill.pitch, &op->fill);
}

static size_t extent(const struct fill *fill)
{
	return (fill->height - 1) * fill->pitch + fill->width * fill->element;
}

/* Notes the write. An error is ignored: by the time that a graph runs, its
 * memory may be gone. */
static CUresult fill_renew(struct op *op)
{
	copy_check(op->fill.dst, extent(&op->fill), true);
	return CUDA_SUCCESS;
}

CUresult fill_op(struct fill fill, struct op **out, uint64_t *ns)
{
	size_t row = fill.width * fill.element;
	struct op *op;
	CUresult res;

	if ((uintptr_t)fill.dst % fill.element ||
	    !copy_is_visible((CUdeviceptr)fill.dst) ||
	    (fill.height > 1 && fill.pitch < row))
		return CUDA_ERROR_INVALID_VALUE;
	res = copy_check(fill.dst, extent(&fill), true);
	if (res)
		return res;
	op = op_new(fill_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->type = CU_GRAPH_NODE_TYPE_MEMSET;
	op->renew = fill_renew;
	op->fill = fill;
	op->touch = touch_fill;
	*ns = world.profile.fill_ns +
	      clock_transfer(row * fill.height, world.profile.device_rate);
	*out = op;
	return CUDA_SUCCESS;
}

static CUresult fill_submit(struct fill fill, CUstream where, bool async)
{
	bool pinned = host_is_pinned(fill.dst);
	struct stream *stream;
	CUresult res = stream_use(where, &stream);
	struct op *op;
	uint64_t ns;

	if (res || !fill.width || !fill.height)
		return res;
	if (stream->capture && !async)
		return capture_refuse(stream->capture);
	res = fill_op(fill, &op, &ns);
	if (res)
		return res;
	clock_spend(world.profile.submit_ns);
	res = op_submit(op, stream, ns);
	/* As documented, a synchronous fill waits only if the memory
	 * is pinned. */
	return !res && pinned && !async ? stream_wait(stream) : res;
}

static CUresult fill_flat(CUdeviceptr dst, unsigned value, unsigned element,
			  size_t count, CUstream where, bool async)
{
	struct fill fill = {.dst = (char *)dst,
			    .width = count,
			    .height = 1,
			    .element = element,
			    .value = value};

	return fill_submit(fill, where, async);
}

static CUresult fill_2d(CUdeviceptr dst, size_t pitch, unsigned value,
			unsigned element, size_t width, size_t height,
			CUstream where, bool async)
{
	struct fill fill = {.dst = (char *)dst,
			    .pitch = pitch,
			    .width = width,
			    .height = height,
			    .element = element,
			    .value = value};

	return fill_submit(fill, where, async);
}

CUresult sim_cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t n)
{
	return fill_flat(dst, value, 1, n, NULL, false);
}

CUresult sim_cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t n)
{
	return fill_flat(dst, value, 2, n, NULL, false);
}

CUresult sim_cuMemsetD32_v2(CUdeviceptr dst, unsigned value, size_t n)
{
	return fill_flat(dst, value, 4, n, NULL, false);
}

CUresult sim_cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n,
			     CUstream where)
{
	return fill_flat(dst, value, 1, n, where, true);
}

CUresult sim_cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t n,
			      CUstream where)
{
	return fill_flat(dst, value, 2, n, where, true);
}

CUresult sim_cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t n,
			      CUstream where)
{
	return fill_flat(dst, value, 4, n, where, true);
}

CUresult sim_cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value,
			     size_t width, size_t height)
{
	return fill_2d(dst, pitch, value, 1, width, height, NULL, false);
}

CUresult sim_cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch,
			      unsigned short value, size_t width, size_t height)
{
	return fill_2d(dst, pitch, value, 2, width, height, NULL, false);
}

CUresult sim_cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned value,
			      size_t width, size_t height)
{
	return fill_2d(dst, pitch, value, 4, width, height, NULL, false);
}

CUresult sim_cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch,
			       unsigned char value, size_t width, size_t height,
			       CUstream where)
{
	return fill_2d(dst, pitch, value, 1, width, height, where, true);
}

CUresult sim_cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch,
				unsigned short value, size_t width,
				size_t height, CUstream where)
{
	return fill_2d(dst, pitch, value, 2, width, height, where, true);
}

CUresult sim_cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value,
				size_t width, size_t height, CUstream where)
{
	return fill_2d(dst, pitch, value, 4, width, height, where, true);
}
