/* The headers of glibc 2.38 and later call strtol and its like by other names,
 * for functions that read binary numbers too. A library that was built with
 * these headers, or with the libjansson.a of such a system, would need that
 * glibc. So this library defines the names itself, by the functions that every
 * glibc has. */

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
