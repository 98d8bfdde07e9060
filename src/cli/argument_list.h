/* What a command line of mnm may hold, a row each; the commands in commands.c
 * name the rows that they take. Usage lines and --help are made from the rows.
 *
 * ARGUMENT(name, kind, option, value, help)
 *
 * The kinds are those of enum argument_kind in argument.h. An option is spelled
 * --OPTION, or -O if it is one letter; it is NULL if the argument is not an
 * option. The value is what the usage line calls it. A row without help is not
 * shown. */
#ifndef MNM_ARGUMENT_LIST_H
#define MNM_ARGUMENT_LIST_H

/* clang-format off */
#define ARGUMENT_LIST \
ARGUMENT(target, TARGET, "all", "", \
	"a program that `mnm ps` lists, or all of them: your programs\n" \
	"under mnm, for root those of every user, with MNM_SOCKET_DIR\n" \
	"those of that folder. A program that does not answer is named,\n" \
	"and the exit status is 1") \
ARGUMENT(watch, SECONDS, "watch", "SECONDS", \
	"print again every so many seconds [2], until Ctrl-C") \
ARGUMENT(delay, DELAY, "delay", "SECONDS", \
	"look again every so many seconds [1]") \
ARGUMENT(device, TEXT, "device", "N", \
	"only that device [all in use; where only one\n" \
	"can be, the first]") \
ARGUMENT(no_wait, FLAG, "no-wait", "", \
	"don't wait for the program to give its idle blocks back (2 s\n" \
	"at most). It does so at once if it has no work under way,\n" \
	"otherwise at its next free") \
ARGUMENT(all_figures, FLAG, "all-figures", "", \
	"also print figures that are zero, and options without a value") \
ARGUMENT(json, FLAG, "json", "", "print JSON") \
ARGUMENT(probe, FLAG, "probe", "", NULL) \
ARGUMENT(set_pool, SETTING, "pool", "P", \
	"pool for all devices, or DEVICE:P and host:P, with commas") \
ARGUMENT(sim, PROFILE, "sim", "PROFILE", \
	"run on a simulated device: t4, a100, h200, ideal, bytes of\n" \
	"memory (8G), or the path of a profile [t4]; its variables\n" \
	"are in src/sim/README.md") \
ARGUMENT(frameworks, NAMES, "frameworks", "F", \
	"set the variables that make frameworks ask CUDA for each\n" \
	"buffer, and not divide large blocks themselves; F: names of\n" \
	"the table below, with commas [all]") \
ARGUMENT(plugin, SETTINGS, "plugin", "FILE", \
	"a shared object that brings further pools; may be repeated.\n" \
	"Those of MNM_POOL_PLUGINS come first") \
ARGUMENT(set, SETTINGS, "set", "KEY=VALUE", "an option that `mnm run --help` lists") \
ARGUMENT(record, PATH, "record", "FILE", \
	"record each request and free there; in its name %p is the\n" \
	"pid, %h the host and %d the device") \
ARGUMENT(max_size, BYTES, "max-size", "N", \
	"bytes of the recording, 1M and more [1G]; past that, the\n" \
	"newest are kept") \
ARGUMENT(every, PROFILE, "stacks", "N", \
	"record the stack of a request once in N bytes [1M]; 1: of\n" \
	"each request") \
ARGUMENT(python, FLAG, "python", "", \
	"record stacks in which functions of Python are (3.12 and\n" \
	"later): sets PYTHONPERFSUPPORT=1, by which Python's calls\n" \
	"get slower, and it leaves /tmp/perf-PID.map") \
ARGUMENT(stacks, FLAG, "stacks", "", \
	"print the stacks of those who asked, if the recording has them") \
ARGUMENT(action, WORD, NULL, "start|stop", "begin a recording, or end it") \
ARGUMENT(to, FILE, NULL, "FILE", \
	"the file, for start; %p, %h and %d as in mnm run --record") \
ARGUMENT(format, TEXT, "format", "F", "one of those below [csv]") \
ARGUMENT(output, PATH, "o", "FILE", "write there [stdout]") \
ARGUMENT(output_word, PATH, "output", "FILE", NULL) \
ARGUMENT(source_format, TEXT, "format", "F", \
	"one of those below [found by looking at the file]") \
