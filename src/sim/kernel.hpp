/* With this header, g++ or clang++ compiles kernel source for the CPU that was
 * written for nvcc.
 *
 * It is force-included before the source (see kernels.mk). The source names
 * its kernels once, at its end, in rows that nvcc does not see:
 *
 *     #ifdef SIM_KERNELS
 *     SIM_KERNELS(fill, scale<float>)
 *     #endif
 *
 * That defines sim_kernels(), the table of kernel_table.h. A kernel must have
 * external linkage (not static, not in an unnamed namespace), so that its
 * symbol is the name that nvcc registers. One translation unit makes one
 * object.
 *
 * The threads of a grid run one after the other, x fastest, on the thread
 * that the driver runs the launch on. So whatever lets threads wait for each
 * other or share memory (barriers, __shared__, warp calls) cannot work and
 * does not compile. Atomics are real, since launches may run side by side.
 * Variables (__device__, __constant__, __managed__) must have external linkage,
 * too: the driver finds them by name, and the host's copies to symbols then
 * reach them. There is one of each in a process, whatever the devices. */
#ifndef MNM_SIM_KERNEL_HPP
#define MNM_SIM_KERNEL_HPP

#include <vector_types.h>
#include <vector_functions.h>

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tuple>
#include <type_traits>

#include "kernel_table.h"
#include "kernel_texture.hpp"

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __constant__
#define __managed__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__	__attribute__((noinline))
#define __launch_bounds__(...)

/* These macros are object-like even where CUDA has a function: GCC needs that
 * for _Pragma. */
/* clang-format off */
#define __shared__    _Pragma("GCC error \"simulated device: no __shared__\"")
#define __syncthreads _Pragma("GCC error \"simulated device: threads run one after the other, no __syncthreads\"")
#define __syncwarp    _Pragma("GCC error \"simulated device: threads run one after the other, no __syncwarp\"")
/* clang-format on */

/* Initial-exec is fast: every thread of every grid reads these few words. */
#define SIM_THREAD static __thread __attribute__((tls_model("initial-exec")))
SIM_THREAD uint3 threadIdx __attribute__((unused));
SIM_THREAD uint3 blockIdx __attribute__((unused));
SIM_THREAD uint3 blockDim __attribute__((unused));
SIM_THREAD uint3 gridDim __attribute__((unused));
#undef SIM_THREAD

template <class A, class B> constexpr auto min(A a, B b)
{
	using T = typename std::common_type<A, B>::type;

	return T(b) < T(a) ? T(b) : T(a);
}

template <class A, class B> constexpr auto max(A a, B b)
{
	using T = typename std::common_type<A, B>::type;

	return T(a) < T(b) ? T(b) : T(a);
}

static inline __attribute__((unused)) float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}

template <class T> T __ldg(const T *p)
{
	return *p;
}

static inline __attribute__((unused)) void
cudaGraphSetConditional(unsigned long long handle, unsigned int value)
{
	__atomic_store_n(reinterpret_cast<unsigned int *>(handle), value,
			 __ATOMIC_RELEASE);
}

