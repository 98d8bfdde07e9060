#include "pickle_write.h"

#include <string.h>

/* The lowest byte first. */
static void bytes_put(FILE *to, uint64_t number, int count)
{
	for (int i = 0; i < count; i++)
		fputc((int)(number >> 8 * i & 0xff), to);
}

void pickle_begin(FILE *to)
{
	fputs("\x80\x02", to);
}

void pickle_end(FILE *to)
{
	fputc('.', to);
}

void pickle_number(FILE *to, int64_t number)
{
	if (number >= 0 && number <= UINT8_MAX) {
		fputc('K', to);
		bytes_put(to, (uint64_t)number, 1);
	} else if (number >= INT32_MIN && number <= INT32_MAX) {
		fputc('J', to);
		bytes_put(to, (uint64_t)number, 4);
	} else {
		fputs("\x8a\x08", to);
		bytes_put(to, (uint64_t)number, 8);
	}
}

void pickle_text(FILE *to, const char *text)
{
	fputc('X', to);
	bytes_put(to, strlen(text), 4);
	fputs(text, to);
}

void pickle_dict(FILE *to)
{
	fputs("}(", to);
}

void pickle_dict_end(FILE *to)
{
	fputc('u', to);
}

void pickle_list(FILE *to)
{
	fputc(']', to);
}

void pickle_part(FILE *to)
{
	fputc('(', to);
}

void pickle_part_end(FILE *to)
{
	fputc('e', to);
}

void pickle_remember(FILE *to, uint32_t number)
{
	fputc(number <= UINT8_MAX ? 'q' : 'r', to);
	bytes_put(to, number, number <= UINT8_MAX ? 1 : 4);
}

void pickle_again(FILE *to, uint32_t number)
{
	fputc(number <= UINT8_MAX ? 'h' : 'j', to);
	bytes_put(to, number, number <= UINT8_MAX ? 1 : 4);
}
