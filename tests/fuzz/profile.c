/* A profile of the simulated device: values of MNM_SIM_PINNED, MNM_SIM_CLOCK
 * and MNM_SIM_QUEUE, one per line, then the file. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "../../src/sim/driver/profile.c"

/* Sets the variable to the line, and returns what comes after it. */
static char *variable_take(const char *name, char *text)
{
	char *rest = text;

	setenv(name, strsep(&rest, "\n"), 1);
	return rest ? rest : strchr(text, '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile profile = {.name = ""};
	char *text = input_text(data, size), *at = text, *said;
	struct capture capture;
	CUresult res;

	at = variable_take("MNM_SIM_PINNED", at);
	at = variable_take("MNM_SIM_CLOCK", at);
	at = variable_take("MNM_SIM_QUEUE", at);
	setenv("MNM_SIM", input_file((uint8_t *)at, (size_t)(text + size - at)),
	       1);
	capture_begin(&capture, &stderr);
	res = profile_open(&profile);
	said = capture_end(&capture);
	claim(lines_of(said) == (res ? 1 : 0),
	      "a line says what is wrong, and nothing else is said");
	claim(res || profile.multiprocessors, "a device computes");
	claim(memchr(profile.name, '\0', sizeof(profile.name)),
	      "a name has an end");
	free(said);
	free(text);
	return 0;
}
