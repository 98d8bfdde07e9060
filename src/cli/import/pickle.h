/* Reads what Python's pickle has written, of protocols 0 to 5, as far as it is
 * data: numbers, texts, bytes, lists, tuples, sets and dicts. Whatever would
 * call code is refused. The time and memory that it takes are proportional to
 * the number of bytes. */
#ifndef MNM_IMPORT_PICKLE_H
#define MNM_IMPORT_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pickle_kind {
	PICKLE_NONE,
	PICKLE_NUMBER, /* whole, or true or false */
	PICKLE_OTHER,  /* a number that has a fraction, or more than 64 bits */
	PICKLE_TEXT,   /* or bytes */
	PICKLE_LIST,   /* or a tuple, or a set */
	PICKLE_DICT,   /* items: a key, its value, the next key... */
};

struct pickle_value {
	enum pickle_kind kind;
	uint32_t count; /* bytes of a text; items of a list or dict */
	union {
		int64_t number;
		const uint8_t *text; /* in what was read; without an end */
		uint32_t *items;     /* numbers of values */
	};
	uint32_t room; /* for items */
};

struct pickle {
	struct pickle_value *values;
	size_t count, room;
	size_t at; /* the byte that was read last, from 0 */
	uint32_t root;
	/* Called now and then, with the bytes that were read; or NULL. */
	void (*progress)(void *argument, size_t at);
	void *argument;
};

/* Reads these bytes, which have to stay. Returns NULL, or what is wrong at the
 * byte `at`. The pickle has to be released in either case. */
const char *pickle_read(struct pickle *pickle, const uint8_t *bytes,
			size_t size);
void pickle_release(struct pickle *pickle);

/* The item of a list. */
const struct pickle_value *pickle_item(const struct pickle *pickle,
				       const struct pickle_value *list,
				       uint32_t i);

/* The value of a key that is a text, or NULL; also if it is no dict, or one of
 * more than 64 keys, which are not looked through. */
const struct pickle_value *pickle_field(const struct pickle *pickle,
					const struct pickle_value *dict,
					const char *key);

#endif
