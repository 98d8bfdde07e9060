#include "shell.h"

int main(void)
{
	return shell_run();
}
