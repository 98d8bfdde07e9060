/* Single instructions of PTX: operands and results that are known. */
#include <math.h>
#include <stdio.h>

#include "ptx_run.h"

/* Registers %r1 to %r3, %rd1 to %rd3, ... have the operands' bits; the result
 * is in number 4 of those that `in` names: r, d (of 64 bits), h (of 16), p. */
static const struct {
	const char *text;
	char in;
	uint64_t a, b, c, result;
} ops[] = {
	{"add.s32 %r4, %r1, %r2;", 'r', 0xffffffff, 2, 0, 1},
	{"add.sat.s32 %r4, %r1, %r2;", 'r', 0x7fffffff, 2, 0, 0x7fffffff},
	{"sub.s64 %rd4, %rd1, %rd2;", 'd', 1, 2, 0, UINT64_MAX},
	{"sub.u16 %h4, %h1, %h2;", 'h', 1, 2, 0, 0xffff},
	{"mul.lo.s32 %r4, %r1, -3;", 'r', 5, 0, 0, (uint32_t)-15},
	{"mul.hi.s32 %r4, %r1, %r2;", 'r', (uint32_t)-5, 3, 0, 0xffffffff},
	{"mul.hi.u32 %r4, %r1, %r2;", 'r', 0xffffffff, 0xffffffff, 0,
	 0xfffffffe},
	{"mul.hi.u64 %rd4, %rd1, %rd2;", 'd', UINT64_MAX, UINT64_MAX, 0,
	 UINT64_MAX - 1},
	{"mul.hi.s64 %rd4, %rd1, %rd2;", 'd', UINT64_MAX, 7, 0, UINT64_MAX},
	{"mul.wide.s32 %rd4, %r1, %r2;", 'd', (uint32_t)-5, 3, 0,
	 (uint64_t)-15},
	{"mul.wide.u32 %rd4, %r1, %r2;", 'd', 0xffffffff, 2, 0, 0x1fffffffe},
	{"mul.wide.u16 %r4, %h1, %h2;", 'r', 0xffff, 0xffff, 0, 0xfffe0001},
	{"mad.wide.s32 %rd4, %r1, %r2, %rd3;", 'd', (uint32_t)-5, 3, 20, 5},
	{"mad.hi.u32 %r4, %r1, %r2, %r3;", 'r', 1u << 31, 6, 4, 7},
	{"mul24.lo.u32 %r4, %r1, %r2;", 'r', 0xff000003, 5, 0, 15},
	{"div.s32 %r4, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-3},
	{"div.s32 %r4, %r1, %r2;", 'r', 0x80000000, 0xffffffff, 0, 0x80000000},
	{"rem.s32 %r4, %r1, %r2;", 'r', 0x80000000, 0xffffffff, 0, 0},
	{"rem.s64 %rd4, %rd1, %rd2;", 'd', (uint64_t)-7, 2, 0, UINT64_MAX},
	{"div.u32 %r4, %r1, %r2;", 'r', 7, 0, 0, 0xffffffff},
	{"min.s32 %r4, %r1, %r2;", 'r', 1, 0xffffffff, 0, 0xffffffff},
	{"min.u32 %r4, %r1, %r2;", 'r', 1, 0xffffffff, 0, 1},
	{"max.s16 %h4, %h1, %h2;", 'h', 1, 0xffff, 0, 1},
	{"abs.s32 %r4, %r1;", 'r', 0x80000000, 0, 0, 0x80000000},
	{"neg.s64 %rd4, %rd1;", 'd', 3, 0, 0, (uint64_t)-3},
	{"sad.u32 %r4, %r1, %r2, %r3;", 'r', 3, 10, 100, 107},
	{"dp4a.u32.u32 %r4, %r1, %r2, %r3;", 'r', 0x01020304, 0x01010102, 5,
	 19},
	{"dp4a.s32.s32 %r4, %r1, %r2, %r3;", 'r', 0xff020304, 0x01010101, 0, 8},
	{"add.cc.u32 %r4, %r1, %r2; addc.u32 %r4, %r3, 0;", 'r', 0xffffffff, 1,
	 5, 6},
	{"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r4, %r3, 0;", 'r', 1, 2, 5, 4},
	{"sub.cc.u32 %r4, %r1, %r2; addc.u32 %r4, 0, 0;", 'r', 5, 2, 0, 1},
	{"sub.cc.u32 %r4, %r1, %r2; addc.u32 %r4, 0, 0;", 'r', 2, 5, 0, 0},
	{"mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r4, %r1, %r2, 0;", 'r',
	 0xffffffff, 2, 2, 2},
	{"mad.hi.cc.s32 %r4, %r1, %r2, %r3;", 'r', 0xffffffff, 2, 7, 6},

	{"and.b32 %r4, %r1, %r2;", 'r', 12, 10, 0, 8},
	{"not.b16 %h4, %h1;", 'h', 1, 0, 0, 0xfffe},
	{"cnot.b32 %r4, %r1;", 'r', 0, 0, 0, 1},
	{"shl.b32 %r4, %r1, %r2;", 'r', 1, 32, 0, 0},
	{"shl.b64 %rd4, %rd1, %r2;", 'd', 1, 63, 0, UINT64_C(1) << 63},
	{"shr.s32 %r4, %r1, %r2;", 'r', 0x80000000, 40, 0, 0xffffffff},
	{"shr.u32 %r4, %r1, %r2;", 'r', 0x80000000, 31, 0, 1},
	{"shr.u16 %h4, %h1, %r2;", 'h', 0x8000, 16, 0, 0},
	{"shf.l.wrap.b32 %r4, %r1, %r2, %r3;", 'r', 0x80000000, 1, 33, 3},
	{"shf.r.clamp.b32 %r4, %r1, %r2, %r3;", 'r', 5, 7, 40, 7},
	{"shf.l.clamp.b32 %r4, %r1, %r2, %r3;", 'r', 5, 7, 40, 5},
	{"popc.b64 %r4, %rd1;", 'r', UINT64_MAX, 0, 0, 64},
	{"clz.b32 %r4, %r1;", 'r', 0, 0, 0, 32},
	{"clz.b64 %r4, %rd1;", 'r', 1, 0, 0, 63},
	{"brev.b32 %r4, %r1;", 'r', 1, 0, 0, 0x80000000},
	{"brev.b64 %rd4, %rd1;", 'd', 6, 0, 0, UINT64_C(3) << 61},
	{"bfind.u32 %r4, %r1;", 'r', 0x50, 0, 0, 6},
	{"bfind.s32 %r4, %r1;", 'r', 0xffffffff, 0, 0, 0xffffffff},
	{"bfind.shiftamt.u32 %r4, %r1;", 'r', 0x50, 0, 0, 25},
	{"bfe.u32 %r4, %r1, %r2, %r3;", 'r', 0x1234, 4, 8, 0x23},
	{"bfe.s32 %r4, %r1, %r2, %r3;", 'r', 0x8f0, 4, 8, 0xffffff8f},
	{"bfe.s32 %r4, %r1, %r2, %r3;", 'r', 0x80000000, 28, 8, 0xfffffff8},
	{"bfe.u64 %rd4, %rd1, %r2, %r3;", 'd', UINT64_MAX, 60, 8, 15},
	{"bfi.b32 %r4, %r1, %r2, 4, 8;", 'r', 0xab, 0x12345678, 0, 0x12345ab8},
	{"bfi.b64 %rd4, %rd1, %rd2, 32, 32;", 'd', 7, 9, 0, 0x700000009},
	{"prmt.b32 %r4, %r1, %r2, %r3;", 'r', 0x33221100, 0x77665544, 0x7250,
	 0x77225500},
	{"prmt.b32 %r4, %r1, %r2, %r3;", 'r', 0x80, 0, 0x0008, 0x808080ff},
	{"prmt.b32.rc8 %r4, %r1, %r2, %r3;", 'r', 0x33221100, 0, 2, 0x22222222},
	{"prmt.b32.b4e %r4, %r1, %r2, %r3;", 'r', 0x33221100, 0x77665544, 1,
	 0x66770011},
	{"prmt.b32.f4e %r4, %r1, %r2, %r3;", 'r', 0x33221100, 0x77665544, 3,
	 0x66554433},
	{"lop3.b32 %r4, %r1, %r2, %r3, 0x96;", 'r', 12, 10, 7, 12 ^ 10 ^ 7},
	{"lop3.b32 %r4, %r1, %r2, %r3, 0xca;", 'r', 12, 10, 7, 11},
	{"fns.b32 %r4, %r1, 0, 2;", 'r', 0x14, 0, 0, 4},
	{"bmsk.clamp.b32 %r4, %r1, %r2;", 'r', 4, 8, 0, 0xff0},
	{"add.u16x2 %r4, %r1, %r2;", 'r', 0x0001ffff, 0x00020002, 0,
	 0x00030001},

	{"vadd.u32.u32.u32 %r4, %r1.b1, %r2.h1;", 'r', 0x1234, 0x56780000, 0,
	 0x568a},
	{"vadd.s32.s32.u32 %r4, %r1.b0, %r2.b0;", 'r', 0xff, 0xff, 0, 254},
	{"vsub.s32.u32.u32.sat %r4.b1, %r1, %r2, %r3;", 'r', 0, 200, 0x11223344,
	 0x11228044},
	{"vsub.u32.u32.u32.sat %r4, %r1, %r2;", 'r', 5, 6, 0, 0},
	{"vadd.s32.s32.s32.sat %r4, %r1, %r2;", 'r', 0x7fffffff, 1, 0,
	 0x7fffffff},
	{"vabsdiff.u32.s32.s32 %r4, %r1, %r2;", 'r', 0x80000000, 0x7fffffff, 0,
	 0xffffffff},
	{"vabsdiff.u32.u32.u32.add %r4, %r1.b0, %r2.b0, %r3;", 'r', 9, 12, 100,
	 103},
	{"vmin.s32.s32.s32.max %r4, %r1, %r2, %r3;", 'r', 0xfffffff0, 2,
	 0xfffffff8, 0xfffffff8},
	{"vmax.u32.u32.u32.min %r4, %r1, %r2, %r3;", 'r', 0xfffffff0, 2, 7, 7},
	{"vshl.u32.u32.u32.wrap %r4, %r1, %r2;", 'r', 3, 33, 0, 6},
	{"vshl.u32.u32.u32.clamp %r4, %r1, %r2;", 'r', 3, 33, 0, 0},
	{"vshl.u32.u32.u32.sat.clamp %r4, %r1, %r2;", 'r', 3, 31, 0,
	 0xffffffff},
	{"vshr.s32.s32.u32.clamp.add %r4, %r1, %r2, %r3;", 'r', 0x80000000, 99,
	 5, 4},
	{"vset.s32.u32.lt %r4, %r1.h1, %r2;", 'r', 0x80000000, 3, 0, 1},
	{"vset.u32.u32.ge %r4.h1, %r1, %r2, %r3;", 'r', 3, 3, 0x55555555,
	 0x00015555},
	{"vadd2.u32.u32.u32 %r4, %r1, %r2, %r3;", 'r', 0x0001ffff, 0x00020002,
	 0, 0x00030001},
	{"vadd2.s32.s32.s32.sat %r4.h1, %r1, %r2, %r3;", 'r', 0x7fff0000,
	 0x00010000, 0x1111, 0x7fff1111},
	{"vsub2.s32.s32.s32.add %r4, %r1.h01, %r2.h22, %r3;", 'r', 0x00050003,
	 7, 100, 94},
	{"vavrg2.s32.s32.s32 %r4, %r1, %r2, %r3;", 'r', 0x0002fffe, 0x0003fffd,
	 0, 0x0003fffd},
	{"vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 'r', 0x10203040,
	 0x40302010, 1, 0x81},
	{"vabsdiff4.u32.u32.u32.add %r4.b30, %r1, %r2, %r3;", 'r', 0x10203040,
	 0x40302010, 1, 0x61},
	{"vadd4.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 'r', 0xff01fe02,
	 0x02020202, 0, 0xff03ff04},
	{"vmin4.s32.s32.s32 %r4, %r1.b0123, %r2.b0000, %r3;", 'r', 0x80010203,
	 0, 0, 0x03020180},
	{"vmax4.u32.u32.u32 %r4.b21, %r1, %r2.b4444, %r3;", 'r', 0x11223344,
	 0x30, 0xaabbccdd, 0xaa3033dd},
	{"vset4.u32.u32.eq %r4, %r1, %r2, %r3;", 'r', 0x11223344, 0x11003300, 0,
	 0x01000100},
	{"vset4.u32.u32.ne.add %r4, %r1, %r2, %r3;", 'r', 0x11223344,
	 0x11003300, 5, 7},

	{"mov.b32 %r4, {%h2, %h1};", 'r', 0xabcd, 0x1234, 0, 0xabcd1234},
	{"mov.b32 {%h4, %h3}, %r1;", 'h', 0xabcd1234, 0, 0, 0x1234},
	{"mov.b64 %rd4, {%r1, %r2};", 'd', 5, 6, 0, 0x600000005},
	{"mov.b64 {_, %r4}, %rd1;", 'r', 0x600000005, 0, 0, 6},
	{"mov.b64 %rd4, {%h1, %h2, %h3, %h1};", 'd', 1, 2, 3,
	 0x0001000300020001},
	{"mov.u32 %r4, WARP_SZ;", 'r', 0, 0, 0, 32},
	{"mov.u32 %r4, %lanemask_lt;", 'r', 0, 0, 0, 0},
	{"mov.u32 %r4, %ntid.x;", 'r', 0, 0, 0, 1},
	{"mov.pred %p4, -1;", 'p', 0, 0, 0, 1},

	{"setp.lt.s32 %p4, %r1, %r2;", 'p', 0xffffffff, 0, 0, 1},
	{"setp.lt.u32 %p4, %r1, %r2;", 'p', 0xffffffff, 0, 0, 0},
	{"setp.hs.u16 %p4, %h1, %h2;", 'p', 0xffff, 0, 0, 1},
	{"setp.eq.s32 %p1|%p4, %r1, %r2;", 'p', 1, 2, 0, 1},
	{"setp.eq.s32 %p1, 1, 1; setp.ne.and.s32 %p4, %r1, %r2, !%p1;", 'p', 1,
	 2, 0, 0},
	{"setp.lt.f32 %p4, %f1, %f2;", 'p', 0x7fc00000, 0, 0, 0},
	{"setp.ltu.f32 %p4, %f1, %f2;", 'p', 0x7fc00000, 0, 0, 1},
	{"setp.ne.f32 %p4, %f1, %f2;", 'p', 0x7fc00000, 0, 0, 0},
	{"setp.neu.f64 %p4, %d1, %d2;", 'p', 0x7ff8000000000000, 0, 0, 1},
	{"setp.eq.ftz.f32 %p4, %f1, %f2;", 'p', 1, 0, 0, 1},
	{"set.gt.u32.s32 %r4, %r1, %r2;", 'r', 2, 1, 0, 0xffffffff},
	{"set.gt.f32.s32 %f4, %r1, %r2; mov.b32 %r4, %f4;", 'r', 2, 1, 0,
	 0x3f800000},
	{"set.le.f16x2.f16x2 %r4, %r1, %r2;", 'r', 0x3c004000, 0x3c003c00, 0,
	 0x3c000000},
	{"setp.gt.s32 %p1, %r1, %r2; selp.b32 %r4, %r1, %r2, %p1;", 'r', 2, 1,
	 0, 2},
	{"slct.u32.s32 %r4, %r1, %r2, %r3;", 'r', 2, 1, 0xffffffff, 1},
	{"testp.infinite.f32 %p4, %f1;", 'p', 0x7f800000, 0, 0, 1},
	{"setp.eq.s32 %p1, 1, 1; setp.eq.s32 %p2, 1, 2;"
	 "xor.pred %p4, %p1, %p2;",
	 'p', 0, 0, 0, 1},
	{"setp.eq.s32 %p1, 1, 2; not.pred %p4, %p1;", 'p', 0, 0, 0, 1},

	{"add.rz.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x3f800000,
	 0x33ffffff, 0, 0x3f800000},
	{"add.rp.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x3f800000, 1, 0,
	 0x3f800001},
	{"add.rn.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x3f800000, 1, 0,
	 0x3f800000},
	{"mul.ftz.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 1, 0x3f800000, 0,
	 0},
	{"mul.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 1, 0x3f800000, 0, 1},
	{"add.sat.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x3f800000,
	 0x3f800000, 0, 0x3f800000},
	{"div.rm.f64 %d4, %d1, %d2; mov.b64 %rd4, %d4;", 'd',
	 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555555},
	{"div.rp.f64 %d4, %d1, %d2; mov.b64 %rd4, %d4;", 'd',
	 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555556},
	{"fma.rn.f32 %f4, %f1, %f2, %f3; mov.b32 %r4, %f4;", 'r', 0x3f800001,
	 0x3f800001, 0xbf800002, 0x28800000},
	{"min.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x7fc00000,
	 0x3f800000, 0, 0x3f800000},
	{"min.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0, 0x80000000, 0,
	 0x80000000},
	{"abs.ftz.f32 %f4, %f1; mov.b32 %r4, %f4;", 'r', 0x80000001, 0, 0, 0},
	{"neg.ftz.f32 %f4, %f1; mov.b32 %r4, %f4;", 'r', 1, 0, 0, 0x80000000},
	{"neg.f32 %f4, %f1; mov.b32 %r4, %f4;", 'r', 1, 0, 0, 0x80000001},
	{"min.ftz.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x80000001,
	 0x3f800000, 0, 0x80000000},
	{"copysign.f32 %f4, %f1, %f2; mov.b32 %r4, %f4;", 'r', 0x80000000,
	 0x3f800000, 0, 0xbf800000},
	{"sqrt.rn.f64 %d4, %d1; mov.b64 %rd4, %d4;", 'd', 0x4022000000000000, 0,
	 0, 0x4008000000000000},
	{"rcp.approx.ftz.f64 %d4, %d1; mov.b64 %rd4, %d4;", 'd',
	 0x4000000000000000, 0, 0, 0x3fe0000000000000},
	{"add.f16x2 %r4, %r1, %r2;", 'r', 0x3c004000, 0x3c003c00, 0,
	 0x40004200},
	{"fma.rn.bf16 %h4, %h1, %h2, %h3;", 'h', 0x4000, 0x4040, 0x3f80,
	 0x40e0},

	{"cvt.s32.s8 %r4, %r1;", 'r', 0x1ff, 0, 0, 0xffffffff},
	{"cvt.u32.u8 %r4, %r1;", 'r', 0x1ff, 0, 0, 0xff},
	{"cvt.u16.u32 %h4, %r1;", 'h', 0x12345678, 0, 0, 0x5678},
	{"cvt.u64.s32 %rd4, %r1;", 'd', 0xffffffff, 0, 0, UINT64_MAX},
	{"cvt.s64.s32 %rd4, %rd1;", 'd', 0x180000000, 0, 0, 0xffffffff80000000},
	{"cvt.u64.u32 %rd4, %rd1;", 'd', 0x180000000, 0, 0, 0x80000000},
	{"cvt.u32.u16 %r4, %h1;", 'r', 0x8001, 0, 0, 0x8001},
	{"cvt.s32.s16 %r4, %h1;", 'r', 0x8001, 0, 0, 0xffff8001},
	{"cvt.u32.u8 %r4, %h1;", 'r', 0x81ff, 0, 0, 0xff},
	{"cvt.rn.f32.u32 %f4, %r1; mov.b32 %r4, %f4;", 'r', 0xffffffff, 0, 0,
	 0x4f800000},
	{"cvt.rn.f64.u32 %d4, %r1; mov.b64 %rd4, %d4;", 'd', 0xffffffff, 0, 0,
	 0x41efffffffe00000},
	{"cvt.rn.f32.u16 %f4, %h1; mov.b32 %r4, %f4;", 'r', 0xffff, 0, 0,
	 0x477fff00},
	{"cvt.sat.u8.s32 %r4, %r1;", 'r', 0xffffff00, 0, 0, 0},
	{"cvt.sat.s8.s32 %r4, %r1;", 'r', 300, 0, 0, 127},
	{"cvt.sat.u32.u64 %r4, %rd1;", 'r', UINT64_MAX, 0, 0, 0xffffffff},
	{"cvt.rzi.s32.f32 %r4, %f1;", 'r', 0xbfc00000, 0, 0, 0xffffffff},
	{"cvt.rzi.s32.f32 %r4, %f1;", 'r', 0x7fc00000, 0, 0, 0},
	{"cvt.rzi.s32.f64 %r4, %d1;", 'r', 0x7ff8000000000000, 0, 0,
	 0x80000000},
	{"cvt.rzi.u32.f64 %r4, %d1;", 'r', 0x7ff8000000000000, 0, 0,
	 0x80000000},
	{"cvt.rni.s32.f32 %r4, %f1;", 'r', 0x40200000, 0, 0, 2},
	{"cvt.rpi.s32.f32 %r4, %f1;", 'r', 0x40200000, 0, 0, 3},
	{"cvt.rmi.s32.f32 %r4, %f1;", 'r', 0xc0200000, 0, 0, (uint32_t)-3},
	{"cvt.rzi.s32.f32 %r4, %f1;", 'r', 0x7f800000, 0, 0, 0x7fffffff},
	{"cvt.rzi.u32.f32 %r4, %f1;", 'r', 0xbf800000, 0, 0, 0},
	{"cvt.rzi.s32.f32 %r4, %f1;", 'r', 0x7fc00000, 0, 0, 0},
	{"cvt.rzi.u64.f64 %rd4, %d1;", 'd', 0x43efffffffffffff, 0, 0,
	 0xfffffffffffff800},
	{"cvt.rni.f32.f32 %f4, %f1; mov.b32 %r4, %f4;", 'r', 0x40200000, 0, 0,
	 0x40000000},
	{"cvt.rn.f32.u64 %f4, %rd1; mov.b32 %r4, %f4;", 'r', 0x8000008000000001,
	 0, 0, 0x5f000001},
	{"cvt.rz.f32.u64 %f4, %rd1; mov.b32 %r4, %f4;", 'r', UINT64_MAX, 0, 0,
	 0x5f7fffff},
	{"cvt.rp.f32.f64 %f4, %d1; mov.b32 %r4, %f4;", 'r', 0x3ff0000000000001,
	 0, 0, 0x3f800001},
	{"cvt.rn.f16.f32 %h4, %f1;", 'h', 0x477fefff, 0, 0, 0x7bff},
	{"cvt.rn.f16.f32 %h4, %f1;", 'h', 0x477ff000, 0, 0, 0x7c00},
	{"cvt.rz.f16.f32 %h4, %f1;", 'h', 0x47800000, 0, 0, 0x7bff},
	{"cvt.rn.f16.f32 %h4, %f1;", 'h', 0x33800000, 0, 0, 1},
	{"cvt.f32.f16 %f4, %h1; mov.b32 %r4, %f4;", 'r', 0x8001, 0, 0,
	 0xb3800000},
	{"cvt.rn.bf16.f32 %h4, %f1;", 'h', 0x3f808000, 0, 0, 0x3f80},
	{"cvt.rn.bf16.f32 %h4, %f1;", 'h', 0x3f818000, 0, 0, 0x3f82},
	{"cvt.rn.f16x2.f32 %r4, %f1, %f2;", 'r', 0x3f800000, 0x40000000, 0,
	 0x3c004000},
	{"cvt.rna.tf32.f32 %r4, %f1;", 'r', 0x3f801000, 0, 0, 0x3f802000},
	{"cvt.rna.tf32.f32 %r4, %f1;", 'r', 0xbf800fff, 0, 0, 0xbf800000},
	{"cvt.rna.tf32.f32 %r4, %f1;", 'r', 0x7f7fffff, 0, 0, 0x7f800000},
	{"cvt.rna.tf32.f32 %r4, %f1;", 'r', 0x7fc01234, 0, 0, 0x7fc01234},
	{"cvt.sat.f32.f32 %f4, %f1; mov.b32 %r4, %f4;", 'r', 0x40000000, 0, 0,
	 0x3f800000},

	{"st.shared.u16 [s+2], %r1; ld.shared.s8 %r4, [s+2];", 'r', 0x1ff, 0, 0,
	 0xffffffff},
	{"st.shared.v2.u32 [s], {%r1, %r2}; ld.shared.v2.u32 {_, %r4}, [s];",
	 'r', 5, 6, 0, 6},
	{"mov.u64 %rd4, depot; cvta.local.u64 %rd4, %rd4; st.u64 [%rd4+8], "
	 "%rd1; ld.local.u64 %rd4, [depot+8];",
	 'd', 77, 0, 0, 77},
	{"mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; isspacep.shared %p4, "
	 "%rd3;",
	 'p', 0, 0, 0, 1},
	{"st.shared.u32 [s], %r1; atom.shared.inc.u32 %r4, [s], 9; "
	 "ld.shared.u32 %r4, [s];",
	 'r', 9, 0, 0, 0},
	{"st.shared.u32 [s], %r1; atom.shared.dec.u32 %r4, [s], 9; "
	 "ld.shared.u32 %r4, [s];",
	 'r', 0, 0, 0, 9},
	{"st.shared.u32 [s], %r1; atom.shared.cas.b32 %r4, [s], 5, 6; "
	 "ld.shared.u32 %r3, [s]; add.u32 %r4, %r3, %r4;",
	 'r', 5, 0, 0, 11},
	{"st.shared.u32 [s], %r1; red.shared.min.s32 [s], %r2; "
	 "ld.shared.u32 %r4, [s];",
	 'r', 5, (uint32_t)-2, 0, (uint32_t)-2},
	{"st.shared.f32 [s], %f1; red.shared.add.f32 [s], %f1; "
	 "ld.shared.u32 %r4, [s];",
	 'r', 0x3f800000, 0, 0, 0x40000000},
	{"st.u64 [%rd5], %rd1; add.s64 %rd3, %rd5, 16; "
	 "cp.async.ca.shared.global [s], [%rd3+-16], 8; ld.shared.u64 %rd4, "
	 "[s];",
	 'd', 77, 0, 0, 77},
	{"bra.uni L; mov.u32 %r4, 1; L: mov.u32 %r4, 2;", 'r', 0, 0, 0, 2},
	{"T: .branchtargets L0, L1; brx.idx %r1, T; L0: mov.u32 %r4, 7; "
	 "bra E; L1: mov.u32 %r4, 8; E:",
	 'r', 1, 0, 0, 8},
	{"bar.red.popc.u32 %r4, 0, %p1;", 'r', 0, 0, 0, 0},
	{"activemask.b32 %r4;", 'r', 0, 0, 0, 1},
};

static const char head[] =
	".version 8.7\n.target sm_90\n.address_size 64\n"
	".shared .align 8 .b8 s[16];\n"
	".entry k(.param .u64 out, .param .u64 a, .param .u64 b,"
	".param .u64 c) { .reg .pred %p<5>; .reg .b16 %h<5>;"
	".reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<5>;"
	".reg .f64 %d<5>; .local .align 8 .b8 depot[16];\n"
	"ld.param.u64 %rd5, [out];\n"
	"ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
	"ld.param.u64 %rd3, [c]; cvt.u32.u64 %r1, %rd1;\n"
	"cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r3, %rd3;\n"
	"cvt.u16.u64 %h1, %rd1; cvt.u16.u64 %h2, %rd2;\n"
	"cvt.u16.u64 %h3, %rd3; mov.b32 %f1, %r1;\n"
	"mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b64 %d1, %rd1;\n"
	"mov.b64 %d2, %rd2; mov.b64 %d3, %rd3;\n";

static const char *result_text(char in)
{
	switch (in) {
	case 'r':
		return "cvt.u64.u32 %rd4, %r4;";
	case 'h':
		return "cvt.u64.u16 %rd4, %h4;";
	case 'p':
		return "selp.u64 %rd4, 1, 0, %p4;";
	default:
		return "";
	}
}

START_TEST(an_instruction_has_the_known_result)
{
	uint64_t result = 0x123456789, *out = &result;
	uint64_t a = ops[_i].a, b = ops[_i].b, c = ops[_i].c;
	struct ptx_launch launch = {
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.args = (void *[]){&out, &a, &b, &c},
	};
	struct ptx_module *module;
	struct ptx_error error;
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s st.u64 [%%rd5], %%rd4; ret; }",
		 head, ops[_i].text, result_text(ops[_i].in));
	module = ptx_parse(text, strlen(text), &error);
	ck_assert_msg(module, "%s: %s", ops[_i].text, error.text);
	ck_assert_msg(run_kernel(module, "k", launch, &error) == PTX_OK,
		      "%s: %s", ops[_i].text, error.text);
	ck_assert_msg(result == ops[_i].result, "%s: 0x%llx, and not 0x%llx",
		      ops[_i].text, (unsigned long long)result,
		      (unsigned long long)ops[_i].result);
	ptx_module_free(module);
}
END_TEST

