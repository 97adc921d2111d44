"""Translation that adapts to its domain, by lexicons counted from aligned sentences."""
