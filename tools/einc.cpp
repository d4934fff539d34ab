// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The command line of einc: flags to options, nothing else.
#include "compiler/driver/commands.h"
#include "compiler/driver/exit.h"
#include "compiler/driver/known_values.h"
#include "compiler/driver/outputs.h"
#include "llvm/Support/CommandLine.h"
#include "tools/command_line/main.h"
#include "tools/command_line/number.h"
#include "tools/einc_texts.h"

namespace {

namespace cl = llvm::cl;
using namespace einc::driver;
using einc::command_line::Number;

cl::SubCommand checkCommand("check", "parse and verify specs, print diagnostics");
cl::SubCommand emitCommand("emit", "print one stage of the compilation of a spec");
cl::SubCommand buildCommand("build", "make a library, its header and its manifest");
cl::SubCommand evalCommand("eval", "run a def on NumPy arrays");
cl::SubCommand queryCommand("query", "what iterations read and write, and which touch given data");
cl::SubCommand benchCommand("bench", "time a def against libraries, in turn in one run");
cl::SubCommand explainCommand("explain", "what is done with each op of a spec, and why");
cl::SubCommand tuneCommand("tune", "measure which way is fastest here, for --tuning");
cl::SubCommand optCommand("opt", "run passes on IR text");

cl::OptionCategory whichCategory("Which defs, with which values");
cl::OptionCategory howCategory("How");
cl::OptionCategory runCategory("What is asked");
cl::OptionCategory outCategory("Where to, under which names");
cl::OptionCategory selfCategory("To look into einc itself");

// ---- Which defs, and what is fixed about them ----

cl::list<std::string> specs(cl::Positional, cl::desc("SPEC..."), cl::cat(whichCategory),
                            cl::sub(checkCommand), cl::sub(emitCommand), cl::sub(buildCommand),
                            cl::sub(evalCommand), cl::sub(queryCommand), cl::sub(explainCommand),
                            cl::sub(benchCommand), cl::sub(tuneCommand));
cl::opt<bool> eir("eir", cl::cat(whichCategory),
                  cl::desc("SPECs are IR text, as files called NAME.eir are"),
                  cl::sub(checkCommand), cl::sub(emitCommand), cl::sub(buildCommand),
                  cl::sub(evalCommand), cl::sub(explainCommand), cl::sub(benchCommand));
cl::opt<std::string> einsum("einsum", cl::value_desc("mk,kn->mn"), cl::cat(whichCategory),
                            cl::desc("NumPy's notation instead of a spec"), cl::sub(checkCommand),
                            cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                            cl::sub(queryCommand), cl::sub(explainCommand), cl::sub(benchCommand),
                            cl::sub(tuneCommand));
cl::list<std::string> defs("def", cl::value_desc("NAME,..."), cl::CommaSeparated,
                           cl::cat(whichCategory), cl::desc("only these defs"),
                           cl::sub(checkCommand), cl::sub(emitCommand), cl::sub(buildCommand),
                           cl::sub(evalCommand), cl::sub(queryCommand), cl::sub(explainCommand),
                           cl::sub(benchCommand), cl::sub(tuneCommand));
cl::list<std::string> dims("dim", cl::value_desc("NAME=INT"), cl::cat(whichCategory),
                           cl::desc("fix a size"), cl::sub(checkCommand), cl::sub(emitCommand),
                           cl::sub(buildCommand), cl::sub(evalCommand), cl::sub(queryCommand),
                           cl::sub(explainCommand), cl::sub(benchCommand), cl::sub(tuneCommand));
cl::list<std::string> attributes("attr", cl::value_desc("NAME=V,V,..."), cl::cat(whichCategory),
                                 cl::desc("fix an attribute or scalar"), cl::sub(checkCommand),
                                 cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                                 cl::sub(queryCommand), cl::sub(explainCommand),
                                 cl::sub(benchCommand), cl::sub(tuneCommand));
cl::list<std::string> types("type", cl::value_desc("T=f32"), cl::cat(whichCategory),
                            cl::desc("the type of a type parameter"), cl::sub(checkCommand),
                            cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                            cl::sub(queryCommand), cl::sub(explainCommand), cl::sub(benchCommand),
                            cl::sub(tuneCommand));

// ---- Where to, and how ----

cl::list<std::string> targets("target", cl::value_desc("T,..."), cl::CommaSeparated,
                              cl::cat(howCategory),
                              cl::desc("machines to compile for (default: all levels of x86-64; "
                                       "for eval, bench and tune: this machine)"),
                              cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                              cl::sub(explainCommand), cl::sub(benchCommand), cl::sub(tuneCommand));
cl::opt<Number<int64_t>> threads(
    "threads", cl::value_desc("N"), cl::init(1), cl::cat(howCategory),
    cl::desc("use up to N threads (default: 1, and no trace of threads)"), cl::sub(emitCommand),
    cl::sub(buildCommand), cl::sub(evalCommand), cl::sub(explainCommand), cl::sub(benchCommand),
    cl::sub(tuneCommand));
cl::opt<std::string> fp("fp", cl::value_desc("strict"), cl::cat(howCategory),
                        cl::desc("strict: sums in the order of the spec, each operation rounded"),
                        cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                        cl::sub(explainCommand), cl::sub(benchCommand));
cl::opt<std::string> strides("strides", cl::value_desc("contiguous"), cl::cat(howCategory),
                             cl::desc("contiguous: tensors have unit stride along their last "
                                      "dimensions; others are refused when a kernel is called"),
                             cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand));
