/* What a command line of mnm may hold, a row each; the commands in commands.c
 * name the rows that they take. Usage lines and --help are made from the rows.
 *
 * ARGUMENT(name, kind, option, value, help)
 *
 * The kinds are those of enum argument_kind in argument.h. An option is spelled
 * --OPTION; it is NULL if the argument is not an option. The value is what the
 * usage line calls it. A row without help is not shown. */
#ifndef MNM_ARGUMENT_LIST_H
#define MNM_ARGUMENT_LIST_H

/* clang-format off */
#define ARGUMENT_LIST \
ARGUMENT(target, TARGET, "all", "", \
	"a program that `mnm ps` lists; or every program of yours that\n" \
	"runs under mnm, as root of every user, with MNM_SOCKET_DIR\n" \
	"those of that folder. One that does not answer is named, and\n" \
	"the status is 1") \
ARGUMENT(watch, SECONDS, "watch", "SECONDS", \
	"again every so many seconds [2], until Ctrl-C") \
ARGUMENT(device, TEXT, "device", "N", "only that device [all in use]") \
ARGUMENT(no_wait, FLAG, "no-wait", "", \
	"don't wait (2 s at most) for the program to give its idle\n" \
	"blocks back: it does so at once if it has no work under way,\n" \
	"else at its next free") \
ARGUMENT(all_figures, FLAG, "all-figures", "", \
	"also those that are zero, and options without a value") \
ARGUMENT(json, FLAG, "json", "", "for machines") \
ARGUMENT(probe, FLAG, "probe", "", NULL) \
ARGUMENT(set_pool, SETTING, "pool", "P", \
	"pool for all devices, or DEVICE:P,...") \
ARGUMENT(sim, PROFILE, "sim", "PROFILE", \
	"run on a simulated device: t4, a100, h200, ideal, bytes of\n" \
	"memory (8G) or a profile file [t4]; src/sim/README.md has\n" \
	"its variables") \
ARGUMENT(set, SETTINGS, "set", "KEY=VALUE", "an option of the table below") \
ARGUMENT(pool, WORD, NULL, "POOL", \
	"a name that `mnm pools` lists, for one device DEVICE:NAME,\n" \
	"for pinned memory host:NAME; several with commas. The current\n" \
	"one's name makes it anew") \
ARGUMENT(option, WORD, NULL, "OPTION", \
	"one of those that `mnm run --help` lists") \
ARGUMENT(value, WORD, NULL, "VALUE", \
	"what it is to be. Without one: what it is") \
ARGUMENT(topic, WORD, NULL, "COMMAND", "one of those that `mnm help` lists") \
ARGUMENT(program, PROGRAM, NULL, "PROGRAM ...", \
	"the program, and its own arguments")
/* clang-format on */

#endif
