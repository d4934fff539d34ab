def Conv2DNhwcHwcfOp : LinalgNamedStructured_Op<"conv_2d_nhwc_hwcf", [
  NInputs<2>,
  NOutputs<1>,
  NamedStructuredOpTrait]> {
  let summary = [{ Convolution of I with the window K, accumulated into O. }];
  let description = [{
    I may be larger than what O needs: the rest of it is not read. Strides are those of the window over
    I, dilations those inside the window.
  }];
  let arguments = (ins
    Variadic<AnyShaped>:$inputs,
    Variadic<AnyShaped>:$outputs,
    DefaultValuedOptionalAttr<RankedI64ElementsAttr<[2]>, "{ static_cast<int64_t>(1), static_cast<int64_t>(1) }">:$dilations,
    DefaultValuedOptionalAttr<RankedI64ElementsAttr<[2]>, "{ static_cast<int64_t>(1), static_cast<int64_t>(1) }">:$strides);
  let results = (outs Variadic<AnyRankedTensor>:$result_tensors);
  let regions = (region AnyRegion:$region);
  let builders = [
    OpBuilder<(ins "TypeRange":$resultTensorTypes, "ValueRange":$inputs, "ValueRange":$outputs, "Attribute":$dilations, "Attribute":$strides),
    [{
      $_state.addOperands(inputs);
      $_state.addOperands(outputs);
      $_state.addTypes(resultTensorTypes);
      $_state.addAttribute("operand_segment_sizes", $_builder.getI32VectorAttr({
          static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outputs.size())}));
      buildNamedStructuredOpRegionAndAttributes<Conv2DNhwcHwcfOp>($_builder, $_state, TypeRange(inputs), TypeRange(outputs));
      $_state.addAttribute("dilations", dilations);
      $_state.addAttribute("strides", strides);
    }]>
  ];
  let extraClassDeclaration = [{
    std::optional<SmallVector<StringRef, 8>> referenceIterators();
    std::optional<SmallVector<AffineMap, 8>> referenceIndexingMaps();
    static void regionBuilder(ArrayRef<BlockArgument> args);
  }];
}

