# Kernels for one instruction set are a file each with flags of their own; which one runs is chosen from the CPU at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set_source_files_properties(base/digest_sha_ni.c PROPERTIES COMPILE_OPTIONS "-O3;-msha;-msse4.1")
  set_source_files_properties(base/aes_block_ni.c PROPERTIES COMPILE_OPTIONS "-maes")
  set_source_files_properties(storage/json_index_avx2.c storage/csv_index_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi;-mpopcnt")
  set_source_files_properties(storage/json_members_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi;-mbmi2")
  set_source_files_properties(storage/json_index_avx512.c storage/csv_index_avx512.c storage/value_lanes_avx512.c
    PROPERTIES COMPILE_OPTIONS "-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vbmi;-mavx512vbmi2;-mbmi;-mbmi2;-mpopcnt")
  set_source_files_properties(exec/kernels/compare_bits_avx2.c PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mbmi;-mpopcnt")
  set_source_files_properties(exec/kernels/compare_bits_avx512.c PROPERTIES COMPILE_OPTIONS
    "-O3;-mprefer-vector-width=512;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vbmi;-mavx512vbmi2;-mbmi;-mbmi2;-mpopcnt")
endif()