cl::opt<Number<int64_t>> align(
    "align", cl::value_desc("BYTES"), cl::init(1), cl::cat(howCategory),
    cl::desc("tensors begin at multiples of so many bytes, a power of two; "
             "others are refused when a kernel is called"),
    cl::sub(emitCommand), cl::sub(buildCommand));
cl::opt<std::string> schedule(
    "schedule", cl::value_desc("FILE"), cl::cat(howCategory),
    cl::desc("what to do with ops instead of what the model chooses; emit "
             "--stage=schedule prints one"),
    cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand), cl::sub(explainCommand),
    cl::sub(benchCommand));
cl::opt<std::string> lib("lib", cl::value_desc("LIB"), cl::cat(howCategory),
                         cl::desc("call this BLAS for what it computes, where it can (default: "
                                  "none); link it to the kernels. auto: what --tuning says is "
                                  "faster, else what the model does"),
                         cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                         cl::sub(explainCommand), cl::sub(benchCommand));
cl::opt<std::string> tuning("tuning", cl::value_desc("FILE"), cl::cat(howCategory),
                            cl::desc("what einc tune found to be fastest; libraries with "
                                     "--lib=auto alone"),
                            cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(evalCommand),
                            cl::sub(explainCommand), cl::sub(benchCommand), cl::sub(tuneCommand));
cl::opt<bool> verbose("verbose", cl::cat(runCategory), cl::sub(explainCommand),
                      cl::desc("all of it: each op, each number with its reason, the schedule"));
cl::alias verboseShort("v", cl::desc("the same as --verbose"), cl::aliasopt(verbose),
                       cl::cat(runCategory), cl::NotHidden);
cl::opt<bool> werror("Werror", cl::desc("warnings are errors"), cl::cat(runCategory),
                     cl::sub(checkCommand));
cl::opt<std::string> explained("explain", cl::value_desc("NAME"), cl::cat(runCategory),
                               cl::desc("what a diagnostic means; all lists them"),
                               cl::sub(checkCommand));
cl::opt<std::string> stage("stage", cl::value_desc("S"), cl::cat(outCategory), cl::Required,
                           cl::desc("what to print"), cl::sub(emitCommand));
cl::opt<std::string> output("o", cl::value_desc("PATH"), cl::cat(outCategory),
                            cl::desc("output file; for build, the folder; '-' is standard output"),
                            cl::sub(emitCommand), cl::sub(buildCommand), cl::sub(optCommand),
                            cl::sub(tuneCommand));
cl::opt<std::string> name("name", cl::value_desc("NAME"), cl::cat(outCategory),
                          cl::desc("the library's name"), cl::sub(emitCommand),
                          cl::sub(buildCommand));
cl::opt<std::string> prefix("prefix", cl::value_desc("P"), cl::cat(outCategory),
                            cl::desc("before every C name"), cl::sub(emitCommand),
                            cl::sub(buildCommand));
cl::opt<std::string> exports("export", cl::value_desc("cblas"), cl::cat(outCategory),
                             cl::desc("kernels also under the names of a CBLAS, for programs "
                                      "that are linked to one"),
                             cl::sub(buildCommand));
cl::opt<bool> sourcesOnly(
    "sources-only", cl::cat(outCategory), cl::sub(buildCommand),
    cl::desc("write what the library is made of, and NAME.bzl, which lists it; do "
             "not compile"));
cl::opt<bool> shared("shared", cl::cat(outCategory), cl::sub(buildCommand),
                     cl::desc("a shared library, libNAME.so, in which only kernels are visible"));
cl::list<std::string> link("link", cl::value_desc("FLAG"), cl::cat(outCategory),
                           cl::sub(buildCommand),
                           cl::desc("with --shared: for the linker, such as -lopenblas (may stand "
                                    "several times)"));
