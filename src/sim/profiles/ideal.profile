# No real device: what a host can do at best. All of it is this project's
# choice. Calls take no virtual time and as little of the host's as they can.
ideal                1
name                 Ideal device
capacity             48G     # as many addresses are there under valgrind, which has about 60G in one piece
compute_major        9       # shape and limits are those of h200.profile
compute_minor        0
multiprocessors      132
threads_per_multiprocessor 2048
clock_khz            1980000
memory_clock_khz     3201000
bus_bits             6144
l2_bytes             50M
shared_bytes         232448
