#include "board.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "op.h"
#include "world.h"

enum { SLOTS = 65536, LOOK_NS = 50000 };

struct board_slot {
	_Atomic uint64_t recorded; /* records queued by all processes */
	_Atomic uint64_t complete; /* the highest record that is complete */
};

/* Another process's board. */
struct visited {
	struct visited *next;
	uint64_t inode;
	struct board_slot *slots;
};

static struct visited *visited;
static struct board_slot *slots;
static int file = -1;
static bool taken[SLOTS];
static unsigned turn; /* where to look for a free slot */

static struct board_slot *board_map(int from)
{
	void *pages = mmap(NULL, SLOTS * sizeof(*slots), PROT_READ | PROT_WRITE,
			   MAP_SHARED, from, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

static bool board_open(void)
{
	if (slots)
		return true;
	file = memfd_create("mnm-sim-events", MFD_CLOEXEC);
	if (file < 0)
		return false;
	if (!ftruncate(file, SLOTS * sizeof(*slots)))
		slots = board_map(file);
	if (!slots)
		close(file);
	return slots;
}

struct board_slot *board_take(void)
{
	if (!board_open())
		return NULL;
	for (unsigned tries = 0; tries < SLOTS; tries++) {
		unsigned i = turn++ % SLOTS;

		/* A record of the slot's last event may still be queued. */
		if (taken[i] || !board_done(&slots[i]))
			continue;
		taken[i] = true;
		return &slots[i];
	}
	return NULL;
}

void board_give(struct board_slot *slot)
{
	taken[slot - slots] = false;
}

int board_file(const struct board_slot *slot, uint64_t *offset)
{
	*offset = (slot - slots) * sizeof(*slot);
	return file;
}

struct board_slot *board_visit(int other, uint64_t offset)
{
	struct visited *board = visited;
	struct stat stat;

	if (fstat(other, &stat) || offset >= SLOTS * sizeof(*slots))
		return NULL;
	while (board && board->inode != stat.st_ino)
		board = board->next;
	if (!board) {
		board = calloc(1, sizeof(*board));
		if (!board)
			return NULL;
		board->slots = board_map(other);
		if (!board->slots) {
			free(board);
			return NULL;
		}
		board->inode = stat.st_ino;
		board->next = visited;
		visited = board;
	}
	return &board->slots[offset / sizeof(*slots)];
}

static bool slot_reached(const struct board_slot *slot, uint64_t record)
{
	return atomic_load(&slot->complete) >= record;
}

static void slot_wait(const struct board_slot *slot, uint64_t record)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};

	while (!slot_reached(slot, record))
		nanosleep(&look, NULL);
}

bool board_done(const struct board_slot *slot)
{
	return slot_reached(slot, atomic_load(&slot->recorded));
}

void board_wait(const struct board_slot *slot)
{
	uint64_t record = atomic_load(&slot->recorded);

	pthread_mutex_unlock(&world.lock);
	slot_wait(slot, record);
	pthread_mutex_lock(&world.lock);
}

static void record_run(struct op *op)
{
	struct board_slot *slot = op->post.slot;
	uint64_t had = atomic_load(&slot->complete);

	while (had < op->post.record &&
	       !atomic_compare_exchange_weak(&slot->complete, &had,
					     op->post.record))
		;
}

static void hold_run(struct op *op)
{
	slot_wait(op->post.slot, op->post.record);
}

static CUresult post_submit(struct board_slot *slot, uint64_t record,
			    void (*run)(struct op *op), struct stream *stream)
{
	struct op *op = op_new(run);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->post = (struct post){slot, record};
	/* A thread that helps must not be stuck in it. */
	op->on_worker = true;
	return op_submit(op, stream, 0);
}

CUresult board_record(struct board_slot *slot, struct stream *stream)
{
	return post_submit(slot, atomic_fetch_add(&slot->recorded, 1) + 1,
			   record_run, stream);
}

CUresult board_hold(struct board_slot *slot, struct stream *stream)
{
	return board_done(slot)
		       ? CUDA_SUCCESS
		       : post_submit(slot, atomic_load(&slot->recorded),
				     hold_run, stream);
}
