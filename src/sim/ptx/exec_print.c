/* printf of a kernel, and the text of a failed assertion. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "place.h"

enum { TEXT_MOST = 1024, LINE_MOST = 4096 };

/* A byte of the kernel's memory; 0 ends the run, too. */
static char byte_at(struct ptx_warp *warp, const struct ptx_op *op,
		    unsigned int lane, uint64_t addr)
{
	struct ptx_op read = {.generic = true, .line = op->line};
	unsigned char *place = ptx_place(warp, &read, lane, addr, 1, false);

	return place ? (char)*place : '\0';
}

static void text_read(struct ptx_warp *warp, const struct ptx_op *op,
		      unsigned int lane, uint64_t addr, char *text)
{
	size_t at = 0;

	while (at < TEXT_MOST - 1 &&
	       (text[at] = byte_at(warp, op, lane, addr + at)))
		at++;
	text[at] = '\0';
}

static uint64_t number_read(struct ptx_warp *warp, const struct ptx_op *op,
			    unsigned int lane, uint64_t addr, size_t bytes)
{
	struct ptx_op read = {.generic = true, .line = op->line};
	unsigned char *place = ptx_place(warp, &read, lane, addr, bytes, false);
	uint64_t number = 0;

	if (place)
		memcpy(&number, place, bytes);
	return number;
}

struct line {
	char text[LINE_MOST];
	size_t length;
	uint64_t args; /* the next one */
};

__attribute__((format(printf, 2, 3))) static void line_add(struct line *line,
							   const char *format,
							   ...)
{
	size_t room = sizeof(line->text) - line->length;
	va_list args;
	int made;

	va_start(args, format);
	made = vsnprintf(line->text + line->length, room, format, args);
	va_end(args);
	if (made > 0)
		line->length += (size_t)made < room ? (size_t)made : room - 1;
}

static void plain_add(struct line *line, const char *text, size_t length)
{
	size_t room = sizeof(line->text) - 1 - line->length;

	length = length < room ? length : room;
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

static uint64_t arg_take(struct ptx_warp *warp, const struct ptx_op *op,
			 unsigned int lane, struct line *line, size_t bytes)
{
	uint64_t number;

	line->args = (line->args + bytes - 1) & ~(uint64_t)(bytes - 1);
	number = number_read(warp, op, lane, line->args, bytes);
	line->args += bytes;
	return number;
}

/* One conversion like %-8.3lf: it is given to the host's printf, with the one
 * width of its kind. Returns what comes behind it. */
static const char *conversion_add(struct ptx_warp *warp,
				  const struct ptx_op *op, unsigned int lane,
				  const char *at, struct line *line)
{
	char form[32] = "%", text[TEXT_MOST], string[TEXT_MOST];
	size_t length = 1;
	bool wide = false;
	uint64_t bits;
	double real;

	for (at++; *at && strchr("-+ #0123456789.*hlLjzt", *at); at++) {
		size_t digits = strspn(at, "0123456789");

		if (strchr("lLjzt", *at))
			wide = true;
		else if (*at == '*')
			length += (size_t)snprintf(
				form + length, sizeof(form) - length, "%d",
				(int)arg_take(warp, op, lane, line, 4) %
					TEXT_MOST);
		else if (*at != 'h')
			form[length++] = *at;
		if (length > sizeof(form) - 16 || digits > 3)
			return at + digits;
	}
	if (!*at)
		return at;
	if (strchr("diouxX", *at)) {
		bits = arg_take(warp, op, lane, line, wide ? 8 : 4);
		if (!wide && strchr("di", *at))
			bits = (uint64_t)(int64_t)(int32_t)bits;
		snprintf(form + length, sizeof(form) - length, "ll%c", *at);
		snprintf(text, sizeof(text), form, bits);
	} else if (strchr("fFeEgGaA", *at)) {
		bits = arg_take(warp, op, lane, line, 8);
		memcpy(&real, &bits, sizeof(real));
		snprintf(form + length, sizeof(form) - length, "%c", *at);
		snprintf(text, sizeof(text), form, real);
	} else if (*at == 'c') {
		bits = arg_take(warp, op, lane, line, 4);
		snprintf(form + length, sizeof(form) - length, "c");
		snprintf(text, sizeof(text), form, (int)bits);
	} else if (*at == 's') {
		bits = arg_take(warp, op, lane, line, 8);
		strcpy(string, "(null)");
		if (bits)
			text_read(warp, op, lane, bits, string);
		snprintf(form + length, sizeof(form) - length, "s");
		snprintf(text, sizeof(text), form, string);
	} else if (*at == 'p') {
		bits = arg_take(warp, op, lane, line, 8);
		snprintf(string, sizeof(string), "0x%llx",
			 (unsigned long long)bits);
		snprintf(form + length, sizeof(form) - length, "s");
		snprintf(text, sizeof(text), form, string);
	} else {
		snprintf(text, sizeof(text), "%c", *at);
	}
	line_add(line, "%s", text);
	return at + 1;
}

static void line_print(struct ptx_warp *warp, const struct ptx_op *op,
		       unsigned int lane, uint64_t format, uint64_t args)
{
	const struct ptx_host *host = warp->run->host;
	struct line line = {.args = args};
	char text[TEXT_MOST];
	size_t at = 0;

	text_read(warp, op, lane, format, text);
	while (text[at] && !warp->run->result) {
		size_t plain = strcspn(text + at, "%");

		plain_add(&line, text + at, plain);
		at += plain;
		if (text[at])
			at = (size_t)(conversion_add(warp, op, lane, text + at,
						     &line) -
				      text);
	}
	if (host->print)
		host->print(host->user, line.text, line.length);
	else
		fwrite(line.text, 1, line.length, stdout);
}

void ptx_exec_print(struct ptx_warp *warp, const struct ptx_op *op,
		    uint32_t mask)
{
	for (uint32_t left = mask; left && !warp->run->result;
	     left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		line_print(warp, op, i, ptx_outside_param(warp, op, i, 0, 8),
			   ptx_outside_param(warp, op, i, 1, 8));
	}
}

/* __assertfail(message, file, line, function, size) */
void ptx_exec_assert(struct ptx_warp *warp, const struct ptx_op *op,
		     uint32_t mask)
{
	unsigned int i = (unsigned int)__builtin_ctz(mask);
	char message[TEXT_MOST], file[TEXT_MOST];

	text_read(warp, op, i, ptx_outside_param(warp, op, i, 0, 8), message);
	text_read(warp, op, i, ptx_outside_param(warp, op, i, 1, 8), file);
	if (!warp->run->result)
		ptx_run_fail(warp, op, i, PTX_ASSERTED,
			     "%.60s:%u: assertion `%.60s' failed", file,
			     (unsigned int)ptx_outside_param(warp, op, i, 2, 4),
			     message);
}
