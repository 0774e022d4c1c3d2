// SPDX-License-Identifier: Apache-2.0
#include "host_agents.h"

#include <fmt/format.h>

namespace tepin::tb::testing {
namespace {

constexpr unsigned kDecerr = 3;

bool chance(rtl_test::Rng& rng, unsigned of256) { return (rng() & 255U) < of256; }

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::string text(const Request& r) { return fmt::format("id {} address {:#x} len {}", r.id, r.address, r.len); }
std::string text(const Beat& b) { return fmt::format("{:08x}.. strb {:#x} last {}", b.data[0], b.strb, b.last); }
std::string text(const Answer& a) {
  return fmt::format("id {} resp {} last {} {:08x}..", a.id, a.resp, a.last, a.data[0]);
}

/// Takes the front of what must come if it is what came.
template <class T>
std::string expect(std::deque<T>& must, const T& got, const std::string& where) {
  if (must.empty()) return fmt::format("{}: {} expected nothing", where, text(got));
  if (!(must.front() == got)) return fmt::format("{}: {}, expected {}", where, text(got), text(must.front()));
  must.pop_front();
  return {};
}

}  // namespace

Answer answer_of(std::size_t end, std::uint64_t address, unsigned bytes) {
  Answer a;
  const std::uint64_t h = mix(end * 0x10001 + bytes + (address << 8));
  a.resp = (h & 15) == 0 ? 2 : (h & 15) == 1 ? kDecerr : 0;  // errors of slaves pass as they are
  for (std::size_t i = 0; i * 4 < bytes; ++i) a.data[i] = static_cast<std::uint32_t>(mix(h + i));
  return a;
}

// ------------------------------------------------------------------------------------------------ Slave
void Slave::drive(rtl_test::Rng& rng) {
  pins.aw_ready = chance(rng, pace.take);
  pins.w_ready = chance(rng, pace.take);
  pins.ar_ready = chance(rng, pace.take);
}

std::string Slave::edge(std::uint64_t now, rtl_test::Rng& rng) {
  std::string wrong;
  const auto see = [&](std::string s) {
    if (wrong.empty()) wrong = std::move(s);
  };
  const std::string me = fmt::format("slave {} of {} bytes", index_, bytes_);
  const auto due = [&] { return now + 1 + (pace.delay == 0 ? 0 : rng() % (pace.delay + 1)); };
  if (pins.aw && pins.aw_ready) {
    see(expect(aw, *pins.aw, me + " AW"));
    times.aw.push_back(now);
    open_.push_back(*pins.aw);
  }
  if (pins.w && pins.w_ready) {
    see(expect(w, *pins.w, me + " W"));
    times.w.push_back(now);
    if (pins.w->last) ++early_;
  }
  while (early_ > 0 && !open_.empty()) {
    Answer a = answer_of(index_, open_.front().address, bytes_);
    a.id = open_.front().id;
    a.data = {};
    b_.push_back({due(), a});
    open_.pop_front();
    --early_;
  }
  if (pins.ar && pins.ar_ready) {
    see(expect(ar, *pins.ar, me + " AR"));
    times.ar.push_back(now);
    for (unsigned i = 0; i <= pins.ar->len; ++i) {
      Answer a = answer_of(index_, pins.ar->address + std::uint64_t{i} * bytes_, bytes_);
      a.id = pins.ar->id;
      a.last = i == pins.ar->len;
      r_.push_back({due(), a});
    }
  }
  if (pins.b && pins.b_ready) {
    times.b.push_back(now);
    pins.b.reset();
  }
  if (pins.r && pins.r_ready) {
    times.r.push_back(now);
    pins.r.reset();
  }
  const auto offer = [&](std::optional<Answer>& pin, std::deque<Due>& from) {
    if (pin || from.empty() || from.front().at > now + 1 || !chance(rng, pace.offer)) return;
    pin = from.front().answer;
    from.pop_front();
  };
  offer(pins.b, b_);
  offer(pins.r, r_);
  return wrong;
}

// ----------------------------------------------------------------------------------------------- Master
void Master::send(const Burst& burst, bool write) {
  const Request request{burst.id, burst.beats - 1, burst.address};
  const Request seen{burst.id, burst.beats - 1, burst.end_address};
  if (write) {
    aw_.push_back(request);
    w_.insert(w_.end(), burst.data.begin(), burst.data.end());
    writes_[burst.id].push_back({burst});
    ++open_writes;
    if (burst.end) {
      slaves_[*burst.end].aw.push_back(seen);
      slaves_[*burst.end].w.insert(slaves_[*burst.end].w.end(), burst.data.begin(), burst.data.end());
    }
  } else {
    ar_.push_back(request);
    reads_[burst.id].push_back({burst});
    ++open_reads;
    if (burst.end) slaves_[*burst.end].ar.push_back(seen);
  }
}

void Master::drive(rtl_test::Rng& rng) {
  const auto offer = [&](auto& pin, auto& from) {
    if (pin || from.empty() || !chance(rng, pace.offer)) return;
    pin = from.front();
    from.pop_front();
  };
  offer(pins.aw, aw_);
  offer(pins.w, w_);
  offer(pins.ar, ar_);
  pins.b_ready = chance(rng, pace.take);
  pins.r_ready = chance(rng, pace.take);
}

std::string Master::check(const Answer& got, bool write) {
  auto& open = (write ? writes_ : reads_)[got.id];
  const char* const channel = write ? "B" : "R";
  if (open.empty()) return fmt::format("host {}: {}, nothing is open", channel, text(got));
  Open& o = open.front();
  const Answer& must = o.burst.answers[o.next];
  if (!(got == must)) {
    return fmt::format("host {}: {}, expected {} (address {:#x}, beat {})", channel, text(got), text(must),
                       o.burst.address, o.next);
  }
  if (++o.next == o.burst.answers.size()) {
    ++answered;
    if (!o.burst.end && must.resp == kDecerr) ++refused;
    --(write ? open_writes : open_reads);
    open.pop_front();
  }
  return {};
}

std::string Master::edge(std::uint64_t now) {
  if (pins.aw && pins.aw_ready) {
    times.aw.push_back(now);
    pins.aw.reset();
  }
  if (pins.w && pins.w_ready) {
    times.w.push_back(now);
    pins.w.reset();
  }
  if (pins.ar && pins.ar_ready) {
    times.ar.push_back(now);
    pins.ar.reset();
  }
  std::string wrong;
  if (pins.b && pins.b_ready) {
    times.b.push_back(now);
    wrong = check(*pins.b, true);
  }
  if (pins.r && pins.r_ready) {
    times.r.push_back(now);
    const std::string w = check(*pins.r, false);
    if (wrong.empty()) wrong = w;
  }
  return wrong;
}

}  // namespace tepin::tb::testing
