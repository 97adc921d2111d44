"""The kit of the report: what pages of every kind of model are made with."""
