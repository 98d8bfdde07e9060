/* An estimate of the registers that a function takes on a GPU. */
#ifndef SIM_PTX_REGISTERS_H
#define SIM_PTX_REGISTERS_H

#include "tree.h"

/* Registers of 32 bits that a thread has in it. */
unsigned int ptx_registers(const struct ptx_function *function);

#endif
