/* PTX that nvcc made of ptx_kernels.cu, compared with the host's arithmetic. */
#include <math.h>
#include <stdio.h>

#include "ptx_run.h"
#include "ptx_sources.h"

extern const char ptx_text[], ptx_text_end[];
__asm__(".section .rodata\n.globl ptx_text, ptx_text_end\nptx_text:\n"
	".incbin \"" PTX_KERNELS "\"\nptx_text_end:\n.byte 0\n.previous\n");

enum { COUNT = 1024 };

static struct ptx_module *module;
static struct ptx_error error;

/* Runs a kernel with blocks of this many threads, and its arguments. */
#define RUN(name, blocks, threads, shared, ...) \
	run_kernel(module, name, \
		   (struct ptx_launch){.grid = {blocks, 1, 1}, \
				       .block = {threads, 1, 1}, \
				       .shared_bytes = shared, \
				       .args = (void *[]){__VA_ARGS__}}, \
		   &error)
#define RUN_OK(...) \
	do { \
		enum ptx_result result_ = RUN(__VA_ARGS__); \
\
		ck_assert_msg(result_ == PTX_OK, "%u: %s", error.line, \
			      error.text); \
	} while (0)

static unsigned int next_number(void)
{
	static unsigned int state = 12345;

	return xorshift(&state);
}

START_TEST(vectors_are_added)
{
	static float a[COUNT], b[COUNT], c[COUNT + 1];
	float *pa = a, *pb = b, *pc = c;
	int n = COUNT - 3;

	for (int i = 0; i < COUNT; i++) {
		a[i] = (float)i / 7;
		b[i] = (float)(i * i);
	}
	RUN_OK("vector_add", 9, 127, 0, &pa, &pb, &pc, &n);
	for (int i = 0; i < n; i++)
		ck_assert(c[i] == a[i] + b[i]);
	for (int i = n; i <= COUNT; i++)
		ck_assert(c[i] == 0);
}
END_TEST

START_TEST(blocks_sum_in_shared_memory)
{
	static int from[COUNT], to[4];
	int *pf = from, *pt = to, n = COUNT - 5;

	for (int i = 0; i < COUNT; i++)
		from[i] = (int)next_number();
	RUN_OK("block_sum", 4, 256, 0, &pf, &pt, &n);
	for (int k = 0; k < 4; k++) {
		int sum = 0;

		for (int i = k * 256; i < (k + 1) * 256 && i < n; i++)
			sum = (int)((unsigned int)sum + (unsigned int)from[i]);
		ck_assert_int_eq(to[k], sum);
	}
}
END_TEST

START_TEST(matrices_are_multiplied)
{
	enum { N = 48 };
	static float a[N * N], b[N * N], c[N * N];
	float *pa = a, *pb = b, *pc = c;
	int n = N;
	struct ptx_launch launch = {
		.grid = {N / 16, N / 16, 1},
		.block = {16, 16, 1},
		.args = (void *[]){&pa, &pb, &pc, &n},
	};

	for (int i = 0; i < N * N; i++) {
		a[i] = (float)(int)next_number() / 1e9f;
		b[i] = (float)(int)next_number() / 1e9f;
	}
	ck_assert_int_eq(run_kernel(module, "matrix_multiply", launch, &error),
			 PTX_OK);
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[y * N + k] * b[k * N + x];
			ck_assert(c[y * N + x] == sum);
		}
}
END_TEST

START_TEST(atomics_count_in_shared_and_global_memory)
{
	static unsigned char from[5000];
	static unsigned int bins[256], expected[256];
	unsigned char *pf = from;
	unsigned int *pb = bins;
	int n = sizeof(from);

	for (int i = 0; i < n; i++)
		expected[from[i] = (unsigned char)next_number()]++;
	RUN_OK("histogram", 3, 256, 1024, &pf, &pb, &n);
	ck_assert_mem_eq(bins, expected, sizeof(bins));
	ck_assert_uint_eq(*(unsigned int *)host_variable(
				  module, ptx_variable_find(module, "hits")),
			  3 * 256);
	ck_assert_uint_eq(*(uint64_t *)host_variable(
				  module, ptx_variable_find(module, "longest")),
			  3 * 256 - 1);
}
END_TEST

