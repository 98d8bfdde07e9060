# NVIDIA H200. Every figure names its source; an "estimate" was never measured.
# "Measured": on an H200 with driver 580.159.04 by scripts/gpu-check --only prices,
# medians, rounded. Runs of one day differ by a fifth, and more in event_ns; two of them
# are in docs/results/2026-11-26-h200-first.md and 2026-11-26-h200-second.json.
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
call_ns              40      # measured: cuCtxGetCurrent
context_ns           200000000 # estimate
alloc_ns             32000   # measured, from 2 MiB on; alloc_ns_per_mib comes on top
alloc_ns_per_mib     110     # measured, of 256 MiB
free_ns              28000   # measured, from 2 MiB on, without the wait for the device
free_ns_per_mib      300     # measured, of 256 MiB
small_alloc_ns       1000    # measured, below 2 MiB
small_free_ns        1000    # measured
create_ns            8700    # measured: cuMemCreate
create_ns_per_mib    60      # measured, of 1 GiB
release_ns           9200    # measured: cuMemRelease
release_ns_per_mib   450     # measured, of 64 MiB and 1 GiB
pool_ns              350     # measured, the mean of cuMemAllocAsync and cuMemFreeAsync
info_ns              4100    # measured
map_ns               600     # measured, each mapping
unmap_ns             17000   # measured, each of 32 mappings; one alone takes 22 us
access_ns            26000   # measured, each of 32 mappings; one alone takes 34 us
host_alloc_ns        300000  # estimate
host_alloc_ns_per_mib 250000 # estimate
host_free_ns         300000  # estimate
submit_ns            3600    # measured: cuLaunchKernel, that of a fill is 900
event_ns             180     # measured: cuEventRecord

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
