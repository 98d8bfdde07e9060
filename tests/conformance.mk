# Claims about the driver, one program for each noun. Run them with
# LD_LIBRARY_PATH=$(BUILD)/sim, or on a GPU without it.
CONFORMANCE := memory pool pool_access pool_attributes pool_graph pool_host \
	pool_legacy pool_limit pool_managed pool_node pool_order pool_release \
	pool_share host copy fill stream event context primary kernel entry \
	pointer ipc vmm external array managed threads capture capture_rules \
	graph graph_update graph_query graph_node green scarcity \
	launch module occupancy stream_attribute user_object global \
	graph_work graph_kernel graph_event memop link logs \
	texref coredump heap
CONFORMANCE := $(CONFORMANCE:%=$(BUILD)/tests/conformance/%)

CHECK += $(CONFORMANCE) $(CONFORMANCE:=.kernels.so)

$(CONFORMANCE): $(BUILD)/tests/conformance/%: \
		$(BUILD)/obj/tests/conformance/%.o \
		$(BUILD)/obj/tests/conformance/claims.o \
		$(BUILD)/obj/tests/conformance/pools.o \
		$(BUILD)/obj/tests/conformance/peer.o $(SIM_DRIVER) \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(filter %.o,$^) -L$(BUILD)/sim -lcuda \
		$(subst -lsubunit,-l:libsubunit.a,$(shell \
		pkg-config --libs check)) -pthread -o $@

$(BUILD)/tests/conformance/%.kernels.so: \
		$(BUILD)/obj/tests/conformance/add_kernels.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) -shared $^ -o $@

# Claims that hold only for the simulated driver.
SIM_CLAIMS := $(addprefix $(BUILD)/tests/programs/,sim_code_claims \
	sim_graph_claims sim_pool_claims sim_condition_claims)
CHECK += $(SIM_CLAIMS) \
	$(BUILD)/tests/programs/sim_condition_claims.kernels.so

$(BUILD)/tests/programs/sim_condition_claims.kernels.so: \
		$(BUILD)/obj/tests/programs/set_kernels.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) -shared $^ -o $@

$(SIM_CLAIMS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/obj/tests/conformance/claims.o \
		$(BUILD)/obj/tests/conformance/pools.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(filter %.o,$^) -L$(BUILD)/sim -lcuda \
		$(shell pkg-config --libs check) -pthread -o $@
