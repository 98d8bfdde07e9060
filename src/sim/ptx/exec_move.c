/* Copies between registers, and what an operation needs around it. */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "exec.h"
#include "half.h"

/* clang-format off */
#define MOVING(type) \
	PTX_WIDE static void mov_##type(void *to, const void *from, \
					uint32_t mask) \
	{ \
		type *d = to; \
		const type *a = from; \
		\
		PTX_FOR_LANES(mask, { d[i] = a[i]; }); \
	}
MOVING(uint16_t)
MOVING(uint32_t)
MOVING(uint64_t)
/* clang-format on */

void ptx_exec_mov(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	void *d = ptx_slot(warp, op->d);
	const void *a = ptx_slot(warp, op->a);

	if (op->bytes == 8) {
		mov_uint64_t(d, a, mask);
	} else if (op->bytes == 4) {
		mov_uint32_t(d, a, mask);
	} else if (op->bytes == 2) {
		mov_uint16_t(d, a, mask);
	} else {
		uint32_t *p = d;

		*p = (*p & ~mask) | (*(const uint32_t *)a & mask);
	}
}

void ptx_exec_not(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	uint32_t *d = ptx_slot(warp, op->d);

	*d = (*d & ~mask) | (~*(uint32_t *)ptx_slot(warp, op->a) & mask);
}

PTX_WIDE void ptx_exec_sum(struct ptx_warp *warp, const struct ptx_op *op,
			   uint32_t mask)
{
	uint64_t *d = ptx_slot(warp, op->d);
	const uint64_t *a = ptx_slot(warp, op->a), *b = ptx_slot(warp, op->b);

	PTX_FOR_LANES(mask, { d[i] = a[i] + b[i]; });
}

/* Of each lane `bytes`, which lie so far apart. The compiler has no call for a
 * copy whose size it knows. */
static void pieces_copy(unsigned char *d, size_t d_step, const unsigned char *a,
			size_t a_step, size_t bytes, uint32_t mask)
{
	if (bytes == 4)
		PTX_FOR_LANES(mask,
			      { memcpy(d + i * d_step, a + i * a_step, 4); });
	else
		PTX_FOR_LANES(mask, {
			memcpy(d + i * d_step, a + i * a_step, bytes);
		});
}

void ptx_exec_pack(struct ptx_warp *warp, const struct ptx_op *op,
		   uint32_t mask)
{
	unsigned char *d = ptx_slot(warp, op->d);
	size_t bytes = op->bytes, width = bytes * op->count;

	for (uint32_t k = 0; k < op->count; k++)
		pieces_copy(d + k * bytes, width, ptx_slot(warp, op->list[k]),
			    bytes, bytes, mask);
}

void ptx_exec_unpack(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask)
{
	unsigned char from[PTX_LANES * sizeof(uint64_t)];
	size_t bytes = op->bytes, width = bytes * op->count;

	/* An element may be the register that is taken apart. */
	memcpy(from, ptx_slot(warp, op->a), width * PTX_LANES);
	for (uint32_t k = 0; k < op->count; k++)
		if (op->list[k] != UINT32_MAX)
			pieces_copy(ptx_slot(warp, op->list[k]), bytes,
				    from + k * bytes, width, bytes, mask);
}

/* A GPU takes many cycles from one operation of a warp to the next. A warp that
 * reads the clock again and again waits for it, maybe for millions of cycles:
 * so each time takes twice as long as the one before, up to a limit. */
enum { CYCLES = 16, READ_CYCLES = 64, DOUBLINGS = 12 };

static uint64_t cycles_now(struct ptx_warp *warp, const struct ptx_op *op)
{
	struct ptx_question *last = &warp->asked;
	struct ptx_run *run = warp->run;

	if (last->op != op)
		*last = (struct ptx_question){.op = op};
	else if (last->times < DOUBLINGS)
		last->times++;
	run->waited += (uint64_t)READ_CYCLES << last->times;
	return CYCLES * run->steps + run->waited;
}

void ptx_exec_clock(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	uint64_t now = cycles_now(warp, op);
	struct timespec time;

	if (op->mode) {
		clock_gettime(CLOCK_REALTIME, &time);
		now = (uint64_t)time.tv_sec * 1000000000 +
		      (uint64_t)time.tv_nsec;
	}
	PTX_FOR_LANES(mask, {
		if (op->bytes == 8)
			((uint64_t *)ptx_slot(warp, op->d))[i] = now;
		else
			((uint32_t *)ptx_slot(warp, op->d))[i] = (uint32_t)now;
	});
}

