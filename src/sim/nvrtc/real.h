/* The toolkit's own compiler, which this library stands in front of. */
#ifndef MNM_SIM_NVRTC_REAL_H
#define MNM_SIM_NVRTC_REAL_H

#include <nvrtc.h>

/* Every entry: its name without "nvrtc", parameters and arguments. Those of the
 * first list are handed on as they are. */
/* clang-format off */
#define NVRTC_PASSED(ENTRY) \
	ENTRY(Version, (int *major, int *minor), (major, minor)) \
	ENTRY(GetNumSupportedArchs, (int *count), (count)) \
	ENTRY(GetSupportedArchs, (int *archs), (archs)) \
	ENTRY(CreateProgram, \
	      (nvrtcProgram *program, const char *source, const char *name, \
	       int count, const char *const *headers, \
	       const char *const *names), \
	      (program, source, name, count, headers, names)) \
	ENTRY(GetPTXSize, (nvrtcProgram program, size_t *size), \
	      (program, size)) \
	ENTRY(GetPTX, (nvrtcProgram program, char *ptx), (program, ptx)) \
	ENTRY(GetLTOIRSize, (nvrtcProgram program, size_t *size), \
	      (program, size)) \
	ENTRY(GetLTOIR, (nvrtcProgram program, char *code), (program, code)) \
	ENTRY(GetOptiXIRSize, (nvrtcProgram program, size_t *size), \
	      (program, size)) \
	ENTRY(GetOptiXIR, (nvrtcProgram program, char *code), (program, code)) \
	ENTRY(GetProgramLogSize, (nvrtcProgram program, size_t *size), \
	      (program, size)) \
	ENTRY(GetProgramLog, (nvrtcProgram program, char *log), \
	      (program, log)) \
	ENTRY(AddNameExpression, \
	      (nvrtcProgram program, const char *expression), \
	      (program, expression)) \
	ENTRY(GetLoweredName, \
	      (nvrtcProgram program, const char *expression, \
	       const char **name), \
	      (program, expression, name)) \
	ENTRY(GetPCHHeapSize, (size_t *size), (size)) \
	ENTRY(SetPCHHeapSize, (size_t size), (size)) \
	ENTRY(GetPCHCreateStatus, (nvrtcProgram program), (program)) \
	ENTRY(GetPCHHeapSizeRequired, (nvrtcProgram program, size_t *size), \
	      (program, size)) \
	ENTRY(SetFlowCallback, \
	      (nvrtcProgram program, int (*callback)(void *, void *), \
	       void *user), \
	      (program, callback, user))
#define NVRTC_OWN(ENTRY) \
	ENTRY(DestroyProgram, (nvrtcProgram *program), (program)) \
	ENTRY(CompileProgram, \
	      (nvrtcProgram program, int count, const char *const *options), \
	      (program, count, options)) \
	ENTRY(GetCUBINSize, (nvrtcProgram program, size_t *size), \
	      (program, size)) \
	ENTRY(GetCUBIN, (nvrtcProgram program, char *code), (program, code))
/* clang-format on */

#define NVRTC_FIELD(name, params, args) nvrtcResult(*name) params;
struct nvrtc_real {
	NVRTC_PASSED(NVRTC_FIELD)
	NVRTC_OWN(NVRTC_FIELD)
	const char *(*GetErrorString)(nvrtcResult result);
};
#undef NVRTC_FIELD

/* The compiler, or NULL and a line on stderr if there is none. */
const struct nvrtc_real *nvrtc_real(void);

#endif
