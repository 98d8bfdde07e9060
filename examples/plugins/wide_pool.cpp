/* A pool in a plug-in, in C++. Blocks are placed by first fit in regions of 32
 * MiB, or as large as the request. What is free stands in a map by addresses,
 * and neighbours are joined once both may be used. */
#include <cstdint>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include <mnm/pool.h>

namespace
{

constexpr std::size_t least = std::size_t(32) << 20;

struct piece {
	std::size_t bytes;
	std::uint64_t epoch;
	unsigned int stream;
	mnm_region *region;
};

using pieces = std::map<std::uint64_t, piece>;

struct account {
	pieces free;
	std::vector<pieces::node_type> spare; /* records for more pieces */
};

struct wide_pool {
	mnm_pool pool; /* has to be first */
	account *own;
};

account &account_of(mnm_pool *pool)
{
	return *reinterpret_cast<wide_pool *>(pool)->own;
}

/* Makes records for all pieces that there may be: what is freed has to be noted
 * even where there is no memory. Each live block may become one, and so may a
 * new region, or what is left of a piece. Returns false without memory. */
bool prepare(account &own, std::size_t live)
{
	std::size_t most = own.free.size() + own.spare.size() + live + 2;

	try {
		/* Twice as much, so that it seldom moves. */
		if (own.spare.capacity() < most)
			own.spare.reserve(2 * most);
		while (own.spare.size() < live + 2) {
			pieces one{{0, piece()}};
			own.spare.push_back(one.extract(one.begin()));
		}
		return true;
	} catch (const std::bad_alloc &) {
		return false;
	}
}

/* A piece that is free, by one of the spare records. */
void note(account &own, std::uint64_t addr, const piece &what)
{
	pieces::node_type node = std::move(own.spare.back());

	own.spare.pop_back();
	node.key() = addr;
	node.mapped() = what;
	own.free.insert(std::move(node));
}

/* Takes a piece out; its record is spare then. Returns the next piece. */
pieces::iterator drop(account &own, pieces::iterator at)
{
	auto next = std::next(at);

	own.spare.push_back(own.free.extract(at));
	return next;
}

bool wide_pool_open(mnm_pool *pool, const mnm_pool_options *)
{
	pool->classes.unit = MNM_SPAN_UNIT;
	reinterpret_cast<wide_pool *>(pool)->own = new (std::nothrow) account;
	return reinterpret_cast<wide_pool *>(pool)->own;
}

void wide_pool_close(mnm_pool *pool)
{
	delete reinterpret_cast<wide_pool *>(pool)->own;
}

std::size_t wide_pool_span(const mnm_pool *pool, std::size_t size, std::size_t)
{
	return mnm_size_class_span(&pool->classes, size);
}

bool is_ready(const piece &what, const mnm_request *request)
{
	return what.epoch == MNM_EPOCH_NEVER ||
	       mnm_request_is_behind(request, what.stream, what.epoch);
}

/* Joins a piece with those that follow it, as far as all are ready for the
 * request. */
void join(account &own, pieces::iterator at, const mnm_request *request)
{
	for (auto next = std::next(at);
	     next != own.free.end() &&
	     next->second.region == at->second.region &&
	     next->first == at->first + at->second.bytes &&
	     is_ready(next->second, request);
	     next = drop(own, next)) {
		at->second.bytes += next->second.bytes;
		if (next->second.epoch > at->second.epoch)
			at->second.epoch = next->second.epoch;
		at->second.stream = 0;
	}
}

mnm_answer wide_pool_place(mnm_pool *pool, const mnm_request *request,
			   mnm_place *place)
{
	account &own = account_of(pool);
	mnm_answer answer = MNM_MISS;

	if (!prepare(own, pool->live_count))
		return MNM_MISS;
	for (auto at = own.free.begin(); at != own.free.end(); ++at) {
		if (!is_ready(at->second, request)) {
			answer = MNM_UNSAFE;
			continue;
		}
		join(own, at, request);
		if (at->second.bytes < request->span)
			continue;
		*place = {at->second.region, at->first, request->span,
			  at->second.epoch, at->second.stream};
		piece rest = at->second;
		rest.bytes -= request->span;
		drop(own, at);
		if (rest.bytes)
			note(own, place->addr + request->span, rest);
		return MNM_HIT;
	}
	return answer;
}

bool wide_pool_add(mnm_pool *pool, const mnm_place *place)
{
	account &own = account_of(pool);

	if (own.spare.empty() && !prepare(own, pool->live_count))
		return false;
	note(own, place->addr,
	     {place->bytes, place->epoch, place->stream, place->region});
	return true;
}

void wide_pool_lacks(mnm_pool *, std::size_t span, const mnm_region *,
		     mnm_growth rule, mnm_lack *lack)
{
	if (span < least && !mnm_growth_is_least(rule))
		span = least;
	if (span <= SIZE_MAX - MNM_REGION_PAGE) /* no device has more */
		span = (span + MNM_REGION_PAGE - 1) & ~(MNM_REGION_PAGE - 1);
	*lack = {};
	lack->fresh = span;
}

/* Hands over a region that is all free: its pieces follow each other. */
bool wide_pool_part(mnm_pool *pool, std::size_t, bool, mnm_place *place)
{
	account &own = account_of(pool);

	for (auto at = own.free.begin(); at != own.free.end();) {
		auto first = at;
		mnm_region *region = at->second.region;
		std::uint64_t end = at->first;

		for (; at != own.free.end() && at->second.region == region &&
		       at->first == end;
		     ++at)
			end += at->second.bytes;
		if (first->first != region->base ||
		    end != region->base + region->bytes)
			continue;
		*place = {region, region->base, region->bytes, MNM_EPOCH_NEVER,
			  0};
		while (first != at)
			first = drop(own, first);
		return true;
	}
	return false;
}

mnm_pool_ops ops() noexcept
{
	mnm_pool_ops table = {};

	table.name = "wide_pool";
	table.size = sizeof(wide_pool);
	table.open = wide_pool_open;
	table.close = wide_pool_close;
	table.span = wide_pool_span;
	table.place = wide_pool_place;
	table.add = wide_pool_add;
	table.lacks = wide_pool_lacks;
	table.part = wide_pool_part;
	return table;
}

const mnm_pool_ops table = ops();

const mnm_pool_row rows[] = {
	{&table, "first fit in regions of 32 MiB", MNM_BACKING_DEVICE},
};

} // namespace

MNM_PLUGIN struct mnm_plugin mnm_plugin = {MNM_POOL_VERSION, 1, rows};
