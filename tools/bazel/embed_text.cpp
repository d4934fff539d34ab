// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Writes files of text as string constants of a C++ source and header: the tool of embed.bzl.
//
//   embed_text --namespace NS --include PATH --header H --source CPP [CONSTANT FILE]...

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr std::string_view kLicence = "// Part of Einc. SPDX-License-Identifier: Apache-2.0\n";

struct Options {
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::pair<std::string, std::string>> texts;  // constant and file
};

Options parse(const std::vector<std::string>& args) {
  Options options;
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    if (args[i].starts_with("--")) {
      options.flags[args[i].substr(2)] = args[i + 1];
    } else {
      options.texts.emplace_back(args[i], args[i + 1]);
    }
  }
  for (const char* flag : {"namespace", "include", "header", "source"}) {
    if (!options.flags.contains(flag)) {
      throw std::runtime_error("missing flag --" + std::string(flag));
    }
  }
  return options;
}

std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path);
  return text;
}

void writeFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path);
}

std::string escape(unsigned char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '?':
      return "\\?";  // no trigraphs
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (c >= ' ' && c <= '~') return std::string(1, static_cast<char>(c));
  // Always three digits, so that a digit which follows stays apart.
  const char octal[] = {'\\', static_cast<char>('0' + c / 64), static_cast<char>('0' + c / 8 % 8),
                        static_cast<char>('0' + c % 8)};
  return std::string(octal, sizeof octal);
}

// One literal a line of the text, so that the output reads like its input. The length is taken
// from the literals, not from a terminating zero: the text may hold zeros.
std::string define(const std::string& constant, const std::string& text) {
  std::string literals = "\n    \"";
  for (size_t i = 0; i < text.size(); ++i) {
    literals += escape(static_cast<unsigned char>(text[i]));
    if (text[i] == '\n' && i + 1 < text.size()) literals += "\"\n    \"";
  }
  literals += "\"";
  const std::string array = constant + "Bytes";
  return "static const char " + array + "[] =" + literals + ";\n" + "const std::string_view " +
         constant + "(" + array + ", sizeof " + array + " - 1);\n\n";
}

void run(const Options& options) {
  const std::string& ns = options.flags.at("namespace");
  std::string header = std::string(kLicence) +
                       "#pragma once\n\n#include <string_view>\n\nnamespace " + ns + " {\n\n";
  std::string source = std::string(kLicence) + "#include \"" + options.flags.at("include") +
                       "\"\n\nnamespace " + ns + " {\n\n";
  for (const auto& [constant, path] : options.texts) {
    header += "extern const std::string_view " + constant + ";\n";
    source += define(constant, readFile(path));
  }
  const std::string end = "}  // namespace " + ns + "\n";
  writeFile(options.flags.at("header"), header + "\n" + end);
  writeFile(options.flags.at("source"), source + end);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "embed_text: " << error.what() << "\n";
    return 1;
  }
}