cl::opt<bool> oneFile("one-file", cl::cat(outCategory), cl::sub(buildCommand),
                      cl::desc("with --sources-only: all code in NAME.c"));
cl::opt<Number<unsigned>> jobs(
    "j", cl::value_desc("N"), cl::Prefix, cl::init(0), cl::cat(howCategory),
    cl::desc("compile N files at the same time (default: as many as cores)"),
    cl::sub(buildCommand));
cl::opt<std::string> compiler(
    "cc", cl::value_desc("PATH"), cl::cat(howCategory),
    cl::desc("the C compiler (default: clang-19, or another clang or gcc that is new enough)"),
    cl::sub(buildCommand), cl::sub(evalCommand), cl::sub(benchCommand), cl::sub(tuneCommand));
cl::list<std::string> printAfter("print-ir-after", cl::value_desc("PASS"), cl::cat(selfCategory),
                                 cl::desc("print the IR after this pass"), cl::sub(emitCommand),
                                 cl::sub(buildCommand), cl::sub(optCommand));
cl::opt<bool> printAfterAll("print-ir-after-all", cl::cat(selfCategory),
                            cl::desc("print the IR after every pass"), cl::sub(emitCommand),
                            cl::sub(buildCommand), cl::sub(optCommand));
cl::opt<bool> verifyEach(
    "verify-each", cl::cat(selfCategory), cl::sub(emitCommand), cl::sub(buildCommand),
    cl::sub(evalCommand),
    cl::desc("after each pass and each step of a schedule, interpret small instances: they must "
             "give what they did before"));
cl::opt<std::string> plant("plant", cl::Hidden, cl::cat(selfCategory), cl::sub(emitCommand),
                           cl::sub(buildCommand), cl::sub(evalCommand), cl::sub(benchCommand),
                           cl::desc("plant a miscompilation, for tests of the tests"));

// ---- eval ----

cl::list<std::string> inputs("in", cl::value_desc("A=a.npy"), cl::cat(runCategory),
                             cl::desc("an input, or an output's initial value; a view may follow "
                                      "the file: [::-1, 1:9:2], .T, .broadcast(4,8)"),
                             cl::sub(evalCommand));
cl::list<std::string> outputs("out", cl::value_desc("C=c.npy"), cl::cat(outCategory),
                              cl::desc("where an output goes (printed if not given)"),
                              cl::sub(evalCommand));
cl::opt<std::string> engine(
    "engine", cl::value_desc("E"), cl::cat(howCategory),
    cl::desc("who computes (default for eval: reference, an interpreter, as tiled, vector and hw "
             "are on later stages; for bench: native)"),
    cl::sub(evalCommand), cl::sub(benchCommand));
cl::opt<std::string> device("device", cl::value_desc("NAME"), cl::cat(howCategory),
                            cl::sub(evalCommand), cl::sub(benchCommand), cl::sub(emitCommand),
                            cl::sub(buildCommand), cl::sub(explainCommand),
                            cl::desc("for --engine=vulkan, --target=vulkan-native: a number in "
                                     "the loader's list, or a part of a name (default: the best)"));

// ---- bench ----

cl::list<std::string> against("against", cl::value_desc("LIB,..."), cl::CommaSeparated,
                              cl::cat(runCategory), cl::sub(benchCommand),
                              cl::desc("whom to compare with (default: all)"));
cl::opt<std::string> json("json", cl::value_desc("FILE"), cl::cat(outCategory),
                          cl::sub(benchCommand),
                          cl::desc("the figures for machines; '-' is standard output"));
cl::opt<std::string> svg("svg", cl::value_desc("FILE"), cl::cat(outCategory), cl::sub(benchCommand),
                         cl::desc("a picture: the roofline, with everyone on it"));
cl::opt<Number<int>> rounds("rounds", cl::value_desc("N"), cl::init(7), cl::cat(runCategory),
                            cl::sub(benchCommand), cl::sub(tuneCommand),
                            cl::desc("how often everyone takes a turn (default: 7)"));
cl::opt<Number<double>> sampleSeconds("sample", cl::value_desc("SECONDS"), cl::init(0.02),
                                      cl::cat(runCategory), cl::sub(benchCommand),
                                      cl::sub(tuneCommand),
                                      cl::desc("how long a turn is at least (default: 0.02)"));
cl::opt<std::string> adapters("adapters", cl::value_desc("DIR"), cl::cat(runCategory),
                              cl::sub(benchCommand),
                              cl::desc("keep here what is compiled for the libraries"));

// ---- tune ----

cl::list<std::string> sizes("size", cl::value_desc("M,N=16,64,..."), cl::cat(runCategory),
                            cl::sub(tuneCommand),
                            cl::desc("sizes to measure at; those of one flag change together"));
