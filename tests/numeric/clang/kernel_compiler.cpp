// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The compiler that tests give to einc (tests/numeric/compilers.py), under two names:
//
//   quick   Clang without optimisation, which has read the system's headers before. A kernel and its
//           entry are one unit for it, and it calls the linker itself.
//   usual   Clang as einc calls it.
//
// Both keep what they make, as compilers.kept does: a file named by a digest of all that it depends
// on, which ends with a digest of its name and content. Beside the program, or the link to it, a
// file `settings` has four lines:
//
//   identity of Clang and its headers
//   folder of what is kept, or nothing
//   headers in Clang's precompiled form, or nothing
//   the library of Clang's own functions
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace {

using llvm::StringRef;
using Words = std::vector<std::string>;

constexpr const char* kClang = "clang-19";
constexpr size_t kSealed = 64;  // characters of a digest

[[noreturn]] void fail(const llvm::Twine& message) {
  llvm::errs() << message << "\n";
  std::exit(EXIT_FAILURE);
}

std::optional<std::string> contentOf(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return std::nullopt;
  return (*buffer)->getBuffer().str();
}

void write(const std::string& path, StringRef content) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << content;
  file.close();
  if (error || file.has_error()) fail("cannot write " + path);
}

std::string digestOf(const Words& parts) {
  llvm::SHA256 digest;
  for (const std::string& part : parts) {
    digest.update(std::to_string(part.size()) + "\n");
    digest.update(part);
  }
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

// As compilers.py seals.
std::string sealOf(StringRef name, StringRef content) {
  llvm::SHA256 digest;
  digest.update((name + "\n").str());
  digest.update(content);
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

// Ends with the status of a program that fails.
void run(const Words& command) {
  auto program = llvm::sys::findProgramByName(command[0]);
  if (!program) fail(command[0] + " is not installed");
  std::string error;
  const std::vector<StringRef> words(command.begin(), command.end());
  int status = llvm::sys::ExecuteAndWait(*program, words, std::nullopt, {}, 0, 0, &error);
  if (!error.empty()) llvm::errs() << error << "\n";
  if (status != 0) std::exit(status > 0 ? status : EXIT_FAILURE);
}

[[noreturn]] void become(Words command) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fail(command[0] + " is not installed");
}

// What einc asks for.
struct Command {
  Words all;  // as given
  Words sources, flags, libraries;
  std::string output, threads;
  bool isPart = false;  // an object, not a library
};

Command parsed(int argc, char** argv) {
  Command command;
  command.all.assign(argv + 1, argv + argc);
  for (size_t i = 0; i < command.all.size(); ++i) {
    const StringRef word = command.all[i];
    if (word == "-o" && i + 1 < command.all.size())
      command.output = command.all[++i];
    else if (word == "-c")
      command.isPart = true;
    else if (word.starts_with("-l"))
      command.libraries.push_back(word.str());
    else if (word.ends_with("/threads.c"))  // has of its own what is weak in the kernel
      command.threads = word.str();
    else if (word.ends_with(".c"))
      command.sources.push_back(word.str());
    else if (word != "-shared" && !word.starts_with("-Wl,") && !word.starts_with("-I") &&
             !word.starts_with("-ffile-prefix-map="))  // what is in a folder is in the text
      command.flags.push_back(word.str());
  }
  if (command.isPart && !command.threads.empty()) command.sources.push_back(command.threads);
  return command;
}

class Compiler {
 public:
  Compiler(StringRef program, Command command) : command_(std::move(command)) {
    const std::string folder = llvm::sys::path::parent_path(program).str();
    auto text = contentOf(folder + "/settings");
    if (!text) fail("there are no settings beside " + program);
    llvm::SmallVector<StringRef> lines;
    StringRef(*text).split(lines, '\n');
    if (lines.size() < 4) fail("the settings beside " + program + " are not whole");
    identity_ = lines[0].str();
    kept_ = lines[1].str();
    read_ = lines[2].str();
    ownFunctions_ = lines[3].str();
    if (llvm::sys::path::filename(program) == "quick") level_ = {"-O0"};
  }

  int compile() {
    if (llvm::is_contained(command_.all, "--version")) become({kClang, "--version"});
    // Another language to what has been read; and files whose folders are not only theirs.
    if (llvm::is_contained(command_.all, "-fopenmp") || (command_.isPart && includesOthers()))
      become(asEincDoes());
    if (take()) return EXIT_SUCCESS;
    if (level_.empty() || command_.isPart)
      run(asEincDoes());
    else
      makeLibrary();
    keep();
    return EXIT_SUCCESS;
  }

 private:
  Words asEincDoes() const { return joined({{kClang}, command_.all, level_}); }

  static Words joined(const std::vector<Words>& lists) {
    Words all;
    for (const Words& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  // The files of a library include none of it, most often.
  bool includesOthers() const {
    llvm::Regex include("^ *# *include \"", llvm::Regex::Newline);
    return llvm::any_of(command_.sources, [&](const std::string& source) {
      return include.match(contentOf(source).value_or(""));
    });
  }

  // All that the result depends on. A kernel's own folder has what it includes.
  Words texts() const {
    Words files = command_.sources;
    const std::string folder = llvm::sys::path::parent_path(command_.output).str();
    if (!command_.isPart) {
      files.clear();
      std::error_code error;
      for (llvm::sys::fs::recursive_directory_iterator file(folder, error), end;
           file != end && !error; file.increment(error))
        if (StringRef(file->path()).ends_with(".c") || StringRef(file->path()).ends_with(".h"))
          files.push_back(file->path());
      std::sort(files.begin(), files.end());
    }
    Words result;
    for (const std::string& file : files) {
      if (!command_.isPart) result.push_back(file.substr(folder.size()));
      result.push_back(contentOf(file).value_or(""));
    }
    return result;
  }

  // What was made before, if it is whole.
  bool take() {
    if (kept_.empty()) return false;
    name_ = digestOf(joined({{identity_, command_.isPart ? "part" : "library"},
                             level_,
                             command_.flags,
                             command_.libraries,
                             texts()}));
    auto entry = contentOf(kept_ + "/" + name_);
    if (!entry || entry->size() < kSealed) return false;
    const StringRef content = StringRef(*entry).drop_back(kSealed);
    if (sealOf(name_, content) != StringRef(*entry).take_back(kSealed)) return false;
    utimes((kept_ + "/" + name_).c_str(), nullptr);  // what nobody asks for is removed
    write(command_.output, content);
    return true;
  }

  void keep() const {
    if (kept_.empty()) return;
    const std::string content = contentOf(command_.output).value_or("");
    const std::string entry = kept_ + "/" + name_, partial = entry + "." + std::to_string(getpid());
    write(partial, content + sealOf(name_, content));
    llvm::sys::fs::rename(partial, entry);
  }

  void makeLibrary() const {
    const std::string& out = command_.output;
    std::string unit;
    for (const std::string& source : command_.sources) unit += "#include \"" + source + "\"\n";
    write(out + ".all.c", unit);
    Words before = joined({{kClang}, command_.flags, level_, {"-pthread"}});
    if (!read_.empty()) before = joined({before, {"-include-pch", read_}});
    Words objects = {out + ".o"};
    run(joined(
        {before,
         {"-I", llvm::sys::path::parent_path(out).str(), "-c", out + ".all.c", "-o", objects[0]}}));
    if (!command_.threads.empty()) {
      objects.push_back(out + ".threads.o");
      run(joined({before, {"-c", command_.threads, "-o", objects[1]}}));
    }
    run(joined({{"ld", "-shared", "-Bsymbolic"},
                objects,
                command_.libraries,
                {ownFunctions_, "-o", out}}));
  }

  const Command command_;
  std::string identity_, kept_, read_, ownFunctions_;
  Words level_;
  std::string name_;  // of the entry
};

}  // namespace

int main(int argc, char** argv) { return Compiler(argv[0], parsed(argc, argv)).compile(); }
