#include "type.h"

#include <string.h>

static const struct {
	const char *text;
	size_t bytes;
	enum ptx_class class;
} types[] = {[PTX_NO_TYPE] = {"", 0, PTX_CLASS_BITS},
#define PTX_TYPE_ROW(name, text, bytes, kind) \
	[PTX_##name] = {text, bytes, PTX_CLASS_##kind},
	     PTX_TYPES(PTX_TYPE_ROW)};

enum ptx_type ptx_type_find(const char *text, size_t length)
{
	for (size_t i = 1; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(types[i].text, text, length) &&
		    !types[i].text[length])
			return (enum ptx_type)i;
	return PTX_NO_TYPE;
}

size_t ptx_type_bytes(enum ptx_type type)
{
	return types[type].bytes;
}

enum ptx_class ptx_type_class(enum ptx_type type)
{
	return types[type].class;
}

const char *ptx_type_text(enum ptx_type type)
{
	return types[type].text;
}
