// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/random_master.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tepin::tb::hbm {
namespace {

constexpr std::size_t kQueued = 4;                      // requests made and not accepted, of each kind
constexpr std::uint32_t kLead = 40;                     // clocks that an address and its data are apart at most
constexpr std::uint32_t kHotPages = 4, kHotLines = 16;  // their first lines are fought over
constexpr std::uint32_t kConflictRows = 16;
constexpr std::size_t kNamed = 8;

}  // namespace

RandomMaster::RandomMaster(RandomOptions options)
    : options_(std::move(options)),
      rules_(options_.port),
      memory_(options_.initial),
      rng_{options_.seed * 0x2545f4914f6cdd1dU} {
  const RandomOptions& o = options_;
  if (o.capacity_bytes < kPageBytes || o.capacity_bytes % kPageBytes != 0 || o.capacity_bytes > 1ULL << 32)
    throw std::invalid_argument("RandomOptions::capacity_bytes: multiples of 4096 up to 2^32");
  if (o.ids < 1 || o.ids > 256) throw std::invalid_argument("RandomOptions::ids: 1..256");
  if (o.max_open < 1) throw std::invalid_argument("RandomOptions::max_open: at least 1");
  if (o.max_beats < 1 || o.max_beats > kPageLines) throw std::invalid_argument("RandomOptions::max_beats: 1..128");
  if (o.pages < 1) throw std::invalid_argument("RandomOptions::pages: at least 1");
  const auto random_page = [&] { return rng_.below(o.capacity_bytes / kPageBytes) * kPageBytes; };
  for (std::uint32_t i = 0; i < o.pages; ++i) pool_.push_back(random_page());
  for (std::uint32_t i = 0; i < kHotPages; ++i) hot_.push_back(random_page());
  stream_ = random_page(), conflict_ = random_page();
}

void RandomMaster::choose_phase() {
  phase_end_ = now_ + 64 + rng_.below(1024);
  if (!options_.stalls) return;
  const auto chance = [&] {
    constexpr std::array<std::uint32_t, 5> kChances{256, 256, 256, 128, 24};
    return kChances[rng_.below(kChances.size())];
  };
  issue_chance_ = chance();
  r_chance_ = chance();
  b_chance_ = chance();
  w_chance_ = chance();
}

RandomMaster::Place RandomMaster::choose_place() {
  Place p;
  const std::uint32_t kind = rng_.below(8);
  p.beats =
      rng_.chance(96) ? 1 : 1 + rng_.below(rng_.chance(64) ? options_.max_beats : std::min(options_.max_beats, 8U));
  if (kind < 2) {  // sequential, in a stream of as many bytes as the scattered pages have
    p.address = stream_;
    p.beats = std::min(p.beats, (kPageBytes - p.address % kPageBytes) / kLineBytes);
    const std::uint64_t next = std::uint64_t{stream_} + p.beats * kLineBytes;
    stream_ = next < options_.capacity_bytes ? static_cast<std::uint32_t>(next) : 0;
    if (rng_.below(options_.pages) == 0) stream_ = pool_[rng_.below(pool_.size())];
    return p;
  }
  if (kind < 5) {
    p.address = hot_[rng_.below(hot_.size())] + rng_.below(kHotLines) * kLineBytes;
  } else if (kind < 7) {
    p.address = pool_[rng_.below(pool_.size())] + rng_.below(kPageLines) * kLineBytes;
  } else {
    const std::uint64_t at = conflict_ + rng_.below(kConflictRows) * options_.row_bytes + rng_.below(4) * kLineBytes;
    p.address = static_cast<std::uint32_t>(at % options_.capacity_bytes);
  }
  p.beats = std::min(p.beats, (kPageBytes - p.address % kPageBytes) / kLineBytes);
  return p;
}

void RandomMaster::make_read(const Place& place) {
  auto r = std::make_unique<OpenRead>();
  r->page = &memory_.page(place.address);
  r->number = number_++;
  r->first = place.address % kPageBytes / kLineBytes;
  r->lines = place.beats;
  r->id = static_cast<std::uint8_t>(rng_.below(options_.ids));
  r->page->reads.push_back(r.get());
  ar_queue_.push_back(std::move(r));
  ++reads_open_;
}

