def MatmulOp : LinalgNamedStructured_Op<"matmul", [
  NInputs<2>,
  NOutputs<1>,
  NamedStructuredOpTrait,
  LinalgContractionOpInterface]> {
  let summary = [{ C += A B. }];
  let arguments = (ins
    Variadic<AnyShaped>:$inputs,
    Variadic<AnyShaped>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$result_tensors);
  let regions = (region AnyRegion:$region);
  let extraClassDeclaration = [{
    std::optional<SmallVector<StringRef, 8>> referenceIterators();
    std::optional<SmallVector<AffineMap, 8>> referenceIndexingMaps();
    static void regionBuilder(ArrayRef<BlockArgument> args);
  }];
}

