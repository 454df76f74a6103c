//! The project itself: the walls between its parts, its documents and its licences.

mod architecture;
mod documented;
mod formats;
