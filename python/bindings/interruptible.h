#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <utility>

#include "bindings.h"

namespace covary::python {

// What work gave, and the Python exception that ended it early (Ctrl-C), if one did.
template <class Result>
struct Interruptible {
  Result result;
  nb::object exception;  // None if it ran to its end
};

// Does work(interrupted) on another thread without Python's lock, while this one looks after
// signals, and calls `meanwhile` now and then with the lock held.
template <class Work>
auto run_interruptibly(Work work, const std::function<void()>& meanwhile = {}) {
  using Result = decltype(work(std::declval<const std::atomic<bool>&>()));
  constexpr auto patience = std::chrono::milliseconds(20);
  std::atomic<bool> interrupted{false};
  nb::object exception = nb::none();
  std::future<Result> outcome =
      std::async(std::launch::async, [&] { return work(std::as_const(interrupted)); });
  const auto stop = [&](const nb::python_error& error) {
    interrupted = true;
    if (exception.is_none()) exception = nb::borrow(error.value());
  };
  const auto look_around = [&] {
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (meanwhile && !interrupted) meanwhile();
    } catch (const nb::python_error& error) {
      stop(error);
    }
  };
  const auto is_ready = [&] {
    const nb::gil_scoped_release release;
    return outcome.wait_for(patience) == std::future_status::ready;
  };
  while (!is_ready()) look_around();
  look_around();
  return Interruptible<Result>{outcome.get(), exception};
}

// For work of which nothing is left when it is interrupted: it ends at the next StopPoint.
template <class Work>
auto run_or_raise(Work work) {
  using Result = decltype(work(std::declval<const std::atomic<bool>&>()));
  auto outcome =
      run_interruptibly([&](const std::atomic<bool>& interrupted) -> std::optional<Result> {
        const StopScope scope([&interrupted] { return interrupted.load(); });
        try {
          return work(interrupted);
        } catch (const WorkStopped&) {
          return std::nullopt;
        }
      });
  if (!outcome.exception.is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(outcome.exception.ptr())),
                    outcome.exception.ptr());
    throw nb::python_error();
  }
  return *std::move(outcome.result);
}

// The same of work that does not ask itself. The caller holds Python's lock, the work does not.
template <class Work>
auto run_stoppably(Work work) {
  return run_or_raise([&](const std::atomic<bool>& /*interrupted*/) { return work(); });
}

}  // namespace covary::python