void RandomMaster::fill(OpenWrite& write, std::uint32_t beats) {
  const std::uint32_t kind = options_.partial ? rng_.below(8) : 7;
  for (std::uint32_t i = 0; i < beats; ++i) {
    Word w;
    for (std::uint32_t& v : w) v = static_cast<std::uint32_t>(rng_.next() >> 32);
    write.data.push_back(w);
    const auto sparse = static_cast<std::uint32_t>(rng_.next() >> 32);
    std::uint32_t strobes = UINT32_MAX;
    if (kind == 0) strobes = 0;
    if (kind == 1) strobes = sparse;
    if (kind == 2) strobes = std::array{UINT32_MAX, 0U, sparse, 1U << sparse % 32}[rng_.below(4)];
    write.strobes.push_back(strobes);
    ++(strobes == 0 ? counts_.strobes_empty : strobes == UINT32_MAX ? counts_.strobes_full : counts_.strobes_sparse);
  }
}

void RandomMaster::make_write() {
  const Place place = choose_place();
  Page& page = memory_.page(place.address);
  RandomMemory::settle(page);
  const std::uint32_t first = place.address % kPageBytes / kLineBytes;
  auto w = std::make_unique<OpenWrite>();
  w->page = &page;
  w->first = first;
  w->id = static_cast<std::uint8_t>(rng_.below(options_.ids));
  bool overlaps = false;
  for (const auto& other : page.writes) {
    const bool apart = other->first >= first + place.beats || first >= other->first + other->data.size();
    if (apart || other->answered_at != kNever) continue;
    if (overlaps && other->id != w->id) return;  // two IDs hold parts of the place: another time
    overlaps = true;
    w->id = other->id;
  }
  w->number = number_++;
  fill(*w, place.beats);
  const std::uint32_t order = rng_.below(4);
  w->address_from = order == 0 ? kNever : now_;  // kNever: after the data was offered, taken or not
  w->data_from = now_ + (order == 1 ? rng_.below(kLead) : 0);
  page.written = true;
  aw_queue_.push_back(w.get());
  w_queue_.push_back(w.get());
  page.writes.push_back(std::move(w));
  ++writes_open_;
  ++issued_;
}

void RandomMaster::plan_read_back() {
  for (const Page* p : memory_.written_pages()) {
    for (std::uint32_t at = 0; at < kPageLines; at += options_.max_beats)
      read_back_.push_back({p->address + at * kLineBytes, std::min(options_.max_beats, kPageLines - at)});
  }
}

void RandomMaster::make_request() {
  if (now_ >= phase_end_) choose_phase();
  const bool read_fits = reads_open_ < options_.max_open && ar_queue_.size() < kQueued;
  if (issued_ < options_.transactions) {
    if (!rng_.chance(issue_chance_)) return;
    if (rng_.chance(options_.write_share)) {
      if (writes_open_ < options_.max_open && aw_queue_.size() < kQueued) make_write();
    } else if (read_fits) {
      make_read(choose_place());
      ++issued_;
    }
    return;
  }
  if (read_back_done_ || (!read_back_planned_ && busy())) return;
  if (!read_back_planned_ && options_.read_back) plan_read_back();
  read_back_planned_ = true;
  if (!read_back_.empty() && read_fits) {
    make_read(read_back_.front());
    read_back_.pop_front();
  }
  read_back_done_ = read_back_.empty();
}

void RandomMaster::drive(AxiIn& in) {
  if (!ar_waits_) {
    in.ar_valid = !ar_queue_.empty();
    if (in.ar_valid) {
      const OpenRead& r = *ar_queue_.front();
      in.ar_id = r.id;
      in.ar_addr = r.page->address + r.first * kLineBytes;
      in.ar_len = static_cast<std::uint8_t>(r.lines - 1);
    }
  }
  if (!aw_waits_) {
    in.aw_valid = !aw_queue_.empty() && now_ >= aw_queue_.front()->address_from;
    if (in.aw_valid) {
      const OpenWrite& w = *aw_queue_.front();
      in.aw_id = w.id;
      in.aw_addr = w.page->address + w.first * kLineBytes;
      in.aw_len = static_cast<std::uint8_t>(w.data.size() - 1);
    }
  }
  if (!w_waits_) {
    in.w_valid = !w_queue_.empty() && now_ >= w_queue_.front()->data_from && rng_.chance(w_chance_);
    if (in.w_valid) {
      OpenWrite& w = *w_queue_.front();
      if (w.address_from == kNever) w.address_from = now_ + 1 + rng_.below(kLead);
      in.w_data = w.data[w.sent];
      in.w_strb = w.strobes[w.sent];
      in.w_last = w.sent + 1 == w.data.size();
    }
  }
  in.r_ready = rng_.chance(r_chance_);
  in.b_ready = rng_.chance(b_chance_);
}

