#include <errno.h>
#include <unistd.h>

#include "about.h"
#include "common/process.h"
#include "common/protocol.h"
#include "common/text.h"

enum { ARGUMENTS_SIZE = 8192, PROGRAM_SIZE = 64 };

static char arguments[ARGUMENTS_SIZE];
static const char *words[PROCESS_WORDS];
static int word_count;
static int64_t start;
static char program[PROGRAM_SIZE];

void about_open(void)
{
	json_object_seed(0); /* or the first object would, from a file */
	word_count = process_words(0, arguments, sizeof(arguments), words);
	start = process_start(0);
	text_plain(program_invocation_short_name, program, sizeof(program));
}

/* The word as it is, or made plain if it is not UTF-8. */
static json_t *word_json(const char *word)
{
	json_t *text = json_string(word);
	char plain[1024];

	return text ? text
		    : json_string(text_plain(word, plain, sizeof(plain)));
}

json_t *about_json(void)
{
	json_t *list = json_array();

	for (int i = 0; i < word_count; i++)
		json_array_append_new(list, word_json(words[i]));
	return json_pack("{s:i,s:i,s:I,s:s,s:o,s:I}", "schema", ANSWER_SCHEMA,
			 "pid", (int)getpid(), "uid", (json_int_t)geteuid(),
			 "program", program, "arguments", list, "start_time",
			 (json_int_t)start);
}
