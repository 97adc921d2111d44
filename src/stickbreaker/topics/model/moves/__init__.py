"""How the number of topics changes: splits and merges, proposed, evaluated and decided."""
