"""What models, samplers, moves and tables are: the interfaces that engines and runs rely on."""
