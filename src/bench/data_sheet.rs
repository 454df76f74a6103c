//! GPU peak rates from NVIDIA's data sheets.

/// Dense TFLOP/s in bf16 or f16 with f32 accumulation, by a part of the name that the driver reports; the first match
/// counts.
const PEAKS: [(&str, f64); 16] = [
    ("B200", 2250.0),
    ("H200", 989.4),
    ("H100 PCIe", 756.0),
    ("H100 NVL", 835.0),
    ("H100", 989.4),
    ("H800", 989.4),
    ("H20", 148.0),
    ("A100", 312.0),
    ("A800", 312.0),
    ("L40S", 362.0),
    ("L40", 181.0),
    ("L4", 121.0),
    ("A40", 149.7),
    ("A10", 125.0),
    ("RTX 4090", 165.2),
    ("RTX 3090", 71.0),
];

/// Peak floating-point operations per second of a GPU by name; `None` if not listed here.
pub(super) fn peak(name: &str) -> Option<f64> {
    let words: Vec<&str> = name.split([' ', '-']).collect();
    let fits = |gpu: &str| {
        let wanted: Vec<&str> = gpu.split(' ').collect();
        wanted.iter().all(|wanted| words.contains(wanted))
    };
    PEAKS.iter().find(|(gpu, _)| fits(gpu)).map(|(_, tera)| tera * 1e12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_known_by_the_names_of_their_drivers() {
        let tera = |name: &str| peak(name).map(|peak| peak / 1e12);
        assert_eq!(tera("NVIDIA H200"), Some(989.4));
        assert_eq!(tera("NVIDIA H100 80GB HBM3"), Some(989.4));
        assert_eq!(tera("NVIDIA H100 PCIe"), Some(756.0));
        assert_eq!(tera("NVIDIA A100-SXM4-40GB"), Some(312.0));
        assert_eq!(tera("NVIDIA GeForce RTX 4090"), Some(165.2));
        assert_eq!(tera("NVIDIA L40S"), Some(362.0));
        assert_eq!(tera("NVIDIA RTX A1000"), None);
    }
}