START_TEST(lanes_scan_by_shuffles)
{
	static int from[128], to[128], totals[4];
	int *pf = from, *pt = to, *ps = totals;

	for (int i = 0; i < 128; i++)
		from[i] = (int)(next_number() % 1000);
	RUN_OK("warp_scan", 2, 64, 0, &pf, &pt, &ps);
	for (int w = 0; w < 4; w++) {
		int sum = 0;

		for (int i = w * 32; i < w * 32 + 32; i++) {
			sum += from[i];
			ck_assert_int_eq(to[i], sum);
		}
		ck_assert_int_eq(totals[w], sum);
	}
}
END_TEST

START_TEST(lanes_vote_and_match)
{
	static int from[32];
	static unsigned int to[32][4];
	int *pf = from, evens = 0, first = -1, last;
	unsigned int *pt = &to[0][0], odd = 0, all = 1, any = 0, odds = 0;

	for (int i = 0; i < 32; i++) {
		from[i] = (int)(next_number() % 99);
		if (from[i] & 1) {
			odd |= 1u << i;
			odds++;
			first = first < 0 ? from[i] : first;
		} else {
			evens += from[i];
		}
		any |= from[i] == 5;
		all &= from[i] < 100;
	}
	RUN_OK("warp_votes", 1, 32, 0, &pf, &pt);
	for (int i = 0; i < 32; i++) {
		unsigned int same = 0;

		for (int k = 0; k < 32; k++)
			same |= (unsigned int)((from[i] & 3) == (from[k] & 3))
				<< k;
		ck_assert_uint_eq(to[i][0], odd);
		ck_assert_uint_eq(to[i][1], same);
		ck_assert_uint_eq(to[i][2], any | all << 1);
		last = from[i] & 1 ? (int)odds + first : evens;
		ck_assert_int_eq((int)to[i][3], last);
	}
}
END_TEST

START_TEST(loops_of_different_length_come_together)
{
	enum { WIDTH = 70, HEIGHT = 20 };
	static int to[HEIGHT][WIDTH];
	int *pt = &to[0][0], width = WIDTH;
	float step = 0.05f;
	struct ptx_launch launch = {
		.grid = {3, HEIGHT / 4, 1},
		.block = {32, 4, 1},
		.args = (void *[]){&pt, &width, &step},
	};

	ck_assert_int_eq(run_kernel(module, "mandelbrot", launch, &error),
			 PTX_OK);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			ck_assert_int_eq(to[y][x],
					 mandelbrot_count((float)x * step - 2,
							  (float)y * step - 1));
}
END_TEST

START_TEST(random_numbers_are_the_hosts)
{
	static int to[96];
	int *pt = to, tries = 500;

	RUN_OK("monte_carlo", 3, 32, 0, &pt, &tries);
	for (unsigned int i = 0; i < 96; i++)
		ck_assert_int_eq(to[i], inside_circle(i, tries));
}
END_TEST

START_TEST(a_matrix_is_transposed)
{
	enum { N = 32 };
	static double from[N][N], to[N][N];
	double *pf = &from[0][0], *pt = &to[0][0];
	int n = N;
	struct ptx_launch launch = {
		.grid = {2, 2, 1},
		.block = {16, 16, 1},
		.args = (void *[]){&pf, &pt, &n},
	};

	for (int i = 0; i < N * N; i++)
		pf[i] = next_number();
	ck_assert_int_eq(run_kernel(module, "transpose", launch, &error),
			 PTX_OK);
	for (int i = 0; i < N * N; i++)
		ck_assert(to[i / N][i % N] == from[i % N][i / N]);
}
END_TEST

