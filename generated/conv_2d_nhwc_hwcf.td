def conv_2d_nhwc_hwcfOp : LinalgNamedStructured_Op<"conv_2d_nhwc_hwcf", [NInputs<2>, NOutputs<1>, NamedStructuredOpTrait]> {
  let summary = [{ Convolution of I with the window K, accumulated into O. }];
  let description = [{
Convolution of I with the window K, accumulated into O.

I may be larger than what O needs: the rest of it is not read. Strides are those of the window over
I, dilations those inside the window.
  }];
  let arguments = (ins Variadic<AnyShaped>:$inputs, Variadic<AnyShaped>:$outputs, RankedI64ElementsAttr<[2]>:$strides, RankedI64ElementsAttr<[2]>:$dilations);
  let results = (outs Variadic<AnyRankedTensor>:$result_tensors);
  let extraClassDeclaration = [{
    llvm::Optional<SmallVector<StringRef, 8>> referenceIterators();
    llvm::Optional<SmallVector<AffineMap, 8>> referenceIndexingMaps();
    static void regionBuilder(ArrayRef<BlockArgument> args);
  }];
}
