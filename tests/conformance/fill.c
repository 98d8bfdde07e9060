#include "claims.h"

START_TEST(bytes_shorts_and_words_are_filled)
{
	unsigned char bytes[4];
	unsigned short shorts[4];
	unsigned words[4];
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64));
	ck_assert_ok(cuMemsetD8(ptr, 0x12, 4));
	ck_assert_ok(cuMemcpyDtoH(bytes, ptr, sizeof(bytes)));
	ck_assert_ok(cuMemsetD16(ptr, 0x1234, 4));
	ck_assert_ok(cuMemcpyDtoH(shorts, ptr, sizeof(shorts)));
	ck_assert_ok(cuMemsetD32(ptr, 0x12345678, 4));
	ck_assert_ok(cuMemcpyDtoH(words, ptr, sizeof(words)));
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_eq(bytes[i], 0x12);
		ck_assert_uint_eq(shorts[i], 0x1234);
		ck_assert_uint_eq(words[i], 0x12345678);
	}
}
END_TEST

START_TEST(rectangle_is_filled_and_nothing_else)
{
	unsigned char seen[8 * 4];
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, sizeof(seen)));
	ck_assert_ok(cuMemsetD8(ptr, 1, sizeof(seen)));
	ck_assert_ok(cuMemsetD2D8(ptr + 2, 8, 9, 3, 4));
	ck_assert_ok(cuMemcpyDtoH(seen, ptr, sizeof(seen)));
	for (int i = 0; i < 8 * 4; i++)
		ck_assert_uint_eq(seen[i], i % 8 >= 2 && i % 8 < 5 ? 9 : 1);
}
END_TEST

START_TEST(a_word_must_be_aligned)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64));
	ck_assert_cu(cuMemsetD32(ptr + 2, 1, 4), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(fill_past_a_large_block_is_invalid)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64 << 20));
	ck_assert_cu(cuMemsetD8(ptr, 1, (64 << 20) + 1),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		bytes_shorts_and_words_are_filled,
		rectangle_is_filled_and_nothing_else,
		a_word_must_be_aligned,
		fill_past_a_large_block_is_invalid,
		NULL,
	};

	return claims_run("fill", tests);
}
