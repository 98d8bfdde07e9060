/* Shared by the programs of claims about the runtime. Each test runs in a
 * process of its own, so that it makes the first use of CUDA there. */
#ifndef TESTS_PROGRAMS_CLAIMS_H
#define TESTS_PROGRAMS_CLAIMS_H

#include <check.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Compares errors by name, so that a failed claim can be read. */
#define ck_assert_cuda(call, expected) \
	ck_assert_str_eq(cudaGetErrorName(call), #expected)
#define ck_assert_success(call) ck_assert_cuda(call, cudaSuccess)

/* Returns the driver's entry of this name, as the runtime hands it out. */
template <class Function> Function driver_entry(const char *name, int version)
{
	void *entry = NULL;

	ck_assert_success(cudaGetDriverEntryPointByVersion(
		name, &entry, version, cudaEnableLegacyStream, NULL));
	ck_assert_ptr_nonnull(entry);
	return (Function)entry;
}

/* Returns the calling thread's context, and makes none. */
static inline CUcontext context_current(void)
{
	CUcontext ctx = NULL;
	int count;
	auto get = driver_entry<CUresult (*)(CUcontext *)>("cuCtxGetCurrent",
							   4000);

	ck_assert_success(cudaGetDeviceCount(&count)); /* opens the driver */
	ck_assert_int_eq(get(&ctx), CUDA_SUCCESS);
	return ctx;
}

/* Frees what a test left, so that a leak checker sees only our own leaks. */
static inline void claims_clean(void)
{
	cudaDeviceReset();
}

/* Runs the tests of a NULL-ended list. */
static inline int claims_run(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, NULL, claims_clean);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
