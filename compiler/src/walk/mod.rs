//! Walking a tree: visitors, validators, the policy for trees from strangers, cycle detection.
