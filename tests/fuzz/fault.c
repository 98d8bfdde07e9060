/* The lists of calls that have to fail: values of MNM_SIM_FAIL, MNM_SIM_LOST,
 * MNM_SIM_HIDE, MNM_SIM_LATE and MNM_SIM_NEED, one per line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "../../src/sim/driver/fault.c"

enum { CALLS = 3, NTH_MAX = 4 };

/* Some names instead of all that gen_entries writes. */
const struct call_name call_names[CALL_COUNT] = {
	[0] = {"cuInit", 2000},
	[1] = {"cuMemAlloc_v2", 3020},
	[CALLS - 1 ... CALL_COUNT - 1] = {"cuMemFree_v2", 3020},
};

/* Sets the variable to the line, and returns what comes after it. */
static char *variable_take(const char *name, char *text)
{
	char *rest = text;

	setenv(name, strsep(&rest, "\n"), 1);
	return rest ? rest : strchr(text, '\0');
}

/* Replaces the driver's: one device, which is full. */
static struct device only;
struct world world = {.devices = &only, .device_count = 1};
__thread struct thread self;

size_t arena_used(const struct arena *arena)
{
	return arena->capacity;
}

/* Makes all as it is when the driver is loaded. */
static void faults_forget(void)
{
	memset(&early, 0, sizeof(early));
	memset(&late, 0, sizeof(late));
	memset(&loss, 0, sizeof(loss));
	memset(needs, 0, sizeof(needs));
	memset(hidden, 0, sizeof(hidden));
	need_count = 0;
	hiding = false;
	lost = 0;
}

/* Returns whether some call fails or is missing. */
static bool is_told(void)
{
	bool told = false;

	for (unsigned id = 0; id < CALLS; id++) {
		told |= fault_hides(id) || fault_short(id);
		for (unsigned long nth = 1; nth <= NTH_MAX; nth++)
			told |= fault_find(id, nth) || fault_find_late(id, nth);
	}
	return told;
}

static void codes_check(const struct faults *faults)
{
	for (unsigned i = 0; i < faults->count; i++)
		claim(faults->list[i].code, "what fails says why");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = input_text(data, size), *at = text, *said;
	struct capture capture;

	faults_forget();
	at = variable_take("MNM_SIM_FAIL", at);
	at = variable_take("MNM_SIM_LOST", at);
	at = variable_take("MNM_SIM_HIDE", at);
	at = variable_take("MNM_SIM_LATE", at);
	variable_take("MNM_SIM_NEED", at);
	capture_begin(&capture, &stderr);
	fault_open();
	said = capture_end(&capture);
	codes_check(&early);
	codes_check(&late);
	claim(!is_told() || fault_any(), "what fails is known to fail");
	claim(fault_any() || lines_of(said) || !*text || *text == '\n',
	      "a wrong part is told of");
	free(said);
	free(text);
	return 0;
}
