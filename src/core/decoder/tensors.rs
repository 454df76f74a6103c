//! The tensors of a model of a given shape. Loading reads by this list, and files are checked against it.

use super::latent::Latent;
use super::spec::{DecoderSpec, LatentNaming, QueryKeyNorm};

/// Matrices with the same inputs that form one product, either all with a bias or all without.
pub(super) struct Product {
    /// The matrices, stacked vertically.
    pub parts: Vec<ProductPart>,
    /// Columns of each matrix.
    pub inputs: usize,
    /// Whether they have biases.
    pub bias: bool,
}

/// One matrix of a product.
pub(super) struct ProductPart {
    /// Its name within the layer.
    pub name: String,
    /// Its rows.
    pub outputs: usize,
    /// Size of the heads whose rows are in pair order in the file.
    pub paired: Option<usize>,
    /// Its index and the number of matrices of this shape, if they are concatenated in one tensor.
    pub among: Option<(usize, usize)>,
    /// Whether it is stored in the file as `(inputs, outputs)`.
    pub transposed: bool,
}

impl Product {
    /// A product of one matrix.
    fn new(name: &str, outputs: usize, inputs: usize, bias: bool) -> Product {
        Product { parts: vec![ProductPart::new(name, outputs)], inputs, bias }
    }
}