START_TEST(a_block_sorts)
{
	static unsigned int list[512];
	unsigned int *pl = list, sum = 0, after = 0;

	for (int i = 0; i < 512; i++)
		sum += list[i] = next_number();
	RUN_OK("bitonic_sort", 1, 512, sizeof(list), &pl);
	for (int i = 0; i < 512; i++) {
		ck_assert(!i || list[i - 1] <= list[i]);
		after += list[i];
	}
	ck_assert_uint_eq(after, sum);
}
END_TEST

START_TEST(a_switch_chooses_for_each_thread)
{
	static long long x[COUNT], y[COUNT], to[COUNT];
	long long *px = x, *py = y, *pt = to;

	for (int i = 0; i < COUNT; i++) {
		x[i] = (int)next_number();
		y[i] = (int)next_number() >> (i % 30);
	}
	RUN_OK("choose", COUNT / 128, 128, 0, &px, &py, &pt);
	for (int i = 0; i < COUNT; i++)
		ck_assert_int_eq(to[i], chosen(i % 13, x[i], y[i]));
}
END_TEST

START_TEST(threads_have_arrays_of_their_own)
{
	static int from[COUNT], to[COUNT];
	int *pf = from, *pt = to, n = COUNT;

	for (int i = 0; i < COUNT; i++)
		from[i] = (int)next_number();
	RUN_OK("median", COUNT / 64, 64, 0, &pf, &pt, &n);
	for (int i = 0; i + 9 <= n; i++)
		ck_assert_int_eq(to[i], sorted_median(from + i));
}
END_TEST

START_TEST(structs_and_functions_work)
{
	static const float weights[] = {0.5f, 0.25f, 0.125f, 1.0f};
	static double to[64];
	static int kinds[64];
	struct particle p = {{1.5f, -2.25f, 3.0f}, 7, 0.1, 200};
	double by = 1.25, *pt = to;
	int *pk = kinds;

	RUN_OK("weigh", 2, 32, 0, &p, &by, &pt, &pk);
	for (int i = 0; i < 64; i++) {
		struct particle own = p;
		int kind = i;

		own.kind += i;
		ck_assert(to[i] ==
			  weighed(own, by * i, &kind) * (double)weights[i & 3]);
		ck_assert_int_eq(kinds[i], kind);
	}
}
END_TEST

START_TEST(doubles_and_conversions_are_the_hosts)
{
	static double from[COUNT], to[COUNT][2];
	double *pf = from, *pt = &to[0][0];

	for (int i = 0; i < COUNT; i++)
		from[i] = ((int)next_number() >> 20) / 17.0;
	RUN_OK("doubles", COUNT / 64, 64, 0, &pf, &pt);
	for (int i = 0; i < COUNT; i++) {
		ck_assert(to[i][0] == polynomial(from[i]));
		ck_assert_msg(to[i][1] == converted(from[i]), "%g", from[i]);
	}
}
END_TEST

START_TEST(half_precision_rounds)
{
	static float from[] = {1, 0.1f, 100, 300, -2, 1e-4f, 3.14159f, 0};
	static float to[8];
	/* x * x + x in f16, rounded after each operation. */
	static const float expected[] = {
		2, 0.109985352f,    10096,       INFINITY,
		2, 1.00016594e-04f, 13.0078125f, 0};
	float *pf = from, *pt = to;

	RUN_OK("halves", 1, 8, 0, &pf, &pt);
	for (int i = 0; i < 8; i++)
		ck_assert_msg(to[i] == expected[i], "%d: %.9g", i, to[i]);
}
END_TEST

START_TEST(functions_are_called_by_address)
{
	static int to[64];
	int *pt = to;

	RUN_OK("by_pointer", 1, 64, 0, &pt);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(to[i], i & 1 ? i * i : 2 * i);
}
END_TEST

