/* What kernels compute for one element: compiled for the device in
 * ptx_kernels.cu, and for the host in ptx_kernels_test.c, which compares. */
#ifndef MNM_TEST_PTX_SOURCES_H
#define MNM_TEST_PTX_SOURCES_H

#ifdef __CUDACC__
#define BOTH_SIDES  __device__ static
#define OUT_OF_LINE __device__ __noinline__ static
#else
#define BOTH_SIDES  static
#define OUT_OF_LINE static
#endif

struct particle {
	float place[3];
	int kind;
	double mass;
	unsigned char tag;
};

BOTH_SIDES int mandelbrot_count(float re, float im)
{
	float x = 0, y = 0;
	int count = 0;

	while (x * x + y * y < 4 && count < 200) {
		float next = x * x - y * y + re;

		y = 2 * x * y + im;
		x = next;
		count++;
	}
	return count;
}

BOTH_SIDES unsigned int xorshift(unsigned int *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

BOTH_SIDES int inside_circle(unsigned int seed, int tries)
{
	unsigned int state = seed * 2654435761u + 1;
	int inside = 0;

	for (int i = 0; i < tries; i++) {
		float x = (float)(xorshift(&state) >> 8) / 16777216.0f;
		float y = (float)(xorshift(&state) >> 8) / 16777216.0f;

		inside += x * x + y * y < 1;
	}
	return inside;
}

BOTH_SIDES long long chosen(int what, long long x, long long y)
{
	switch (what) {
	case 0:
		return (long long)((unsigned long long)x + y);
	case 1:
		return (long long)((unsigned long long)x - y);
	case 2:
		return (long long)((unsigned long long)x * y);
	case 3:
		return y ? x / y : -1;
	case 4:
		return y ? x % y : -2;
	case 5:
		return x & y;
	case 6:
		return (long long)((unsigned long long)x << (y & 63));
	case 7:
		return x >> (y & 63);
	case 8:
		return (int)x * (long long)(int)y;
	case 9:
		return (unsigned int)x / ((unsigned int)y | 1);
	case 10:
		return (short)x - (signed char)y;
	case 11:
		return x < y ? (unsigned char)x : (unsigned short)y;
	default:
		return ~x ^ y;
	}
}

BOTH_SIDES int sorted_median(const int *from)
{
	int local[9];

	for (int i = 0; i < 9; i++)
		local[i] = from[i];
	for (int i = 1; i < 9; i++)
		for (int k = i; k > 0 && local[k - 1] > local[k]; k--) {
			int kept = local[k];

			local[k] = local[k - 1];
			local[k - 1] = kept;
		}
	return local[4];
}

OUT_OF_LINE double weighed(struct particle p, double by, int *kinds)
{
	*kinds += p.kind;
	return (p.place[0] + p.place[1] * p.place[2]) * p.mass * by + p.tag;
}

BOTH_SIDES double polynomial(double x)
{
	double sum = 0;

	for (int i = 12; i > 0; i--)
		sum = sum * x + 1.0 / i;
	return sum / (1 + x * x);
}

/* Conversions of all kinds, summed up so that each one counts. */
BOTH_SIDES double converted(double x)
{
	float f = (float)x;
	long long big = (long long)(x * 1000);
	unsigned int bits = (unsigned int)(big & 0x7fffffff);

	return (double)f + (double)big + (int)f + (signed char)(int)x +
	       (float)bits + (double)(unsigned long long)(big & 0xfffffffffff) +
	       (float)big + (unsigned short)(int)x;
}

#endif
