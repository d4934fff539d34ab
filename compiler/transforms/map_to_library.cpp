// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/map_to_library.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::Function;
using Names = std::vector<std::string>;

// ---- Payloads -----------------------------------------------------------------------------------

// alpha times a product of operands, added to what was there or not.
struct Product {
  std::vector<unsigned> operands;
  ir::ValueRef alpha;  // null: 1
  size_t factors = 0;  // of alpha, that are no literals
  bool adds = false;
};

ir::ValueRef times(const ir::ValueRef& a, const ir::ValueRef& b) {
  return a ? ir::makeCall(Function::Mul, {a, b}) : b;
}

// A value that no iteration changes.
bool isScalar(const ir::ValueRef& value) {
  bool scalar = true;
  ir::forEach(value, [&](const ir::Value& node) {
    scalar &= !std::holds_alternative<ir::OperandRef>(node.node) &&
              !std::holds_alternative<ir::IndexRef>(node.node);
  });
  return scalar;
}

bool multiply(const ir::ValueRef& value, Product& product) {
  if (isScalar(value)) {
    product.alpha = times(product.alpha, value);
    product.factors += !std::holds_alternative<ir::Literal>(value->node);
    return true;
  }
  if (auto* reference = std::get_if<ir::OperandRef>(&value->node)) {
    product.operands.push_back(reference->operand);
    return true;
  }
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call) return false;
  if (call->function == Function::Mul)
    return multiply(call->args[0], product) && multiply(call->args[1], product);
  if (call->function != Function::Neg) return false;
  product.alpha = product.alpha ? ir::makeCall(Function::Neg, {product.alpha})
                                : ir::makeLiteral(value->type, ir::Number{-1.0, 0});
  return multiply(call->args[0], product);
}

bool isOperand(const ir::ValueRef& value, size_t operand) {
  auto* reference = std::get_if<ir::OperandRef>(&value->node);
  return reference && reference->operand == operand;
}

std::optional<Product> productOf(const ir::ValueRef& value, size_t out) {
  Product product;
  ir::ValueRef term = value;
  auto* call = std::get_if<ir::Call>(&value->node);
  bool sum = call && call->function == Function::Add;
  bool difference = call && call->function == Function::Sub && isOperand(call->args[0], out);
  if (sum && isOperand(call->args[1], out)) term = call->args[0];
  if ((sum && isOperand(call->args[0], out)) || difference) term = call->args[1];
  product.adds = term != value;
  if (difference) product.alpha = ir::makeLiteral(value->type, ir::Number{-1.0, 0});
  if (!multiply(term, product) || (product.adds && llvm::is_contained(product.operands, out)))
    return std::nullopt;
  return product;
}

// ---- Iterators ----------------------------------------------------------------------------------

class Matcher {
 public:
  Matcher(const ir::Kernel& kernel, const ir::StructuredOp& op, std::string library)
      : kernel_(kernel), op_(op), library_(std::move(library)) {}

  Result<ir::LibraryCall> run() {
    if (auto reason = findForeign()) return *reason;
    auto product = productOf(op_.results[0], op_.inputs.size());
    if (!product)
      return Reason{
          "its payload is no sum of products of elements and scalars, nor a scaled copy; compute "
          "what is more "
          "in statements before and after it, with local tensors"};
    if (product->factors > 1)
      return Reason{
          "it has several factors, whose product may be 0 or infinite: alpha is one; pass their "
          "product as one parameter"};
    auto* literal = product->alpha ? std::get_if<ir::Literal>(&product->alpha->node) : nullptr;
    if (literal && (literal->number.asFloat == 0.0 || !std::isfinite(literal->number.asFloat)))
      return Reason{
          "its factor is 0 or not finite: a BLAS multiplies sums by it, not terms; "
          "make it a parameter"};
    if (ir::reduces(op_) && !product->adds)
      return Reason{"it keeps one term, and adds up none; add them up with +="};
    bool scales = !product->adds && product->operands.size() == 1 &&
                  product->operands[0] == op_.inputs.size();
    if (scales) product->operands.clear();
    if (llvm::is_contained(product->operands, op_.inputs.size()))
      return Reason{"its result is a factor of itself; give the result a tensor of its own"};
    if (product->operands.size() > (product->adds ? 2 : 1))
      return Reason{"it is a product of " + std::to_string(product->operands.size()) +
                    " operands, and a BLAS has " +
                    (product->adds ? "those of two; multiply the others into a local tensor first"
                                   : "none that it does not add")};
    if (product->operands.empty() && !scales) return Reason{"it reads no operand"};
    for (unsigned operand : product->operands) operands_.push_back(op_.inputs[operand]);
    if (auto reason = findLonely()) return *reason;
    auto result = operands_.size() == 2 ? ofTwo(*product) : ofOne(*product, scales);
    if (!result) return result;
    if (auto reason = findOther(*result)) return *reason;
    return result;
  }

