#include "page_parts.h"

/* src/cli/page.mk makes the file. */
__asm__(".section .rodata\n"
	".global page_begin\n"
	".global page_begin_size\n"
	"page_begin:\n"
	".incbin \"page.zst\"\n"
	"page_begin_end:\n"
	".balign 8\n"
	"page_begin_size:\n"
	".quad page_begin_end - page_begin\n"
	".previous\n");

const char page_rest[] = "</script>\n</body>\n</html>\n";
