# awk -v machine=MACHINE   lets each function that is exported, in a compiler's
# output, begin as include/entry.h says.
BEGIN {
	if (machine ~ /^x86_64/) { # sub $0, %rsp in its longest form
		does_nothing = "\t.byte 0x48, 0x81, 0xec, 0, 0, 0, 0"
		times = 2
	} else if (machine ~ /^aarch64/) { # nobody's register at a call
		does_nothing = "\tmov w16, #0"
		times = 4
	} else {
		print "entry.awk: not written for " machine | "cat >&2"
		exit 1
	}
}

/^[ \t]*\.globl[ \t]/ { exported[$2] = 1 }
/^[ \t]*\.hidden[ \t]/ { hidden[$2] = 1 }
/^[A-Za-z_][A-Za-z0-9_.]*:/ {
	name = $1
	sub(/:.*/, "", name)
	begins = name in exported && !(name in hidden)
}
{ print }

begins && /^[ \t]*\.cfi_startproc/ {
	for (i = 0; i < times; i++)
		print does_nothing
	begins = 0
}
