"""What grammars need of texts: sentences of symbols, their trees and pieces, gold segmentations."""
