// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/problem.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "compiler/bench/access.h"

namespace einc::bench {
namespace {

using ir::Function;

// ---- Payloads ----

bool isOperand(const ir::ValueRef& value, size_t operand) {
  auto* reference = std::get_if<ir::OperandRef>(&value->node);
  return reference && reference->operand == operand;
}

// f(out, x) or f(x, out): x.
ir::ValueRef accumulated(const ir::ValueRef& value, Function function, size_t out) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->function != function) return nullptr;
  if (isOperand(call->args[0], out)) return call->args[1];
  return isOperand(call->args[1], out) ? call->args[0] : nullptr;
}

// An operand, or one that is widened to the type of the sum.
bool isFactor(const ir::ValueRef& value, size_t operand) {
  auto* cast = std::get_if<ir::Cast>(&value->node);
  return isOperand(cast ? cast->arg : value, operand);
}

bool isProduct(const ir::ValueRef& value, size_t a, size_t b) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->function != Function::Mul) return false;
  return (isFactor(call->args[0], a) && isFactor(call->args[1], b)) ||
         (isFactor(call->args[0], b) && isFactor(call->args[1], a));
}

// What the elements of an input are beside those of the output; nothing, if libraries have no such
// product.
std::optional<int> typeOf(ir::ScalarType input, ir::ScalarType output) {
  using ir::ScalarType;
  if (input == output && (input == ScalarType::F32 || input == ScalarType::F64))
    return EINC_BENCH_SAME;
  if (input == ScalarType::BF16 && output == ScalarType::F32) return EINC_BENCH_BF16;
  if (input == ScalarType::I8 && output == ScalarType::I32) return EINC_BENCH_S8;
  if (input == ScalarType::U8 && output == ScalarType::I32) return EINC_BENCH_U8;
  return std::nullopt;
}

// ---- Matrix products ----

using Names = std::vector<std::string>;

