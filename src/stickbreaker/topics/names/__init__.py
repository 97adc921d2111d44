"""Names given to topics by users; topics with the same name are merged in reports."""
