#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "store/run_store.h"
#include "unit/store/run_examples.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

constexpr std::size_t num_examples = 40;
constexpr std::size_t page_bytes = 4096;  // SQLite's default

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A run with all kinds of rows in it, to be damaged.
class RunStoreDamage : public testing::Test {
 protected:
  void SetUp() override {
    RunStore store = RunStore::create(folder_.run(), example_header(), false);
    for (std::size_t i = 0; i < num_examples; ++i) store.add(example_evaluation(i));
    store.finish({example_evaluation(0), example_evaluation(1)}, {{"finished", "yes"}});
    header_ = store.header();
  }

  std::string file() const { return folder_.run() + "/run.sqlite"; }
  std::string run() const { return folder_.run(); }

  // One sentence, or everything as it was; nothing else. Whether it was refused.
  bool is_refused() const {
    try {
      RunStore store = RunStore::open_read_only(run());
      const RunContents contents = store.contents();
      EXPECT_EQ(store.header(), header_);
      EXPECT_EQ(contents.evaluations.size(), num_examples);
      EXPECT_TRUE(are_examples(contents.evaluations));
      EXPECT_EQ(contents.finalists.size(), 2U);
      EXPECT_TRUE(are_examples(contents.finalists));
      EXPECT_EQ(store.fact("finished"), "yes");
      return false;
    } catch (const Error& error) {
      const std::string sentence = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::bad_data) << sentence;
      EXPECT_LE(sentence.size(), 400U) << sentence;
      EXPECT_NE(sentence.find(run()), std::string::npos) << sentence;
      EXPECT_TRUE(std::none_of(sentence.begin(), sentence.end(), [](unsigned char c) {
        return std::iscntrl(c) != 0;
      })) << sentence;
      return true;
    }
  }

  // Changes the file as any program could.
  void run_sql(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << message;
    sqlite3_free(message);
    sqlite3_close(database);
  }

 private:
  TemporaryFolder folder_;
  RunHeader header_;
};

TEST_F(RunStoreDamage, AnUntouchedRunIsFine) { EXPECT_FALSE(is_refused()); }

TEST_F(RunStoreDamage, EveryTruncationIsRefused) {
  const std::string whole = read_file(file());
  ASSERT_GT(whole.size(), 20'000U);
  for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 61) {
    write_file(file(), whole.substr(0, size));
    EXPECT_TRUE(is_refused()) << size;
  }
}

TEST_F(RunStoreDamage, EveryFlippedBitOfTheHeadIsRefusedOrHarmless) {
  const std::string whole = read_file(file());
  for (std::size_t bit = 0; bit < 1040; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ (1U << bit % 8));
    write_file(file(), damaged);
    SCOPED_TRACE(bit);
    is_refused();
  }
}

TEST_F(RunStoreDamage, ThousandsOfRandomBytesAreRefusedOrHarmless) {
  const std::string whole = read_file(file());
  Random random(3);
  std::size_t num_refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = whole;
    for (std::uint64_t changes = 1 + random.index(3); changes > 0; --changes) {
      damaged[random.index(damaged.size())] = static_cast<char>(random.index(256));
    }
    write_file(file(), damaged);
    SCOPED_TRACE(i);
    if (is_refused()) ++num_refused;
  }
  EXPECT_GT(num_refused, 2000U);  // the rest hit bytes that nothing is stored in
}

TEST_F(RunStoreDamage, PagesInTheWrongPlaceAreRefused) {
  const std::string whole = read_file(file());
  const std::size_t num_pages = whole.size() / page_bytes;
  for (std::size_t from = 0; from < num_pages; ++from) {
    for (std::size_t to = 0; to < num_pages; ++to) {
      if (from == to) continue;
      std::string damaged = whole;
      damaged.replace(to * page_bytes, page_bytes, whole, from * page_bytes, page_bytes);
      write_file(file(), damaged);
      EXPECT_TRUE(is_refused()) << from << " over " << to;
    }
  }
}

// Whoever goes on with a damaged run is told so, or adds to it as if nothing were wrong.
TEST_F(RunStoreDamage, AddingToADamagedRunIsOneErrorOrWorks) {
  const std::string whole = read_file(file());
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    damaged[random.index(damaged.size())] = static_cast<char>(random.index(256));
    write_file(file(), damaged);
    try {
      RunStore store = RunStore::open(run());
      store.add(example_evaluation(num_examples));
      EXPECT_EQ(store.evaluations().size(), num_examples + 1);
      EXPECT_TRUE(are_examples(store.evaluations()));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_data) << error.what();
    }
  }
}

