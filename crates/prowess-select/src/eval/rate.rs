/// So many of so many, and how sure that is.
///
/// ```
/// use prowess_select::eval::Rate;
///
/// let rate = Rate::new(9, 10);
/// let (low, high) = rate.interval();
/// assert_eq!((format!("{low:.3}"), format!("{high:.3}")), ("0.596".to_owned(), "0.982".to_owned()));
/// assert_eq!(Rate::new(0, 0).value(), None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rate {
    /// How often it happened.
    pub hits: u32,
    /// How often it could have.
    pub of: u32,
}

impl Rate {
    /// `hits` of `of`.
    #[must_use]
    pub fn new(hits: u32, of: u32) -> Self {
        Self { hits, of }
    }

    /// The share, from 0 to 1; none of none.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.hits) / f64::from(self.of))
    }

    /// Wilson's interval: where the true rate lies, 95 times of 100. All of 0 to 1 if nothing was measured.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        const Z: f64 = 1.959_964;
        let Some(share) = self.value() else {
            return (0.0, 1.0);
        };
        let n = f64::from(self.of);
        let scale = 1.0 + Z * Z / n;
        let middle = (share + Z * Z / (2.0 * n)) / scale;
        let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        ((middle - half).max(0.0), (middle + half).min(1.0))
    }

    pub(super) fn count(&mut self, is_hit: bool) {
        self.of += 1;
        self.hits += u32::from(is_hit);
    }
}
