// SPDX-License-Identifier: Apache-2.0
// A mesh of what of a tile the network needs (net_sim_top.sv), wired in C++: collectives at any size, fast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sw/isa/isa.h"

namespace tepin::tb::net {

inline constexpr int kMaxSide = 8;
using Word = std::array<std::uint32_t, 8>;  // of the scratchpad, 256 bits

/// An instruction of NET with its operands.
struct Instruction {
  isa::Op op = isa::Op::kNsync;
  std::uint16_t flags = 0;
  std::array<std::uint32_t, 8> args{};
  std::uint8_t wait_sem = 0, wait_count = 0, post_sem = 0, post_count = 0;
};

class NetMesh {
 public:
  virtual ~NetMesh() = default;
  NetMesh(const NetMesh&) = delete;
  NetMesh& operator=(const NetMesh&) = delete;

  [[nodiscard]] std::size_t tiles() const { return static_cast<std::size_t>(x_) * static_cast<std::size_t>(y_); }
  [[nodiscard]] int mesh_x() const { return x_; }
  [[nodiscard]] int mesh_y() const { return y_; }
  [[nodiscard]] std::uint32_t number(std::size_t tile) const {
    return static_cast<std::uint32_t>(tile / static_cast<std::size_t>(x_) * 8 + tile % static_cast<std::size_t>(x_));
  }
  [[nodiscard]] std::size_t tile_of(std::uint32_t number) const {
    return number / 8 * static_cast<std::size_t>(x_) + number % 8;
  }
  /// All tiles.
  [[nodiscard]] std::uint64_t mask() const;

  // Between cycles; all of these take clock cycles.
  virtual void write(std::size_t tile, std::uint32_t word, const Word& data) = 0;
  [[nodiscard]] virtual Word read(std::size_t tile, std::uint32_t word) = 0;
  /// Puts an instruction into the tile's queue (std::logic_error if that stays full for 1,000 cycles).
  virtual void push(std::size_t tile, const Instruction& i) = 0;
  /// Sets a semaphore at many tiles in the same cycle.
  virtual void set_semaphore(std::span<const std::size_t> tiles, std::uint8_t sem, std::uint32_t value) = 0;
  virtual void tick() = 0;

  /// What was seen in the last cycle, by tile.
  struct Seen {
    bool read = false, write = false, retire = false, quiet = false;
    isa::Cause fault = isa::Cause::kNone;
    std::uint32_t flits = 0;  // links that carry one
  };
  [[nodiscard]] virtual const Seen& seen(std::size_t tile) const = 0;
  [[nodiscard]] std::uint64_t now() const { return now_; }

 protected:
  NetMesh(int x, int y) : x_(x), y_(y) {}
  std::uint64_t now_ = 0;

 private:
  int x_, y_;
};

/// link_bits: 256 or 512; checked: with assertions (512 bit only). std::invalid_argument for what is not built.
[[nodiscard]] std::unique_ptr<NetMesh> make_net_mesh(int x, int y, int link_bits, bool checked = false);

}  // namespace tepin::tb::net
