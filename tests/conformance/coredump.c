#include "claims.h"

#include <stdbool.h>
#include <string.h>

static void set(CUcoredumpSettings what, void *value, size_t size)
{
	ck_assert_ok(cuCoredumpSetAttributeGlobal(what, value, &size));
}

START_TEST(settings_are_told)
{
	bool host = false, light = true;
	char file[] = "corefile", told[1024];
	size_t size = sizeof(told), one = sizeof(bool);

	claims_open();
	set(CU_COREDUMP_TRIGGER_HOST, &host, sizeof(host));
	set(CU_COREDUMP_LIGHTWEIGHT, &light, sizeof(light));
	set(CU_COREDUMP_FILE, file, strlen(file));
	host = true;
	light = false;
	ck_assert_ok(cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST,
						  &host, &one));
	ck_assert(!host);
	one = sizeof(bool);
	ck_assert_ok(cuCoredumpGetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT,
						  &light, &one));
	ck_assert(light);
	ck_assert_ok(
		cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, told, &size));
	ck_assert_str_eq(told, "corefile");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		settings_are_told,
		NULL,
	};

	return claims_run("coredump", tests);
}
