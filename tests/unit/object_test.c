#include <dlfcn.h>

#include "preload/elf_symbol.h"
#include "run.h"

START_TEST(a_symbol_is_found_where_the_loader_finds_it)
{
	static const char *const names[] = {"qsort", "getpid", "strtol",
					    "fopen64", "environ"};
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	ck_assert_ptr_nonnull(libc);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ck_assert_ptr_nonnull(dlsym(libc, names[i]));
		ck_assert_ptr_eq(elf_symbol("libc.so", names[i]),
				 dlsym(libc, names[i]));
	}
}
END_TEST

START_TEST(what_no_object_defines_is_not_found)
{
	ck_assert_ptr_null(elf_symbol("libc.so", "no_such_function"));
	ck_assert_ptr_null(elf_symbol("libc.so", ""));
	ck_assert_ptr_null(elf_symbol("no_such_library", "qsort"));
	/* Its libc only refers to this symbol. */
	ck_assert_ptr_null(elf_symbol("libc.so", "_dl_argv"));
	ck_assert_ptr_nonnull(elf_symbol("ld-linux", "_dl_argv"));
}
END_TEST

START_TEST(an_object_is_named_by_its_file)
{
	ck_assert(elf_file_named("/lib/libdl.so.2", "libdl.so"));
	ck_assert(elf_file_named("libdl.so.2", "libdl.so"));
	ck_assert(!elf_file_named("/lib/libdl.so.2", "/lib"));
	ck_assert(!elf_file_named("/lib/libdl.so.2", "libdl.so.20"));
	ck_assert(!elf_file_named("/libdl.so/libc.so.6", "libdl.so"));
	ck_assert(!elf_file_named("", "libdl.so")); /* the program's name */
}
END_TEST

int main(void)
{
	static const TTest *tests[4];
	size_t n = 0;

	tests[n++] = a_symbol_is_found_where_the_loader_finds_it;
	tests[n++] = what_no_object_defines_is_not_found;
	tests[n++] = an_object_is_named_by_its_file;
	return tests_run("object", tests);
}
