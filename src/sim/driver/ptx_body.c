#include "ptx_body.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MOST = 1024 };

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) ||
	       (at[length] && strchr("._$%", at[length])))
		length++;
	return length;
}

static bool word_is(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(at, word, length);
}

/* Behind the '{' of the kernel's body, or NULL. */
static const char *body_find(const char *text, const char *name)
{
	static const char entry[] = ".entry";

	for (const char *at = strstr(text, entry); at;
	     at = strstr(at + 1, entry)) {
		const char *word = at + strlen(entry);

		word += strspn(word, " \t\r\n");
		if (!word_is(word, word_length(word), name))
			continue;
		word = strchr(word, '{');
		return word ? word + 1 : NULL;
	}
	return NULL;
}

static const char *body_end(const char *at)
{
	for (unsigned depth = 1; *at; at++) {
		depth += *at == '{';
		depth -= *at == '}';
		if (!depth)
			break;
	}
	return at;
}

/* Whether an instruction has this part, as ".global" of "st.global.u32". */
static bool has_part(const char *at, size_t length, const char *part)
{
	size_t size = strlen(part);

	for (size_t i = 0; i + size <= length; i++)
		if (!strncmp(at + i, part, size) &&
		    (i + size == length || at[i + size] == '.'))
			return true;
	return false;
}

/* The bytes of an element: of the last part that is a type. */
static size_t element_of(const char *at, size_t length)
{
	while (length && at[length - 1] != '.')
		length--;
	if (!length || !strchr("busf", at[length]))
		return 0;
	return strtoul(at + length + 1, NULL, 10) / 8;
}

static void store_note(struct ptx_body *body, const char *at, size_t length,
		       size_t element)
{
	bool is_float =
		has_part(at, length, ".f32") || has_part(at, length, ".f64");

	body->floats = is_float && (!body->stores || body->floats) &&
		       (!body->element || body->element == element);
	if (body->element < element)
		body->element = element;
}

/* Looks at an instruction that moves bytes to or from global memory. */
static void access_read(struct ptx_body *body, const char *at, size_t length)
{
	bool load = !strncmp(at, "ld.", 3) || !strncmp(at, "ldu.", 4);
	bool both = !strncmp(at, "atom.", 5) || !strncmp(at, "red.", 4);
	size_t element = element_of(at, length), bytes = element;

	if ((!load && !both && strncmp(at, "st.", 3)) ||
	    has_part(at, length, ".shared") || has_part(at, length, ".local") ||
	    has_part(at, length, ".param") || has_part(at, length, ".const") ||
	    !element || element > sizeof(double))
		return;
	if (has_part(at, length, ".v2"))
		bytes *= 2;
	if (has_part(at, length, ".v4"))
		bytes *= 4;
	if (!load)
		store_note(body, at, length, element);
	body->loads += load || both ? bytes : 0;
	body->stores += load ? 0 : bytes;
}

/* Whether the label of a jump stands in front of it. */
static bool jumps_back(const char *at, const char *end)
{
	char label[WORD_MOST];
	size_t length;

	at += word_length(at);
	at += strspn(at, " \t");
	length = word_length(at);
	if (!length || length + 2 > sizeof(label))
		return true;
	memcpy(label, at, length);
	label[length] = ':';
	label[length + 1] = '\0';
	at = strstr(at, label);
	return !at || at >= end;
}

bool ptx_body_read(const char *text, const char *name, struct ptx_body *body)
{
	const char *begin = body_find(text, name);
	const char *end = begin ? body_end(begin) : NULL;

	*body = (struct ptx_body){0};
	if (!begin)
		return false;
	for (const char *at = begin; at < end;) {
		size_t length = word_length(at);

		if (!length) {
			at++;
			continue;
		}
		if (word_is(at, length, "bra") ||
		    word_is(at, length, "bra.uni"))
			body->repeats |= jumps_back(at, end);
		else if (!strncmp(at, "call", 4) || !strncmp(at, "brx", 3))
			body->repeats = true;
		else
			access_read(body, at, length);
		at += length;
	}
	return true;
}