void RandomMaster::accept(const AxiOut& out, const AxiIn& in) {
  ar_waits_ = in.ar_valid && !out.ar_ready;
  aw_waits_ = in.aw_valid && !out.aw_ready;
  w_waits_ = in.w_valid && !out.w_ready;
  if (in.ar_valid && out.ar_ready) {
    std::unique_ptr<OpenRead> r = std::move(ar_queue_.front());
    ar_queue_.pop_front();
    r->accepted_at = now_;
    const std::uint8_t id = r->id;
    reads_[id].push_back(std::move(r));
    ++counts_.reads;
    ++handshakes_;
  }
  if (in.aw_valid && out.aw_ready) {
    OpenWrite* w = aw_queue_.front();
    aw_queue_.pop_front();
    w->accepted_at = now_;
    if (w->sent != 0) ++counts_.data_led;
    writes_[w->id].push_back(w);
    ++counts_.writes;
    ++handshakes_;
  }
  if (in.w_valid && out.w_ready) {
    OpenWrite* w = w_queue_.front();
    if (++w->sent == w->data.size()) w_queue_.pop_front();
    ++counts_.beats_written;
    ++handshakes_;
  }
}

void RandomMaster::take_beat(const AxiOut& out) {
  auto& queue = reads_[out.r_id];
  if (queue.empty()) rules_.fail(now_, fmt::format("R: ID {} has no open read", out.r_id));
  OpenRead& r = *queue.front();
  const bool last = r.done + 1 == r.lines;
  if (out.r_last != last) {
    rules_.fail(now_, fmt::format("R: ID {}: last is {} on beat {} of {}", out.r_id, out.r_last ? "high" : "low",
                                  r.done + 1, r.lines));
  }
  ++counts_.beats_read;
  ++handshakes_;
  if (out.r_resp != 0) {
    ++counts_.error_responses;
  } else {
    const BeatCheck c = RandomMemory::check(r, out.r_data, now_);
    ++(c.exact ? counts_.beats_exact : counts_.beats_overlapping);
    if (read_back_planned_) ++counts_.beats_read_back;
    if (!c.agrees && counts_.mismatches++ == 0) {
      first_mismatch_ = fmt::format(
          "{}, clock {}: read {} (ID {}, {} beats), beat {} at {:#x}: expected {}{}, actual {}", options_.port, now_,
          r.number, r.id, r.lines, r.done, r.page->address + (r.first + r.done) * kLineBytes, word_text(c.expected),
          c.exact ? "" : " or bytes of open writes", word_text(out.r_data));
    }
  }
  ++r.done;
  if (!last) return;
  std::erase(r.page->reads, &r);
  RandomMemory::settle(*r.page);
  queue.pop_front();
  --reads_open_;
}

void RandomMaster::take_response(const AxiOut& out) {
  auto& queue = writes_[out.b_id];
  if (queue.empty()) rules_.fail(now_, fmt::format("B: ID {} has no open write", out.b_id));
  OpenWrite& w = *queue.front();
  if (w.sent != w.data.size())
    rules_.fail(now_, fmt::format("B: ID {}: response after {} of {} beats", out.b_id, w.sent, w.data.size()));
  queue.pop_front();
  w.answered_at = now_;
  if (out.b_resp != 0) ++counts_.error_responses;
  ++handshakes_;
  --writes_open_;
}

void RandomMaster::cycle(const AxiOut& out, AxiIn& in) {
  make_request();
  drive(in);
  rules_.check(out, in, now_);
  // A response stands before the edge: it cannot belong to what is accepted at the edge.
  if (out.r_valid && in.r_ready) take_beat(out);
  if (out.b_valid && in.b_ready) take_response(out);
  accept(out, in);
  ++now_;
}

std::string RandomMaster::outstanding() const {
  std::string text = fmt::format("{}: {} open reads, {} open writes", options_.port, reads_open_, writes_open_);
  std::size_t named = 0;
  const auto name = [&](const char* kind, const auto& t, std::size_t done, std::size_t beats) {
    if (named++ < kNamed) {
      text += fmt::format("; {} {}, ID {}, {:#x}, {} of {} beats done", kind, t.number, t.id,
                          t.page->address + t.first * kLineBytes, done, beats);
    }
  };
  for (std::size_t id = 0; id < reads_.size(); ++id) {
    for (const auto& r : reads_[id]) name("read", *r, r->done, r->lines);
    for (const OpenWrite* w : writes_[id]) name("write", *w, w->sent, w->data.size());
  }
  return fmt::format("{}{}{}{}{}", text, named > kNamed ? "; ..." : "", ar_waits_ ? ", AR waits for ready" : "",
                     aw_waits_ ? ", AW waits for ready" : "", w_waits_ ? ", W waits for ready" : "");
}

}  // namespace tepin::tb::hbm
