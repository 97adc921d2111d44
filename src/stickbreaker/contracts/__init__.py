"""The interfaces of models, samplers and moves, of the table of counts, and of what they exchange with
engines and runs.
"""
