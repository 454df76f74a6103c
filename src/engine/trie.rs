//! The token trie of one batch: every distinct prefix token once, in depth-first order.

use super::request::Path;

/// An edge of the trie with its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The path that holds this edge's tokens.
    pub path: usize,
    /// Depth of its first token.
    pub from: usize,
    /// Depth after its last token.
    pub to: usize,
    /// The edge above; `None` if the edge starts at the shared prefix or the root.
    pub parent: Option<usize>,
    /// Stage of the sequences of its paths.
    pub stage: u8,
}

/// Tokens forwarded before a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    pub tokens: Vec<u32>,
    /// Stage of the sequences they belong to.
    pub stage: u8,
}

impl Shared {
    /// Length of the common prefix.
    pub fn common(&self, other: &Shared) -> usize {
        let same = || self.tokens.iter().zip(&other.tokens).take_while(|(one, other)| one == other).count();
        if self.stage == other.stage { same() } else { 0 }
    }
}

/// Edges in depth-first order, parents before children.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trie {
    pub edges: Vec<Edge>,
    /// For each path, the edge with its last token.
    pub last_edge: Vec<usize>,
}

impl Trie {
    /// Builds the trie of `paths` below an already forwarded shared prefix. Every path has a token beyond the shared
    /// prefix.
    ///
    /// With `sharing` off, every distinct path is an edge of its own from depth 0: prompt by prompt.
    pub fn new(paths: &[Path<'_>], shared: &Shared, sharing: bool) -> Self {
        let mut sorted: Vec<usize> = (0..paths.len()).collect();
        sorted.sort_by(|&left, &right| paths[left].compare(&paths[right]).then(left.cmp(&right)));
        let mut trie = Trie { edges: Vec::new(), last_edge: vec![usize::MAX; paths.len()] };
        if sharing {
            let mut start = 0;
            while start < sorted.len() {
                let depth = on_shared(&paths[sorted[start]], shared);
                let run = sorted[start..].iter().take_while(|&&path| on_shared(&paths[path], shared) == depth).count();
                trie.branch(paths, &sorted[start..start + run], depth, None);
                start += run;
            }
        } else {
            for group in sorted.chunk_by(|&left, &right| paths[left].compare(&paths[right]).is_eq()) {
                let path = &paths[group[0]];
                let (to, stage) = (path.len(), path.stage());
                trie.edges.push(Edge { path: group[0], from: 0, to, parent: None, stage });
                for &path in group {
                    trie.last_edge[path] = trie.edges.len() - 1;
                }
            }
        }
        trie
    }

    /// Number of tokens on all edges.
    pub fn tokens(&self) -> usize {
        self.edges.iter().map(|edge| edge.to - edge.from).sum()
    }

    /// Split sorted paths that agree up to `depth` by their next token and add one edge each.
    fn branch(&mut self, paths: &[Path<'_>], sorted: &[usize], depth: usize, parent: Option<usize>) {
        let side_and_token = |path: usize| (paths[path].stage(), paths[path].token(depth));
        for group in sorted.chunk_by(|&left, &right| side_and_token(left) == side_and_token(right)) {
            let (first, last) = (group[0], group[group.len() - 1]);
            let to = paths[first].common_prefix(&paths[last]);
            let edge = self.edges.len();
            self.edges.push(Edge { path: first, from: depth, to, parent, stage: paths[first].stage() });
            let ending = group.iter().take_while(|&&path| paths[path].len() == to).count();
            for &path in &group[..ending] {
                self.last_edge[path] = edge;
            }
            self.branch(paths, &group[ending..], to, Some(edge));
        }
    }
}

fn on_shared(path: &Path<'_>, shared: &Shared) -> usize {
    path.common_prefix(&Path::along(&shared.tokens, shared.stage))
}

/// Number of distinct trie tokens of paths in lexicographic order.
pub(crate) fn distinct_tokens<'a>(sorted: impl IntoIterator<Item = Path<'a>>) -> usize {
    let mut last: Option<Path<'a>> = None;
    let mut tokens = 0;
    for path in sorted {
        tokens += path.len() - last.map_or(0, |last| last.common_prefix(&path));
        last = Some(path);
    }
    tokens
}
