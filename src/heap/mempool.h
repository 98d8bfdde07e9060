/* CUDA's own pools (CUmemoryPool), as far as mnm serves requests that are made
 * of them: pools of pinned memory of a device that has no handles for other
 * processes. All others are CUDA's alone. Each that is served has a number,
 * under which its figures are counted (stats/mempool_stats.h). */
#ifndef MNM_MEMPOOL_H
#define MNM_MEMPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUmemPoolHandle_st;
struct device;

/* The number of a pool, if its memory is the device's; 0 if it is not
 * served. */
unsigned int mempool_number(struct CUmemPoolHandle_st *pool,
			    struct device *device);

/* The number of the pool that cuMemAllocAsync takes from on that device; 0 if
 * it is not served. */
unsigned int mempool_current(struct device *device);

/* Whether that is a number's pool still. If so, and a request of it has been
 * admitted, it stays this pool's number until mempool_admitted. */
bool mempool_is_current(unsigned int number);

/* The number of a pool, whatever its device; 0 if it is not served. */
unsigned int mempool_find(const struct CUmemPoolHandle_st *pool);

/* The program allows, or forbids, that memory of the pool is reused because an
 * event orders one stream behind another, because its work happens to be over,
 * or by making a stream wait. */
enum mempool_reuse { REUSE_BY_EVENTS, REUSE_BY_CHANCE, REUSE_BY_WAITS, REUSES };
void mempool_reuse_set(unsigned int number, enum mempool_reuse reuse,
		       bool allowed);
bool mempool_follows_events(unsigned int number);

/* Whether the last two are allowed. If not, a request of the pool may take only
 * what its stream has freed, or what the host has seen the end of. */
bool mempool_reuses_all(unsigned int number);

/* The devices that the program has given access to the pool; a bit each. */
uint64_t mempool_shared(unsigned int number);
void mempool_shared_add(unsigned int number, uint64_t devices);

/* Whether the program may have so many bytes more of the pool, at its limit,
 * which holds for what mnm and CUDA serve together. If so, they count until
 * mempool_admitted, and no later pool gets the number meanwhile. */
bool mempool_admits(unsigned int number, size_t bytes);
void mempool_admitted(unsigned int number, size_t bytes);
bool mempool_is_limited(unsigned int number);
bool mempools_are_limited(void); /* any of them */

/* CUDA itself has served a request of the pool. */
void mempool_passed(unsigned int number);

/* The program has said how many bytes the pool is to keep when the program has
 * waited for work. */
void mempool_keep_set(unsigned int number, uint64_t bytes);

/* The program has waited for work of the device: its pools return what they
 * have past what they keep. Returns the bytes that are to go back, as the
 * program itself has set what a pool keeps. */
size_t mempools_return(const struct device *device);

/* The program trims a pool to so many bytes. Returns the idle bytes that are to
 * go back for that. What is free in regions was joined of memory of any pools,
 * so with a pool that places blocks they are the device's. */
size_t mempool_trim(unsigned int number, size_t keep);

/* The bytes that are reserved for the device's pools and idle. */
size_t mempools_idle(const struct device *device);

/* The device of a number's pool. */
struct device *mempool_device(unsigned int number);

/* The handle of a number. That of a pool that was destroyed stays as long as
 * there is memory of it. */
struct CUmemPoolHandle_st *mempool_handle(unsigned int number);

/* The program has made a pool of this device that mnm can serve, of at most so
 * many bytes (0: any). If there is no number left, it stays CUDA's. */
void mempool_made(struct CUmemPoolHandle_st *pool, struct device *device,
		  size_t limit);

/* The program destroys the pool. What it has of the pool stays valid. */
void mempool_destroyed(struct CUmemPoolHandle_st *pool);

/* New requests of the pool are CUDA's from now on. */
void mempool_withdraw(unsigned int number);

/* The program may have given a device another current pool. */
void mempools_selected(void);

/* What threads remember of pools may be wrong from now on. */
void mempools_changed(void);

#endif
