"""The part of the program that is about syntactic topics."""
