/* Calls every hooked entry by every way that leads to it, and prints what the
 * echo driver got.
 * Usage: walk exports|inner   what that driver's cuGetProcAddress hands out
 *
 * "route ROUTE SYMBOL FILE FOUND" says which symbol a route should lead to, and
 * which it led to. "call SYMBOL CASE CODE|CALLS|BUFFERS" says what a call
 * returned, with what the driver was called, and what the caller's memory held
 * afterwards. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "echo.h"
#include "walk.h"

/* A call that is granted gets no pointer to nowhere, as the driver would write
 * there. */
static const struct {
	const char *name;
	enum echo_mode mode;
	enum values values;
} cases[] = {
	{"refused-odd", ECHO_REFUSES, VALUES_ODD},
	{"refused-null", ECHO_REFUSES, VALUES_NULL},
	{"refused-buffers", ECHO_REFUSES, VALUES_BUFFERS},
	{"granted-null", ECHO_GRANTS, VALUES_NULL},
	{"granted-buffers", ECHO_GRANTS, VALUES_BUFFERS},
};

static bool inner;

static const struct call *call_find(const char *symbol)
{
	for (unsigned int i = 0; i < call_count; i++)
		if (!strcmp(calls[i].symbol, symbol))
			return &calls[i];
	return NULL;
}

static void call_each(const struct call *call, void *found, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		CUresult res;

		buffers_clear();
		echo_tell(cases[i].mode, inner);
		echo_taken();
		res = call->make(found, cases[i].values);
		printf("call %s %s %d|%s|", call->symbol, cases[i].name,
		       (int)res, echo_taken());
		buffers_print();
		printf("\n");
	}
	echo_tell(ECHO_REFUSES, inner);
}

void walk_found(const char *route, const char *symbol, void *found, bool all)
{
	const struct call *call = symbol ? call_find(symbol) : NULL;
	Dl_info info = {0};
	bool exported = found && dladdr(found, &info) && info.dli_sname &&
			info.dli_saddr == found;
	const char *file = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;

	printf("route %s %s %s %s\n", route, symbol ? symbol : "none",
	       file ? file + 1 : "none", exported ? info.dli_sname : "hidden");
	if (call && found)
		call_each(call, found,
			  all ? sizeof(cases) / sizeof(*cases) : 1);
}

static void walk_exports(const struct row *row)
{
	const struct call *call = call_find(row->symbol);
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!call || !library) {
		printf("route linked %s none none\n", row->symbol);
		return;
	}
	walk_found("linked", row->symbol, call->linked, true);
	walk_found("handle", row->symbol, dlsym(library, row->symbol), true);
	walk_found("default", row->symbol, dlsym(RTLD_DEFAULT, row->symbol),
		   true);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: walk exports|inner\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0); /* a crash leaves its row */
	inner = !strcmp(argv[1], "inner");
	echo_tell(ECHO_REFUSES, inner);
	for (unsigned int i = 0; i < row_count; i++) {
		if (!inner)
			walk_exports(&rows[i]);
		walk_asked(&rows[i]);
	}
	return 0;
}
