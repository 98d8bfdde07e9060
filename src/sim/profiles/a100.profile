# NVIDIA A100 80 GB. Every figure names its source; an "estimate" was never
# measured.
name                 NVIDIA A100-SXM4-80GB
capacity             81920M  # estimate: 80 GB of the datasheet taken as GiB, nothing set aside
compute_major        8       # NVIDIA Ampere tuning guide: compute capability 8.0
compute_minor        0
multiprocessors      108     # NVIDIA A100 whitepaper
threads_per_multiprocessor 2048 # CUDA programming guide, compute capability 8.0
clock_khz            1410000 # NVIDIA A100 whitepaper, boost clock
memory_clock_khz     1593000 # estimate: 2039 GB/s over 5120 bits, two transfers a clock
bus_bits             5120    # NVIDIA A100 whitepaper
l2_bytes             40M     # NVIDIA A100 whitepaper
shared_bytes         166912  # CUDA programming guide, compute capability 8.0: 163 KB a block

# Calls of the host, ns.
call_ns              100     # estimate
context_ns           150000000 # estimate
alloc_ns             60000   # estimate; alloc_ns_per_mib comes on top
alloc_ns_per_mib     1000    # estimate
free_ns              60000   # estimate, without the wait for the device
free_ns_per_mib      600     # estimate
small_alloc_ns       60000   # as alloc_ns: below 2 MiB
small_free_ns        60000   # as free_ns
create_ns            60000   # as alloc_ns: cuMemCreate
create_ns_per_mib    1000    # as alloc_ns_per_mib
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
submit_ns            2500    # estimate
event_ns             534     # RMM issue 448: least cudaEventRecord time

# Work of the device.
kernel_ns            3000    # estimate
kernel_ps_per_thread 10      # estimate
copy_ns              1500    # estimate
fill_ns              1500    # estimate
pinned_rate          24000   # estimate: PCIe 4.0 x16, 24 GB/s
pageable_rate        8000    # estimate
device_rate          900000  # estimate: a read and a write of 2039 GB/s
peer_rate            250000  # estimate: NVLink 3, 300 GB/s each way in the datasheet
callback_ns          10000   # estimate
