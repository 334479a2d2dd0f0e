//! Selection of skills by a model.
