#include "version.h"

const char version_mark[] = MNM_VERSION_MARK MNM_VERSION;
