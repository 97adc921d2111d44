"""Learning from documents as they come: `partial_fit`, and streams into a directory."""