Names operator+(const Names& a, const Names& b) {
  Names result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

Names kept(const Names& order, const std::set<std::string>& group) {
  Names result;
  for (const std::string& name : order)
    if (group.count(name)) result.push_back(name);
  return result;
}

class Product {
 public:
  Product(std::map<std::string, int64_t> extents, Access a, Access b, Access c)
      : extents_(std::move(extents)), a_(std::move(a)), b_(std::move(b)), c_(std::move(c)) {}

  Result<Comparison> plan() {
    std::set<std::string> batch, m, n, k;
    for (const auto& [name, extent] : extents_) {
      bool inA = a_.has(name), inB = b_.has(name), inC = c_.has(name);
      if (inA + inB + inC < 2)
        return Reason{std::string(kNoLibrary) + "iterator " + name + " is in one operand only"};
      (inA && inB ? (inC ? batch : k) : inA ? m : n).insert(name);
    }
    Comparison best;
    double leastMoved = -1;
    // Either input may come first, and either may give the order of K.
    for (bool swapped : {false, true})
      for (bool orderOfB : {false, true}) {
        Access &a = swapped ? b_ : a_, &b = swapped ? a_ : b_;
        Comparison one;
        double moved = arrange(one.problem, a, b, batch, swapped ? n : m, swapped ? m : n,
                               kept((orderOfB ? b : a).names(), k));
        one.problem.swapped = swapped;
        one.inputs = {a.tensor, b.tensor};
        if (leastMoved < 0 || moved < leastMoved) {
          leastMoved = moved;
          best = one;
        }
      }
    best.output = c_.tensor;
    const einc_bench_problem& p = best.problem;
    bool transposes = p.moves[0].rank || p.moves[1].rank || p.moves[2].rank;
    best.name = transposes             ? "transposition and gemm"
                : p.m == 1 || p.n == 1 ? "gemv"
                : p.batch > 1          ? "batched gemm"
                                       : "gemm";
    return best;
  }

 private:
  int64_t product(const Names& names) const {
    int64_t result = 1;
    for (const std::string& name : names) result *= extents_.at(name);
    return result;
  }

  // How many elements have to be moved.
  double arrange(einc_bench_problem& p, const Access& a, const Access& b,
                 const std::set<std::string>& batch, const std::set<std::string>& m,
                 const std::set<std::string>& n, const Names& k) const {
    Names bs = kept(c_.names(), batch), ms = kept(c_.names(), m), ns = kept(c_.names(), n);
    p.kind = EINC_BENCH_GEMM;
    p.batch = product(bs), p.m = product(ms), p.n = product(ns), p.k = product(k);
    double moved = place(p.moves[0], a, bs + ms + k, bs + k + ms, p.transposed_a) +
                   place(p.moves[1], b, bs + k + ns, bs + ns + k, p.transposed_b);
    int none = 0;
    return moved + 2 * place(p.moves[2], c_, bs + ms + ns, bs + ms + ns, none);
  }

  // Whether the array lies as `wanted`, as `transposed`, or has to be moved.
  double place(einc_bench_move& move, const Access& access, const Names& wanted,
               const Names& transposed, int& isTransposed) const {
    // Dimensions of size 1 lie anywhere.
    auto longer = [this](const Names& names) {
      Names result;
      for (const std::string& name : names)
        if (extents_.at(name) != 1) result.push_back(name);
      return result;
    };
    Names present = longer(access.names());
    isTransposed = 0;
    if (present == longer(wanted)) return 0;
    if (present == longer(transposed)) {
      isTransposed = 1;
      return 0;
    }
    move.rank = static_cast<int>(present.size());
    int64_t stride = 1;
    std::map<std::string, int64_t> to;
    Names target = longer(wanted);
    for (size_t i = target.size(); i-- > 0;) {
      to[target[i]] = stride;
      stride *= extents_.at(target[i]);
    }
    for (size_t i = 0; i < present.size() && i < EINC_BENCH_RANK; ++i) {
      move.sizes[i] = extents_.at(present[i]);
      move.from[i] = access.strideOf(present[i]);
      move.to[i] = to[present[i]];
    }
    return static_cast<double>(stride);
  }

  std::map<std::string, int64_t> extents_;
  Access a_, b_, c_;
};

// ---- Windows: convolutions and pooling ----

class Window {
 public:
  Window(std::map<std::string, int64_t> extents, Access image, Access window, Access out,
         bool isPool)
      : extents_(std::move(extents)),
        image_(std::move(image)),
        window_(std::move(window)),
        out_(std::move(out)),
        isPool_(isPool) {}

  Result<Comparison> plan() {
    if (!window_.isPlain() || !out_.isPlain())
      return Reason{std::string(kNoLibrary) + "an output or a window that is not indexed plainly"};
    if (isPool_ && image_.padded)
      return Reason{std::string(kNoLibrary) + "pooling with padding that takes part"};
    if (image_.padded && !image_.zeroPadded)
      return Reason{std::string(kNoLibrary) + "padding with another value than 0"};
    einc_bench_problem& p = result_.problem;
    p.kind = isPool_ ? EINC_BENCH_POOL : EINC_BENCH_CONV;
    p.images = p.groups = p.in_channels = p.out_channels = 1;
    p.in_block = p.out_block = 1;
    for (int s = 0; s < 2; ++s) p.in[s] = p.window[s] = p.out[s] = p.step[s] = p.dilation[s] = 1;
    if (auto reason = readSpace()) return *reason;
    if (auto reason = readChannels()) return *reason;
    fillStrides();
    result_.inputs = {image_.tensor};
    if (!isPool_) result_.inputs.push_back(window_.tensor);
    result_.output = out_.tensor;
    result_.name = isPool_                                     ? "pooling"
                   : p.groups == 1                             ? "convolution"
                   : p.in_channels == 1 && p.out_channels == 1 ? "depthwise convolution"
                                                               : "grouped convolution";
    return result_;
  }

 private:
  using Why = std::optional<Reason>;
  Why no(const std::string& what) const { return Reason{kNoLibrary + what}; }

  // Dimensions of the image with two iterators: one of the output, one of the window.
  Why readSpace() {
    einc_bench_problem& p = result_.problem;
    std::vector<size_t> dims;
    for (size_t d = 0; d < image_.dims.size(); ++d)
      if (image_.dims[d].parts.size() == 2 && !readBlocks(d)) dims.push_back(d);
    if (dims.empty() || dims.size() > 2) return no("windows in more than two dimensions");
    int s = 2 - static_cast<int>(dims.size());
    for (size_t d : dims) {
      auto [first, second] = std::pair(image_.dims[d].parts[0], image_.dims[d].parts[1]);
      if (!out_.has(first.first)) std::swap(first, second);
      bool fits = out_.has(first.first) && !window_.has(first.first) && window_.has(second.first) &&
                  !out_.has(second.first) && first.second > 0 && second.second > 0;
      if (!fits || image_.dims[d].constant > 0) return no("an index that is not a window's");
      p.in[s] = image_.sizes[d];
      p.out[s] = extents_.at(first.first);
      p.window[s] = extents_.at(second.first);
      p.step[s] = first.second;
      p.dilation[s] = second.second;
      p.pad[s] = -image_.dims[d].constant;
      if (p.pad[s] && !image_.padded) return no("an index below 0");
      space_[s] = {first.first, second.first, static_cast<int64_t>(d)};
      seen_.insert({first.first, second.first});
      ++s;
    }
    return std::nullopt;
  }

  // Channels in blocks that lie together in the window: c * 4 + i.
  bool readBlocks(size_t d) {
    auto [block, inside] = std::pair(image_.dims[d].parts[0], image_.dims[d].parts[1]);
    if (block.second == 1) std::swap(block, inside);
    const bool areChannels = !isPool_ && in_.empty() && image_.dims[d].constant == 0 &&
                             inside.second == 1 && block.second == extents_.at(inside.first) &&
                             window_.has(block.first) && window_.has(inside.first) &&
                             !out_.has(block.first) && !out_.has(inside.first) &&
                             window_.strideOf(inside.first) == 1;
    if (!areChannels) return false;
    in_ = block.first;
    result_.problem.in_block = block.second;
    channels_ = static_cast<int64_t>(d);
    seen_.insert({block.first, inside.first});
    return true;
  }

  // Channels out as two iterators, the second inside of the first, with a block of channels in inside of both.
  bool isBlockOfOutputs(const std::string& name) const {
    return !isPool_ && result_.problem.in_block > 1 && !f_.empty() && f_ != name &&
           window_.strideOf(name) == result_.problem.in_block &&
           out_.strideOf(f_) == extents_.at(name) * out_.strideOf(name);
  }

  // Everything else is images, groups, channels in, channels out.
  Why readChannels() {
    for (const Index& index : image_.dims)
      if (index.parts.size() == 1 && (index.parts[0].second != 1 || index.constant != 0))
        return no("steps over channels or images");
    size_t parallel =
        0;  // pooling's iterators that are no space: images, if there are two, and channels
    for (const std::string& name : image_.names()) parallel += !seen_.count(name);
    for (const std::string& name : namesInOrder()) {
      std::string* role = roleOf(name, parallel);
      if (!role) return no("iterator " + name + " is none of a convolution's");
      if (role == &f_ && result_.problem.out_block == 1 && isBlockOfOutputs(name)) {
        result_.problem.out_block = extents_.at(name);
        inside_ = name;
        continue;
      }
      if (!role->empty()) return no("several iterators where a convolution has one");
      *role = name;
    }
    einc_bench_problem& p = result_.problem;
    auto extent = [this](const std::string& name) { return name.empty() ? 1 : extents_.at(name); };
    p.images = extent(imageName_);
    p.groups = extent(group_);
    p.in_channels = extent(in_) * p.in_block;
    p.out_channels = extent(f_) * p.out_block;
    // Channels in all are group by group: two strides have to be one.
    if (!group_.empty() && !in_.empty() &&
        image_.strideOf(group_) != p.in_channels * image_.strideOf(in_))
      return no("groups of channels that are apart");
    if (!group_.empty() && !f_.empty() &&
        out_.strideOf(group_) != p.out_channels * out_.strideOf(f_))
      return no("groups of channels that are apart");
    return std::nullopt;
  }

  // Iterators that are no space: those of the image in its order, then the others.
  Names namesInOrder() const {
    Names result;
    for (const std::string& name : image_.names() + window_.names() + out_.names())
      if (!seen_.count(name) && std::find(result.begin(), result.end(), name) == result.end())
        result.push_back(name);
    return result;
  }

  std::string* roleOf(const std::string& name, size_t parallel) {
    bool inI = image_.has(name), inK = window_.has(name), inO = out_.has(name);
    if (isPool_)
      return !inI || !inO || inK                  ? nullptr
             : parallel > 1 && imageName_.empty() ? &imageName_
                                                  : &group_;
    if (inI && inO) return inK ? &group_ : &imageName_;
    if (inK && (inI || inO)) return inI ? &in_ : &f_;
    return nullptr;
  }

  static int64_t strideIn(const Access& access, const std::string& name) {
    return name.empty() ? 1 : access.strideOf(name);
  }

  void fillStrides() {
    einc_bench_problem& p = result_.problem;
    auto rows = [this](const Access& access, std::string Space::* which, int64_t* to) {
      for (int s = 0; s < 2; ++s) to[s] = strideIn(access, space_[s].*which);
    };
    auto channel = [](const Access& access, const std::string& inner, const std::string& group) {
      return inner.empty() ? strideIn(access, group) : access.strideOf(inner);
    };
    p.in_strides[0] = strideIn(image_, imageName_);
    p.in_strides[1] = channels_ < 0 ? channel(image_, in_, group_)
                                    : image_.strides[static_cast<size_t>(channels_)];
    for (int s = 0; s < 2; ++s)
      p.in_strides[2 + s] =
          space_[s].dim < 0 ? 1 : image_.strides[static_cast<size_t>(space_[s].dim)];
    p.out_strides[0] = strideIn(out_, imageName_);
    p.out_strides[1] = inside_.empty() ? channel(out_, f_, group_) : out_.strideOf(inside_);
    rows(out_, &Space::out, p.out_strides + 2);
    p.window_strides[0] = strideIn(window_, group_);
    p.window_strides[1] = strideIn(window_, f_);
    p.window_strides[2] = strideIn(window_, in_);
    rows(window_, &Space::window, p.window_strides + 3);
  }

  struct Space {
    std::string out, window;
    int64_t dim = -1;
  };
  std::map<std::string, int64_t> extents_;
  Access image_, window_, out_;
  bool isPool_;
  Comparison result_;
  Space space_[2];
  std::set<std::string> seen_;
  std::string imageName_, group_, in_, f_;
  std::string inside_;     // f_, where these are blocks
  int64_t channels_ = -1;  // the image's dimension, where those in are blocks
};

// ---- Kernels ----

// A statement that only gives the output its first value.
bool isStart(const ir::StructuredOp& op) {
  return op.inputs.empty() && op.outputs.size() == 1 &&
         std::holds_alternative<ir::Literal>(op.results[0]->node);
}

Result<Comparison> recognizePermutation(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  auto in = accessOf(kernel, op.inputs[0]), out = accessOf(kernel, op.outputs[0]);
  if (!in || !out) return Reason{in ? out.reason() : in.reason()};
  if (!in->isPlain() || !out->isPlain() || in->dims.size() != out->dims.size() ||
      in->dims.size() > EINC_BENCH_RANK)
    return Reason{std::string(kNoLibrary) + "a copy whose indices are not plain"};
  Comparison result;
  result.problem.kind = EINC_BENCH_PERMUTE;
  einc_bench_move& move = result.problem.moves[0];
  for (const std::string& name : in->names()) {
    move.sizes[move.rank] = in->sizes[static_cast<size_t>(move.rank)];
    move.from[move.rank] = in->strideOf(name);
    move.to[move.rank++] = out->strideOf(name);
  }
  result.inputs = {in->tensor};
  result.output = out->tensor;
  result.name = in->names() == out->names() ? "copy" : "transposition";
  return result;
}

Result<Comparison> recognizeSum(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  auto a = accessOf(kernel, op.inputs[0]), b = accessOf(kernel, op.inputs[1]);
  auto c = accessOf(kernel, op.outputs[0]);
  for (auto* access : {&a, &b, &c})
    if (!*access) return Reason{access->reason()};
  const ir::ValueRef& result = op.results[0];
  if (op.inputs[0].shapeOnly || op.inputs[1].shapeOnly) {
    size_t read = op.inputs[0].shapeOnly ? 1 : 0;
    ir::ValueRef largest = accumulated(result, Function::Max, 2);
    ir::ValueRef sum = accumulated(result, Function::Add, 2);
    if ((!largest || !isOperand(largest, read)) && (!sum || !isOperand(sum, read)))
      return Reason{std::string(kNoLibrary) + "pooling is of sums and largest values"};
    auto found = Window(extents(kernel, op), read ? *b : *a, read ? *a : *b, *c, true).plan();
    if (found) found->problem.largest = largest != nullptr;
    return found;
  }
  ir::ValueRef term = accumulated(result, Function::Add, 2);
  if (!term || !isProduct(term, 0, 1))
    return Reason{std::string(kNoLibrary) + "its payload is no sum of products"};
  if (a->isPlain() && b->isPlain() && c->isPlain())
    return Product(extents(kernel, op), *a, *b, *c).plan();
  bool imageFirst = !a->isPlain();
  return Window(extents(kernel, op), imageFirst ? *a : *b, imageFirst ? *b : *a, *c, false).plan();
}

}  // namespace

