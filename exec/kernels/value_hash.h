// value_hash: Spark's two hashes of values of any type. A value changes the hash of what stood before it and NULL
// leaves that alone, so that a struct or array hashes like its parts in a row.
//
//     hash(a, b) = murmur3(b, murmur3(a, 42))
//
// Both see a value as an int, a long or bytes; only these three steps differ. Murmur3 is Spark's, which gives each byte
// of a tail a round of its own.
//
// Threads  any.   Limits  maps are left alone: equal maps may keep their entries in different orders.
// Cost     O(bytes).   Source  Spark SQL 4: HashExpression, Murmur3_x86_32, XXH64.
#ifndef LT_EXEC_KERNELS_VALUE_HASH_H
#define LT_EXEC_KERNELS_VALUE_HASH_H

#include "base/vector.h"

enum { LT_VALUE_HASH_SEED = 42 };

uint32_t lt_value_murmur3(const lt_vector *vector, uint32_t row, uint32_t seed);
uint64_t lt_value_xxhash64(const lt_vector *vector, uint32_t row, uint64_t seed);
// Of a text or binary.
uint32_t lt_bytes_murmur3(const char *bytes, size_t count, uint32_t seed);

#endif
