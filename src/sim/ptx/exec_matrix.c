/* Products of matrices that warps have in registers: wmma and mma. */
#include <math.h>
#include <string.h>

#include "exec.h"
#include "half.h"
#include "matrix.h"

enum {
	SIDE_MOST = 32,
	ELEMENTS_MOST = 512,
	PACKED_MOST = 4,
	BY_FOUR = 4,
	EIGHT = 8
};

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

/* A tf32 is the upper part of an f32. */
#define TF32_BITS 0xffffe000u

static inline float single_of(uint32_t bits)
{
	float single;

	memcpy(&single, &bits, sizeof(single));
	return single;
}

/* As ptx_half_to_real(), in a way that vectors have, too: an f16's exponent is
 * 112 lower than a float's of the same bits. */
static inline float half_of(uint16_t half)
{
	uint32_t size = half & 0x7fffu, bits;
	float number = single_of(size << 13) * 0x1p112f;

	memcpy(&bits, &number, sizeof(bits));
	bits = size == 0x7c00 ? 0x7f800000 : bits;
	bits = size > 0x7c00 ? 0x7fc00000 : bits;
	return single_of(bits | (half & 0x8000u) << 16);
}

/* clang-format off */
#define READING(from, ...) \
	do { \
		const from *a = slot; \
		\
		for (unsigned int i = 0; i < count; i++) { \
			from x = a[i]; \
			\
			numbers[i] = (__VA_ARGS__); \
		} \
	} while (0)
/* The elements that all lanes have in a register, and what is written there. */
PTX_WIDE static void elements_read(enum ptx_type type, const void *slot,
				   unsigned int count, double *numbers)
{
	switch (type) {
	case PTX_F16:
		READING(uint16_t, (double)half_of(x));
		break;
	case PTX_BF16:
		READING(uint16_t, (double)single_of((uint32_t)x << 16));
		break;
	case PTX_U8:
		READING(uint8_t, x);
		break;
	case PTX_S8:
		READING(int8_t, x);
		break;
	case PTX_S32:
		READING(int32_t, x);
		break;
	case PTX_B32:
		READING(uint32_t, (double)single_of(x & TF32_BITS));
		break;
	case PTX_F64:
		READING(double, x);
		break;
	default:
		READING(float, (double)x);
	}
}

#define WRITING(to, ...) \
	do { \
		to *d = slot; \
		\
		for (unsigned int i = 0; i < count; i++) { \
			double x = numbers[i]; \
			\
			d[i] = (to)(__VA_ARGS__); \
		} \
	} while (0)
PTX_WIDE static void elements_write(enum ptx_type type, bool saturates,
				    void *slot, unsigned int count,
				    const double *numbers)
{
	switch (type) {
	case PTX_F16:
		WRITING(uint16_t, ptx_half_from_real(x, PTX_MODE_NEAREST));
		break;
	case PTX_S32:
		if (saturates)
			WRITING(int32_t, fmin(fmax(x, INT32_MIN), INT32_MAX));
		else
			WRITING(uint32_t, (int64_t)x);
		break;
	case PTX_F32:
		WRITING(float, x);
		break;
	default:
		WRITING(double, x);
	}
}
/* clang-format on */

/* Registers that have elements of their own. */
static unsigned int register_count(const struct ptx_tile *tile)
{
	return tile->rows * tile->columns / PTX_LANES / tile->packed;
}

static void tile_read(const struct ptx_warp *warp, const struct ptx_tile *tile,
		      double *numbers)
{
	unsigned int packed = tile->packed, first = 0;
	double read[PTX_LANES * PACKED_MOST];

	for (unsigned int r = 0; r < register_count(tile); r++) {
		elements_read((enum ptx_type)tile->type,
			      ptx_slot(warp, tile->slots[r]),
			      PTX_LANES * packed, read);
		for (unsigned int i = 0; i < PTX_LANES; i++)
			for (unsigned int k = 0; k < packed; k++)
				numbers[tile->places[i][first + k]] =
					read[i * packed + k];
		first += packed;
	}
}

static void tile_write(const struct ptx_warp *warp, const struct ptx_tile *tile,
		       bool saturates, const double *numbers)
{
	unsigned int packed = tile->packed, first = 0;
	double written[PTX_LANES * PACKED_MOST];

	for (unsigned int r = 0; r < register_count(tile); r++) {
		for (unsigned int i = 0; i < PTX_LANES; i++)
			for (unsigned int k = 0; k < packed; k++)
				written[i * packed + k] =
					numbers[tile->places[i][first + k]];
		elements_write((enum ptx_type)tile->type, saturates,
			       ptx_slot(warp, tile->slots[r]),
			       PTX_LANES * packed, written);
		first += packed;
	}
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
static inline void row_add(double *sums, const double *b, double x,
			   unsigned int n, bool fused)
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

PTX_WIDE static void tiles_multiply(const struct ptx_matrix *matrix,
				    const double *a, const double *b,
				    double *sums)
{
	unsigned int n = matrix->b.columns, k = matrix->a.columns;

	for (unsigned int row = 0; row < matrix->a.rows; row++)
		for (unsigned int i = 0; i < k; i++)
			row_add(&sums[row * n], &b[i * n], a[row * k + i], n,
				matrix->a.type == PTX_F64);
}

/* Sums of products are exact for integers, and nearly so for others but f64. */
void ptx_exec_matrix_multiply(struct ptx_warp *warp, const struct ptx_op *op,
			      uint32_t mask)
{
	const struct ptx_matrix *matrix = (const void *)op->list;
	double a[ELEMENTS_MOST], b[ELEMENTS_MOST], sums[ELEMENTS_MOST];

	(void)mask;
	tile_read(warp, &matrix->a, a);
	tile_read(warp, &matrix->b, b);
	tile_read(warp, &matrix->c, sums);
	tiles_multiply(matrix, a, b, sums);
	tile_write(warp, &matrix->d, matrix->saturates, sums);
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
