#include "thread.h"

__thread struct thread self;
