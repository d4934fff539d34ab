// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/session.h"

namespace einc::spirv {
namespace {

// Whether the length of an array comes from a vector that is put together by OpSpecConstantOp,
// which SPIRV-Cross asserts it does not, as it takes the numbers in there for ids.
bool hasShuffledLength(const Words& words) {
  std::vector<bool> isShuffled(words[3]);  // by id, below the bound
  bool found = false;
  forEachInstruction(words, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    if (opcode == SpvOpTypeArray) found |= isShuffled[operands[2]];
    if (opcode != SpvOpSpecConstantOp) return;
    uint32_t what = operands[2];
    bool is = what == SpvOpVectorShuffle || what == SpvOpCompositeInsert;
    auto ids = operands.subspan(3);
    if (what == SpvOpCompositeExtract) ids = ids.first(1);
    if (!is)
      for (uint32_t id : ids) is |= isShuffled[id];
    isShuffled[operands[1]] = is;
  });
  return found;
}

}  // namespace

Session::Session(const Module& module, spvc_backend backend)
    : error_(std::make_unique<std::string>()), context_(nullptr, spvc_context_destroy) {
  const Words& words = module;
  if (hasShuffledLength(words))
    throw CrossError{"SPIRV-Cross cannot read array lengths that come from parts of vectors"};
  spvc_context context = nullptr;
  if (spvc_context_create(&context) != SPVC_SUCCESS) throw CrossError{"SPIRV-Cross does not start"};
  context_.reset(context);
  spvc_context_set_error_callback(
      context, [](void* error, const char* text) { *static_cast<std::string*>(error) = text; },
      error_.get());
  spvc_parsed_ir parsed = nullptr;
  check(spvc_context_parse_spirv(context, words.data(), words.size(), &parsed));
  check(spvc_context_create_compiler(context, backend, parsed, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                     &compiler_));

  const spvc_entry_point* entries = nullptr;
  size_t count = 0;
  check(spvc_compiler_get_entry_points(compiler_, &entries, &count));
  if (count != 1 || entries[0].execution_model != SpvExecutionModelGLCompute)
    throw CrossError{"not one compute shader"};
  check(spvc_compiler_create_shader_resources(compiler_, &resources_));
}

void Session::check(spvc_result result) const {
  if (result != SPVC_SUCCESS) throw CrossError{"SPIRV-Cross: " + *error_};
}

std::vector<spvc_reflected_resource> Session::resources(spvc_resource_type type) const {
  const spvc_reflected_resource* list = nullptr;
  size_t count = 0;
  check(spvc_resources_get_resource_list_for_type(resources_, type, &list, &count));
  return {list, list + count};
}

std::string Session::compile(spvc_compiler_options options) const {
  check(spvc_compiler_install_compiler_options(compiler_, options));
  const char* text = nullptr;
  check(spvc_compiler_compile(compiler_, &text));
  return text;
}

}  // namespace einc::spirv
