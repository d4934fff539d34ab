// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/names.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "compiler/emit/text/c_library.h"

namespace einc::emit {
namespace {

// Of C, of C++, or macros of some compilers.
constexpr std::string_view kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq "
    "nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict "
    "return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq linux unix";

constexpr std::string_view kReserved =
    // namespaces of C++ that headers use
    "einc std "
    // the C library: math.h, stdlib.h, stdio.h, string.h, time.h, unistd.h and what they bring
    "main abort access acosf acosl alarm asinf atan2 atan2f atanf atexit atof atoi atol atoll brk "
    "bsearch "
    "abs acos acosh asin asinh atan atanh ceil cos cosh exp exp2 floor fma ldexp log log2 modf pow "
    "round "
    "roundeven sin sinh sqrt tan tanh trunc div calloc cbrt cbrtf ceilf clearerr clock close "
    "connect copysign copysignf cosf coshf creat ctime dup "
    "environ erf erfc erfcf erff errno exit exp10 exp2f expf expm1 expm1f fabs fabsf fclose fdim "
    "feof "
    "fflush fgetc fgets fileno fmaf fmax fmaxf fmin fminf fmod fmodf fopen fork fprintf fputs "
    "fread free "
    "frexp fscanf fseek ftell fwrite gamma gets getenv getline getpid gmtime hypot ilogb index "
    "isfinite "
    "isinf isnan isnormal j0 j1 jn kill labs ldexp ldexpf ldiv lgamma link listen llabs llround "
    "localtime "
    "log10 log10f log1p log1pf log2f logb logf longjmp lrint lround lseek malloc memchr memcmp "
    "memcpy "
    "memmove memset mktime nan nanf nearbyint nextafter nice open pause perror pipe powf printf "
    "putc "
    "putchar puts qsort raise rand random read realloc recv remainder remove rename remquo rewind "
    "rindex "
    "rint rintf roundf scalb scalbln scalbn scanf select send setjmp signal signbit signgam sinf "
    "sinhf "
    "sleep socket sprintf sqrtf srand sscanf stat strcat strchr strcmp strcpy strlen strncmp "
    "strtod "
    "strtol strstr swab sync system tanf tanhf tgamma time times tolower toupper truncf tmpfile "
    "ungetc "
    "unlink wait write y0 y1 yn NULL NAN INFINITY FILE EOF "
    // macros of complex.h, errno.h, math.h, stdio.h
    "I complex imaginary DOMAIN OVERFLOW UNDERFLOW SING PLOSS TLOSS HUGE HUGE_VAL BUFSIZ stdin "
    "stdout stderr";

// Macros of the headers of C99, complex.h of C11 and unistd.h: a program may include those before
// ours. All that take arguments, and the best known of the others.
// From: clang-19 -std=gnu99 -E -dM -D_GNU_SOURCE.
constexpr std::string_view kMacros =
    "BIG_ENDIAN BYTE_ORDER CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC CMPLX CMPLXF CMPLXF32 "
    "CMPLXF32X CMPLXF64 CMPLXF64X CMPLXL DECIMAL_DIG EDOM EILSEQ ERANGE EXIT_FAILURE "
    "EXIT_SUCCESS FD_CLR FD_ISSET FD_SET FD_ZERO FILENAME_MAX FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN "
    "FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VALF HUGE_VALL LITTLE_ENDIAN "
    "LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN L_tmpnam MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX "
    "MB_LEN_MAX RAND_MAX SCHAR_MAX SCHAR_MIN SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN "
    "SIG_DFL SIG_ERR SIG_IGN TEMP_FAILURE_RETRY TMP_MAX UCHAR_MAX ULLONG_MAX ULONG_MAX "
    "USHRT_MAX WEOF WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WSTOPSIG "
    "WTERMSIG alloca assert assert_perror be16toh be32toh be64toh fpclassify htobe16 htobe32 "
    "htobe64 htole16 htole32 htole64 isascii_l iscanonical iseqsig isgreater isgreaterequal "
    "isless islessequal islessgreater issignaling issubnormal isunordered iszero le16toh "
    "le32toh le64toh math_errhandling offsetof sa_handler sa_sigaction si_addr si_addr_lsb "
    "si_arch si_band si_call_addr si_fd si_int si_lower si_overrun si_pid si_pkey si_ptr "
    "si_status si_stime si_syscall si_timerid si_uid si_upper si_utime si_value "
    "sigev_notify_attributes sigev_notify_function sigmask sigsetjmp strdupa strndupa "
    "toascii_l va_arg va_copy va_end va_start";

using Words = std::unordered_set<std::string_view>;

Words wordsOf(std::string_view text, char between = ' ') {
  Words words;
  for (size_t begin = 0, end = 0; end < text.size(); begin = end + 1) {
    end = std::min(text.find(between, begin), text.size());
    words.insert(text.substr(begin, end - begin));
  }
  return words;
}

// What libraries begin their names with that a program with kernels may be linked to.
std::optional<std::string> libraryOf(std::string_view name) {
  struct Family {
    std::string_view prefix, what;
  };
  for (const Family& family : {Family{"cblas_", "a BLAS"},
                               {"openblas_", "OpenBLAS"},
                               {"bli_", "BLIS"},
                               {"mkl_", "oneMKL"},
                               {"MKL_", "oneMKL"},
                               {"LAPACKE_", "LAPACK"},
                               {"pthread_", "POSIX"},
                               {"omp_", "OpenMP"},
                               {"GOMP_", "OpenMP"},
                               {"kmp_", "OpenMP"}})
    if (name.starts_with(family.prefix)) return std::string(family.what);
  static const Words names = wordsOf(kCLibraryNames, '\n');
  if (names.count(name)) return "the C library";
  return std::nullopt;
}

}  // namespace

bool isKeyword(std::string_view name) {
  static const Words keywords = wordsOf(kKeywords);
  return keywords.count(name) != 0;
}

bool isReserved(std::string_view name) {
  if (name.empty() || name[0] == '_' || name.find("__") != std::string_view::npos) return true;
  if (name.starts_with("einc_") || name.starts_with("EINC_") || name.starts_with("gl_"))
    return true;
  // Types of the C library and POSIX (size_t), macros of stdint.h, float.h and math.h.
  if (name.ends_with("_t")) return true;
  if (name[0] >= 'A' && name[0] <= 'Z')
    for (std::string_view prefix :
         {"INT", "UINT", "SIZE_", "PTRDIFF_", "FLT_", "DBL_", "LDBL_", "M_"})
      if (name.starts_with(prefix) && name.find('_') != std::string_view::npos) return true;
  static const Words reserved = wordsOf(kReserved);
  static const Words macros = wordsOf(kMacros);
  return isKeyword(name) || reserved.count(name) != 0 || macros.count(name) != 0;
}

std::string mangled(std::string name) {
  if (!isReserved(name)) return name;
  std::string result;
  for (char c : name) {
    if (c == '_' && (result.empty() || result.back() == '_')) result += 'u';
    result += c;
  }
  if (result.starts_with("einc_") || result.starts_with("EINC_") || result.starts_with("gl_"))
    result = "x_" + result;
  if (!isReserved(result)) return result;
  return result + (result.back() == '_' ? "u" : "_");
}

std::string functionName(const std::string& def, const std::string& prefix) {
  const std::string name = prefix + def;
  return whyRenamed(def, prefix) ? mangled(name + "_op") : name;
}

std::optional<std::string> whyRenamed(const std::string& def, const std::string& prefix) {
  const std::string name = prefix + def, quoted = "'" + name + "'";
  if (isKeyword(name)) return quoted + " is a word of C or C++";
  if (auto library = libraryOf(name)) return *library + " has a " + quoted;
  if (isReserved(name)) return quoted + " is kept for C, its library and Einc";
  // Other names follow from this one with an underscore, so that a final one would give two.
  if (name.back() == '_') return quoted + " ends in an underscore";
  return std::nullopt;
}

std::string Names::make(const std::string& wanted) {
  std::string name = mangle_(wanted);
  auto [place, isNew] = taken_.emplace(name, 0);
  if (isNew) return name;
  bool digit = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  int& last = place->second;  // stays where it is when others come
  std::string candidate;
  do candidate = name + (digit ? "_" : "") + std::to_string(++last);
  while (!taken_.emplace(candidate, 0).second);
  return candidate;
}

}  // namespace einc::emit
