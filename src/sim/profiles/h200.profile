# NVIDIA H200. Every figure names its source; an "estimate" was never measured.
name                 NVIDIA H200
capacity             142336M # estimate: about 139 GiB of the 141 GB in the datasheet are usable
compute_major        9       # NVIDIA Hopper tuning guide: compute capability 9.0
compute_minor        0
multiprocessors      132     # NVIDIA H100 whitepaper, SXM5; the H200 has the same chip
threads_per_multiprocessor 2048 # CUDA programming guide, compute capability 9.0
clock_khz            1980000 # estimate
memory_clock_khz     3201000 # estimate: 4.8 TB/s over 6144 bits, two transfers a clock
bus_bits             6144    # estimate: six HBM3e stacks of 1024 bits
l2_bytes             50M     # NVIDIA H100 whitepaper
shared_bytes         232448  # CUDA programming guide, compute capability 9.0: 227 KB a block

# Calls of the host, ns.
call_ns              100     # estimate
context_ns           200000000 # estimate
alloc_ns             60000   # estimate; alloc_ns_per_mib comes on top
alloc_ns_per_mib     800     # estimate
free_ns              60000   # estimate, without the wait for the device
free_ns_per_mib      500     # estimate
pool_ns              1500    # estimate
info_ns              6000    # kvcached bench_alloc: cudaMemGetInfo about 6 us
map_ns               2000    # estimate, each mapping
unmap_ns             3000    # estimate
access_ns            10000   # estimate: page tables are written
host_alloc_ns        300000  # estimate
host_alloc_ns_per_mib 250000 # estimate
host_free_ns         300000  # estimate
submit_ns            2000    # estimate
event_ns             534     # RMM issue 448: least cudaEventRecord time

# Work of the device.
kernel_ns            2500    # estimate
kernel_ps_per_thread 6       # estimate
copy_ns              1500    # estimate
fill_ns              1500    # estimate
pinned_rate          48000   # estimate: PCIe 5.0 x16, 48 GB/s
pageable_rate        10000   # estimate
device_rate          2000000 # estimate: a read and a write of 4.8 TB/s
peer_rate            400000  # estimate: NVLink 4, 450 GB/s each way in the datasheet
callback_ns          10000   # estimate
