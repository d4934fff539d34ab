// softmax
// Y = e^X, each row divided by its sum.
func.func @softmax(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %M = memref.dim %X, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %Largest = memref.alloc(%M) : memref<?xf32>
  %c1 = arith.constant 1 : index
  %N = memref.dim %X, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %E = memref.alloc(%M, %N) : memref<?x?xf32>
  %Total = memref.alloc(%M) : memref<?xf32>
  // op (m: parallel) outs(%Largest[m]) { (largest) -> -inf_f32 }
  linalg.generic {
      indexing_maps = [
          affine_map<(m) -> (m)>],
      iterator_types = ["parallel"]
  } outs(%Largest : memref<?xf32>) {
  ^bb0(%largest: f32):
    %cst = arith.constant 0xFF800000 : f32
    linalg.yield %cst : f32
  }
  // op (m: parallel, n: reduction) ins(%X[m, n]) outs(%Largest[m]) { (x, largest) -> max(largest, x) }
  linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]
  } ins(%X : memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%Largest : memref<?xf32>) {
  ^bb0(%x: f32, %largest_1: f32):
    %max = arith.maximumf %largest_1, %x : f32
    linalg.yield %max : f32
  }
  // op (m: parallel, n: parallel) ins(%X[m, n], %Largest[m]) outs(%E[m, n]) { (x, largest, e) -> exp(sub(x, largest)) }
  linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>,
          affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]
  } ins(%X, %Largest : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?xf32>) outs(%E : memref<?x?xf32>) {
  ^bb0(%x_1: f32, %largest_2: f32, %e: f32):
    %sub = arith.subf %x_1, %largest_2 : f32
    %exp = math.exp %sub : f32
    linalg.yield %exp : f32
  }
  // op (m: parallel) outs(%Total[m]) { (total) -> 0.0_f32 }
  linalg.generic {
      indexing_maps = [
          affine_map<(m) -> (m)>],
      iterator_types = ["parallel"]
  } outs(%Total : memref<?xf32>) {
  ^bb0(%total: f32):
    %cst_1 = arith.constant 0.0 : f32
    linalg.yield %cst_1 : f32
  }
  // op (m: parallel, n: reduction) ins(%E[m, n]) outs(%Total[m]) { (e, total) -> add(total, e) }
  linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]
  } ins(%E : memref<?x?xf32>) outs(%Total : memref<?xf32>) {
  ^bb0(%e_1: f32, %total_1: f32):
    %add = arith.addf %total_1, %e_1 : f32
    linalg.yield %add : f32
  }
  // op (m: parallel, n: parallel) ins(%E[m, n], %Total[m]) outs(%Y[m, n]) { (e, total, y) -> div(e, total) }
  linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>,
          affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]
  } ins(%E, %Total : memref<?x?xf32>, memref<?xf32>) outs(%Y : memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  ^bb0(%e_2: f32, %total_2: f32, %y: f32):
    %div = arith.divf %e_2, %total_2 : f32
    linalg.yield %div : f32
  }
  memref.dealloc %Largest : memref<?xf32>
  memref.dealloc %E : memref<?x?xf32>
  memref.dealloc %Total : memref<?xf32>
  return
}

func.func @softmax_on_tensors(%X: tensor<?x?xf32>, %Y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %M = tensor.dim %X, %c0 : tensor<?x?xf32>
  %Largest = tensor.empty(%M) : tensor<?xf32>
  %c1 = arith.constant 1 : index
  %N = tensor.dim %X, %c1 : tensor<?x?xf32>
  %E = tensor.empty(%M, %N) : tensor<?x?xf32>
  %Total = tensor.empty(%M) : tensor<?xf32>
  // op (m: parallel) outs(%Largest[m]) { (largest) -> -inf_f32 }
  %Largest_1 = linalg.generic {
      indexing_maps = [
          affine_map<(m) -> (m)>],
      iterator_types = ["parallel"]
  } outs(%Largest : tensor<?xf32>) {
  ^bb0(%largest: f32):
    %cst = arith.constant 0xFF800000 : f32
    linalg.yield %cst : f32
  } -> tensor<?xf32>
  // op (m: parallel, n: reduction) ins(%X[m, n]) outs(%Largest[m]) { (x, largest) -> max(largest, x) }
  %Largest_2 = linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]
  } ins(%X : tensor<?x?xf32>) outs(%Largest_1 : tensor<?xf32>) {
  ^bb0(%x: f32, %largest_1: f32):
    %max = arith.maximumf %largest_1, %x : f32
    linalg.yield %max : f32
  } -> tensor<?xf32>
  // op (m: parallel, n: parallel) ins(%X[m, n], %Largest[m]) outs(%E[m, n]) { (x, largest, e) -> exp(sub(x, largest)) }
  %E_1 = linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>,
          affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]
  } ins(%X, %Largest_2 : tensor<?x?xf32>, tensor<?xf32>) outs(%E : tensor<?x?xf32>) {
  ^bb0(%x_1: f32, %largest_2: f32, %e: f32):
    %sub = arith.subf %x_1, %largest_2 : f32
    %exp = math.exp %sub : f32
    linalg.yield %exp : f32
  } -> tensor<?x?xf32>
  // op (m: parallel) outs(%Total[m]) { (total) -> 0.0_f32 }
  %Total_1 = linalg.generic {
      indexing_maps = [
          affine_map<(m) -> (m)>],
      iterator_types = ["parallel"]
  } outs(%Total : tensor<?xf32>) {
  ^bb0(%total: f32):
    %cst_1 = arith.constant 0.0 : f32
    linalg.yield %cst_1 : f32
  } -> tensor<?xf32>
  // op (m: parallel, n: reduction) ins(%E[m, n]) outs(%Total[m]) { (e, total) -> add(total, e) }
  %Total_2 = linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]
  } ins(%E_1 : tensor<?x?xf32>) outs(%Total_1 : tensor<?xf32>) {
  ^bb0(%e_1: f32, %total_1: f32):
    %add = arith.addf %total_1, %e_1 : f32
    linalg.yield %add : f32
  } -> tensor<?xf32>
  // op (m: parallel, n: parallel) ins(%E[m, n], %Total[m]) outs(%Y[m, n]) { (e, total, y) -> div(e, total) }
  %Y_1 = linalg.generic {
      indexing_maps = [
          affine_map<(m, n) -> (m, n)>,
          affine_map<(m, n) -> (m)>,
          affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]
  } ins(%E_1, %Total_2 : tensor<?x?xf32>, tensor<?xf32>) outs(%Y : tensor<?x?xf32>) {
  ^bb0(%e_2: f32, %total_2: f32, %y: f32):
    %div = arith.divf %e_2, %total_2 : f32
    linalg.yield %div : f32
  } -> tensor<?x?xf32>
  return %Y_1 : tensor<?x?xf32>
}
