//! What the evaluator says of small things, checked by hand.
