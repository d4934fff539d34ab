// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tools/einc_texts.h"

namespace einc {

using command_line::Texts;

const Texts& programTexts() {
  static const Texts texts = {
      {"Einc reads specs of tensor operations in Einstein notation and makes kernels of them: C "
       "for "
       "CPUs, shaders for GPUs. A spec is a file with one or more defs, and each def becomes a "
       "function. '-' as a file is standard input or standard output."},
      {{"einc check matmul.tc", "Is the spec good?"},
       {"einc build matmul.tc -o out", "Make out/libmatmul.a, out/matmul.h and out/matmul.json."},
       {"einc bench matmul.tc --def matmul --dim M=512 --dim N=512 --dim K=512",
        "How fast is it, beside other libraries?"}}};
  return texts;
}

const std::map<std::string, Texts>& commandTexts() {
  static const std::map<std::string, Texts> texts = {
      {"check",
       {{"Prints errors and warnings on standard error. On standard output it prints what is known "
         "of each def: which accesses stay inside their tensors under which sizes, which elements "
         "are written, how large sums can become."},
        {{"einc check matmul.tc", "All defs of a spec."},
         {"einc check --explain=unused", "What a warning means, with an example."}}}},
      {"emit",
       {{"The stages follow each other in the order in which --stage lists them; c and header are "
         "what build compiles."},
        {{"einc emit --stage=c --target=x86-64-v3 matmul.tc --def matmul",
          "The C code of one def for one machine."},
         {"einc emit --stage=schedule matmul.tc --def matmul",
          "What the compiler chose. Edit it and give it back with --schedule."}}}},
      {"build",
       {{"Writes libNAME.a, NAME.h and NAME.json (the manifest: functions, arguments, sizes) into "
         "the folder. NAME is the spec's file name without its ending, or what --name says; "
         "several "
         "specs need --name. The library holds code for several levels of CPU, and picks one when "
         "it runs."},
        {{"einc build matmul.tc -o out", "Make out/libmatmul.a, out/matmul.h, out/matmul.json."},
         {"einc build conv.tc pool.tc --name net --target=native -o out",
          "Two specs in one library, for this machine alone."}}}},
      {"eval",
       {{"Reads inputs from .npy files, computes, and writes outputs or prints them. The reference "
         "engine is a slow interpreter that is easy to trust; native compiles and runs the "
         "kernel."},
        {{"einc eval matmul.tc --def matmul --in A=a.npy --in B=b.npy --out C=c.npy",
          "Compute a product."}}}},
      {"query",
       {{"Answers questions about accesses of one def, for given iterations or given data."},
        {{"einc query matmul.tc --def matmul --iterations m=0:8",
          "Which elements do the first eight rows read and write?"},
         {"einc query matmul.tc --def matmul --data 'A[0:4, 2]'",
          "Which iterations touch these elements?"}}}},
      {"bench",
       {{"Everyone computes the same problem in turn, in one run, and results are compared. Times "
         "are medians; the table shows the bound of the machine, too."},
        {{"einc bench matmul.tc --def matmul --dim M=512 --dim N=512 --dim K=512",
          "One def at one size."},
         {"einc bench --einsum 'acd,db->cba' --dim a=8 --dim b=64 --dim c=32 --dim d=64",
          "An einsum. The quotes keep the shell from reading > as a redirection."}}}},
      {"explain",
       {{"Says for each op of a def how it is computed on each target, and why."},
        {{"einc explain matmul.tc --def matmul --target=native", "One def on this machine."}}}},
      {"tune",
       {{"Tries schedules beside the one that the model chooses, and libraries, at the sizes "
         "given, "
         "and writes what was fastest to a file for --tuning. It says at its start how long that "
         "takes. When it is interrupted (Ctrl-C), it writes what is finished."},
        {{"einc tune matmul.tc --def matmul --size M,N,K=512 -o tuning.json",
          "One def at one size."},
         {"einc build matmul.tc --tuning tuning.json --target=native -o out",
          "Build with what was found."}}}},
      {"opt",
       {{"For those who work on einc: reads IR text, runs the passes given, prints IR text."},
        {{"einc opt matmul.eir --passes=fuse", "Run one pass."}}}},
  };
  return texts;
}

const std::map<std::string, std::string>& otherNames() {
  static const std::map<std::string, std::string> names = {
      {"output", "o"},     {"out", "o"},        {"outdir", "o"},      {"jobs", "j"},
      {"compiler", "cc"},  {"march", "target"}, {"mcpu", "target"},   {"arch", "target"},
      {"function", "def"}, {"kernel", "def"},   {"lib-name", "name"}, {"size", "dim"},
      {"param", "attr"},   {"dtype", "type"},   {"blas", "lib"}};
  return names;
}

}  // namespace einc
