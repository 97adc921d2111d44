"""Learning from documents as they arrive: `partial_fit`, and streams into a directory."""
