//! The wire notation of a tree: reader and writer.
