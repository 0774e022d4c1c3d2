// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/random_memory.h"

#include <algorithm>

namespace tepin::tb::hbm {
namespace {

std::uint8_t byte_of(const Word& word, std::uint32_t i) { return static_cast<std::uint8_t>(word[i / 4] >> i % 4 * 8); }

void apply(Word& word, const OpenWrite& write, std::uint32_t line) {
  const std::uint32_t strobes = write.strobes[line - write.first];
  const Word& data = write.data[line - write.first];
  for (std::uint32_t i = 0; i < word.size(); ++i) {
    std::uint32_t mask = 0;
    for (std::uint32_t b = 0; b < 4; ++b) {
      if ((strobes >> (i * 4 + b) & 1) != 0) mask |= 0xffU << b * 8;
    }
    word[i] = (word[i] & ~mask) | (data[i] & mask);
  }
}

}  // namespace

Page& RandomMemory::page(std::uint32_t address) {
  std::unique_ptr<Page>& p = pages_[address / kPageBytes];
  if (!p) {
    p = std::make_unique<Page>();
    p->address = address / kPageBytes * kPageBytes;
    for (std::uint32_t i = 0; initial_ && i < kPageLines; ++i) p->lines[i] = initial_(p->address + i * kLineBytes);
  }
  return *p;
}

BeatCheck RandomMemory::check(const OpenRead& read, const Word& actual, std::uint64_t now) {
  const std::uint32_t line = read.first + read.done;
  BeatCheck c;
  c.expected = read.page->lines[line];
  std::vector<const OpenWrite*> open;
  for (const auto& w : read.page->writes) {
    if (!w->covers(line)) continue;
    if (w->answered_at < read.accepted_at) {
      apply(c.expected, *w, line);
    } else if (w->accepted_at < now) {
      open.push_back(w.get());
    }
  }
  c.exact = open.empty();
  c.agrees = actual == c.expected;
  if (c.exact || c.agrees) return c;
  c.agrees = true;
  for (std::uint32_t i = 0; i < kLineBytes && c.agrees; ++i) {
    const std::uint8_t byte = byte_of(actual, i);
    c.agrees = byte == byte_of(c.expected, i) || std::any_of(open.begin(), open.end(), [&](const OpenWrite* w) {
                 const std::uint32_t beat = line - w->first;
                 return (w->strobes[beat] >> i & 1) != 0 && byte_of(w->data[beat], i) == byte;
               });
  }
  return c;
}

void RandomMemory::settle(Page& page) {
  std::uint64_t oldest = kNever;
  for (const OpenRead* r : page.reads) oldest = std::min(oldest, r->accepted_at);
  // Writes that overlap have one ID, so they are answered in the order of the list.
  std::erase_if(page.writes, [&](const std::unique_ptr<OpenWrite>& w) {
    if (w->answered_at >= oldest) return false;
    for (std::uint32_t i = 0; i < w->data.size(); ++i) apply(page.lines[w->first + i], *w, w->first + i);
    return true;
  });
}

std::vector<Page*> RandomMemory::written_pages() {
  std::vector<Page*> pages;
  for (const auto& [number, page] : pages_) {
    if (page->written) pages.push_back(page.get());
  }
  std::sort(pages.begin(), pages.end(), [](const Page* a, const Page* b) { return a->address < b->address; });
  return pages;
}

}  // namespace tepin::tb::hbm
