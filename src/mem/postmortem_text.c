#include "postmortem_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum {
	TEXT_MOST = 1 << 16,
	STRING_MOST = 1023, /* bytes, with escapes */
	ESCAPE_MOST = 6,    /* of a character */
};

static struct {
	char text[TEXT_MOST];
	size_t length;
} out;

void postmortem_text_begin(void)
{
	out.length = 0;
}

void postmortem_put(const char *format, ...)
{
	size_t room = sizeof(out.text) - out.length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(out.text + out.length, room, format, args);
	va_end(args);
	if (length > 0)
		out.length += (size_t)length < room ? (size_t)length : room - 1;
}

/* The bytes of the UTF-8 character there; 0: it is none. */
static int character_length(const unsigned char *at)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	int length = *at < 0x80             ? 1
		     : (*at & 0xe0) == 0xc0 ? 2
		     : (*at & 0xf0) == 0xe0 ? 3
		     : (*at & 0xf8) == 0xf0 ? 4
					    : 0;
	uint32_t code;

	if (length < 2)
		return length;
	code = *at & (0xffU >> (length + 1));
	for (int i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	return code < least[length] || code > 0x10ffff ||
			       (code >= 0xd800 && code < 0xe000)
		       ? 0
		       : length;
}

void postmortem_put_text(const char *key, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t end;

	postmortem_put(",\"%s\":\"", key);
	end = out.length + STRING_MOST - ESCAPE_MOST;
	while (*at && out.length < end) {
		int length = character_length(at);

		if (*at < ' ' || *at == 0x7f)
			postmortem_put("\\u%04x", *at);
		else if (*at == '"' || *at == '\\')
			postmortem_put("\\%c", *at);
		else if (length)
			postmortem_put("%.*s", length, (const char *)at);
		else
			postmortem_put("?");
		at += length ? length : 1;
	}
	postmortem_put("\"");
}

const char *postmortem_text(size_t *length)
{
	*length = out.length;
	return out.text;
}
