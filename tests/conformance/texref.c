/* cuda.h calls texture references deprecated; CUDA has them all the same. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "claims.h"

static CUtexref ref_new(void)
{
	CUtexref ref;

	ck_assert_ok(cuTexRefCreate(&ref));
	return ref;
}

START_TEST(settings_of_a_reference_are_told)
{
	CUaddress_mode mode;
	CUfilter_mode filter;
	unsigned flags = 0;
	CUtexref ref;

	claims_open();
	ref = ref_new();
	ck_assert_ok(cuTexRefSetAddressMode(ref, 1, CU_TR_ADDRESS_MODE_MIRROR));
	ck_assert_ok(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_LINEAR));
	ck_assert_ok(cuTexRefSetFlags(ref, CU_TRSF_NORMALIZED_COORDINATES));
	ck_assert_ok(cuTexRefGetAddressMode(&mode, ref, 1));
	ck_assert_int_eq(mode, CU_TR_ADDRESS_MODE_MIRROR);
	ck_assert_ok(cuTexRefGetFilterMode(&filter, ref));
	ck_assert_int_eq(filter, CU_TR_FILTER_MODE_LINEAR);
	ck_assert_ok(cuTexRefGetFlags(&flags, ref));
	ck_assert_uint_eq(flags, CU_TRSF_NORMALIZED_COORDINATES);
	ck_assert_ok(cuTexRefDestroy(ref));
}
END_TEST

START_TEST(reference_is_bound_to_memory)
{
	CUdeviceptr numbers, told = 0;
	size_t offset = 7;
	CUtexref ref;

	claims_open();
	numbers = claims_numbers();
	ref = ref_new();
	ck_assert_ok(cuTexRefSetFormat(ref, CU_AD_FORMAT_SIGNED_INT32, 1));
	ck_assert_ok(cuTexRefSetAddress(&offset, ref, numbers,
					CLAIMS_COUNT * sizeof(int)));
	ck_assert_uint_eq(offset, 0);
	ck_assert_ok(cuTexRefGetAddress(&told, ref));
	ck_assert_uint_eq(told, numbers);
	ck_assert_ok(cuTexRefDestroy(ref));
}
END_TEST

START_TEST(reference_takes_the_format_of_its_array)
{
	CUDA_ARRAY_DESCRIPTOR shape = {.Width = 16,
				       .Height = 8,
				       .Format = CU_AD_FORMAT_UNSIGNED_INT8,
				       .NumChannels = 4};
	CUarray_format format;
	CUarray array, told;
	int channels;
	CUtexref ref;

	claims_open();
	ref = ref_new();
	ck_assert_ok(cuArrayCreate(&array, &shape));
	ck_assert_ok(cuTexRefSetArray(ref, array, CU_TRSA_OVERRIDE_FORMAT));
	ck_assert_ok(cuTexRefGetArray(&told, ref));
	ck_assert_ptr_eq(told, array);
	ck_assert_ok(cuTexRefGetFormat(&format, &channels, ref));
	ck_assert_int_eq(format, CU_AD_FORMAT_UNSIGNED_INT8);
	ck_assert_int_eq(channels, 4);
	ck_assert_ok(cuTexRefDestroy(ref));
	ck_assert_ok(cuArrayDestroy(array));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		settings_of_a_reference_are_told,
		reference_is_bound_to_memory,
		reference_takes_the_format_of_its_array,
		NULL,
	};

	return claims_run("texref", tests);
}