/// A norm within a layer: its name and width.
pub(super) type NamedNorm = (&'static str, usize);

/// The products that produce queries, keys and values.
pub(super) enum ProjectionProducts {
    /// One product.
    Direct(Product),
    /// Through latents.
    Latent(Box<LatentProducts>),
}

/// The products of latent attention.
pub(super) struct LatentProducts {
    pub latent: Latent,
    pub query: QueryProducts,
    pub down: Product,
    pub norm: NamedNorm,
    pub up: Product,
}

/// The products that produce the queries of latent attention.
pub(super) enum QueryProducts {
    /// One product.
    Direct(Product),
    /// Down, a norm, and up.
    Latent(Product, NamedNorm, Product),
}

impl ProjectionProducts {
    /// All its products, and the norms between them.
    fn all(self) -> (Vec<Product>, Vec<NamedNorm>) {
        match self {
            ProjectionProducts::Direct(product) => (vec![product], Vec::new()),
            ProjectionProducts::Latent(products) => {
                let LatentProducts { query, down, norm, up, .. } = *products;
                match query {
                    QueryProducts::Direct(query) => (vec![query, down, up], vec![norm]),
                    QueryProducts::Latent(query_down, query_norm, query_up) => {
                        (vec![query_down, query_up, down, up], vec![query_norm, norm])
                    }
                }
            }
        }
    }
}

/// The products of a gated network.
pub(super) struct NetworkProducts {
    /// Gate and up.
    pub gate_up: Product,
    pub down: Product,
}

/// The products of a mixture.
pub(super) struct MixtureProducts {
    pub router: Product,
    /// The routed experts, in order.
    pub experts: Vec<NetworkProducts>,
    /// The shared expert, with its gate.
    pub shared: Option<(NetworkProducts, Option<Product>)>,
}

/// The feed-forward network of a layer.
pub(super) enum LayerNetwork {
    /// One network.
    Dense(NetworkProducts),
    /// Several networks; a router chooses among them.
    Mixture(MixtureProducts),
}

impl LayerNetwork {
    /// All its products.
    fn products(self) -> Vec<Product> {
        let both = |network: NetworkProducts| [network.gate_up, network.down];
        match self {
            LayerNetwork::Dense(network) => both(network).into(),
            LayerNetwork::Mixture(MixtureProducts { router, experts, shared }) => {
                let (shared, gate) = shared.unzip();
                let networks = experts.into_iter().chain(shared).flat_map(both);
                std::iter::once(router).chain(networks).chain(gate.flatten()).collect()
            }
        }
    }
}

impl ProductPart {
    pub(super) fn new(name: impl Into<String>, outputs: usize) -> ProductPart {
        ProductPart { name: name.into(), outputs, paired: None, among: None, transposed: false }
    }
}

impl DecoderSpec {
    /// Queries, keys and values.
    pub(super) fn projection(&self) -> ProjectionProducts {
        match (self.latent, &self.naming.latent) {
            (Some(latent), Some(names)) => ProjectionProducts::Latent(Box::new(self.latent_products(latent, names))),
            _ => ProjectionProducts::Direct(self.query_key_value()),
        }
    }

    fn latent_products(&self, latent: Latent, names: &LatentNaming) -> LatentProducts {
        let Latent { query_rank, rank, rotated, still, value } = latent;
        let (heads, bias) = (self.heads, self.qkv_bias);
        let queries = heads * (rotated + still);
        let [query_down, query_norm, query_up] = names.query;
        let query = match query_rank {
            None => QueryProducts::Direct(Product::new(self.naming.query, queries, self.hidden, false)),
            Some(width) => QueryProducts::Latent(
                Product::new(query_down, width, self.hidden, bias),
                (query_norm, width),
                Product::new(query_up, queries, width, false),
            ),
        };
        let [down, norm, up] = names.key_value;
        let up = match names.apart {
            None => Product::new(up, heads * (still + value), rank, false),
            Some([keys, values]) => {
                let of_head = |head| {
                    let among = Some((head, heads));
                    let keys = ProductPart { among, transposed: true, ..ProductPart::new(keys, still) };
                    [keys, ProductPart { among, ..ProductPart::new(values, value) }]
                };
                Product { parts: (0..heads).flat_map(of_head).collect(), inputs: rank, bias: false }
            }
        };
        LatentProducts {
            latent,
            query,
            down: Product::new(down, rank + rotated, self.hidden, bias),
            norm: (norm, rank),
            up,
        }
    }

    /// Queries, keys and values in one product.
    fn query_key_value(&self) -> Product {
        let (names, queries, keys) = (&self.naming, self.query_width(), self.kv_width());
        let paired = names.paired_rows.then_some(self.head_dim);
        let parts = match names.fused_qkv {
            Some(fused) => vec![ProductPart::new(fused, queries + 2 * keys)],
            None => vec![
                ProductPart { paired, ..ProductPart::new(names.query, queries) },
                ProductPart { paired, ..ProductPart::new(names.key, keys) },
                ProductPart::new(names.value, keys),
            ],
        };
        Product { parts, inputs: self.hidden, bias: self.qkv_bias }
    }

    /// The output product of attention.
    pub(super) fn attention_output(&self) -> Product {
        Product::new(self.naming.output, self.hidden, self.heads * self.value_dim(), self.output_bias)
    }

    /// The feed-forward network of a layer.
    pub(super) fn network(&self, layer: usize) -> LayerNetwork {
        let (names, inputs) = (&self.naming, self.hidden);
        let (Some(experts), Some(of_experts)) = (self.experts_of(layer), &names.experts) else {
            let parts = match names.fused_gate_up {
                Some(fused) => vec![ProductPart::new(fused, 2 * self.intermediate)],
                None => {
                    vec![ProductPart::new(names.gate, self.intermediate), ProductPart::new(names.up, self.intermediate)]
                }
            };
            return LayerNetwork::Dense(NetworkProducts {
                gate_up: Product { parts, inputs, bias: self.mlp_bias },
                down: Product {
                    parts: vec![ProductPart::new(names.down, inputs)],
                    inputs: self.intermediate,
                    bias: self.mlp_bias,
                },
            });
        };
        let network = |part: &dyn Fn(usize, usize) -> ProductPart, width: usize| NetworkProducts {
            gate_up: Product { parts: vec![part(0, width), part(1, width)], inputs, bias: false },
            down: Product { parts: vec![part(2, inputs)], inputs: width, bias: false },
        };
        let routed = |expert: usize| {
            let part = |which: usize, outputs: usize| match (of_experts.numbered, of_experts.products[which]) {
                (Some(prefix), name) => ProductPart::new(format!("{prefix}{expert}.{name}"), outputs),
                (None, name) => ProductPart { among: Some((expert, experts.count)), ..ProductPart::new(name, outputs) },
            };
            network(&part, experts.intermediate)
        };
        let single = |name: &str, outputs: usize| Product::new(name, outputs, inputs, false);
        LayerNetwork::Mixture(MixtureProducts {
            router: single(of_experts.router, experts.count),
            experts: (0..experts.count).map(routed).collect(),
            shared: experts.shared.map(|shared| {
                let gate = shared.gated.then(|| single(of_experts.shared_gate, 1));
                let part = |which: usize, outputs: usize| ProductPart::new(of_experts.shared[which], outputs);
                (network(&part, shared.intermediate), gate)
            }),
        })
    }

    /// Names of the tensors of routed experts.
    pub(super) fn expert_tensors(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.layers).flat_map(move |layer| {
            let experts = match self.network(layer) {
                LayerNetwork::Dense(_) => Vec::new(),
                LayerNetwork::Mixture(mixture) => mixture.experts,
            };
            let parts = experts.into_iter().flat_map(|expert| [expert.gate_up, expert.down]);
            let parts = parts.flat_map(|product| product.parts);
            parts.map(move |part| self.tensor_name(layer, &part.name, "weight")).collect::<Vec<_>>()
        })
    }

    /// Full name and length of the corrections to the scores of a layer's experts, if any.
    pub(super) fn correction(&self, layer: usize) -> Option<(String, usize)> {
        let experts = self.experts_of(layer).filter(|experts| experts.corrected)?;
        let name = self.naming.experts.as_ref()?.correction;
        Some((format!("{}{layer}.{name}", self.naming.layer), experts.count))
    }

    /// Names and widths of the norms on queries and keys.
    pub(super) fn query_key_norms(&self) -> Option<[(&'static str, usize); 2]> {
        let (query, key) = match self.query_key_norm {
            QueryKeyNorm::Absent => return None,
            QueryKeyNorm::EachHead => (self.head_dim, self.head_dim),
            QueryKeyNorm::WholeProjection => (self.query_width(), self.kv_width()),
        };
        Some([(self.naming.query_norm, query), (self.naming.key_norm, key)])
    }

    /// Full name of a tensor of a layer; `kind` is `weight` or `bias`.
    pub(super) fn tensor_name(&self, layer: usize, name: &str, kind: &str) -> String {
        format!("{}{layer}.{name}.{kind}", self.naming.layer)
    }

    /// Name and shape of every tensor that loading reads.
    pub fn tensors(&self) -> impl Iterator<Item = (String, Vec<usize>)> + '_ {
        let table = |name: &str| (name.to_string(), vec![self.vocab_size, self.hidden]);
        let outside = [table(self.naming.embedding), (self.naming.final_norm.to_string(), vec![self.hidden])];
        let head = (!self.tied_head).then(|| table(self.naming.head));
        outside.into_iter().chain(head).chain((0..self.layers).flat_map(|layer| self.tensors_of_layer(layer)))
    }

    /// Number of elements in norms, biases and other vectors.
    pub(super) fn vectors(&self) -> usize {
        self.tensors().filter(|(_, shape)| shape.len() == 1).map(|(_, shape)| shape[0]).sum()
    }

    fn tensors_of_layer(&self, layer: usize) -> Vec<(String, Vec<usize>)> {
        let mut tensors = Vec::new();
        let block_norms = self.naming.norms.into_iter().flatten().map(|name| (name, self.hidden));
        for (name, width) in block_norms.chain(self.query_key_norms().into_iter().flatten()) {
            tensors.push((self.tensor_name(layer, name, "weight"), vec![width]));
        }
        let (products, norms) = self.projection().all();
        tensors.extend(norms.into_iter().map(|(name, width)| (self.tensor_name(layer, name, "weight"), vec![width])));
        tensors.extend(self.correction(layer).map(|(name, width)| (name, vec![width])));
        let products = products.into_iter().chain([self.attention_output()]);
        for product in products.chain(self.network(layer).products()) {
            for part in product.parts {
                let shape = match part.among {
                    Some((0, count)) if part.transposed => vec![count, product.inputs, part.outputs],
                    Some((0, count)) => vec![count, part.outputs, product.inputs],
                    // Same tensor as that of the first.
                    Some(_) => continue,
                    None => vec![part.outputs, product.inputs],
                };
                tensors.push((self.tensor_name(layer, &part.name, "weight"), shape));
                if product.bias {
                    tensors.push((self.tensor_name(layer, &part.name, "bias"), vec![part.outputs]));
                }
            }
        }
        tensors
    }
}
