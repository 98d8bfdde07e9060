/* Matrix instructions: wmma, mma and ldmatrix. */
#include <math.h>
#include <string.h>

#include "half.h"
#include "matrix.h"
#include "place.h"

enum { SIDE_MOST = 32, ELEMENTS_MOST = 512, BY_FOUR = 4, EIGHT = 8 };

/* A lane's element i: where it is in the matrix, by rows. In a form of its own
 * a lane has a run of elements; if there is room for more, they come again. */
static unsigned int place_of(const struct ptx_tile *tile, unsigned int lane,
			     unsigned int i)
{
	unsigned int number = i / tile->packed, within = i % tile->packed;
	unsigned int group = lane / BY_FOUR, member = lane % BY_FOUR;
	unsigned int own = tile->rows * tile->columns / PTX_LANES;
	unsigned int row, column;

	switch (tile->form) {
	case PTX_TILE_A:
		/* Of 16 rows, each second register has the lower 8. */
		row = tile->rows > EIGHT ? group + EIGHT * (number & 1) : group;
		number = tile->rows > EIGHT ? number / 2 : number;
		column = (number * BY_FOUR + member) * tile->packed + within;
		break;
	case PTX_TILE_B:
		row = (number * BY_FOUR + member) * tile->packed + within;
		column = group;
		break;
	case PTX_TILE_C:
		row = group + EIGHT * (i / 2);
		column = 2 * member + i % 2;
		break;
	default:
		return lane * own + i % own;
	}
	return row * tile->columns + column;
}

void ptx_tile_place(struct ptx_tile *tile)
{
	for (unsigned int lane = 0; lane < PTX_LANES; lane++)
		for (unsigned int i = 0; i < tile->count * tile->packed; i++)
			tile->places[lane][i] =
				(uint16_t)place_of(tile, lane, i);
}

/* How many elements of a lane are others. */
static unsigned int lane_count(const struct ptx_tile *tile)
{
	return tile->rows * tile->columns / PTX_LANES;
}

static unsigned char *element_at(const struct ptx_warp *warp,
				 const struct ptx_tile *tile, unsigned int lane,
				 unsigned int i)
{
	size_t width = tile->bytes * tile->packed;

	return (unsigned char *)ptx_slot(warp, tile->slots[i / tile->packed]) +
	       lane * width + i % tile->packed * tile->bytes;
}

/* A tf32 is the upper part of an f32. */
#define TF32_BITS 0xffffe000u

static double number_read(const struct ptx_tile *tile, const void *at)
{
	uint32_t bits;
	uint16_t half;
	float single;
	double real;

	switch (tile->type) {
	case PTX_F16:
	case PTX_BF16:
		memcpy(&half, at, sizeof(half));
		return tile->type == PTX_F16 ? ptx_half_to_real(half)
					     : ptx_brain_to_real(half);
	case PTX_U8:
		return *(const uint8_t *)at;
	case PTX_S8:
		return *(const int8_t *)at;
	case PTX_F64:
		memcpy(&real, at, sizeof(real));
		return real;
	default:
		memcpy(&bits, at, sizeof(bits));
	}
	if (tile->type == PTX_S32)
		return (int32_t)bits;
	if (tile->type == PTX_B32)
		bits &= TF32_BITS;
	memcpy(&single, &bits, sizeof(single));
	return (double)single;
}

static void number_write(const struct ptx_tile *tile, bool saturates, void *at,
			 double number)
{
	uint64_t bits = 0;
	float single = (float)number;

	switch (tile->type) {
	case PTX_F16:
		bits = ptx_half_from_real(number, PTX_MODE_NEAREST);
		break;
	case PTX_S32:
		if (saturates)
			number = fmin(fmax(number, INT32_MIN), INT32_MAX);
		bits = (uint64_t)(int64_t)number;
		break;
	case PTX_F32:
		memcpy(&bits, &single, sizeof(single));
		break;
	default:
		memcpy(&bits, &number, sizeof(bits));
	}
	memcpy(at, &bits, tile->bytes);
}

static void tile_read(const struct ptx_warp *warp, const struct ptx_tile *tile,
		      double *numbers)
{
	for (unsigned int lane = 0; lane < PTX_LANES; lane++)
		for (unsigned int i = 0; i < lane_count(tile); i++)
			numbers[tile->places[lane][i]] = number_read(
				tile, element_at(warp, tile, lane, i));
}

static inline void products_add(double *sums, const double *b, double x,
				unsigned int n, bool fused)
{
	if (fused)
		for (unsigned int i = 0; i < n; i++)
			sums[i] = fma(x, b[i], sums[i]);
	else
		for (unsigned int i = 0; i < n; i++)
			sums[i] += x * b[i];
}

/* Known numbers of columns make vectors of these loops. */
static void row_add(double *sums, const double *b, double x, unsigned int n,
		    bool fused)
{
	if (fused)
		products_add(sums, b, x, n, true);
	else if (n == EIGHT)
		products_add(sums, b, x, EIGHT, false);
	else if (n == SIDE_MOST)
		products_add(sums, b, x, SIDE_MOST, false);
	else
		products_add(sums, b, x, SIDE_MOST / 2, false);
}