 private:
  using Why = std::optional<Reason>;

  const ir::Operand& out() const { return op_.outputs[0]; }
  std::string nameOf(const ir::Operand& operand) const {
    return kernel_.tensors[operand.tensor].name;
  }

  // What no BLAS takes, whatever the op computes.
  Why findForeign() const {
    if (op_.outputs.size() != 1) return Reason{"it has several outputs; give each a statement"};
    ir::ScalarType type = kernel_.tensors[out().tensor].type;
    if (type != ir::ScalarType::F32 && type != ir::ScalarType::F64)
      return Reason{nameOf(out()) + " is " + std::string(ir::info(type).name) +
                    ": a BLAS has f32 and f64; declare it so, if that is exact enough"};
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      const ir::Operand& operand = op_.operand(i);
      std::string name = nameOf(operand);
      if (operand.shapeOnly)
        return Reason{name +
                      " gives iterators their extents alone; name them as sizes of what is read"};
      if (operand.pad)
        return Reason{
            name +
            " is read outside its sizes, as padding; take an input that has the padding in it"};
      ir::ScalarType own = kernel_.tensors[operand.tensor].type;
      if (own != type)
        return Reason{name + " is " + std::string(ir::info(own).name) + ", " + nameOf(out()) + " " +
                      std::string(ir::info(type).name) +
                      ": types would have to be the same; take an input that is converted"};
      for (const Expr& index : operand.map)
        if (!isStepped(index))
          return Reason{"the index " + index.str() + " of " + name +
                        " does not go on by the same number for each iterator; take an input that "
                        "holds what is read"};
    }
    return std::nullopt;
  }

  // A sum of iterators, each times a constant, and something that is no iterator.
  static bool isStepped(const Expr& index) {
    auto linear = index.asLinear();
    return linear && llvm::all_of(linear->parts, [](const auto& part) {
             auto factor = part.coefficient.asConstant();
             return factor && *factor != 0;
           });
  }

  static bool has(const ir::Operand& operand, const std::string& iterator) {
    return llvm::is_contained(iteratorsOf(operand), iterator);
  }

  // An iterator that one operand alone has.
  Why findLonely() const {
    bool scales = operands_.empty();
    for (const ir::Iterator& i : op_.iterators) {
      std::vector<const ir::Operand*> with;
      for (const ir::Operand& operand : operands_)
        if (has(operand, i.name)) with.push_back(&operand);
      if (has(out(), i.name)) with.push_back(&out());
      bool sum = operands_.size() == 1 && i.kind == ir::IteratorKind::Reduction;
      if (with.size() == 1 && !sum && !scales)
        return Reason{
            "iterator '" + i.name + "' is in " + nameOf(*with[0]) +
            " alone: a BLAS neither adds up nor repeats one operand along it; do that in a "
            "statement of its own, with a local tensor"};
      if (with.empty()) return Reason{"iterator '" + i.name + "' is in no operand"};
    }
    return std::nullopt;
  }

  // What the call would not see as the op does.
  Why findOther(const ir::LibraryCall& call) const {
    if (auto why = ir::info(call.function).whyNotIn(library_); !why.empty())
      return Reason{library_ + " " + std::string(why)};
    for (const ir::LibraryCall::Letter& letter : call.letters)
      if (letter.iterators.empty())
        return Reason{"it is of one element where " + std::string(ir::info(call.function).name) +
                      " has a dimension"};
    for (const ir::Iterator& i : op_.iterators) {
      auto own = ir::extentOf(kernel_, op_, i.name), its = ir::extentOf(kernel_, call.op, i.name);
      if (!its || own->extent != its->extent)
        return Reason{"iterator '" + i.name + "' runs to " + own->extent.str() +
                      ", which is no size of the matrix: name both sizes alike"};
    }
    return std::nullopt;
  }

  // The dimension that the iterator alone moves, by one; -1 if there is none.
  static int dimension(const ir::Operand& operand, const std::string& iterator) {
    int found = -1;
    for (size_t d = 0; d < operand.map.size(); ++d) {
      if (!llvm::is_contained(operand.map[d].iterators(), iterator)) continue;
      if (found >= 0 || operand.map[d].asIterator() != iterator) return -1;
      found = static_cast<int>(d);
    }
    return found;
  }

  // Whether the second is the next dimension behind the first one.
  bool follows(const std::string& first, const std::string& second,
               const std::vector<const ir::Operand*>& operands) const {
    return llvm::all_of(operands, [&](const ir::Operand* operand) {
      int d = dimension(*operand, first);
      return d >= 0 && dimension(*operand, second) == d + 1;
    });
  }

  // Of a group's iterators those that may be one dimension: as many as possible, rather those that
  // end an operand. The others are loops around the call.
  Names merged(const Names& group, const std::vector<const ir::Operand*>& operands) const {
    Names best;
    int bestRank = -1;
    for (const std::string& first : group) {
      if (llvm::any_of(group, [&](const auto& i) { return follows(i, first, operands); })) continue;
      Names chain = {first};
      for (bool more = true; more;) {
        auto next =
            llvm::find_if(group, [&](const auto& i) { return follows(chain.back(), i, operands); });
        more = next != group.end();
        if (more) chain.push_back(*next);
      }
      auto ends = llvm::count_if(operands, [&](const ir::Operand* operand) {
        return dimension(*operand, chain.back()) + 1 == static_cast<int>(operand->map.size());
      });
      int rank = static_cast<int>(ends) * 64 + static_cast<int>(chain.size());
      if (rank <= bestRank) continue;
      bestRank = rank;
      best = chain;
    }
    return best;
  }

  // ---- Functions ----

  ir::LibraryCall call(ir::LibraryFunction function, const Product& product,
                       std::vector<ir::LibraryCall::Letter> letters) const {
    ir::LibraryCall result{library_, function, std::move(letters), product.alpha, nullptr, {},
                           op_,      {}};
    result.op.inputs = operands_;
    // Its operands may be in another order now, or one twice.
    result.op.results = {
        ir::payloadOf(function, kernel_.tensors[out().tensor].type, product.alpha)};
    return result;
  }

  Result<ir::LibraryCall> ofTwo(const Product& product) {
    Names batch, m, n, k;
    for (const ir::Iterator& i : op_.iterators) {
      bool inA = has(operands_[0], i.name), inB = has(operands_[1], i.name),
           inC = has(out(), i.name);
      (inC ? inA ? inB ? batch : m : n : k).push_back(i.name);
    }
    if (k.empty() && (m.empty() || n.empty()))
      return Reason{"it multiplies element by element, and a BLAS adds up products"};
    // The matrix comes before the vector.
    if (!k.empty() && m.empty() && !n.empty()) {
      std::swap(operands_[0], operands_[1]);
      std::swap(m, n);
    }
    const ir::Operand *a = &operands_[0], *b = &operands_[1], *c = &out();
    Names ms = merged(m, {a, c}), ns = merged(n, {b, c}), ks = merged(k, {a, b});
    if (k.empty()) return call(ir::LibraryFunction::Ger, product, {{'m', ms}, {'n', ns}});
    if (m.empty()) return alone(call(ir::LibraryFunction::Dot, product, {{'k', ks}}));
    if (n.empty()) return call(ir::LibraryFunction::Gemv, product, {{'m', ms}, {'k', ks}});
    return call(ir::LibraryFunction::Gemm, product, {{'m', ms}, {'n', ns}, {'k', ks}});
  }

  // Loops around what takes so little are no use.
  static Result<ir::LibraryCall> alone(ir::LibraryCall call) {
    size_t inside = 0;
    for (const ir::LibraryCall::Letter& letter : call.letters) inside += letter.iterators.size();
    if (inside != call.op.iterators.size())
      return Reason{"its iterators are no dimension of all operands: " +
                    std::string(ir::info(call.function).name) +
                    " would be called in a loop; give all operands the same order of dimensions"};
    return call;
  }

  Result<ir::LibraryCall> ofOne(const Product& product, bool scales) {
    Names all, sums;
    for (const ir::Iterator& i : op_.iterators)
      (i.kind == ir::IteratorKind::Reduction ? sums : all).push_back(i.name);
    if (scales) {
      if (!product.alpha) return Reason{"it computes nothing"};
      return alone(call(ir::LibraryFunction::Scal, product, {{'m', merged(all, {&out()})}}));
    }
    const ir::Operand *a = &operands_[0], *c = &out();
    if (!sums.empty() && !all.empty())
      return Reason{
          "it adds up one operand along some iterators: a BLAS does so along all; "
          "times a vector of ones, it is a product that a BLAS has"};
    if (!sums.empty())
      return alone(call(ir::LibraryFunction::Sum, product, {{'k', merged(sums, {a})}}));
    Names ms = merged(all, {a, c});
    if (product.adds) return alone(call(ir::LibraryFunction::Axpy, product, {{'m', ms}}));
    if (ms.size() == all.size() && !product.alpha)
      return call(ir::LibraryFunction::Copy, product, {{'m', ms}});
    return transposed(product, all);
  }

  // What ends the input, and what ends the output.
  Result<ir::LibraryCall> transposed(const Product& product, const Names& all) const {
    const ir::Operand *a = &operands_[0], *c = &out();
    auto endingIn = [&](const ir::Operand& operand) {
      Names chain;
      for (const std::string& i : all)
        if (dimension(operand, i) + 1 == static_cast<int>(operand.map.size())) chain = {i};
      for (bool more = !chain.empty(); more;) {
        auto next =
            llvm::find_if(all, [&](const auto& i) { return follows(i, chain.front(), {a, c}); });
        more = next != all.end();
        if (more) chain.insert(chain.begin(), *next);
      }
      return chain;
    };
    Names n = endingIn(*a), m = endingIn(*c);
    if (m.empty() || n.empty() || m == n)
      return Reason{"it moves elements, but transposes no matrix"};
    return call(ir::LibraryFunction::Omatcopy, product, {{'m', m}, {'n', n}});
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  std::string library_;
  std::vector<ir::Operand> operands_;
};

