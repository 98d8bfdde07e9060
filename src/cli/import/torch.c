#include "import.h"
const char *import_torch(struct import *import)
{
	(void)import;
	return "not yet";
}
