"""Requests to servers: a client, its address and key, deadlines."""
