/* Kernels with functions that call themselves, for ptx_calls_test.c. */
#include <cstdio>

#define OUT_OF_LINE __device__ __noinline__

OUT_OF_LINE int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void fibonaccis(int *to)
{
	to[threadIdx.x] = fibonacci(threadIdx.x % 12);
}

/* Each call has a variable of its own, which the next one changes. */
OUT_OF_LINE void nest(int depth, int *outer)
{
	int mine = depth;

	if (depth > 0)
		nest(depth - 1, &mine);
	*outer += mine;
}

extern "C" __global__ void nested(int *to)
{
	int mine = 1;

	nest(threadIdx.x % 9, &mine);
	to[threadIdx.x] = mine;
}

OUT_OF_LINE bool is_odd(int n, int *steps);

OUT_OF_LINE bool is_even(int n, int *steps)
{
	bool is = n == 0 || is_odd(n - 1, steps);

	++*steps;
	return is;
}

OUT_OF_LINE bool is_odd(int n, int *steps)
{
	bool is = n != 0 && is_even(n - 1, steps);

	*steps += 100;
	return is;
}

extern "C" __global__ void in_turns(int *to)
{
	int steps = 0;

	to[threadIdx.x] = is_even(threadIdx.x % 11, &steps);
	to[threadIdx.x] += 10 * steps;
}

struct bag {
	int items[6];
};

/* The parameter is looked at after the call, too. */
OUT_OF_LINE bag emptied(bag from, int count)
{
	bag rest;

	if (count == 0)
		return from;
	from.items[count % 6] += count;
	rest = emptied(from, count - 1);
	for (int i = 0; i < 6; i++)
		rest.items[i] += from.items[(i + count) % 6];
	return rest;
}

extern "C" __global__ void bags(int *to, bag from)
{
	bag rest = emptied(from, threadIdx.x % 5);
	int sum = 0;

	for (int i = 0; i < 6; i++)
		sum = sum * 7 + rest.items[i];
	to[threadIdx.x] = sum;
}

typedef int (*chooser)(int, int);

OUT_OF_LINE int halve(int n, int which);
OUT_OF_LINE int lessen(int n, int which);
OUT_OF_LINE int odd_one(int n, int which);

__device__ chooser choosers[] = {halve, lessen, odd_one};

OUT_OF_LINE int halve(int n, int which)
{
	return n < 2 ? n : 1 + 3 * choosers[which & 1](n / 2, which >> 1);
}

OUT_OF_LINE int lessen(int n, int which)
{
	return n < 2 ? n : 2 + n * choosers[which & 1](n - 1, which >> 1);
}

/* It has an instruction that cannot be run here. */
OUT_OF_LINE int odd_one(int n, int which)
{
	int made;

	asm("vmad.s32.s32.s32 %0, %1, %1, %1;" : "=r"(made) : "r"(n));
	return made + which;
}

extern "C" __global__ void chosen(int *to, int first)
{
	int n = threadIdx.x % 8;

	to[threadIdx.x] = choosers[(first + n) % 3](n, threadIdx.x);
}

OUT_OF_LINE int endless(int n, int *to)
{
	return n == 0 ? 0 : (endless(n - 1, to) * 3) ^ to[n % 4];
}

extern "C" __global__ void deep(int *to, int depth)
{
	to[threadIdx.x] = endless(depth, to + 32);
}

OUT_OF_LINE int told(int n)
{
	int below = n ? told(n - 1) : 5;

	printf("%d %d\n", n, below);
	return below + 1;
}

extern "C" __global__ void tell(int *to)
{
	*to = told(2);
}