namespace sim
{

/* Replaces *p by make(*p) in one step and returns what was there before. */
template <class T, class Make> T atomic_update(T *p, Make make)
{
	T old, value;

	__atomic_load(p, &old, __ATOMIC_RELAXED);
	do {
		value = make(old);
	} while (!__atomic_compare_exchange(
		p, &old, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return old;
}

/* Keeps an argument out of template deduction, as CUDA's overloads do. */
template <class T> struct same {
	using type = T;
};
template <class T> using same_t = typename same<T>::type;

} // namespace sim

template <class T> T atomicAdd(T *p, sim::same_t<T> v)
{
	return sim::atomic_update(p, [v](T old) { return T(old + v); });
}

template <class T> T atomicSub(T *p, sim::same_t<T> v)
{
	return sim::atomic_update(p, [v](T old) { return T(old - v); });
}

template <class T> T atomicMin(T *p, sim::same_t<T> v)
{
	return sim::atomic_update(p, [v](T old) { return v < old ? v : old; });
}

template <class T> T atomicMax(T *p, sim::same_t<T> v)
{
	return sim::atomic_update(p, [v](T old) { return old < v ? v : old; });
}

template <class T> T atomicExch(T *p, sim::same_t<T> v)
{
	return sim::atomic_update(p, [v](T) { return v; });
}

template <class T> T atomicCAS(T *p, sim::same_t<T> expected, sim::same_t<T> v)
{
	return sim::atomic_update(
		p, [=](T old) { return old == expected ? v : old; });
}

namespace sim
{

/* The launch's copy of an argument; it need not be aligned for its type. */
template <class T> T argument(const void *from)
{
	static_assert(std::is_trivially_copyable<T>::value,
		      "a kernel's argument must be trivially copyable");
	alignas(T) unsigned char bytes[sizeof(T)];

	memcpy(bytes, from, sizeof(T));
	return *reinterpret_cast<T *>(bytes);
}

template <auto Kernel, class Function> struct grid;

template <auto Kernel, class... Args> struct grid<Kernel, void (*)(Args...)> {
	/* One element more than needed: an array cannot be empty. */
	static constexpr size_t sizes[] = {sizeof(Args)..., 0};
	static constexpr size_t count = sizeof...(Args);

	static void run_block(const sim_launch *launch, Args... args)
	{
		for (unsigned z = 0; z < launch->block[2]; z++)
			for (unsigned y = 0; y < launch->block[1]; y++)
				for (unsigned x = 0; x < launch->block[0];
				     x++) {
					threadIdx = {x, y, z};
					Kernel(args...);
				}
	}

	template <size_t... I>
	static void run_args(const sim_launch *launch, void **args,
			     std::index_sequence<I...>)
	{
		std::tuple<Args...> values{argument<Args>(args[I])...};

		(void)args; /* unused by a kernel without arguments */
		(void)values;
		for (unsigned z = 0; z < launch->grid[2]; z++)
			for (unsigned y = 0; y < launch->grid[1]; y++)
				for (unsigned x = 0; x < launch->grid[0]; x++) {
					blockIdx = {x, y, z};
					run_block(launch,
						  std::get<I>(values)...);
				}
	}

	static void run(const sim_launch *launch, void **args)
	{
		gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]};
		blockDim = {launch->block[0], launch->block[1],
			    launch->block[2]};
		run_args(launch, args, std::index_sequence_for<Args...>{});
	}
};

/* The dynamic symbol of a kernel: nvcc registers the kernel by this name. */
template <auto Kernel> const char *symbol()
{
	Dl_info info;

	if (!dladdr(reinterpret_cast<void *>(Kernel), &info) ||
	    info.dli_saddr != reinterpret_cast<void *>(Kernel)) {
		fprintf(stderr, "sim: a kernel in SIM_KERNELS has no external "
				"symbol\n");
		return "";
	}
	return info.dli_sname;
}

template <auto Kernel> struct touches {
	static constexpr decltype(sim_kernel::touches) function = nullptr;
};

template <auto Kernel> struct lasts {
	static constexpr decltype(sim_kernel::lasts) function = nullptr;
};

template <auto Kernel> sim_kernel row()
{
	using rows = grid<Kernel, decltype(Kernel)>;

	return {symbol<Kernel>(), rows::count, rows::sizes, rows::run,
		touches<Kernel>::function, lasts<Kernel>::function};
}

} // namespace sim

/* Sets the kernel's `touches` (kernel_table.h). Use it before SIM_KERNELS. */
#define SIM_TOUCHES(kernel, name)                                              \
	template <> struct sim::touches<kernel> {                              \
		static constexpr decltype(sim_kernel::touches) function =      \
			name;                                                  \
	};

/* Sets the kernel's `lasts` (kernel_table.h). Use it before SIM_KERNELS. */
#define SIM_LASTS(kernel, name)                                                \
	template <> struct sim::lasts<kernel> {                                \
		static constexpr decltype(sim_kernel::lasts) function = name;  \
	};

#define SIM_KERNELS(...)                                                       \
	extern "C" __attribute__((visibility("default"))) const sim_kernel *   \
	sim_kernels(size_t *count)                                             \
	{                                                                      \
		return sim::table<__VA_ARGS__>(count);                         \
	}

namespace sim
{

template <auto... Kernels> const sim_kernel *table(size_t *count)
{
	static const sim_kernel rows[] = {row<Kernels>()...};

	*count = sizeof...(Kernels);
	return rows;
}

} // namespace sim

#endif
