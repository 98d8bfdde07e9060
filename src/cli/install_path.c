#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "install_path.h"

bool install_path_find(const char *near, char *path)
{
	static const char *const places[] = {"%s/%s", "%s/../lib/mnm/%s"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < 2; i++) {
		char tried[2 * PATH_MAX];

		snprintf(tried, sizeof(tried), places[i], self, near);
		if (!access(tried, R_OK) && realpath(tried, path))
			return true;
	}
	return false;
}