// ---- Kernels ------------------------------------------------------------------------------------

// Whether each iterator of the result alone is a dimension of it, all of that.
bool isWhole(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  const ir::Operand& output = op.outputs[0];
  if (iteratorsOf(output).size() != output.map.size()) return false;
  for (size_t d = 0; d < output.map.size(); ++d) {
    auto name = output.map[d].asIterator();
    auto extent = name ? ir::extentOf(kernel, op, *name) : std::nullopt;
    if (!extent || extent->extent != kernel.tensors[output.tensor].shape[d]) return false;
  }
  return true;
}

// beta, if `start` gives all that the call adds to its first value.
ir::ValueRef betaOf(const ir::Kernel& kernel, const ir::StructuredOp& start,
                    const ir::LibraryCall& call) {
  if (!ir::info(call.function).beta || start.outputs.size() != 1 || !start.inputs.empty() ||
      ir::reduces(start) || start.outputs[0].tensor != call.op.outputs[0].tensor ||
      !isWhole(kernel, start) || !isWhole(kernel, call.op))
    return nullptr;
  // Sums that are made of several calls add to what the one before has left.
  for (const ir::Iterator& i : call.op.iterators)
    if (i.kind == ir::IteratorKind::Reduction &&
        llvm::none_of(call.letters, [&](const ir::LibraryCall::Letter& letter) {
          return llvm::is_contained(letter.iterators, i.name);
        }))
      return nullptr;
  const ir::ValueRef& value = start.results[0];
  auto* literal = std::get_if<ir::Literal>(&value->node);
  if (literal)
    return literal->number.asFloat == 0.0 && !std::signbit(literal->number.asFloat) ? value
                                                                                    : nullptr;
  auto scale = productOf(value, 0);
  bool plain = scale && !scale->adds && scale->operands.size() == 1 && scale->factors == 1;
  return plain ? scale->alpha : nullptr;
}

