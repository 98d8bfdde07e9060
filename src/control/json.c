/* What jansson's parser takes for stdin within the library, which reads no
 * stream through it: see LINK_LIBRARY in src/mnm.mk. */
#include <stdio.h>

extern FILE *__wrap_stdin;
FILE *__wrap_stdin;
