"""Where a document's topic shares come from: Dirichlet, HDP, franchise."""