TEST_F(RunStoreDamage, ForeignFilesAreRefused) {
  const TemporaryFolder other;
  for (const std::string& bytes :
       {std::string(), std::string("text"), std::string(100'000, '\0'), std::string(5000, 'x'),
        std::string("SQLite format 3\0", 16) + std::string(4080, '\0')}) {
    write_file(file(), bytes);
    EXPECT_TRUE(is_refused()) << bytes.substr(0, 10);
    EXPECT_THROW(RunStore::open(run()), Error);
  }
  std::filesystem::remove(file());
  run_sql("CREATE TABLE evaluation (position INTEGER)");
  EXPECT_TRUE(is_refused());
  std::filesystem::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_TRUE(is_refused());
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  EXPECT_TRUE(is_refused());
}

TEST_F(RunStoreDamage, AHugeFileIsRefusedUnread) {
  std::filesystem::resize_file(file(), std::uintmax_t{1} << 40U);
  EXPECT_TRUE(is_refused());
}

void put(std::string& bytes, std::size_t at, unsigned size, std::size_t number) {
  for (unsigned i = 0; i < size; ++i) {
    bytes[at + i] = static_cast<char>(static_cast<unsigned char>(number >> (8 * (size - 1 - i))));
  }
}

// An inner page of SQLite's tables: its entries point at `child`, and so does its end.
std::string inner_page(std::size_t num_entries, std::size_t child) {
  std::string page(page_bytes, '\0');
  page[0] = 5;
  put(page, 3, 2, num_entries);
  put(page, 5, 2, page_bytes - 5 * num_entries);
  put(page, 8, 4, child);
  for (std::size_t i = 0; i < num_entries; ++i) {
    const std::size_t entry = page_bytes - 5 * (i + 1);
    put(page, 12 + 2 * i, 2, entry);
    put(page, entry, 4, child);
    put(page, entry + 4, 1, i);
  }
  return page;
}

// Five levels of pages that each name the next a hundred times: 10^10 rows in 20 kB. Who reads
// them before looking at the structure does not come back.
TEST_F(RunStoreDamage, PagesThatMultiplyEachOtherAreRefused) {
  run_sql("DELETE FROM evaluation WHERE position > 3; VACUUM");
  std::string bytes = read_file(file());
  const std::size_t num_pages = bytes.size() / page_bytes;
  constexpr std::size_t root = 4;  // of the table evaluation, the fourth after the schema
  for (std::size_t level = 1; level <= 4; ++level) {
    bytes += inner_page(100, num_pages + level + 1);
  }
  bytes += bytes.substr(root * page_bytes, page_bytes);
  bytes.replace(root * page_bytes, page_bytes, inner_page(100, num_pages + 1));
  put(bytes, 28, 4, bytes.size() / page_bytes);
  write_file(file(), bytes);
  EXPECT_TRUE(is_refused());
}

TEST_F(RunStoreDamage, ANewerFormatIsNamed) {
  run_sql("PRAGMA user_version = 99; ALTER TABLE seal ADD COLUMN other TEXT");
  const std::string bytes = read_file(file());
  const std::string sentence = error_of(ErrorKind::bad_data, [&] { RunStore::open(run()); });
  EXPECT_TRUE(sentence.starts_with(
      fmt::format("the run in {} is of format version 99, this program reads version ", run())))
      << sentence;
  EXPECT_TRUE(sentence.ends_with("; use the version of Covary that made it, or a newer one"))
      << sentence;
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { RunStore::open_read_only(run()); }), sentence);
  EXPECT_EQ(read_file(file()), bytes);
}

// Content that is a sound SQLite file and still not what was stored.
TEST_F(RunStoreDamage, EditedContentIsRefused) {
  const std::string whole = read_file(file());
  const char* endless_view =
      "DROP TABLE fact; CREATE VIEW fact AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
      "i + 1 FROM n) SELECT '' AS name, '' AS value FROM n";
  const char* moved_row =
      "INSERT INTO finalist SELECT * FROM evaluation WHERE position = 3; DELETE FROM evaluation "
      "WHERE position = 3";
  for (const std::string sql :
       {"DELETE FROM evaluation WHERE position = 39",
        "DELETE FROM evaluation",
        "UPDATE evaluation SET value = 1e9 WHERE position = 3",
        "UPDATE evaluation SET parameters = x'00' WHERE position = 3",
        "UPDATE evaluation SET parameters = zeroblob(8) WHERE position = 3",
        "UPDATE evaluation SET outcome = 'well' WHERE position = 3",
        "UPDATE evaluation SET seconds = 'text' WHERE position = 3",
        "UPDATE evaluation SET seconds = 1 WHERE position = 3",
        "UPDATE evaluation SET num_starts = -1 WHERE position = 3",
        "UPDATE evaluation SET position = -1 WHERE position = 3",
        "UPDATE evaluation SET position = 99 WHERE position = 3",
        "UPDATE evaluation SET message = zeroblob(20000000) || '' WHERE position = 3",
        "UPDATE setting SET value = 'random' WHERE name = 'method'",
        "UPDATE setting SET rowid = 99 WHERE name = 'method'",
        "UPDATE header SET value = 'x' WHERE name = 'seed'",
        "UPDATE header SET value = '-1' WHERE name = 'seed'",
        "DELETE FROM header",
        "DELETE FROM setting",
        "DELETE FROM fact",
        "INSERT INTO fact VALUES ('a', 'b')",
        "DELETE FROM finalist",
        "UPDATE finalist SET value = 1e9 WHERE rank = 1",
        "UPDATE finalist SET rank = 5 WHERE rank = 1",
        moved_row,
        "DROP TABLE finalist",
        "PRAGMA user_version = 1",
        "DELETE FROM seal",
        "UPDATE seal SET value = 0",
        "DROP TABLE fact",
        "CREATE TABLE mine (x)",
        "ALTER TABLE evaluation ADD COLUMN more TEXT",
        "CREATE INDEX i ON fact (name)",
        "PRAGMA application_id = 0",
        "PRAGMA user_version = 0",
        "CREATE TRIGGER t AFTER INSERT ON evaluation BEGIN DELETE FROM fact; END",
        endless_view}) {
    write_file(file(), whole);
    run_sql(sql);
    EXPECT_TRUE(is_refused()) << sql;
  }
}

}  // namespace
}  // namespace covary
