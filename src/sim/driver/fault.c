#include "fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "names.h"

enum { FAULT_MAX = 64 };

struct fault {
	unsigned id;
	unsigned long nth;
	bool onwards;
	CUresult code;
};

static struct fault faults[FAULT_MAX];
static unsigned fault_count;

static bool name_find(const char *name, size_t len, unsigned *id)
{
	for (unsigned i = 0; i < CALL_COUNT; i++) {
		const char *known = call_names[i].name;

		if (strlen(known) == len && !memcmp(known, name, len)) {
			*id = i;
			return true;
		}
	}
	return false;
}

static bool number_read(const char **text, unsigned long *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoul(*text, &end, 10);
	*text = end;
	return !errno;
}

/* One NAME:N[+]:CODE up to `end`. */
static bool fault_read(const char *text, const char *end, struct fault *fault)
{
	const char *colon = memchr(text, ':', end - text);
	unsigned long code;

	if (!colon || !name_find(text, colon - text, &fault->id))
		return false;
	text = colon + 1;
	if (!number_read(&text, &fault->nth) || !fault->nth)
		return false;
	fault->onwards = *text == '+';
	text += fault->onwards;
	if (*text++ != ':' || !number_read(&text, &code) || !code)
		return false;
	fault->code = (CUresult)code;
	return text == end;
}

void fault_open(const char *text)
{
	while (text && *text) {
		const char *end = strchrnul(text, ',');

		if (fault_count == FAULT_MAX ||
		    !fault_read(text, end, &faults[fault_count]))
			fprintf(stderr,
				"mnm-sim: MNM_SIM_FAIL: ignored \"%.*s\", "
				"want NAME:N[+]:CODE\n",
				(int)(end - text), text);
		else
			fault_count++;
		text = *end ? end + 1 : end;
	}
}

CUresult fault_find(unsigned id, unsigned long nth)
{
	for (unsigned i = 0; i < fault_count; i++) {
		const struct fault *fault = &faults[i];

		if (fault->id == id &&
		    (fault->nth == nth || (fault->onwards && nth > fault->nth)))
			return fault->code;
	}
	return CUDA_SUCCESS;
}

int fault_any(void)
{
	return fault_count != 0;
}
