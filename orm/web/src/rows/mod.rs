//! From the rows of an engine to what is answered, without a value between.
