#pragma once

namespace covary {

// The right to one call of BLAS, which the routines of lapack.h take themselves. OpenBLAS gives
// every call that is under way a buffer of 128 MB of address space, keeps it for later calls, and
// where it gets none asks again for ever. So there are as many places as it has buffers: a call
// beyond them brings one more if the memory for it is there, and otherwise waits for its turn.
// Throws Error if there is not even memory for the first.
class BlasPlace {
 public:
  BlasPlace();
  ~BlasPlace();
  BlasPlace(const BlasPlace&) = delete;
  BlasPlace& operator=(const BlasPlace&) = delete;
  BlasPlace(BlasPlace&&) = delete;
  BlasPlace& operator=(BlasPlace&&) = delete;
};

}  // namespace covary
