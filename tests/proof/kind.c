#include "kind.h"

#include <string.h>

#include "step.h"

/* In a kind with rows of its own, one step of so many is drawn from all
 * rows. */
enum { ANY_ONE_IN = 40 };

struct weight {
	const char *name; /* NULL ends the list */
	unsigned weight;
};

static const struct weight dense[] = {
	{"alloc", 30}, {"free", 22}, {"touch", 26}, {"context_sync", 2}, {0}};
static const struct weight contexts[] = {
	{"alloc", 30},        {"free", 26},
	{"touch", 22},        {"copy", 24},
	{"context_sync", 14}, {"context_new", 12},
	{"context_drop", 8},  {0}};
static const struct weight renewals[] = {{"alloc", 30},
					 {"free", 26},
					 {"touch", 10},
					 {"context_new", 12},
					 {"context_drop", 12},
					 {"trim", 6},
					 {0}};
static const struct weight devices[] = {
	{"alloc", 30}, {"free", 26}, {"touch", 26}, {"copy", 3}, {0}};
static const struct weight full[] = {
	{"alloc", 30}, {"free", 28},      {"touch", 8}, {"trim", 1},
	{"swap", 1},   {"thread_new", 2}, {0}};
static const struct weight pinned[] = {
	{"pinned_alloc", 24}, {"pinned_free", 20}, {"pinned_in", 14},
	{"pinned_out", 14},   {"alloc", 6},        {"free", 4},
	{"stream_sync", 3},   {"context_sync", 2}, {0}};

static const struct weight hands[] = {{"alloc", 36},
				      {"free", 32},
				      {"touch", 8},
				      {"thread_new", 5},
				      {"context_new", 1},
				      {"context_drop", 1},
				      {"capture_begin", 1},
				      {"capture_end", 4},
				      {"swap", 2},
				      {"trim", 2},
				      {"level", 1},
				      {"quarantine", 1},
				      {0}};

static const struct weight alone[] = {
	{"alloc", 40},      {"free", 36},         {"touch", 30},
	{"context_new", 1}, {"context_drop", 2},  {"stream_new", 1},
	{"stream_drop", 1}, {"capture_begin", 1}, {"capture_end", 6},
	{"thread_new", 1},  {"level", 1},         {0}};

static const struct weight faulty[] = {
	{"alloc", 34},        {"free", 28},        {"touch", 14},
	{"copy", 6},          {"context_new", 3},  {"context_drop", 4},
	{"context_sync", 3},  {"pinned_alloc", 4}, {"pinned_free", 4},
	{"capture_begin", 1}, {"capture_end", 4},  {"swap", 4},
	{"trim", 4},          {"quarantine", 1},   {0}};

static const struct weight graphs[] = {{"alloc", 30},
				       {"free", 20},
				       {"touch", 8},
				       {"copy", 4},
				       {"graph_new", 12},
				       {"graph_instantiate", 16},
				       {"graph_launch", 26},
				       {"graph_drop", 5},
				       {"capture_begin", 4},
				       {"capture_end", 10},
				       {"green_new", 3},
				       {"green_drop", 2},
				       {"context_new", 1},
				       {"context_drop", 1},
				       {"swap", 1},
				       {"trim", 1},
				       {0}};

static const struct weight streams[] = {{"alloc", 34},
					{"free_async", 26},
					{"free", 6},
					{"touch", 26},
					{"touch_two", 8},
					{"order", 12},
					{"stream_new", 2},
					{"stream_drop", 2},
					{"stream_again", 6},
					{"stream_sync", 1},
					{"context_sync", 1},
					{"event_new", 2},
					{"event_again", 3},
					{"event_record", 8},
					{"event_wait", 8},
					{"thread_new", 3},
					{"swap", 1},
					{"trim", 1},
					{"level", 1},
					{"capture_begin", 1},
					{"capture_end", 40},
					{"mempool", 3},
					{0}};

/* In a narrow program nothing else comes between. */
static const struct weight narrow[] = {
	{"alloc", 30},      {"free_async", 28},   {"touch", 20},
	{"order", 6},       {"event_record", 12}, {"event_wait", 12},
	{"event_again", 4}, {"event_new", 2},     {"stream_again", 4},
	{"stream_new", 1},  {"thread_new", 2},    {"event_sync", 1},
	{"stream_sync", 1}, {"capture_end", 20},  {0}};

/* What comes between the requests of laps, which laps.c draws. */
static const struct weight laps[] = {
	{"touch", 12},        {"touch_two", 6},    {"fill", 3},
	{"copy", 4},          {"order", 3},        {"alloc", 3},
	{"free", 2},          {"free_async", 1},   {"alloc_too_much", 1},
	{"stream_sync", 1},   {"context_sync", 2}, {"trim", 3},
	{"swap", 2},          {"level", 1},        {"quarantine", 1},
	{"capture_begin", 1}, {"capture_end", 12}, {"thread_new", 1},
	{"context_new", 1},   {"context_drop", 1}, {0}};

static const struct {
	const char *name;
	unsigned share;
	const struct weight *weights; /* NULL for the weights in the rows */
	bool closed;                  /* only these rows are legal */
} kinds[] = {
	[MIXED] = {"mixed", 10, NULL, false},
	[DENSE] = {"dense", 2, dense, false},
	[CONTEXTS] = {"contexts", 3, contexts, false},
	[RENEWALS] = {"renewals", 2, renewals, false},
	[DEVICES] = {"devices", 2, devices, false},
	[FULL] = {"full", 1, full, true},
	[PINNED] = {"pinned", 2, pinned, false},
	[HANDS] = {"hands", 4, hands, false},
	[ALONE] = {"alone", 3, alone, false},
	[FAULTY] = {"faulty", 3, faulty, false},
	[GRAPHS] = {"graphs", 3, graphs, false},
	[STREAMS] = {"streams", 4, streams, false},
	[LAPS] = {"laps", 0, laps, false}, /* see setting.c */
};

enum kind kind_draw(struct random *random)
{
	unsigned sum = 0, kind = 0, at;

	for (unsigned i = 0; i < KIND_COUNT; i++)
		sum += kinds[i].share;
	for (at = random_below(random, sum); at >= kinds[kind].share; kind++)
		at -= kinds[kind].share;
	return (enum kind)kind;
}

static const struct step_row *any_row_draw(struct program *program)
{
	const struct step_row *row;
	unsigned sum = 0, at;

	for (row = step_rows; row->name; row++)
		sum += row->weight;
	at = random_below(&program->random, sum);
	for (row = step_rows; at >= row->weight; row++)
		at -= row->weight;
	return row;
}

const struct step_row *kind_row_draw(struct program *program)
{
	enum kind kind = program->setting.kind;
	const struct weight *all =
		program->narrow ? narrow : kinds[kind].weights;
	const struct weight *row = all;
	unsigned sum = 0, at;

	if (!row || (!kinds[kind].closed &&
		     random_one_in(&program->random, ANY_ONE_IN)))
		return any_row_draw(program);
	for (; row->name; row++)
		sum += row->weight;
	at = random_below(&program->random, sum);
	for (row = all; at >= row->weight; row++)
		at -= row->weight;
	return step_row_find(row->name);
}

enum kind kind_find(const char *name)
{
	unsigned kind = 0;

	while (kind < KIND_COUNT && strcmp(kinds[kind].name, name))
		kind++;
	return (enum kind)kind;
}

const char *kind_name(enum kind kind)
{
	return kinds[kind].name;
}
