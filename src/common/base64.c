#include "base64.h"

#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "abcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_write(const unsigned char *bytes, size_t size)
{
	char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;

	if (!text)
		return NULL;
	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned int word = (unsigned int)bytes[i] << 16;

		if (left > 1)
			word |= (unsigned int)bytes[i + 1] << 8;
		if (left > 2)
			word |= bytes[i + 2];
		*to++ = letters[word >> 18];
		*to++ = letters[word >> 12 & 63];
		*to++ = left > 1 ? letters[word >> 6 & 63] : '=';
		*to++ = left > 2 ? letters[word & 63] : '=';
	}
	*to = '\0';
	return text;
}

/* The three bytes of four letters, the last of which may be missing. Returns
 * false if one is no letter. */
static bool word_read(const char *text, size_t count, unsigned char bytes[3])
{
	unsigned int word = 0;

	for (size_t i = 0; i < 4; i++) {
		const char *at = i < count ? strchr(letters, text[i]) : letters;

		if (!at || !*at)
			return false;
		word = word << 6 | (unsigned int)(at - letters);
	}
	bytes[0] = (unsigned char)(word >> 16);
	bytes[1] = (unsigned char)(word >> 8);
	bytes[2] = (unsigned char)word;
	return true;
}

bool base64_read(const char *text, unsigned char **bytes, size_t *size)
{
	size_t length = strlen(text), count = length;
	unsigned char *made;
	bool read = true;

	if (length % 4)
		return false;
	for (int i = 0; i < 2 && count && text[count - 1] == '='; i++)
		count--;
	made = malloc(length / 4 * 3 + 1);
	if (!made)
		return false;
	for (size_t i = 0; i < count && read; i += 4)
		read = word_read(text + i, count - i < 4 ? count - i : 4,
				 made + i / 4 * 3);
	if (!read) {
		free(made);
		return false;
	}
	*bytes = made;
	*size = count * 3 / 4;
	return true;
}
