// conv_2d_nhwc_hwcf_padded
// 2-D convolution, channels last; beyond its edges, I reads as 0. I begins padding[0] rows and
// padding[1] columns into the window's range.
func.func @conv_2d_nhwc_hwcf_padded(%I: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>, %K: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>, %O: memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>, %strides: !llvm.ptr, %dilations: !llvm.ptr, %padding: !llvm.ptr) attributes {llvm.emit_c_interface} {
  %null = llvm.mlir.zero : !llvm.ptr
  %given = llvm.icmp "ne" %strides, %null : !llvm.ptr
  %c1_i64 = arith.constant 1 : i64
  %strides_0 = scf.if %given -> (i64) {
    %address = llvm.getelementptr %strides[0] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded = llvm.load %address : !llvm.ptr -> i64
    scf.yield %loaded : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_strides = arith.index_cast %strides_0 : i64 to index
  %given_1 = llvm.icmp "ne" %dilations, %null : !llvm.ptr
  %dilations_0 = scf.if %given_1 -> (i64) {
    %address_1 = llvm.getelementptr %dilations[0] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_1 = llvm.load %address_1 : !llvm.ptr -> i64
    scf.yield %loaded_1 : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_dilations = arith.index_cast %dilations_0 : i64 to index
  %given_2 = llvm.icmp "ne" %padding, %null : !llvm.ptr
  %c0_i64 = arith.constant 0 : i64
  %padding_0 = scf.if %given_2 -> (i64) {
    %address_2 = llvm.getelementptr %padding[0] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_2 = llvm.load %address_2 : !llvm.ptr -> i64
    scf.yield %loaded_2 : i64
  } else {
    scf.yield %c0_i64 : i64
  }
  %index_of_padding = arith.index_cast %padding_0 : i64 to index
  %strides_1 = scf.if %given -> (i64) {
    %address_3 = llvm.getelementptr %strides[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_3 = llvm.load %address_3 : !llvm.ptr -> i64
    scf.yield %loaded_3 : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_strides_1 = arith.index_cast %strides_1 : i64 to index
  %dilations_1 = scf.if %given_1 -> (i64) {
    %address_4 = llvm.getelementptr %dilations[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_4 = llvm.load %address_4 : !llvm.ptr -> i64
    scf.yield %loaded_4 : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_dilations_1 = arith.index_cast %dilations_1 : i64 to index
  %padding_1 = scf.if %given_2 -> (i64) {
    %address_5 = llvm.getelementptr %padding[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_5 = llvm.load %address_5 : !llvm.ptr -> i64
    scf.yield %loaded_5 : i64
  } else {
    scf.yield %c0_i64 : i64
  }
  %index_of_padding_1 = arith.index_cast %padding_1 : i64 to index
  %c1 = arith.constant 1 : index
  %IH = memref.dim %I, %c1 : memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>
  %c2 = arith.constant 2 : index
  %IW = memref.dim %I, %c2 : memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>
  // op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0] - padding[0], ow * strides[1] + kw * dilations[1] - padding[1], c] pad 0.0_f32, %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
  linalg.generic {
      indexing_maps = [
          affine_map<(n, oh, ow, f, kh, kw, c) -> (kh, kw, c, f)>,
          affine_map<(n, oh, ow, f, kh, kw, c) -> (n, oh, ow, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%K : memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>) outs(%O : memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>) {
  ^bb0(%k: f32, %o: f32):
    %n = linalg.index 0 : index
    %oh = linalg.index 1 : index
    %index = arith.muli %oh, %index_of_strides : index
    %kh = linalg.index 4 : index
    %index_1 = arith.muli %kh, %index_of_dilations : index
    %index_2 = arith.addi %index, %index_1 : index
    %index_3 = arith.subi %index_2, %index_of_padding : index
    %ow = linalg.index 2 : index
    %index_4 = arith.muli %ow, %index_of_strides_1 : index
    %kw = linalg.index 5 : index
    %index_5 = arith.muli %kw, %index_of_dilations_1 : index
    %index_6 = arith.addi %index_4, %index_5 : index
    %index_7 = arith.subi %index_6, %index_of_padding_1 : index
    %c = linalg.index 6 : index
    %c0 = arith.constant 0 : index
    %inside = arith.cmpi sge, %index_3, %c0 : index
    %inside_1 = arith.cmpi slt, %index_3, %IH : index
    %inside_2 = arith.andi %inside, %inside_1 : i1
    %inside_3 = arith.cmpi sge, %index_7, %c0 : index
    %inside_4 = arith.andi %inside_2, %inside_3 : i1
    %inside_5 = arith.cmpi slt, %index_7, %IW : index
    %inside_6 = arith.andi %inside_4, %inside_5 : i1
    %cst = arith.constant 0.0 : f32
    %i = scf.if %inside_6 -> (f32) {
      %i_1 = memref.load %I[%n, %index_3, %index_7, %c] : memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>
      scf.yield %i_1 : f32
    } else {
      scf.yield %cst : f32
    }
    %mul = arith.mulf %i, %k : f32
    %add = arith.addf %o, %mul : f32
    linalg.yield %add : f32
  }
  return
}

func.func @conv_2d_nhwc_hwcf_padded_on_tensors(%I: tensor<?x?x?x?xf32>, %K: tensor<?x?x?x?xf32>, %O: tensor<?x?x?x?xf32>, %strides: !llvm.ptr, %dilations: !llvm.ptr, %padding: !llvm.ptr) -> tensor<?x?x?x?xf32> {
  %null = llvm.mlir.zero : !llvm.ptr
  %given = llvm.icmp "ne" %strides, %null : !llvm.ptr
  %c1_i64 = arith.constant 1 : i64
  %strides_0 = scf.if %given -> (i64) {
    %address = llvm.getelementptr %strides[0] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded = llvm.load %address : !llvm.ptr -> i64
    scf.yield %loaded : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_strides = arith.index_cast %strides_0 : i64 to index
  %given_1 = llvm.icmp "ne" %dilations, %null : !llvm.ptr
  %dilations_0 = scf.if %given_1 -> (i64) {
    %address_1 = llvm.getelementptr %dilations[0] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_1 = llvm.load %address_1 : !llvm.ptr -> i64
    scf.yield %loaded_1 : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_dilations = arith.index_cast %dilations_0 : i64 to index
  %given_2 = llvm.icmp "ne" %padding, %null : !llvm.ptr
  %c0_i64 = arith.constant 0 : i64
  %padding_0 = scf.if %given_2 -> (i64) {
    %address_2 = llvm.getelementptr %padding[0] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_2 = llvm.load %address_2 : !llvm.ptr -> i64
    scf.yield %loaded_2 : i64
  } else {
    scf.yield %c0_i64 : i64
  }
  %index_of_padding = arith.index_cast %padding_0 : i64 to index
  %strides_1 = scf.if %given -> (i64) {
    %address_3 = llvm.getelementptr %strides[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_3 = llvm.load %address_3 : !llvm.ptr -> i64
    scf.yield %loaded_3 : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_strides_1 = arith.index_cast %strides_1 : i64 to index
  %dilations_1 = scf.if %given_1 -> (i64) {
    %address_4 = llvm.getelementptr %dilations[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_4 = llvm.load %address_4 : !llvm.ptr -> i64
    scf.yield %loaded_4 : i64
  } else {
    scf.yield %c1_i64 : i64
  }
  %index_of_dilations_1 = arith.index_cast %dilations_1 : i64 to index
  %padding_1 = scf.if %given_2 -> (i64) {
    %address_5 = llvm.getelementptr %padding[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %loaded_5 = llvm.load %address_5 : !llvm.ptr -> i64
    scf.yield %loaded_5 : i64
  } else {
    scf.yield %c0_i64 : i64
  }
  %index_of_padding_1 = arith.index_cast %padding_1 : i64 to index
  %c1 = arith.constant 1 : index
  %IH = tensor.dim %I, %c1 : tensor<?x?x?x?xf32>
  %c2 = arith.constant 2 : index
  %IW = tensor.dim %I, %c2 : tensor<?x?x?x?xf32>
  // op (n: parallel, oh: parallel, ow: parallel, f: parallel, kh: reduction, kw: reduction, c: reduction) ins(%I[n, oh * strides[0] + kh * dilations[0] - padding[0], ow * strides[1] + kw * dilations[1] - padding[1], c] pad 0.0_f32, %K[kh, kw, c, f]) outs(%O[n, oh, ow, f]) { (i, k, o) -> add(o, mul(i, k)) }
  %O_1 = linalg.generic {
      indexing_maps = [
          affine_map<(n, oh, ow, f, kh, kw, c) -> (kh, kw, c, f)>,
          affine_map<(n, oh, ow, f, kh, kw, c) -> (n, oh, ow, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%K : tensor<?x?x?x?xf32>) outs(%O : tensor<?x?x?x?xf32>) {
  ^bb0(%k: f32, %o: f32):
    %n = linalg.index 0 : index
    %oh = linalg.index 1 : index
    %index = arith.muli %oh, %index_of_strides : index
    %kh = linalg.index 4 : index
    %index_1 = arith.muli %kh, %index_of_dilations : index
    %index_2 = arith.addi %index, %index_1 : index
    %index_3 = arith.subi %index_2, %index_of_padding : index
    %ow = linalg.index 2 : index
    %index_4 = arith.muli %ow, %index_of_strides_1 : index
    %kw = linalg.index 5 : index
    %index_5 = arith.muli %kw, %index_of_dilations_1 : index
    %index_6 = arith.addi %index_4, %index_5 : index
    %index_7 = arith.subi %index_6, %index_of_padding_1 : index
    %c = linalg.index 6 : index
    %c0 = arith.constant 0 : index
    %inside = arith.cmpi sge, %index_3, %c0 : index
    %inside_1 = arith.cmpi slt, %index_3, %IH : index
    %inside_2 = arith.andi %inside, %inside_1 : i1
    %inside_3 = arith.cmpi sge, %index_7, %c0 : index
    %inside_4 = arith.andi %inside_2, %inside_3 : i1
    %inside_5 = arith.cmpi slt, %index_7, %IW : index
    %inside_6 = arith.andi %inside_4, %inside_5 : i1
    %cst = arith.constant 0.0 : f32
    %i = scf.if %inside_6 -> (f32) {
      %i_1 = tensor.extract %I[%n, %index_3, %index_7, %c] : tensor<?x?x?x?xf32>
      scf.yield %i_1 : f32
    } else {
      scf.yield %cst : f32
    }
    %mul = arith.mulf %i, %k : f32
    %add = arith.addf %o, %mul : f32
    linalg.yield %add : f32
  } -> tensor<?x?x?x?xf32>
  return %O_1 : tensor<?x?x?x?xf32>
}
