//! With the feature `cuda`: compiles the kernels for NVIDIA GPUs.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_CUDA").is_some() {
        compile_kernels();
    }
}

/// `kernels.ptx` for the compute capability that `CUDA_COMPUTE_CAP` names, which newer GPUs take too.
fn compile_kernels() {
    const SOURCE: &str = "decoder/portable/kernels/kernels.cu";
    for variable in ["CUDA_COMPUTE_CAP", "CUDA_HOME"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed={SOURCE}");
    let capability = std::env::var("CUDA_COMPUTE_CAP").unwrap_or("75".to_string());
    let compiler = std::env::var("CUDA_HOME").map(|home| Path::new(&home).join("bin/nvcc"));
    let to = Path::new(&std::env::var("OUT_DIR").expect("cargo names it")).join("kernels.ptx");
    let mut nvcc = Command::new(compiler.unwrap_or(PathBuf::from("nvcc")));
    nvcc.args(["-ptx", "-std=c++17", "-O3", &format!("-arch=compute_{capability}"), SOURCE, "-o"]).arg(to);
    match nvcc.status() {
        Ok(status) if status.success() => {}
        found => panic!("nvcc, of PATH or CUDA_HOME, has not compiled {SOURCE}: {found:?}"),
    }
}