/* Text in the place of an instruction, and what is said of it. */
static const struct {
	const char *text, *said;
} refused[] = {
	{"add.u64 %rd1, !%rd2, %rd3;", "'add.u64' is not supported"},
	{"mov.b128 {%rd1, %rd2}, 5;", "'mov.b128' is not supported"},
	{"mov.b128 _, 5;", "'mov.b128' is not supported"},
	{"mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 8;",
	 "'mbarrier.expect_tx.relaxed.cta.shared.b64' is not supported"},
	{"mbarrier.init.global.b64 [%rd1], 8;", "'mbarrier.init.global.b64'"},
	{"wgmma.fence.sync.aligned;", "'wgmma.fence.sync.aligned'"},
	{"add.u128 %r1, %r2, %r3;", "'add.u128' is not supported"},
	{"add.u32 %r1, %r2, %rd3;", "'%rd3' does not have the size"},
	{"add.wrong.u32 %r1, %r2, %r3;", "'add.wrong.u32' is not supported"},
	{"add.u32 %r1, %r2;", "'add.u32' is not supported"},
	{"mov.u32 %r1, %unheard;", "'%unheard' is not supported"},
	{"mov.u32 %r1;", "'mov' lacks an operand"},
	{"cvt.rn.relu.tf32.f32 %r1, %f1;", "'cvt.rn.relu.tf32.f32'"},
	{"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r1}, "
	 "{%r2}, {%f1, %f2};",
	 "'mma.sync.aligned.m8n8k4"},
	{"mma.sync.aligned.m16n8k16.row.col.s32.s4.s4.s32 {%r1, %r2, %r1, "
	 "%r2}, {%r1, %r2}, {%r3}, {%r1, %r2, %r1, %r2};",
	 "'mma.sync.aligned.m16n8k16"},
	{"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%rd1];",
	 "'wmma.load.a"},
	{"wmma.load.a.sync.aligned.row.m8n8k4.f16 {%r1, %r2, %r1, %r2, %r1, "
	 "%r2, %r1, %r2}, [%rd1];",
	 "'wmma.load.a"},
	{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%rd1];",
	 "'ldmatrix"},
	{"vadd.u32.u32.u32 %r1.b4, %r2, %r3, %r2;", "'vadd.u32.u32.u32'"},
	{"vadd.u32.u32.u32 %r1.b0, %r2, %r3;", "'vadd.u32.u32.u32'"},
	{"vadd4.u32.u32.u32 %r1, %r2, %r3;", "'vadd4.u32.u32.u32'"},
	{"vadd4.u32.u32.u32 %r1, %r2.b0, %r3, %r2;", "'vadd4.u32.u32.u32'"},
	{"vadd4.u32.u32.u32 %r1, %r2, %r3, %r2.b0;", "'%r2.b0' is not"},
	{"vmad.u32.u32.u32 %r1, %r2, %r3, %r2;", "'vmad.u32.u32.u32'"},
	{"vshl4.u32.u32.u32 %r1, %r2, %r3, %r2;", "'vshl4.u32.u32.u32'"},
	{"add.u32 %r1, %r2.b0, %r3;", "'%r2.b0' is not supported"},
	{"call outside;", "the function 'outside' is not here"},
	{"ld.param.u64 %rd1, [a+1];", "behind parameter 'a'"},
	{"tex.grad.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, "
	 "%f3, %f3}], {%f1, %f2, %f3, %f3}, {%f1, %f2, %f3, %f3};",
	 "'tex.grad.cube"},
	{"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
	 "'tex.level.2d"},
	{"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}], "
	 "{%f1}, {%f1, %f2};",
	 "'tex.grad.2d"},
	{"tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, "
	 "%r3}];",
	 "'tex.cube"},
	{"tld4.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
	 "'tld4.2d"},
	{"ld.u32 {%r1, %r2, %r3}, [%rd1];", "'ld.u32' is not supported"},
	{"atom.add.u32 %r1, [%rd1];", "'atom.add.u32' is not supported"},
	{"bra s;", "'bra' is not supported"},
};

START_TEST(what_is_not_supported_is_said_before_it_runs)
{
	struct ptx_module *module;
	struct ptx_error error;
	char text[4096];

	snprintf(text, sizeof(text), "%.*s.extern .func outside;%s%s ret; }",
		 (int)(strstr(head, ".shared") - head), head,
		 strstr(head, ".shared"), refused[_i].text);
	module = ptx_parse(text, strlen(text), &error);
	ck_assert_msg(module, "%s: %s", refused[_i].text, error.text);
	ck_assert(!ptx_can_run(module, ptx_kernel_find(module, "k"), &error));
	ck_assert_msg(strstr(error.text, refused[_i].said), "'%s'", error.text);
	ck_assert_uint_eq(error.line, 14);
	ptx_module_free(module);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{an_instruction_has_the_known_result,
		 sizeof(ops) / sizeof(ops[0])},
		{what_is_not_supported_is_said_before_it_runs,
		 sizeof(refused) / sizeof(refused[0])},
		{NULL, 0},
	};

	return loops_run("ptx_ops", tests);
}
