//! Where models are found: folders, GGUF files, the Hub, cards.
