/* Products of matrices by the instructions for them, of each kind of number,
 * compared with the host's. Prints the names of those that differ. */
#include <cstdio>
#include <cstring>
#include <type_traits>

#include <mma.h>

using namespace nvcuda;

enum { MOST = 32 * 32 };

struct wide_half {
};
template <class T> struct stored {
	using type = T;
};
template <> struct stored<wmma::precision::tf32> {
	using type = float;
};
template <> struct stored<wide_half> {
	using type = half;
};
template <class T> struct named {
	using type = T;
};
template <> struct named<wide_half> {
	using type = half;
};

template <class T, int M, int N, int K, class A, class B, class Sum>
__global__ void product(const typename stored<T>::type *a, int a_stride,
			const typename stored<T>::type *b, int b_stride, Sum *c,
			int c_stride, wmma::layout_t c_layout)
{
	using number = typename named<T>::type;
	wmma::fragment<wmma::matrix_a, M, N, K, number, A> left;
	wmma::fragment<wmma::matrix_b, M, N, K, number, B> right;
	wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;

	wmma::load_matrix_sync(left, a, a_stride);
	wmma::load_matrix_sync(right, b, b_stride);
	wmma::load_matrix_sync(sum, c, c_stride, c_layout);
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] = sum.x[i] + sum.x[i];
	wmma::mma_sync(sum, left, right, sum);
	wmma::store_matrix_sync(c, sum, c_stride, c_layout);
}

static float as_float(half x)
{
	return __half2float(x);
}
static float as_float(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}
static float as_float(float x)
{
	return x;
}
static double as_float(double x)
{
	return x;
}
static int as_float(unsigned char x)
{
	return x;
}
static int as_float(signed char x)
{
	return x;
}
static int as_float(int x)
{
	return x;
}

template <class T> static T random_number()
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return (T)((float)(state >> 16 & 15) - (T(-1) < T(0) ? 7.0F : 0.0F));
}

template <class T> static T *managed()
{
	T *made = NULL;

	cudaMallocManaged((void **)&made, MOST * sizeof(T));
	for (int i = 0; i < MOST; i++)
		made[i] = random_number<T>();
	return made;
}

/* A and B say how these stand in memory, and c stands as B does. */
template <class T, int M, int N, int K, class A, class B, class Sum>
static void check(const char *name)
{
	using number = typename stored<T>::type;
	const bool a_rows = std::is_same<A, wmma::row_major>::value;
	const bool b_rows = std::is_same<B, wmma::row_major>::value;
	number *a = managed<number>(), *b = managed<number>();
	Sum *c = managed<Sum>(), before[MOST];
	const int a_stride = 32, b_stride = 32, c_stride = 32;
	bool same = true;

	memcpy(before, c, sizeof(before));
	product<T, M, N, K, A, B, Sum>
		<<<1, 32>>>(a, a_stride, b, b_stride, c, c_stride,
			    b_rows ? wmma::mem_row_major : wmma::mem_col_major);
	if (cudaDeviceSynchronize())
		same = false;
	for (int m = 0; m < M && same; m++)
		for (int n = 0; n < N; n++) {
			int at = b_rows ? m * c_stride + n : n * c_stride + m;
			double sum = 2 * as_float(before[at]);

			for (int k = 0; k < K; k++)
				sum += (double)as_float(
					       a[a_rows ? m * a_stride + k
							: k * a_stride + m]) *
				       as_float(b[b_rows ? k * b_stride + n
							 : n * b_stride + k]);
			same &= sum == (double)as_float(c[at]);
		}
	if (!same)
		printf("%s %dx%dx%d\n", name, M, N, K);
}

template <class T, int M, int N, int K, class Sum>
static void check_all(const char *name)
{
	check<T, M, N, K, wmma::row_major, wmma::row_major, Sum>(name);
	check<T, M, N, K, wmma::row_major, wmma::col_major, Sum>(name);
	check<T, M, N, K, wmma::col_major, wmma::row_major, Sum>(name);
	check<T, M, N, K, wmma::col_major, wmma::col_major, Sum>(name);
}

template <class T, class Sum> static void check_shapes(const char *name)
{
	check_all<T, 16, 16, 16, Sum>(name);
	check_all<T, 8, 32, 16, Sum>(name);
	check_all<T, 32, 8, 16, Sum>(name);
}