cl::list<std::string> libraries("against", cl::value_desc("LIB,..."), cl::CommaSeparated,
                                cl::cat(runCategory), cl::sub(tuneCommand),
                                cl::desc("libraries to try (default: those installed), or none"));
cl::opt<bool> schedules("schedules", cl::init(true), cl::cat(runCategory), cl::sub(tuneCommand),
                        cl::desc("try schedules beside the model's (default: true)"));

// ---- query ----

cl::opt<std::string> iterations("iterations", cl::value_desc("m=0:8,k=0:K"), cl::cat(runCategory),
                                cl::desc("what do these iterations read and write?"),
                                cl::sub(queryCommand));
cl::opt<std::string> data("data", cl::value_desc("A[0:4, 2]"), cl::cat(runCategory),
                          cl::desc("which iterations touch these elements?"),
                          cl::sub(queryCommand));

// ---- opt ----

cl::opt<std::string> irFile(cl::Positional, cl::desc("FILE.eir"), cl::cat(whichCategory),
                            cl::Required, cl::sub(optCommand));
cl::opt<std::string> passes("passes", cl::value_desc("P,P{o=v},..."), cl::cat(selfCategory),
                            cl::desc("the passes to run"), cl::sub(optCommand));

// A request, or the exit code after a message.
int makeRequest(Request& request) {
  auto dimMap = parseDims(dims);
  auto attributeList = parseAssignments("attr", attributes);
  auto typeList = parseAssignments("type", types);
  if (!dimMap) return fail(kBadCommandLine, dimMap.reason());
  if (!attributeList) return fail(kBadCommandLine, attributeList.reason());
  if (!typeList) return fail(kBadCommandLine, typeList.reason());
  request.specs = specs;
  request.eir = eir;
  request.einsum = einsum;
  request.defs = defs;
  request.dims = *dimMap;
  request.attributes = {attributeList->begin(), attributeList->end()};
  request.types = {typeList->begin(), typeList->end()};
  request.targets = targets;
  request.threads = threads;
  request.fp = fp;
  request.strides = strides;
  request.align = align;
  request.schedule = schedule;
  request.lib = lib;
  request.tuning = tuning;
  request.device = device;
  request.verifyEach = verifyEach;
  request.plant = plant;
  return kSuccess;
}

int run() {
  Tracing tracing{printAfter, printAfterAll};
  if (explained.getNumOccurrences()) return explain(explained);
  if (optCommand) return opt({irFile, passes, output.empty() ? "-" : output.getValue(), tracing});
  if (einsum.getNumOccurrences() && einsum.empty())
    return fail(kBadCommandLine, "--einsum takes index letters, such as mk,kn->mn");
  if (int code = refusePlant(plant)) return code;
  Request request;
  if (int code = makeRequest(request)) return code;
  NamingOptions naming{name, prefix, plant, exports};
  if (checkCommand) return check(request, werror);
  if (emitCommand)
    return emit(request, {stage, output.empty() ? "-" : output.getValue(), naming, tracing});
  if (buildCommand)
    return build(request,
                 {output, naming, sourcesOnly, oneFile, shared, link, jobs, compiler, tracing});
  if (explainCommand) return explainSchedule(request, verbose);
  if (queryCommand) return query(request, {iterations, data});
  if (benchCommand)
    return bench(request, {against, json, svg, rounds, sampleSeconds, adapters, compiler, plant,
                           engine.getNumOccurrences() ? engine.getValue() : "native"});
  if (tuneCommand)
    return tune(request, {sizes, libraries, schedules, output.empty() ? "-" : output.getValue(),
                          rounds, sampleSeconds, compiler});
  return eval(request,
              {inputs, outputs, engine.getNumOccurrences() ? engine.getValue() : "reference",
               compiler, plant});
}

// What can be typed.
einc::command_line::Program program() {
  einc::command_line::Program program{
      "einc", kVersion, "tensor kernels, ahead of time, from specs in Einstein notation",
      einc::programTexts()};
  program.otherNames = einc::otherNames();
  for (cl::SubCommand* command :
       {&checkCommand, &buildCommand, &evalCommand, &benchCommand, &tuneCommand, &explainCommand,
        &queryCommand, &emitCommand, &optCommand}) {
    const std::string name = command->getName().str();
    program.commands.push_back(einc::command_line::readCommand(
        *command, {&whichCategory, &howCategory, &runCategory, &outCategory, &selfCategory},
        knownValues(name), einc::commandTexts().at(name)));
  }
  return program;
}

}  // namespace

int main(int argc, char** argv) { return einc::command_line::runMain(program(), argc, argv, run); }
