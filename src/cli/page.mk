# The page of `mnm report FILE -o`: all that comes before the figures of a
# recording, compressed. src/cli/report/page_parts.c puts it into mnm.

PAGE        := src/cli/report/page
PAGE_GEN    := $(BUILD)/gen/page
PAGE_LIB    := build/plotly/plotly.min.js
PAGE_SOURCE := $(sort $(wildcard $(PAGE)/*.js)) $(PAGE)/page.css $(PAGE)/body.html

$(PAGE_LIB):
	@scripts/setup

$(PAGE_GEN)/library.zst: $(PAGE)/head.html $(PAGE_LIB)
	$(call SAY,pack  )
	$(Q){ cat $(PAGE)/head.html && echo '<!--' && \
		cat $(dir $(PAGE_LIB))LICENSE.txt && echo '--><script>' && \
		cat $(PAGE_LIB) && echo '</script>'; } | zstd -qf -19 -o $@

$(PAGE_GEN)/page.zst: $(PAGE_GEN)/library.zst $(PAGE_SOURCE)
	$(call SAY,pack  )
	$(Q){ echo '<style>' && cat $(PAGE)/page.css && echo '</style><script>' && \
		cat $(filter %.js,$(PAGE_SOURCE)) && echo '</script>' && \
		cat $(PAGE)/body.html; } | zstd -q -19 -c | cat $< - >$@

$(BUILD)/obj/src/cli/report/page_parts.o: $(PAGE_GEN)/page.zst
$(BUILD)/obj/src/cli/report/page_parts.o: CFLAGS += -Wa,-I$(PAGE_GEN)
