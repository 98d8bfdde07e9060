/* The modules of a Python, found as its importer would find them. They are not
 * imported. */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../frameworks.h"
#include "check.h"

/* What each module does with device memory, as its documentation says: "CUDA
 * environment variables" of PyTorch, "GPU memory allocation" of JAX, "Use a
 * GPU" of TensorFlow, cupy.cuda.set_allocator, RMM's user guide, "External
 * Memory Management" of Numba; docs/frameworks.md has the others. A variable
 * that has one of the values, or any value if none is named, makes the module
 * ask CUDA each time. */
/* clang-format off */
static const struct module {
	const char *name;
	const char *framework; /* its row in ../frameworks.c, or NULL */
	const char *variable, *values[2];
	enum level level;
	const char *finding, *advice;
} modules[] = {
	{"torch", "torch", "PYTORCH_NO_CUDA_MEMORY_CACHING", {NULL},
	 LEVEL_WARNING,
	 "PyTorch keeps a cache: mnm serves its segments, not each tensor",
	 "PYTORCH_NO_CUDA_MEMORY_CACHING=1 hands each tensor to mnm"},
	{"jax", "jax", "XLA_PYTHON_CLIENT_ALLOCATOR", {"platform", "address"},
	 LEVEL_WARNING,
	 "JAX takes 75 % of the device at its start and divides it itself",
	 "XLA_PYTHON_CLIENT_ALLOCATOR=platform hands each request to mnm"},
	{"tensorflow", "tensorflow", NULL, {NULL}, LEVEL_WARNING,
	 "TensorFlow takes most of the device at its start and divides it",
	 "TF_FORCE_GPU_ALLOW_GROWTH=true makes it take less at a time"},
	{"paddle", "paddle", NULL, {NULL}, LEVEL_WARNING,
	 "PaddlePaddle keeps a cache: mnm serves what that asks for", NULL},
	{"nvidia/dali", "dali", NULL, {NULL}, LEVEL_WARNING,
	 "DALI maps its memory itself (cuMemCreate): mnm serves none of it",
	 NULL},
	{"cupy", NULL, NULL, {NULL}, LEVEL_WARNING,
	 "CuPy keeps a pool: mnm serves what that asks for, not each array",
	 "cupy.cuda.set_allocator(None), or of MemoryAsyncPool().malloc, in "
	 "the program hands each to mnm"},
	{"rmm", NULL, NULL, {NULL}, LEVEL_OK,
	 "RMM calls cudaMalloc, but for a program that chooses a pool of it",
	 "choose rmm.mr.CudaMemoryResource or CudaAsyncMemoryResource"},
	{"cudf", "cudf", NULL, {NULL}, LEVEL_OK,
	 "cuDF asks RMM; cudf.pandas takes managed memory, which mnm counts",
	 NULL},
	{"cudf_polars", "polars", NULL, {NULL}, LEVEL_WARNING,
	 "Polars takes managed memory: mnm counts it and serves none of it",
	 NULL},
	{"numba", NULL, NULL, {NULL}, LEVEL_OK,
	 "Numba calls cuMemAlloc for each array: served", NULL},
};
/* clang-format on */

/* Modules that ask by cudaMallocAsync as they come, but for another value of a
 * variable, if there is one. */
static const struct asker {
	const char *name, *title;
	const char *variable, *value;
} askers[] = {
	{"cuda/core", "cuda.core", NULL, NULL},
	{"warp", "Warp", NULL, NULL},
	{"ctranslate2", "CTranslate2", "CT2_CUDA_ALLOCATOR",
	 "cuda_malloc_async"},
	{NULL, NULL, NULL, NULL},
};

/* Versions of a module for which something else is true, whatever is set. */
static const struct exception {
	const char *name;
	const char *package;      /* as in PACKAGE-VERSION.dist-info */
	const char *first, *last; /* versions, both included */
	const char *finding, *advice;
} exceptions[] = {
	/* https://github.com/jax-ml/jax/issues/39145 */
	{"jax", "jaxlib", "0.10.0", "0.10.2",
	 "divides memory itself, also where XLA_PYTHON_CLIENT_ALLOCATOR is "
	 "'platform' (jax #39145)",
	 "a later JAX with XLA_PYTHON_CLIENT_ALLOCATOR=address, or one before "
	 "0.10 with =platform, hands each request to mnm"},
};

