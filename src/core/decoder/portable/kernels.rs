//! Operations that a GPU computes in one pass over memory, by this program's kernels or one cuBLAS call; elsewhere the
//! equivalent tensor operations.

use candle_core::{DType, Result, Tensor};
use candle_nn::rotary_emb;

use crate::decoder::spec::Activation;

#[cfg(feature = "cuda")]
mod gpu;

/// `softmax(cap * tanh(scores) + mask)` over the last dimension of f32 scores `(_, _, width)`, rounded to `dtype`; the
/// rows of the mask `(queries, width)` repeat cyclically. Without a cap there is no tanh.
pub(super) fn softmax(scores: &Tensor, mask: Option<&Tensor>, cap: Option<f32>, dtype: DType) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if scores.device().is_cuda() {
        return gpu::softmax(scores, mask, cap, dtype);
    }
    let mut masked = match cap {
        None => scores.clone(),
        Some(cap) => scores.tanh()?.affine(f64::from(cap), 0.0)?,
    };
    if let Some(mask) = mask {
        let (queries, width) = mask.dims2()?;
        masked = masked.reshape(((), queries, width))?.broadcast_add(mask)?;
    }
    candle_nn::ops::softmax_last_dim(&masked)?.reshape(scores.shape())?.to_dtype(dtype)
}

/// Heads `(tokens, heads, size)`, each token's rotated by its angles `(tokens, 1, pairs)`, in f32 and rounded once to
/// `dtype`. The two columns of a pair are adjacent, or `pairs` columns apart; columns after all pairs are unchanged.
/// Rows may have other columns between them.
pub(super) fn rotate(x: &Tensor, cos: &Tensor, sin: &Tensor, side_by_side: bool, dtype: DType) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if x.device().is_cuda() {
        return gpu::rotate(x, cos, sin, side_by_side, dtype);
    }
    let (tokens, heads, size) = x.dims3()?;
    let (x, width) = (x.to_dtype(DType::F32)?, 2 * cos.dim(2)?);
    let first = x.narrow(2, 0, width)?;
    // Each token is a batch of one position, with its own angles.
    let turned = match side_by_side {
        true => rotary_emb::rope_i(&first.reshape((tokens, heads, 1, width))?, cos, sin)?,
        false => rotary_emb::rope_thd(&first.reshape((tokens, 1, heads, width))?, cos, sin)?,
    };
    let turned = turned.reshape((tokens, heads, width))?;
    Tensor::cat(&[turned, x.narrow(2, width, size - width)?], 2)?.to_dtype(dtype)
}

/// The same values, contiguous.
pub(super) fn contiguous(x: &Tensor) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if x.device().is_cuda() {
        if let Some(copy) = gpu::contiguous(x)? {
            return Ok(copy);
        }
    }
    x.contiguous()
}

/// `activation(gate) * up` of rows `(gate, up)`, in f32 and rounded once.
pub(super) fn gate(gate_up: &Tensor, activation: Activation) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if gate_up.device().is_cuda() {
        return gpu::gate(gate_up, activation);
    }
    let in_f32 = gate_up.to_dtype(DType::F32)?;
    let halves = in_f32.chunk(2, 1)?;
    let gate = match activation {
        Activation::Silu => halves[0].silu()?,
        Activation::GeluTanh => halves[0].gelu()?,
    };
    (gate * &halves[1])?.to_dtype(gate_up.dtype())
}

