# A walk over every hooked entry, on a driver that echoes what it is called
# with. gen_rows writes both from the toolkit's headers.

ROWS      := $(BUILD)/tests/rows
ROWS_GEN  := $(BUILD)/gen/rows
ECHO_OBJ  := $(addprefix $(BUILD)/obj/tests/rows/,echo.o echo_answers.o) \
	$(BUILD)/obj/$(ROWS_GEN)/echo_entries.o
WALK_OBJ  := $(addprefix $(BUILD)/obj/tests/rows/,walk.o asked.o values.o \
	rows.o) $(BUILD)/obj/$(ROWS_GEN)/calls.o

SHORT_OBJ := $(addprefix $(BUILD)/obj/tests/rows/,short.o values.o rows.o) \
	$(BUILD)/obj/$(ROWS_GEN)/calls.o

CHECK += $(ROWS)/walk $(ROWS)/short

$(ECHO_OBJ) $(WALK_OBJ) $(SHORT_OBJ): CPPFLAGS += -I$(ROWS_GEN) -Itests/rows -I$(WORK_GEN) \
	-Isrc/hooks
$(ECHO_OBJ) $(WALK_OBJ) $(SHORT_OBJ): | $(ROWS_GEN)/stamp $(WORK_GEN)/stamp

$(ROWS_GEN)/stamp: tests/rows/gen_rows tests/rows/echo_answers.c \
		src/sim/driver/gen_entries src/cuda/hook_list.h
	$(call SAY,gen   )
	$(Q)tests/rows/gen_rows $(CC) $(CUDA_HOME)/include $(@D) .
	@touch $@

$(addprefix $(ROWS_GEN)/,entries.h echo_entries.c calls.c): $(ROWS_GEN)/stamp ;

$(ROWS)/libcuda.so.1: $(ECHO_OBJ)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic \
		-Wl,-soname,libcuda.so.1 $^ -o $@

$(ROWS)/walk: $(WALK_OBJ) $(ROWS)/libcuda.so.1
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -o $@

$(ROWS)/short: $(SHORT_OBJ) $(ROWS)/libcuda.so.1
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -o $@

# Sequences of calls of the runtime, for both of its forms.
CALLS_OBJ := $(addprefix $(BUILD)/obj/tests/rows/,runtime_calls.o \
	runtime_memory.o runtime_frees.o runtime_answers.o)
RUNTIME_CALLS := $(addprefix $(ROWS)/,runtime_shared runtime_static)

CHECK += $(RUNTIME_CALLS)

$(ROWS)/runtime_static: NVCC_CUDART := none
$(ROWS)/runtime_static: $(BUILD)/sim/cudart_static.o
$(RUNTIME_CALLS): $(CALLS_OBJ)
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@
