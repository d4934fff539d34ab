// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the op definitions of `einc emit --stage=ods` include: as much of MLIR's TableGen classes as
// mlir-tblgen reads to make declarations and definitions of ops. Debian's mlir-19-tools brings the
// tool without MLIR's .td files. Field names are the tool's; everything else is as small as it can
// be. The real classes are in OpBase.td.

// ---- Constraints ----

class Pred;
class CPred<code pred> : Pred {
  code predExpr = "(" # pred # ")";
}
class Constraint<Pred pred, string text> {
  Pred predicate = pred;
  string summary = text;
}
class TypeConstraint<Pred pred, string text, string cppType> : Constraint<pred, text> {
  string cppClassName = cppType;
}
class Type<string test, string text, string cppType = "::mlir::Type">
    : TypeConstraint<CPred<test>, text, cppType> {
  string description = "";
  string builderCall = "";
}
class Variadic<Type type> : TypeConstraint<type.predicate, type.summary, type.cppClassName> {
  Type baseType = type;
  int minSize = 0;
}
class RegionConstraint<Pred pred, string text> : Constraint<pred, text>;
class Region<Pred pred, string text> : RegionConstraint<pred, text>;

def AnyType : Type<"true", "any type">;
def AnyShaped : Type<"::llvm::isa<::mlir::ShapedType>($_self)", "shaped", "::mlir::ShapedType">;
def AnyRankedTensor : Type<"::llvm::isa<::mlir::RankedTensorType>($_self)", "ranked tensor",
                           "::mlir::RankedTensorType">;
def AnyRegion : Region<CPred<"true">, "any region">;

class FloatType<int width> : Type<"$_self.isF" # width # "()", width # "-bit float", "::mlir::FloatType"> {
  int bitwidth = width;
}
def F16 : FloatType<16>;
def F32 : FloatType<32>;
def F64 : FloatType<64>;

// ---- Attributes ----

class AttrConstraint<Pred pred, string text> : Constraint<pred, text>;
class Attr<Pred pred, string text> : AttrConstraint<pred, text> {
  code storageType = "::mlir::Attribute";
  code returnType = "::mlir::Attribute";
  code convertFromStorage = "$_self.getValue()";
  string constBuilderCall = ?;
  string defaultValue = ?;
  Type valueType = ?;
  bit isOptional = 0;
  Attr baseAttr = ?;
  string cppNamespace = "";
  string description = "";
}
class StoredAttr<string storage, string returned, string text>
    : Attr<CPred<"::llvm::isa<" # storage # ">($_self)">, text> {
  let storageType = storage;
  let returnType = returned;
  let constBuilderCall = "build(" # "$_builder, $0)";
}

class IntegerAttrOf<string returned, string text> : StoredAttr<"::mlir::IntegerAttr", returned, text>;
def BoolAttr : StoredAttr<"::mlir::BoolAttr", "bool", "bool">;
def I8Attr : IntegerAttrOf<"uint8_t", "i8">;
def I16Attr : IntegerAttrOf<"uint16_t", "i16">;
def I32Attr : IntegerAttrOf<"uint32_t", "i32">;
def I64Attr : IntegerAttrOf<"uint64_t", "i64">;
def UI8Attr : IntegerAttrOf<"uint8_t", "ui8">;
def UI16Attr : IntegerAttrOf<"uint16_t", "ui16">;
def UI32Attr : IntegerAttrOf<"uint32_t", "ui32">;
def UI64Attr : IntegerAttrOf<"uint64_t", "ui64">;
class FloatAttrBase<FloatType type, string text>
    : StoredAttr<"::mlir::FloatAttr", "::llvm::APFloat", text> {
  Type element = type;
}
def F32Attr : FloatAttrBase<F32, "f32">;
def F64Attr : FloatAttrBase<F64, "f64">;

class ElementsAttr<string storage, string element, list<int> dims>
    : StoredAttr<storage, storage, element # " elements of shape [" # !interleave(dims, ", ") # "]"> {
  let convertFromStorage = "$_self";
}
class RankedSignlessIntElementsAttr<int width, list<int> dims>
    : ElementsAttr<"::mlir::DenseIntElementsAttr", "i" # width, dims>;
class RankedFloatElementsAttr<int width, list<int> dims>
    : ElementsAttr<"::mlir::DenseFPElementsAttr", "f" # width, dims>;
class RankedI32ElementsAttr<list<int> dims> : RankedSignlessIntElementsAttr<32, dims>;
class RankedI64ElementsAttr<list<int> dims> : RankedSignlessIntElementsAttr<64, dims>;
class RankedF32ElementsAttr<list<int> dims> : RankedFloatElementsAttr<32, dims>;
class RankedF64ElementsAttr<list<int> dims> : RankedFloatElementsAttr<64, dims>;

