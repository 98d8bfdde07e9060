/* Matrix instructions: what a warp holds of a matrix. */
#ifndef SIM_PTX_MATRIX_H
#define SIM_PTX_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "form.h"

enum { PTX_TILE_REGISTERS = 8, PTX_TILE_ELEMENTS = 16 };

/* Who holds what. */
enum ptx_tile_form {
	PTX_TILE_OWN, /* of wmma: it is nobody else's business */
	PTX_TILE_A,   /* as PTX says for mma */
	PTX_TILE_B,
	PTX_TILE_C,
};

/* A matrix in registers of a warp's lanes. */
struct ptx_tile {
	enum ptx_tile_form form;
	uint8_t type; /* enum ptx_type; B32: tf32 */
	uint8_t rows, columns;
	uint8_t bytes;  /* of an element */
	uint8_t packed; /* elements of a register */
	uint8_t count;  /* of registers that a lane has for it */
	uint32_t slots[PTX_TILE_REGISTERS];
	/* Where each element of a lane is in the matrix, by rows. */
	uint16_t places[PTX_LANES][PTX_TILE_ELEMENTS];
};

/* Fills in the places of a tile whose form and sizes are set. */
void ptx_tile_place(struct ptx_tile *tile);

struct ptx_matrix {
	struct ptx_tile d, a, b, c; /* d only, if it is loaded or stored */
	bool saturates;
	bool by_columns; /* in memory */
};

#endif
