#ifndef TESTS_PROOF_ACCESS_H
#define TESTS_PROOF_ACCESS_H

/* Bits. Of counting nothing but the sum is relied on. */
enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_COUNT = 4 };

#endif
