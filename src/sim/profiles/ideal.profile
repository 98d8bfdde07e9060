# No real device: the best that a host can do. All figures are this project's
# choice. Calls take no virtual time, and as little host time as possible.
ideal                1
name                 Ideal device
capacity             48G     # fits under valgrind, which has about 60G of addresses in one piece
compute_major        9       # shape and limits are those of h200.profile
compute_minor        0
multiprocessors      132
threads_per_multiprocessor 2048
clock_khz            1980000
memory_clock_khz     3201000
bus_bits             6144
l2_bytes             50M
shared_bytes         232448