START_TEST(a_kernel_prints)
{
	int x = -7;
	double y = 2.5;

	printed[0] = '\0';
	RUN_OK("say", 1, 8, 0, &x, &y);
	ck_assert_str_eq(printed, "-7  2.50 text|ff  |c%     to xy|  d\n");
}
END_TEST

START_TEST(lanes_wait_for_those_that_they_name)
{
	int to[32], *pt = to;
	int late[] = {1, 17}, rounds[] = {10, 100000};

	for (int i = 0; i < 4; i++) {
		RUN_OK("half_warps", 1, 32, 0, &pt, &late[i % 2],
		       &rounds[i / 2]);
		for (int lane = 0; lane < 32; lane++)
			ck_assert_int_eq(to[lane],
					 (lane ^ 1) + ((lane ^ 1) == late[i % 2]
							       ? 100
							       : 0));
	}
}
END_TEST

START_TEST(a_barrier_begins_anew_in_each_block)
{
	int to[64] = {0}, *pt = to;

	RUN_OK("left_behind", 2, 64, 0, &pt);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(to[i], 9);
}
END_TEST

START_TEST(threads_wait_for_a_lock)
{
	int lock = 0, sum = 0, *pl = &lock, *ps = &sum;

	RUN_OK("locked", 2, 96, 0, &pl, &ps);
	ck_assert_int_eq(sum, 192);
}
END_TEST

START_TEST(blocks_wait_for_later_ones)
{
	static int to[12 * 32];
	unsigned int count = 0, *pc = &count;
	int *pt = to;

	RUN_OK("all_blocks", 12, 32, 0, &pc, &pt);
	for (int i = 0; i < 12 * 32; i++)
		ck_assert_int_eq(to[i], 12);
}
END_TEST

START_TEST(the_grid_has_a_barrier)
{
	enum { THREADS = 6 * 64 };
	static int list[THREADS];
	int *pl = list;

	RUN_OK("whole_grid", 6, 64, 0, &pl);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(list[i], 3 * (THREADS * (THREADS - 1) / 2));
}
END_TEST

/* What follows the kernel's own shared memory is not aligned. */
START_TEST(warps_meet_in_the_systems_shared_memory)
{
	enum { THREADS = 256, PAIR = 64 };
	static int from[THREADS], to[THREADS];
	int *pf = from, *pt = to, sum = 0;

	for (int i = 0; i < THREADS; i++)
		from[i] = i * i % 101;
	RUN_OK("two_warps", 1, THREADS, sizeof(from) + 10, &pf, &pt);
	for (int i = 0; i < THREADS; i++) {
		if (i % PAIR == 0) {
			sum = 0;
			for (int k = i; k < i + PAIR; k++)
				sum += from[k];
		}
		ck_assert_int_eq(to[i], sum + 1000 * from[i]);
	}
}
END_TEST

START_TEST(numbers_of_128_bits_are_divided)
{
	enum { PAIRS = 32 };
	static __int128 x[PAIRS], y[PAIRS], to[PAIRS][2];
	__int128 *px = x, *py = y, *pt = &to[0][0];

	for (int i = 0; i < PAIRS; i++) {
		x[i] = (int)next_number() * ((__int128)1 << 90);
		x[i] += (__int128)next_number() << 40 | next_number();
		y[i] = (int)next_number() * ((__int128)1 << (i * 3));
		y[i] += next_number() | 1;
	}
	RUN_OK("divide_wide", 1, PAIRS, 0, &px, &py, &pt);
	for (int i = 0; i < PAIRS; i++) {
		ck_assert(to[i][0] == x[i] / y[i]);
		ck_assert(to[i][1] == x[i] % y[i]);
	}
}
END_TEST

START_TEST(mathematics_of_doubles_is_near)
{
	static double from[64], to[64];
	double *pf = from, *pt = to;

	for (int i = 0; i < 64; i++)
		from[i] = 0.1 + i * 0.17;
	RUN_OK("mathematics", 2, 32, 0, &pf, &pt);
	for (int i = 0; i < 64; i++) {
		double x = from[i];
		double near = sin(x) + exp(x) + log(x) + pow(x, 1.5) + erf(x) +
			      cbrt(x) + fmod(x, 0.3) + rint(x) + tgamma(x) +
			      atan2(x, 2.0);

		ck_assert_double_eq_tol(to[i] / near, 1, 1e-14);
	}
}
END_TEST

