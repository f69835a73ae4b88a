// Every bit of a run's file, flipped one at a time. A file of SQLite has much empty room, so that
// most flips of a small run hit nothing: which bytes hold something is worked out here from the
// format of the file alone.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include "store/run_contents.h"
#include "store/run_store.h"
#include "unit/store/child_process.h"
#include "unit/store/run_examples.h"

namespace covary {
namespace {

constexpr std::size_t num_examples = 12;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t head_bytes = 100;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void flip_bit(std::string& bytes, std::size_t bit) {
  char& byte = bytes[bit / 8];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << bit % 8));
}

enum class Use { empty, bookkeeping, content };

// A page of a table, as https://www.sqlite.org/fileformat.html has it: a head, pointers to cells,
// empty room, and the cells.
class TablePage {
 public:
  TablePage(const std::string& file, std::size_t number, std::vector<Use>& uses)
      : file_(file), uses_(uses), begin_(number * page_bytes) {
    const std::size_t head = begin_ + (number == 0 ? head_bytes : 0);
    const bool is_leaf = byte(head) == 13;
    EXPECT_TRUE(is_leaf || byte(head) == 5) << "page " << number << " is of no table";
    const std::size_t size = is_leaf ? 8 : 12;
    mark(head, size);
    for (std::size_t hole = two_bytes(head + 1); hole != 0; hole = two_bytes(begin_ + hole)) {
      mark(begin_ + hole, 4);
    }
    const std::size_t num_cells = two_bytes(head + 3);
    mark(head + size, 2 * num_cells);
    for (std::size_t i = 0; i < num_cells; ++i) {
      const std::size_t cell = begin_ + two_bytes(head + size + 2 * i);
      is_leaf ? mark_leaf_cell(cell) : mark_inner_cell(cell);
    }
  }

 private:
  std::size_t byte(std::size_t at) const { return static_cast<unsigned char>(file_.at(at)); }
  std::size_t two_bytes(std::size_t at) const { return byte(at) << 8U | byte(at + 1); }

  void mark(std::size_t at, std::size_t size, Use use = Use::content) {
    std::fill_n(uses_.begin() + static_cast<std::ptrdiff_t>(at), size, use);
  }

  // Seven bits a byte, and whether there are more; moves on to what follows.
  std::size_t number_at(std::size_t& at) const {
    std::size_t number = 0;
    do {
      number = number << 7U | (byte(at) & 0x7fU);
    } while ((byte(at++) & 0x80U) != 0);
    return number;
  }

  // Keys of rows: where they are no position or rank they only tell the order.
  void mark_leaf_cell(std::size_t cell) {
    std::size_t at = cell;
    const std::size_t size = number_at(at);
    const std::size_t key = at;
    number_at(at);
    EXPECT_LT(size, page_bytes - 35) << "a row that goes on elsewhere";
    mark(cell, key - cell);
    mark(key, at - key, Use::bookkeeping);
    mark(at, size);
    // The place of a key that is a column: the number stands in front, and what is here is not
    // read.
    number_at(at);
    if (byte(at) == 0) mark(at, 1, Use::bookkeeping);
  }

  void mark_inner_cell(std::size_t cell) {
    std::size_t at = cell + 4;
    number_at(at);
    mark(cell, 4);
    mark(cell + 4, at - cell - 4, Use::bookkeeping);
  }

  const std::string& file_;
  std::vector<Use>& uses_;
  std::size_t begin_;
};

std::vector<Use> uses_of(const std::string& file) {
  std::vector<Use> uses(file.size(), Use::empty);
  for (std::size_t page = 0; page < file.size() / page_bytes; ++page) {
    TablePage(file, page, uses);
  }
  // What the head counts and notes for other programs; its other bytes say how to read the file.
  std::fill_n(uses.begin(), head_bytes, Use::content);
  const auto not_read = [&](std::size_t at, std::size_t size) {
    std::fill_n(uses.begin() + static_cast<std::ptrdiff_t>(at), size, Use::bookkeeping);
  };
  not_read(18, 2);  // whether it may be written and read: any small number will do
  not_read(24, 8);  // number of changes; number of pages, which goes by the size where these differ
  not_read(40, 12);  // changes of the schema, its format, a size of caches
  not_read(56, 4);   // the encoding of texts, of which two bits count
  not_read(64, 4);   // a way to give room back, of files that are made for it
  not_read(72, 28);  // nothing yet; the last change, and the version of SQLite that made it
  return uses;
}

class RunStoreBits : public testing::Test {
 protected:
  void SetUp() override {
    {
      RunStore store = RunStore::create(folder_.run(), example_header(), false);
      for (std::size_t i = 0; i < num_examples; ++i) store.add(example_evaluation(i));
      store.finish({example_evaluation(0), example_evaluation(1)}, {{"finished", "yes"}});
    }
    whole_ = read_file(path());
    uses_ = uses_of(whole_);
  }

