"""Traces of somebody's own retrieval: what was retrieved for each question, and the stage that lost the answer."""
