//! The instructions that multiply integers.

#[cfg(target_arch = "x86_64")]
use super::avx2::{Avx2, AvxVnni};
use super::panel::{Line, OUTPUTS, Panel};
use super::rounded::Rounded;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
use super::vnni::Vnni;

/// Instructions of this processor for products in integers. All give the same bits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Integers {
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    Avx512Vnni(Vnni),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Integers {
    /// Those of this processor, the fastest first.
    pub fn all() -> impl Iterator<Item = Integers> {
        #[cfg(target_arch = "x86_64")]
        {
            #[cfg(feature = "avx512")]
            let widest = Vnni::detect().map(Integers::Avx512Vnni);
            #[cfg(not(feature = "avx512"))]
            let widest = None;
            let narrower = [AvxVnni::detect().map(Integers::AvxVnni), Avx2::detect().map(Integers::Avx2)];
            std::iter::once(widest).chain(narrower).flatten()
        }
        #[cfg(not(target_arch = "x86_64"))]
        std::iter::empty()
    }

    /// The fastest of this processor.
    pub fn detect() -> Option<Integers> {
        Integers::all().next()
    }

    /// Their name, as makers of processors write it.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Integers::Avx512Vnni(_) => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Integers::AvxVnni(_) => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Integers::Avx2(_) => "AVX2",
        }
    }

    /// Products of all rows with the outputs of a panel, `(rows, OUTPUTS)`. With `HALVES` a byte holds two numbers, with
    /// `MINIMA` there are minima; a span has so many `FACTORS` of each (0: its block is the span). Products of `FOURS` fours
    /// of inputs fit into 16 bits together. The lines of the `next` panel are prefetched meanwhile.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub fn products<const FOURS: usize, const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
        self,
        panel: &Panel,
        next: &[Line],
        rows: &Rounded,
        out: &mut [[f32; OUTPUTS]],
    ) {
        match self {
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Integers::Avx512Vnni(vnni) => vnni.products::<HALVES, FACTORS, MINIMA>(panel, next, rows, out),
            #[cfg(target_arch = "x86_64")]
            Integers::AvxVnni(vnni) => vnni.products::<HALVES, FACTORS, MINIMA>(panel, next, rows, out),
            #[cfg(target_arch = "x86_64")]
            Integers::Avx2(avx2) => avx2.products::<FOURS, HALVES, FACTORS, MINIMA>(panel, next, rows, out),
        }
    }
}
