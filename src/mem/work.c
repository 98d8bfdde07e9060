#include "work.h"

#include <stdio.h>

#include "common/text.h"

static __thread char work[WORK_SIZE];

void work_set(const char *name)
{
	text_plain(name, work, sizeof(work));
}

const char *work_text(char text[WORK_SIZE + 3])
{
	*text = '\0';
	if (*work)
		snprintf(text, WORK_SIZE + 3, " (%s)", work);
	return text;
}
