/* Options: their table, and how a value is read and checked.
 *
 * Used by the preload (from the environment) and by `mnm run --set`. */
#ifndef MNM_OPTION_H
#define MNM_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "option_list.h"

#define DEVICE_MAX        64         /* ordinals 0 .. 63 */
#define DEVICE_HOST       DEVICE_MAX /* stands for pinned host memory */
#define DEVICE_ALL        (DEVICE_MAX + 1)
#define OPTION_ERROR_SIZE 512 /* bytes of an error line, its NUL included */

/* Where `mnm run` puts the tool that NVTX_INJECTION64_PATH named, when it sets
 * that to the preload library. */
#define NVTX_BEHIND "MNM_NVTX_BEHIND"

enum option_type {
	OPTION_TEXT,
	OPTION_PATH,         /* absolute, or empty */
	OPTION_PLUGINS,      /* absolute paths with colons between, or empty */
	OPTION_ITERATION,    /* as option_ranges reads it, or empty */
	OPTION_SIZE,         /* as size_parse reads it */
	OPTION_FILE_SIZE,    /* as that, 1M or more */
	OPTION_PAGE,         /* bytes, a power of two from 512 to 2 MiB */
	OPTION_CLASSES,      /* linear, or a power of two from 1 to 64 */
	OPTION_CUTOFF,       /* a power of two by its exponent, 20 to 34 */
	OPTION_PERCENT,      /* 0 to 100 */
	OPTION_SIZE_OR_AUTO, /* as OPTION_SIZE, or auto */
	OPTION_SIZE_OR_WORD, /* as that, or off */
	OPTION_FLAG,         /* 0 or 1 */
	OPTION_FENCE,        /* a fence level's name */
	OPTION_LEVEL,        /* a log level's name */
	OPTION_INFO,         /* pool or real */
	OPTION_TIME,         /* seconds */
	OPTION_IDLE,         /* auto, off, bytes as OPTION_SIZE, or percent */
	OPTION_POOLS,        /* as pools_parse reads it */
};

/* When an option can be set. */
enum option_when {
	OPTION_START, /* before the program starts */
	OPTION_LIVE,  /* also while it runs, by `mnm set` */
};

/* How a freed block becomes usable again; see fence.h. */
enum fence_level { REUSE_FENCE, REUSE_SYNC, REUSE_NONE };
extern const char *const fence_names[]; /* by level; the last is NULL */
extern const char *const level_names[]; /* by log level; the last is NULL */

#define SIZE_AUTO SIZE_MAX

/* How much may be idle; see idle_limit.h. */
enum idle_kind { IDLE_AUTO, IDLE_OFF, IDLE_BYTES, IDLE_PERCENT };

struct idle_limit {
	enum idle_kind kind;
	size_t number; /* bytes, or percent of the most that was live */
};

struct option_row {
	const char *name; /* as in --set NAME=VALUE */
	enum option_type type;
	enum option_when when;
	const char *initial, *range, *help;
};

/* All rows; the last has a NULL name. */
extern const struct option_row option_rows[];

/* Writes the row's environment variable, MNM_ and the name in capitals. */
void option_variable(const struct option_row *row, char *text, size_t size);

/* What the options say, read and checked: a field for each row, of the C type
 * that belongs to the row's. Sizes are in bytes, times in seconds; which value
 * means none, or auto, is said in the row. */
#define FIELD_TEXT(f)         char f[512];
#define FIELD_PATH(f)         char f[96]; /* of a socket, with its name */
#define FIELD_PLUGINS(f)      char f[2048];
#define FIELD_ITERATION(f)    char f[512];
#define FIELD_SIZE(f)         size_t f;
#define FIELD_FILE_SIZE(f)    size_t f;
#define FIELD_PAGE(f)         size_t f;
#define FIELD_CLASSES(f)      size_t f;       /* in each octave; 0: linear */
#define FIELD_CUTOFF(f)       unsigned int f; /* log2 of bytes */
#define FIELD_PERCENT(f)      unsigned int f;
#define FIELD_SIZE_OR_AUTO(f) size_t f; /* or SIZE_AUTO */
#define FIELD_SIZE_OR_WORD(f) size_t f; /* or SIZE_AUTO; off is 0 */
#define FIELD_FLAG(f)         bool f;
#define FIELD_FENCE(f)        enum fence_level f;
#define FIELD_LEVEL(f)        enum log_level f;
#define FIELD_INFO(f)         bool f; /* real: idle bytes don't count as free */
#define FIELD_TIME(f)         unsigned int f;
#define FIELD_IDLE(f)         struct idle_limit f;
#define FIELD_POOLS(f)        int f[DEVICE_ALL]; /* a choice, by ordinal */
struct config {
#define OPTION(field, type, when, initial, range, help) FIELD_##type(field)
	OPTION_LIST
#undef OPTION
};

void config_init(struct config *config);

/* Reads one value into *config. Returns false if it can't: error then holds one
 * line that says what was wrong and what is allowed, and *config is
 * unchanged. */
bool config_set(struct config *config, const char *name, const char *value,
		char error[OPTION_ERROR_SIZE]);

/* Whether the values go together. If not, error says why, as with
 * config_set. */
bool config_check(const struct config *config, char error[OPTION_ERROR_SIZE]);

/* Reads the MNM_ variables of all options. Returns false, with error set as by
 * config_set, at the first value that is wrong, or if the values don't go
 * together. */
bool config_read(struct config *config, char error[OPTION_ERROR_SIZE]);

/* Returns the ordinal that the text names, or DEVICE_HOST for "host"; -1 if it
 * is neither. */
int device_parse(const char *text);

/* Reads a number of bytes, or of K, M or G (powers of 1024): 4096, 64M, 64MiB,
 * 8GB, 1.5G. Returns false if the text is not a size. */
bool size_parse(const char *text, size_t *size);

/* The same, of a recording's file: FILE_SIZE_MIN at least. */
enum { FILE_SIZE_MIN = 1 << 20 };
bool file_size_parse(const char *text, size_t *bytes);

/* Reads NAME, ORDINAL:NAME, host:NAME or several of them with commas between,
 * each device once, as choices (pool_choice.h): a NAME but that for the host
 * may have @BACKING. A bare NAME is for all devices that are not named. Devices
 * for which there is no name keep what pool holds. Returns false, with *bad
 * saying what is wrong and pool unchanged, if the text is not like that. */
bool pools_parse(const char *text, int pool[DEVICE_ALL], const char **bad);

/* The regular expression of NVTX ranges, in a value of option iteration; NULL
 * if it has none. */
const char *option_ranges(const char *value);

/* Writes the row's value as config_set reads it. */
void config_text(const struct config *config, const struct option_row *row,
		 char *text, size_t size);

/* The row of that name, or NULL if there is none. */
const struct option_row *option_find(const char *name);

/* Adds the names of all rows to a line of size bytes, `used` of which are
 * taken. */
void option_names(char *text, size_t size, size_t used);

/* The same for the options that can be set while a program runs: " a, b, c". */
void option_names_live(char *text, size_t size, size_t used);

#endif