  // Everything that is read from a file with these bytes, and from what becomes of it where it is
  // gone on with; or nothing, where it is refused by a sentence.
  std::string result_of(const std::string& bytes, bool is_gone_on_with = true) {
    write_file(path(), bytes);
    try {
      const std::string text = text_of(RunStore::open_read_only(folder_.run()).contents());
      if (!is_gone_on_with) return text;
      {
        RunStore store = RunStore::open(folder_.run());
        store.add(example_evaluation(num_examples));
        store.finish({example_evaluation(2)}, {{"finished", "again"}});
      }
      return text + text_of(RunStore::open_read_only(folder_.run()).contents());
    } catch (const Error& error) {
      const std::string sentence = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::bad_data) << sentence;
      EXPECT_NE(sentence.find(folder_.run()), std::string::npos) << sentence;
      EXPECT_TRUE(sentence.find("; put back a copy") != std::string::npos ||
                  sentence.find("; use the version of Covary") != std::string::npos)
          << sentence;
      return {};
    }
  }

  // Flips each `stride`-th bit. Going on waits for the disk: of flips in empty room, one in 16
  // does.
  void flip(std::size_t stride) {
    const std::string read = result_of(whole_, false);
    const std::string gone_on = result_of(whole_);
    std::size_t num_content = 0;
    for (std::size_t flips = 0; flips * stride < 8 * whole_.size(); ++flips) {
      const std::size_t at = flips * stride / 8;
      const std::size_t bit = flips * stride % 8;
      std::string damaged = whole_;
      flip_bit(damaged, flips * stride);
      const bool is_gone_on_with = uses_[at] != Use::empty || flips % 16 == 0;
      const std::string result = result_of(damaged, is_gone_on_with);
      if (uses_[at] == Use::content) ++num_content;
      if (uses_[at] == Use::content || (uses_[at] == Use::bookkeeping && result.empty())) {
        EXPECT_TRUE(result.empty()) << "byte " << at << ", bit " << bit;
      } else {
        EXPECT_EQ(result, is_gone_on_with ? gone_on : read) << "byte " << at << ", bit " << bit;
      }
    }
    EXPECT_GT(num_content, whole_.size() * 8 / stride / 10);
  }

  // The same of the journal that a writer left which died before its commit.
  void flip_journal(std::size_t stride) {
    const std::string before = text_of(RunStore::open_read_only(folder_.run()).contents());
    {
      RunStore store = RunStore::open(folder_.run());
      store.add(example_evaluation(num_examples));
      store.set_fact("finished", "again");
    }
    const std::string after = text_of(RunStore::open_read_only(folder_.run()).contents());
    write_file(path(), whole_);
    ChildProcess([&](const ChildProcess::Report& /*report*/) {
      Database database(path(), Database::Access::write);
      const Transaction transaction(database, "BEGIN IMMEDIATE");
      add_evaluation(database, evaluation_table, example_evaluation(num_examples));
      replace_fact(database, "finished", "again");
      sqlite3_db_cacheflush(database.handle());
      _exit(0);
    }).wait_and_read();
    const std::string journal = read_file(path() + "-journal");
    const std::string torn = read_file(path());
    ASSERT_GT(journal.size(), 2 * page_bytes);
    ASSERT_NE(torn, whole_);
    EXPECT_EQ(text_of(RunStore::open_read_only(folder_.run()).contents()), before);
    std::size_t num_refused = 0;
    for (std::size_t bit = 0; bit < 8 * journal.size(); bit += stride) {
      std::string damaged = journal;
      flip_bit(damaged, bit);
      write_file(path() + "-journal", damaged);
      write_file(path(), torn);
      try {
        const std::string text = text_of(RunStore::open_read_only(folder_.run()).contents());
        EXPECT_TRUE(text == before || text == after) << "bit " << bit << ": " << text;
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::bad_data || error.kind() == ErrorKind::disk)
            << error.what();
        ++num_refused;
      }
    }
    EXPECT_GT(num_refused, 8 * journal.size() / stride / 10);
  }

 private:
  std::string path() const { return folder_.run() + "/run.sqlite"; }

  static std::string text_of(const RunContents& contents) {
    std::string text = contents.header.created + contents.header.data_fingerprint;
    for (const auto& [name, value] : contents.header.settings) text += name + "=" + value + "\n";
    for (const auto& [name, value] : contents.facts) text += name + ":" + value + "\n";
    for (const StoredEvaluation& one : contents.evaluations) text += bits_of(one) + "\n";
    for (const StoredEvaluation& one : contents.finalists) text += bits_of(one) + "\n";
    return text;
  }

  TemporaryFolder folder_;
  std::string whole_;
  std::vector<Use> uses_;
};

TEST_F(RunStoreBits, AFlipOfWhatIsStoredIsRefusedAndAnyOtherChangesNothing) { flip(53); }

TEST_F(RunStoreBits, AFlipInTheJournalOfADeadWriterIsRefusedOrChangesNothing) { flip_journal(211); }

class SlowRunStoreBits : public RunStoreBits {};

TEST_F(SlowRunStoreBits, AFlipOfWhatIsStoredIsRefusedAndAnyOtherChangesNothing) { flip(1); }

TEST_F(SlowRunStoreBits, AFlipInTheJournalOfADeadWriterIsRefusedOrChangesNothing) {
  flip_journal(1);
}

}  // namespace
}  // namespace covary
