#include "pieces.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "base/parallel.h"
#include "interrupt.h"
#include "terminal.h"

namespace covary::paper {
namespace {

// "meta-regression [#####.....] 12/40, 3 min left: airline" on a terminal; elsewhere a line a
// piece.
class Bar {
 public:
  Bar(std::string title, std::size_t num_pieces, std::size_t num_kept)
      : title_(std::move(title)),
        num_pieces_(num_pieces),
        num_kept_(num_kept),
        is_terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Bar() {
    if (is_terminal_ && has_line_) std::fputs("\r\x1b[K", stderr);
  }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;
  Bar(Bar&&) = delete;
  Bar& operator=(Bar&&) = delete;

  void done(const std::string& piece) {
    const std::lock_guard lock(mutex_);
    ++num_done_;
    const std::size_t num_there = num_kept_ + num_done_;
    const double left = (wall_seconds() - begin_) / static_cast<double>(num_done_) *
                        static_cast<double>(num_pieces_ - num_there);
    constexpr std::size_t width = 24;
    std::string bar(width, '.');
    bar.replace(0, width * num_there / num_pieces_,
                std::string(width * num_there / num_pieces_, '#'));
    const std::string line = fmt::format("{} [{}] {}/{}, {} left: {}", title_, bar, num_there,
                                         num_pieces_, app::duration(left), piece);
    const std::string text = is_terminal_ ? "\r\x1b[K" + line.substr(0, 119) : line + "\n";
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
    static_cast<void>(std::fflush(stderr));
    has_line_ = true;
  }

 private:
  std::string title_;
  std::size_t num_pieces_;
  std::size_t num_kept_;
  std::size_t num_done_ = 0;
  double begin_ = wall_seconds();
  bool is_terminal_;
  bool has_line_ = false;
  std::mutex mutex_;
};

std::string path_of(const Plan& plan, const Piece& piece) {
  return plan.out_folder + "/pieces/" + piece.name + ".json";
}

// Nothing if it is not there, or is of other settings.
std::optional<nlohmann::json> kept(const std::string& path, const Piece& piece) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  const nlohmann::json content = nlohmann::json::parse(file, nullptr, false);
  if (content.is_discarded() || !content.is_object() || !content.contains("result") ||
      content.value("settings", std::string()) != piece.settings) {
    return std::nullopt;
  }
  return content["result"];
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  const std::filesystem::path target(path);
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  const std::string unfinished = path + ".unfinished";
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << text;
    if (!file.flush()) {
      throw Error(ErrorKind::cannot_write,
                  fmt::format("{} cannot be written; choose another folder with --out",
                              shown_source(path)));
    }
  }
  std::filesystem::rename(unfinished, target, error);
  if (error) {
    throw Error(
        ErrorKind::cannot_write,
        fmt::format("{} cannot be written; choose another folder with --out", shown_source(path)));
  }
}

std::vector<std::optional<nlohmann::json>> results_of(const Plan& plan, const std::string& title,
                                                      const std::vector<Piece>& pieces) {
  std::vector<std::optional<nlohmann::json>> results(pieces.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    results[i] = kept(path_of(plan, pieces[i]), pieces[i]);
    if (!results[i]) missing.push_back(i);
  }
  if (plan.finished_only || missing.empty()) return results;
  Bar bar(title, pieces.size(), pieces.size() - missing.size());
  parallel_for(plan.threads, missing.size(), [&](std::size_t task, std::size_t) {
    const Piece& piece = pieces[missing[task]];
    if (plan.interrupted->load()) return;
    nlohmann::json result = piece.compute();
    if (plan.interrupted->load()) return;  // what it gave then is only a part
    const nlohmann::json content = {{"settings", piece.settings}, {"result", result}};
    write_file(path_of(plan, piece), content.dump());
    results[missing[task]] = std::move(result);
    bar.done(piece.name);
  });
  if (plan.interrupted->load()) throw app::Interrupted();
  return results;
}

}  // namespace covary::paper
