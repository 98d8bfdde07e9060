/* The library that tests/programs/next.c looks for. */
__attribute__((visibility("default"))) const char *next_answer(void);

const char *next_answer(void)
{
	return "next";
}
