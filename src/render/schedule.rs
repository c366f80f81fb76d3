//! Which tracks are processed side by side: a pure function of the graph and
//! of the effect chains, so that neither threads nor segment sizes change it.

use crate::fx::SLOTS;

/// What makes two effects fit into one lane group. Effects that differ in
/// latency never share one, since all slots of a group get the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StageKey {
    /// Name of the model.
    pub(super) model: &'static str,
    pub(super) latency_frames: usize,
    pub(super) instrument: bool,
}

/// Up to [`SLOTS`] nodes of one level that run together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BundlePlan {
    pub(super) level: usize,
    /// Node of each slot.
    pub(super) nodes: Vec<usize>,
    pub(super) stages: Vec<StagePlan>,
}

/// One effect for the slots that have it next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StagePlan {
    pub(super) key: StageKey,
    /// Position in the chain of each slot's node.
    pub(super) positions: [Option<usize>; SLOTS],
}

/// Bundles nodes. `chains[node]` holds the keys of the effects that run;
/// nodes that are not needed do not appear. Later levels come first, because
/// those bundles are few and long and must not start last.
pub(super) fn schedule(
    levels: &[usize],
    needed: &[bool],
    chains: &[Vec<StageKey>],
) -> Vec<BundlePlan> {
    let mut order: Vec<usize> = (0..levels.len()).filter(|&node| needed[node]).collect();
    order.sort_by(|&a, &b| {
        (levels[b].cmp(&levels[a]))
            .then_with(|| chains[a].cmp(&chains[b]))
            .then(a.cmp(&b))
    });
    let mut bundles: Vec<BundlePlan> = Vec::new();
    let mut nodes: Vec<usize> = Vec::new();
    let mut merged: Vec<StageKey> = Vec::new();
    for node in order {
        let chain = &chains[node];
        if let Some(&first) = nodes.first() {
            let together = merge(&merged, chain);
            let shares = together.len() < merged.len() + chain.len()
                || (merged.is_empty() && chain.is_empty());
            if levels[first] == levels[node] && nodes.len() < SLOTS && shares {
                merged = together;
                nodes.push(node);
                continue;
            }
            bundles.push(bundle(levels, &nodes, &merged, chains));
            nodes.clear();
        }
        nodes.push(node);
        merged.clone_from(chain);
    }
    if !nodes.is_empty() {
        bundles.push(bundle(levels, &nodes, &merged, chains));
    }
    bundles
}

/// A sequence that holds both chains in their order.
fn merge(merged: &[StageKey], chain: &[StageKey]) -> Vec<StageKey> {
    let mut result = merged.to_vec();
    let mut from = 0;
    for &key in chain {
        match result[from..].iter().position(|&other| other == key) {
            Some(offset) => from += offset + 1,
            None => {
                result.insert(from, key);
                from += 1;
            }
        }
    }
    result
}

fn bundle(
    levels: &[usize],
    nodes: &[usize],
    merged: &[StageKey],
    chains: &[Vec<StageKey>],
) -> BundlePlan {
    let mut stages: Vec<StagePlan> = merged
        .iter()
        .map(|&key| StagePlan {
            key,
            positions: [None; SLOTS],
        })
        .collect();
    for (slot, &node) in nodes.iter().enumerate() {
        let mut from = 0;
        for (position, key) in chains[node].iter().enumerate() {
            // `merged` holds every chain in order, so the search succeeds.
            if let Some(offset) = stages[from..].iter().position(|stage| stage.key == *key) {
                stages[from + offset].positions[slot] = Some(position);
                from += offset + 1;
            }
        }
    }
    BundlePlan {
        level: nodes.first().map_or(0, |&node| levels[node]),
        nodes: nodes.to_vec(),
        stages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(models: &[&'static str]) -> Vec<StageKey> {
        models
            .iter()
            .map(|&model| StageKey {
                model,
                latency_frames: 0,
                instrument: false,
            })
            .collect()
    }

    fn run(chains: &[&[&'static str]]) -> Vec<BundlePlan> {
        let chains: Vec<_> = chains.iter().map(|models| chain(models)).collect();
        schedule(&vec![0; chains.len()], &vec![true; chains.len()], &chains)
    }

    /// Every chain must be found in its bundle, whole and in order.
    fn check_complete(bundles: &[BundlePlan], chains: &[Vec<StageKey>]) {
        let mut seen = Vec::new();
        for bundle in bundles {
            for (slot, &node) in bundle.nodes.iter().enumerate() {
                seen.push(node);
                let positions: Vec<usize> = bundle
                    .stages
                    .iter()
                    .filter_map(|stage| {
                        let position = stage.positions[slot]?;
                        assert_eq!(stage.key, chains[node][position]);
                        Some(position)
                    })
                    .collect();
                assert_eq!(positions, (0..chains[node].len()).collect::<Vec<_>>());
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..chains.len()).collect::<Vec<_>>());
    }

    #[test]
    fn equal_chains_fill_bundles_of_four() {
        let bundles = run(&[&["eq", "comp"][..]; 6]);
        let sizes: Vec<usize> = bundles.iter().map(|b| b.nodes.len()).collect();
        assert_eq!(sizes, [4, 2]);
        assert!(bundles.iter().all(|b| b.stages.len() == 2));
    }

    #[test]
    fn a_chain_that_shares_nothing_runs_alone() {
        let bundles = run(&[&["eq"], &["reverb"]]);
        assert_eq!(bundles.len(), 2);
    }

    #[test]
    fn a_shorter_chain_skips_stages() {
        let bundles = run(&[&["eq", "comp"], &["comp"], &["eq", "gate", "comp"]]);
        assert_eq!(bundles.len(), 1);
        assert_eq!(bundles[0].stages.len(), 3);
    }

    #[test]
    fn different_latency_never_shares_a_group() {
        let mut chains = vec![chain(&["limit"]), chain(&["limit"])];
        chains[1][0].latency_frames = 64;
        assert_eq!(schedule(&[0, 0], &[true, true], &chains).len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn every_chain_is_kept_whole(
            picks in proptest::collection::vec(proptest::collection::vec(0..4usize, 0..6), 1..12),
        ) {
            let names = ["a", "b", "c", "d"];
            let chains: Vec<_> = picks
                .iter()
                .map(|pick| chain(&pick.iter().map(|&p| names[p]).collect::<Vec<_>>()))
                .collect();
            let levels = vec![0; chains.len()];
            let needed = vec![true; chains.len()];
            check_complete(&schedule(&levels, &needed, &chains), &chains);
        }
    }
}
