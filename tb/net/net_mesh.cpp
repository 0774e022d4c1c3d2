// SPDX-License-Identifier: Apache-2.0
#include "tb/net/net_mesh.h"

#include <fmt/format.h>
#include <verilated.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "Vnet_256.h"
#include "Vnet_512.h"
#include "Vnet_512_checked.h"
#include "tb/neighbours.h"

namespace tepin::tb::net {
namespace {

template <class Model>
class MeshOf final : public NetMesh {
 public:
  MeshOf(int x, int y) : NetMesh(x, y), seen_(tiles()) {
    context_.randReset(2);
    for (std::size_t t = 0; t < tiles(); ++t) {
      Model& m = *models_.emplace_back(std::make_unique<Model>(&context_, "tile"));
      m.at_i = static_cast<CData>(column(t) << 3 | row(t));
      m.last_i = static_cast<CData>((x - 1) << 3 | (y - 1));
      m.push_i = m.h_wr_i = m.h_rd_i = m.sem_set_i = 0;
      for (std::size_t s = 0; s < 4; ++s) {
        clear(m.link_i[s]);
        m.credit_i[s] = 0;
      }
      m.clk_i = 0;
      m.rst_ni = 1;
      m.eval();
      m.rst_ni = 0;
      m.eval();
      m.clk_i = 1;
      m.eval();
      m.clk_i = 0;
      m.rst_ni = 1;
      m.eval();
    }
    while (models_.front()->ready_o == 0) tick();
  }
  ~MeshOf() override {
    for (const auto& m : models_) m->final();
  }

  void tick() override {
    for (std::size_t t = 0; t < tiles(); ++t) {
      for (std::size_t s = 0; s < 4; ++s) {
        const auto beside = neighbour(t, s, static_cast<std::size_t>(mesh_x()), static_cast<std::size_t>(mesh_y()));
        if (!beside) continue;
        const Model& from = *models_[*beside];
        models_[t]->link_i[s] = from.link_o[facing(s)];
        models_[t]->credit_i[s] = from.credit_o[facing(s)];
      }
    }
    for (const auto& m : models_) {
      m->clk_i = 0;
      m->eval();
    }
    // What is granted in a cycle shows before its edge.
    for (std::size_t t = 0; t < tiles(); ++t) {
      const Model& m = *models_[t];
      Seen& s = seen_[t];
      s.read = m.t_read_o != 0;
      s.write = m.t_write_o != 0;
      s.retire = m.t_retire_o != 0;
      s.flits = 0;
      for (std::size_t p = 0; p < 4; ++p) s.flits += static_cast<std::uint32_t>(__builtin_popcount(m.t_flits_o[p]));
    }
    context_.timeInc(1);
    for (const auto& m : models_) {
      m->clk_i = 1;
      m->eval();
    }
    context_.timeInc(1);
    for (std::size_t t = 0; t < tiles(); ++t) {
      seen_[t].quiet = models_[t]->t_quiet_o != 0;
      seen_[t].fault = static_cast<isa::Cause>(models_[t]->fault_o);
    }
    ++now_;
  }

  void write(std::size_t tile, std::uint32_t word, const Word& data) override {
    Model& m = *models_.at(tile);
    m.h_wr_i = 1;
    m.h_word_i = word;
    for (std::size_t i = 0; i < data.size(); ++i) m.h_data_i[i] = data[i];
    tick();
    m.h_wr_i = 0;
  }
  Word read(std::size_t tile, std::uint32_t word) override {
    Model& m = *models_.at(tile);
    m.h_rd_i = 1;
    m.h_word_i = word;
    tick();
    m.h_rd_i = 0;
    Word data{};
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = m.h_data_o[i];
    return data;
  }
  void push(std::size_t tile, const Instruction& i) override {
    Model& m = *models_.at(tile);
    for (int n = 0; m.room_o == 0; ++n) {
      if (n == 1000) throw std::logic_error("an instruction queue stays full");
      tick();
    }
    m.op_i = static_cast<CData>(i.op);
    m.flags_i = i.flags;
    for (std::size_t a = 0; a < i.args.size(); ++a) m.arg_i[a] = i.args[a];
    m.sync_i = std::uint64_t{i.wait_sem} | std::uint64_t{i.wait_count} << 6 | std::uint64_t{i.post_sem} << 28 |
               std::uint64_t{i.post_count} << 34;
    m.push_i = 1;
    tick();
    m.push_i = 0;
  }
  void set_semaphore(std::span<const std::size_t> which, std::uint8_t sem, std::uint32_t value) override {
    for (const std::size_t t : which) {
      models_.at(t)->sem_i = sem;
      models_[t]->sem_value_i = value;
      models_[t]->sem_set_i = 1;
    }
    tick();
    for (const std::size_t t : which) models_[t]->sem_set_i = 0;
  }
  [[nodiscard]] const Seen& seen(std::size_t tile) const override { return seen_.at(tile); }

 private:
  [[nodiscard]] int column(std::size_t t) const { return static_cast<int>(t) % mesh_x(); }
  [[nodiscard]] int row(std::size_t t) const { return static_cast<int>(t) / mesh_x(); }
  template <class Wide>
  static void clear(Wide& w) {
    std::memset(static_cast<void*>(&w), 0, sizeof(w));
  }

  VerilatedContext context_;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<Seen> seen_;
};

}  // namespace

std::uint64_t NetMesh::mask() const {
  std::uint64_t m = 0;
  for (std::size_t t = 0; t < tiles(); ++t) m |= std::uint64_t{1} << number(t);
  return m;
}

std::unique_ptr<NetMesh> make_net_mesh(int x, int y, int link_bits, bool checked) {
  if (x < 1 || y < 1 || x > kMaxSide || y > kMaxSide)
    throw std::invalid_argument(fmt::format("mesh {}x{}; allowed: 1x1 to {}x{}", x, y, kMaxSide, kMaxSide));
  if (link_bits != 256 && link_bits != 512)
    throw std::invalid_argument(fmt::format("links of {} bits; allowed: 256, 512", link_bits));
  if (checked && link_bits != 512) throw std::invalid_argument("the checked model has links of 512 bits");
  if (checked) return std::make_unique<MeshOf<Vnet_512_checked>>(x, y);
  if (link_bits == 512) return std::make_unique<MeshOf<Vnet_512>>(x, y);
  return std::make_unique<MeshOf<Vnet_256>>(x, y);
}

}  // namespace tepin::tb::net
