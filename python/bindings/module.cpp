#include <initializer_list>
#include <memory>

#include <covary/version.h>

#include "bindings.h"

namespace covary::python {

std::vector<double> to_vector(const InputArray& array) {
  return {array.data(), array.data() + array.size()};
}

std::vector<std::vector<double>> to_columns(const std::vector<InputArray>& arrays) {
  std::vector<std::vector<double>> columns;
  columns.reserve(arrays.size());
  for (const InputArray& array : arrays) columns.push_back(to_vector(array));
  return columns;
}

namespace {

// An array that keeps its numbers for as long as Python does.
template <class Array>
Array owned(std::vector<double> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  double* data = kept->data();
  const nb::capsule owner(
      kept.release(), [](void* all) noexcept { delete static_cast<std::vector<double>*>(all); });
  return Array(data, shape, owner);
}

}  // namespace

Vector to_numpy(std::vector<double> values) {
  const std::size_t size = values.size();
  return owned<Vector>(std::move(values), {size});
}

Table2d to_numpy(std::vector<double> values, std::size_t row_length) {
  const std::size_t num_rows = row_length == 0 ? 0 : values.size() / row_length;
  return owned<Table2d>(std::move(values), {num_rows, row_length});
}

namespace {

PyObject* exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::bad_data:
      return PyExc_ValueError;
    case ErrorKind::memory:
      return PyExc_MemoryError;
    case ErrorKind::no_input:
      return PyExc_FileNotFoundError;
    case ErrorKind::cannot_write:
    case ErrorKind::disk:
    case ErrorKind::in_use:
      break;
  }
  return PyExc_OSError;
}

}  // namespace

void bind_errors(nb::module_& /*module*/) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void* /*payload*/) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      PyErr_SetString(exception_of(error.kind()), error.what());
    } catch (const SearchInterrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const WorkStopped&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace covary::python

NB_MODULE(_engine, module) {
  using namespace covary::python;
  module.doc() = "The engine of covary. Use the package covary, which speaks Python.";
  module.attr("version") = covary::version;
  module.def("num_cores", &covary::num_cores);
  covary::set_reader(covary::Reader::python);  // first: the tables of settings name options
  bind_errors(module);
  bind_settings(module);
  bind_data(module);
  bind_expressions(module);
  bind_evidence(module);
  bind_models(module);
  bind_search(module);
}
