use minijinja::value::{Serde, Value as Values};
use minijinja::{AutoEscape, Environment};
use serde_json::json;

use super::Report;

const TEMPLATE: &str = include_str!("report.html");

impl Report {
    /// The report as one HTML file: no script, no request, light and dark. `title` says what was measured, `notes` how.
    #[must_use]
    pub fn to_html(&self, title: &str, notes: &[String]) -> String {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let values = json!({"title": title, "notes": notes, "report": self.to_json()});
        // The template is ours and tested; were it wrong, the page would say so.
        environment
            .render_str(TEMPLATE, Values::from(Serde(values)))
            .unwrap_or_else(|error| format!("<!doctype html><p>{}", error.to_string().replace('<', "&lt;")))
    }
}
