#include "claims.h"

static void CUDA_CB note(void *data, CUlogLevel level, char *message,
			 size_t length)
{
	(void)data, (void)level, (void)message, (void)length;
}

START_TEST(callback_is_registered_and_unregistered)
{
	CUlogsCallbackHandle handle = NULL;

	claims_open();
	ck_assert_ok(cuLogsRegisterCallback(note, NULL, &handle));
	ck_assert_ptr_nonnull(handle);
	ck_assert_ok(cuLogsUnregisterCallback(handle));
}
END_TEST

START_TEST(nothing_new_is_dumped)
{
	CUlogIterator now = 0;
	char text[256] = "before";
	size_t size = sizeof(text);

	claims_open();
	ck_assert_ok(cuLogsCurrent(&now, 0));
	ck_assert_ok(cuLogsDumpToMemory(&now, text, &size, 0));
	ck_assert_uint_eq(size, 0);
	ck_assert_cu(cuLogsDumpToMemory(&now, NULL, &size, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		callback_is_registered_and_unregistered,
		nothing_new_is_dumped,
		NULL,
	};

	return claims_run("logs", tests);
}