/* Commands that start a Python with a module. */
static const struct starter {
	const char *command, *module;
} starters[] = {
	{"torchrun", "torch"},
	{"accelerate", "torch"},
	{"deepspeed", "torch"},
	{NULL, NULL},
};

/* Patterns of the folders that hold modules, below the prefix. */
static const char *const places[] = {
	"%s/lib/python%s/site-packages",
	"%s/lib64/python%s/site-packages",
	"%s/lib/python%s/dist-packages",
	"%s/local/lib/python%s/dist-packages",
};

static void folder_add(glob_t *folders, const char *pattern)
{
	glob(pattern, folders->gl_pathc ? GLOB_APPEND : 0, NULL, folders);
}

/* The version as in "python3.11", for that version's packages; a pattern for
 * every 3 if the name has none. */
static void version_of(const char *path, char *version, size_t size)
{
	const char *digits = strstr(strrchr(path, '/'), "3.");

	snprintf(version, size, "%.8s", digits ? digits : "3.*");
}

static void prefix_add(glob_t *folders, const char *prefix, const char *version)
{
	char pattern[2 * PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(pattern, sizeof(pattern), places[i], prefix, version);
		folder_add(folders, pattern);
	}
	snprintf(pattern, sizeof(pattern), "%s/lib/python3/dist-packages",
		 prefix);
	folder_add(folders, pattern);
}

/* Leaves PREFIX of PREFIX/bin. */
static void parent_of(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

static void variable_add(glob_t *folders, const char *value)
{
	char *copy = strdup(value ? value : ""), *rest = copy, *folder;

	while ((folder = strsep(&rest, ":")))
		if (*folder)
			folder_add(folders, folder);
	free(copy);
}

static void folders_find(glob_t *folders, const char *path)
{
	char real[PATH_MAX], prefix[PATH_MAX], mark[PATH_MAX + 16];
	char version[16];
	const char *home = getenv("HOME");

	variable_add(folders, getenv("PYTHONPATH"));
	/* The path may be relative, and a virtual environment's python is a
	 * link. */
	snprintf(mark, sizeof(mark), "%.*s/.", (int)(strrchr(path, '/') - path),
		 path);
	if (!realpath(path, real) || !realpath(mark, prefix))
		return;
	version_of(real, version, sizeof(version));
	parent_of(prefix);
	snprintf(mark, sizeof(mark), "%s/pyvenv.cfg", prefix);
	if (!access(mark, F_OK)) { /* a virtual environment has these only */
		prefix_add(folders, prefix, version);
		return;
	}
	parent_of(real);
	parent_of(real);
	prefix_add(folders, real, version);
	snprintf(mark, sizeof(mark), "%.*s/.local", PATH_MAX, home ? home : "");
	prefix_add(folders, mark, version);
}

/* Whether the folders have the module; found holds the place. */
static bool module_find(const glob_t *folders, const char *name,
			char found[PATH_MAX])
{
	for (size_t i = 0; i < folders->gl_pathc; i++) {
		snprintf(found, PATH_MAX, "%s/%s", folders->gl_pathv[i], name);
		if (!access(found, F_OK))
			return true;
	}
	return false;
}

static bool is_pass_through(const struct module *module)
{
	const char *value = module->variable ? getenv(module->variable) : NULL;

	if (!value || !module->values[0])
		return value;
	for (size_t i = 0; i < 2 && module->values[i]; i++)
		if (!strcmp(value, module->values[i]))
			return true;
	return false;
}

/* Reads "0.10.1" from FOLDER/jaxlib-0.10.1.dist-info, beside the module at
 * `found`. */
static bool version_find(const char *found, const char *package, char *version,
			 size_t size)
{
	char pattern[PATH_MAX + 64];
	glob_t matches = {0};
	const char *start;

	snprintf(pattern, sizeof(pattern), "%.*s%s-*.dist-info",
		 (int)(strrchr(found, '/') + 1 - found), found, package);
	if (glob(pattern, 0, NULL, &matches) || !matches.gl_pathc)
		return false;
	start = strrchr(matches.gl_pathv[0], '/') + strlen(package) + 2;
	snprintf(version, size, "%.*s",
		 (int)(strlen(start) - strlen(".dist-info")), start);
	globfree(&matches);
	return true;
}

static const struct exception *exception_find(const char *name,
					      const char *found, char *version,
					      size_t size)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++) {
		const struct exception *row = &exceptions[i];

		if (!strcmp(row->name, name) &&
		    version_find(found, row->package, version, size) &&
		    strverscmp(version, row->first) >= 0 &&
		    strverscmp(version, row->last) <= 0)
			return row;
	}
	return NULL;
}

