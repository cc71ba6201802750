//! Writes: what is special about them stands in the hooks of the dialects; here is what is checked before.
