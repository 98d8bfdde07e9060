# awk -v machine=MACHINE   makes each exported function in a compiler's output
# begin as src/hooks/entry.h says.
BEGIN {
	if (machine ~ /^x86_64/) { # the longest form of sub $0, %rsp
		does_nothing = "\t.byte 0x48, 0x81, 0xec, 0, 0, 0, 0"
		times = 2
	} else if (machine ~ /^aarch64/) { # w16 holds nothing at a call
		does_nothing = "\tmov w16, #0"
		times = 4
	} else {
		refuse("not written for " machine)
	}
}

function refuse(why) {
	print "entry.awk: " why | "cat >&2"
	failed = 1
	exit 1
}

/^[ \t]*\.(globa?l|weak)[ \t]/ { exported[$2] = 1 }
/^[ \t]*\.hidden[ \t]/ { hidden[$2] = 1 }
/^[ \t]*\.type[ \t].*function/ {
	name = $2
	sub(/,.*/, "", name)
	is_function[name] = 1
}
/^[A-Za-z_][A-Za-z0-9_.]*:/ {
	if (waiting)
		refuse(waiting " has no .cfi_startproc")
	name = $1
	sub(/:.*/, "", name)
	if (exported[name] && is_function[name] && !hidden[name])
		waiting = name
}
{ print }

waiting && /^[ \t]*\.cfi_startproc/ {
	for (i = 0; i < times; i++)
		print does_nothing
	waiting = ""
}

END {
	if (waiting && !failed)
		refuse(waiting " has no .cfi_startproc")
}
