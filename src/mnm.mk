# The preload library, and what it shares with the command line.

sources    = $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard $(1))))
COMMON_OBJ := $(call sources,src/common/*.c)
# Places lifetimes, and finds what repeats; knows nothing else of mnm.
PLAN_OBJ   := $(call sources,src/plan/*.c)
POOL_OBJ   := $(PLAN_OBJ) $(call sources,src/pools/*.c)
# Recordings: what reads them, for mnm and for programs of others; and what makes
# them.
READER_OBJ := $(addprefix $(BUILD)/obj/src/record/,bytes.o frame_read.o read_stacks.o reader.o)
RECORD_OBJ := $(BUILD)/obj/src/record/bytes.o \
	$(filter-out $(READER_OBJ),$(call sources,src/record/*.c))
# The layers between the entry points and the driver.
CORE_OBJ   := $(RECORD_OBJ) $(foreach layer,mem heap tcache checked order context stats block gate,\
	$(call sources,src/$(layer)/*.c))
LIB_OBJ    := $(COMMON_OBJ) $(POOL_OBJ) $(CORE_OBJ) \
	$(call sources,src/api/*.c src/hooks/*.c src/cuda/*.c src/preload/*.c \
		src/control/*.c)
# Hooks that are written from the toolkit's headers.
WORK_GEN   := $(BUILD)/gen/hooks
WORK_GEN_C := $(addprefix $(WORK_GEN)/,work_entries.c opaque_entries.c \
	room_entries.c api_names.c)
LIB_OBJ    += $(patsubst %.c,$(BUILD)/obj/%.o,$(WORK_GEN_C))
ENTRY_OBJ  += $(filter $(BUILD)/obj/src/hooks/% %_entries.o,$(LIB_OBJ))
# Traces in files, for programs that read them.
TRACE_OBJ  := $(call sources,src/trace/*.c)
CLI_OBJ    := $(COMMON_OBJ) $(PLAN_OBJ) $(TRACE_OBJ) $(READER_OBJ) \
	$(BUILD)/obj/src/record/frame_write.o \
	$(call sources,src/cli/*.c src/cli/doctor/*.c src/cli/export/*.c \
		src/cli/import/*.c src/cli/plan/*.c src/cli/replay/*.c \
		src/cli/report/*.c src/cli/shadow/*.c src/cli/top/*.c)

ALL += $(BUILD)/libmnm.so $(BUILD)/mnm $(BUILD)/libmnm-record.a

$(LIB_OBJ): CPPFLAGS += -I$(WORK_GEN) -Isrc/hooks
$(LIB_OBJ): | $(WORK_GEN)/stamp

$(WORK_GEN)/stamp: src/hooks/gen_work src/sim/driver/gen_entries src/cuda/hook_list.h
	$(call SAY,gen   )
	$(Q)src/hooks/gen_work $(CC) $(CUDA_HOME)/include $(@D) .
	@touch $@

$(WORK_GEN_C) $(addprefix $(WORK_GEN)/,work_list.h graphics_list.h room_list.h): \
	$(WORK_GEN)/stamp ;

# The library is preloaded, so it is sure to get static thread-local storage.
$(LIB_OBJ): CFLAGS += -ftls-model=initial-exec

# Its loops over sections are worth as much as can be made of them.
$(PLAN_OBJ): CFLAGS += -O3

# These run before a sanitizer's own start.
$(addprefix $(BUILD)/obj/src/,hooks/dlsym.o preload/loader.o \
	preload/elf_symbol.o preload/dlmopen.o): SANFLAGS :=

# A process writes at its exit which lines ran. Nothing is optimised, so that
# each line and branch of the source is one of the object.
ifneq ($(COVERAGE),)
$(LIB_OBJ) $(CLI_OBJ): CFLAGS += -O0 --coverage -fprofile-update=atomic
LDFLAGS += --coverage
endif

# LINK_LIBRARY(objects). jansson's parser compares the stream that it reads with
# stdin, in a way that the linker refuses in a shared library. So in place of
# stdin, src/control/json.c has a variable that is never such a stream.
LINK_LIBRARY = $(CC) -shared $(SANFLAGS) $(LDFLAGS) -Wl,-z,now -Wl,-z,relro \
	-Wl,-Bsymbolic -Wl,--version-script=src/hooks/exports.map \
	-Wl,-soname,libmnm.so -Wl,--wrap=stdin $(1) -l:libjansson.a -l:libzstd.a -o $@

$(BUILD)/libmnm.so: $(LIB_OBJ) src/hooks/exports.map
	$(call SAY,link  )
	$(Q)$(call LINK_LIBRARY,$(LIB_OBJ))

# For programs that read recordings, see include/mnm/record.h.
$(BUILD)/libmnm-record.a: $(READER_OBJ)
	$(call SAY,ar    )
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(READER_OBJ)

# What mnm needs beside the C library is in it, so that it runs anywhere.
CLI_LIBS := -l:libjansson.a -l:libzstd.a -l:libncursesw.a -l:libtinfo.a \
	-lm -ldl -pthread

$(BUILD)/mnm: $(CLI_OBJ)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(CLI_OBJ) $(CLI_LIBS) -o $@

# One word for the shell, whatever characters the folders have.
INSTALL_AT   = '$(subst ','\'',$(DESTDIR)$(PREFIX))/$(1)'
INSTALL_BIN := $(call INSTALL_AT,bin)
INSTALL_LIB := $(call INSTALL_AT,lib/mnm)
INSTALL_H   := $(call INSTALL_AT,include/mnm)
# Programs that build against the headers find them by these.
INSTALL_PC  := $(call INSTALL_AT,lib/pkgconfig)
INSTALL_CM  := $(call INSTALL_AT,lib/cmake/mnm)
MNM_VERSION  = $(shell sed -n 's/.*define MNM_VERSION "\(.*\)"/\1/p' \
	src/common/version.h)
INSTALL_MAN := $(call INSTALL_AT,share/man/man1)
INSTALL_OWN := $(call INSTALL_AT,share/mnm)
INSTALL_PY  := $(INSTALL_OWN)/python/mnm
INSTALL_DOC := $(call INSTALL_AT,share/doc/mnm)
# The README, and the pages and pictures to which its links and theirs lead.
PAGES       := $(wildcard *.md docs/*.md docs/*.svg docs/*.png docs/results/*.md \
	src/sim/*.md tests/*/README.md tests/bench/plan/README.md)

