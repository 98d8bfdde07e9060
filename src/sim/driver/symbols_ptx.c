/* The variables of PTX: those of the module's scope, as in
 *
 *     .visible .const .align 4 .f32 table[2] = {0f3F800000, 0f40000000};
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

enum { WORD_MOST = 1024 };

struct declaration {
	size_t element;    /* bytes, with those of a vector; 0 if it is none */
	size_t vector;     /* elements of a vector, or 1 */
	uint64_t elements; /* of the array, or 1 */
	bool open;         /* the initial value says how many there are */
	bool managed;
	char name[WORD_MOST];
};

/* Past blanks, and comments of both forms. */
static const char *blanks_skip(const char *at)
{
	for (;;) {
		at += strspn(at, " \t\r\n");
		if (at[0] == '/' && at[1] == '/')
			at += strcspn(at, "\n");
		else if (at[0] == '/' && at[1] == '*')
			at = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2
						  : at + strlen(at);
		else
			return at;
	}
}

/* The next word, or the next other character. Returns what follows. */
static const char *word_read(const char *at, char *word)
{
	size_t length = 0;

	at = blanks_skip(at);
	while (isalnum((unsigned char)at[length]) ||
	       (at[length] && strchr("._$%", at[length])))
		length++;
	if (!length && *at)
		length = 1;
	if (length >= WORD_MOST)
		length = WORD_MOST - 1;
	memcpy(word, at, length);
	word[length] = '\0';
	return at + length;
}

/* Past a '{' and all up to the '}' that belongs to it. */
static const char *braces_skip(const char *at)
{
	unsigned depth = 1;

	while (*at && depth) {
		const char *next = blanks_skip(at);

		if (next == at) {
			depth += *at == '{';
			depth -= *at == '}';
			next = at + 1;
		}
		at = next;
	}
	return at;
}

/* Past the end of what is no variable: a directive's line, a function. */
static const char *rest_skip(const char *at)
{
	at = blanks_skip(at);
	while (*at && *at != ';' && *at != '{') {
		if (*at == '\n' && *blanks_skip(at) == '.')
			return at;
		at++;
	}
	return *at == '{' ? braces_skip(at + 1) : at + (*at == ';');
}

/* The bytes of a type like .u32 or .f64; 0 if it is none. */
static size_t type_bytes(const char *word)
{
	size_t bits;

	if (word[0] != '.' || !word[1] || !strchr("busf", word[1]) ||
	    !isdigit((unsigned char)word[2]))
		return 0;
	bits = strtoul(word + 2, NULL, 10);
	return bits % 8 ? 0 : bits / 8;
}

/* What stands in front of the name. Returns where the name's end is, or NULL if
 * this is no variable that has memory. */
static const char *head_read(const char *at, struct declaration *found)
{
	char word[WORD_MOST];

	found->vector = 1;
	for (;;) {
		at = word_read(at, word);
		if (!strcmp(word, ".attribute")) {
			const char *end = strchr(at, ')');

			if (!end)
				return NULL;
			found->managed = memmem(at, (size_t)(end - at),
						".managed", 8) != NULL;
			at = end + 1;
		} else if (!strcmp(word, ".align")) {
			at = word_read(at, word);
		} else if (!strcmp(word, ".v2") || !strcmp(word, ".v4")) {
			found->vector = strcmp(word, ".v2") ? 4 : 2;
		} else if (type_bytes(word)) {
			found->element = type_bytes(word);
			break;
		} else {
			return NULL; /* a texture, or what is newer */
		}
	}
	return word_read(at, found->name);
}

static const char *shape_read(const char *at, struct declaration *found)
{
	char word[WORD_MOST];

	found->elements = 1;
	for (at = blanks_skip(at); *at == '['; at = blanks_skip(at)) {
		at = word_read(at + 1, word);
		if (*word == ']') {
			found->open = true;
			continue;
		}
		found->elements *= strtoull(word, NULL, 0);
		at = word_read(at, word);
	}
	return at;
}

/* The bits of a number: 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX, or an integer. */
static bool number_read(const char *word, bool negative, uint64_t *bits)
{
	char *end;

	if (word[0] == '0' && word[1] && strchr("fFdD", word[1])) {
		*bits = strtoull(word + 2, &end, 16);
		if (negative)
			*bits ^=
				strchr("fF", word[1]) ? 1ull << 31 : 1ull << 63;
	} else {
		*bits = strtoull(word, &end, 0);
		if (negative)
			*bits = -*bits;
	}
	return end != word && (!*end || strchr("uU", *end));
}

/* The numbers of an initial value, into data if that is not NULL. A name of
 * something whose address is wanted ends them. Returns how many there are. */
static uint64_t numbers_read(const char *at, size_t element, uint64_t most,
			     char *data)
{
	char word[WORD_MOST];
	bool negative = false;
	uint64_t count = 0, bits;

	for (at = word_read(at, word); *word && *word != ';' && count < most;
	     at = word_read(at, word)) {
		if (*word == '-') {
			negative = true;
			continue;
		}
		if (strchr("{},", *word))
			continue;
		if (!number_read(word, negative, &bits))
			break;
		if (data)
			memcpy(data + count * element, &bits, element);
		negative = false;
		count++;
	}
	return count;
}

static bool variable_add(struct declaration *found, const char *value,
			 struct symbol **list)
{
	struct symbol *symbol;
	size_t size;

	if (found->open && value)
		found->elements *= numbers_read(value, 0, UINT32_MAX, NULL) /
				   found->vector;
	if (__builtin_mul_overflow(found->elements,
				   found->element * found->vector, &size) ||
	    !size)
		return true;
	symbol = symbol_add(list, found->name, size);
	if (!symbol)
		return false;
	symbol->managed = found->managed;
	if (!value || found->element > sizeof(uint64_t))
		return true;
	symbol->data = calloc(1, size);
	if (!symbol->data)
		return false;
	numbers_read(value, found->element, size / found->element,
		     symbol->data);
	return true;
}

bool symbols_read_ptx(const char *at, struct symbol **list)
{
	char word[WORD_MOST];
	bool ok = true;

	while (ok && *(at = blanks_skip(at))) {
		struct declaration found = {0};
		const char *end;

		at = word_read(at, word);
		while (!strcmp(word, ".visible") || !strcmp(word, ".weak") ||
		       !strcmp(word, ".common"))
			at = word_read(at, word);
		end = !strcmp(word, ".global") || !strcmp(word, ".const")
			      ? head_read(at, &found)
			      : NULL;
		if (!end) {
			at = rest_skip(at);
			continue;
		}
		at = blanks_skip(shape_read(end, &found));
		ok = variable_add(&found, *at == '=' ? at + 1 : NULL, list);
		at += strcspn(at, ";");
		at += *at == ';';
	}
	return ok;
}
