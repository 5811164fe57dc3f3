"""Results: chunks, the ledger of decisions, and their forms as tables, documents and pictures."""
