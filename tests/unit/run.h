/* The main program of a Check suite. */
#ifndef MNM_TEST_RUN_H
#define MNM_TEST_RUN_H

#include <stdlib.h>

#include <check.h>

enum { TEST_SECONDS = 120 }; /* only a hang takes so long, even under load */

/* Runs a NULL-ended list of tests. Returns the exit status. */
static inline int tests_run(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, TEST_SECONDS);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A test that is run with _i from 0 to count - 1. */
struct loop_test {
	const TTest *test;
	int count;
};

/* The same for such tests; the last has no test. */
static inline int loops_run(const char *name, const struct loop_test *tests)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, TEST_SECONDS);
	for (; tests->test; tests++)
		tcase_add_loop_test(tcase, tests->test, 0, tests->count);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
