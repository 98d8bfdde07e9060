#include "names.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_LEAST = 1024 };

static size_t hash(const char *text, size_t length)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return (size_t)(sum ^ sum >> 32);
}

static void grow(struct ptx_names *names, struct ptx_lexer *lex)
{
	size_t count =
		names->bucket_count ? names->bucket_count * 4 : BUCKETS_LEAST;
	struct ptx_name **buckets = calloc(count, sizeof(struct ptx_name *));

	if (!buckets)
		ptx_fail(lex, "out of memory");
	for (size_t i = 0; i < names->bucket_count; i++) {
		struct ptx_name *name = names->buckets[i], *next;

		for (; name; name = next) {
			struct ptx_name **home;

			next = name->next;
			home = &buckets[hash(name->text, strlen(name->text)) &
					(count - 1)];
			name->next = *home;
			*home = name;
		}
	}
	free(names->buckets);
	names->buckets = buckets;
	names->bucket_count = count;
}

struct ptx_name *ptx_name_get(struct ptx_names *names, struct ptx_lexer *lex,
			      const char *text, size_t length)
{
	struct ptx_name **home, *name;
	char *copy;

	if (names->count >= names->bucket_count)
		grow(names, lex);
	home = &names->buckets[hash(text, length) & (names->bucket_count - 1)];
	for (name = *home; name; name = name->next)
		if (!strncmp(name->text, text, length) && !name->text[length])
			return name;
	name = ptx_get(lex, sizeof(*name));
	copy = ptx_get(lex, length + 1);
	memcpy(copy, text, length);
	name->text = copy;
	name->next = *home;
	*home = name;
	names->count++;
	return name;
}

struct ptx_meaning *ptx_name_declare(struct ptx_names *names,
				     struct ptx_lexer *lex,
				     struct ptx_name *name,
				     enum ptx_meaning_kind kind)
{
	struct ptx_meaning *meaning = ptx_get(lex, sizeof(*meaning));

	meaning->kind = kind;
	meaning->depth = names->depth;
	meaning->name = name;
	meaning->hidden = name->meaning;
	name->meaning = meaning;
	meaning->before = names->last;
	names->last = meaning;
	return meaning;
}

void ptx_names_open(struct ptx_names *names)
{
	names->depth++;
}

void ptx_names_close(struct ptx_names *names)
{
	while (names->last && names->last->depth == names->depth) {
		names->last->name->meaning = names->last->hidden;
		names->last = names->last->before;
	}
	names->depth--;
}

void ptx_names_free(struct ptx_names *names)
{
	free(names->buckets);
}
