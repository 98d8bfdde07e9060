/* The types of PTX. */
#ifndef SIM_PTX_TYPE_H
#define SIM_PTX_TYPE_H

#include <stdbool.h>
#include <stddef.h>

/* name, bytes, class */
/* clang-format off */
#define PTX_TYPES(T) \
	T(PRED, "pred", 1, PRED) \
	T(B8, "b8", 1, BITS) T(B16, "b16", 2, BITS) T(B32, "b32", 4, BITS) \
	T(B64, "b64", 8, BITS) T(B128, "b128", 16, BITS) \
	T(U8, "u8", 1, UNSIGNED) T(U16, "u16", 2, UNSIGNED) \
	T(U32, "u32", 4, UNSIGNED) T(U64, "u64", 8, UNSIGNED) \
	T(S8, "s8", 1, SIGNED) T(S16, "s16", 2, SIGNED) \
	T(S32, "s32", 4, SIGNED) T(S64, "s64", 8, SIGNED) \
	T(F16, "f16", 2, FLOAT) T(F16X2, "f16x2", 4, FLOAT) \
	T(BF16, "bf16", 2, FLOAT) T(BF16X2, "bf16x2", 4, FLOAT) \
	T(F32, "f32", 4, FLOAT) T(F64, "f64", 8, FLOAT) \
	T(F32X2, "f32x2", 8, FLOAT) \
	T(U16X2, "u16x2", 4, UNSIGNED) T(S16X2, "s16x2", 4, SIGNED) \
	T(TEXREF, "texref", 8, HANDLE) T(SAMPLERREF, "samplerref", 8, HANDLE) \
	T(SURFREF, "surfref", 8, HANDLE)
/* clang-format on */

enum ptx_type {
	PTX_NO_TYPE,
#define PTX_TYPE_ENUM(name, text, bytes, kind) PTX_##name,
	PTX_TYPES(PTX_TYPE_ENUM)
};

enum ptx_class {
	PTX_CLASS_PRED,
	PTX_CLASS_BITS,
	PTX_CLASS_UNSIGNED,
	PTX_CLASS_SIGNED,
	PTX_CLASS_FLOAT,
	PTX_CLASS_HANDLE,
};

/* The type of this name, as in "u32"; PTX_NO_TYPE if there is none. */
enum ptx_type ptx_type_find(const char *text, size_t length);
size_t ptx_type_bytes(enum ptx_type type);
enum ptx_class ptx_type_class(enum ptx_type type);
const char *ptx_type_text(enum ptx_type type);

#endif
