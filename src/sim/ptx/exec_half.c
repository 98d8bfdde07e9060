/* Arithmetic of numbers of 16 bits, alone or two in a register. It is done in
 * double precision, which rounds once more without harm to sums, products and
 * quotients. */
#include <math.h>

#include "exec.h"
#include "half.h"
#include "rows.h"

enum work {
	ADD,
	SUB,
	MUL,
	DIV,
	FMA,
	FMA_RELU,
	MIN,
	MAX,
	MIN_NAN,
	MAX_NAN,
	ABS,
	NEG,
	EX2,
	TANH,
};

static double least(double x, double y)
{
	if (x == y)
		return signbit(x) ? x : y;
	return fmin(x, y);
}

static double most(double x, double y)
{
	if (x == y)
		return signbit(x) ? y : x;
	return fmax(x, y);
}

static double work(enum work what, double x, double y, double z)
{
	switch (what) {
	case ADD:
		return x + y;
	case SUB:
		return x - y;
	case MUL:
		return x * y;
	case DIV:
		return x / y;
	case FMA:
		return x * y + z;
	case FMA_RELU:
		z += x * y;
		return z < 0 ? 0 : z;
	case MIN:
		return least(x, y);
	case MAX:
		return most(x, y);
	case MIN_NAN:
		return isnan(x) || isnan(y) ? NAN : least(x, y);
	case MAX_NAN:
		return isnan(x) || isnan(y) ? NAN : most(x, y);
	case ABS:
		return fabs(x);
	case NEG:
		return -x;
	case EX2:
		return exp2(x);
	case TANH:
		return tanh(x);
	}
	return 0;
}

static double real_of(uint16_t half, bool brain)
{
	return brain ? ptx_brain_to_real(half) : ptx_half_to_real(half);
}

static uint16_t half_of(double real, bool brain)
{
	return brain ? ptx_brain_from_real(real, PTX_MODE_NEAREST)
		     : ptx_half_from_real(real, PTX_MODE_NEAREST);
}

/* Each register is `pieces` numbers side by side. */
static void halves_run(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask, enum work what, unsigned int pieces,
		       bool brain)
{
	uint16_t *d = ptx_slot(warp, op->d);
	const uint16_t *a = ptx_slot(warp, op->a);
	const uint16_t *b = ptx_slot(warp, op->b);
	const uint16_t *c = ptx_slot(warp, op->c);

	PTX_FOR_LANES(mask, {
		for (unsigned int k = i * pieces; k < (i + 1) * pieces; k++)
			d[k] = half_of(
				work(what, real_of(a[k], brain),
				     what < ABS ? real_of(b[k], brain) : 0,
				     what == FMA || what == FMA_RELU
					     ? real_of(c[k], brain)
					     : 0),
				brain);
	});
}

static bool is_accepted(uint32_t accept, double x, double y)
{
	return accept & (x < y    ? PTX_LESS
			 : x == y ? PTX_EQUAL
			 : x > y  ? PTX_GREATER
				  : PTX_UNORDERED);
}

void ptx_exec_setp_halves(struct ptx_warp *warp, const struct ptx_op *op,
			  uint32_t mask)
{
	const uint16_t *a = ptx_slot(warp, op->a), *b = ptx_slot(warp, op->b);
	uint32_t third = *(uint32_t *)ptx_slot(warp, op->c);
	bool brain = op->type == PTX_BF16X2;

	for (unsigned int half = 0; half < 2; half++) {
		uint32_t *p = ptx_slot(warp, half ? op->e : op->d), made = 0;

		for (unsigned int i = 0; i < PTX_LANES; i++)
			if (is_accepted(op->count,
					real_of(a[2 * i + half], brain),
					real_of(b[2 * i + half], brain)))
				made |= UINT32_C(1) << i;
		made = ptx_combine(made, third, op->target);
		*p = (*p & ~mask) | (made & mask);
	}
}

void ptx_exec_set_halves(struct ptx_warp *warp, const struct ptx_op *op,
			 uint32_t mask)
{
	const uint16_t *a = ptx_slot(warp, op->a), *b = ptx_slot(warp, op->b);
	uint32_t third = *(uint32_t *)ptx_slot(warp, op->c);
	bool brain = op->type == PTX_BF16X2 || op->type == PTX_BF16;
	unsigned int pieces =
		op->type == PTX_F16X2 || op->type == PTX_BF16X2 ? 2 : 1;
	uint16_t one = ptx_type_class(op->from_type) != PTX_CLASS_FLOAT
			       ? UINT16_MAX
			       : half_of(1, brain);
	uint16_t *d = ptx_slot(warp, op->d);

	PTX_FOR_LANES(mask, {
		for (unsigned int k = i * pieces; k < (i + 1) * pieces; k++) {
			bool is = is_accepted(op->count, real_of(a[k], brain),
					      real_of(b[k], brain));

			d[k] = ptx_combine(is, third >> i & 1, op->target) & 1
				       ? one
				       : 0;
		}
	});
}

/* clang-format off */
#define FORMS(M, what) M(what, f16, 1, false) M(what, f16x2, 2, false) \
	M(what, bf16, 1, true) M(what, bf16x2, 2, true)
#define HALVES(what, t, pieces, brain) \
	static void run_##what##_##t(struct ptx_warp *warp, \
				     const struct ptx_op *op, uint32_t mask) \
	{ \
		halves_run(warp, op, mask, what, pieces, brain); \
	}
#define WORKS(M) M(ADD) M(SUB) M(MUL) M(DIV) M(FMA) M(FMA_RELU) M(MIN) M(MAX) \
	M(MIN_NAN) M(MAX_NAN) M(ABS) M(NEG) M(EX2) M(TANH)
#define MAKE(what) FORMS(HALVES, what)
WORKS(MAKE)

#define ROWS(name, form, shape, what) \
	{name, form, PTX_IS(F16), shape, run_##what##_f16}, \
	{name, form, PTX_IS(F16X2), shape, run_##what##_f16x2}, \
	{name, form, PTX_IS(BF16), shape, run_##what##_bf16}, \
	{name, form, PTX_IS(BF16X2), shape, run_##what##_bf16x2}

static const struct ptx_row rows[] = {
	ROWS("add", NULL, "TTT", ADD),
	ROWS("sub", NULL, "TTT", SUB),
	ROWS("mul", NULL, "TTT", MUL),
	ROWS("div", NULL, "TTT", DIV),
	ROWS("fma", "relu", "TTTT", FMA_RELU),
	ROWS("fma", NULL, "TTTT", FMA),
	ROWS("min", "NaN", "TTT", MIN_NAN),
	ROWS("max", "NaN", "TTT", MAX_NAN),
	ROWS("min", NULL, "TTT", MIN),
	ROWS("max", NULL, "TTT", MAX),
	ROWS("abs", NULL, "TT", ABS),
	ROWS("neg", NULL, "TT", NEG),
	ROWS("ex2", "approx", "TT", EX2),
	ROWS("tanh", "approx", "TT", TANH),
};
/* clang-format on */

const struct ptx_rows ptx_rows_half = PTX_ROWS(rows);
