/* Matrices between memory and registers: wmma.load, wmma.store, ldmatrix. */
#include <string.h>

#include "matrix.h"
#include "place.h"

enum { BY_FOUR = 4, EIGHT = 8 };

static void element_copy(void *to, const void *from, size_t bytes)
{
	if (bytes == 2)
		memcpy(to, from, 2);
	else if (bytes == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, bytes);
}

/* What a lane has to load or store; false if that must not be touched. All
 * numbers of columns, and of elements in a register, are powers of two. What a
 * register has may lie together in memory, too. */
static bool lane_move(struct ptx_warp *warp, const struct ptx_op *op,
		      unsigned int lane, bool store)
{
	const struct ptx_matrix *matrix = (const void *)op->list;
	const struct ptx_tile *tile = &matrix->d;
	size_t bytes = tile->bytes, width = bytes * tile->packed;
	int columns = __builtin_ctz(tile->columns);
	int packed = __builtin_ctz(tile->packed);
	unsigned int count = store ? tile->rows * tile->columns / PTX_LANES
				   : tile->count * tile->packed;
	/* What is loaded may replace both. */
	uint64_t begin = ptx_address(warp, op, lane);
	uint64_t stride = ((const uint32_t *)ptx_slot(warp, op->b))[lane];
	uint64_t down = matrix->by_columns ? 1 : stride;
	uint64_t along = matrix->by_columns ? stride : 1;
	uint64_t last = (tile->rows - 1u) * down + (tile->columns - 1u) * along;
	unsigned char *whole =
		ptx_place_if(warp, op, begin, (last + 1) * bytes, store);

	unsigned int together =
		whole && tile->form == PTX_TILE_OWN && !matrix->by_columns
			? tile->packed
			: 1;

	for (unsigned int i = 0; i < count; i += together) {
		unsigned int place = tile->places[lane][i];
		uint64_t at = (place >> columns) * down +
			      (place & (tile->columns - 1u)) * along;
		unsigned char *memory =
			whole ? whole + at * bytes
			      : ptx_place(warp, op, lane, begin + at * bytes,
					  bytes, store);
		unsigned char *own =
			(unsigned char *)ptx_slot(warp,
						  tile->slots[i >> packed]) +
			lane * width + (i & (tile->packed - 1u)) * bytes;

		if (!memory)
			return false;
		element_copy(store ? memory : own, store ? own : memory,
			     bytes * together);
	}
	return true;
}

static void matrix_move(struct ptx_warp *warp, const struct ptx_op *op,
			uint32_t mask, bool store)
{
	for (uint32_t left = mask; left; left &= left - 1)
		if (!lane_move(warp, op, (unsigned int)__builtin_ctz(left),
			       store))
			return;
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