ARGUMENT(into, PATH, "o", "FILE", "the recording that is written") \
ARGUMENT(source, FILE, NULL, "FILE", "what is read") \
ARGUMENT(recording, FILE, NULL, "FILE", "a recording") \
ARGUMENT(pools, TEXT, "pool", "P,...", \
	"pools, as `mnm pools` lists them, or NAME@BACKING [all]") \
ARGUMENT(simulated, TEXT, "device", "PROFILE", \
	"the simulated device: t4, a100, h200, ideal, bytes of memory\n" \
	"(8G), or the path of a profile [t4]") \
ARGUMENT(roomy, TEXT, "device", "PROFILE", \
	"the simulated device: t4, a100, h200, ideal, bytes of\n" \
	"memory (8G), or the path of a profile [1024G, more than\n" \
	"any has]") \
ARGUMENT(streams, NUMBER, "streams", "N", \
	"make requests in the order of streams in N of these, 64 at\n" \
	"most; 0: as plain ones, like cudaMalloc's [as they are]") \
ARGUMENT(scale, TEXT, "scale", "N", \
	"multiply the sizes that follow the batch by N [1]") \
ARGUMENT(scaled, TEXT, "scaled", "SIZES", \
	"these follow it: bytes (K, M, G) or ranges, as 64K-1M,4M-\n" \
	"[found by comparing iterations]") \
ARGUMENT(fit, FLAG, "fit", "", \
	"look for the largest batch that fits with each pool") \
ARGUMENT(shadowed, WORD, NULL, "PID", \
	"a program that `mnm ps` lists") \
ARGUMENT(shadow_pools, WORD, NULL, "POOL,...", \
	"pools, as `mnm pools` lists them, or NAME@BACKING") \
ARGUMENT(play, FLAG, "play", "", NULL) \
ARGUMENT(replayed, FILE, NULL, "FILE", \
	"a recording, or a trace as those of examples/traces") \
ARGUMENT(capacity, BYTES, "capacity", "BYTES", \
	"asks whether a range of so many bytes is enough, and ends\n" \
	"once a plan fits; exit status 1 if none was found") \
ARGUMENT(time, TIME, "time", "SECONDS", \
	"search for so long at most, in seconds of the processor [10]") \
ARGUMENT(seed, NUMBER, "seed", "N", \
	"where the search begins; the same seed finds the same plan,\n" \
	"unless time ended the search [0]") \
ARGUMENT(period, NUMBER, "period", "N", \
	"time is a circle of length N, in which all happens again and\n" \
	"again; upper may then lie past N, and lower may not") \
ARGUMENT(iteration, NUMBER, "iteration", "N", \
	"of a trace, only what lives in its iteration N") \
ARGUMENT(unit, BYTES, "unit", "BYTES", \
	"round sizes up to multiples of it [512 for traces, else 1]") \
ARGUMENT(svg, PATH, "svg", "FILE", \
	"draw the plan there: time and addresses, coloured by class") \
ARGUMENT(o, PATH, "o", "FILE", \
	"write the lifetimes with their offsets there, as CSV") \
ARGUMENT(page, PATH, "o", "FILE", \
	"write it there as a page for a browser, with pictures") \
ARGUMENT(save, PATH, "save", "FILE", \
	"write the plan that a program follows there; see below") \
ARGUMENT(file, FILE, NULL, "FILE", \
	"lifetimes as CSV, or a trace; with --save a PID; see below") \
ARGUMENT(pool, WORD, NULL, "POOL", \
	"NAME or NAME@BACKING as `mnm pools` lists them; for one device\n" \
	"DEVICE:NAME, for pinned memory host:NAME; several with commas.\n" \
	"The name of the current pool replaces it by a new one") \
ARGUMENT(option, WORD, NULL, "OPTION", \
	"one of those that `mnm run --help` lists") \
ARGUMENT(value, WORD, NULL, "VALUE", \
	"its new value; without it, the present value is printed") \
ARGUMENT(topic, WORD, NULL, "COMMAND", "one of those that `mnm help` lists") \
ARGUMENT(program, PROGRAM, NULL, "PROGRAM ...", \
	"the program, and its own arguments")
/* clang-format on */

#endif
