/* A library that is linked with, and not found. */
__attribute__((visibility("default"))) int absent_number(void);

int absent_number(void)
{
	return 1;
}
