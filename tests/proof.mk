# Generated programs; see tests/proof/README.md.
PROOF     := $(BUILD)/tests/proof/proof
PROOF_SRC := $(filter-out %_kernel.c $(if $(SAN),%/schedule.c %/calls.c, \
	%/free_schedule.c),$(wildcard tests/proof/*.c))
PROOF_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(PROOF_SRC))

CHECK += $(PROOF) $(PROOF).kernels.so
.PHONY: soak

$(PROOF_OBJ): CPPFLAGS += $(if $(SAN),-DPROOF_FREE)

# Exports its pthread calls to the libraries that it is run with.
$(PROOF): $(PROOF_OBJ)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -rdynamic -pthread -o $@

$(PROOF).kernels.so: $(BUILD)/obj/tests/proof/touch_kernel.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) -shared $^ -o $@

soak: $(ALL) $(PROOF) $(PROOF).kernels.so
	@$(PROOF) --forever