static const struct framework *framework_of(const struct module *module)
{
	return module->framework ? framework_find(module->framework) : NULL;
}

/* Writes what can be done, and what is lost by it, for the module's row and its
 * framework's. Returns NULL if there is nothing. */
static const char *advice_write(const struct module *module, const char *advice,
				char *text, size_t size)
{
	const struct framework *framework = framework_of(module);
	const char *bar = framework ? framework_bar(framework) : NULL;

	if (!framework)
		return advice;
	snprintf(text, size,
		 "%s%s%s%s%s`mnm run --frameworks=%s` makes it ask %s; lost by "
		 "that: %s",
		 advice ? advice : "", advice ? "; " : "",
		 bar ? "without " : "", bar ? bar : "", bar ? ", " : "",
		 framework->name, async_answer()->words, framework->lost);
	return text;
}

/* Whether a variable makes the module's framework ask by cudaMallocAsync; then
 * that is reported. */
static bool async_report(struct report *report, const struct module *module,
			 const char *found)
{
	const struct framework *framework = framework_of(module);
	const struct framework_variable *variable =
		framework ? framework_asks(framework) : NULL;
	const struct async_answer *answer = async_answer();
	char advice[512];

	if (!variable)
		return false;
	snprintf(advice, sizeof(advice), "%s%slost by that: %s",
		 answer->advice ? answer->advice : "",
		 answer->advice ? "; " : "", framework->lost);
	report_add(report, answer->level, "python", advice,
		   "%s: with %s, %s asks %s", found, variable->name,
		   framework->title, answer->words);
	return true;
}

static void module_report(struct report *report, const struct module *module,
			  const char *found)
{
	const struct exception *exception;
	char version[32], text[1024];

	if (async_report(report, module, found))
		return;
	exception =
		exception_find(module->name, found, version, sizeof(version));
	if (exception)
		report_add(report, LEVEL_WARNING, "python",
			   advice_write(module, exception->advice, text,
					sizeof(text)),
			   "%s: %s %s %s", found, exception->package, version,
			   exception->finding);
	else if (is_pass_through(module))
		report_add(report, LEVEL_OK, "python", NULL,
			   "%s: %s is set: each request is served", found,
			   module->variable);
	else
		report_add(report, module->level, "python",
			   advice_write(module, module->advice, text,
					sizeof(text)),
			   "%s: %s", found, module->finding);
}

static void asker_report(struct report *report, const struct asker *asker,
			 const char *found)
{
	const char *value = asker->variable ? getenv(asker->variable) : NULL;
	const struct async_answer *answer = async_answer();

	if (!value || !*value || !strcmp(value, asker->value))
		report_add(report, answer->level, "python", answer->advice,
			   "%s: %s asks %s", found, asker->title,
			   answer->words);
}

void python_check(struct report *report, const char *path)
{
	char found[PATH_MAX];
	glob_t folders = {0};

	folders_find(&folders, path);
	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (module_find(&folders, modules[i].name, found))
			module_report(report, &modules[i], found);
	for (const struct asker *asker = askers; asker->name; asker++)
		if (module_find(&folders, asker->name, found))
			asker_report(report, asker, found);
	globfree(&folders);
}

static const struct module *module_of(const char *command)
{
	for (const struct starter *row = starters; row->command; row++)
		for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
			if (!strcmp(row->command, command) &&
			    !strcmp(row->module, modules[i].name))
				return &modules[i];
	return NULL;
}

void python_starter_check(struct report *report, const char *path)
{
	const struct module *module = module_of(strrchr(path, '/') + 1);

	if (module)
		module_report(report, module, path);
}
