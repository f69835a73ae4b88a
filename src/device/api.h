#pragma once

#include <cstddef>
#include <cstdint>

// What a device can be asked: the one interface between the program and a library that is loaded
// at run time (libcovary_cuda.so, or the emulation on the host that tests load). Plain structs and
// function pointers, so that the program neither links nor needs what stands behind it.

namespace covary::device {

inline constexpr std::uint32_t api_version = 1;
inline constexpr const char* api_symbol = "covary_device_api";

// The message of what did not work: one sentence, or empty.
struct Message {
  char text[256] = {};
};

enum class Status : std::int32_t {
  ok,
  no_memory,    // of the device; with fewer places at a time it may work
  unavailable,  // no such device, or one that is too old
  lost,         // nothing more can be asked of this device
};

struct Description {
  char name[128] = {};
  char library[128] = {};  // "CUDA 13.0"
  double total_bytes = 0.0;
  double free_bytes = 0.0;
};

// An expression's nodes in an order in which operands come first.
struct Node {
  std::int32_t function = 0;  // a base kernel by its place in the registry; operators come after
  std::int32_t column = 0;
  std::int32_t first_parameter = 0;
  std::int32_t left = 0;  // operands, by position
  std::int32_t right = 0;
  std::int32_t unused = 0;
  double period = 1.0;  // the unit in which a leaf sees its column
};
struct Program {
  const Node* nodes = nullptr;
  std::size_t num_nodes = 0;
  std::size_t num_parameters = 0;  // of the kernel; the noise variance comes after
};

struct RowsData {
  const double* const* columns = nullptr;
  std::size_t num_columns = 0;
  std::size_t num_rows = 0;
  const double* target = nullptr;
  double constant_variance = 0.0;
};

// Things of a device, made and freed by its functions.
struct Device;
struct Rows;
struct Place;  // memory for one kernel on some rows: a value stays there until its gradient

struct ValueTask {
  Place* place = nullptr;
  const double* parameters = nullptr;  // natural values, the noise variance last
  double diagonal = 0.0;               // on top of the noise
  double jitter = 0.0;                 // times the mean diagonal, likewise
  // Results. Not positive definite: is_factored is 0.
  std::int32_t is_factored = 0;
  std::int32_t unused = 0;
  double mean_diagonal = 0.0;  // without the jitter
  double square = 0.0;         // y' K^-1 y
  double log_determinant = 0.0;
};

// Of the last value of that place, which had a factor; the place has no value afterwards.
struct GradientTask {
  Place* place = nullptr;
  double* gradient = nullptr;
  double* information = nullptr;  // num_parameters + 1 squared; null if it is not wanted
};

// Asked while work of many rows goes on; what is not 0 stops it.
struct Stop {
  std::int32_t (*should_stop)(void* context) = nullptr;
  void* context = nullptr;
};

// Of one device, values() and gradients() are for one thread at a time; rows and places may be made
// and freed by others meanwhile.
struct Api {
  std::uint32_t version;
  const char* formulas;  // the names of all functions, which have to be those of the program
  std::int32_t (*num_devices)(Message* why_none);
  Status (*describe)(std::int32_t index, Description* out, Message* message);
  Device* (*open)(std::int32_t index, Message* message);
  void (*close)(Device* device);

  Rows* (*make_rows)(Device* device, const RowsData* data, Message* message);
  void (*free_rows)(Device* device, Rows* rows);
  // Null where there is no memory, or where the kernel is too large for it.
  Place* (*make_place)(Device* device, Rows* rows, const Program* program, Message* message);
  void (*free_place)(Device* device, Place* place);
  double (*place_bytes)(std::size_t num_rows);
  // So many places at a time fill the device; more wait for each other.
  std::size_t (*good_batch)(Device* device, std::size_t num_rows);

  // What a Cholesky factor of so many rows alone takes, to compare with.
  Status (*factor_seconds)(Device* device, std::size_t num_rows, double* seconds, Message* message);

  // Each result is the same, bit by bit, whatever stands beside it.
  Status (*values)(Device* device, ValueTask* tasks, std::size_t num_tasks, const Stop* stop,
                   Message* message);
  Status (*gradients)(Device* device, GradientTask* tasks, std::size_t num_tasks, const Stop* stop,
                      Message* message);
};

}  // namespace covary::device

extern "C" const covary::device::Api* covary_device_api();
