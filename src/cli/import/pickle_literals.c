#include "pickle_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROTOCOL_MOST = 5,
	LINE_MOST = 1 << 16, /* bytes of a line in pickle_protocol 0 */
};

static const char *push(struct pickle_machine *machine,
			struct pickle_value value)
{
	const char *wrong = pickle_add(machine->pickle, value);

	return wrong ? wrong
		     : pickle_push(&machine->stack,
				   (uint32_t)machine->pickle->count - 1);
}

const char *pickle_push_number(struct pickle_machine *machine, int64_t number)
{
	if (number >= 0 && number < PICKLE_SHARED - 1)
		return pickle_push(&machine->stack, (uint32_t)number + 1);
	return push(machine, (struct pickle_value){.kind = PICKLE_NUMBER,
						   .number = number});
}

const char *pickle_push_empty(struct pickle_machine *machine,
			      enum pickle_kind kind)
{
	return push(machine, (struct pickle_value){.kind = kind});
}

/* The next bytes, or NULL at the end. */
static const uint8_t *take(struct pickle_machine *machine, size_t size)
{
	const uint8_t *taken = machine->bytes + machine->next;

	if (machine->size - machine->next < size)
		return NULL;
	machine->next += size;
	return taken;
}

/* A number of so many bytes, the lowest first. */
static bool take_number(struct pickle_machine *machine, int size,
			uint64_t *number)
{
	const uint8_t *bytes = take(machine, (size_t)size);

	*number = 0;
	for (int i = 0; bytes && i < size; i++)
		*number |= (uint64_t)bytes[i] << 8 * i;
	return bytes;
}

/* A line without its end. */
static const uint8_t *take_line(struct pickle_machine *machine, size_t *length)
{
	size_t left = machine->size - machine->next;
	const uint8_t *line = machine->bytes + machine->next;
	const uint8_t *end =
		memchr(line, '\n', left < LINE_MOST ? left : LINE_MOST);

	if (!end)
		return NULL;
	*length = (size_t)(end - line);
	machine->next += *length + 1;
	return line;
}

/* Two's complement, of any length. */
const char *pickle_push_long(struct pickle_machine *machine,
			     int bytes_of_length)
{
	const uint8_t *bytes;
	uint64_t length, number = 0;

	if (!take_number(machine, bytes_of_length, &length) ||
	    !(bytes = take(machine, length)))
		return pickle_cut_off;
	if (length > sizeof(number))
		return pickle_push_empty(machine, PICKLE_OTHER);
	for (uint64_t i = 0; i < length; i++)
		number |= (uint64_t)bytes[i] << 8 * i;
	if (length && length < sizeof(number) && bytes[length - 1] & 0x80)
		number |= UINT64_MAX << 8 * length;
	return pickle_push_number(machine, (int64_t)number);
}

/* A number in a line: "12", "12L", of booleans "00" and "01". */
const char *pickle_push_line_number(struct pickle_machine *machine)
{
	size_t length;
	const uint8_t *line = take_line(machine, &length);
	char text[32], *end;
	int64_t number;

	if (!line)
		return pickle_cut_off;
	if (!length || length >= sizeof(text))
		return pickle_push_empty(machine, PICKLE_OTHER);
	memcpy(text, line, length);
	text[length] = '\0';
	errno = 0;
	number = strtoll(text, &end, 10);
	if (end == text || (*end && strcmp(end, "L") != 0))
		return "a number is none";
	return errno ? pickle_push_empty(machine, PICKLE_OTHER)
		     : pickle_push_number(machine, number);
}

const char *pickle_push_text(struct pickle_machine *machine,
			     int bytes_of_length)
{
	const uint8_t *text;
	uint64_t length;

	if (!take_number(machine, bytes_of_length, &length) ||
	    !(text = take(machine, length)))
		return pickle_cut_off;
	if (length > UINT32_MAX)
		return "a text is longer than 2^32 bytes";
	return push(machine, (struct pickle_value){.kind = PICKLE_TEXT,
						   .text = text,
						   .count = (uint32_t)length});
}

/* Escapes stay as they are. */
const char *pickle_push_line_text(struct pickle_machine *machine, bool quoted)
{
	size_t length;
	const uint8_t *line = take_line(machine, &length);

	if (!line)
		return pickle_cut_off;
	if (quoted && (length < 2 || line[0] != line[length - 1]))
		return "a text has no quotes";
	return push(machine,
		    (struct pickle_value){
			    .kind = PICKLE_TEXT,
			    .text = line + quoted,
			    .count = (uint32_t)(length - (quoted ? 2 : 0))});
}

const char *pickle_skip(struct pickle_machine *machine, size_t size)
{
	return take(machine, size) ? NULL : pickle_cut_off;
}

const char *pickle_protocol(struct pickle_machine *machine)
{
	uint64_t number;

	if (!take_number(machine, 1, &number))
		return pickle_cut_off;
	return number <= PROTOCOL_MOST
		       ? NULL
		       : "its protocol is newer than 5, the last that is known";
}

const char *pickle_push_fixed(struct pickle_machine *machine, int bytes,
			      bool sign)
{
	uint64_t number;

	if (!take_number(machine, bytes, &number))
		return pickle_cut_off;
	return pickle_push_number(machine,
				  sign ? (int32_t)number : (int64_t)number);
}

const char *pickle_push_other(struct pickle_machine *machine, size_t size)
{
	const char *wrong = pickle_skip(machine, size);

	return wrong ? wrong : pickle_push_empty(machine, PICKLE_OTHER);
}

const char *pickle_push_line_other(struct pickle_machine *machine)
{
	size_t length;

	return take_line(machine, &length)
		       ? pickle_push_empty(machine, PICKLE_OTHER)
		       : pickle_cut_off;
}

const char *pickle_index(struct pickle_machine *machine, int bytes,
			 uint64_t *index)
{
	const uint8_t *line;
	size_t length;

	*index = 0;
	if (bytes)
		return take_number(machine, bytes, index) ? NULL
							  : pickle_cut_off;
	line = take_line(machine, &length);
	if (!line)
		return pickle_cut_off;
	for (size_t i = 0; i < length; i++) {
		if (line[i] < '0' || line[i] > '9' || *index > UINT32_MAX)
			return "a number is none";
		*index = *index * 10 + (uint64_t)(line[i] - '0');
	}
	return NULL;
}
