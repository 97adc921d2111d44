"""What a reader calls topics, and topics of one name as one."""
