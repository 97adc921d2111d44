"""Topic models: latent Dirichlet allocation and the hierarchical Dirichlet process."""