void ptx_exec_activemask(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask)
{
	uint32_t *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, { d[i] = mask; });
}

void ptx_exec_nothing(struct ptx_warp *warp, const struct ptx_op *op,
		      uint32_t mask)
{
	(void)warp;
	(void)op;
	(void)mask;
}

void ptx_exec_fence(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	(void)warp;
	(void)op;
	(void)mask;
	__sync_synchronize();
}

/* Whether results that are too small for a normal number become 0, and so do
 * such operands. Returns what was so before. */
#if defined(__x86_64__)
static uint64_t flush_set(uint64_t to)
{
	uint32_t old = __builtin_ia32_stmxcsr();

	__builtin_ia32_ldmxcsr((uint32_t)to);
	return old;
}

static uint64_t flush_on(void)
{
	return flush_set(__builtin_ia32_stmxcsr() | 0x8040);
}
#elif defined(__aarch64__)
static uint64_t flush_set(uint64_t to)
{
	uint64_t old;

	__asm__ volatile("mrs %0, fpcr" : "=r"(old));
	__asm__ volatile("msr fpcr, %0" : : "r"(to));
	return old;
}

static uint64_t flush_on(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, fpcr" : "=r"(now));
	return flush_set(now | 1 << 24);
}
#else
static uint64_t flush_set(uint64_t to)
{
	return to;
}

static uint64_t flush_on(void)
{
	return 0;
}
#endif

static uint16_t half_saturate(uint16_t half, bool brain)
{
	double x = brain ? ptx_brain_to_real(half) : ptx_half_to_real(half);

	x = x > 0 ? x < 1 ? x : 1 : 0;
	return brain ? ptx_brain_from_real(x, 0) : ptx_half_from_real(x, 0);
}

/* Into 0 ... 1; what is no number becomes 0. */
static void saturate(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask)
{
	bool brain = op->type == PTX_BF16 || op->type == PTX_BF16X2;

	if (op->type == PTX_F32) {
		float *d = ptx_slot(warp, op->d);

		PTX_FOR_LANES(mask,
			      { d[i] = d[i] > 0 ? d[i] < 1 ? d[i] : 1 : 0; });
	} else if (op->type == PTX_F64) {
		double *d = ptx_slot(warp, op->d);

		PTX_FOR_LANES(mask,
			      { d[i] = d[i] > 0 ? d[i] < 1 ? d[i] : 1 : 0; });
	} else {
		uint16_t *d = ptx_slot(warp, op->d);
		unsigned int pieces =
			op->type == PTX_F16 || op->type == PTX_BF16 ? 1 : 2;

		PTX_FOR_LANES(mask, {
			for (unsigned int k = 0; k < pieces; k++)
				d[i * pieces + k] =
					half_saturate(d[i * pieces + k], brain);
		});
	}
}

static void flush(struct ptx_warp *warp, const struct ptx_op *op, uint32_t mask)
{
	float *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, {
		if (fpclassify(d[i]) == FP_SUBNORMAL)
			d[i] = copysignf(0, d[i]);
	});
}

void ptx_exec_in_mode(struct ptx_warp *warp, const struct ptx_op *op,
		      uint32_t mask)
{
	static const int rounding[] = {
		[PTX_MODE_NEAREST] = FE_TONEAREST,
		[PTX_MODE_ZERO] = FE_TOWARDZERO,
		[PTX_MODE_DOWN] = FE_DOWNWARD,
		[PTX_MODE_UP] = FE_UPWARD,
	};
	unsigned int round = op->mode & PTX_MODE_ROUND;
	uint64_t before = 0;

	if (round)
		fesetround(rounding[round]);
	if (op->mode & PTX_MODE_FLUSH)
		before = flush_on();
	op->inner(warp, op, mask);
	if (op->mode & PTX_MODE_FLUSH)
		flush_set(before);
	if (round)
		fesetround(FE_TONEAREST);
	if (op->mode & PTX_MODE_FLUSH_RESULT)
		flush(warp, op, mask);
	if (op->mode & PTX_MODE_SATURATE)
		saturate(warp, op, mask);
}
