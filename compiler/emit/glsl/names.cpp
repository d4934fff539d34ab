// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/names.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace einc::emit {
namespace {

// Words of GLSL 4.50 and of the extensions that shaders use; some are reserved for later.
constexpr std::string_view kWords =
    "attribute const uniform varying buffer shared coherent volatile restrict readonly writeonly "
    "layout centroid flat smooth noperspective patch sample precise invariant break continue do "
    "for "
    "while switch case default if else subroutine in out inout true false discard return lowp "
    "mediump highp precision struct common partition active asm class union enum typedef template "
    "this resource goto inline noinline public static extern external interface long short half "
    "fixed unsigned superp input output filter sizeof cast namespace using demote "
    "terminateInvocation "
    "nonuniformEXT main void bool int uint float double atomic_uint "
    // functions
    "radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow exp log exp2 "
    "log2 sqrt inversesqrt abs sign floor trunc round roundEven ceil fract mod modf min max clamp "
    "mix step smoothstep isnan isinf floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat "
    "fma frexp ldexp length distance dot cross normalize faceforward reflect refract "
    "matrixCompMult outerProduct transpose determinant inverse lessThan lessThanEqual greaterThan "
    "greaterThanEqual equal notEqual any all not uaddCarry usubBorrow umulExtended imulExtended "
    "bitfieldExtract bitfieldInsert bitfieldReverse bitCount findLSB findMSB barrier "
    "memoryBarrier memoryBarrierBuffer memoryBarrierImage memoryBarrierShared groupMemoryBarrier "
    "noise1 noise2 noise3 noise4 dFdx dFdy fwidth ftransform "
    // what shading languages made of these make of them
    "kernel device thread threadgroup constant vertex fragment cbuffer register groupshared string "
    "matrix vector Buffer texture sampler half2 half4 numthreads";

// Of types and functions of GLSL and its extensions: mat4x3, u8vec2, textureGather, packHalf2x16.
constexpr std::string_view kBeginnings[] = {
    "gl_",          "einc_",       "EINC_",          "texture",
    "texel",        "image",       "iimage",         "uimage",
    "sampler",      "isampler",    "usampler",       "pack",
    "unpack",       "atomic",      "subgroup",       "subpass",
    "isubpass",     "usubpass",    "interpolateAt",  "mat",
    "dmat",         "vec",         "ivec",           "uvec",
    "bvec",         "dvec",        "hvec",           "fvec",
    "i8vec",        "i16vec",      "i32vec",         "i64vec",
    "u8vec",        "u16vec",      "u32vec",         "u64vec",
    "f16vec",       "f32vec",      "f64vec",         "f16mat",
    "f32mat",       "f64mat",      "allInvocations", "anyInvocation",
    "doubleBitsTo", "int64BitsTo", "uint64BitsTo",   "float16BitsTo",
    "halfBitsTo",   "int16BitsTo", "uint16BitsTo",   "short",
    "half"};

std::unordered_set<std::string_view> words() {
  std::unordered_set<std::string_view> result;
  for (size_t begin = 0, end = 0; begin < kWords.size(); begin = end + 1) {
    end = std::min(kWords.find(' ', begin), kWords.size());
    result.insert(kWords.substr(begin, end - begin));
  }
  return result;
}

bool beginsLikeOne(std::string_view name) {
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

bool isWord(std::string_view name) {
  static const auto taken = words();
  return taken.count(name) != 0 || name.ends_with("_t");
}

}  // namespace

// Two underscores on end are reserved, and one in front is in languages made of GLSL.
std::string glslMangled(std::string name) {
  std::string result;
  for (char c : name) {
    if (c == '_' && (result.empty() || result.back() == '_')) result += 'u';
    result += c;
  }
  name = std::move(result);
  if (isWord(name)) return name + "_";
  return beginsLikeOne(name) ? "x_" + name : name;
}

}  // namespace einc::emit
