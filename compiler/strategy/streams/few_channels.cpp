// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/few_channels.h"

#include <string>
#include <utility>

#include "compiler/strategy/streams/lanes.h"
#include "compiler/strategy/streams/short_windows.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/known_symbol.h"
#include "compiler/transforms/unroll.h"

namespace einc::strategy {

using transforms::constant;

// (Measured on Zen 5, in 3-D, windows of 3 x 3 x 3, times as fast as products: 64 channels to 16 1.7; 12 to 10, which takes
// masks, 0.6.)
Result<Form> fewChannels(const Task& task, const Form& whole) {
  if (!task.options.target->hasMasks) return Reason{"measured with wide vectors alone"};
  if (whole.name != "contraction" || windowTerms(task.kernel, task.op).empty())
    return Reason{"it is no product of matrices by windows"};
  ir::Kernel few = task.kernel;  // where they are known
  transforms::Builder builder(few);
  const std::string channel = contiguous(task.kernel, task.op.outputs[0]);
  if (channel.empty() || !builder.hasExtent(task.op, channel)) return Reason{"channels lie apart"};
  const auto symbol = builder.extent(task.op, channel).asSymbol();
  if (!symbol) return Reason{"it is known how many channels there are"};
  const int64_t lanes = task.options.target->lanes(transforms::registerBytes(task.op));
  for (ir::Tensor& tensor : few.tensors)
    for (affine::Expr& size : tensor.shape)
      size = transforms::withKnown(size, *symbol, constant(lanes));
  Form form =
      task.behind({few, task.op, task.names, task.options, task.settings, task.memory, task.whole,
                   nullptr, task.known, task.others, task.isBlock, task.isReadAgain});
  if (form.name != "windows" || !form.where.empty())
    return Reason{"few channels are done otherwise"};
  form.where = {equals(channel, lanes)};
  form.why = "few channels do not fill a tile of registers: windows share what they read";
  form.lines = {"where '" + channel + "' has " + std::to_string(lanes) +
                " positions: " + (form.lines.empty() ? "windows" : form.lines.front())};
  form.cycles = whole.cycles;
  return form;
}

}  // namespace einc::strategy