Result<Comparison> recognize(const ir::Kernel& kernel) {
  if (auto work = measureWork(kernel, false); !work) return Reason{work.reason()};
  std::vector<const ir::StructuredOp*> ops;
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) { ops.push_back(&op); });
  bool starts = ops.size() == 2 && isStart(*ops[0]) && ops[1]->outputs.size() == 1 &&
                ops[1]->outputs[0].tensor == ops[0]->outputs[0].tensor;
  if (ops.size() != 1 && !starts)
    return Reason{std::string(kNoLibrary) + "it is of several statements"};
  const ir::StructuredOp& op = *ops.back();
  if (op.outputs.size() != 1) return Reason{std::string(kNoLibrary) + "it has several outputs"};
  const ir::ScalarType output = kernel.tensors[op.outputs[0].tensor].type;
  std::set<bool> areSame;
  for (const ir::Operand& input : op.inputs) {
    auto type = typeOf(kernel.tensors[input.tensor].type, output);
    if (!type)
      return Reason{std::string(kNoLibrary) +
                    "its types are not all f32 or all f64, nor bf16 and f32, or bytes and i32"};
    areSame.insert(*type == EINC_BENCH_SAME);
  }
  if (areSame.size() > 1) return Reason{std::string(kNoLibrary) + "its inputs differ in type"};
  Result<Comparison> result = Reason{std::string(kNoLibrary) + "it has not one or two inputs"};
  bool isCopy = op.inputs.size() == 1 && isOperand(op.results[0], 0) &&
                std::all_of(op.iterators.begin(), op.iterators.end(), [](const ir::Iterator& i) {
                  return i.kind == ir::IteratorKind::Parallel;
                });
  if (isCopy)
    result = recognizePermutation(kernel, op);
  else if (op.inputs.size() == 2)
    result = recognizeSum(kernel, op);
  if (!result) return result;
  result->problem.is_double = output == ir::ScalarType::F64;
  int* types[] = {&result->problem.type_a, &result->problem.type_b};
  for (size_t i = 0; i < result->inputs.size() && i < 2; ++i)
    *types[i] = typeOf(kernel.tensors[result->inputs[i]].type, output).value_or(EINC_BENCH_SAME);
  result->problem.overwrites = starts;
  return result;
}

}  // namespace einc::bench
