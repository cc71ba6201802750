//! The engines that tests are pointed at.

/// The URLs in a variable, with blanks between.
pub fn of(variable: &str) -> Vec<String> {
    let urls = std::env::var(variable).unwrap_or_default();
    let urls: Vec<String> = urls.split_whitespace().map(str::to_owned).collect();
    if urls.is_empty() {
        println!("skipped: no {variable}");
    }
    urls
}
