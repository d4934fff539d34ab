// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/share_memory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/unused.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using Tensors = std::set<unsigned>;

// The tensors that a statement names, blocks inside it left out.
void note(const ir::Stmt& stmt, Tensors& tensors) {
  auto operands = [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i) tensors.insert(op.operand(i).tensor);
    if (op.copied) tensors.insert(op.copied->to.tensor);
  };
  auto value = [&](const ir::ValueRef& of) {
    ir::forEach(of, [&](const ir::Value& node) {
      if (auto* load = std::get_if<ir::Load>(&node.node)) tensors.insert(load->tensor);
    });
  };
  if (const ir::ValueRef of = ir::valueOf(stmt)) value(of);
  if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) operands(*op);
  if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
    operands(call->op);
    for (const ir::ValueRef& factor : {call->alpha, call->beta})
      if (factor) value(factor);
  }
  if (auto* call = std::get_if<ir::ExternalCall>(&stmt.node))
    for (const ir::Argument& argument : call->arguments)
      if (argument.isTensor) tensors.insert(argument.index);
  if (auto* test = std::get_if<ir::If>(&stmt.node))
    for (const ir::Condition& condition : test->conditions)
      if (condition.isOfMemory()) tensors.insert(condition.tensor);
  if (auto* check = std::get_if<ir::CheckNumbers>(&stmt.node))
    for (const ir::ValueRef& of : check->values) value(of);
  if (auto* store = std::get_if<ir::Store>(&stmt.node)) tensors.insert(store->tensor);
  if (auto* soon = std::get_if<ir::Prefetch>(&stmt.node)) tensors.insert(soon->tensor);
  if (auto* read = std::get_if<ir::Read>(&stmt.node)) tensors.insert(read->tensor);
  if (auto* lead = std::get_if<ir::Lead>(&stmt.node)) tensors.insert(lead->tensor);
  if (auto* region = std::get_if<ir::NonTemporal>(&stmt.node)) tensors.insert(region->tensor);
  if (auto* view = std::get_if<ir::View>(&stmt.node)) tensors.insert(view->view);
  if (auto* offsets = std::get_if<ir::Offsets>(&stmt.node)) tensors.insert(offsets->view);
}

