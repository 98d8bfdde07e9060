/* Numbers of 16 bits: f16, and bf16, which is the upper half of an f32. */
#ifndef SIM_PTX_HALF_H
#define SIM_PTX_HALF_H

#include <stdint.h>

enum { PTX_HALF_NAN = 0x7fff };

double ptx_half_to_real(uint16_t half);
double ptx_brain_to_real(uint16_t brain);
/* Rounded as the mode says (enum ptx_mode); too large numbers become infinite
 * where the mode rounds up to that. */
uint16_t ptx_half_from_real(double real, unsigned int mode);
uint16_t ptx_brain_from_real(double real, unsigned int mode);

#endif
