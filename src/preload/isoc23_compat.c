/* Headers since glibc 2.38 call strtol and its like by names of their own,
 * which read binary numbers too. A library that was built with them, and the
 * libjansson.a of such a system, then ask for that glibc: here they find these
 * names in the library itself, with what each glibc has behind them. */

long old_strtol(const char *text, char **end, int base) __asm__("strtol");
long long old_strtoll(const char *text, char **end,
		      int base) __asm__("strtoll");
unsigned long long old_strtoull(const char *text, char **end,
				int base) __asm__("strtoull");

long __isoc23_strtol(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);

long __isoc23_strtol(const char *text, char **end, int base)
{
	return old_strtol(text, end, base);
}

long long __isoc23_strtoll(const char *text, char **end, int base)
{
	return old_strtoll(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
	return old_strtoull(text, end, base);
}