/// `scale * x y^T` in f32, for any type of both: `x` is `(batch, m, k)` and `y` `(batch, n, k)`, or both are matrices.
pub(super) fn product_in_f32(x: &Tensor, y: &Tensor, scale: f64) -> Result<Tensor> {
    #[cfg(feature = "cuda")]
    if x.device().is_cuda() {
        return gpu::product_in_f32(x, y, scale);
    }
    let (x, y) = (x.to_dtype(DType::F32)?, y.to_dtype(DType::F32)?);
    let x = if scale == 1.0 { x } else { x.affine(scale, 0.0)? };
    x.matmul(&y.t()?)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::sync::LazyLock;

    use bytemuck::{Pod, Zeroable, bytes_of, pod_collect_to_vec};
    use candle_core::Device;
    use half::{bf16, f16};
    use proptest::prelude::*;

    use super::*;

    /// Mirrors `Asked` in `kernels.cu`.
    #[derive(Debug, Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Asked {
        /// 0 for a softmax, 1 for a gate; 2 for a rotation and 3 for a copy, where `queries` is the number of heads.
        kind: u32,
        rows: u32,
        queries: u32,
        width: u32,
        pairs: u32,
        /// Whether a gate uses GELU, or the columns of a pair are adjacent.
        other: u32,
        cap: f32,
    }

    /// `kernels.cu` compiled by a C++ compiler for this machine.
    static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let compiler = std::env::var("CXX").unwrap_or("c++".to_string());
        let program = Path::new(env!("OUT_DIR")).join("kernels");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/decoder/portable/kernels/kernels.cu");
        let built =
            Command::new(compiler).args(["-x", "c++", "-std=c++17", "-O1", source, "-o"]).arg(&program).status();
        match built {
            Ok(status) => assert!(status.success(), "kernels.cu does not compile"),
            Err(error) => {
                println!("skipped: no C++ compiler ({error})");
                return None;
            }
        }
        Some(program)
    });

    /// Output of a kernel in f32; `None` without a compiler.
    fn by_kernel(asked: Asked, dtype: DType, operands: &[&Tensor]) -> Option<Vec<f32>> {
        let input = [bytes_of(&asked).to_vec(), operands.iter().flat_map(|operand| bytes(operand)).collect()].concat();
        let mut command = Command::new(PROGRAM.as_ref()?);
        command.arg(dtype.as_str()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut stdin = program.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = program.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success());
        Some(match dtype {
            DType::BF16 => halves(&output.stdout, |bits| bf16::from_bits(bits).to_f32()),
            DType::F16 => halves(&output.stdout, |bits| f16::from_bits(bits).to_f32()),
            _ => pod_collect_to_vec(&output.stdout),
        })
    }

    fn in_f32(tensor: &Tensor) -> Vec<f32> {
        tensor.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    /// The bytes of a tensor that a kernel reads.
    fn bytes(tensor: &Tensor) -> Vec<u8> {
        let values = in_f32(tensor).into_iter();
        match tensor.dtype() {
            DType::BF16 => values.flat_map(|value| bf16::from_f32(value).to_le_bytes()).collect(),
            DType::F16 => values.flat_map(|value| f16::from_f32(value).to_le_bytes()).collect(),
            _ => values.flat_map(f32::to_le_bytes).collect(),
        }
    }

    fn halves(bytes: &[u8], of: impl Fn(u16) -> f32) -> Vec<f32> {
        pod_collect_to_vec::<u8, u16>(bytes).into_iter().map(of).collect()
    }

    fn drawn(count: usize, seed: u64, spread: f32) -> Vec<f32> {
        use rand::Rng;
        let mut random = crate::seed::seeded(seed, "kernels", 0);
        (0..count).map(|_| random.random_range(-spread..spread)).collect()
    }

    /// Asserts that values are as close as two roundings of numbers that differ in the last bits of f32.
    fn close(kernel: &[f32], tensors: &Tensor, dtype: DType) {
        let step = match dtype {
            DType::BF16 => 1.0 / 128.0,
            DType::F16 => 1.0 / 1024.0,
            // The sum of a row is taken in another order.
            _ => 2e-5,
        };
        let tensors = in_f32(tensors);
        assert_eq!(kernel.len(), tensors.len());
        for (kernel, tensor) in kernel.iter().zip(&tensors) {
            assert!((kernel - tensor).abs() <= step * tensor.abs().max(1e-4), "{kernel} {tensor}");
        }
    }

    const TYPES: [DType; 3] = [DType::F32, DType::BF16, DType::F16];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn the_softmax_of_a_gpu_is_that_of_tensors(
            (heads, queries, width) in (1usize..5, 1usize..9, prop_oneof![4 => 1usize..300, 1 => 4090usize..4100]),
            cap in prop_oneof![Just(None), Just(Some(30.0f32))],
            masked in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let sent = |values: Vec<f32>, shape: &[usize]| Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
            let scores = sent(drawn(heads * queries * width, seed, 8.0), &[heads, queries, width]);
            // Every query sees the first row, and some do not see others.
            let hidden = drawn(queries * width, seed ^ 1, 1.0).into_iter().enumerate();
            let mask = hidden.map(|(at, drawn)| if at % width > 0 && drawn > 0.2 { f32::NEG_INFINITY } else { 0.0 });
            let mask = Some(sent(mask.collect(), &[queries, width])).filter(|_| masked);
            for dtype in TYPES {
                let tensors = softmax(&scores, mask.as_ref(), cap, dtype).unwrap();
                let asked = Asked {
                    rows: (heads * queries) as u32,
                    queries: mask.iter().map(|_| queries as u32).sum(),
                    width: width as u32,
                    cap: cap.unwrap_or(0.0),
                    ..Asked::zeroed()
                };
                let operands: Vec<&Tensor> = [&scores].into_iter().chain(&mask).collect();
                if let Some(kernel) = by_kernel(asked, dtype, &operands) {
                    close(&kernel, &tensors, dtype);
                }
            }
        }

        #[test]
        fn the_gate_of_a_gpu_is_that_of_tensors(rows in 1usize..9, width in 1usize..200, seed in any::<u64>()) {
            for (dtype, activation) in TYPES.into_iter().flat_map(|dtype| [(dtype, Activation::Silu), (dtype, Activation::GeluTanh)]) {
                let values = drawn(2 * rows * width, seed, 6.0);
                let gate_up = Tensor::from_vec(values, (rows, 2 * width), &Device::Cpu).unwrap().to_dtype(dtype).unwrap();
                let other = u32::from(activation == Activation::GeluTanh);
                let asked = Asked { kind: 1, rows: rows as u32, width: width as u32, other, ..Asked::zeroed() };
                if let Some(kernel) = by_kernel(asked, dtype, &[&gate_up]) {
                    close(&kernel, &gate(&gate_up, activation).unwrap(), dtype);
                }
            }
        }

        #[test]
        fn the_rotation_of_a_gpu_is_that_of_tensors(
            (tokens, heads, pairs, still) in (1usize..6, 1usize..5, 1usize..20, 0usize..9),
            side_by_side in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let size = 2 * pairs + still;
            let sent = |count: usize, seed: u64| Tensor::from_vec(drawn(count, seed, 1.0), count, &Device::Cpu).unwrap();
            let angles = |seed: u64| sent(tokens * pairs, seed).reshape((tokens, 1, pairs)).unwrap();
            let (cos, sin) = (angles(seed ^ 1), angles(seed ^ 2));
            for dtype in TYPES {
                let x = sent(tokens * heads * size, seed).to_dtype(dtype).unwrap().reshape((tokens, heads, size)).unwrap();
                let asked = Asked {
                    kind: 2,
                    rows: tokens as u32,
                    queries: heads as u32,
                    width: (heads * size) as u32,
                    pairs: pairs as u32,
                    other: u32::from(side_by_side),
                    ..Asked::zeroed()
                };
                if let Some(kernel) = by_kernel(asked, dtype, &[&x, &cos, &sin]) {
                    close(&kernel, &rotate(&x, &cos, &sin, side_by_side, dtype).unwrap(), dtype);
                }
            }
        }

        #[test]
        fn the_copy_of_a_gpu_is_that_of_tensors((tokens, heads, size) in (1usize..6, 1usize..5, 1usize..20), seed in any::<u64>()) {
            for dtype in TYPES {
                let x = Tensor::from_vec(drawn(tokens * heads * size, seed, 1.0), (tokens, heads, size), &Device::Cpu).unwrap();
                let x = x.to_dtype(dtype).unwrap();
                let asked = Asked {
                    kind: 3,
                    rows: tokens as u32,
                    queries: heads as u32,
                    width: (heads * size) as u32,
                    ..Asked::zeroed()
                };
                if let Some(kernel) = by_kernel(asked, dtype, &[&x]) {
                    prop_assert_eq!(kernel, in_f32(&contiguous(&x.transpose(0, 1).unwrap()).unwrap()));
                }
            }
        }
    }
}