# Readable for all, whatever the umask is.
install:
	@scripts/setup
	@$(MAKE) --no-print-directory all
	install -d $(INSTALL_BIN) $(INSTALL_LIB)/sim/profiles $(INSTALL_MAN) \
		$(INSTALL_H) $(INSTALL_PC) $(INSTALL_CM)
	install $(BUILD)/mnm $(INSTALL_BIN)/
	install $(BUILD)/libmnm.so $(INSTALL_LIB)/
	install -m 644 $(BUILD)/libmnm-record.a $(INSTALL_LIB)/
	install $(BUILD)/sim/lib*.so.* $(BUILD)/sim/*.kernels.so \
		$(INSTALL_LIB)/sim/
	cp -P $(BUILD)/sim/lib*.so $(INSTALL_LIB)/sim/
	install -m 644 $(BUILD)/sim/profiles/* $(INSTALL_LIB)/sim/profiles/
	install -m 644 docs/mnm.1 $(INSTALL_MAN)/
	install -m 644 include/mnm/*.h include/mnm/*.hpp $(INSTALL_H)/
	sed 's/@VERSION@/$(MNM_VERSION)/' include/mnm.pc.in | \
		install -m 644 /dev/stdin $(INSTALL_PC)/mnm.pc
	install -m 644 include/mnm-config.cmake $(INSTALL_CM)/
	sed 's/@VERSION@/$(MNM_VERSION)/' include/mnm-config-version.cmake.in | \
		install -m 644 /dev/stdin $(INSTALL_CM)/mnm-config-version.cmake
	install -d $(INSTALL_PY)
	install -m 644 python/mnm/*.py python/mnm/py.typed $(INSTALL_PY)/
	@for page in LICENSE $(PAGES) examples/plugins/* examples/api/* \
			examples/*.ipynb; do \
		install -D -m 644 $$page $(INSTALL_DOC)/$$page || exit; done

uninstall:
	rm -rf $(INSTALL_LIB) $(INSTALL_DOC) $(INSTALL_H) $(INSTALL_CM) \
		$(INSTALL_OWN)
	rm -f $(INSTALL_PC)/mnm.pc $(INSTALL_BIN)/mnm $(INSTALL_MAN)/mnm.1
