/* What code is at an address of a recording: its file, and its function if the
 * file says which. */
#ifndef MNM_SYMBOLS_H
#define MNM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/record.h>

struct symbols;

/* NULL without memory. */
struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);

/* From now on, size bytes of the file's code lie at the address, from that byte
 * of it. What was known to lie there before is forgotten. Returns false without
 * memory. */
bool symbols_add(struct symbols *symbols, uint64_t address, uint64_t size,
		 uint64_t offset, const char *path);

/* From now on, what calls from that site has the name of the text: a file, a
 * tab, and a function. Returns false without memory. */
bool symbols_name(struct symbols *symbols, uint64_t site, const char *text);

/* The name that the recording has given to the site, or NULL. */
const char *symbols_given(const struct symbols *symbols, uint64_t site);

/* Takes what a recording says of code; other events are passed over. */
void symbols_note(struct symbols *symbols,
		  const struct mnm_record_event *event);

/* The file at that address has this build-id: one with another is not asked. */
void symbols_build(struct symbols *symbols, uint64_t address, const char *id);

/* Prints a line for every file that was not asked, as it is another one now. */
void symbols_changed_tell(const struct symbols *symbols);

/* Writes the names of the file and of the function whose code comes before the
 * address, as that is where a call returns to. The second is empty if it is not
 * known, and so is the first. Returns whether the recording has named the site
 * itself. */
bool symbols_find(struct symbols *symbols, uint64_t site, char *file,
		  char *function, size_t size);

#endif
