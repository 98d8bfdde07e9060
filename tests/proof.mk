# Generated programs; see tests/proof/README.md.
PROOF     := $(BUILD)/tests/proof/proof
PROOF_SRC := $(filter-out %_kernel.c %/points.c $(if $(SAN),%/schedule.c %/calls.c, \
	%/free_schedule.c),$(wildcard tests/proof/*.c))
PROOF_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(PROOF_SRC))

# The library with more points where the schedule may switch; see points.c.
POINTS     := $(if $(SAN),,$(dir $(PROOF))libmnm.so)
# These are the core, the fast path in the hooks of memory calls, and what
# queues work.
POINTS_OF  := $(CORE_OBJ) $(POOL_OBJ) $(BUILD)/obj/src/hooks/memory.o \
	$(BUILD)/obj/src/hooks/ordered.o $(BUILD)/obj/src/hooks/ordered_free.o \
	$(BUILD)/obj/$(WORK_GEN)/work_entries.o
POINTS_OBJ := $(POINTS_OF:$(BUILD)/obj/%=$(BUILD)/obj/points/%)

CHECK += $(PROOF) $(PROOF).kernels.so $(POINTS)
.PHONY: soak

$(PROOF_OBJ): CPPFLAGS += $(if $(SAN),-DPROOF_FREE)

# In this library the index of blocks is so small that it grows, and all of it
# is searched when a context ends. The bound of idle memory has no least size.
# One stream's order comes back after a few requests.
$(POINTS_OBJ): CPPFLAGS += -I$(WORK_GEN) -Isrc/hooks -DTABLE_LEAST=24 \
	-DTABLE_TAIL=4 -DBOUND_LEAST=1 -DRETURN_REQUESTS=2 \
	-DALONE_REQUESTS=3
$(POINTS_OBJ): CFLAGS += -ftls-model=initial-exec -fsanitize=thread
ENTRY_OBJ += $(filter %/hooks/memory.o %/hooks/ordered.o \
	%/hooks/ordered_free.o %/work_entries.o,\
	$(POINTS_OBJ))
$(POINTS_OBJ): | $(WORK_GEN)/stamp

$(BUILD)/obj/points/%.o: %.c
	$(call SAY,cc    )
	$(Q)$(COMPILE)

$(POINTS): $(POINTS_OBJ) $(BUILD)/obj/tests/proof/points.o \
		$(filter-out $(POINTS_OF),$(LIB_OBJ)) \
		src/hooks/exports.map
	$(call SAY,link  )
	$(Q)$(call LINK_LIBRARY,$(filter %.o,$^))

# The program exports its pthread calls to the libraries that it runs with.
$(PROOF): $(PROOF_OBJ)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -rdynamic -pthread -o $@

$(PROOF).kernels.so: $(BUILD)/obj/tests/proof/touch_kernel.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) -shared $^ -o $@

soak: $(ALL) $(PROOF) $(PROOF).kernels.so $(POINTS)
	@$(PROOF) --forever