// Whether the conditions hold, as far as it is known; those that are left stay.
bool mayHold(const ir::Kernel& kernel, const ir::StructuredOp& op, std::vector<ir::Where>& where) {
  std::vector<ir::Where> open;
  for (ir::Where& bound : where) {
    Expr positions = Expr::constant(1);
    for (const std::string& name : bound.iterators) {
      auto source = ir::extentOf(kernel, op, name);
      if (!source) return false;
      positions = positions * source->extent;
    }
    auto known = positions.asConstant();
    if (!known) open.push_back(std::move(bound));
    if (known && (*known < bound.bound) != bound.below) return false;
  }
  where = std::move(open);
  return true;
}

class Mapper {
 public:
  Mapper(const ir::Kernel& kernel, const LibraryRules& rules) : kernel_(kernel), rules_(rules) {}

  ir::Block run(const ir::Block& statements) {
    for (const ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        Calls calls = callsFor(*op);
        calls.empty() ? result_.push_back(stmt) : place(std::move(calls), *op);
      } else if (auto* fused = std::get_if<ir::Fused>(&stmt.node)) {
        region(*fused);
      } else if (isShared(stmt) || std::holds_alternative<ir::ExternalCall>(stmt.node)) {
        ir::forEachOp({stmt}, [&](const ir::StructuredOp&) { ++next_; });
        result_.push_back(stmt);
      } else {
        inside(stmt);
      }
    }
    return std::move(result_);
  }

 private:
  using Ops = std::vector<ir::StructuredOp>;
  using Calls =
      std::vector<ir::LibraryCall>;  // of one function, of libraries that are asked in turn

  // A library has threads of its own.
  static bool isShared(const ir::Stmt& stmt) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    return loop && loop->grain;
  }

  // Ops on tiles are ops, too.
  void inside(ir::Stmt stmt) {
    ir::Block around = std::exchange(result_, {});
    for (ir::Block* block : ir::blocksOf(stmt)) *block = run(*block);
    result_ = std::move(around);
    result_.push_back(std::move(stmt));
  }

  Calls callsFor(const ir::StructuredOp& op) {
    Calls calls;
    unsigned number = next_++;
    for (ir::LibraryRule& rule : rules_(number)) {
      auto call = libraryCall(kernel_, op, rule.library);
      if (!call || !mayHold(kernel_, op, rule.where)) continue;
      call->where = std::move(rule.where);
      call->number = number;
      calls.push_back(std::move(*call));
      if (calls.back().where.empty()) break;
    }
    return calls;
  }

  static ir::Block together(const Ops& ops) {
    ir::Block block;
    for (const ir::StructuredOp& op : ops) block.push_back({op});
    return ops.size() < 2 ? block : only({ir::Fused{std::move(block)}});
  }

  // Each call where those before it are not made, and then the body.
  static ir::Block inTurn(Calls calls, const ir::ValueRef& beta, ir::Block body) {
    for (size_t i = calls.size(); i-- > 0;) {
      calls[i].beta = beta;
      calls[i].body = std::move(body);
      body = only({std::move(calls[i])});
    }
    return body;
  }

  // Of ops that are done together sums are called, with what they start from; what comes before and
  // after them stays together.
  void region(const ir::Fused& fused) {
    Ops waiting;
    for (const ir::Stmt& stmt : fused.ops) {
      const auto& op = std::get<ir::StructuredOp>(stmt.node);
      waiting.push_back(op);
      Calls calls = callsFor(op);
      if (!ir::reduces(op) || calls.empty()) continue;
      ir::ValueRef beta =
          waiting.size() == 2 ? betaOf(kernel_, waiting[0], calls[0]) : ir::ValueRef();
      if (!beta) {
        waiting.pop_back();
        append(result_, together(std::exchange(waiting, {op})));
      }
      if (waiting.size() == 1)
        place(std::move(calls), op);
      else
        append(result_, inTurn(std::move(calls), beta, together(waiting)));
      waiting.clear();
    }
    append(result_, together(waiting));
  }

  // If what was there has just been set or scaled, one call does both.
  void place(Calls calls, const ir::StructuredOp& op) {
    auto* before = result_.empty() ? nullptr : &result_.back();
    auto* scaled = before ? std::get_if<ir::LibraryCall>(&before->node) : nullptr;
    auto* set = before ? std::get_if<ir::StructuredOp>(&before->node) : nullptr;
    if (scaled && scaled->function != ir::LibraryFunction::Scal) scaled = nullptr;
    ir::ValueRef beta;
    if (set || scaled) beta = betaOf(kernel_, set ? *set : scaled->op, calls[0]);
    ir::Block body;
    if (beta) {
      body = set ? only({*set}) : ir::generated(*scaled);
      result_.pop_back();
    }
    body.push_back({op});
    append(result_, inTurn(std::move(calls), beta, std::move(body)));
  }

  const ir::Kernel& kernel_;
  const LibraryRules& rules_;
  unsigned next_ = 0;  // op
  ir::Block result_;
};

}  // namespace

Result<ir::LibraryCall> libraryCall(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                    const std::string& library) {
  return Matcher(kernel, op, library).run();
}

ir::Kernel mapToLibrary(const ir::Kernel& kernel, const LibraryRules& rules) {
  ir::Kernel result = kernel;
  result.body = Mapper(kernel, rules).run(kernel.body);
  return result;
}

}  // namespace einc::transforms
