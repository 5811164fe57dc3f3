"""What users give as files beside documents: tables, lists and values, each read in another process and counted."""