/* Sums of products are exact for integers, and nearly so for others but f64. */
void ptx_exec_matrix_multiply(struct ptx_warp *warp, const struct ptx_op *op,
			      uint32_t mask)
{
	const struct ptx_matrix *matrix = (const void *)op->list;
	unsigned int n = matrix->b.columns, k = matrix->a.columns;
	double a[ELEMENTS_MOST], b[ELEMENTS_MOST], sums[ELEMENTS_MOST];

	(void)mask;
	tile_read(warp, &matrix->a, a);
	tile_read(warp, &matrix->b, b);
	tile_read(warp, &matrix->c, sums);
	for (unsigned int row = 0; row < matrix->a.rows; row++)
		for (unsigned int i = 0; i < k; i++)
			row_add(&sums[row * n], &b[i * n], a[row * k + i], n,
				matrix->a.type == PTX_F64);
	for (unsigned int lane = 0; lane < PTX_LANES; lane++)
		for (unsigned int i = 0; i < lane_count(&matrix->d); i++)
			number_write(&matrix->d, matrix->saturates,
				     element_at(warp, &matrix->d, lane, i),
				     sums[matrix->d.places[lane][i]]);
}

static void matrix_move(struct ptx_warp *warp, const struct ptx_op *op,
			uint32_t mask, bool store)
{
	const struct ptx_matrix *matrix = (const void *)op->list;
	const struct ptx_tile *tile = &matrix->d;
	const uint32_t *strides = ptx_slot(warp, op->b);
	size_t bytes = tile->bytes;
	unsigned int count =
		store ? lane_count(tile) : tile->count * tile->packed;

	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int lane = (unsigned int)__builtin_ctz(left);
		/* What is loaded may replace both. */
		uint64_t begin = ptx_address(warp, op, lane);
		uint32_t stride = strides[lane];

		for (unsigned int i = 0; i < count; i++) {
			unsigned int place = tile->places[lane][i];
			uint64_t row = place / tile->columns;
			uint64_t column = place % tile->columns;
			uint64_t at = matrix->by_columns
					      ? column * stride + row
					      : row * stride + column;
			unsigned char *memory =
				ptx_place(warp, op, lane, begin + at * bytes,
					  bytes, store);

			if (!memory)
				return;
			if (store)
				memcpy(memory, element_at(warp, tile, lane, i),
				       bytes);
			else
				memcpy(element_at(warp, tile, lane, i), memory,
				       bytes);
		}
	}
}

void ptx_exec_matrix_load(struct ptx_warp *warp, const struct ptx_op *op,
			  uint32_t mask)
{
	matrix_move(warp, op, mask, false);
}

void ptx_exec_matrix_store(struct ptx_warp *warp, const struct ptx_op *op,
			   uint32_t mask)
{
	matrix_move(warp, op, mask, true);
}

/* Lane 8 * i + r has the address of row r of matrix i. Each lane gets two
 * elements of a row, or of a column. */
void ptx_exec_matrix_rows(struct ptx_warp *warp, const struct ptx_op *op,
			  uint32_t mask)
{
	const struct ptx_matrix *matrix = (const void *)op->list;
	uint64_t places[PTX_LANES];

	(void)mask;
	/* The first matrix that is loaded may replace them. */
	for (unsigned int lane = 0; lane < PTX_LANES; lane++)
		places[lane] = ptx_address(warp, op, lane);
	for (unsigned int i = 0; i < matrix->d.count; i++) {
		uint32_t *to = ptx_slot(warp, matrix->d.slots[i]);
		uint16_t rows[EIGHT][EIGHT];

		for (unsigned int r = 0; r < EIGHT; r++) {
			unsigned int lane = EIGHT * i + r;
			const unsigned char *from =
				ptx_place(warp, op, lane, places[lane],
					  sizeof(rows[r]), false);

			if (!from)
				return;
			memcpy(rows[r], from, sizeof(rows[r]));
		}
		for (unsigned int lane = 0; lane < PTX_LANES; lane++) {
			unsigned int one = lane / BY_FOUR;
			unsigned int two = 2 * (lane % BY_FOUR);

			to[lane] =
				matrix->by_columns
					? rows[two][one] |
						  (uint32_t)rows[two + 1][one]
							  << 16
					: rows[one][two] |
						  (uint32_t)rows[one][two + 1]
							  << 16;
		}
	}
}

/* cvt.rna.tf32.f32: to the nearest, and of two to the one further from 0. */
void ptx_exec_cvt_tf32(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask)
{
	const uint32_t *a = ptx_slot(warp, op->a);
	uint32_t *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, {
		uint32_t x = a[i];
		bool finite = (x & 0x7f800000) != 0x7f800000;

		d[i] = finite ? (x + ~TF32_BITS / 2 + 1) & TF32_BITS : x;
	});
}
