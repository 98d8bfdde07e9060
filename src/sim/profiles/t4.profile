# NVIDIA T4. Every figure names its source; an "estimate" was never measured.
name                 Tesla T4
capacity             15109M  # memory of a T4 as RAF (awslabs/raf) reports it, MB read as MiB
compute_major        7       # NVIDIA Turing tuning guide: compute capability 7.5
compute_minor        5
multiprocessors      40      # NVIDIA T4 datasheet: 2560 CUDA cores, 64 a multiprocessor
threads_per_multiprocessor 1024 # CUDA programming guide, compute capability 7.5
clock_khz            1590000 # NVIDIA T4 datasheet, boost clock
memory_clock_khz     5001000 # 320 GB/s over 256 bits
bus_bits             256     # NVIDIA T4 datasheet
l2_bytes             4M      # Turing architecture whitepaper, TU104
shared_bytes         65536   # CUDA programming guide, compute capability 7.5

# Calls of the host, ns.
call_ns              100     # estimate
context_ns           100000000 # estimate
alloc_ns             40000   # estimate; alloc_ns_per_mib comes on top
alloc_ns_per_mib     1500    # estimate
free_ns              60000   # estimate, without the wait for the device
free_ns_per_mib      800     # estimate
small_alloc_ns       40000   # as alloc_ns: below 2 MiB
small_free_ns        60000   # as free_ns
create_ns            40000   # as alloc_ns: cuMemCreate
create_ns_per_mib    1500    # as alloc_ns_per_mib
release_ns           60000   # as free_ns: cuMemRelease
release_ns_per_mib   0       # estimate
pool_ns              1500    # estimate
info_ns              6000    # kvcached bench_alloc: cudaMemGetInfo about 6 us
map_ns               2000    # estimate, each mapping
unmap_ns             3000    # estimate
access_ns            10000   # estimate: page tables are written
host_alloc_ns        300000  # estimate
host_alloc_ns_per_mib 250000 # estimate
host_free_ns         300000  # estimate
submit_ns            3000    # estimate
event_ns             534     # RMM issue 448: least cudaEventRecord time

# Work of the device.
kernel_ns            4000    # estimate
kernel_ps_per_thread 50      # estimate
copy_ns              2000    # estimate
fill_ns              2000    # estimate
pinned_rate          12000   # estimate: PCIe 3.0 x16, 12 GB/s
pageable_rate        6000    # estimate
device_rate          120000  # estimate: a read and a write of 320 GB/s
peer_rate            10000   # estimate: over PCIe
callback_ns          10000   # estimate