/* 16 by 16 and 16 by 8 halves, by rows in shared memory. */
__global__ void by_rows(const half *a, const half *b, float *c)
{
	__shared__ half left[16 * 16], right[16 * 8];
	unsigned lane = threadIdx.x, x[4], y[2];
	float sum[4] = {};

	for (int i = lane; i < 256; i += 32)
		left[i] = a[i];
	for (int i = lane; i < 128; i += 32)
		right[i] = b[i];
	__syncwarp();
	asm volatile(
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
		: "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
		: "r"((unsigned)__cvta_generic_to_shared(left + lane % 16 * 16 +
							 lane / 16 * 8)));
	asm volatile(
		"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];"
		: "=r"(y[0]), "=r"(y[1])
		: "r"((unsigned)__cvta_generic_to_shared(right +
							 lane % 16 * 8)));
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
		     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
		     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]),
		       "r"(y[1]));
	for (int i = 0; i < 4; i++)
		c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

/* 16 by 32 and, by columns, 32 by 8 bytes. */
__global__ void bytes(const signed char *a, const signed char *b, int *c)
{
	unsigned lane = threadIdx.x, x[4], y[2];
	int sum[4] = {};

	for (int i = 0; i < 4; i++)
		memcpy(&x[i],
		       a + (lane / 4 + i % 2 * 8) * 32 + i / 2 * 16 +
			       lane % 4 * 4,
		       4);
	for (int i = 0; i < 2; i++)
		memcpy(&y[i], b + lane / 4 * 32 + i * 16 + lane % 4 * 4, 4);
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
		     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
		     : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
		     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]),
		       "r"(y[1]));
	for (int i = 0; i < 4; i++)
		c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

/* 8 by 4 and, by columns, 4 by 8. */
__global__ void doubles(const double *a, const double *b, double *c)
{
	unsigned lane = threadIdx.x;
	double sum[2] = {};

	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
		     "{%0,%1},{%2},{%3},{%0,%1};"
		     : "+d"(sum[0]), "+d"(sum[1])
		     : "d"(a[lane]), "d"(b[lane]));
	c[lane / 4 * 8 + lane % 4 * 2] = sum[0];
	c[lane / 4 * 8 + lane % 4 * 2 + 1] = sum[1];
}

template <class T, class Sum>
static void check_plain(const char *name,
			void (*kernel)(const T *, const T *, Sum *), int m,
			int k, bool b_rows)
{
	T *a = managed<T>(), *b = managed<T>();
	Sum *c = managed<Sum>();
	bool same = true;

	kernel<<<1, 32>>>(a, b, c);
	if (cudaDeviceSynchronize())
		same = false;
	for (int row = 0; row < m && same; row++)
		for (int column = 0; column < 8; column++) {
			double sum = 0;

			for (int i = 0; i < k; i++)
				sum += (double)as_float(a[row * k + i]) *
				       as_float(b[b_rows ? i * 8 + column
							 : column * k + i]);
			same &= sum == (double)c[row * 8 + column];
		}
	if (!same)
		printf("%s\n", name);
}

/* A product that is too large for an int. */
static void check_most()
{
	unsigned char *a = managed<unsigned char>();
	int *c = managed<int>();

	memset(a, 255, MOST);
	for (int i = 0; i < MOST; i++)
		c[i] = 0x3fffffff;
	product<unsigned char, 16, 16, 16, wmma::row_major, wmma::col_major,
		int><<<1, 32>>>(a, 16, a, 16, c, 16, wmma::mem_row_major);
	if (cudaDeviceSynchronize() ||
	    c[5] != (int)(2u * 0x3fffffff + 16u * 255 * 255))
		printf("wrap\n");
}

int main()
{
	check_shapes<half, half>("half");
	check_shapes<wide_half, float>("half to float");
	check_shapes<__nv_bfloat16, float>("bfloat16");
	check_shapes<unsigned char, int>("unsigned char");
	check_shapes<signed char, int>("signed char");
	check_all<wmma::precision::tf32, 16, 16, 8, float>("tf32");
	check_all<double, 8, 8, 4, double>("double");
	check_plain("by_rows", by_rows, 16, 16, true);
	check_plain("bytes", bytes, 16, 32, false);
	check_plain("doubles", doubles, 8, 4, false);
	check_most();
	printf("done\n");
}
