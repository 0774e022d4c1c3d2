// SPDX-License-Identifier: Apache-2.0
// What every verilated model with one clock (clk_i, rst_ni) does in step(), and the one with assertions and waves.
// Included by the files that name such a class.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace tepin::tb {

/// Interface declares step(bool rst_n) and holds the pins as plain structs, which drive() and sample() copy.
template <class Model, class Interface>
class ClockedModel : public Interface {
 public:
  ClockedModel(std::unique_ptr<VerilatedContext> context, const char* name)
      : context_(std::move(context)), model_(std::make_unique<Model>(context_.get(), name)) {}
  ~ClockedModel() override { model_->final(); }

  void step(bool rst_n) override {
    Model& m = *model_;
    if (!powered_) {
      // Asynchronous resets need an edge before the first clock.
      powered_ = true;
      m.clk_i = 0;
      m.rst_ni = 1;
      m.eval();
      m.rst_ni = 0;
      m.eval();
    }
    // Inputs change at the falling edge: assertions see what is there before the rising one, inputs included.
    m.rst_ni = rst_n;
    drive(m);
    m.clk_i = 0;
    m.eval();
    after_edge();
    m.clk_i = 1;
    m.eval();
    after_edge();
    sample(m);
  }

 protected:
  virtual void drive(Model& m) = 0;
  virtual void sample(Model& m) = 0;
  virtual void after_edge() { context_->timeInc(1); }
  VerilatedContext& context() { return *context_; }
  Model& model() { return *model_; }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  bool powered_ = false;
};

/// A model verilated with waves, unreset state drawn from the seed. fst_file: empty for none.
template <class Clocked>
class WavedModel final : public Clocked {
 public:
  WavedModel(const std::string& fst_file, std::uint32_t seed) : Clocked(random_context(seed)) {
    if (fst_file.empty()) return;
    fst_ = std::make_unique<VerilatedFstC>();
    this->model().trace(fst_.get(), 99);
    fst_->open(fst_file.c_str());
  }
  ~WavedModel() override {
    if (fst_) fst_->close();
  }
  WavedModel(const WavedModel&) = delete;
  WavedModel& operator=(const WavedModel&) = delete;

 protected:
  void after_edge() override {
    if (fst_) fst_->dump(this->context().time());
    Clocked::after_edge();
  }

 private:
  static std::unique_ptr<VerilatedContext> random_context(std::uint32_t seed) {
    auto context = std::make_unique<VerilatedContext>();
    context->traceEverOn(true);
    context->randReset(2);
    context->randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
    return context;
  }

  std::unique_ptr<VerilatedFstC> fst_;
};

}  // namespace tepin::tb
