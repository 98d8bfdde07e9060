/* Copies of arrays by a number of bytes: from a place in a row to its end, then
 * whole rows, then the beginning of a row. */
#include "../array.h"
#include "work.h"

/* What is left of such a copy. */
struct rest {
	cudaArray_const_t array;
	size_t x, y; /* bytes and rows */
	size_t row;  /* bytes */
	char *memory;
	size_t count;
};

/* Bytes and rows of the next rectangle. */
static int rest_next(const struct rest *rest, size_t *width, size_t *height)
{
	*height = 1;
	if (rest->x >= rest->row)
		return cudaErrorInvalidValue;
	*width = rest->row - rest->x;
	if (*width > rest->count)
		*width = rest->count;
	if (!rest->x && *width == rest->row)
		*height = rest->count / rest->row;
	return 0;
}

static void rest_advance(struct rest *rest, size_t width, size_t height)
{
	if (rest->memory)
		rest->memory += width * height;
	rest->count -= width * height;
	rest->x += width;
	if (rest->x < rest->row)
		return;
	rest->x = 0;
	rest->y += height;
}

static int rest_of(struct rest *rest)
{
	int res = runtime_enter();

	return res ? res : array_row(rest->array, &rest->row);
}

static cudaError_t to_array(struct rest rest, enum cudaMemcpyKind kind,
			    int async, cudaStream_t stream)
{
	cudaArray_t array = (cudaArray_t)rest.array;
	size_t width, height;
	int res = rest_of(&rest);

	while (!res && rest.count) {
		res = rest_next(&rest, &width, &height);
		if (res)
			break;
		res = async ? cudaMemcpy2DToArrayAsync(
				      array, rest.x, rest.y, rest.memory, width,
				      width, height, kind, stream)
			    : cudaMemcpy2DToArray(array, rest.x, rest.y,
						  rest.memory, width, width,
						  height, kind);
		rest_advance(&rest, width, height);
	}
	return runtime_result(res);
}

static cudaError_t from_array(struct rest rest, enum cudaMemcpyKind kind,
			      int async, cudaStream_t stream)
{
	size_t width, height;
	int res = rest_of(&rest);

	while (!res && rest.count) {
		res = rest_next(&rest, &width, &height);
		if (res)
			break;
		res = async ? cudaMemcpy2DFromArrayAsync(
				      rest.memory, width, rest.array, rest.x,
				      rest.y, width, height, kind, stream)
			    : cudaMemcpy2DFromArray(rest.memory, width,
						    rest.array, rest.x, rest.y,
						    width, height, kind);
		rest_advance(&rest, width, height);
	}
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y,
				     const void *src, size_t count,
				     enum cudaMemcpyKind kind)
{
	struct rest rest = {dst, x, y, 0, (char *)src, count};

	return to_array(rest, kind, 0, NULL);
}

EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y,
					  const void *src, size_t count,
					  enum cudaMemcpyKind kind,
					  cudaStream_t stream)
{
	struct rest rest = {dst, x, y, 0, (char *)src, count};

	return to_array(rest, kind, 1, stream);
}

EXPORT cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
				       size_t x, size_t y, size_t count,
				       enum cudaMemcpyKind kind)
{
	struct rest rest = {src, x, y, 0, dst, count};

	return from_array(rest, kind, 0, NULL);
}

EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
					    size_t x, size_t y, size_t count,
					    enum cudaMemcpyKind kind,
					    cudaStream_t stream)
{
	struct rest rest = {src, x, y, 0, dst, count};

	return from_array(rest, kind, 1, stream);
}

/* Each rectangle is one that both arrays have. */
EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x,
					  size_t dst_y, cudaArray_const_t src,
					  size_t src_x, size_t src_y,
					  size_t count,
					  enum cudaMemcpyKind kind)
{
	struct rest to = {dst, dst_x, dst_y, 0, NULL, count};
	struct rest from = {src, src_x, src_y, 0, NULL, count};
	int res = rest_of(&to);

	if (!res)
		res = rest_of(&from);
	while (!res && to.count) {
		size_t width, other, height, rows;

		res = rest_next(&to, &width, &height);
		if (!res)
			res = rest_next(&from, &other, &rows);
		if (res)
			break;
		if (width != other)
			height = 1;
		if (width > other)
			width = other;
		if (height > rows)
			height = rows;
		res = cudaMemcpy2DArrayToArray(dst, to.x, to.y, src, from.x,
					       from.y, width, height, kind);
		rest_advance(&to, width, height);
		rest_advance(&from, width, height);
	}
	return runtime_result(res);
}