START_TEST(an_endless_kernel_is_stopped)
{
	int zero = 0, *pz = &zero;

	tick_most = 10000000;
	ck_assert_int_eq(RUN("endless", 1, 1, 0, &pz), PTX_STOPPED);
	tick_most = 0;
}
END_TEST

START_TEST(memory_that_is_not_the_kernels_is_not_touched)
{
	static int list[300];
	int *pl = list + 100;
	long long at = 99;

	allowed[0].begin = pl;
	allowed[0].size = 100 * sizeof(int);
	allowed_count = 1;
	RUN_OK("out_of_bounds", 1, 1, 0, &pl, &at);
	ck_assert_int_eq(list[199], 1);
	for (at = -1; at < 300; at += 101) {
		ck_assert_int_eq(RUN("out_of_bounds", 1, 1, 0, &pl, &at),
				 PTX_ILLEGAL_ADDRESS);
		ck_assert_int_eq(list[100 + (at < 0 ? -1 : 100)], 0);
	}
	ck_assert(strstr(error.text, "to write 4 bytes"));
	ck_assert(strstr(error.text, "block 0,0,0 thread 0,0,0"));
	allowed_count = 0;
}
END_TEST

START_TEST(approximations_are_near)
{
	static float from[64], to[64][4];
	float *pf = from, *pt = &to[0][0];

	for (int i = 0; i < 64; i++)
		from[i] = (float)(i + 1) / 16;
	RUN_OK("fast", 2, 32, 0, &pf, &pt);
	for (int i = 0; i < 64; i++) {
		double x = from[i], s = x - 1 > 0 ? x - 1 < 1 ? x - 1 : 1 : 0;

		ck_assert_double_eq_tol(to[i][0], sin(x), 1e-6);
		ck_assert_double_eq_tol(to[i][1] / exp(x), 1, 1e-6);
		ck_assert_double_eq_tol(to[i][2], x / 3 + sqrt(x) + x + 1,
					1e-5);
		ck_assert_double_eq_tol(to[i][3], s + 1 / sqrt(x) + sin(x),
					1e-5);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		vectors_are_added,
		blocks_sum_in_shared_memory,
		matrices_are_multiplied,
		atomics_count_in_shared_and_global_memory,
		lanes_scan_by_shuffles,
		lanes_vote_and_match,
		loops_of_different_length_come_together,
		random_numbers_are_the_hosts,
		a_matrix_is_transposed,
		a_block_sorts,
		a_switch_chooses_for_each_thread,
		threads_have_arrays_of_their_own,
		structs_and_functions_work,
		doubles_and_conversions_are_the_hosts,
		half_precision_rounds,
		functions_are_called_by_address,
		a_kernel_prints,
		lanes_wait_for_those_that_they_name,
		a_barrier_begins_anew_in_each_block,
		threads_wait_for_a_lock,
		blocks_wait_for_later_ones,
		the_grid_has_a_barrier,
		warps_meet_in_the_systems_shared_memory,
		numbers_of_128_bits_are_divided,
		mathematics_of_doubles_is_near,
		an_endless_kernel_is_stopped,
		memory_that_is_not_the_kernels_is_not_touched,
		approximations_are_near,
		NULL,
	};
	int status;

	module = ptx_parse(ptx_text,
			   (uintptr_t)ptx_text_end - (uintptr_t)ptx_text,
			   &error);
	if (!module) {
		fprintf(stderr, "%u: %s\n", error.line, error.text);
		return EXIT_FAILURE;
	}
	status = tests_run("ptx_kernels", tests);
	ptx_module_free(module);
	return status;
}
