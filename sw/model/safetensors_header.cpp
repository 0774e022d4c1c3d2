// SPDX-License-Identifier: Apache-2.0
#include "sw/model/safetensors_header.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "sw/isa/program.h"

namespace tepin::model {
namespace {

constexpr std::size_t kMaxDims = 64;

/// Takes the JSON event by event, so that neither nesting nor repeated keys build anything up.
class Handler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(std::string_view json, const std::string& name) : json_(json), name_(name) {}
  Header take() { return std::move(header_); }

  bool null() override { return value("null"); }
  bool boolean(bool) override { return value("a boolean"); }
  bool number_integer(number_integer_t v) override { return value(fmt::format("{}", v)); }
  bool number_float(number_float_t, const string_t& s) override { return value(printable(s)); }
  bool binary(binary_t&) override { return value("binary data"); }

  bool number_unsigned(number_unsigned_t v) override {
    if (state_ != State::kNumbers) return value(fmt::format("{}", v));
    if (numbers_->size() == kMaxDims) fail(fmt::format("{}: more than {} numbers", where(), kMaxDims));
    numbers_->push_back(v);
    return true;
  }

  bool string(string_t& s) override {
    if (state_ == State::kMetadata) {
      header_.metadata.emplace(key_, s);
    } else if (state_ == State::kEntry && key_ == "dtype") {
      header_.entries.back().dtype = s;
    } else {
      return value("the text " + printable(s));
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (state_ == State::kStart) {
      state_ = State::kTop;
    } else if (state_ == State::kTop && key_ == "__metadata__") {
      state_ = State::kMetadata;
      metadata_keys_.clear();
    } else if (state_ == State::kTop) {
      state_ = State::kEntry;
      header_.entries.push_back({key_, {}, {}, {}});
      entry_keys_.clear();
    } else {
      return value("an object");
    }
    return true;
  }

  bool end_object() override {
    state_ = state_ == State::kTop ? State::kEnd : State::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != State::kEntry || (key_ != "shape" && key_ != "data_offsets")) return value("an array");
    HeaderEntry& e = header_.entries.back();
    std::optional<std::vector<std::uint64_t>>& list = key_ == "shape" ? e.shape : e.offsets;
    list.emplace();
    numbers_ = &*list;
    state_ = State::kNumbers;
    return true;
  }

  bool end_array() override {
    state_ = State::kEntry;
    return true;
  }

  bool key(string_t& k) override {
    std::set<std::string>& keys = state_ == State::kTop     ? names_
                                  : state_ == State::kEntry ? entry_keys_
                                                            : metadata_keys_;
    const bool fresh = keys.insert(k).second;
    if (state_ == State::kEntry) {
      key_ = k;
      if (k != "dtype" && k != "shape" && k != "data_offsets") {
        fail(fmt::format("tensor {}: key {}; allowed: dtype, shape, data_offsets",
                         printable(header_.entries.back().name), printable(k)));
      }
    }
    if (!fresh) fail(fmt::format("{} twice in the header", state_ == State::kEntry ? where() : printable(k)));
    key_ = k;
    return true;
  }

  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    const std::size_t pos = at == 0 ? 0 : at - 1;
    fail(fmt::format("header, byte {}: not JSON; found {}", pos,
                     pos < json_.size() ? printable(json_.substr(pos, 10)) : "its end"));
  }

 private:
  enum class State : std::uint8_t { kStart, kTop, kEntry, kNumbers, kMetadata, kEnd };

  [[noreturn]] void fail(const std::string& what) const { throw isa::InputError(name_ + ": " + what); }

  [[nodiscard]] std::string where() const {
    switch (state_) {
      case State::kStart:
      case State::kEnd:
        return "header";
      case State::kTop:
        return fmt::format("{} in the header", printable(key_));
      case State::kMetadata:
        return fmt::format("__metadata__, key {}", printable(key_));
      default:
        return fmt::format("tensor {}, {}", printable(header_.entries.back().name), key_);
    }
  }

  /// A value that must not stand here.
  bool value(const std::string& found) const {
    std::string_view expected = "an object";
    if (state_ == State::kMetadata || (state_ == State::kEntry && key_ == "dtype")) {
      expected = "a text";
    } else if (state_ == State::kEntry) {
      expected = "an array of numbers from 0 to 2^64-1";
    } else if (state_ == State::kNumbers) {
      expected = "a number from 0 to 2^64-1";
    }
    fail(fmt::format("{}: expected {}, found {}", where(), expected, found));
  }

  std::string_view json_;
  const std::string& name_;
  Header header_;
  State state_ = State::kStart;
  std::string key_;
  std::set<std::string> names_, entry_keys_, metadata_keys_;
  std::vector<std::uint64_t>* numbers_ = nullptr;
};

}  // namespace

std::string printable(std::string_view name) {
  std::string out = "'";
  for (const char c : name.substr(0, 80)) out += static_cast<unsigned char>(c) >= 32 && c != 127 ? c : '?';
  return out + (name.size() > 80 ? "...'" : "'");
}

Header parse_header(std::string_view json, const std::string& name) {
  Handler handler(json, name);
  nlohmann::json::sax_parse(json, &handler);
  return handler.take();
}

}  // namespace tepin::model
