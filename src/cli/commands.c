/* What mnm can be told, a row each. A command that asks programs is its row and
 * a function that prints their answers. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "common/option.h"
#include "common/pool_choice.h"
#include "common/pool_json.h"
#include "common/pool_list.h"
#include "common/text.h"
#include "common/version.h"
#include "job.h"
#include "output.h"
#include "plugins.h"
#include "print.h"

static void stat_print(const struct job *job, const struct arguments *arguments)
{
	json_t *answer = job_json(job);

	print_stat(answer, arguments->all_figures);
	json_decref(answer);
}

static void set_print(const struct job *job, const struct arguments *arguments)
{
	if (arguments->all)
		printf("pid %d: ", job->pid);
	print_set(job->answer);
}

static void set_more(void)
{
	printf("\nOptions that can be changed while the program runs:\n");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->when == OPTION_LIVE)
			printf("  %-17s %s\n", row->name, row->range);
}

static void pool_print(const struct pool_row *row)
{
	const char *word;
	char file[PATH_MAX];

	printf("%-16s %s\n", row->name, row->summary);
	for (int i = 0; (word = pool_backing(row, i)); i++) {
		if (i)
			printf(", %s", word);
		else
			printf("%-16s NAME@BACKING: %s", "", word);
	}
	if (pool_backing(row, 0))
		printf("; the first is its own\n");
	if (row->file)
		printf("%-16s of the plug-in %s\n", "",
		       text_plain(row->file, file, sizeof(file)));
}

static int pools_run(const struct command *command,
		     const struct arguments *arguments)
{
	json_t *list = json_array();

	(void)command;
	plugins_use();
	plugins_print("mnm");
	for (const struct pool_row *row = pool_rows; row->name; row++) {
		if (!arguments->json)
			pool_print(row);
		json_array_append_new(list, pool_json(row));
	}
	if (arguments->json)
		json_print(list);
	json_decref(list);
	return EXIT_DONE;
}

static int version_run(const struct command *command,
		       const struct arguments *arguments)
{
	(void)command;
	(void)arguments;
	printf("mnm %s\n", MNM_VERSION);
	return EXIT_DONE;
}

/* clang-format off */
const struct command commands[] = {
	{"run", "run a CUDA program with a memory pool under it",
	 {ARG_set_pool, ARG_plugin, ARG_sim, ARG_frameworks, ARG_record,
	  ARG_max_size, ARG_every, ARG_python, ARG_set, ARG_program}, NULL, run_more,
	 run_run, false, NULL, NULL},
	{"ps", "list your programs that run under mnm",
	 {ARG_watch, ARG_json},
	 "Root sees the programs of every user. With MNM_SOCKET_DIR, only those of\n"
	 "that folder are listed. LIVE is what a program asked for and has not\n"
	 "freed, RESERVED what it has of the device, HITS the share of its requests\n"
	 "that idle memory has served. Exit status 1: a program does not answer.\n",
	 NULL,
	 ps_run, false, NULL, NULL},
	{"top", "show your programs that run under mnm, and steer them",
	 {ARG_delay},
	 "A row for each device of a program, in a terminal, as htop and nvtop have it:\n"
	 "memory, hit rate, and requests, calls of the driver and fences a second. Keys\n"
	 "swap the pool of the selected row (s), give idle memory back (t), record (r),\n"
	 "and sort (<, >, F6); h shows all of them, and what the columns are. Without a\n"
	 "terminal there is `mnm ps --watch`.\n", NULL,
	 top_run, false, NULL, NULL},
	{"pools", "list the pools, and the backings of their regions",
	 {ARG_json},
	 "Pools of the plug-ins in MNM_POOL_PLUGINS are listed with their file.\n",
	 NULL,
	 pools_run, false, NULL, NULL},
	{"stat", "show the figures and options of a running program",
	 {ARG_target, ARG_device, ARG_all_figures, ARG_json}, NULL, NULL,
	 ask_run, false, "devices", stat_print},
	{"set", "show or change an option of a running program",
	 {ARG_target, ARG_json, ARG_option, MAYBE | ARG_value}, NULL, set_more,
	 ask_run, true, "option", set_print},
	{"swap", "serve a running program from another pool",
	 {ARG_target, ARG_device, ARG_no_wait, ARG_json, ARG_pool}, NULL, NULL,
	 ask_run, true, "devices", change_print},
	{"reset", "go back to the pool that the program was started with",
	 {ARG_target, ARG_device, ARG_no_wait, ARG_json}, NULL, NULL,
	 ask_run, true, "devices", change_print},
	{"trim", "give a running program's idle blocks back to the driver",
	 {ARG_target, ARG_device, ARG_no_wait, ARG_json}, NULL, NULL,
	 ask_run, true, "devices", change_print},
	{"mark", "tell a running program's pools that an iteration begins",
	 {ARG_target, ARG_json},
	 "tstack_pool looks for what repeats from mark to mark then. `mnm stat` shows\n"
	 "how many iterations were marked.\n", NULL,
	 ask_run, true, "devices", mark_print},
	{"record", "record what a running program asks for and frees",
	 {ARG_target, ARG_max_size, ARG_json, ARG_action, MAYBE | ARG_to},
	 "Each request and free is written, with its time, thread, stream, size and\n"
	 "place. docs/trace-format.md describes the file. It ends with the program,\n"
	 "and is readable up to its last second if the program is killed. With --all\n"
	 "the name needs %p. `mnm run --record` records from the start. Stacks are\n"
	 "recorded as well after `mnm set PID record_stacks 1M`.\n", NULL,
	 ask_run, true, "recording", record_print},
	{"report", "say what a recording has: the peak, and who held what then",
	 {ARG_device, ARG_stacks, ARG_page, ARG_json, ARG_recording},
	 "The page needs nothing but a browser, no network either. It says when how\n"
	 "much lived, was reserved and idle, who held the peak, where the blocks were,\n"
	 "which sizes were asked for, what was slow, what iterations took, and what\n"
	 "failed, so far as the recording says.\n"
	 "If the end of the recording is missing or damaged, all up to there counts,\n"
	 "one line says so, and the exit status is 1. FILE may also be what mnm has\n"
	 "written as a program's memory ran out (PID.oom.json): which code had asked,\n"
	 "what was live and idle, and who held it if the program was recorded.\n", NULL,
	 report_run, false, NULL, NULL},
	{"export", "write a recording as something else",
	 {ARG_format, ARG_device, ARG_output, ARG_output_word, ARG_recording},
	 "What was recorded last may be missing, if the program was killed or the disk\n"
	 "was full: then all up to there is written, one line says so, and the exit\n"
	 "status is 1.\n", export_more,
	 export_run, false, NULL, NULL},
	{"replay", "say what a recording would need with other pools",
	 {ARG_pools, ARG_simulated, ARG_streams, ARG_scale, ARG_scaled, ARG_fit,
	  ARG_plugin, ARG_set, ARG_json, ARG_play, ARG_replayed},
	 "Its requests and frees are made anew, by one thread, in the order of their\n"
	 "times, on the simulated device, with the real code of each pool. RESERVED is\n"
	 "the most that the pool took of the device, /LIVE that divided by the most\n"
	 "that was live, DRIVER the driver's calls that allocate and free, CALLS/IT\n"
	 "those of an iteration and SIM MS/IT what its calls take, both in the later\n"
	 "half of the iterations; NS/PAIR is the time of this machine for a request\n"
	 "and its free, the simulated driver's own work included. Exit status 1: FILE\n"
	 "is wrong or damaged; 130: it was stopped.\n", NULL,
	 replay_command, false, NULL, NULL},
	{"shadow", "say what other pools would need of a running program's requests",
	 {ARG_watch, ARG_roomy, ARG_plugin, ARG_set, ARG_json, ARG_shadowed,
	  ARG_shadow_pools},
	 "The program is recorded meanwhile, which costs it some 20 ns a request, and\n"
	 "each pool is played beside it on a simulated device: the program's own device\n"
	 "is not asked for anything. A table is printed again and again, until Ctrl-C or\n"
	 "the program's end; the exit status is 0 then.\n",
	 NULL,
	 shadow_command, false, NULL, NULL},
	{"import", "make a recording of what another tool has written",
	 {ARG_source_format, NEEDED | ARG_into, ARG_source},
	 "What was made is read by mnm report, export, plan and replay as any recording.\n"
	 "If something is wrong with FILE, one line says where, and nothing is written;\n"
	 "but of a log of RMM's or a CSV whose last line is cut off, all up to there is,\n"
	 "with exit status 1.\n",
	 import_more,
	 import_run, false, NULL, NULL},
	{"plan", "place lifetimes into as small a range of addresses as can be found",
	 {ARG_capacity, ARG_time, ARG_seed, ARG_period, ARG_iteration,
	  ARG_unit, ARG_svg, ARG_o, ARG_save, ARG_device, ARG_json, ARG_file},
	 "No two buffers that live at the same time overlap. FILE, plain or zstd, is\n"
	 "either CSV with the columns id, lower, upper (when it is not live any more)\n"
	 "and size, perhaps align and class, named in the first line; or a trace as\n"
	 "those of examples/traces; or a recording, of which --device chooses a device\n"
	 "[the first]. Time in these is the order of mallocs and frees. Ctrl-C ends the\n"
	 "search with the best plan so far. Exit status 1: it does not fit --capacity,\n"
	 "or FILE is wrong; 130: it was stopped.\n"
	 "\n"
	 "mnm plan PID --save FILE [--device N] writes the plan that tstack_pool has\n"
	 "made of what a running program repeats; with MNM_PLAN=FILE a later run\n"
	 "begins with it. Exit status 1: there is no plan yet.\n",
	 NULL,
	 plan_run, false, NULL, NULL},
	{"doctor", "show whether mnm works here, and under a program",
	 {ARG_json, ARG_probe, MAYBE | ARG_program},
	 "Each finding is ok, a warning or a problem, followed by what to do; its\n"
	 "JSON has level, subject, finding and advice. The program and its\n"
	 "libraries are looked at and not run. As a proof, doctor runs itself under\n"
	 "the library (mnm doctor --probe) and allocates a few blocks. Exit status\n"
	 "1: there is a problem.\n", NULL,
	 doctor_run, false, NULL, NULL},
	{"help", "say more about a command",
	 {MAYBE | ARG_topic}, NULL, NULL,
	 help_run, false, NULL, NULL},
	{"version", "print the version",
	 {0}, NULL, NULL,
	 version_run, false, NULL, NULL},
	{NULL, NULL, {0}, NULL, NULL, NULL, false, NULL, NULL},
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (const struct command *row = commands; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	error_print("mnm: unknown command '%s'; known:", name);
	for (const struct command *row = commands; row->name; row++)
		fprintf(stderr, " %s", row->name);
	fputc('\n', stderr);
	return NULL;
}
