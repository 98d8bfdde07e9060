#include "claims.h"

#include <dlfcn.h>

static void *entry_of(const char *name, int version, cuuint64_t flags)
{
	void *entry = NULL;

	ck_assert_ok(cuGetProcAddress(name, &entry, version, flags, NULL));
	ck_assert_ptr_nonnull(entry);
	return entry;
}

/* Returns an entry by its exported name, whatever cuda.h makes of the bare
 * name. */
static void *export_of(const char *name)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	ck_assert_ptr_nonnull(lib);
	return dlsym(lib, name);
}

START_TEST(version_chooses_the_entry)
{
	ck_assert_ptr_eq(entry_of("cuMemAlloc", 3020, 0),
			 export_of("cuMemAlloc_v2"));
	ck_assert_ptr_ne(entry_of("cuCtxGetDevice", 2000, 0),
			 entry_of("cuCtxGetDevice", 13000, 0));
}
END_TEST

START_TEST(newest_version_not_above_the_asked_one)
{
	ck_assert_ptr_eq(entry_of("cuMemAlloc", 12000, 0),
			 entry_of("cuMemAlloc", 3020, 0));
}
END_TEST

START_TEST(per_thread_form_is_another_entry)
{
	const cuuint64_t flag = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

	ck_assert_ptr_ne(entry_of("cuStreamSynchronize", 7000, 0),
			 entry_of("cuStreamSynchronize", 7000, flag));
	ck_assert_ptr_eq(entry_of("cuMemAlloc", 7000, 0),
			 entry_of("cuMemAlloc", 7000, flag));
}
END_TEST

START_TEST(unknown_name_has_no_entry)
{
	CUdriverProcAddressQueryResult status;
	void *entry = &entry;

	ck_assert_ok(
		cuGetProcAddress("cuNoSuchEntry", &entry, 13000, 0, &status));
	ck_assert_ptr_null(entry);
	ck_assert_int_eq(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	entry = &entry;
	ck_assert_ok(cuGetProcAddress("cuNoSuchEntry", &entry, 13000, 0, NULL));
	ck_assert_ptr_null(entry);
}
END_TEST

START_TEST(names_are_without_the_suffixes_of_exports)
{
	CUdriverProcAddressQueryResult status;
	void *entry = &entry;

	ck_assert_ok(
		cuGetProcAddress("cuMemAlloc_v2", &entry, 13000, 0, &status));
	ck_assert_ptr_null(entry);
	ck_assert_int_eq(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	ck_assert_ok(cuGetProcAddress("", &entry, 13000, 0, &status));
	ck_assert_int_eq(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}
END_TEST

START_TEST(older_program_does_not_find_a_newer_entry)
{
	CUdriverProcAddressQueryResult status;
	void *entry = &entry;

	ck_assert_ok(
		cuGetProcAddress("cuMemAllocAsync", &entry, 10000, 0, &status));
	ck_assert_ptr_null(entry);
	ck_assert_int_eq(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	entry = &entry;
	ck_assert_ok(
		cuGetProcAddress("cuMemAllocAsync", &entry, 10000, 0, NULL));
	ck_assert_ptr_null(entry);
}
END_TEST

START_TEST(a_later_version_than_the_drivers_is_invalid)
{
	void *entry = &entry;
	int version;

	ck_assert_ok(cuDriverGetVersion(&version));
	ck_assert_cu(
		cuGetProcAddress("cuMemAlloc", &entry, version + 10, 0, NULL),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_ptr_eq(entry, &entry);
}
END_TEST

START_TEST(status_may_be_left_out)
{
	void *entry = NULL;

	ck_assert_ok(cuGetProcAddress("cuInit", &entry, 2000, 0, NULL));
	ck_assert_ptr_nonnull(entry);
}
END_TEST

START_TEST(both_doors_lead_to_the_same_entries)
{
	CUresult (*first)(const char *, void **, int, cuuint64_t);
	void *entry = NULL;

	first = (CUresult(*)(const char *, void **, int, cuuint64_t))entry_of(
		"cuGetProcAddress", 11030, 0);
	ck_assert_ok(first("cuMemFree", &entry, 3020, 0));
	ck_assert_ptr_eq(entry, entry_of("cuMemFree", 3020, 0));
	ck_assert_ptr_eq(entry_of("cuGetProcAddress", 12000, 0),
			 export_of("cuGetProcAddress_v2"));
}
END_TEST

START_TEST(entries_found_this_way_work)
{
	CUresult (*init)(unsigned) =
		(CUresult(*)(unsigned))entry_of("cuInit", 2000, 0);
	CUresult (*count_get)(int *) =
		(CUresult(*)(int *))entry_of("cuDeviceGetCount", 2000, 0);
	int count = 0;

	ck_assert_ok(init(0));
	ck_assert_ok(count_get(&count));
	ck_assert_int_ge(count, 1);
}
END_TEST

START_TEST(errors_have_names_and_words)
{
	const char *text = NULL;

	ck_assert_ok(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
	ck_assert_str_eq(text, "CUDA_ERROR_OUT_OF_MEMORY");
	ck_assert_ok(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
	ck_assert_str_eq(text, "out of memory");
	ck_assert_cu(cuGetErrorName((CUresult)123456, &text),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(errors_have_texts)
{
	const char *text;

	ck_assert_ok(cuGetErrorString(CUDA_SUCCESS, &text));
	ck_assert_str_eq(text, "no error");
	ck_assert_ok(cuGetErrorString(CUDA_ERROR_INVALID_DEVICE, &text));
	ck_assert_str_eq(text, "invalid device ordinal");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		version_chooses_the_entry,
		newest_version_not_above_the_asked_one,
		per_thread_form_is_another_entry,
		unknown_name_has_no_entry,
		names_are_without_the_suffixes_of_exports,
		older_program_does_not_find_a_newer_entry,
		a_later_version_than_the_drivers_is_invalid,
		status_may_be_left_out,
		both_doors_lead_to_the_same_entries,
		entries_found_this_way_work,
		errors_have_names_and_words,
		errors_have_texts,
		NULL,
	};

	return claims_run("entry", tests);
}