class Sharing {
 public:
  explicit Sharing(ir::Kernel& kernel) : kernel_(kernel) {
    ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node)) under_[view->view].insert(view->base);
      if (auto* offsets = std::get_if<ir::Offsets>(&stmt.node)) {
        under_[offsets->view].insert(offsets->table);
        if (offsets->quotients) under_[offsets->view].insert(*offsets->quotients);
      }
    });
  }

  void share(ir::Block& block) {
    for (ir::Stmt& stmt : block) {
      if (std::holds_alternative<ir::ExternalCall>(stmt.node)) continue;  // it runs elsewhere
      for (ir::Block* inner : ir::blocksOf(stmt)) share(*inner);
    }
    std::vector<Piece> pieces = piecesOf(block);
    // What loops left behind for a way that is not there any more.
    const bool isAny = llvm::any_of(pieces, isUnused);
    for (const Piece& piece : llvm::reverse(pieces))
      if (isUnused(piece)) block.erase(block.begin() + static_cast<std::ptrdiff_t>(piece.first));
    if (isAny) pieces = piecesOf(block);
    if (pieces.size() < 2) return;
    std::vector<Place> places = placesOfEqualSize(std::move(pieces));
    for (const Place& place : joined(std::move(places), declaredIn(block)))
      for (size_t i = 1; i < place.size(); ++i)
        std::get<ir::Alloc>(block[place[i].first].node).over =
            std::get<ir::Alloc>(block[place[i - 1].first].node).tensor;
  }

 private:
  // An alloc, and the last statement for which its memory is needed.
  struct Piece {
    size_t first, last;
    affine::Expr bytes;
    std::vector<std::string> symbols;  // of its size
  };
  static bool isUnused(const Piece& piece) { return piece.last == piece.first; }
  // Pieces of memory that is one, in the order of the block.
  using Place = std::vector<Piece>;
  using Declared = std::map<std::string, size_t>;  // by which statement of the block

  // With what has their memory, and the tables that say where in it.
  void noteAll(const ir::Stmt& stmt, Tensors& tensors) const {
    Tensors named;
    note(stmt, named);
    for (const ir::Block* inner : ir::blocksOf(stmt))
      ir::forEachStatement(*inner, [&](const ir::Stmt& s) { note(s, named); });
    std::vector<unsigned> rest(named.begin(), named.end());
    while (!rest.empty()) {
      const unsigned tensor = rest.back();
      rest.pop_back();
      if (!tensors.insert(tensor).second) continue;
      if (auto under = under_.find(tensor); under != under_.end())
        rest.insert(rest.end(), under->second.begin(), under->second.end());
    }
  }

  std::vector<Piece> piecesOf(const ir::Block& block) const {
    std::vector<Piece> pieces;
    std::map<unsigned, size_t> numbers;
    for (size_t i = 0; i < block.size(); ++i) {
      auto* alloc = std::get_if<ir::Alloc>(&block[i].node);
      if (!alloc || alloc->space != ir::Space::Heap) continue;
      const ir::Tensor& tensor = kernel_.tensors[alloc->tensor];
      Piece piece{
          i, i, affine::Expr::constant(static_cast<int64_t>(ir::info(tensor.type).bytes())), {}};
      for (const affine::Expr& size : tensor.shape) {
        piece.bytes = piece.bytes * size;
        for (std::string& symbol : size.symbols()) piece.symbols.push_back(std::move(symbol));
      }
      numbers[alloc->tensor] = pieces.size();
      pieces.push_back(std::move(piece));
    }
    if (pieces.empty()) return pieces;
    for (size_t i = pieces.front().first; i < block.size(); ++i) {
      Tensors used;
      noteAll(block[i], used);
      for (const unsigned tensor : used)
        if (auto number = numbers.find(tensor); number != numbers.end())
          pieces[number->second].last = i;
    }
    return pieces;
  }

  static std::vector<Place> placesOfEqualSize(std::vector<Piece> pieces) {
    std::vector<Place> places;
    for (Piece& piece : pieces) {
      auto fits = llvm::find_if(places, [&](const Place& place) {
        return place.back().bytes == piece.bytes && !piece.bytes.overflowed() &&
               place.back().last < piece.first;
      });
      if (fits == places.end()) fits = places.insert(places.end(), Place());
      fits->push_back(std::move(piece));
    }
    return places;
  }

  static Declared declaredIn(const ir::Block& block) {
    Declared declared;
    for (size_t i = 0; i < block.size(); ++i) {
      if (auto* bound = std::get_if<ir::Bound>(&block[i].node)) declared[bound->name] = i;
      if (auto* lead = std::get_if<ir::Lead>(&block[i].node)) declared[lead->name] = i;
    }
    return declared;
  }

  // Nothing is needed in both at a time, and all sizes are known at the first alloc.
  static bool mayJoin(const Place& one, const Place& other, const Declared& declared) {
    const size_t first = std::min(one.front().first, other.front().first);
    return llvm::all_of(one,
                        [&](const Piece& a) {
                          return llvm::all_of(other, [&](const Piece& b) {
                            return a.last < b.first || b.last < a.first;
                          });
                        }) &&
           llvm::all_of(llvm::concat<const Piece>(one, other), [&](const Piece& piece) {
             return llvm::all_of(piece.symbols, [&](const std::string& symbol) {
               auto at = declared.find(symbol);
               return at == declared.end() || at->second < first;
             });
           });
  }

  // Places of different sizes: those that are not known first, then the largest.
  static std::vector<Place> joined(std::vector<Place> places, const Declared& declared) {
    auto rank = [](const Place& place) {
      return std::pair(-place.front().bytes.asConstant().value_or(INT64_MAX), place.front().first);
    };
    llvm::sort(places, [&](const Place& a, const Place& b) { return rank(a) < rank(b); });
    std::vector<Place> result;
    for (Place& place : places) {
      auto other =
          llvm::find_if(result, [&](const Place& p) { return mayJoin(p, place, declared); });
      if (other == result.end()) {
        result.push_back(std::move(place));
        continue;
      }
      std::move(place.begin(), place.end(), std::back_inserter(*other));
      llvm::sort(*other, [](const Piece& a, const Piece& b) { return a.first < b.first; });
    }
    return result;
  }

  ir::Kernel& kernel_;
  std::map<unsigned, Tensors> under_;  // what is read where a view is
};

}  // namespace

ir::Kernel shareMemory(ir::Kernel kernel) {
  if (ir::hasDispatch(kernel.body)) return kernel;
  Sharing(kernel).share(kernel.body);
  dropUnusedBounds(kernel);
  return kernel;
}

}  // namespace einc::transforms
