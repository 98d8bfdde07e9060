/* How the index of blocks grows, for the model checker spin: a block that is
 * entered during a growth is in the new table. See block_index.c; its accesses
 * are modelled as atomic steps in one order.
 *
 * Each guard can be left out by -D; the search must then find the fault. */

bool entered[2]; /* the block's entry, in the old table and the new one */
byte table;      /* which of the two is the index */
bool growing, locked, done;

/* block_index.c: block_index_grow */
active proctype grower()
{
	bool found;

	atomic { !locked -> locked = true }
#ifndef NOT_SAID
	growing = true;
#endif
	found = entered[0]; /* table_grown */
	entered[1] = entered[1] || found;
#ifdef SAID_SHORTLY
	growing = false;
	table = 1;
#else
	table = 1;
	growing = false;
#endif
	entered[0] = false; /* table_retire */
	locked = false
}

/* block_index.c: index_enter */
active proctype enterer()
{
	byte at;

	do
	:: true ->
		at = table;
		entered[at] = true;
#ifndef NOT_ASKED
		if
		:: growing -> !locked
		:: else
		fi;
#endif
		if
		:: table == at -> break
		:: else
		fi
	od;
	done = true
}

/* block_index.c: block_find. A block that has been entered is found at any
 * time. */
active proctype finder()
{
	byte at;
	bool found;

	done;
	do
	:: true ->
		at = table;
		found = entered[at];
		if
#ifndef LAST_WORD
		:: !found && table != at
#endif
		:: found || table == at -> break
#ifdef LAST_WORD
		:: else -> break
#endif
		fi
	od;
	assert(found)
}
