#include "frameworks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/text.h"

/* Each name and value is the framework's own; docs/frameworks.md says where it
 * stands. */
/* clang-format off */
const struct framework frameworks[] = {
	{"torch", "PyTorch", false,
	 {{"PYTORCH_ALLOC_CONF", "backend:cudaMallocAsync",
	   "PYTORCH_CUDA_ALLOC_CONF", true, false},
	  {"PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync", NULL,
	   true, false}},
	 {"PYTORCH_NO_CUDA_MEMORY_CACHING"},
	 "torch.compile with CUDA graphs (reduce-overhead, max-autotune) and "
	 "CUDA tensors that processes share, both of which fail; memory "
	 "history and snapshots; options of PyTorch's cache, such as "
	 "expandable_segments"},
	{"jax", "JAX", false,
	 {{"XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async", NULL, false, false},
	  {"XLA_PYTHON_CLIENT_PREALLOCATE", "false", NULL, false, true}},
	 {"XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT"},
	 "the memory that JAX sets aside at its start"},
	{"tensorflow", "TensorFlow", false,
	 {{"TF_GPU_ALLOCATOR", "cuda_malloc_async", NULL, false, false}},
	 {NULL},
	 "several GPUs in one process, of which TensorFlow's source says that "
	 "they probably don't work in this way"},
	{"paddle", "PaddlePaddle", false,
	 {{"FLAGS_use_cuda_malloc_async_allocator", "true", NULL, false,
	   false}},
	 {"FLAGS_use_cuda_managed_memory"},
	 "options of Paddle's own cache, such as "
	 "FLAGS_auto_growth_chunk_size_in_mb"},
	{"dali", "DALI", false,
	 {{"DALI_USE_CUDA_MALLOC_ASYNC", "1", NULL, false, false}},
	 {"DALI_USE_DEVICE_MEM_POOL", "DALI_USE_VMM"},
	 "DALI's own pool, and what a program sets aside in it"},
	{"cudf", "cudf.pandas", true,
	 {{"CUDF_PANDAS_RMM_MODE", "async", NULL, false, false}},
	 {NULL},
	 "data larger than the device's memory"},
	{"polars", "Polars (cudf_polars)", true,
	 {{"POLARS_GPU_ENABLE_CUDA_MANAGED_MEMORY", "0", NULL, false, false}},
	 {NULL},
	 "data larger than the device's memory"},
	{NULL, NULL, false, {{NULL, NULL, NULL, false, false}}, {NULL}, NULL},
};
/* clang-format on */

_Static_assert(sizeof(frameworks) / sizeof(*frameworks) <= 32,
	       "each row has a bit in an unsigned");

/* What a variable does to its framework, as the environment is. */
enum state { STATE_UNSET, STATE_ASKS, STATE_OTHER };

