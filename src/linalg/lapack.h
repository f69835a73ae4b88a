#pragma once

#include "linalg/blas_place.h"

// The Fortran routines that we call. LAPACK counts with 32-bit integers.
// NOLINTBEGIN(readability-identifier-naming): Fortran's names
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dlauum_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
            double* work, const int* lwork, int* info);
void dtrmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb);
void dtrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a,
            const int* lda, double* x, const int* incx);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* x, const int* incx, const double* beta, double* y,
            const int* incy);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void openblas_set_num_threads(int num_threads);
}
// NOLINTEND(readability-identifier-naming)

namespace covary {

// A routine that takes its place among the calls under way.
template <class... Arguments>
class Routine {
 public:
  explicit constexpr Routine(void (*function)(Arguments...)) : function_(function) {}
  void operator()(Arguments... arguments) const {
    const BlasPlace place;
    function_(arguments...);
  }

 private:
  void (*function_)(Arguments...);
};

inline constexpr Routine dpotrf{dpotrf_};
inline constexpr Routine dlauum{dlauum_};
inline constexpr Routine dsyev{dsyev_};
inline constexpr Routine dtrmm{dtrmm_};
inline constexpr Routine dtrsm{dtrsm_};
inline constexpr Routine dtrsv{dtrsv_};
inline constexpr Routine dgemv{dgemv_};
inline constexpr Routine dsyrk{dsyrk_};
inline constexpr Routine dsymm{dsymm_};
inline constexpr Routine dgemm{dgemm_};

}  // namespace covary
