def conv_2d_nhwc_hwcfOp : LinalgNamedStructured_Op<"conv_2d_nhwc_hwcf", [NInputs<2>, NOutputs<1>, NamedStructuredOpTrait]> {
  let summary = [{ 2-D convolution, channels last. }];
  let description = [{
2-D convolution, channels last.
  }];
  let arguments = (ins Variadic<AnyShaped>:$inputs, Variadic<AnyShaped>:$outputs, RankedI64ElementsAttr<[2]>:$strides, RankedI64ElementsAttr<[2]>:$dilations);
  let results = (outs Variadic<AnyRankedTensor>:$result_tensors);
  let extraClassDeclaration = [{
    llvm::Optional<SmallVector<StringRef, 8>> referenceIterators();
    llvm::Optional<SmallVector<AffineMap, 8>> referenceIndexingMaps();
    static void regionBuilder(ArrayRef<BlockArgument> args);
  }];
}