class TypedArrayAttrBase<Attr element, string text>
    : StoredAttr<"::mlir::ArrayAttr", "::mlir::ArrayAttr", text> {
  Attr elementAttr = element;
  let convertFromStorage = "$_self";
}
def BoolArrayAttr : TypedArrayAttrBase<BoolAttr, "array of bool">;
def I32ArrayAttr : TypedArrayAttrBase<I32Attr, "array of i32">;
def I64ArrayAttr : TypedArrayAttrBase<I64Attr, "array of i64">;
def F32ArrayAttr : TypedArrayAttrBase<F32Attr, "array of f32">;
def F64ArrayAttr : TypedArrayAttrBase<F64Attr, "array of f64">;

class BasedOn<Attr base> : Attr<base.predicate, base.summary> {
  let storageType = base.storageType;
  let returnType = base.returnType;
  let convertFromStorage = base.convertFromStorage;
  let constBuilderCall = base.constBuilderCall;
  let baseAttr = base;
}
class OptionalAttr<Attr base> : BasedOn<base> {
  let returnType = "::std::optional<" # base.returnType # ">";
  let convertFromStorage = "$_self ? " # returnType # "(" # base.convertFromStorage # ") : std::nullopt";
  let isOptional = 1;
}
class DefaultValuedOptionalAttr<Attr base, string value> : BasedOn<base> {
  let defaultValue = value;
  let isOptional = 1;
}

// ---- Ops ----

class Dialect {
  string name = ?;
  string summary = "";
  string description = "";
  list<string> dependentDialects = [];
  code extraClassDeclaration = "";
  string cppNamespace = ?;
  bit usePropertiesForAttributes = 1;
  bit hasOperationAttrVerify = 0;
}
class Trait {
  list<Trait> dependentTraits = [];
}
class NativeTrait<string name, string namespace = "::mlir::OpTrait"> : Trait {
  string trait = name;
  string cppNamespace = namespace;
  code extraConcreteClassDeclaration = "";
  code extraConcreteClassDefinition = "";
}
class OpBuilder<dag parameters, code text = ""> {
  dag dagParams = parameters;
  code body = text;
  string odsCppDeprecated = ?;
}
class OpDocGroup;
def ins;
def outs;
def region;
def successor;

class Op<Dialect dialect, string mnemonic, list<Trait> itsTraits> {
  Dialect opDialect = dialect;
  string opName = mnemonic;
  string cppNamespace = dialect.cppNamespace;
  string summary = "";
  string description = "";
  OpDocGroup opDocGroup = ?;
  dag arguments = (ins);
  dag results = (outs);
  dag regions = (region);
  dag successors = (successor);
  list<OpBuilder> builders = ?;
  bit skipDefaultBuilders = 0;
  string assemblyFormat = ?;
  bit hasCustomAssemblyFormat = 0;
  bit hasVerifier = 0;
  bit hasRegionVerifier = 0;
  bit hasCanonicalizer = 0;
  bit hasCanonicalizeMethod = 0;
  bit hasFolder = 0;
  bit useCustomPropertiesEncoding = 0;
  list<Trait> traits = itsTraits;
  code extraClassDeclaration = ?;
  code extraClassDefinition = ?;
}

// ---- What Linalg adds, in the form of its document ----

def Linalg_Dialect : Dialect {
  let name = "linalg";
  let cppNamespace = "::mlir::linalg";
}
def AttrSizedOperandSegments : NativeTrait<"AttrSizedOperandSegments">;
class NInputs<int n> : NativeTrait<"NInputs<" # n # ">::Impl">;
class NOutputs<int n> : NativeTrait<"NOutputs<" # n # ">::Impl">;
def NamedStructuredOpTrait : NativeTrait<"linalg::NamedStructuredOpTrait">;
def LinalgContractionOpInterface : NativeTrait<"ContractionOpInterface::Trait", "::mlir::linalg">;
def LinalgConvolutionOpInterface : NativeTrait<"ConvolutionOpInterface::Trait", "::mlir::linalg">;

class LinalgNamedStructured_Op<string mnemonic, list<Trait> itsTraits>
    : Op<Linalg_Dialect, mnemonic, !listconcat([AttrSizedOperandSegments], itsTraits)>;

// ---- What the output of mlir-linalg-ods-yaml-gen includes ----

class CArg<string cppType, string value = ""> {
  string type = cppType;
  string defaultValue = value;
}
class LinalgStructuredBase_Op<string mnemonic, list<Trait> itsTraits>
    : Op<Linalg_Dialect, mnemonic, itsTraits>;
defvar structuredOpsBaseDecls = "";
