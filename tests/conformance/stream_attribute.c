#include "claims.h"

START_TEST(attributes_have_defaults)
{
	CUstreamAttrValue value = {0};
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_DEFAULT);
	ck_assert_ok(cuStreamGetAttribute(
		stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
	ck_assert_uint_eq(value.accessPolicyWindow.num_bytes, 0);
	ck_assert_ok(cuStreamGetAttribute(
		stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	ck_assert_int_eq(value.syncPolicy, CU_SYNC_POLICY_AUTO);
}
END_TEST

START_TEST(attribute_that_was_set_is_told)
{
	CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_YIELD};
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_DEFAULT);
	ck_assert_ok(cuStreamSetAttribute(
		stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	value.syncPolicy = CU_SYNC_POLICY_AUTO;
	ck_assert_ok(cuStreamGetAttribute(
		stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	ck_assert_int_eq(value.syncPolicy, CU_SYNC_POLICY_YIELD);
}
END_TEST

START_TEST(attributes_are_copied)
{
	CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_SPIN};
	CUstream from, to;

	claims_open();
	from = claims_stream(CU_STREAM_DEFAULT);
	to = claims_stream(CU_STREAM_DEFAULT);
	ck_assert_ok(cuStreamSetAttribute(
		from, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	ck_assert_ok(cuStreamCopyAttributes(to, from));
	value.syncPolicy = CU_SYNC_POLICY_AUTO;
	ck_assert_ok(cuStreamGetAttribute(
		to, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	ck_assert_int_eq(value.syncPolicy, CU_SYNC_POLICY_SPIN);
}
END_TEST

START_TEST(attribute_of_launches_alone_is_refused)
{
	CUstreamAttrValue value = {.cooperative = 1};
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_DEFAULT);
	ck_assert_cu(cuStreamSetAttribute(
			     stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		attributes_have_defaults,
		attribute_that_was_set_is_told,
		attributes_are_copied,
		attribute_of_launches_alone_is_refused,
		NULL,
	};

	return claims_run("stream_attribute", tests);
}