/* The variable's value, or NULL: an empty one is none. */
static const char *value_of(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

static const char *value_read(const struct framework_variable *variable)
{
	const char *value = value_of(variable->name);

	return value ? value : value_of(variable->older);
}

/* The item of a list of KEY:VALUE that has the wanted item's key, or NULL. */
static const char *item_find(const char *list, const char *wanted)
{
	size_t length = strcspn(wanted, ":");

	while (*list) {
		if (!strncmp(list, wanted, length) &&
		    list[length + strspn(list + length, " \t")] == ':')
			return list;
		list += strcspn(list, ",");
		list += strspn(list, ", \t");
	}
	return NULL;
}

static enum state variable_state(const struct framework_variable *variable)
{
	const char *value = value_read(variable);
	size_t length = strlen(variable->value);

	if (value && variable->is_list)
		value = item_find(value + strspn(value, ", \t"),
				  variable->value);
	if (!value)
		return STATE_UNSET;
	if (strncmp(value, variable->value, length))
		return STATE_OTHER;
	value += length;
	if (variable->is_list)
		value += strspn(value, " \t");
	return !*value || (variable->is_list && *value == ',') ? STATE_ASKS
							       : STATE_OTHER;
}

/* The first of the framework's variables with that state of its own, or NULL.
 */
static const struct framework_variable *variable_find(
	const struct framework *framework, enum state state)
{
	for (int i = 0; i < FRAMEWORK_VARIABLES_MAX; i++) {
		const struct framework_variable *row = &framework->variables[i];

		if (row->name && !row->is_aside && value_of(row->name) &&
		    variable_state(row) == state)
			return row;
	}
	return NULL;
}

const char *framework_bar(const struct framework *framework)
{
	const struct framework_variable *other;

	for (int i = 0; i < FRAMEWORK_BARS_MAX; i++)
		if (value_of(framework->bars[i]))
			return framework->bars[i];
	other = variable_find(framework, STATE_OTHER);
	return other ? other->name : NULL;
}

const struct framework_variable *framework_asks(
	const struct framework *framework)
{
	return framework_bar(framework) ? NULL
					: variable_find(framework, STATE_ASKS);
}

bool frameworks_are_left(void)
{
	const char *value = value_of("MNM_STREAM_ORDERED");

	return value && !strcmp(value, "0");
}

const struct framework *framework_find(const char *name)
{
	for (const struct framework *row = frameworks; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* Sets the variable; what a list holds already stays before it. */
static void variable_set(const struct framework_variable *variable)
{
	const char *before = variable->is_list ? value_read(variable) : NULL;
	bool ends = before && before[strlen(before) - 1] == ',';
	char *joined;

	if (asprintf(&joined, "%s%s%s", before ? before : "",
		     before && !ends ? "," : "", variable->value) < 0)
		return;
	setenv(variable->name, joined, 1);
	free(joined);
}

/* Writes " NAME=VALUE", fit for a terminal. */
static void variable_write(FILE *out, const char *name)
{
	char plain[512];

	fprintf(out, " %s=%s", name,
		text_plain(getenv(name), plain, sizeof(plain)));
}

/* Sets the variables that leave it open how the framework asks. */
static void framework_set(const struct framework *framework, FILE *out)
{
	bool is_set[FRAMEWORK_VARIABLES_MAX], any[2] = {false, false};

	for (int i = 0; i < FRAMEWORK_VARIABLES_MAX; i++) {
		const struct framework_variable *row = &framework->variables[i];

		is_set[i] = row->name && variable_state(row) == STATE_UNSET;
		if (is_set[i])
			variable_set(row);
	}
	for (int set = 1; set >= 0; set--)
		for (int i = 0; i < FRAMEWORK_VARIABLES_MAX; i++) {
			const char *name = framework->variables[i].name;

			if (!value_of(name) || is_set[i] != set)
				continue;
			if (!any[set])
				fprintf(out, "%s %s", any[1] ? "," : "",
					set ? "set" : "kept");
			any[set] = true;
			variable_write(out, name);
		}
}

/* Sets what is to be set, and writes what was done. */
static void framework_apply(const struct framework *framework, FILE *out)
{
	const char *bar = framework_bar(framework);

	fprintf(out, "mnm run: %s:", framework->name);
	if (bar) {
		fputs(" left as it is, for", out);
		variable_write(out, bar);
	} else {
		framework_set(framework, out);
	}
}

void frameworks_set(unsigned chosen)
{
	char *line = NULL;
	size_t size;
	FILE *out;

	for (int i = 0; frameworks[i].name; i++) {
		if (!(chosen & 1U << i))
			continue;
		out = open_memstream(&line, &size);
		if (!out)
			return;
		framework_apply(&frameworks[i], out);
		if (!fclose(out))
			fprintf(stderr, "%s\n", line);
		free(line);
	}
	if (chosen && frameworks_are_left())
		fputs("mnm run: stream_ordered=0: CUDA's own pools serve what "
		      "the frameworks ask for\n",
		      stderr);
}

/* Reads a name of a list into the bits. */
static bool name_choose(const char *name, unsigned *chosen)
{
	bool known = false;

	for (unsigned i = 0; frameworks[i].name; i++) {
		bool all = !strcmp(name, "all") && !frameworks[i].is_costly;

		if (!all && strcmp(name, frameworks[i].name))
			continue;
		*chosen |= 1U << i;
		known = true;
	}
	return known;
}

/* Returns the name that is not known, in `wrong`; NULL if all are. */
static const char *names_read(const char *names, unsigned *chosen, char *wrong,
			      size_t size)
{
	char *copy = strdup(names), *rest = copy, *name;
	bool known = true;

	*chosen = 0;
	while (known && (name = strsep(&rest, ","))) {
		known = name_choose(name, chosen);
		text_plain(name, wrong, size);
	}
	free(copy);
	return known ? NULL : wrong;
}

bool frameworks_known(const char *names)
{
	unsigned chosen;
	char wrong[64];

	return !names_read(names, &chosen, wrong, sizeof(wrong));
}

int frameworks_choose(const char *names, unsigned *chosen)
{
	char text[64];
	const char *wrong = names_read(names, chosen, text, sizeof(text));

	if (!wrong)
		return EXIT_DONE;
	error_print("mnm run: --frameworks '%s'; allowed: all", wrong);
	for (int i = 0; frameworks[i].name; i++)
		fprintf(stderr, ", %s", frameworks[i].name);
	fputs(", or several with commas\n", stderr);
	return EXIT_USAGE;
}

/* Prints words in lines that fit a terminal, all but the first indented. */
static void words_print(const char *words, int column, int indent)
{
	enum { WIDTH = 80 };

	while (*words) {
		int length = (int)strcspn(words, " ");

		if (column + 1 + length > WIDTH)
			column = printf("\n%*s", indent, "") - 1;
		else
			column += printf(" ");
		column += printf("%.*s", length, words);
		words += length;
		words += strspn(words, " ");
	}
	putchar('\n');
}

void frameworks_help(void)
{
	for (const struct framework *row = frameworks; row->name; row++) {
		printf("  %-11s %s%s\n", row->name, row->title,
		       row->is_costly ? ", only if it is named" : "");
		for (int i = 0; i < FRAMEWORK_VARIABLES_MAX; i++)
			if (row->variables[i].name)
				printf("      %s=%s\n", row->variables[i].name,
				       row->variables[i].value);
		words_print(row->lost, printf("      lost:"), 6);
	}
}
